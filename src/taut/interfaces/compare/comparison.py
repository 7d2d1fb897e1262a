"""Comparisons: measurements of several tools, judged against the exact answer, tabulated and drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.interfaces.compare.measurement import TOOLS, Measurement, Record, RecordFile, measure
from taut.interfaces.peers import PEERS
from taut.interfaces.reports.formats import Table
from taut.questions.ratio import epsilon_digits
from taut.support.exact import INFINITY
from taut.support.parallel.pieces import mapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Comparison", "compare", "comparison_figure"]


_CLOSE = Fraction(1, 10**25)
"""Relative tolerance for answers of other tools where weights with exp were exported with forty decimals."""


@dataclass
class Comparison:
    """Records, one per measurement, and the missing tools with installation advice."""

    records: list[Record] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def verdict(self, record: Record) -> str:
        """'exact' or 'wrong' compared with taut's answer; without an answer, the reason.

        An answer from rounded probabilities is 'rounded' if rounding explains it: the exact answer lies within the
        ratios that half a unit of the last printed digit allows.
        """
        if record["status"] != "answer":
            return str(record["status"])
        truth = self._truth(record)
        if truth is None:
            return "unchecked"
        if _same(record, truth):
            return "exact"
        return "rounded" if _within(record, truth) else "wrong"

    def best(self, record: Record) -> bool:
        """Return True if this record is the best answer of its tool to the question.

        A correct answer beats a wrong one, an exact one beats an interval; then the least CPU time wins, start-up
        included.
        """
        if record["status"] != "answer":
            return False
        rivals = [
            other for other in self.records if other["status"] == "answer" and _question(other) == _question(record)
        ]
        return record is min(rivals, key=self._rank)

    def _rank(self, record: Record) -> tuple[bool, bool, float]:
        seconds = record.get("cpu_seconds", record["seconds"]) + record.get("startup_seconds", 0.0)
        return self.verdict(record) == "wrong", record.get("at_most") == "inf", seconds

    @property
    def wrong(self) -> list[Record]:
        return [record for record in self.records if self.verdict(record) == "wrong"]

    def table(self, title: str) -> Table:
        """Return all measurements as a table, with a star at the best of several methods of one tool."""
        rows = []
        for record in self.records:
            given = record.get("answer", "")
            shown = given if len(given) <= 24 else f"{float(Fraction(given)):.12g}"
            if "at_least" in record:
                shown += f" ({_short(record['at_least'])} to {_short(record['at_most'])})"
            sizes = ", ".join(f"{size:,} {name}" for name, size in record.get("sizes", {}).items())
            epsilon = given and epsilon_digits(INFINITY if given == "inf" else Fraction(given))
            cells = (str(record["n"]), self._tool(record), record["method"], epsilon, shown, self.verdict(record))
            times = [_seconds(record.get(name)) for name in ("seconds", "cpu_seconds", "startup_seconds")]
            memory = "" if record.get("megabytes") is None else f"{record['megabytes']:.0f}"
            runs = "" if record.get("runs") is None else f"{record['runs']:,}"
            rows.append((*cells, *times, _seconds(record.get("around_seconds")), memory, runs, sizes))
        times_of = ("seconds", "CPU s", "start-up", "around", "MB", "runs", "largest model")
        headings = ("n", "tool", "method", "eps", "e^eps", "verdict", *times_of)
        return Table("comparison", title, headings, tuple(rows), (1, 2, 5, 12))

    def short_rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings and rows of a table that fits a narrow terminal; without the method if there is only one."""
        full = self.table("")
        one = len({record["method"] for record in self.records}) == 1
        rows = []
        for row, record in zip(full.rows, self.records, strict=True):
            sizes = record.get("sizes", {})
            size = next((f"{sizes[name]:,} {name}" for name in ("nodes", "states") if name in sizes), "")
            method = () if one else (row[2],)
            rows.append((*row[:2], *method, row[3], row[4].partition(" (")[0], row[5], row[7], row[8], row[10], size))
        names = full.headings
        return (*names[:2], *(() if one else names[2:3]), *names[3:6], names[7], names[8], names[10], "size"), rows

    def _tool(self, record: Record) -> str:
        ways = {other["tool"] for other in self.records if _question(other) == _question(record)}
        return f"{record['tool']} *" if len(ways) > 1 and self.best(record) else str(record["tool"])

    def to_csv(self) -> str:
        """Return all measurements as CSV, one line each."""
        names = ("mechanism", "relation", "n", "tool", "method", "status", "answer")
        times = ("at_least", "at_most", "seconds", "cpu_seconds", "startup_seconds", "around_seconds", "megabytes")
        more = (*times, "runs", "build_seconds", "check_seconds", "limit", "why")
        sizes = ("nodes", "states", "transitions")
        rows = []
        for record in self.records:
            row = [str(record.get(name, "")) for name in names] + [self.verdict(record)]
            row += ["" if record.get(name) is None else str(record[name]) for name in more]
            rows.append((*row, *[str(record.get("sizes", {}).get(name, "")) for name in sizes]))
        return Table("comparison", "", (*names, "verdict", *more, *sizes), tuple(rows)).csv

    def to_dict(self) -> dict[str, Any]:
        cells = [{**record, "verdict": self.verdict(record), "best": self.best(record)} for record in self.records]
        return {"cells": cells, "missing": self.missing}

    def _truth(self, record: Record) -> Record | None:
        """Return the answer of taut to the same question: over all inputs, if it was asked so."""
        same = [
            other
            for other in self.records
            if other["tool"] == "taut"
            and other["status"] == "answer"
            and all(other[key] == record[key] for key in ("n", "mechanism", "relation"))
        ]
        return next((other for other in same if other["method"] == "exhaustive"), same[0] if same else None)


