"""Zero-concentrated differential privacy: the largest Rényi divergence over its order, certified for all orders.

For one pair let K(a) be the logarithm of the Rényi moment of order a. It is convex in a (Hölder), and K(1) = 0. The
Rényi divergence D(a) = K(a) / (a - 1) never decreases in a. rho is the supremum over a > 1 of D(a) / a, which is called
g(a) here.

Orders are split into intervals. On [b, c] with b > 1, convexity puts K below its chord, so g(a) is at most the largest
value of chord(a) / (a (a - 1)) there, which the mean value theorem bounds from the middle of the interval; and since D
increases, g(a) <= D(c) / b. On (1, c] likewise g(a) <= D(c). Beyond c, g(a) <= log(largest quotient) / c. The interval
with the largest bound is split until no bound exceeds the best value attained by a billionth.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.measures.divergence import PairCase, PairMeasure
from taut.numbers import INFINITY, Ball, in_precision
from taut.results import Bound, LossDistribution, PairWitness, ZcdpBound

__all__ = ["ZeroConcentrated"]

_CLOSE = Fraction(1, 10**9)


class ZeroConcentrated(PairMeasure):
    """The smallest rho such that the Rényi divergence of every order a is at most rho * a, for all pairs."""

    def worst(self, cases: Sequence[PairCase], complete: bool, **parts: Any) -> Bound:
        infinite = [case.loss for case in cases if any(a.mass != 0 and a.mass_prime == 0 for a in case.loss.atoms)]
        if infinite:
            return self.bound(INFINITY, INFINITY, witness=_pair(infinite[0]), **parts)
        losses = [case.loss for case in cases if any(atom.ratio != 1 for atom in case.loss.atoms)]
        if not losses:
            limit = Fraction(0) if complete else INFINITY
            return self.bound(Fraction(0), limit, witness=_pair(cases[0].loss), **parts)
        with in_precision():
            lower, upper, loss, order = _largest(losses)
        return self.bound(lower, upper if complete else INFINITY, witness=_pair(loss), order=order, **parts)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return ZcdpBound(attained, limit, measure="rho", **parts)


class _Cumulants:
    """The logarithm of the Rényi moment of one pair, as balls."""

    def __init__(self, loss: LossDistribution) -> None:
        self.loss = loss
        atoms = [(_arb(mass), _arb(mass / mass_prime).log()) for _, mass, mass_prime in loss.atoms if mass != 0]
        self.masses, self.logs = [mass for mass, _ in atoms], [log for _, log in atoms]
        self.largest = max(self.logs, key=lambda log: float(log.mid()))
        for log in self.logs:
            self.largest = self.largest.max(log)

    def at(self, order: Fraction) -> Any:
        power = _arb(order - 1)
        return sum(
            (mass * (power * log).exp() for mass, log in zip(self.masses, self.logs, strict=True)), flint.arb(0)
        ).log()


def _largest(losses: Sequence[LossDistribution]) -> tuple[Any, Any, LossDistribution, Fraction]:
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
        attain(_lower(first[1] / 2), cumulants, Fraction(2))
        push(cumulants, (Fraction(1), flint.arb(0)), first)
        push(cumulants, first, None)
    while True:
        bound, _, cumulants, low, high = heapq.heappop(queue)
        if -bound <= best * (1 + _CLOSE) or -bound < Fraction(1, 10**60):
            return best, max(best, -bound), where, order
        middle = 2 * low[0] if high is None else (low[0] + high[0]) / 2
        value = cumulants.at(middle)
        attain(_lower(value / _arb(middle * (middle - 1))), cumulants, middle)
        push(cumulants, low, (middle, value))
        push(cumulants, (middle, value), high)


def _bound(cumulants: _Cumulants, low: tuple[Fraction, Any], high: tuple[Fraction, Any] | None) -> Fraction:
    """A number that g does not exceed on an interval of orders."""
    if high is None:
        return max(Fraction(0), Ball(cumulants.largest / _arb(low[0])).upper)
    (b, at_b), (c, at_c) = low, high
    if b == 1:
        return max(Fraction(0), Ball(at_c / _arb(c - 1)).upper)
    slope = (at_c - at_b) / _arb(c - b)
    start = at_b - slope * _arb(b)
    middle, orders = _arb((b + c) / 2), _arb(b).union(_arb(c))
    at_middle = (start + slope * middle) / (middle * (middle - 1))
    derivative = (start - 2 * start * orders - slope * orders * orders) / (orders * (orders - 1)) ** 2
    increasing = Ball(at_c / _arb((c - 1) * b)).upper
    by_mean_value = at_middle + abs(derivative) * _arb((c - b) / 2)
    if by_mean_value.is_finite():
        increasing = min(increasing, Ball(by_mean_value).upper)
    return max(Fraction(0), increasing)


def _lower(value: Any) -> Fraction:
    return max(Fraction(0), Ball(value).lower)


def _arb(value: Any) -> Any:
    return value.arb if isinstance(value, Ball) else Ball(value).arb


def _pair(loss: LossDistribution) -> PairWitness:
    return PairWitness(loss.x, loss.x_prime)
