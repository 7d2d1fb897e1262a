"""Calibration where there is no closed form: a parameter found by bisection, certified at the value that it returns.

Every value that is tried is answered by an ordinary model, so whatever the shape of the bound, ``best`` certainly meets
the budget. No value beyond ``beyond`` is better if the bound is monotone, which the answer states as an assumption.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.parameters.calibrate import Seen, budgets_of
from taut.questions.claimed import Goal
from taut.questions.drawn import Unsaved
from taut.questions.text import text_of
from taut.support.algebra.expression import Expression
from taut.support.algebra.roots import simplest_inside
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge, WrongArguments
from taut.support.exact import INFINITY, decimal, ends, number
from taut.support.interruption import Interruption, interrupted_by
from taut.support.limits import reason_of
from taut.support.options import check_seconds, worked

__all__ = ["CalibratedValue", "calibrate", "calibrate_by_value", "interval_of"]

_FEW = 16
"""Number of whole values up to which all are tried."""
_PARTS = 8
_CLOSE = Fraction(1, 1000)
"""Bisection of other numbers ends at this distance, relative to the value or to the interval of the parameter."""
_WIDE = 4


@dataclass(frozen=True)
class CalibratedValue(Unsaved):
    """A value of a parameter that certainly meets a budget, with the nearest tried value that is not known to.

    Guarantee:
        The upper end of every bound at ``best`` is within its limit (for accuracy, the lower end).
    """

    parameter: str
    low: Fraction
    high: Fraction
    texts: tuple[str, ...]
    best: Fraction | None
    """None if no value that was tried meets the budget."""
    beyond: Fraction | None
    """The nearest value tried in the direction of less noise that is not certain to meet it; None if all do."""
    tried: Mapping[Fraction, tuple[tuple[Any, Any], ...]]
    """The certified ends of every bound at each value that was tried."""
    met: Mapping[Fraction, bool]
    runs: int
    complete: bool
    """True if every value of the parameter was tried, which are whole numbers then."""
    stopped: str | None = None
    """Reason for an early end of the search: 'time_limit', 'max_memory' or 'interrupted'; None if there was none."""

    @property
    def relied_on(self) -> str:
        """Conditions for no other value to be better; empty if there are none."""
        if self.complete or self.best is None:
            return ""
        values = sorted(self.met)
        turns = sum(self.met[a] != self.met[b] for a, b in itertools.pairwise(values))
        name = self.parameter
        if self.stopped is not None:
            return f"the search was stopped ({self.stopped}), so there may be better values"
        if turns > 1:
            return (
                f"the budget is met at some values of {name} and not at others between them, so there may be better "
                "values"
            )
        if self.beyond is None:
            return f"that the budget is met everywhere in {self.low}..{self.high} is not proved"
        return (
            f"that no better value exists relies on the bounds going one way only with {name}, as they do at the "
            f"{len(values)} values tried; it is not proved"
        )

    @property
    def exact(self) -> bool:
        """True if ``best`` is the best value for certain."""
        return self.complete

    def __bool__(self) -> bool:
        return self.best is not None

    def __str__(self) -> str:
        wanted = " and ".join(self.texts) + (f" for {self.runs} runs" if self.runs > 1 else "")
        name = self.parameter
        if self.best is None:
            how = "" if self.complete else f" was found, at {len(self.met)} values"
            return f"no value of {name} in {self.low}..{self.high}{' gives' if self.complete else ' that gives'} " + (
                f"{wanted}{how}"
            )
        text = f"take {name} = {self._shown(self.best)}: certainly {wanted}"
        if self.beyond is not None:
            text += f"; at {name} = {self._shown(self.beyond)} that is not so"
        return f"{text}. Found by bisection: {self.relied_on}" if self.relied_on else f"{text}. All values were tried"

    def _shown(self, value: Fraction) -> str:
        return str(value) if value.denominator == 1 else f"{value} (about {decimal(value, 6)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain data."""
        return {
            "parameter": self.parameter,
            "low": str(self.low),
            "high": str(self.high),
            "requirements": list(self.texts),
            "runs": self.runs,
            "feasible": self.best is not None,
            "best": None if self.best is None else str(self.best),
            "beyond": None if self.beyond is None else str(self.beyond),
            "exact": self.exact,
            **({"stopped": self.stopped} if self.stopped else {}),
            "relied_on": [self.relied_on] if self.relied_on else [],
            "seen": {
                str(value): [[text_of(end) for end in pair] for pair in self.tried[value]]
                for value in sorted(self.tried)
            },
        }


