"""Questions of the page, answered in the worker: each answer is a series of parts, plain data that a page can show.

The number comes first, then its picture, then what else there is to see; whoever asked may stop listening after any
part. Nothing here knows of processes or of the page.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.claims import claims_of
from taut.errors import InvalidInput, TautError, TooLarge
from taut.model import Model
from taut.model.saved import load_result
from taut.neighbors import NAMED
from taut.notebook import Picture
from taut.numbers import INFINITY, Ball, decimal, exact_text, fraction_of_text, large, number
from taut.play.form import FieldProblem
from taut.queries.inputs import read_input
from taut.queries.literals import parse_value
from taut.queries.query import Query
from taut.queries.questions import ask_accuracy, ask_privacy
from taut.queries.targets import DISTANCES, TARGETS
from taut.reports import measures, text
from taut.reports.sentences import sentences
from taut.reports.verified import verified
from taut.results import Bound, Interval
from taut.results.text import vector_text

__all__ = ["QUESTIONS", "Asked", "Part", "answer", "outward"]

Part = dict[str, Any]
"""What the page shows at one place: ``part`` says where."""
_MOST_ROWS = 200
_MOST_BARS = 64
_SMALL_DIAGRAM = 120
_LONG = 40


@dataclass(frozen=True)
class Asked:
    """A question about a model: which one, its options, how pictures look, and whom to tell of a closing interval."""

    query: Query
    model: Model
    question: str
    options: Mapping[str, str]
    neighbors: str
    style: str
    tell: Callable[[Interval], None]
    keep: Callable[[str, Callable[[str], str]], None] = field(repr=False)
    """Remembers how a picture is drawn, by its name, so that it can be drawn in another style."""

    @property
    def relation(self) -> Any:
        """The neighbour relation; the mechanism's own if that has no name."""
        return self.neighbors if self.neighbors in NAMED else self.query.neighbors

    def option(self, name: str) -> str:
        return self.options.get(name, "").strip()


def answer(asked: Asked) -> Iterator[Part]:
    """The parts of an answer, the number first.

    Raises
    ------
    FieldProblem
        An option of the question cannot be read; its ``value`` is the option's name.
    TautError
        There is no answer.
    """
    if asked.question not in QUESTIONS:
        raise InvalidInput(f"there is no question '{asked.question}'; there are {', '.join(QUESTIONS)}.")
    return QUESTIONS[asked.question](asked)


# ------------------------------------------------------------------------------------------------------ the questions


def _privacy(asked: Asked) -> Iterator[Part]:
    bound = ask_privacy(asked.query, asked.relation, model=asked.model, progress=asked.tell)
    good = bound.max_ratio != INFINITY
    epsilon = "no epsilon is enough" if not good else f"ε = {bound.epsilon:.6g}"
    headline = _headline("e^ε", bound, epsilon if bound.exact else f"ε at most {bound.epsilon:.6g}", good)
    yield {**headline, "listed": isinstance(bound.witness.y, tuple)}
    yield from _bound(asked, bound, "worst", "The worst case", text.privacy_rows(bound))
    if not bound.stats.get("stopped"):  # else it would take as long again
        yield from _profile_picture(asked)
        yield from _diagram_picture(asked)
    yield _checked(bound)


def _delta(asked: Asked) -> Iterator[Part]:
    at = asked.option("epsilon") or "1"
    ratio = at.removeprefix("ratio=") if at.startswith("ratio=") else None
    _number_option(ratio or at, "epsilon")
    bound = asked.model.delta(None if ratio else at, asked.relation, progress=asked.tell, ratio=ratio)
    where = f"at e^ε = {ratio}" if ratio else f"at ε = {at}"
    yield _headline("δ", bound, where, bound.delta != 1)
    yield from _bound(asked, bound, "worst", "The worst pair and its event", measures.delta_rows(bound))
    if not bound.stats.get("stopped"):
        yield from _profile_picture(asked)
    yield _checked(bound)


def _renyi(asked: Asked) -> Iterator[Part]:
    orders = [word.strip() for word in (asked.option("order") or "2").split(",")]
    for order in orders:
        _number_option(order, "order")
    bounds = [asked.model.renyi(order, asked.relation, progress=asked.tell) for order in orders]
    first = bounds[0]
    yield _headline(f"Rényi moment of order {first.order}", first, f"divergence {first.divergence:.6g}, rounded up")
    headings, rows = measures.renyi_rows(bounds)
    yield {"part": "table", "name": "orders", "title": "Orders", "headings": headings, "rows": rows}
    yield from _bound(asked, first, "worst", f"The worst pair of order {first.order}", measures.moment_rows(first))
    yield _checked(first)


def _tradeoff(asked: Asked) -> Iterator[Part]:
    at = asked.option("alpha") or "1/2"
    _number_option(at, "alpha")
    curve = asked.model.tradeoff(asked.relation, progress=asked.tell)
    low, high = curve.interval(at)
    yield _value_headline("β, error of the second kind", low, high, f"at α = {at}, error of the first kind", True)
    yield from _bound(asked, curve, "worst", "The trade-off curve", measures.tradeoff_rows(curve))
    yield _checked(curve)


