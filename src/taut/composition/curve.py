"""Hockey-stick curves: delta as a function of gamma = e^epsilon, and the smallest Gaussian curve above one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from taut.support.exact import INFINITY, Ball, decimal, ends, in_precision
from taut.support.limits import checkpoints

__all__ = ["Curve", "Line", "gaussian_mu", "gaussian_mu_above", "lines_of"]


_MOST_BITS = 1 << 14


@dataclass(frozen=True)
class Line:
    """A set S of outputs on a pair: P(A(x) in S) = ``mass`` and P(A(x') in S) = ``mass_prime``.

    Its hockey-stick is mass - gamma * mass_prime. ``pair`` identifies the pair of inputs at which the line was found.
    """

    mass: Fraction
    mass_prime: Fraction
    pair: Any = None

    def at(self, gamma: Fraction) -> Fraction:
        return self.mass - gamma * self.mass_prime


def lines_of(atoms: Iterable[tuple[Any, Fraction, Fraction]], pair: Any = None) -> Iterator[Line]:
    """Yield the lines of a loss distribution, given by its atoms (ratio, mass, mass') with the largest ratio first.

    The sets of outputs with the largest ratios are the best tests (Neyman and Pearson), so delta at any gamma is the
    largest of these lines.
    """
    mass = mass_prime = Fraction(0)
    yield Line(mass, mass_prime, pair)
    for _, more, more_prime in atoms:
        mass, mass_prime = mass + more, mass_prime + more_prime
        yield Line(mass, mass_prime, pair)


class Curve:
    """The maximum of finitely many lines, for gamma >= 0: a privacy profile.

    Guarantee:
        ``lines`` are those that are largest somewhere, the flattest first; ``corners`` are the exact points between
        them. As points (mass', mass) they are the corners of the concave hull of all tests.

    >>> tests = [(0, 0), (Fraction(4, 5), Fraction(1, 5)), (1, 1)]
    >>> curve = Curve(Line(Fraction(mass), Fraction(mass_prime)) for mass, mass_prime in tests)
    >>> curve(Fraction(2)), curve.corners
    (Fraction(2, 5), [(Fraction(4, 1), Fraction(0, 1)), (Fraction(1, 4), Fraction(3, 4))])
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        hull: list[tuple[Any, Any, Line]] = []
        for line in sorted(_scaled(lines), key=lambda line: (line[1], -line[0])):
            if hull and line[0] <= hull[-1][0]:
                continue
            while len(hull) > 1 and _hidden(hull[-2], hull[-1], line):
                hull.pop()
            hull.append(line)
        self.lines = [line for _, _, line in hull]

    def __eq__(self, other: object) -> bool:
        """The same lines, found at the same pairs."""
        return self.lines == other.lines if isinstance(other, Curve) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.lines))

    def agrees(self, other: Curve) -> bool:
        """Return True if two curves have the same values, found at whichever pairs."""
        own, others = ([(line.mass, line.mass_prime) for line in curve.lines] for curve in (self, other))
        return own == others

    def __repr__(self) -> str:
        count = len(self.lines)
        return f"<curve of {count} line{'s' if count > 1 else ''}, {decimal(self(Fraction(1)))} at 1>"

    def __call__(self, gamma: Fraction) -> Fraction:
        return self.line_at(gamma).at(gamma)

    def line_at(self, gamma: Fraction) -> Line:
        """Return the line that is largest at gamma; at a corner the flatter one."""
        low, high = 0, len(self.lines) - 1
        while low < high:
            middle = (low + high) // 2
            if self.lines[middle + 1].at(gamma) > self.lines[middle].at(gamma):
                low = middle + 1
            else:
                high = middle
        return self.lines[low]

    @property
    def corners(self) -> list[tuple[Fraction, Fraction]]:
        """The points (gamma, delta) where the slope changes, the largest gamma first."""
        return [self._corner(number) for number in checkpoints(range(len(self.lines) - 1), 16)]

    def inverse(self, delta: Fraction) -> Any:
        """Return the smallest gamma >= 0 at which the curve is at most delta; INFINITY if there is none."""
        if self.lines[0].mass > delta:
            return INFINITY
        line = self.line_reaching(delta)
        return max(Fraction(0), (line.mass - delta) / line.mass_prime) if line.mass_prime else Fraction(0)

    def line_reaching(self, delta: Fraction) -> Line:
        """Return the line on which the curve falls to delta, the first one if it stays above.

        It exceeds delta at every gamma below ``inverse(delta)``. At a corner that is the steeper of the two lines: the
        flatter one may have been at most delta long before.
        """
        if self.lines[0].mass > delta:
            return self.lines[0]
        low, high = 0, len(self.lines) - 1
        while low < high:
            middle = (low + high) // 2
            if self._corner(middle)[1] > delta:
                high = middle
            else:
                low = middle + 1
        return self.lines[low]

    @property
    def atoms(self) -> list[tuple[Any, Fraction, Fraction]]:
        """The pair of distributions that has this curve: (ratio, mass, mass'), the largest ratio first.

        This pair dominates all pairs behind the curve: at every gamma its delta is at least as large.
        """
        first, last = self.lines[0], self.lines[-1]
        atoms: list[tuple[Any, Fraction, Fraction]] = [(INFINITY, first.mass, Fraction(0))] if first.mass else []
        for number, (line, following) in enumerate(zip(self.lines, self.lines[1:], strict=False)):
            masses = following.mass - line.mass, following.mass_prime - line.mass_prime
            atoms.append((self._corner(number)[0], *masses))
        if last.mass_prime < 1:
            atoms.append((Fraction(0), Fraction(0), 1 - last.mass_prime))
        return atoms

    def _corner(self, number: int) -> tuple[Fraction, Fraction]:
        line, following = self.lines[number], self.lines[number + 1]
        gamma = (following.mass - line.mass) / (following.mass_prime - line.mass_prime)
        return gamma, line.at(gamma)


def _scaled(lines: Iterable[Line]) -> list[tuple[Any, Any, Line]]:
    """Return the lines with both masses over one common denominator, so that comparisons need integers only.

    Masses whose denominators have little in common stay as they are.
    """
    found = list(lines)
    scale = 1
    for denominator in {mass.denominator for line in found for mass in (line.mass, line.mass_prime)}:
        scale = math.lcm(scale, denominator)
        if scale.bit_length() > _MOST_BITS:
            return [(line.mass, line.mass_prime, line) for line in found]
    return [(_times(line.mass, scale), _times(line.mass_prime, scale), line) for line in found]


def _times(mass: Fraction, scale: int) -> int:
    return mass.numerator * (scale // mass.denominator)


def _hidden(before: tuple[Any, Any, Line], line: tuple[Any, Any, Line], after: tuple[Any, Any, Line]) -> bool:
    """Return True if ``line`` is nowhere above both a flatter and a steeper one."""
    return bool((after[0] - line[0]) * (line[1] - before[1]) >= (line[0] - before[0]) * (after[1] - line[1]))


def gaussian_mu(lines: Iterable[Line]) -> Any:
    """Return the smallest mu for which the profile is below that of N(0, 1) against N(mu, 1): a Ball, exactly 0, or
    INFINITY.

    Every line is a test: it says x with probability ``mass`` on x and ``mass_prime`` on x'. The best test of the two
    normal distributions that is as rarely wrong on x' is right with probability Phi(Phi^-1(mass') + mu), which is a
    concave function of mass', so it lies above the hull of all tests if and only if it does so at the corners: mu is
    the largest Phi^-1(mass) - Phi^-1(mass').
    """
    largest: Any = Fraction(0)
    for line in lines:
        if line.mass <= line.mass_prime:
            continue
        if line.mass_prime == 0 or line.mass >= 1:
            return INFINITY
        with in_precision():
            mu = Ball(_quantile(line.mass) - _quantile(line.mass_prime))
        if largest == 0 or mu.upper > largest.upper:
            largest = mu
    return largest


def gaussian_mu_above(upper: Curve, mirrored: Curve) -> Any:
    """Return a mu that is enough, for curves of rounded probabilities; INFINITY if they show none.

    Rounded up, the probability of almost everything exceeds one. What a test that is almost always right misses is
    known precisely all the same, as the probabilities of its complement, a test of the exchanged pair. So tests that
    say x with probability at most 1/2 on x are read off one curve, and all others off the other one. Each half of the
    curve of N(0, 1) and N(mu, 1) lies beyond the hull of its tests if it does at the corners and where they are split.
    """
    low, split = _cut(upper.lines, Fraction(1, 2))
    high, _ = _cut(mirrored.lines, 1 - split.mass_prime)
    found = [gaussian_mu(low), gaussian_mu(high)]
    return INFINITY if INFINITY in found else max(ends(mu)[1] for mu in found)


def _cut(lines: Sequence[Line], most: Fraction) -> tuple[list[Line], Line]:
    """Return the corners of a hull up to a mass, and the point of the hull at this mass."""
    kept = [line for line in lines if line.mass <= most]
    if not kept:
        return [lines[0]], lines[0]
    if len(kept) == len(lines):
        return kept, kept[-1]
    before, after = kept[-1], lines[len(kept)]
    share = (most - before.mass) / (after.mass - before.mass)
    point = Line(most, before.mass_prime + share * (after.mass_prime - before.mass_prime))
    return [*kept, point], point


def _quantile(share: Fraction) -> Any:
    """Return Phi^-1 of a probability, in as many bits as its distance from 0 and 1 needs."""
    bits = 256 + max(share.numerator.bit_length(), share.denominator.bit_length())
    with flint.ctx.workprec(bits):
        tail = min(share, 1 - share)
        value = flint.arb(2).sqrt() * flint.arb(flint.fmpq(2 * tail.numerator, tail.denominator)).erfcinv()
        return value if share > Fraction(1, 2) else -value
