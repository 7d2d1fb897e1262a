"""The report on a mechanism: every answer with its worst case, how it was found, and how to find it again."""

from __future__ import annotations

import datetime
import html
import platform
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut._version import __version__
from taut.claims import claims_of
from taut.domains import Domain
from taut.errors import InvalidInput, TautError
from taut.limits import remaining
from taut.model import DiceMechanism, Model
from taut.model.origin import sources_of
from taut.neighbors import Neighbors
from taut.numbers import INFINITY, large
from taut.options import options
from taut.pictures import embedded, inline_svg
from taut.queries.query import Query
from taut.queries.questions import ask_accuracy, ask_privacy
from taut.reports import measures, text
from taut.reports.page import Section, code, facts, figure, folded, items, page, paragraph, table
from taut.reports.verified import verified
from taut.results import Bound
from taut.results.several import SeveralBounds
from taut.results.text import brief_interval

__all__ = ["Goal", "Report", "write_report"]

_ORDERS = (2, 4, 8)
_SMALL_DIAGRAM = 120


@dataclass(frozen=True)
class Goal:
    """What the output is to be close to: a target and a distance with their names, and how far is still close."""

    alpha: Any
    target: Any
    distance: Any
    target_name: str
    distance_name: str


@dataclass(frozen=True)
class Report:
    """A report as a file, and what could not be answered in it: the section, and why."""

    html: str
    unanswered: tuple[tuple[str, str], ...]


@dataclass
class _Work:
    """What the sections share."""

    query: Query
    model: Model
    relation: Neighbors
    goal: Goal | None
    command: Sequence[str]
    cards: list[tuple[str, str, bool]] = field(default_factory=list)
    """What is said at the top: a value, what it is, and whether it is good news."""
    unanswered: list[tuple[str, str]] = field(default_factory=list)


def write_report(query: Query, neighbors: Any, goal: Goal | None, command: Sequence[str]) -> Report:
    """Ask everything about a mechanism; each section has a share of the time that is left.

    Parameters
    ----------
    query, neighbors
        The mechanism with its arguments, and which of its inputs are neighbours.
    goal
        What accuracy is measured by; None leaves accuracy out.
    command
        The words by which the report was asked for, to be asked again.

    Raises
    ------
    TautError
        The mechanism cannot be read, or the relation makes no sense; what only one section cannot answer stands there.
    """
    model = query.model()
    work = _Work(query, model, model.neighbors(neighbors), goal, command)
    asked: list[tuple[str, Callable[[_Work], str], float]] = [
        ("Mechanism", _mechanism, 0.1),
        ("Privacy", _privacy, 3),
        ("Profile", _profile, 2),
        ("Rényi divergence", _renyi, 2),
        ("Trade-off", _tradeoff, 1.5),
        *([("Accuracy", _accuracy, 2.0)] if goal is not None else []),
        *([("Claims", _claims, 1.0)] if claims_of(query.mechanism) else []),
        ("Symmetries", _symmetries, 1.5),
        ("Diagram", _diagram, 0.5),
        ("Replay", _replay, 0.1),
    ]
    sections = []
    for place, (name, write, weight) in enumerate(asked):
        start = time.perf_counter()
        left = remaining()
        whole = sum(later for _, _, later in asked[place:])
        share = None if left == INFINITY else max(left * weight / whole, 0.5)
        try:
            with options(time_limit=share):
                body = write(work)
        except TautError as problem:
            work.unanswered.append((name, str(problem)))
            body = paragraph(f"Not answered: {problem}", "note")
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
        *[(name, f"{value}: {large(value.size)} databases") for name, value in domains.items()],
        *[(name, str(value)) for name, value in query.to_dict()["arguments"].items()],
        ("neighbours", f"{work.relation.name}: {_first_sentence(work.relation)}"),
        ("random draws", f"{len(coins)} {text.plural('coin', len(coins))}"),
        ("reading", str(work.model.validation)),
    ]
    texts = _sources(query)
    first, *rest = texts.items()
    used = "".join(f"<h3>{html.escape(name)}</h3>{code(source)}" for name, source in rest)
    return facts(rows) + code(first[1]) + (folded("What it uses", used) if rest else "")


def _sources(query: Query) -> dict[str, str]:
    if query.entry is not None:
        return {query.name: query.entry.source}
    if isinstance(query.mechanism, DiceMechanism):
        return {query.name: query.mechanism.file.source.text}
    return sources_of(query.mechanism.function)


def _first_sentence(relation: Neighbors) -> str:
    words = " ".join((type(relation).__doc__ or "").split()).partition(". ")[0].rstrip(".")
    return words.replace("``", "")


def _privacy(work: _Work) -> str:
    bound = ask_privacy(work.query, work.relation, model=work.model, progress=True)
    good = bound.max_ratio != INFINITY
    epsilon = "infinite" if not good else f"{bound.epsilon:.6g}"
    equals = "=" if bound.complete else "at most"
    name = f"e^eps, epsilon {equals} {epsilon}, {bound.neighbors} neighbours"
    work.cards.append((brief_interval(bound.lower, bound.upper).removeprefix("= "), name, good))
    return facts(text.privacy_rows(bound), good) + _rest(bound, "privacy")