def calibrate(
    mechanism: Any,
    *domains: Any,
    compose: int = 1,
    neighbors: Any = None,
    time_limit: float | None = None,
    **given: Any,
) -> CalibratedValue:
    """Find a value of a parameter for which a mechanism certainly meets a budget, by bisection.

    The parameter may be a variance, a scale, a window or a count. ``taut.parameter`` in its place and
    ``model.calibrate`` give closed forms where there are some.

    Parameters
    ----------
    mechanism
        The mechanism, with a domain for each database in ``domains``.
    compose
        The number of runs that share the budget; what is asked in a run may depend on the answers of others.
    neighbors, time_limit
        As for ``model.ask``; the time is for everything.
    **given
        The arguments of the mechanism, one of them as an interval: ``variance=(1, 1000)``. If the mechanism reads only
        whole numbers, only these are tried. And the budget, as for ``model.calibrate``: ``epsilon=1, delta="1e-6"``.

    Returns
    -------
    CalibratedValue
        ``best``, ``beyond``, ``tried``, ``relied_on``.

    Raises
    ------
    WrongArguments
        There is no budget, or not exactly one interval.

    Examples
    --------
    >>> from taut import bits, calibrate
    >>> from taut.mechanisms import geometric_count
    >>> found = calibrate(geometric_count, x=bits(100), ratio=("1/10", "9/10"), epsilon=2, compose=4)
    >>> found.best, found.beyond
    (Fraction(37, 61), Fraction(20, 33))
    """
    wanted = list(inspect.signature(getattr(mechanism, "function", mechanism)).parameters)
    own = {name: value for name, value in given.items() if name in wanted}
    budget = {name: value for name, value in given.items() if name not in wanted}
    free = [name for name, value in own.items() if isinstance(value, tuple) and len(value) == 2]
    if len(free) != 1:
        raise WrongArguments(
            "calibrate: give exactly one parameter of the mechanism as an interval, like variance=(1, 1000); "
            f"there are {len(free)}.",
            value=free,
        )
    (name,) = free
    low, high = (number(end, f"calibrate: {name}") for end in own.pop(name))

    def make(value: Any) -> Any:
        return mechanism(*domains, **own, **{name: value})

    asked, _ = budgets_of(budget, "auto")
    check_seconds(time_limit, "time_limit", InvalidInput)
    return calibrate_by_value(make, name, low, high, asked, compose, neighbors, time_limit)


def calibrate_by_value(
    make: Callable[[Any], Any],
    name: str,
    low: Any,
    high: Any,
    budgets: Sequence[Goal],
    compose: int = 1,
    neighbors: Any = None,
    time_limit: float | None = None,
) -> CalibratedValue:
    """Find a value between two ends for which all budgets are certainly met; ``make`` gives the model at a value."""
    if isinstance(compose, bool) or not isinstance(compose, int) or compose < 1:
        raise InvalidInput(f"compose: expected a whole number of runs, at least 1; got {compose!r}.", value=compose)
    if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low < high):
        raise InvalidInput(
            f"calibrate: {name} needs two rational numbers, the lower one first; got {low} and {high}.", value=name
        )
    search = _Search(make, name, low, high, budgets, compose, neighbors)
    return worked(search.run, time_limit=time_limit)


