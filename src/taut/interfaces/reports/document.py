"""The report on a mechanism: every answer with its worst case, its method, and the commands to repeat it."""

from __future__ import annotations

import datetime
import functools
import html
import inspect
import platform
import re
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.interfaces.queries.literals import parse_value
from taut.interfaces.queries.query import Query
from taut.interfaces.reports import text
from taut.interfaces.reports.checks import checked_claims, verified
from taut.interfaces.reports.page import Section, code, facts, figure, folded, items, page, paragraph, table
from taut.model import DiceMechanism, Model
from taut.neighbors import Neighbors
from taut.program.domains import Domain
from taut.questions.bound import Bound
from taut.questions.claimed import runs_of
from taut.questions.drawn import Drawn
from taut.questions.field import literal
from taut.questions.question import Question, QuestionSection
from taut.questions.registry import registered
from taut.questions.rows import METHOD_ROWS, count_text, plural
from taut.support.errors import TautError
from taut.support.exact import INFINITY, fraction_of_text
from taut.support.interruption import guarded
from taut.support.limits import grace, remaining
from taut.support.options import options
from taut.support.package import __version__
from taut.support.pictures.style import compact, embedded, inline_svg
from taut.verification.claims import claims_of
from taut.verification.origin import sources_of

__all__ = ["FAULT", "Report", "write_report"]

FAULT = "this is a fault in taut"

_SMALL_DIAGRAM = 120
_RANGE, _EPSILONS, _DRAWN_EPSILON, _MOST_FREE = "0.01..0.99", ("0.5", "1", "2"), "1", 2
"""Of the calibration section: range of a parameter, epsilons, the epsilon drawn, the most parameters tried."""
_FOR_SECTIONS = 0.8
"""Share of the time for sections; the rest is for their overruns and for assembling the page."""
_LEAST = 0.5
"""Seconds that every section has, also where pictures of earlier ones, which no limit stops, took all that was left."""

_LATE = "a limit was passed before this section was written."


@dataclass(frozen=True)
class Report:
    """A report as a file, and what could not be answered in it: the section, and why."""

    html: str
    unanswered: tuple[tuple[str, str], ...]


@dataclass
class _Work:
    """State shared by the sections of a report."""

    query: Query
    model: Model
    relation: Neighbors
    accuracy: Question[Any] | None
    command: Sequence[str]
    runs: int = 1
    cards: list[tuple[str, str, bool]] = field(default_factory=list)
    """The cards at the top: a value, its label, and True if it is good news."""
    unanswered: list[tuple[str, str]] = field(default_factory=list)


def write_report(
    query: Query,
    neighbors: Any,
    accuracy: Question[Any] | None,
    command: Sequence[str],
    runs: int = 1,
    keep: Callable[[Report], None] | None = None,
) -> Report:
    """Ask all questions about a mechanism; each section has a share of the remaining time, at least half a second.

    Parameters:
        query, neighbors: the mechanism with its arguments, and which of its inputs are neighbours.
        accuracy: the question about a target; None leaves those questions out.
        command: the command line that asked for the report, shown so that it can be repeated.
        runs: a number of runs that the section about several runs is to have, besides the usual ones.
        keep: called before every section with the report as it would be if none followed, for a process that may be
            ended.

    Raises:
        TautError: the mechanism cannot be read, or the relation makes no sense; errors of a single section are
            shown in it.
    """
    model = query.model()
    work = _Work(query, model, model.neighbors(neighbors), accuracy, command, runs_of(runs, "report"))
    asked: list[tuple[str, Callable[[_Work], str], float]] = [
        ("Mechanism", _mechanism, 0.1),
        *[
            (section.title, functools.partial(_answered, section), section.weight)
            for kind in registered().values()
            for section in kind.sections()
            if accuracy is not None or not kind.about_target
        ],
        *([("Calibration", _calibration, 1.0)] if _free(query) else []),
        *([("Claims", _claims, 1.0)] if claims_of(query.mechanism) else []),
        ("Symmetries", _symmetries, 0.7),
        ("Diagram", _diagram, 0.5),
        ("Replay", _replay, 0.1),
    ]
    sections: list[Section] = []
    for place, (name, write, weight) in enumerate(asked):
        if keep is not None:
            late = [one for one, _, _ in asked[place:]]
            missing = [Section(one, paragraph(f"Not answered: {_LATE}", "note"), None) for one in late]
            told = (*work.unanswered, *[(one, _LATE) for one in late])
            keep(Report(page(query.label, _lead(work), [*sections, *missing]), told))
        start = time.perf_counter()
        left = _FOR_SECTIONS * remaining()
        whole = sum(later for _, _, later in asked[place:])
        share = None if left == INFINITY else max(left * weight / whole, _LEAST)
        try:
            with grace(_LEAST), options(time_limit=share):
                body = guarded(functools.partial(write, work))
        except Exception as problem:  # what goes wrong in one section costs nobody the others
            why = str(problem) if isinstance(problem, TautError) else f"{FAULT}: {type(problem).__name__}: {problem}"
            work.unanswered.append((name, why))
            body = paragraph(f"Not answered: {why}", "note")
        untimed = write in (_mechanism, _replay) or name in dict(work.unanswered)
        took = None if untimed else time.perf_counter() - start
        sections.append(Section(name, body, took))
    return Report(page(query.label, _lead(work), sections), tuple(work.unanswered))


