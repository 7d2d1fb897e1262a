"""Measures and bounds of pairs of neighbours with all their outputs, and the events that tell neighbours apart."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import flint

from taut.composition.curve import Curve, Line, lines_of
from taut.questions.bound import Bound
from taut.questions.loss import Atom, LossDistribution
from taut.questions.measure import Locate, Measure
from taut.questions.text import Represented, case_text, class_dict, equals, found_by, text_of
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, in_precision

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "DeltaWitness",
    "Divergence",
    "DivergenceBound",
    "Event",
    "PairCase",
    "PairClass",
    "PairMeasure",
    "PairWitness",
    "StrategyWitness",
    "arb_of",
    "envelope_of",
    "envelopes_of",
    "pair_of",
    "positive_part",
]


@dataclass(frozen=True)
class PairWitness(Represented):
    """Neighbours x and x'."""

    x: Any
    x_prime: Any


@dataclass(frozen=True)
class PairClass(Represented):
    """All ordered pairs with one value: the value, how many there are, and one of them."""

    value: Any
    count: int
    witness: PairWitness

    def to_dict(self) -> dict[str, Any]:
        """Return the class as plain data."""
        return class_dict(self)


@dataclass(frozen=True)
class StrategyWitness(PairWitness):
    """An adversary who chooses entry by entry: the inputs of its likeliest course, and the value of the best
    choices."""

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
    """True if entries may be chosen after what is certain about the output by then has been seen."""

    @property
    def value(self) -> Any:
        """The divergence: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    _pictured = "worst pair"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.pair_figure import divergence_figure

        return divergence_figure(self, self._seen(), title)

    def __str__(self) -> str:
        return f"{self._stated()}{self._also()}{self._where()}"

    def _stated(self) -> str:
        """Return the number with its name."""
        return equals(self._named(), self.lower, self.upper)

    def _where(self) -> str:
        relation = "" if self.neighbors is None else f" for {self.neighbors} neighbours"
        if not self.witnessed:
            return f"{relation}{self._without_case('pair')}"
        relation += " against adaptive inputs, for example" if self.adaptive else ","
        places = f"x={case_text(self.witness.x)}, x'={case_text(self.witness.x_prime)}"
        return f"{relation} at {places}; {found_by(self.method)}{self._unfollowed()}"

    def _named(self) -> str:
        return self.measure

    def _also(self) -> str:
        return ""

    def _head(self) -> dict[str, Any]:
        value = {"value": text_of(self.value), "infinite": self.lower == INFINITY}
        return {"measure": self.measure, **value, "neighbors": self.neighbors}


@dataclass(frozen=True)
class PairCase:
    """All pairs with one loss distribution: the distribution (of one of them), and how many there are."""

    loss: LossDistribution
    count: int


class PairMeasure(Measure):
    """A measure whose cases are pairs of neighbours with all their outputs: it sees their loss distributions.

    Solvers collect the different loss distributions and hand them to ``worst``. If ``complete`` is False, there are
    pairs that were not looked at. What a solver may rely on is declared here, so that none knows a measure by name.
    """

    cases: ClassVar[str] = "pairs"
    runs: ClassVar[int] = 2
    monotone: bool = False
    """True if post-processing certainly never raises it."""
    whole_curve: bool = False
    """True if its value is a curve."""
    profile: bool = False
    """True if that curve is the envelope of the hockey-stick curves of all pairs."""
    at_delta: Any = None
    """The delta if it is the smallest e^epsilon, at least 1, at which that delta is enough; else None."""
    additive: bool = False
    """True if that of independent parts is at most the sum of theirs, a limit that ``worst`` takes as ``proved``."""
    ignores_tiny: bool = False
    """True if it is read off hockey-stick curves, to which outputs that are next to impossible add next to nothing."""
    kink: Any = None
    """The ratio if it is the sum of max(0, p - ratio * q); else None."""
    moment: Any = None
    """The order if it rises with the sum of p^order * q^(1 - order), and with nothing else; else None."""

    @property
    def largest(self) -> bool:
        return True

    def witness(self, inputs: Sequence[Any], y: Any) -> PairWitness:
        x, x_prime = inputs
        return PairWitness(x, x_prime)

    def value_class(self, value: Any, count: int, locate: Locate) -> PairClass:
        return PairClass(value, count, locate())

    @abstractmethod
    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> Bound:
        """Return the bound over all pairs from the different loss distributions that were found."""

    def at_pair(self, loss: LossDistribution) -> Any:
        """Return the value of one pair."""
        raise NotImplementedError

    def unknown(self, **parts: Any) -> Bound:
        """Return the interval from two equal distributions upwards: no two are closer."""
        equal = LossDistribution(None, None, (Atom(Fraction(1), Fraction(1), Fraction(1)),))
        return replace(self.worst([PairCase(equal, 1)], False, **parts), witnessed=False)


class Divergence(PairMeasure):
    """D = the sum over all outputs y of phi(P(A(x) = y), P(A(x') = y)); the largest over neighbours is asked for.

    A divergence of your own is a class with one method, ``phi``. It has to be homogeneous, phi(cp, cq) = c phi(p, q),
    since outputs with one ratio are added up before; and jointly convex, for then D is at most phi(1, 0) + phi(0, 1)
    and post-processing never raises it.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from taut import bits
    >>> from taut.measures import Divergence
    >>> from taut.mechanisms import randomized_response
    >>> class Triangular(Divergence):
    ...     def phi(self, p, q):
    ...         return (p - q) ** 2 / (p + q)
    >>> randomized_response(bits(3), lam="1/5").divergence(Triangular()).value
    Fraction(18, 25)
    """

    algebraic: bool = False
    """True if phi is a rational function of p and q wherever it is finite; then it has closed forms."""
    multiplicative: bool = False
    """True if phi(ac, bd) = phi(a, b) phi(c, d)."""

    def __init_subclass__(cls, **given: Any) -> None:
        """Forget what is declared of another phi where a class has one of its own."""
        super().__init_subclass__(**given)
        for name in ("algebraic", "multiplicative", "monotone", "kink", "moment"):
            if "phi" in vars(cls) and name not in vars(cls):
                setattr(cls, name, getattr(Divergence, name))

    @property
    def name(self) -> str:
        """Name of the divergence in sentences."""
        return type(self).__name__

    @abstractmethod
    def phi(self, p: Any, q: Any) -> Any:
        """Return one output's part: a number or INFINITY, of two masses (Fractions or Balls) that are not both zero."""

    def of(self, atoms: Iterable[tuple[Any, Any, Any]]) -> Any:
        """Return the divergence of a loss distribution, given by its atoms (ratio, mass, mass')."""
        total: Any = Fraction(0)
        for _, mass, mass_prime in atoms:
            part = self.phi(mass, mass_prime)
            if _infinite(part):
                return INFINITY
            total = total + part
        return total

    def at_pair(self, loss: LossDistribution) -> Any:
        return self.of(loss.atoms)

    @property
    def most(self) -> Any:
        """Upper bound for all pairs of distributions; infinite if phi is, or divides by zero, where one mass is 0."""
        try:
            ends = self.phi(Fraction(1), Fraction(0)), self.phi(Fraction(0), Fraction(1))
        except ZeroDivisionError:
            return INFINITY
        return INFINITY if any(map(_infinite, ends)) else sum(ends)

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> Bound:
        values = [(self.of(case.loss.atoms), case) for case in cases]
        found = self.classes((value, case.count, _located(case.loss)) for value, case in values)[0]
        limit = found.value if complete else self.most
        return self.bound(found.value, limit, witness=found.witness, count=found.count if complete else None, **parts)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return DivergenceBound(attained, limit, measure=self.name, **parts)


def _located(loss: LossDistribution) -> Locate:
    return lambda: PairWitness(loss.x, loss.x_prime)


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and value == INFINITY


def envelope_of(cases: Sequence[PairCase], *, up: bool, exchanged: bool = False) -> Curve:
    """Return the upper envelope of the hockey-stick curves of all pairs, rounded up or down where they are balls."""
    losses = (case.loss for case in cases)
    return Curve(line for loss in losses for line in lines_of(loss.rational(up=up, exchanged=exchanged), pair_of(loss)))


def envelopes_of(cases: Sequence[PairCase], complete: bool) -> tuple[Curve, Curve]:
    """Return a lower and an upper envelope of the hockey-stick curves of all pairs; they are one if all are exact."""
    lower = envelope_of(cases, up=False)
    if not complete:
        return lower, Curve([Line(Fraction(1), Fraction(0))])
    return lower, lower if all(case.loss.exact for case in cases) else envelope_of(cases, up=True)


def pair_of(loss: LossDistribution) -> PairWitness:
    """Return the two inputs of a loss distribution."""
    return PairWitness(loss.x, loss.x_prime)


def positive_part(value: Any) -> Any:
    """Return the positive part of a number."""
    if not isinstance(value, Ball):
        return max(Fraction(0), value)
    if value.upper <= 0:
        return Ball(0)
    if value.lower >= 0:
        return value
    with in_precision():
        return Ball(value.arb.max(flint.arb(0)))


def arb_of(value: Any) -> Any:
    """Return a number as a ball of Arb."""
    return value.arb if isinstance(value, Ball) else Ball(value).arb


_FEW_OUTPUTS = 512
"""Outputs that a mechanism may have for an event to be shown as a list."""


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
        """Return True if an output certainly belongs to the event."""
        return self._holds(y) is True

    __contains__ = __call__

    def __iter__(self) -> Iterator[Any]:
        return iter(_where(self._listed(None), True))

    def few(self) -> list[Any] | None:
        """Return the outputs of the event, in the order of their size where they have one; None if there are many."""
        return self._few(True)

    def undecided(self) -> list[Any] | None:
        """Return the outputs that balls leave undecided, since they overlap; None if all outputs are many."""
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
    """Return an event that was pickled: its outputs and the undecided ones; None if they are many."""

    def listed(most: int | None) -> dict[Any, bool | None]:
        if verdicts is None:
            raise TooLarge("this event was pickled without its outputs, which are many; ask the model again.")
        return verdicts

    return Event(lambda y: listed(None).get(y, False), listed)


@dataclass(frozen=True)
class DeltaWitness(PairWitness):
    """Neighbours x and x', and the event that tells them apart best; P(event on x) - e^eps P(event on x') is delta."""

    event: Event = field(compare=False)
