"""Bounds on divergences of neighbours: delta, Rényi moments, any other sum over outputs; and epsilon at a delta."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.errors import InvalidInput, TooLarge
from taut.numbers import INFINITY, float_above
from taut.results.bound import Bound, Verification
from taut.results.loss import LossDistribution
from taut.results.privacy import epsilon_of, logarithm_above
from taut.results.text import class_dict, plain, shown, surely, text_of
from taut.results.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "DeltaBound",
    "DeltaWitness",
    "DivergenceBound",
    "EpsilonBound",
    "Event",
    "PairClass",
    "PairWitness",
    "RenyiBound",
    "StrategyWitness",
    "ZcdpBound",
]


_FEW_OUTPUTS = 512
"""Outputs that a mechanism may have for an event to be shown as a list."""


_ROUNDING = Fraction(1, 2**150)
"""Relative; more than is lost at the precision of balls, and far less than anything that is shown."""


@dataclass(frozen=True)
class PairWitness:
    """Neighbours x and x'."""

    x: Any
    x_prime: Any


@dataclass(frozen=True)
class PairClass:
    """All ordered pairs with one value: the value, how many there are, and one of them."""

    value: Any
    count: int
    witness: PairWitness

    def to_dict(self) -> dict[str, Any]:
        """The class for machines."""
        return class_dict(self)


class Event:
    """The outputs y with P(A(x) = y) > ratio * P(A(x') = y): the event that tells x from x' best.

    Ask ``y in event`` or ``event(y)``; iterate over it where its outputs can be listed, ``few()`` where they are few.
    Where probabilities are balls, the event has the outputs for which the inequality certainly holds; those for which
    the two sides may be equal are ``undecided()``. Whichever of them are added, delta changes by rounding only.
    """

    def __init__(
        self, holds: Callable[[Any], bool | None], listed: Callable[[int | None], dict[Any, bool | None]]
    ) -> None:
        self._holds, self._listed = holds, listed

    def __call__(self, y: Any) -> bool:
        """Whether an output certainly belongs to the event."""
        return self._holds(y) is True

    __contains__ = __call__

    def __iter__(self) -> Iterator[Any]:
        return iter(_where(self._listed(None), True))

    def few(self) -> list[Any] | None:
        """The outputs of the event, in the order of their size where they have one; None if there are many."""
        return self._few(True)

    def undecided(self) -> list[Any] | None:
        """The outputs that may or may not belong to the event, since balls overlap; None if all outputs are many."""
        return self._few(None)

    def _few(self, verdict: bool | None) -> list[Any] | None:
        try:
            outputs = _where(self._listed(_FEW_OUTPUTS), verdict)
        except TooLarge:
            return None
        try:
            return sorted(outputs)
        except TypeError:
            return outputs

    def __repr__(self) -> str:
        outputs = self.few()
        if outputs is None:
            return "<event of many outputs>"
        few = ", ".join(map(repr, outputs[:8]))
        undecided = self.undecided()
        rest = f"; {len(undecided)} undecided" if undecided else ""
        return f"<event of {len(outputs)} outputs: {few}{', ...' if len(outputs) > 8 else ''}{rest}>"

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            return _event_of, (self._listed(_FEW_OUTPUTS),)
        except TooLarge:
            return _event_of, (None,)


def _where(verdicts: dict[Any, bool | None], verdict: bool | None) -> list[Any]:
    return [y for y, found in verdicts.items() if found is verdict]


def _event_of(verdicts: dict[Any, bool | None] | None) -> Event:
    """An event that was pickled: its outputs and the undecided ones; None if they are many."""

    def listed(most: int | None) -> dict[Any, bool | None]:
        if verdicts is None:
            raise TooLarge("this event was pickled without its outputs, which are many; ask the model again.")
        return verdicts

    return Event(lambda y: listed(None).get(y, False), listed)


@dataclass(frozen=True)
class DeltaWitness(PairWitness):
    """Neighbours x and x', and the event that tells them apart best; P(event on x) - e^eps P(event on x') is delta."""

    event: Event = field(compare=False)


@dataclass(frozen=True)
class StrategyWitness(PairWitness):
    """An adversary who chooses entry by entry: the inputs on the likeliest course, and what the best choices reach."""

    loss: LossDistribution = field(compare=False, repr=False)
    """The loss distribution of the output if x and x' are chosen as they go, by the best choices everywhere."""


