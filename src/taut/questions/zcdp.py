"""Zero-concentrated differential privacy: the largest Rényi divergence over its order, certified for all orders.

For one pair let K(a) be the logarithm of the Rényi moment of order a. It is convex in a (Hölder), and K(1) = 0. The
Rényi divergence D(a) = K(a) / (a - 1) never decreases in a. rho is the supremum over a > 1 of D(a) / a, which is called
g(a) here.

Orders are split into intervals. K'' is the variance of the loss l under the weights p e^((a-1) l), whose sum is the
moment: at least 1, and increasing in a.

- On [b, c] with b > 1 let v <= K''. Then K(a) <= chord(a) - v (a - b) (c - a) / 2, and the largest value of this over
  a (a - 1) is at an end or where the derivative vanishes, at the roots of a quadratic. Where shares are at least s,
  the variance is at least the smallest sum of s (l - m)^2 over all m; and s may be p e^(min of (b-1) l and (c-1) l)
  over the moment of order c.
- On (1, c] let K'' <= V. D(a) is the mean of K' over [1, a], so D(a) <= KL + (a - 1) V / 2 with KL = K'(1), the
  Kullback-Leibler divergence. This over a is monotone, so g(a) <= max(KL, (KL + (c - 1) V / 2) / c). KL itself is the
  limit of g at 1. A variance is at most the second moment around any point, so V may be the sum of
  p e^((c-1) max(l, 0)) (l - KL)^2.
- Since D increases, g(a) <= D(c) / b on [b, c]. Beyond c, g(a) <= log(largest ratio) / c.

The interval with the largest bound is split until no bound exceeds the best value attained by a billionth. Where g is
flat over many orders, as for noise that is nearly Gaussian, that may take long: after a fixed amount of work the value
attained and the largest bound are the answer, a certified interval.

A bound that is known from elsewhere may end the search. Discrete Gaussian noise of variance s around two centres at a
distance d has a Rényi divergence of order a of at most a d^2 / (2 s), at every order, and one that is equal at every
whole order: so rho is at most d^2 / (2 s), also after clamping, which is a function of the output.
"""

from __future__ import annotations

import heapq
import itertools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import flint

from taut.questions.bound import Bound, Verification
from taut.questions.claimed import Requirement, gap_below, positive
from taut.questions.field import Numbers
from taut.questions.loss import LossDistribution
from taut.questions.measure import Measure
from taut.questions.pair_measure import DivergenceBound, PairCase, PairMeasure, arb_of, pair_of
from taut.questions.pairs import PairQuestion
from taut.questions.privacy import LargestRatio
from taut.questions.question import question
from taut.questions.rows import Number, Row
from taut.questions.saved import Layout, SavedAnswer
from taut.questions.text import float_dict, outward, rounded_up
from taut.support.exact import INFINITY, Ball, float_above, in_precision
from taut.support.limits import checkpoint

__all__ = ["Zcdp", "ZcdpBound", "ZeroConcentrated"]

_CLOSE = Fraction(1, 10**9)
_BILLIONTH = Fraction(1, 10**9)
_MOST_WORK = 1 << 18
"""Limit for the atoms that are evaluated before the answer stays an interval."""


@dataclass(frozen=True)
class ZcdpBound(DivergenceBound):
    """The smallest rho for which a mechanism is rho-zero-concentrated differentially private.

    Guarantee:
        For every order a > 1 and every related pair the Rényi divergence is at most rho * a. The witness attains
        ``lower`` near the order ``order``. The ends differ by a billionth at most, unless that would take too long.
    """

    order: Any = None

    @property
    def rho(self) -> float:
        """Rounded up: the smallest float that is not below the upper end."""
        return INFINITY if self.upper == INFINITY else float_above(self.upper)

    @property
    def complete(self) -> bool:
        return self.exact or self.upper < INFINITY

    @property
    def narrow(self) -> bool:
        """True if the ends differ by a billionth at most, but for rounding."""
        return bool(self.upper == self.lower or self.upper - self.lower <= self.lower * 2 * _BILLIONTH)

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
            return f"{outward(self.lower, 10, up=False)} <= rho <= infinity{near}{self._where()}"
        if not self.narrow:
            return f"{outward(self.lower, 10, up=False)} <= rho <= {rounded_up(self.rho, 10)}{near}{self._where()}"
        return f"rho = {rounded_up(self.rho, 10)}, rounded up{near}{self._where()}"

    def _head(self) -> dict[str, Any]:
        order = None if self.order is None else float(self.order)
        return {**float_dict("rho", self.rho, self.lower), "order": order, "neighbors": self.neighbors}


