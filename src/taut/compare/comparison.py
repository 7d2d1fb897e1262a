"""Comparisons: cells that are measured once, kept as JSON lines, judged against the exact answer and tabulated."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.compare.measurement import Cell, run_cell
from taut.errors import InvalidInput
from taut.peers import missing
from taut.reports.files import write_file
from taut.reports.tables import Table

__all__ = ["Comparison", "Lines", "compare"]

Record = dict[str, Any]
_CLOSE = Fraction(1, 10**25)
"""Weights with exp are given to other tools with forty decimals; so much their answers may then be off, relatively."""


@dataclass
class Comparison:
    """Records, one for each cell that was measured, and the tools that were not there with how to get them."""

    records: list[Record] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def verdict(self, record: Record) -> str:
        """'exact' where the answer is that of taut, 'wrong' where it is not; why there is none, else."""
        if record["status"] != "answer":
            return str(record["status"])
        truth = self._truth(record)
        if truth is None:
            return "unchecked"
        return "exact" if _same(record, truth) else "wrong"

    @property
    def wrong(self) -> list[Record]:
        return [record for record in self.records if self.verdict(record) == "wrong"]

    def table(self, title: str) -> Table:
        rows = []
        for record in self.records:
            given = record.get("answer", "")
            shown = given if len(given) <= 24 else f"{float(Fraction(given)):.12g}"
            sizes = ", ".join(f"{size:,} {name}" for name, size in record.get("sizes", {}).items())
            cells = (str(record["n"]), record["tool"], record["method"], shown, self.verdict(record))
            times = (_seconds(record.get("seconds")), _seconds(record.get("cpu_seconds")))
            memory = "" if record.get("megabytes") is None else f"{record['megabytes']:.0f}"
            runs = "" if record.get("runs") is None else f"{record['runs']:,}"
            rows.append((*cells, *times, memory, runs, sizes))
        headings = ("n", "tool", "method", "e^eps", "verdict", "seconds", "CPU s", "MB", "runs", "largest model")
        return Table("comparison", title, headings, tuple(rows), (1, 2, 4, 9))

    def short_rows(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of a table that fits on a narrow terminal."""
        full = self.table("")
        rows = []
        for row, record in zip(full.rows, self.records, strict=True):
            sizes = record.get("sizes", {})
            size = next((f"{sizes[name]:,} {name}" for name in ("nodes", "states") if name in sizes), "")
            rows.append((*row[:6], row[7], size))
        return (*full.headings[:6], full.headings[7], "size"), rows

    def to_csv(self) -> str:
        """All that was measured, one line a cell."""
        names = ("mechanism", "relation", "n", "tool", "method", "status", "answer")
        more = ("seconds", "cpu_seconds", "megabytes", "runs", "build_seconds", "check_seconds", "limit", "why")
        sizes = ("nodes", "states", "transitions")
        rows = []
        for record in self.records:
            row = [str(record.get(name, "")) for name in names] + [self.verdict(record)]
            row += ["" if record.get(name) is None else str(record[name]) for name in more]
            rows.append((*row, *[str(record.get("sizes", {}).get(name, "")) for name in sizes]))
        return Table("comparison", "", (*names, "verdict", *more, *sizes), tuple(rows)).csv

    def to_dict(self) -> dict[str, Any]:
        cells = [{**record, "verdict": self.verdict(record)} for record in self.records]
        return {"cells": cells, "missing": self.missing}

    def _truth(self, record: Record) -> Record | None:
        """What taut answers to the same question: over all inputs, if it was asked so."""
        same = [
            other
            for other in self.records
            if other["tool"] == "taut"
            and other["status"] == "answer"
            and all(other[key] == record[key] for key in ("n", "mechanism", "relation"))
        ]
        return next((other for other in same if other["method"] == "exhaustive"), same[0] if same else None)


class Lines:
    """A file of JSON lines, one for each cell; what is in it is not measured again."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[tuple[Any, ...], Record] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def find(self, cell: Cell, limit: float) -> Record | None:
        """An earlier record; a time-out only counts if it had as much time."""
        found = self.known.get(cell.key)
        timed_out = found is not None and found["status"] == "time-out"
        return None if found is None or (timed_out and found["limit"] < limit) else found

    def add(self, record: Record) -> None:
        """Write a record at once, in one piece, so that a later run can go on from here."""
        self.known[_key(record)] = record
        if self.path is not None:
            with self.path.open("ab", buffering=0) as file:
                file.write(json.dumps(record).encode() + b"\n")

    def _read(self, path: Path) -> None:
        try:
            content = path.read_bytes()
        except OSError as problem:
            raise InvalidInput(f"cannot read '{path}': {problem.strerror or problem}.", value=str(path)) from None
        whole, _, rest = content.rpartition(b"\n")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                self.known[_key(record)] = record
            except (ValueError, KeyError, TypeError):
                raise InvalidInput(
                    f"{path}:{number} is no line of a comparison; give --out another file.", value=str(path)
                ) from None
        if rest:  # the last line was cut off
            write_file(path, whole + b"\n" if whole else b"")


def compare(
    cells: Sequence[Cell], limit: float, lines: Lines, step: Callable[[str], None], into: Comparison | None = None
) -> Comparison:
    """Measure all cells that are not in the lines yet, one after the other; ``into`` grows as they come."""
    found = Comparison() if into is None else into
    for tool in dict.fromkeys(cell.tool for cell in cells if cell.tool != "taut"):
        why = missing(tool)
        if why is not None:
            found.missing[tool] = why
    for cell in cells:
        step(cell.words)
        if cell.tool in found.missing:
            continue
        record = lines.find(cell, limit)
        if record is None:
            record = run_cell(cell, limit)
            lines.add(record)
        found.records.append(record)
    return found


def _key(record: Record) -> tuple[Any, ...]:
    names = ("n", "tool", "method", "neighbors")
    return (record["target"], tuple(record["settings"]), *[record[name] for name in names])


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


def _seconds(seconds: Any) -> str:
    return "" if seconds is None else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"
