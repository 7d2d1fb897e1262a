"""Draw the recorded runs of a suite against their limits; runs nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

HERE = Path(__file__).parent


def main() -> int:
    suite = sys.argv[1] if len(sys.argv) > 1 else "core"
    lines = HERE / "results" / f"{suite}.jsonl"
    if not lines.is_file():
        print(f"no recorded runs of '{suite}'; run benchmarks/run.py {suite} first", file=sys.stderr)
        return 2
    latest: dict[str, dict[str, float]] = {}
    for line in lines.read_text().splitlines():
        row = json.loads(line)
        name = f"{row['study']}\n" + ", ".join(f"{key}={value}" for key, value in row["parameters"].items())
        latest[name] = {"seconds": row["seconds"], "limit": row["limit"], "wrong": row["found"] != row["answer"]}
    figure = Figure(figsize=(9, 0.7 * len(latest) + 1.2), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(latest.values()):
        # Points, not bars: a log scale has no zero from which the length of a bar could be judged.
        axes.plot(row["seconds"], place, "o", color="#b5473c" if row["wrong"] else "#3c78b5")
        axes.plot([row["limit"]] * 2, [place - 0.4, place + 0.4], color="#222222")
    labels = [f"{name}: {row['seconds']:.3g} s" for name, row in latest.items()]
    axes.set_yticks(range(len(latest)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)
    axes.set_xlabel("CPU seconds (log scale; black: the limit; red: a wrong answer)")
    target = lines.with_suffix(".png")
    FigureCanvasAgg(figure).print_png(target)
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