class ZeroConcentrated(PairMeasure):
    """The smallest rho such that the Rényi divergence of every order a is at most rho * a, for all pairs."""

    monotone = additive = True

    def worst(self, cases: Sequence[PairCase], complete: bool, proved: Fraction | None = None, **parts: Any) -> Bound:
        """Return the largest rho of some pairs; ``proved`` is a number that is known not to be exceeded by any pair."""
        infinite = [case.loss for case in cases if any(a.mass != 0 and a.mass_prime == 0 for a in case.loss.atoms)]
        if infinite:
            return self.bound(INFINITY, INFINITY, witness=pair_of(infinite[0]), **parts)
        losses = [case.loss for case in cases if any(atom.ratio != 1 for atom in case.loss.atoms)]
        if not losses:
            limit = Fraction(0) if complete else INFINITY
            return self.bound(Fraction(0), limit, witness=pair_of(cases[0].loss), **parts)
        with in_precision():
            lower, upper, loss, order = _largest(losses, proved)
        return self.bound(lower, upper if complete else INFINITY, witness=pair_of(loss), order=order, **parts)

    def implied(self, other: Measure, limit: Any) -> Any:
        """No divergence of any order is above epsilon, and orders are above 1."""
        if not isinstance(other, LargestRatio):
            return None
        with in_precision():
            return _upper(arb_of(limit).log())

    def at_pair(self, loss: LossDistribution) -> Any:
        """Return the value that one pair attains: its rho, rounded down by a billionth at most."""
        return self.worst([PairCase(loss, 1)], True, method="", stats={}).lower

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return ZcdpBound(attained, limit, measure="rho", **parts)


class _Cumulants:
    """The logarithm of the Rényi moment of one pair, as balls."""

    def __init__(self, loss: LossDistribution) -> None:
        self.loss = loss
        atoms = [(arb_of(mass), arb_of(mass / mass_prime).log()) for _, mass, mass_prime in loss.atoms if mass != 0]
        self.masses, self.logs = [mass for mass, _ in atoms], [log for _, log in atoms]
        self.largest = max(self.logs, key=lambda log: float(log.mid()))
        for log in self.logs:
            self.largest = self.largest.max(log)
        self.mean = sum((mass * log for mass, log in atoms), flint.arb(0))
        """The Kullback-Leibler divergence, the slope at order 1."""

    def at(self, order: Fraction) -> Any:
        power = arb_of(order - 1)
        return sum(
            (mass * (power * log).exp() for mass, log in zip(self.masses, self.logs, strict=True)), flint.arb(0)
        ).log()

    def largest_variance(self, order: Fraction) -> Any:
        """Return an upper bound of the second derivative from order 1 to the given one."""
        power, zero = arb_of(order - 1), flint.arb(0)
        parts = (
            mass * (power * log.max(zero)).exp() * (log - self.mean) * (log - self.mean)
            for mass, log in zip(self.masses, self.logs, strict=True)
        )
        return sum(parts, zero)

    def least_variance(self, low: tuple[Fraction, Any], high: tuple[Fraction, Any]) -> Any:
        """Return a lower bound of the second derivative between two orders (given with their logarithms of moments)."""
        (b, _), (c, at_c) = low, high
        shares = [
            mass * ((arb_of(b - 1) * log).min(arb_of(c - 1) * log) - at_c).exp()
            for mass, log in zip(self.masses, self.logs, strict=True)
        ]
        first = sum((share * log for share, log in zip(shares, self.logs, strict=True)), flint.arb(0))
        second = sum((share * log * log for share, log in zip(shares, self.logs, strict=True)), flint.arb(0))
        least = second - first * first / sum(shares, flint.arb(0))
        return Ball(max(Fraction(0), Ball(least).lower)).arb if least.is_finite() else flint.arb(0)


def _largest(
    losses: Sequence[LossDistribution], proved: Fraction | None
) -> tuple[Any, Any, LossDistribution, Fraction]:
    """Return the largest value attained, a number that none exceeds, and where it is attained."""
    left = _MOST_WORK
    best: Fraction = Fraction(0)
    where, order = losses[0], Fraction(1)
    count = itertools.count()
    queue: list[tuple[Any, int, _Cumulants, Any, Any]] = []

    def attain(value: Fraction, cumulants: _Cumulants, at: Fraction) -> None:
        nonlocal best, where, order
        if value > best:
            best, where, order = value, cumulants.loss, at

    def push(cumulants: _Cumulants, low: tuple[Fraction, Any], high: tuple[Fraction, Any] | None) -> None:
        heapq.heappush(queue, (-_bound(cumulants, low, high), next(count), cumulants, low, high))

    for loss in losses:
        cumulants = _Cumulants(loss)
        first = (Fraction(2), cumulants.at(Fraction(2)))
        attain(_lower(cumulants.mean), cumulants, Fraction(1))
        attain(_lower(first[1] / 2), cumulants, Fraction(2))
        push(cumulants, (Fraction(1), flint.arb(0)), first)
        push(cumulants, first, None)
    while True:
        bound, _, cumulants, low, high = heapq.heappop(queue)
        limit = -bound if proved is None else min(-bound, proved)
        if limit <= best * (1 + _CLOSE) or limit < Fraction(1, 10**60) or left < 0:
            return best, max(best, limit), where, order
        left -= len(cumulants.logs)
        checkpoint()
        middle = 2 * low[0] if high is None else (low[0] + high[0]) / 2
        value = cumulants.at(middle)
        attain(_lower(value / arb_of(middle * (middle - 1))), cumulants, middle)
        push(cumulants, low, (middle, value))
        push(cumulants, (middle, value), high)