class _Search:
    """Models at single values, asked once each."""

    def __init__(
        self,
        make: Callable[[Any], Any],
        name: str,
        low: Fraction,
        high: Fraction,
        budgets: Sequence[Goal],
        runs: int,
        neighbors: Any,
    ) -> None:
        self.make, self.name, self.low, self.high = make, name, low, high
        self.budgets, self.runs, self.neighbors = budgets, runs, neighbors
        self.seen = Seen(budgets, self._asked)

    @property
    def met(self) -> dict[Fraction, bool]:
        """For every value that was tried, True if it certainly meets all budgets."""
        return {value: self.seen.holds(value) for value in self.seen.values}

    def run(self) -> CalibratedValue:
        whole = self._whole()
        if whole:
            self.low, self.high = Fraction(math.ceil(self.low)), Fraction(math.floor(self.high))
            if self.low > self.high:
                raise InvalidInput(
                    f"calibrate: there is no whole number in the interval of {self.name}.", value=self.name
                )
        every = whole and self.high - self.low < _FEW
        stopped = None
        try:
            self._try_values(every, whole)
            best, beyond = self._closest()
            if best is not None and beyond is not None and not every:
                best, beyond = self._border(best, beyond, whole)
        except (OutOfTime, OutOfMemory, Interruption) as error:
            cause = interrupted_by() if isinstance(error, Interruption) else error
            stopped = reason_of(cause)
            best, beyond = self._closest()
            if best is None:
                raise cause from None
        texts = tuple(one.text for one in self.budgets)
        low, high, complete = self.low, self.high, every and stopped is None
        return CalibratedValue(
            self.name, low, high, texts, best, beyond, self.seen.values, self.met, self.runs, complete, stopped
        )

    def _try_values(self, every: bool, whole: bool) -> None:
        """Try all values if they are few; else the ends, and values between them until one meets the budgets."""
        if every:
            for place in range(int(self.low), int(self.high) + 1):
                self.seen.holds(Fraction(place))
        elif not self.seen.holds(self.low) and not self.seen.holds(self.high):
            for value in self._inner(whole):
                if self.seen.holds(value):
                    break
        self.seen.holds(self.high)

    def _closest(self) -> tuple[Fraction | None, Fraction | None]:
        """Return the value that meets the budgets with least to spare, and the nearest one that does not."""
        met = self.met
        good, bad = ([value for value in sorted(met) if met[value] is wanted] for wanted in (True, False))
        if not good:
            return None, None
        best = min(good, key=self._slack)
        return best, min(bad, key=lambda value: abs(value - best)) if bad else None

    def _whole(self) -> bool:
        """Return True if the mechanism refuses a number between two whole ones."""
        if self.low.denominator != 1 or self.high.denominator != 1:
            return False
        try:
            self.make((self.low + self.high) // 2 + Fraction(3, 7))
        except TooLarge:
            return False
        except (TautError, TypeError, ValueError):
            return True
        return False

    def _asked(self, value: Fraction) -> list[tuple[Any, Any]]:
        model = self.make(int(value) if value.denominator == 1 else value)
        return [self._ends(model, one) for one in self.budgets]

    def _ends(self, model: Any, budget: Goal) -> tuple[Any, Any]:
        """Return the ends of a bound at one value; nothing is known where the question is refused as too large."""
        try:
            return budget.question.repeated(model, self.runs, self.neighbors)
        except (OutOfTime, OutOfMemory):
            raise
        except TooLarge:
            return (Fraction(0), Fraction(1)) if budget.least else (Fraction(0), INFINITY)

    def _slack(self, value: Fraction) -> float:
        """Return the unused share of the first budget."""
        low, high = self.seen.ends(value)[0]
        return abs(float(ends(self.budgets[0].limit)[0]) - float(ends(low if self.budgets[0].least else high)[0]))

    def _inner(self, whole: bool) -> list[Fraction]:
        found = [self.low + (self.high - self.low) * step / _PARTS for step in range(1, _PARTS)]
        return [Fraction(round(value)) for value in found] if whole else found

    def _border(self, good: Fraction, bad: Fraction, whole: bool) -> tuple[Fraction, Fraction]:
        """Return two neighbouring values tried, of which the first meets the budgets."""
        while abs(good - bad) > (1 if whole else max(_CLOSE * abs(good), _CLOSE**2 * (self.high - self.low))):
            middle = _between(*sorted((good, bad)), whole=whole)
            if self.seen.holds(middle):
                good = middle
            else:
                bad = middle
        return good, bad


def _between(low: Fraction, high: Fraction, *, whole: bool) -> Fraction:
    """Return a short number near the middle of two; of two far apart, near the root of their product."""
    middle = (low + high) / 2
    if low > 0 and high > _WIDE * low:
        middle = Fraction(math.sqrt(low * high)).limit_denominator(1000)
        middle = middle if low < middle < high else (low + high) / 2
    if whole:
        return Fraction(min(max(math.floor(middle), math.floor(low) + 1), math.ceil(high) - 1))
    reach = min(middle - low, high - middle) / 4
    return simplest_inside(middle - reach, middle + reach)


def interval_of(arguments: Mapping[str, Any]) -> tuple[str, Fraction, Fraction] | None:
    """Return the one argument that is a parameter left free, with its ends; None if there is not exactly one."""
    free = [(name, value) for name, value in arguments.items() if isinstance(value, Expression)]
    if len(free) != 1:
        return None
    name, value = free[0]
    ((low, high),) = value.box.values()
    return name, low, high
