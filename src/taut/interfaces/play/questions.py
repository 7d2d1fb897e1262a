"""Questions of the page, answered in the worker: each answer is a series of parts, plain data that a page can show.

The number comes first, then its picture, then the rest; the caller may stop after any part. Nothing here knows of
processes or of the page.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.interfaces.play.form import FREE_EPSILON, FREE_RANGE, FieldProblem, questions_of_form
from taut.interfaces.queries.literals import parse_value, read_input
from taut.interfaces.queries.query import Query
from taut.interfaces.reports import text
from taut.interfaces.reports.checks import checked_claims, verified
from taut.interfaces.reports.text import sentences
from taut.model import Model
from taut.neighbors import NAMED
from taut.parameters.model import ParametricModel
from taut.questions.bound import Bound, Interval
from taut.questions.drawn import Drawn
from taut.questions.question import Question, QuestionForm
from taut.questions.registry import question_forms, registered
from taut.questions.rows import Headline, plural
from taut.questions.text import outward, vector_text
from taut.support.errors import InvalidInput, InvalidNumber, OutOfTime, TautError, TooLarge
from taut.support.exact import INFINITY, Ball, decimal, exact_text, fraction_of_text, large
from taut.support.pictures.notebook import Picture
from taut.verification.claims import claims_of
from taut.verification.saved import load_result

__all__ = ["PageQuestion", "Part", "answer", "target_chosen"]

Part = dict[str, Any]
"""The content of one place of the page, which ``part`` names."""
_MOST_ROWS = 200
_MOST_BARS = 64
_SMALL_DIAGRAM = 120
_LONG = 40


@dataclass(frozen=True)
class PageQuestion:
    """A question about a model, with its options, the style of pictures, and a callback for the closing interval."""

    query: Query
    model: Model
    question: str
    options: Mapping[str, str]
    neighbors: str
    style: str
    tell: Callable[[Interval], None]
    keep: Callable[[str, Callable[[str], str]], None] = field(repr=False)
    """Registers a function that draws a picture again in another style."""

    @property
    def relation(self) -> Any:
        """The neighbour relation; the mechanism's own if that has no name."""
        return self.neighbors if self.neighbors in NAMED else self.query.neighbors

    def option(self, name: str) -> str:
        return self.options.get(name, "").strip()


def answer(asked: PageQuestion) -> Iterator[Part]:
    """Return the parts of an answer, the number first.

    Raises:
        FieldProblem: an option of the question cannot be read; its ``value`` is the option's name.
        TautError: there is no answer.
    """
    if asked.question in _OTHERS:
        return _OTHERS[asked.question](asked)
    forms = question_forms()
    if asked.question not in forms:
        names = ", ".join([*forms, *_OTHERS])
        raise InvalidInput(f"there is no question '{asked.question}'; there are {names}.")
    return _answered(forms[asked.question], asked)


def target_chosen(question: str, options: Mapping[str, str]) -> Question[Any] | None:
    """Return the question about a target that a form asks; None if it asks another one, or cannot be read."""
    form = question_forms().get(question)
    if form is None or not form.kind.about_target or not form.kind.weight:
        return None
    try:
        return questions_of_form(form, options)[0]
    except FieldProblem:
        return None


# ------------------------------------------------------------------------------------------------------ the questions


def _answered(form: QuestionForm, asked: PageQuestion) -> Iterator[Part]:
    """Answer a registered question; of several values the first is the number, and a table has all."""
    kind, questions = form.kind, questions_of_form(form, asked.options)
    how: dict[str, Any] = {} if kind.about_target else {"neighbors": asked.relation}
    bounds = [asked.model.ask(one, **how, progress=functools.partial(_told, asked, one)) for one in questions]
    question, bound = questions[0], bounds[0]
    output = getattr(getattr(bound, "witness", None), "y", None)
    yield {**_headline(question.headline(bound), bound), **({} if output is None else {"listed": _is_list(output)})}
    many = kind.listed_field()
    if many is not None:
        compared = kind.compared(asked.query.label, bounds)
        yield _table(many.each, many.each.capitalize(), compared.headings, compared.rows)
    for listed in question.tables(bound)[:1]:
        yield _table(kind.name, listed.title, listed.headings, listed.rows)
    yield _said(_sentences(bound))
    yield {"part": "facts", "rows": [list(row) for row in question.rows(bound)]}
    yield _picture(asked, "worst", question.picture_title(), lambda style: _drawn(bound, style))
    yield {"part": "how", "text": bound.explain()}
    if not bound.stats.get("stopped"):  # else it would take as long again
        for name in kind.beside:
            yield from _diagram_picture(asked) if name == "diagram" else _other_picture(registered()[name], asked)
    yield _checked(question.replayable(bound), bound)


