"""The page of a record: figures of documents, tools side by side, growth with pictures, and every case."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, figures_of_documents
from benchmarks.fits import Curve, curves

__all__ = ["page", "picture_of", "write_page"]

Record = Mapping[str, Any]
_SAID = """\
Made by `{}`. CPU seconds are user and system seconds of a fresh process and all that it started, the
least of its runs, without start-up (loading modules), which has a column of its own. MB is the peak memory of the
process. The machines are noisy: compare figures of one run, and see the spread.
"""
_FITTED = """\
Fitted by least squares on logarithms to the sizes that took 0.02 s or more; the error is the standard error.
"""


def write_page(content: Mapping[str, Any], path: Path) -> None:
    """Write the page, and its pictures into the folder ``pictures`` beside it."""
    pictures = path.parent / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for old in pictures.glob("*.svg"):
        old.unlink()
    for curve in curves(content["records"]):
        (pictures / f"{_slug(curve.family)}.svg").write_bytes(picture_of(curve))
    path.write_text(page(content, figures_of_documents()), encoding="utf-8")


def page(content: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The text of the page, in Markdown; it links to pictures beside it."""
    records: list[Record] = content["records"]
    parts = [
        "# Measured\n",
        _SAID.format(_command(content.get("arguments", []))),
        _table(("", ""), content["facts"].items()),
        _wrong(records),
        "## The figures of the documents\n",
        _claims(records, figures),
        "## Other tools, in the same run\n",
        _tools(records),
        "## Growth\n",
        _growth(records),
        "## All cases\n",
        *_suites(records),
    ]
    return "\n".join(part for part in parts if part)


def _command(arguments: Sequence[str]) -> str:
    """The command that made a record, without where it was written to."""
    words = list(arguments)
    for option in ("--out", "--page"):
        if option in words:
            place = words.index(option)
            del words[place : place + 2]
    return " ".join(["python benchmarks/run.py", *words]) if words else "make bench"


def picture_of(curve: Curve) -> bytes:
    """Seconds against size as an SVG file, with the fitted line."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    from taut.support.pictures.charts import lines, powers_of_ten
    from taut.support.pictures.style import one_panel, picture

    figure, axes = one_panel(5.6, 3.6)
    series = {"measured": (list(curve.sizes), list(curve.seconds))}
    if curve.fit is not None:
        series[str(curve.fit)] = (list(curve.sizes), [curve.fit.at(size) for size in curve.sizes])
    lines(axes, series, title=curve.family, x="size", y="CPU seconds", log=True, hollow=list(series)[1:])
    if curve.fit is None or curve.fit.kind == "power":
        axes.set_xscale("log")
        axes.set_xlim(min(curve.sizes) / 1.2, max(curve.sizes) * 1.2)
    shown = [max(second, 1e-3) for _, seconds in series.values() for second in seconds]
    powers_of_ten(axes, math.floor(math.log10(min(shown))), math.ceil(math.log10(1.2 * max(shown))))
    axes.xaxis.set_major_locator(FixedLocator(list(curve.sizes)))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{size:g}" for size in curve.sizes]))
    axes.xaxis.set_minor_locator(NullLocator())
    return picture(figure, ".svg")


def _claims(records: Iterable[Record], figures: Iterable[Figure]) -> str:
    known = {record["name"]: record for record in records}
    rows = []
    for figure in figures:
        record = known.get(figure.case)
        now, ratio = "not run", ""
        if record is not None and "cpu_seconds" in record and record["status"] == "answer":
            now = _seconds(record["cpu_seconds"])
            ratio = f"{record['cpu_seconds'] / float(figure.claim):.2f}" if float(figure.claim) else ""
        elif record is not None:
            now = f"{record['status']}: {record.get('why', '')}"
        rows.append((f"{figure.document}:{figure.line}", figure.claim, f"`{figure.case}`", now, ratio))
    return _table(("document", "says", "case", "now", "now / says"), rows)


def _tools(records: Iterable[Record]) -> str:
    questions: dict[str, list[Record]] = {}
    for record in records:
        if record.get("question"):
            questions.setdefault(record["question"], []).append(record)
    rows = [
        (question if not place else "", member["tool"], *_cells(member), _told(member))
        for question, members in questions.items()
        if len(members) > 1
        for place, member in enumerate(members)
    ]
    return _table(("question", "tool", "CPU s", "start-up", "MB", "answer"), rows)


def _growth(records: Iterable[Record]) -> str:
    found = curves(records)
    rows = []
    for curve in found:
        sizes = ", ".join(f"{size:g}" for size in curve.sizes)
        seconds = ", ".join(_seconds(second) for second in curve.seconds)
        memory = ", ".join(f"{one:.0f}" for one in curve.megabytes)
        fitted = "too fast to tell" if curve.fit is None else f"{curve.fit}, {curve.fit.points} points"
        rows.append((curve.family, curve.tool, sizes, seconds, memory, fitted))
    table = _table(("family", "tool", "sizes", "CPU s", "MB", "CPU s grow as"), rows)
    shown = "\n".join(f"![{curve.family}](pictures/{_slug(curve.family)}.svg)\n" for curve in found)
    return f"{_FITTED}\n{table}\n{shown}"


def _suites(records: Iterable[Record]) -> list[str]:
    suites: dict[str, list[tuple[str, ...]]] = {}
    for record in records:
        spread = ""
        if len(record.get("cpu_seconds_of_runs", ())) > 1:
            least, most = min(record["cpu_seconds_of_runs"]), max(record["cpu_seconds_of_runs"])
            spread = f"{100 * (most / least - 1):.0f}%" if least else ""
        row = (f"`{record['name']}`", *_cells(record), str(record.get("runs", "")), spread, _told(record))
        suites.setdefault(record["suite"], []).append(row)
    headings = ("case", "CPU s", "start-up", "MB", "runs", "spread", "answer")
    return [f"### {suite}\n\n{_table(headings, rows)}" for suite, rows in suites.items()]


def _wrong(records: Iterable[Record]) -> str:
    bad = [record for record in records if record["status"] not in ("answer", "missing")]
    absent = sorted({record["why"] for record in records if record["status"] == "missing"})
    said = [f"- **{record['status']}**: `{record['name']}`, {record.get('why', '')}\n" for record in bad]
    said += [f"- left out: {why}\n" for why in absent]
    return "".join(said)


def _cells(record: Record) -> tuple[str, str, str]:
    if "cpu_seconds" not in record:
        return "", "", ""
    return _seconds(record["cpu_seconds"]), _seconds(record["startup_seconds"]), f"{record['megabytes']:.0f}"


def _told(record: Record) -> str:
    if record["status"] != "answer":
        return f"**{record['status']}**: {record.get('why', '')}"
    answer = str(record["answer"])
    return answer if len(answer) <= 60 else answer[:57] + "..."


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}" if seconds < 10 else f"{seconds:.1f}"


def _table(headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    lines += ["| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower()).strip("_")