def compare(
    measurements: Sequence[Measurement],
    limit: float,
    file: RecordFile,
    step: Callable[[str], None],
    into: Comparison | None = None,
) -> Comparison:
    """Make all measurements that are not in the file yet, one after the other or by the executor in force.

    ``step`` is told of each before it is made; ``into`` receives the records as they come, to show them if interrupted.
    """
    comparison = Comparison() if into is None else into
    for tool in dict.fromkeys(measurement.tool for measurement in measurements if measurement.tool in PEERS):
        why = PEERS[tool].missing()
        if why is not None:
            comparison.missing[tool] = why
    known: dict[int, Record] = {}
    places: list[int] = []
    before = list(comparison.records)

    def needed() -> Iterator[Measurement]:
        """Yield the measurements that are not yet in the file."""
        for place, measurement in enumerate(measurements):
            step(measurement.words)
            if measurement.tool in comparison.missing:
                continue
            found = file.find(measurement, limit)
            if found is None:
                places.append(place)
                yield measurement
            else:
                known[place] = found
                comparison.records.append(found)

    try:
        for number, record in mapped(_measured, limit, needed()):
            known[places[number]] = record
            comparison.records.append(record)  # first, so that all that is in the file is shown after Ctrl-C
            file.add(record)
    finally:
        comparison.records[:] = before + [known[place] for place in sorted(known)]
    return comparison


def _measured(limit: float, measurement: Measurement) -> Record:
    return measure(measurement, limit)


def _same(record: Record, truth: Record) -> bool:
    if "low" in truth and record["answer"] != "inf":
        low, high = Fraction(truth["low"]), Fraction(truth["high"])
        value = (
            Fraction(record["answer"])
            if "low" not in record
            else (Fraction(record["low"]) + Fraction(record["high"])) / 2
        )
        return low * (1 - _CLOSE) <= value <= high * (1 + _CLOSE)
    return bool(record["answer"] == truth["answer"])


def _within(record: Record, truth: Record) -> bool:
    """Return True if the exact answer lies where the rounding of a tool leaves it."""
    if "at_least" not in record:
        return False
    low, high = (_number(truth[end if end in truth else "answer"]) for end in ("low", "high"))
    least, most = _number(record["at_least"]), _number(record["at_most"])
    return bool(least * (1 - _CLOSE) <= high and low <= most * (1 + _CLOSE))


def _question(record: Record) -> tuple[Any, ...]:
    """Return the key of a question to a tool, without the way in which it is asked."""
    tool = record["tool"]
    if tool in PEERS:
        tool = PEERS[tool].companion_of or tool
    return (tool, *[record.get(name) for name in ("n", "method", "mechanism", "relation")])


def _number(text: str) -> Any:
    return INFINITY if text == "inf" else Fraction(text)


def _short(text: str) -> str:
    return text if text == "inf" else f"{float(Fraction(text)):.8g}"


def _seconds(seconds: Any) -> str:
    return "" if seconds is None else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


_DASHES = {"exhaustive": "-", "restricted": "--", "search": ":"}
_WRONG = "#b00020"


def comparison_figure(comparison: Comparison, title: str) -> Figure:
    """Draw a curve for each tool and method; time-outs lie on their limit, wrong answers are crossed out."""
    from matplotlib.ticker import MaxNLocator

    from taut.support.pictures.charts import lines, note, powers_of_ten
    from taut.support.pictures.style import COLORS, legend_below, one_panel

    of_tool = dict(zip(TOOLS, itertools.cycle(COLORS), strict=False))
    figure, axes = one_panel(7.2, 4.6)
    series: dict[str, tuple[list[float], list[float]]] = {}
    colors, dashes = {}, {}
    for record in comparison.records:
        if record["status"] in ("answer", "interval"):
            name = f"{record['tool']}, {record['method']}"
            xs, ys = series.setdefault(name, ([], []))
            xs.append(float(record["n"]))
            ys.append(_cost(record))
            colors[name], dashes[name] = of_tool[record["tool"]], _DASHES[record["method"]]
    if series:
        y = "CPU seconds of the tool, logarithmic"
        lines(axes, series, title=title, x="n", y=y, log=True, colors=colors, dashes=dashes, legend=False)
    late = [record for record in comparison.records if record["status"] == "time-out"]
    for record in late:
        color = of_tool[record["tool"]]
        axes.plot([record["n"]], [record["seconds"]], "v", color=color, markerfacecolor="none", markersize=8)
        note(axes, "time-out", (record["n"], _cost(record)), (0, 6), ha="center", fontsize=8)
    for record in comparison.wrong:
        axes.plot([record["n"]], [_cost(record)], "x", color=_WRONG, markersize=12, markeredgewidth=2)
        note(axes, "wrong", (record["n"], _cost(record)), (8, -3), color=_WRONG, fontsize=8)
    every = [y for _, ys in series.values() for y in ys] + [float(record["seconds"]) for record in late]
    if every:
        axes.set_yscale("log")
        powers_of_ten(axes, math.floor(math.log10(min(every))), math.ceil(math.log10(max(every) * 1.5)))
    sizes = [record["n"] for record in comparison.records]
    if sizes:
        axes.set_xlim(min(sizes) - 0.5, max(sizes) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_below(figure, axes, min(4, max(1, len(series))))
    return figure


def _cost(record: Record) -> float:
    """Return the CPU seconds of the tool itself; of one that was stopped, its limit."""
    return max(float(record["cpu_seconds" if "cpu_seconds" in record else "seconds"]), 1e-4)