def _profile(work: _Work) -> str:
    profile = work.model.profile(work.relation, progress=True)
    return facts(measures.profile_rows(profile, profile.neighbors)) + _rest(profile, "profile")


def _renyi(work: _Work) -> str:
    bounds = [work.model.renyi(order, work.relation) for order in _ORDERS]
    found: list[Any] = [*bounds, work.model.zcdp(work.relation)]
    names = [*[f"order {order}" for order in _ORDERS], "zCDP"]
    said = items(f"{name}: {_said(bound)}" for name, bound in zip(names, found, strict=True))
    drawn = figure(inline_svg(SeveralBounds(dict(zip(names, found, strict=True)))._figure(None), "renyi"))
    return table(*measures.renyi_rows(found)) + drawn + folded("Verified", said)


def _tradeoff(work: _Work) -> str:
    curve = work.model.tradeoff(work.relation)
    return facts(measures.tradeoff_rows(curve)) + _rest(curve, "tradeoff")


def _accuracy(work: _Work) -> str:
    goal = work.goal
    assert goal is not None
    bound = ask_accuracy(work.query, goal.target, goal.alpha, goal.distance, model=work.model, progress=True)
    name = f"1-beta: within {goal.alpha} of the target {goal.target_name}"
    work.cards.append((brief_interval(bound.lower, bound.upper).removeprefix("= "), name, True))
    return facts(text.accuracy_rows(bound, goal.target_name)) + _rest(bound, "accuracy")


def _claims(work: _Work) -> str:
    rows, words = [], []
    for claim in claims_of(work.query.mechanism):
        try:
            verdict = claim.check(work.query.mechanism, work.query.arguments)
        except TautError as problem:
            rows.append(["error", claim.words, str(problem)])
            continue
        rows += [[part.status, part.claim, part.found] for part in verdict.parts]
        words += [str(part) for part in verdict.parts if not part.holds]
    bad = sum(status != "holds" for status, *_ in rows)
    name = f"{text.plural('claim', len(rows))} that {'holds' if len(rows) == 1 else 'hold'}"
    work.cards.append((f"{len(rows) - bad} of {len(rows)}", name, not bad))
    return table(["verdict", "claim", "exact"], rows) + (items(words) if words else "")


def _symmetries(work: _Work) -> str:
    group = work.model.symmetries()
    return paragraph(f"Found and verified by {group.method}.") + figure(inline_svg(group._figure(None), "symmetries"))


def _diagram(work: _Work) -> str:
    size = work.model.size
    if size > _SMALL_DIAGRAM:
        raise InvalidInput(f"the diagram has {size} nodes, too many to read on a page; 'taut draw' draws up to 400.")
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
        + facts(list(versions.items()))
    )


def _python(work: _Work) -> str:
    """The questions of the report as a program."""
    query = work.query
    name = str(query.mechanism.function.__name__)
    lines = ["import taut", "from taut import bits, categories, integer, ints"]
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
    arguments = ", ".join(f"{key}={_literal(value)}" for key, value in query.arguments.items())
    lines += ["", f"model = {call}({arguments})"]
    relation = repr(work.relation.name) if work.relation.name.isidentifier() else "..."
    lines += [f"print(model.{ask}({relation}))" for ask in ("privacy", "profile", "zcdp", "tradeoff")]
    lines += [f"print(model.renyi({order}, {relation}))" for order in _ORDERS]
    if work.goal is not None and work.goal.target is sum and work.goal.distance is None:
        lines.append(f"print(model.accuracy(sum, {_literal(work.goal.alpha)}))")
    return "\n".join(lines)


def _is_plain(query: Query) -> bool:
    """Whether the file has a plain function, which was made a mechanism when it was read."""
    function = query.mechanism.function
    return function.__globals__.get(function.__name__) is function


def _literal(value: Any) -> str:
    if isinstance(value, Domain):
        return str(value)
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else repr(str(value))
    return str(getattr(value, "__name__", repr(value))) if callable(value) else repr(value)


# ------------------------------------------------------------------------------------------------- parts of sections


def _rest(bound: Bound, name: str) -> str:
    """The picture of a bound, whether its witness was verified, and how it was found."""
    try:
        drawn = figure(inline_svg(bound._figure(None), name))
    except TautError as problem:
        drawn = paragraph(f"There is no picture: {problem}", "note")
    found = folded("How it was found", code(bound.explain()))
    return drawn + paragraph(_said(bound)) + found


def _said(bound: Bound) -> str:
    check = verified(bound)
    said = text.verification_text(check.outcome, check.reason, check.seconds)
    how = "" if check.outcome is None else ": the witness was replayed without any diagram"
    return f"{said[0].upper()}{said[1:]}{how}."