def _lead(work: _Work) -> str:
    cards = "".join(
        f'<div class="card{"" if good else " bad"}"><b>{html.escape(value)}</b><span>{html.escape(what)}</span></div>'
        for value, what, good in work.cards
    )
    made = f"taut {__version__}, {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC"
    return f'<p class="kind">{html.escape(made)}</p><div class="cards">{cards}</div>'


def _mechanism(work: _Work) -> str:
    query = work.query
    domains = {name: value for name, value in query.arguments.items() if isinstance(value, Domain)}
    coins = work.model.program.coins
    rows = [
        *[(name, f"{value}: {count_text(value.size)} databases") for name, value in domains.items()],
        *[(name, str(value)) for name, value in query.to_dict()["arguments"].items()],
        *[(name, f"{value}, its default") for name, value in _defaults(query).items()],
        ("neighbours", f"{work.relation.name}: {_first_sentence(work.relation)}"),
        ("random draws", f"{len(coins)} {plural('coin', len(coins))}"),
        ("reading", str(work.model.validation)),
    ]
    texts = _sources(query)
    first, *rest = texts.items()
    used = "".join(f"<h3>{html.escape(name)}</h3>{code(source)}" for name, source in rest)
    return facts(rows, answer=False) + code(first[1]) + (folded("What it uses", used) if rest else "")


def _sources(query: Query) -> dict[str, str]:
    if query.entry is not None:
        return {query.name: query.entry.source}
    if isinstance(query.mechanism, DiceMechanism):
        return {query.name: query.mechanism.file.source.text}
    return sources_of(query.mechanism.function)


def _defaults(query: Query) -> dict[str, Any]:
    """Return the parameters that were not given and have numbers or words for defaults."""
    parameters = inspect.signature(query.mechanism.function).parameters.values()
    left = {one.name: one.default for one in parameters if one.name not in query.arguments}
    return {name: value for name, value in left.items() if isinstance(value, (bool, int, float, str, Fraction))}


def _first_sentence(relation: Neighbors) -> str:
    words = " ".join((type(relation).__doc__ or "").split()).partition(". ")[0].rstrip(".")
    return words.replace("``", "")


def _answered(section: QuestionSection, work: _Work) -> str:
    """Write the section of a question: one answer with its picture and how it was found, or several in a table."""
    kind, name = section.kind, re.sub(r"\W+", "-", section.title.lower())
    questions = [work.accuracy] if work.accuracy is not None and kind.about_target else list(section.questions)
    how: dict[str, Any] = {} if kind.about_target else {"neighbors": work.relation}
    if work.runs not in (counts := [getattr(one, "compose", 1) for one in questions]) and max(counts) > 1:
        last: Any = questions[-1]
        questions.append(replace(last, compose=work.runs))
    if len(questions) > 1:
        named, missing = _each(work.model, questions, how)
        alone = {name: bound for name, bound in named.items() if bound.question.replayable(bound) is bound}
        said = items(f"{name}: {_said(bound)}" for name, bound in alone.items())
        compared = kind.compared(work.query.label, list(named.values()))
        drawn = _drawn(kind.drawn(named), name)
        return table(compared.headings, compared.rows) + missing + drawn + folded("Verified", said)
    (question,) = questions
    bound = work.model.ask(question, **how, progress=True)
    card = question.card(bound)
    if card is not None:
        work.cards.append((*card, question.good(bound)))
    return _shown(question, bound, name)


