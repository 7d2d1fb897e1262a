"""Sums over outputs: how far apart the distributions of two neighbours are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from taut.measures.measure import Locate, Measure
from taut.numbers import INFINITY
from taut.results import Bound, DivergenceBound, LossDistribution, PairClass, PairWitness

__all__ = ["Divergence", "PairCase", "PairMeasure"]


@dataclass(frozen=True)
class PairCase:
    """All pairs with one loss distribution: the distribution (of one of them), and how many there are."""

    loss: LossDistribution
    count: int


class PairMeasure(Measure):
    """A measure whose cases are pairs of neighbours with all their outputs: it sees their loss distributions.

    Solvers collect the different loss distributions and hand them to ``worst``. If ``complete`` is False, there are
    pairs that were not looked at.
    """

    cases: ClassVar[str] = "pairs"
    runs: ClassVar[int] = 2

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
        """The bound over all pairs, from the different loss distributions of those that were looked at."""


class Divergence(PairMeasure):
    """D = the sum over all outputs y of phi(P(A(x) = y), P(A(x') = y)); the largest over neighbours is asked for.

    A divergence of your own is a class with one method, ``phi``. It has to be homogeneous, phi(cp, cq) = c phi(p, q),
    since outputs with one quotient are added up before; and jointly convex, for then D is at most phi(1, 0) + phi(0, 1)
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

    @property
    def name(self) -> str:
        """What the divergence is called in sentences."""
        return type(self).__name__

    @abstractmethod
    def phi(self, p: Any, q: Any) -> Any:
        """One output's part: a number or INFINITY, of two masses (Fractions or Balls) that are not both zero."""

    def of(self, atoms: Iterable[tuple[Any, Any, Any]]) -> Any:
        """The divergence of a loss distribution, given by its atoms (ratio, mass, mass')."""
        total: Any = Fraction(0)
        for _, mass, mass_prime in atoms:
            part = self.phi(mass, mass_prime)
            if _infinite(part):
                return INFINITY
            total = total + part
        return total

    @property
    def most(self) -> Any:
        """What no pair of distributions exceeds; infinite where phi is, or divides by zero, if one mass is zero."""
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