def _accuracy(asked: Asked) -> Iterator[Part]:
    alpha = _number_option(asked.option("alpha") or "1", "alpha")
    target = asked.option("target") or "sum"
    distance = asked.option("distance") or "absolute"
    bound = ask_accuracy(
        asked.query, TARGETS[target], alpha, DISTANCES[distance], model=asked.model, progress=asked.tell
    )
    yield _headline("1 - β", bound, f"within {alpha} of the target {target}, on every input")
    yield from _bound(asked, bound, "worst", "The worst input", text.accuracy_rows(bound, target))
    yield _checked(bound)


def _distribution(asked: Asked) -> Iterator[Part]:
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
    left_out = f", the first {_MOST_ROWS} of {len(rows)}" if len(rows) > _MOST_ROWS else ""
    yield {
        "part": "table",
        "name": "distribution",
        "title": f"Outputs{left_out}",
        "headings": ["output", "probability", "decimal"],
        "rows": rows[:_MOST_ROWS],
    }
    yield _said([f"On the input {vector_text(x)} there are {len(rows)} possible outputs; the table is exact."])


def _first(model: Model) -> Any:
    """The first input of a model."""
    return model.space.at([0] * len(model.space.values))


def _formula(asked: Asked) -> Iterator[Part]:
    name = asked.option("parameter")
    interval = asked.option("range") or "0..1/2"
    if name not in asked.query.given:
        raise FieldProblem("choose the parameter that is left free.", value="parameter")
    free = parse_value(interval, name)
    if ".." not in interval or isinstance(free, str):
        raise FieldProblem(f"a range is written like 0..1/2; got '{interval}'.", value="range")
    model = asked.query.with_value(name, free).parametric_model()
    bound = model.privacy(asked.relation)
    words = str(bound)
    yield {
        "part": "headline",
        "label": f"e^ε as a function of {name}",
        "exact": words.partition(", at ")[0].removeprefix("e^eps = "),
        "decimal": "",
        "note": f"for {name} in {interval}; proved {'for every value' if bound.exact else 'at a few values only'}",
        "good": True,
        "is_exact": bound.exact,
    }
    yield _picture(asked, "worst", f"e^ε against {name}", lambda style: _svg(bound.plot(style=style)))
    yield _said([words])


def _diagram(asked: Asked) -> Iterator[Part]:
    size = asked.model.size
    coins = len(asked.model.program.coins)
    yield {
        "part": "headline",
        "label": "nodes of the decision diagram",
        "exact": str(size),
        "decimal": "",
        "note": f"{coins} {text.plural('coin', coins)}, {large(asked.query.inputs)} inputs",
        "good": True,
        "is_exact": True,
    }
    yield _picture(asked, "worst", "The decision diagram", lambda _: _svg(asked.model.draw()))
    yield _said(
        [
            f"The diagram of {size} nodes holds all runs of the mechanism on all {large(asked.query.inputs)} inputs.",
            "A path from the top follows the entries x, the coins c and the outputs y; every answer is read off it.",
        ]
    )


def _symmetries(asked: Asked) -> Iterator[Part]:
    relation = asked.model.neighbors(asked.relation)
    group = asked.model.symmetries()
    described = group.to_dict()
    few, every = int(described["representatives"]), int(described["inputs"])
    yield {
        "part": "headline",
        "label": "inputs that are left to look at",
        "exact": large(few),
        "decimal": "",
        "note": f"of {large(every)}",
        "good": True,
        "is_exact": True,
    }
    yield _picture(asked, "worst", "Symmetries and orbits", lambda style: _svg(group.plot(style=style)))
    triples = group.triple_orbits(relation)
    found = f"Found and verified by {group.method}."
    left = f"They leave {large(triples.count)} triples of neighbours ({relation.name})."
    yield _said([*str(group).splitlines(), found, left])


def _claims(asked: Asked) -> Iterator[Part]:
    marked = asked.query.mechanism
    claims = claims_of(marked)
    if not claims:
        raise InvalidInput(
            "there is no claim on this mechanism; write one above it, like @taut.claim(x=bits(4), epsilon=1)."
        )
    rows, words = [], []
    for claim in claims:
        try:
            verdict = claim.check(marked, asked.query.arguments)
        except TautError as problem:
            rows.append(["error", claim.words, str(problem)])
            continue
        rows += [[part.status, part.claim, part.found] for part in verdict.parts]
        words.append(str(verdict))
    bad = sum(status != "holds" for status, *_ in rows)
    yield {
        "part": "headline",
        "label": "claims that hold",
        "exact": f"{len(rows) - bad} of {len(rows)}",
        "decimal": "",
        "note": "checked exactly",
        "good": not bad,
        "is_exact": True,
    }
    headings = ["verdict", "claim", "exact"]
    yield {"part": "table", "name": "claims", "title": "Claims", "headings": headings, "rows": rows}
    yield _said(words)