def _bound(cumulants: _Cumulants, low: tuple[Fraction, Any], high: tuple[Fraction, Any] | None) -> Fraction:
    """Return a number that g does not exceed on an interval of orders."""
    if high is None:
        return _upper(cumulants.largest / arb_of(low[0]))
    (b, at_b), (c, at_c) = low, high
    increasing = _upper(at_c / arb_of((c - 1) * b))
    if b == 1:
        from_one = (cumulants.mean + cumulants.largest_variance(c) * arb_of((c - 1) / 2)) / arb_of(c)
        return min(increasing, max(_upper(cumulants.mean), _upper(from_one)))
    slope, bend = (at_c - at_b) / arb_of(c - b), cumulants.least_variance(low, high) / 2
    fixed = at_b - slope * arb_of(b) + bend * arb_of(b * c)
    linear = slope - bend * arb_of(b + c)
    if (linear + bend).contains(0):
        return increasing
    root = (fixed * (fixed + linear + bend)).max(flint.arb(0)).sqrt()  # if it is not real, a point more does no harm
    turns = [(root - fixed) / (linear + bend), (-root - fixed) / (linear + bend)]
    points = [arb_of(b), arb_of(c), *[point for point in turns if point.overlaps(arb_of(b).union(arb_of(c)))]]
    return min(increasing, max(_upper((fixed + linear * a + bend * a * a) / (a * (a - 1))) for a in points))


def _upper(value: Any) -> Fraction:
    """Return the upper end of a ball; infinite ones, of a division by a ball around 0, are as large as can be."""
    return max(Fraction(0), Ball(value).upper) if value.is_finite() else Fraction(10**300)


def _lower(value: Any) -> Fraction:
    return max(Fraction(0), Ball(value).lower)


@question
class Zcdp(PairQuestion[ZcdpBound]):
    """The smallest rho for which a mechanism is rho-zero-concentrated private, rounded up, with a worst pair."""

    name = "zcdp"
    title = "Zero-concentrated privacy"
    of_runs = operator.mul
    claims: ClassVar[Mapping[str, str]] = {"zcdp": "the largest rho"}
    layout = Layout(Numbers(0, INFINITY, rational=True))

    @property
    def label(self) -> str:
        return "rho"

    @property
    def short(self) -> str:
        return "zCDP"

    def to_measure(self) -> ZeroConcentrated:
        return ZeroConcentrated()

    def good(self, bound: ZcdpBound) -> bool:
        return bound.rho != INFINITY

    def rows(self, bound: ZcdpBound) -> list[Row]:
        near = [] if bound.order is None else [("near order", f"{float(bound.order):.6g}")]
        value = f"{rounded_up(bound.rho, 10)}, rounded up"
        if bound.complete and not bound.narrow:
            value = f"{outward(bound.lower, 10, up=False)} .. {rounded_up(bound.rho, 10)}"
        return [("rho", value), *near, *self.pair_rows(bound)]

    def numbers(self, bound: ZcdpBound) -> list[Number]:
        return [Number("rho", "rho", bound.rho, exact=False)]

    # -- saving ------------------------------------------------------------------------------------------------------

    @classmethod
    def settled(cls, saved: SavedAnswer) -> bool:
        return bool(saved.exact or saved.upper != INFINITY)

    @classmethod
    def confirmed(cls, saved: SavedAnswer, value: Any) -> bool:
        return bool(abs(value - saved.attained) <= saved.attained * _BILLIONTH)

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        rho = INFINITY if saved.upper == INFINITY else float_above(saved.upper)
        if rho == INFINITY and not saved.complete:
            return f"For {saved.neighbors} neighbours rho is not bounded yet."
        if rho == INFINITY:
            return f"For {saved.neighbors} neighbours no rho is enough: the mechanism is not zero-concentrated private."
        return (
            f"For {saved.neighbors} neighbours rho is {rounded_up(rho, 10)}, rounded up: the Rényi divergence of "
            "every order a is at most rho times a."
        )

    # -- claims ------------------------------------------------------------------------------------------------------

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        if given.get("zcdp") is None:
            return []
        positive(given["zcdp"], "zcdp")
        return [ConcentratedRequirement(cls(), given["zcdp"])]


@dataclass(frozen=True)
class ConcentratedRequirement(Requirement):
    """Rho is at most what is claimed."""

    def slack(self, bound: ZcdpBound) -> float:
        return gap_below(self.limit, bound.rho)