def _told(asked: PageQuestion, question: Question[Any], now: Interval) -> None:
    asked.tell(question.certified(now))


def _is_list(output: Any) -> bool:
    return isinstance(output, tuple)


def _distribution(asked: PageQuestion) -> Iterator[Part]:
    given = asked.option("input")
    try:
        x = read_input(asked.model.program, given, "input") if given else _first(asked.model)
    except TautError as problem:
        raise FieldProblem(str(problem), value="input") from None
    chances = asked.model.distribution(x)
    (y, most), *_ = sorted(chances.items(), key=lambda pair: (-float(pair[1]), str(pair[0])))
    yield _value_headline(
        f"P(output = {vector_text(y)})", most, most, f"the likeliest output on {vector_text(x)}", True
    )
    names = [vector_text(y) for y in chances]
    rows = [[name, *_both(chance)] for name, chance in zip(names, chances.values(), strict=True)]
    if len(rows) <= _MOST_BARS:
        bars = [(name, float(chance)) for name, chance in zip(names, chances.values(), strict=True)]
        yield _picture(asked, "worst", f"The distribution on {vector_text(x)}", lambda style: _bars(bars, style))
    yield _table("distribution", "Outputs", ["output", "probability", "decimal"], rows)
    yield _said([f"On the input {vector_text(x)} there are {len(rows)} possible outputs; the table is exact."])


def _first(model: Model) -> Any:
    """Return the first input of a model."""
    return model.space.at([0] * len(model.space.values))


def _free_model(asked: PageQuestion) -> tuple[str, str, ParametricModel]:
    """Return the parameter that is left free, its range, and the mechanism as a function of it."""
    name = asked.option("parameter")
    interval = asked.option("range") or FREE_RANGE
    if name not in asked.query.given:
        raise FieldProblem("choose the parameter that is left free.", value="parameter")
    free = parse_value(interval, name)
    if ".." not in interval or isinstance(free, str):
        raise FieldProblem(f"a range is written like {FREE_RANGE}; got '{interval}'.", value="range")
    return name, interval, asked.query.with_value(name, free).parametric_model()


def _formula(asked: PageQuestion) -> Iterator[Part]:
    name, interval, model = _free_model(asked)
    bound = model.privacy(asked.relation)
    words = str(bound)
    note = f"for {name} in {interval}; proved {'for every value' if bound.exact else 'at a few values only'}"
    form = words.partition(", at ")[0].removeprefix("eps = ")
    yield _whole_headline(f"ε as a function of {name}", form, note, proved=bound.exact)
    yield _picture(asked, "worst", f"ε against {name}", lambda style: _drawn(bound, style))
    yield _said([words])


def _calibration(asked: PageQuestion) -> Iterator[Part]:
    name, interval, model = _free_model(asked)
    budget = {"epsilon": asked.option("epsilon") or FREE_EPSILON, "delta": asked.option("delta")}
    given: dict[str, Any] = {key: text for key, text in budget.items() if text}
    try:
        found = model.calibrate(**given, neighbors=asked.relation)
    except InvalidNumber as problem:
        raise FieldProblem(str(problem), value="delta" if "delta" in str(problem) else "epsilon") from None
    best = "no value" if found.best is None else f"{name} = {found.best}"
    note = f"for {name} in {interval}; {'proved' if found.exact else 'found by bisection'}"
    headline = _whole_headline(f"{name} with {' and '.join(found.texts)}", best, note, bool(found), found.exact)
    yield {**headline, "decimal": "" if found.best is None else _both(found.best)[1]}
    yield _picture(asked, "worst", f"Privacy against {name}", lambda style: _drawn(found, style))
    yield _said([f"{found}."])