QUESTIONS: dict[str, Callable[[Asked], Iterator[Part]]] = {
    "privacy": _privacy,
    "delta": _delta,
    "renyi": _renyi,
    "tradeoff": _tradeoff,
    "accuracy": _accuracy,
    "distribution": _distribution,
    "formula": _formula,
    "diagram": _diagram,
    "symmetries": _symmetries,
    "claims": _claims,
}


# -------------------------------------------------------------------------------------------------- parts of answers


def _headline(label: str, bound: Bound, note: str, good: bool = True) -> Part:
    stopped = bound.stats.get("stopped")
    if stopped:
        why = {"interrupted": "you stopped it", "time_limit": "the time limit"}.get(str(stopped), str(stopped))
        note = f"{note}; certified when the search ended: {why}"
    return {**_value_headline(label, bound.lower, bound.upper, note, good), "stopped": bool(stopped)}


def _value_headline(label: str, low: Any, high: Any, note: str, good: bool) -> Part:
    exact, near = _both(high) if low == high else (f"{outward(low, 6, up=False)} … {outward(high, 6, up=True)}", "")
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
    """A number exactly, if that is not too long to read, and as a decimal where that says more."""
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


def outward(value: Any, digits: int, up: bool) -> str:
    """An end of a certified interval with so many digits, rounded so that the interval only becomes wider.

    >>> outward(Fraction(2, 3), 3, up=False), outward(Fraction(2, 3), 3, up=True), outward(INFINITY, 3, up=True)
    ('0.666', '0.667', '∞')
    """
    if value == INFINITY:
        return "∞"
    if isinstance(value, Ball):
        value = value.upper if up else value.lower
    exact = Fraction(value)
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator)).normalize(context)
    return f"{rounded:f}" if -5 < rounded.adjusted() < 15 else f"{rounded:e}"


def _bound(asked: Asked, bound: Bound, name: str, title: str, rows: list[tuple[str, str]]) -> Iterator[Part]:
    """What every bound has: sentences, facts, its picture, and how it was found."""
    yield _said(_sentences(bound))
    yield {"part": "facts", "rows": [list(row) for row in rows]}
    yield _picture(asked, name, title, lambda style: _svg(bound.plot(style=style)))
    yield {"part": "how", "text": bound.explain()}


def _sentences(bound: Bound) -> list[str]:
    """What ``taut explain`` says of the result; else the result itself."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            path = Path(folder) / "result.json"
            bound.save(path)
            return sentences(load_result(path))[:-1]  # without how to replay a file that nobody has
        except TautError:
            return [f"{bound}."]


def _checked(bound: Bound) -> Part:
    check = verified(bound)
    said = text.verification_text(check.outcome, check.reason, check.seconds)
    return {"part": "verified", "text": said, "holds": check.outcome is None or bool(check.outcome)}


def _said(lines: list[str]) -> Part:
    return {"part": "sentences", "lines": lines}


def _picture(asked: Asked, name: str, title: str, draw: Callable[[str], str]) -> Part:
    """A picture by its name; or why there is none, which costs nobody the answer."""
    start = time.perf_counter()
    try:
        svg = draw(asked.style)
    except (InvalidInput, TooLarge) as problem:
        return {"part": "picture", "name": name, "title": title, "missing": str(problem)}
    asked.keep(name, draw)
    return {
        "part": "picture",
        "name": name,
        "title": title,
        "svg": svg,
        "styled": name != "diagram" and asked.question != "diagram",
        "drawn_in": time.perf_counter() - start,
    }


def _svg(drawn: Picture | None) -> str:
    assert drawn is not None  # nothing is returned only where a file is written
    return drawn.svg


def _profile_picture(asked: Asked) -> Iterator[Part]:
    try:
        profile = asked.model.profile(asked.relation)
    except TautError as problem:
        yield {"part": "picture", "name": "profile", "title": "The privacy profile", "missing": str(problem)}
        return
    yield _picture(asked, "profile", "The privacy profile", lambda style: _svg(profile.plot(style=style)))


def _diagram_picture(asked: Asked) -> Iterator[Part]:
    size = asked.model.size
    title = f"The decision diagram, {size} nodes"
    if size > _SMALL_DIAGRAM:
        why = f"It has {size} nodes, which is slow to draw; the question 'diagram' draws up to 400."
        yield {"part": "picture", "name": "diagram", "title": title, "missing": why}
        return
    yield _picture(asked, "diagram", title, lambda _: _svg(asked.model.draw()))


def _bars(bars: list[tuple[str, float]], style: str) -> str:
    from taut.pictures import OURS, dress, literal, one_panel, picture

    figure, axes = one_panel(7.2, max(2.2, 0.26 * len(bars) + 1.1))
    names = [literal(name) for name, _ in bars][::-1]
    axes.barh(range(len(bars)), [chance for _, chance in bars][::-1], color=OURS, height=0.72)
    axes.set_yticks(range(len(bars)), names)
    dress(axes, "", "probability", "")
    return picture(figure, ".svg", style).decode()


def _number_option(given: str, name: str) -> Any:
    try:
        value = number(given, name)
    except TautError as problem:
        raise FieldProblem(str(problem), value=name) from None
    if value < 0:
        raise FieldProblem(f"{name} must not be negative; got {given}.", value=name)
    return value
