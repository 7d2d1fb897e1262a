"""Which values of a parameter meet a budget: from closed forms, or by bisection where there are none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.algebra.roots import simplest_inside
from taut.errors import InvalidInput, InvalidNumber, TooLarge, WrongArguments
from taut.numbers import Ball, ends, exp, number, probability
from taut.results.calibration import (
    Calibration,
    Feasible,
    Requirement,
    Tried,
    feasible_set,
    limit_below,
    meets,
    preferred,
)
from taut.results.piecewise import FreeParameter, PiecewiseBound

if TYPE_CHECKING:
    from taut.model.model import Model
    from taut.model.parametric import ParametricModel

__all__ = ["calibrated"]

_GRID = 8
_HALVINGS = 12


@dataclass(frozen=True)
class Question:
    """One requirement, before it is answered: its closed form, and its bound in an ordinary model."""

    text: str
    label: str
    """What is bounded: e^eps, 1-beta, delta, a moment."""
    closed: Callable[[], PiecewiseBound]
    at: Callable[[Model], tuple[Any, Any]]
    """Lower and upper end of the bound."""
    limit: Any
    least: bool = False


def calibrated(model: ParametricModel, questions: Sequence[Question], shown: Sequence[Question]) -> Calibration:
    """The values of the parameter that meet all requirements."""
    parameter = model.parameter
    texts = tuple(question.text for question in questions)
    try:
        bounds = [question.closed() for question in questions]
    except TooLarge:
        return _bisected(model, parameter, questions, texts)
    requirements = tuple(
        Requirement(q.text, bound, q.limit, limit_below(q.limit), q.least)
        for q, bound in zip(questions, bounds, strict=True)
    )
    intervals = feasible_set(parameter, requirements)
    best = preferred(requirements, intervals, parameter) if intervals else None
    drawn = tuple(question.closed() for question in shown)
    return Calibration(parameter, requirements, intervals, best, texts, shown=drawn, mechanism=model.name)


def questions_of(
    model: ParametricModel,
    *,
    epsilon: Any,
    ratio: Any,
    delta: Any,
    renyi: Any,
    accuracy: Any,
    neighbors: Any,
    method: str,
) -> tuple[list[Question], list[Question]]:
    """The requirements that are asked for, and what is only drawn; or a refusal."""
    ways = ("exhaustive", "restricted") if method == "auto" else (method,)
    found: list[Question] = []
    drawn: list[Question] = []
    if method == "sampled":
        raise InvalidInput(
            "calibrate: method='sampled' proves nothing between its values; leave method out.", value=method
        )

    def proved(ask: Callable[[str], PiecewiseBound]) -> Callable[[], PiecewiseBound]:
        def closed() -> PiecewiseBound:
            problem: TooLarge | None = None
            for way in ways:
                try:
                    return ask(way)
                except TooLarge as error:
                    problem = error
            assert problem is not None
            raise problem

        return closed

    if epsilon is not None or ratio is not None:
        gamma = _ratio(epsilon, ratio)
        base = f"e^{epsilon}" if ratio is None else str(gamma)
        if delta is None:
            found.append(
                Question(
                    f"e^eps <= {base}",
                    "e^eps",
                    proved(lambda way: model.privacy(neighbors, way)),
                    lambda ordinary: _ends(ordinary.privacy(neighbors)),
                    gamma,
                )
            )
        else:
            most = probability(delta, "calibrate: delta")
            below = limit_below(gamma, 64)
            found.append(
                Question(
                    f"delta at e^eps = {base} <= {most}",
                    "delta",
                    proved(lambda way: model.delta(ratio=max(below, Fraction(1)), neighbors=neighbors, method=way)),
                    lambda ordinary: _ends(ordinary.delta(ratio=max(below, Fraction(1)), neighbors=neighbors)),
                    most,
                )
            )
    elif delta is not None:
        raise WrongArguments("calibrate: delta needs epsilon= or ratio= beside it.", value=delta)
    if renyi is not None:
        order, divergence = _parts(renyi, (2,), "renyi", "(order, divergence)")
        most = number(divergence, "calibrate: the Rényi divergence")
        whole = number(order, "calibrate: the Rényi order")
        if isinstance(most, Ball) or isinstance(whole, Ball) or most < 0:
            raise InvalidNumber(f"calibrate: renyi={renyi!r}: the divergence must not be negative.", value=renyi)
        found.append(
            Question(
                f"Rényi divergence of order {whole} <= {most}",
                f"Rényi moment of order {whole}",
                proved(lambda way: model.renyi(whole, neighbors, way)),
                lambda ordinary: _ends(ordinary.renyi(whole, neighbors)),
                exp(most * (whole - 1)) if most else Fraction(1),
            )
        )
    if accuracy is not None:
        target, alpha, *rest = _parts(accuracy, (2, 3, 4), "accuracy", "(target, alpha, probability[, distance])")
        distance = rest[1] if len(rest) == 2 else None
        least = None if not rest or rest[0] is None else probability(rest[0], "calibrate: the probability of accuracy")
        question = Question(
            f"1-beta >= {least} for alpha = {alpha}",
            "1-beta",
            proved(lambda way: model.accuracy(target, alpha, distance=distance, method=way)),
            lambda ordinary: _ends(ordinary.accuracy(target, alpha, distance=distance)),
            least,
            least=True,
        )
        (drawn if least is None else found).append(question)
    if not found:
        raise WrongArguments(
            "calibrate: give a budget: epsilon=1, ratio=3, delta='1e-5' with one of these, renyi=(2, 1), or "
            "accuracy=(sum, 3, '0.95').",
            value=None,
        )
    return found, drawn


def _ratio(epsilon: Any, ratio: Any) -> Any:
    """e^epsilon as it was given, or a refusal."""
    if (epsilon is None) == (ratio is None):
        raise WrongArguments("calibrate: give either epsilon, or ratio= for e^epsilon exactly.", value=(epsilon, ratio))
    given = number(epsilon if ratio is None else ratio, f"calibrate: {'epsilon' if ratio is None else 'ratio'}")
    if (given.lower if isinstance(given, Ball) else given) < (0 if ratio is None else 1):
        least = "epsilon must not be negative" if ratio is None else "ratio = e^epsilon must be at least 1"
        raise InvalidNumber(f"calibrate: {least}; got {given}.", value=given)
    return given if epsilon is None else Fraction(1) if given == 0 else exp(given)


def _parts(given: Any, sizes: Sequence[int], what: str, wanted: str) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) not in sizes:
        raise WrongArguments(f"calibrate: {what} is written {wanted}; got {given!r}.", value=given)
    return given


def _ends(bound: Any) -> tuple[Any, Any]:
    return bound.lower, bound.upper


class _Seen:
    """Whether single values meet a requirement, each decided by an ordinary model and remembered."""

    def __init__(self, model: ParametricModel, questions: Sequence[Question]) -> None:
        self.model, self.questions = model, questions
        self.values: dict[Fraction, list[tuple[Any, Any]]] = {}

    def ends(self, value: Fraction) -> list[tuple[Any, Any]]:
        if value not in self.values:
            ordinary = self.model.at(value)
            self.values[value] = [question.at(ordinary) for question in self.questions]
        return self.values[value]

    def meets(self, place: int, value: Fraction) -> bool:
        """Whether a value certainly meets one requirement."""
        question, (low, high) = self.questions[place], self.ends(value)[place]
        return meets(low if question.least else high, question.limit, least=question.least)

    def tried(self, place: int) -> Tried:
        """All that is known about one requirement, by the value of the parameter."""
        question = self.questions[place]
        ends = {value: self.values[value][place] for value in sorted(self.values)}
        return Tried(question.text, question.label, question.limit, ends, question.least)

    def holds(self, value: Fraction) -> bool:
        """Whether a value certainly meets all requirements."""
        return all(self.meets(place, value) for place in range(len(self.questions)))


def _bisected(
    model: ParametricModel, parameter: FreeParameter, questions: Sequence[Question], texts: tuple[str, ...]
) -> Calibration:
    """One interval whose ends meet all requirements, found by bisection; every end was asked for itself.

    Between the ends it relies on every bound going one way only, which is checked at all values that were seen.
    """
    seen, width = _Seen(model, questions), parameter.high - parameter.low
    grid = [parameter.low + width * step / _GRID for step in range(_GRID + 1)]
    low, high = grid[0], grid[-1]
    for place in range(len(questions)):
        good = [value for value in grid if seen.meets(place, value)]
        if not good:
            low, high = grid[-1], grid[0]
            break
        first, last = grid.index(good[0]), grid.index(good[-1])
        low = max(low, good[0] if first == 0 else _border(seen, place, grid[first - 1], good[0]))
        high = min(high, good[-1] if last == _GRID else _border(seen, place, grid[last + 1], good[-1]))
    found = low <= high and seen.holds(low) and seen.holds(high)
    relied = _directions(seen, parameter.name)
    if not found:
        return _unproved(model, parameter, texts, (), None, relied, seen)
    budget = next((place for place, question in enumerate(questions) if not question.least), 0)
    gaps = [abs(float(questions[budget].limit) - float(seen.ends(end)[budget][1])) for end in (low, high)]
    best = low if gaps[0] <= gaps[1] else high
    return _unproved(model, parameter, texts, (Feasible(low, high),), best, relied, seen)


def _border(seen: _Seen, place: int, bad: Fraction, good: Fraction) -> Fraction:
    """A short fraction that meets a requirement, near one that does not."""
    for _ in range(_HALVINGS):
        middle = simplest_inside(*sorted((bad + (good - bad) / 3, good - (good - bad) / 3)))
        if seen.meets(place, middle):
            good = middle
        else:
            bad = middle
    return good


def _directions(seen: _Seen, name: str) -> tuple[str, ...]:
    """In which direction every bound goes at the values seen; refused if one goes both ways."""
    values = sorted(seen.values)
    said = []
    for place, question in enumerate(seen.questions):
        steps = list(itertools.pairwise([seen.values[value][place] for value in values]))
        rises = any(ends(b[0])[0] > ends(a[1])[1] for a, b in steps)
        falls = any(ends(b[1])[1] < ends(a[0])[0] for a, b in steps)
        what = question.text.split(" <=")[0].split(" >=")[0]
        if rises and falls:
            raise TooLarge(
                f"calibrate: there is no closed form, and {what} both rises and falls with {name} at the values that "
                "were looked at, so a bisection would prove nothing. Choose a shorter interval.",
                value=values,
            )
        how = "does not decrease" if rises else "does not increase"
        said.append(f"{what} {how} with {name} (so it is at the {len(values)} values that were computed)")
    return tuple(said)


def _unproved(
    model: ParametricModel,
    parameter: FreeParameter,
    texts: tuple[str, ...],
    intervals: tuple[Feasible, ...],
    best: Fraction | None,
    relied: tuple[str, ...],
    seen: _Seen,
) -> Calibration:
    tried = tuple(seen.tried(place) for place in range(len(seen.questions)))
    return Calibration(
        parameter,
        (),
        intervals,
        best,
        texts,
        exact=False,
        relied_on=relied,
        tried=tried,
        mechanism=model.name,
        decide=seen.holds,
    )