def _diagram(asked: PageQuestion) -> Iterator[Part]:
    size = asked.model.size
    coins = len(asked.model.program.coins)
    note = f"{coins} {plural('coin', coins)}, {large(asked.query.inputs)} inputs"
    yield _whole_headline("nodes of the decision diagram", str(size), note)
    yield _picture(asked, "worst", "The decision diagram", lambda _: _svg(asked.model.draw()))
    yield _said(
        [
            f"The diagram of {size} nodes holds all runs of the mechanism on all {large(asked.query.inputs)} inputs.",
            "A path from the top follows the entries x, the coins c and the outputs y; every answer is read off it.",
        ]
    )


def _symmetries(asked: PageQuestion) -> Iterator[Part]:
    relation = asked.model.neighbors(asked.relation)
    group = asked.model.symmetries()
    described = group.to_dict()
    few, every = int(described["representatives"]), int(described["inputs"])
    yield _whole_headline("inputs that are left to look at", large(few), f"of {large(every)}")
    yield _picture(asked, "worst", "Symmetries and orbits", lambda style: _drawn(group, style))
    triples = group.triple_orbits(relation)
    found = f"Found and verified by {group.method}."
    left = f"They leave {large(triples.count)} triples of neighbours ({relation.name})."
    yield _said([*str(group).splitlines(), found, left])


def _claims(asked: PageQuestion) -> Iterator[Part]:
    if not claims_of(asked.query.mechanism):
        raise InvalidInput(
            "there is no claim on this mechanism; write one above it, like @taut.claim(x=bits(4), epsilon=1)."
        )
    found = checked_claims(asked.query)
    yield _whole_headline(found.label, found.count, "checked exactly", found.good)
    yield _table("claims", "Claims", found.headings, found.rows)
    yield _said(found.sentences or ["Every claim holds."])


_OTHERS: dict[str, Callable[[PageQuestion], Iterator[Part]]] = {
    "distribution": _distribution,
    "formula": _formula,
    "calibration": _calibration,
    "diagram": _diagram,
    "symmetries": _symmetries,
    "claims": _claims,
}
"""The answers of the page besides those to registered questions."""


# -------------------------------------------------------------------------------------------------- parts of answers


def _headline(line: Headline, bound: Bound) -> Part:
    stopped, note = bound.stats.get("stopped"), line.note
    if stopped:
        why = {"interrupted": "you stopped it", "time_limit": "the time limit"}.get(str(stopped), str(stopped))
        note = f"{note}; certified when the search ended: {why}"
    part = _value_headline(line.label, line.lower, line.upper, note.removeprefix("; "), line.good)
    own = {"exact": line.text, "decimal": line.beside} if line.text else {}
    return {**part, **own, "stopped": bool(stopped)}


def _whole_headline(label: str, text: str, note: str, good: bool = True, proved: bool = True) -> Part:
    """Return the headline of an answer that is not a bound."""
    part = {"part": "headline", "label": label, "exact": text, "decimal": "", "note": note}
    return {**part, "good": good, "is_exact": proved}


