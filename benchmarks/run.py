"""Measure cases, each run in a fresh process; write what came out as JSON, and the page that shows it.

python benchmarks/run.py                          all cases, and the record: results.json and RESULTS.md
python benchmarks/run.py search core              the cases of two suites; a table is printed
python benchmarks/run.py --only n=1000            those whose name or family contains a text
python benchmarks/run.py --quick                  the two minutes
python benchmarks/run.py --list                   names only
python benchmarks/run.py --from results.json      the page again, without measuring
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path[0] = str(HERE.parent)

from benchmarks.facts import facts  # noqa: E402
from benchmarks.measurement import measure  # noqa: E402
from benchmarks.registry import load, select  # noqa: E402

RECORD, PAGE = HERE / "results.json", HERE / "RESULTS.md"


def main(given: Sequence[str] | None = None) -> int:
    """0, or 1 where a case is wrong, failed or did not end, or 2 where nothing is selected."""
    chosen = _arguments(given)
    if chosen.source is not None:
        content = json.loads(chosen.source.read_text(encoding="utf-8"))
        return _render(content, chosen.page or PAGE)
    cases = list(select(load().values(), chosen.suites, chosen.only, chosen.quick))
    if chosen.list:
        print(*[one.name for one in cases], sep="\n")
        return 0
    if not cases:
        print("no such case; --list shows all of them", file=sys.stderr)
        return 2
    content: dict[str, Any] = {"facts": facts(), "quick": chosen.quick, "records": []}
    print(f"{'case':66} {'CPU s':>9} {'MB':>6}  answer")
    everything = not (chosen.suites or chosen.only or chosen.quick)
    out = chosen.out or (RECORD if everything else None)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        repeat = 1 if chosen.quick else chosen.repeat
        for record in pool.map(lambda one: measure(one, repeat), cases):
            content["records"].append(record)
            print(_line(record), flush=True)
            if out is not None:  # after each, so that a run that is stopped leaves what it has
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if out is not None:
        print(f"wrote {out}")
    page = chosen.page or (PAGE if everything else None)
    if page is not None:
        _render(content, page)
    bad = [record for record in content["records"] if record["status"] not in ("answer", "missing")]
    for record in bad:
        print(f"{record['name']}: {record['status']}, {record.get('why', '')}", file=sys.stderr)
    return int(bool(bad))


def _render(content: dict[str, Any], page: Path) -> int:
    from benchmarks.page import write_page

    write_page(content, page)
    print(f"wrote {page}")
    return 0


def _line(record: dict[str, Any]) -> str:
    seconds = f"{record['cpu_seconds']:9.3f}" if "cpu_seconds" in record else f"{'':9}"
    memory = f"{record['megabytes']:6.0f}" if "megabytes" in record else f"{'':6}"
    told = record["answer"] if record["status"] == "answer" else f"{record['status'].upper()}: {record.get('why', '')}"
    return f"{record['name']:66} {seconds} {memory}  {told[:60]}"


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", help="files of benchmarks/cases, without .py; all, if none is named")
    parser.add_argument("--only", action="append", default=[], help="a part of a name or family; may be repeated")
    parser.add_argument("--quick", action="store_true", help="the quick cases, once each")
    parser.add_argument("--repeat", type=int, default=3, help="runs per case (of long ones fewer); the least counts")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once; more than 1 disturbs the figures")
    parser.add_argument("--out", type=Path, help="where the record goes")
    parser.add_argument("--page", type=Path, help="where the page goes")
    parser.add_argument("--from", dest="source", type=Path, help="make the page of this record, and measure nothing")
    parser.add_argument("--list", action="store_true", help="show names only")
    return parser.parse_args(given)


if __name__ == "__main__":
    raise SystemExit(main())