@dataclass(frozen=True)
class DivergenceBound(Bound):
    """The largest divergence of the output distributions of two neighbours.

    Guarantee:
        D(A(x), A(x')) <= value for every related pair (x, x'); if ``exact``, the witness attains it.
    """

    witness: PairWitness = field(default=PairWitness(None, None))
    measure: str = ""
    adaptive: bool = False
    """Whether entries may be chosen after what is certain about the output by then has been seen."""

    @property
    def value(self) -> Any:
        """The divergence: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    _pictured = "worst pair"

    def _figure(self, title: str | None) -> Figure:
        from taut.results.pair_figure import divergence_figure

        return divergence_figure(self, self._seen(), title)

    def __str__(self) -> str:
        if self.exact:
            head = f"{self._named()} = {surely(self.value)}{self._also()}"
        else:
            head = f"{shown(self.lower)} <= {self._named()} <= {shown(self.upper)}{self._also()}"
        return f"{head}{self._where()}"

    def _where(self) -> str:
        relation = "" if self.neighbors is None else f" for {self.neighbors} neighbours"
        relation += " against adaptive inputs, for example" if self.adaptive else ","
        return f"{relation} at x={self.witness.x}, x'={self.witness.x_prime}; found by {self.method}"

    def _named(self) -> str:
        return self.measure

    def _also(self) -> str:
        return ""

    def _head(self) -> dict[str, Any]:
        value = {"value": text_of(self.value), "infinite": self.value == INFINITY}
        return {"measure": self.measure, **value, "neighbors": self.neighbors}


@dataclass(frozen=True)
class DeltaBound(DivergenceBound):
    """The smallest delta for which a mechanism is (epsilon, delta)-differentially private, for a given epsilon.

    Guarantee:
        P(A(x) in S) <= e^epsilon P(A(x') in S) + delta for every related pair (x, x') and every set S of outputs; if
        ``exact``, the witness and its event attain it.
    """

    _saved = True

    ratio: Any = None
    """e^epsilon, a Fraction or a Ball."""
    at_epsilon: Any = None
    """The epsilon that was asked for, if that was given."""

    @property
    def delta(self) -> Any:
        """A Fraction, or a Ball for irrational e^epsilon; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> Any:
        """The epsilon that was asked for; for a given ratio its logarithm, rounded up."""
        return epsilon_of(self.ratio) if self.at_epsilon is None else self.at_epsilon

    def _named(self) -> str:
        return "delta"

    @property
    def place(self) -> str:
        """At what delta was asked for, as it was given: 'eps = 1' or 'e^eps = 3/2'."""
        return f"e^eps = {text_of(self.ratio)}" if self.at_epsilon is None else f"eps = {self.at_epsilon}"

    def _also(self) -> str:
        return f" at {self.place}"

    def _head(self) -> dict[str, Any]:
        epsilon = self.epsilon if self.at_epsilon is None else str(self.at_epsilon)
        at = {"ratio": text_of(self.ratio), "epsilon": epsilon}
        return {"delta": text_of(self.delta), **at, "neighbors": self.neighbors}

    def _plain_witness(self) -> dict[str, Any] | None:
        """The event as a list, None where its outputs are many; undecided outputs beside it, if there are any."""
        found = super()._plain_witness()
        if found is None:
            return None
        event = getattr(self.witness, "event", None)
        outputs, undecided = (None, None) if event is None else (event.few(), event.undecided())
        rest = {"undecided": [plain(y) for y in undecided]} if undecided else {}
        return {**found, "event": None if outputs is None else [plain(y) for y in outputs], **rest}


@dataclass(frozen=True)
class RenyiBound(DivergenceBound):
    """The largest Rényi moment, the sum of p^order q^(1 - order), of the output distributions of two neighbours."""

    _saved = True

    order: Any = None

    @property
    def moment(self) -> Any:
        """A Fraction for whole orders, else a Ball; INFINITY where only one of two neighbours has some output."""
        return self.upper

    @property
    def divergence(self) -> float:
        """The Rényi divergence, log(moment) / (order - 1), rounded up: the smallest float that is not below it."""
        return logarithm_above(self.moment, self.order - 1)

    def _named(self) -> str:
        return f"moment of order {self.order}"

    def _also(self) -> str:
        return f" (divergence {self.divergence:.6g})"

    def _head(self) -> dict[str, Any]:
        return {
            "order": text_of(self.order),
            "moment": text_of(self.moment),
            **_number("divergence", self.divergence),
            "neighbors": self.neighbors,
        }


@dataclass(frozen=True)
class EpsilonBound(DivergenceBound):
    """The smallest e^epsilon for which a mechanism is (epsilon, delta)-differentially private, for a given delta.

    Guarantee:
        P(A(x) in S) <= max_ratio * P(A(x') in S) + delta for every related pair (x, x') and every set S of outputs; if
        ``exact``, no smaller ratio will do, as the witness shows.
    """

    _saved = True

    delta: Any = None
    runs: int = 1
    """How many runs were composed; the bound of a composition has no worst pair."""
    tight: bool = True
    """Whether a composition attains the bound; else it is an upper bound."""

    @property
    def max_ratio(self) -> Any:
        """e^epsilon, at least 1: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, rounded up: the smallest float that is not below it."""
        return epsilon_of(self.max_ratio)

    @property
    def complete(self) -> bool:
        """Also where the ends differ by rounding alone: probabilities with exp are turned into rationals."""
        return self.exact or same_but_for_rounding(self.lower, self.upper)

    def verify(self) -> Verification:
        """Replay the pair alone; where probabilities have exp, both ratios are rounded, and compared up to that."""
        if self.runs > 1:
            raise InvalidInput("verify: a composition has no worst pair to replay; verify its parts.", value=self)
        found = super().verify()
        rounded = not self.exact and self.complete
        return replace(found, holds=found.holds or (rounded and same_but_for_rounding(found.replayed, self.lower)))

    def _seen(self) -> View:
        if self.runs > 1:
            raise InvalidInput("plot: a composition has no worst pair to draw; plot its profile.", value=self)
        return super()._seen()

    def _named(self) -> str:
        return "e^eps"

    def _also(self) -> str:
        return f" (eps = {self.epsilon:.6g}) at delta = {shown(self.delta)}"

    def _where(self) -> str:
        if self.runs == 1:
            return super()._where()
        return f", for {self.runs} runs ({'tight' if self.tight else 'an upper bound'}); found by {self.method}"

    def _head(self) -> dict[str, Any]:
        return {
            "max_ratio": text_of(self.max_ratio),
            **_number("epsilon", self.epsilon),
            "delta": text_of(self.delta),
            "neighbors": self.neighbors,
        }


@dataclass(frozen=True)
class ZcdpBound(DivergenceBound):
    """The smallest rho for which a mechanism is rho-zero-concentrated differentially private.

    Guarantee:
        For every order a > 1 and every related pair the Rényi divergence is at most rho * a. The witness attains
        ``lower`` near the order ``order``; if all pairs were looked at, the ends differ by a billionth at most.
    """

    _saved = True

    order: Any = None

    @property
    def rho(self) -> float:
        """Rounded up: the smallest float that is not below the upper end."""
        return INFINITY if self.upper == INFINITY else float_above(self.upper)

    @property
    def complete(self) -> bool:
        return self.exact or self.upper < INFINITY

    def verify(self) -> Verification:
        """Replay the pair alone: its own rho has to be the one that is claimed, to within a billionth."""
        found = super().verify()
        if found or found.replayed == INFINITY or self.lower == INFINITY:
            return found
        close = abs(found.replayed - self.lower) <= self.lower / 10**9
        return replace(found, holds=close)

    def __str__(self) -> str:
        near = "" if self.order is None else f" near order {float(self.order):.6g}"
        if not self.complete:
            return f"{float(self.lower):.10g} <= rho <= infinity{near}{self._where()}"
        return f"rho = {self.rho:.10g}, rounded up{near}{self._where()}"

    def _head(self) -> dict[str, Any]:
        order = None if self.order is None else float(self.order)
        return {**_number("rho", self.rho), "order": order, "neighbors": self.neighbors}


def same_but_for_rounding(value: Any, other: Any) -> bool:
    """Whether two ratios are finite and differ by less than what is lost when balls are rounded to rationals."""
    return INFINITY not in (value, other) and bool(abs(value - other) <= _ROUNDING * max(abs(value), abs(other)))


def _number(name: str, value: float) -> dict[str, Any]:
    """A float for machines, None where it is infinite, which is said beside it."""
    infinite = abs(value) == INFINITY
    return {name: None if infinite else value, "infinite": infinite}