def _table(name: str, title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Part:
    left_out = f", the first {_MOST_ROWS} of {len(rows)}" if len(rows) > _MOST_ROWS else ""
    cells = [list(row) for row in rows[:_MOST_ROWS]]
    return {"part": "table", "name": name, "title": f"{title}{left_out}", "headings": list(headings), "rows": cells}


def _value_headline(label: str, low: Any, high: Any, note: str, good: bool) -> Part:
    exact, near = _both(high) if low == high else (f"{outward(low, 6, False, '∞')} … {outward(high, 6, True, '∞')}", "")
    return {
        "part": "headline",
        "label": label,
        "exact": exact,
        "decimal": near,
        "note": note,
        "good": good,
        "is_exact": bool(low == high),
    }


def _both(value: Any) -> tuple[str, str]:
    """Return a number exactly, if it is short, and as a decimal where that helps."""
    if value == INFINITY:
        return "∞", ""
    if isinstance(value, Ball) or not isinstance(value, (int, Fraction)):
        return f"{decimal(value, 12)}…", ""
    exact = exact_text(Fraction(value))
    near = decimal(value, 12)
    if "/" not in exact:
        return exact if len(exact) <= _LONG else near, ""
    equal = fraction_of_text(near) == value
    rounded = f"= {near}" if equal else f"≈ {near}"
    return (exact, rounded) if len(exact) <= _LONG else (rounded, f"exactly a fraction of {len(exact) - 1} digits")


def _sentences(bound: Bound) -> list[str]:
    """Return the sentences of ``taut explain``, or the result itself."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = Path(folder) / "result.json"
            bound.save(path)
            return sentences(load_result(path))[:-1]  # without how to replay a file that nobody has
        except TautError:
            return [f"{str(bound)[0].upper()}{str(bound)[1:]}."]


def _checked(replayed: Bound, bound: Bound) -> Part:
    """Replay the witness of a bound; of several runs that is the witness of one."""
    check = verified(replayed)
    said = text.verification_text(check.outcome, check.reason, check.seconds)
    said = said if replayed is bound else f"one run: {said}"
    return {"part": "verified", "text": said, "holds": check.outcome is None or bool(check.outcome)}


def _said(lines: list[str]) -> Part:
    return {"part": "sentences", "lines": lines}


def _picture(asked: PageQuestion, name: str, title: str, draw: Callable[[str], str]) -> Part:
    """Return a picture by its name, or the reason why it could not be drawn."""
    start = time.perf_counter()
    try:
        svg = draw(asked.style)
    except (InvalidInput, TooLarge) as problem:
        why = "There was no time left to draw it." if isinstance(problem, OutOfTime) else str(problem)
        return {"part": "picture", "name": name, "title": title, "missing": why}
    asked.keep(name, draw)
    return {
        "part": "picture",
        "name": name,
        "title": title,
        "svg": svg,
        "styled": name != "diagram" and asked.question != "diagram",
        "drawn_in": time.perf_counter() - start,
    }


def _drawn(result: Drawn, style: str) -> str:
    from taut.support.pictures.style import compact, picture

    return picture(compact(result._figure(None)), ".svg", style).decode()


def _svg(drawn: Picture | None) -> str:
    assert drawn is not None  # nothing is returned only where a file is written
    return drawn.svg


def _other_picture(kind: type[Question[Any]], asked: PageQuestion) -> Iterator[Part]:
    """Draw the answer to another question, asked with the same neighbours."""
    question = kind()
    try:
        bound = asked.model.ask(question, neighbors=asked.relation)
    except TautError as problem:
        yield {"part": "picture", "name": kind.name, "title": question.picture_title(), "missing": str(problem)}
        return
    yield _picture(asked, kind.name, question.picture_title(), lambda style: _drawn(bound, style))


def _diagram_picture(asked: PageQuestion) -> Iterator[Part]:
    size = asked.model.size
    title = f"The decision diagram, {size} nodes"
    if size > _SMALL_DIAGRAM:
        why = f"It has {size} nodes, which is slow to draw; the question 'diagram' draws up to 400."
        yield {"part": "picture", "name": "diagram", "title": title, "missing": why}
        return
    yield _picture(asked, "diagram", title, lambda _: _svg(asked.model.draw()))


def _bars(chances: list[tuple[str, float]], style: str) -> str:
    from taut.support.pictures.charts import Bar, Row, bars
    from taut.support.pictures.style import OURS, chart, compact, literal, picture

    figure, axes = chart("", "probability", "", 7.2, max(2.2, 0.26 * len(chances) + 1.1))
    bars(axes, [Row(literal(name), [Bar(chance, OURS)]) for name, chance in chances], log=False)
    return picture(compact(figure), ".svg", style).decode()