def _each(model: Model, questions: Sequence[Question[Any]], how: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the answers to several questions by name, and a note on those that are not answered; one is."""
    named: dict[str, Any] = {}
    problems: list[tuple[str, TautError]] = []
    for question in questions:
        try:
            named[question.short] = model.ask(question, **how)
        except TautError as problem:
            problems.append((question.short, problem))
    if not named:
        raise problems[0][1]
    return named, "".join(paragraph(f"{name} is not answered: {problem}", "note") for name, problem in problems)


def _claims(work: _Work) -> str:
    found = checked_claims(work.query)
    work.cards.append((found.count, found.label, found.good))
    return table(found.headings, found.rows) + (items(found.sentences) if found.sentences else "")


def _free(query: Query) -> list[str]:
    """Return the parameters that are numbers between 0 and 1, which a calibration can choose."""
    given = {**_defaults(query), **query.arguments}
    numbers = {name: fraction_of_text(str(value)) for name, value in given.items() if not isinstance(value, bool)}
    return [name for name, value in numbers.items() if value is not None and 0 < value < 1][:_MOST_FREE]


def _calibration(work: _Work) -> str:
    """Write the values of each parameter, with the others fixed, for which the mechanism has a small epsilon."""
    rows, pictures = [], []
    for name in _free(work.query):
        model = work.query.with_value(name, parse_value(_RANGE, name)).parametric_model()
        for limit in _EPSILONS:
            found = model.calibrate(epsilon=limit, neighbors=work.relation)
            where = " or ".join(interval.text(name) for interval in found.intervals) or "no value"
            best = "" if found.best is None else f"{name} = {found.best}"
            rows.append([" and ".join(found.texts), where, best, "proved" if found.exact else "by bisection"])
            if limit == _DRAWN_EPSILON:
                pictures.append(_drawn(found, f"calibration-{name}"))
    words = f"Values from {_RANGE.replace('..', ' to ')} were looked at; all other parameters are as above."
    return paragraph(words) + table(["wanted", "values", "take", ""], rows) + "".join(pictures)


def _symmetries(work: _Work) -> str:
    group = work.model.symmetries()
    return paragraph(f"Found and verified by {group.method}.") + _drawn(group, "symmetries")


def _diagram(work: _Work) -> str:
    size = work.model.size
    if size > _SMALL_DIAGRAM:
        return paragraph(f"{count_text(size)} nodes, too many to read on a page; 'taut draw' draws up to 400.")
    drawn = work.model.draw()
    assert drawn is not None
    return paragraph(f"{size} nodes.") + figure(embedded(drawn.svg, "diagram", 760))


def _replay(work: _Work) -> str:
    versions = {"taut": __version__, "Python": platform.python_version(), "system": platform.system()}
    shell = "taut " + " ".join(shlex.quote(word) for word in work.command)
    return (
        paragraph("The same report again, on the command line:")
        + code(shell)
        + paragraph("The same numbers in Python:")
        + code(_python(work))
        + facts(list(versions.items()), answer=False)
    )


def _python(work: _Work) -> str:
    """Return the questions of the report as a program."""
    query = work.query
    name = str(query.mechanism.function.__name__)
    lines = ["import taut", "from taut import bits, categories, category, integer, ints"]
    if query.entry is not None:
        lines.append(f"from taut.mechanisms import {name}")
        call = name
    elif isinstance(query.mechanism, DiceMechanism):
        lines.append("from taut.model import load_dice")
        call = f"load_dice({query.name!r})"
    else:
        path, _, _ = query.name.rpartition(":")
        lines.append(f"from {Path(path).stem} import {name}  # in the folder of {Path(path).name}")
        call = f"taut.mechanism({name})" if _is_plain(query) else name
    arguments = ", ".join(f"{key}={literal(value)}" for key, value in query.arguments.items())
    lines += ["", f"model = {call}({arguments})"]
    relation = literal(work.relation.name) if work.relation.name.isidentifier() else "..."
    for kind in registered().values():
        asked = [] if kind.about_target else [one for section in kind.sections() for one in section.questions]
        lines += [line for one in asked for line in one.program([f"neighbors={relation}"])]
    if work.accuracy is not None and all(_has_name(value) for value in work.accuracy.given.values()):
        lines += work.accuracy.program()
    return "\n".join(lines)


def _has_name(value: Any) -> bool:
    """Return whether a value can be written down: no function but those that Python has."""
    return not callable(value) or getattr(value, "__module__", "") == "builtins"


def _is_plain(query: Query) -> bool:
    """Return True if the file has a plain function, which was made a mechanism when it was read."""
    function = query.mechanism.function
    return function.__globals__.get(function.__name__) is function


# ------------------------------------------------------------------------------------------------- parts of sections


def _shown(question: Question[Any], bound: Any, name: str) -> str:
    """Write one answer: the number and its worst case, the picture, the verification; folded, how it was found."""
    rows = question.rows(bound)
    answer = [row for row in rows if row[0] not in METHOD_ROWS]
    found = [row for row in rows if row[0] in METHOD_ROWS]
    try:
        drawn = _drawn(bound, name)
    except TautError as problem:
        drawn = paragraph(f"There is no picture: {problem}", "note")
    except Exception as problem:  # the numbers stand without it
        drawn = paragraph(f"There is no picture; {FAULT}: {type(problem).__name__}: {problem}", "note")
    how = folded("How it was found", facts(found, answer=False) + code(bound.explain()))
    return facts(answer, question.good(bound)) + drawn + paragraph(_said(bound)) + how


def _drawn(result: Drawn, name: str) -> str:
    return figure(inline_svg(compact(result._figure(None)), name, scale=1.25))


def _said(bound: Bound) -> str:
    check = verified(bound)
    said = text.verification_text(check.outcome, check.reason, check.seconds)
    how = "" if check.outcome is None else ": the witness was replayed without any diagram"
    return f"{said[0].upper()}{said[1:]}{how}."
