"""The peers of the paper, measured in this run: Storm on both chains and Dice, as far as they are installed."""

from __future__ import annotations

from taut.interfaces.compare.comparison import Comparison, compare
from taut.interfaces.compare.measurement import TOOLS, measurements_of
from taut.interfaces.compare.records import RecordFile
from taut.interfaces.paper.published import RR_ROWS
from taut.interfaces.reports.tables import Table
from taut.peers import PEERS

__all__ = ["measure_peers", "peers_table", "published_sizes"]


def measure_peers(quick: bool) -> Comparison:
    """The bound of randomized response over everything and, at a size the paper prints, with its sets."""
    sizes, limit = ((2, 4), 20.0) if quick else ((2, 4, 6), 60.0)
    tools = [tool for tool in TOOLS if tool not in PEERS or PEERS[tool].companion_of is None]
    measurements = measurements_of("randomized_response", ["lam=1/5"], sizes, tools, ["exhaustive"], None)
    measurements += measurements_of("randomized_response", ["lam=1/5"], [5], tools, ["restricted"], None)
    return compare(measurements, limit, RecordFile(None), lambda _: None)


def peers_table(comparison: Comparison) -> Table:
    """Seconds and sizes; a tool that is not there has a row that says so."""
    rows: list[tuple[str, ...]] = []
    titles = {"taut": "taut", **{name: peer.title for name, peer in PEERS.items()}}
    for record in comparison.records:
        sizes = ", ".join(f"{size:,} {name}" for name, size in record.get("sizes", {}).items())
        seconds = f"{record['seconds']:.4f}" if record["status"] == "answer" else str(record["status"])
        runs = f"{record['runs']:,}" if "runs" in record else ""
        answer = (str(record.get("answer", "")), comparison.verdict(record))
        rows.append((titles[record["tool"]], record["method"], str(record["n"]), *answer, seconds, runs, sizes))
    rows += [(titles[tool], "", "", "", "not installed", "", "", "") for tool in comparison.missing]
    headings = ("tool", "method", "n", "e^eps", "verdict", "seconds", "runs", "largest model")
    return Table(
        "rr_peers_here", "The same question to all tools, measured in this run", headings, tuple(rows), (0, 3, 6)
    )


def published_sizes(comparison: Comparison) -> list[tuple[int, str, str, bool]]:
    """For each n at which the paper prints Storm's chain: n, its states and transitions, ours, whether they agree."""
    checks = []
    for row in RR_ROWS:
        for record in comparison.records:
            if row.tool == "Storm" and row.states and record["tool"] == "storm-naive" and record["n"] == row.n:
                sizes = record.get("sizes", {})
                if sizes:
                    theirs, ours = (row.states, row.transitions), (sizes["states"], sizes["transitions"])
                    checks.append((row.n, f"{theirs[0]}, {theirs[1]}", f"{ours[0]}, {ours[1]}", theirs == ours))
    return checks
