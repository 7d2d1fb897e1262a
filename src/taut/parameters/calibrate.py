"""Values of a parameter that meet a budget: from closed forms, or by bisection where there are none."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.parameters.calibration import Calibration, Feasible, Requirement, Tried, feasible_set, preferred
from taut.parameters.piecewise import FreeParameter, PiecewiseBound
from taut.questions.claimed import Goal, limit_below
from taut.questions.registry import registered
from taut.support.algebra.roots import simplest_inside
from taut.support.errors import InvalidInput, TooLarge, WrongArguments
from taut.support.exact import ends, surely_at_most
from taut.support.limits import checkpoint

if TYPE_CHECKING:
    from taut.parameters.model import ParametricModel

__all__ = ["Seen", "budgets_of", "calibrated"]

_GRID = 8
_HALVINGS = 12


def budgets_of(given: Mapping[str, Any], method: str) -> tuple[list[Goal], list[Goal]]:
    """Return the requirements that are asked for, and those that are only drawn.

    Raises:
        WrongArguments: no budget is given, or one that is not complete.
        InvalidInput: the method proves nothing between single values.
    """
    if method == "sampled":
        raise InvalidInput(
            "calibrate: method='sampled' proves nothing between its values; leave method out.", value=method
        )
    kinds = [kind for kind in registered().values() if kind.calibrated]
    words = list(dict.fromkeys(word for kind in kinds for word in kind.keywords()))
    for word in given:
        if word not in words:
            raise WrongArguments(f"calibrate: there is no '{word}'; there are {', '.join(words)}.", value=word)
    found = [budget for kind in kinds for budget in kind.budgeted(given)]
    asked = [budget for budget in found if budget.limit is not None]
    if not asked:
        raise WrongArguments(
            f"calibrate: give a budget, one of {', '.join(words)}: epsilon=1, ratio=3, delta='1e-5' with one of these, "
            "or accuracy=(sum, 3, '0.95').",
            value=None,
        )
    return asked, [budget for budget in found if budget.limit is None]


def calibrated(
    model: ParametricModel, budgets: Sequence[Goal], shown: Sequence[Goal], neighbors: Any, method: str
) -> Calibration:
    """Return the values of the parameter that meet all requirements."""
    parameter = model.parameter
    texts = tuple(budget.text for budget in budgets)
    closed = functools.partial(_proved, model, neighbors, method)
    try:
        bounds = [closed(budget) for budget in budgets]
    except (TooLarge, NoClosedForm):
        return _bisected(model, parameter, budgets, texts, neighbors)
    requirements = tuple(
        Requirement(one.text, bound, one.limit, limit_below(one.limit), one.least)
        for one, bound in zip(budgets, bounds, strict=True)
    )
    intervals = feasible_set(parameter, requirements)
    best = preferred(requirements, intervals, parameter) if intervals else None
    drawn = tuple(map(closed, shown))
    return Calibration(parameter, requirements, intervals, best, texts, shown=drawn, mechanism=model.name)


def _proved(model: ParametricModel, neighbors: Any, method: str, budget: Goal) -> PiecewiseBound:
    """Return the closed form of a requirement, proved for every value of the parameter."""
    if budget.question.algebraic() is None:
        raise NoClosedForm
    problem: TooLarge | None = None
    for way in ("exhaustive", "restricted") if method == "auto" else (method,):
        try:
            return model.ask(budget.question, neighbors=neighbors, method=way)
        except TooLarge as error:
            problem = error
    assert problem is not None
    raise problem


class NoClosedForm(Exception):
    """Raised for a measure whose values are not rational functions of probabilities."""


class Seen:
    """The certified ends of the bounds of some budgets at single values of a parameter, asked once each."""

    def __init__(self, budgets: Sequence[Goal], asked: Callable[[Fraction], Sequence[tuple[Any, Any]]]) -> None:
        self.budgets, self._asked = budgets, asked
        self.values: dict[Fraction, tuple[tuple[Any, Any], ...]] = {}

    def ends(self, value: Fraction) -> tuple[tuple[Any, Any], ...]:
        """Return the lower and the upper end of every bound at a value."""
        if value not in self.values:
            checkpoint()
            self.values[value] = tuple(self._asked(value))
        return self.values[value]

    def meets(self, place: int, value: Fraction) -> bool:
        """Return True if a value certainly meets one budget."""
        budget, (low, high) = self.budgets[place], self.ends(value)[place]
        return surely_at_most(budget.limit, low) if budget.least else surely_at_most(high, budget.limit)

    def holds(self, value: Fraction) -> bool:
        """Return True if a value certainly meets all budgets."""
        return all(self.meets(place, value) for place in range(len(self.budgets)))

    def tried(self, place: int) -> Tried:
        """Return all that is known about one budget, by the value of the parameter."""
        budget = self.budgets[place]
        ends = {value: self.values[value][place] for value in sorted(self.values)}
        return Tried(budget.text, budget.question.label, budget.limit, ends, budget.least)


def _bisected(
    model: ParametricModel,
    parameter: FreeParameter,
    questions: Sequence[Goal],
    texts: tuple[str, ...],
    neighbors: Any,
) -> Calibration:
    """Find by bisection an interval whose two ends meet all requirements.

    Between the ends this relies on monotone bounds, which is checked at all values that were tried.
    """

    def asked(value: Fraction) -> list[tuple[Any, Any]]:
        ordinary = model.at(value)
        bounds = (ordinary.ask(one.question, neighbors=neighbors) for one in questions)
        return [(bound.lower, bound.upper) for bound in bounds]

    seen, width = Seen(questions, asked), parameter.high - parameter.low
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


def _border(seen: Seen, place: int, bad: Fraction, good: Fraction) -> Fraction:
    """Return a short fraction that meets a requirement, near one that does not."""
    for _ in range(_HALVINGS):
        middle = simplest_inside(*sorted((bad + (good - bad) / 3, good - (good - bad) / 3)))
        if seen.meets(place, middle):
            good = middle
        else:
            bad = middle
    return good


def _directions(seen: Seen, name: str) -> tuple[str, ...]:
    """Return the direction in which every bound moves over the values tried; refuse a bound that moves both ways."""
    values = sorted(seen.values)
    said = []
    for place, question in enumerate(seen.budgets):
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
    seen: Seen,
) -> Calibration:
    tried = tuple(seen.tried(place) for place in range(len(seen.budgets)))
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
