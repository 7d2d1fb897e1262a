"""The peers of the paper, measured in this run: Storm on both chains and Dice, as far as they are installed."""

from __future__ import annotations

from taut.compare.comparison import Comparison, Lines, compare
from taut.compare.measurement import cells_of
from taut.paper.published import RR_ROWS
from taut.reports.tables import Table

__all__ = ["measure_peers", "peers_table", "published_sizes"]

_TOOLS = (("storm-naive", "Storm, the paper's chain"), ("storm", "Storm, an expert's chain"), ("dice", "Dice"))


def measure_peers(quick: bool) -> Comparison:
    """The bound of randomized response over everything and, at a size the paper prints, with its sets."""
    sizes, limit = ((2, 4), 20.0) if quick else ((2, 4, 6), 60.0)
    tools = ["taut", "storm", "storm-naive", "dice"]
    cells = cells_of("randomized_response", ["lam=1/5"], sizes, tools, ["exhaustive"], None)
    cells += cells_of("randomized_response", ["lam=1/5"], [5], tools, ["restricted"], None)
    return compare(cells, limit, Lines(None), lambda _: None)


def peers_table(found: Comparison) -> Table:
    """Seconds and sizes; a tool that is not there has a row that says so."""
    rows: list[tuple[str, ...]] = []
    names = {"taut": "taut", **dict(_TOOLS)}
    for record in found.records:
        sizes = ", ".join(f"{size:,} {name}" for name, size in record.get("sizes", {}).items())
        seconds = f"{record['seconds']:.4f}" if record["status"] == "answer" else str(record["status"])
        runs = f"{record['runs']:,}" if "runs" in record else ""
        answer = (str(record.get("answer", "")), found.verdict(record))
        rows.append((names[record["tool"]], record["method"], str(record["n"]), *answer, seconds, runs, sizes))
    for tool, name in _TOOLS:
        if tool in found.missing:
            rows.append((name, "", "", "", "not installed", "", "", ""))
    headings = ("tool", "method", "n", "e^eps", "verdict", "seconds", "runs", "largest model")
    return Table(
        "rr_peers_here", "The same question to all tools, measured in this run", headings, tuple(rows), (0, 3, 6)
    )


def published_sizes(found: Comparison) -> list[tuple[int, str, str, bool]]:
    """For each n at which the paper prints Storm's chain: n, its states and transitions, ours, whether they agree."""
    checks = []
    for row in RR_ROWS:
        for record in found.records:
            if row.tool == "Storm" and row.states and record["tool"] == "storm-naive" and record["n"] == row.n:
                sizes = record.get("sizes", {})
                if sizes:
                    theirs, ours = (row.states, row.transitions), (sizes["states"], sizes["transitions"])
                    checks.append((row.n, f"{theirs[0]}, {theirs[1]}", f"{ours[0]}, {ours[1]}", theirs == ours))
    return checks
