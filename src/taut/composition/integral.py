"""Composition of many runs as an integral: a certified interval for delta whose width does not grow with the runs.

M(s) is the product over some laws of (sum of p_i exp(s L_i))^k. With weights a_i proportional to p_i exp(c L_i) in one
of them, its factor of |M(c + i t) / M(c)|^2 is (1 - d)^k, where d is the sum of a_i a_j (1 - cos(t (L_i - L_j))) over
all i and j. With the weights of some atoms alone, and those rounded down, it becomes smaller: d is at least A^2 - |V|^2
for the sum A of these weights, and the sum V of these weights times exp(i t L_i). Finally log(1 - d) is at most
-(d + d^2/2 + d^3/3). Phases t L_i are integers in units of 2^-64 turns, and exp(i t L_i) comes from a table.

Let L be the loss, the logarithm of a ratio, of all runs together, M(s) = E exp(s L) its moment function under x (a
product of powers of one finite sum per part), and Z normal with mean -w^2/2 and variance w^2, so that E exp(Z) = 1.
Over all outputs of finite loss, D(l) = E (1 - exp(l - L))^+ is delta at gamma = exp(l), and D_w(l) = E D(l + Z) is
smoothed.

*Sandwich.* D_w >= D, since delta is convex in gamma. With v > w, b = P_w / (P_v - P_w) and P_u = erf(u / sqrt(8)),

    (1 + b) D_w - b D_v  <=  D  <=  D_w.

Proof: E (1 - x exp(Z))^+ - (1 - x)^+ is the integral over y from 0 to w of exp(l/2 - l^2/(2 y^2) - y^2/8) /
sqrt(2 pi) with l = log x (differentiate by w). Its ratio for w and for v is largest at l = 0, since y^-2 has
the larger mean on (0, w); there it is P_w / P_v = b / (1 + b). So what (1 + b) D_w adds to D, b D_v takes away again,
for every output. The error is about w^2.

*Integral.* For c > 0, D_w(l) is the integral over real t, with s = c + i t, of

    F(s) = M(s) exp(w^2 s (s + 1) / 2 - s l) / (s (s + 1)) / (2 pi),

and for -1 < c < 0 it is this plus M(0): the inverse Laplace transform of (1 - exp(-u))^+, and of -min(1, exp(-u)).

*Sum.* Poisson: h times the sum of F at all t = h m is D_w(l) exactly, up to the same at l + n W for n != 0,
W = 2 pi / h, times exp(c n W). As (1 - exp(-u))^+ <= exp(a u) for a >= 0, and min(1, exp(-u)) <= exp(a u) for
-1 <= a <= 0, these images are at most A(a) exp((c - a) n W) with A(a) = M(a) exp(w^2 a (a + 1) / 2 - a l): geometric
series, one with a = c + step for n > 0 and one with a = c - step for n < 0.

*Tail.* |F| <= A(c) exp(-w^2 t^2 / 2) / t^2 / (2 pi), so terms beyond T add at most A(c) exp(-w^2 T^2 / 2) / (pi T).

*Sieve.* Almost all other terms are next to nothing: the first paragraph shows which of them have
|M(c + i t) / M(c)| <= e max(1, t^2) for e = 2^-56. They add at most e A(c) (pi / (6 h) + T / pi). All others are
evaluated as balls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.composition.products import Mass, Part, mass_of
from taut.support.exact import INFINITY, Ball, in_precision

__all__ = ["SIEVED", "IntegralComposition", "Law", "TooManyTerms", "sieve"]


Law = tuple[Sequence[tuple[Any, Any]], int]
"""Losses L_i and masses p_i as balls, and the number of runs."""
SIEVED = 56
_TURN = 16
_UNIT = 15
_SCALE = 30
_MOST_RUNS = 1 << 31
_HEAVIEST = 64
_SHARE = 31 / 32
"""The number of heaviest atoms that are looked at, and the share of mass at which that ends."""
_CHUNK = 1 << 16


def sieve(laws: Sequence[Law], c: float, spacing: float, points: int, most: int) -> list[int] | None:
    """Return the places m from 0 to ``points``, 2^24 at most, that may not be small; None if they are more than
    ``most``.

    Guarantee:
        At every other place, with t = ``spacing`` m, |M(c + i t) / M(c)| <= 2^-SIEVED max(1, t^2).
    """
    if sum(count for _, count in laws) >= _MOST_RUNS:
        return None
    parts = []
    with in_precision():
        for atoms, count in laws:
            weights = [mass * (flint.arb(c) * loss).exp() for loss, mass in atoms]
            total = sum(weights, flint.arb(0))
            shares = [math.floor(Ball(weight / total).lower * (1 << _UNIT)) for weight in weights]
            turns = [loss * flint.arb(spacing) / (2 * flint.arb.pi()) * (flint.arb(2) ** 64) for loss, _ in atoms]
            phases = [math.floor(Ball(turn).mid) % (1 << 64) for turn in turns]
            chunk, whole, steps = np.arange(_CHUNK, dtype=np.uint64), 0, []
            for share, phase in sorted(zip(shares, phases, strict=True), reverse=True)[:_HEAVIEST]:
                if whole < _SHARE * (1 << _UNIT):
                    steps.append((share, phase, chunk * np.uint64(phase)))
                    whole += share
            parts.append((count, whole, steps))
    kept: list[int] = []
    for start in range(0, points + 1, _CHUNK):
        length = min(_CHUNK, points + 1 - start)
        squares = 2 * max(0, math.frexp(start * spacing)[1] - 1)  # t^2 is at least this power of two
        needed = math.ceil(2 * (SIEVED - squares) * math.log(2) * (1 + 1e-9) * (1 << _SCALE))
        missing = np.zeros(length, dtype=np.int64)
        for count, whole, steps in parts:
            missing += count * _missing(start, length, whole, steps)
        kept += (start + np.flatnonzero(missing < needed)).tolist()
        if len(kept) > most:
            return None
    return kept


def _missing(start: int, length: int, whole: int, steps: Sequence[tuple[int, int, Any]]) -> Any:
    """Lower bounds of -log(1 - d) in units of 2^-30, at consecutive places.

    A unit vector of the table is at an angle of at most pi / 2^16 + 2^-36 from what it stands for, and rounded in both
    coordinates by 2^-16: it is wrong by less than 2^-13, hence |V|^2 by less than 2^-11. Sums are below 2^31.
    """
    cosines, sines = _unit_vectors()
    real, imaginary = np.zeros(length, dtype=np.int32), np.zeros(length, dtype=np.int32)
    for share, phase, offsets in steps:
        origin = np.uint64(start * phase % (1 << 64))
        index = ((offsets[:length] + origin) >> np.uint64(64 - _TURN)).astype(np.intp)
        real += cosines[index] * np.int32(share)
        imaginary += sines[index] * np.int32(share)
    square = real.astype(np.int64) ** 2 + imaginary.astype(np.int64) ** 2
    found = ((whole << _UNIT) ** 2 - (1 << 4 * _UNIT - 11)) - square
    first = np.maximum(found >> np.int64(4 * _UNIT - _SCALE), 0)
    second = first * first >> np.int64(_SCALE)
    third = second * first >> np.int64(_SCALE)
    return first + second // 2 + third // 3


@cache
def _unit_vectors() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return cosines and sines of the middles of 2^16 equal parts of the circle, rounded, in units of 2^-15."""
    with in_precision():
        step = flint.acb(0, 2 * flint.arb.pi() / (1 << _TURN)).exp()
        vector = flint.acb(0, flint.arb.pi() / (1 << _TURN)).exp() * (1 << _UNIT)
        columns: tuple[list[int], list[int]] = ([], [])
        for _ in range(1 << _TURN):
            columns[0].append(round(float(vector.real.mid())))
            columns[1].append(round(float(vector.imag.mid())))
            vector *= step
    return np.array(columns[0], dtype=np.int32), np.array(columns[1], dtype=np.int32)


_WIDTH = 2.0**-13
"""The smoothing w is this, divided by the root of c (1 + c): its square is about the relative error."""
_MOST_POINTS = 1 << 24
_MOST_EXPONENTIALS = 1 << 17
_MOST_STEP = 1 / 4
_SHORT = Fraction(1, 1 << 30)
"""Delta this close to its largest value is not summed up."""
_SHORTEST = -1024
"""The power of two that stands for all smaller distances, which would have too many digits."""


class TooManyTerms(Exception):
    """Raised where too many terms of the sum matter; a grid is quicker then."""


@dataclass(frozen=True)
class _Tilt:
    """The sum for one c, without its factors that depend on l."""

    c: Any
    step: Any
    """Distance of the two exponents that bound images."""
    spacing: Any
    widths: tuple[Any, Any]
    terms: tuple[tuple[Any, Any, Any], ...]
    """t, and M(s) / M(c) exp(w^2 s (s + 1) / 2) / (s (s + 1)) for both widths; t = 0 first."""
    dropped: Any
    """A bound of what is left out, in units of M(c) exp(-c l)."""


class IntegralComposition:
    """The composition of some pairs of distributions: at every gamma a certified interval for its delta.

    Guarantee:
        For rational gamma > 0, ``interval(gamma)`` holds the delta of all runs together, or TooManyTerms is raised.
    """

    def __init__(self, parts: Sequence[Part], width: float = _WIDTH, measured: Mass = mass_of) -> None:
        self._width = width
        finite = [([atom for atom in atoms if atom[0] != INFINITY and atom[1] > 0], count) for atoms, count in parts]
        with in_precision():
            self.laws = [
                ([(_exact(ratio).log(), _exact(mass)) for ratio, mass, _ in atoms], count) for atoms, count in finite
            ]
            self._floats = [
                (np.array([float(loss.mid()) for loss, _ in atoms]), np.array([float(m.log().mid()) for _, m in atoms]))
                for atoms, _ in self.laws
            ]
            """Losses and logarithms of masses."""
        self.mass, whole = measured(finite), measured(parts)
        self.infinite = whole - self.mass
        """Mass under x of outputs with an infinite ratio."""
        self._tilts: dict[float, _Tilt | None] = {}

    @property
    def floats(self) -> tuple[list[Any], list[Any], list[int]]:
        """Losses, their masses, and the number of runs of every part."""
        losses, logs = ([one[column] for one in self._floats] for column in (0, 1))
        return losses, [np.exp(one) for one in logs], [count for _, count in self.laws]

    # -- evaluation ----------------------------------------------------------------------------------------------

    def interval(self, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Return a lower and an upper bound of delta at gamma."""
        with in_precision():
            level = _exact(gamma).log()
            c, step = self._saddle(float(level.mid()))
            if c < 0:  # what delta is short of its largest value is at most A(c), without smoothing
                least = (self._log_moment(flint.arb(c)) - flint.arb(c) * level).exp()
                short = Ball(least.max(flint.arb(2) ** _SHORTEST)).upper
                if short < _SHORT * self.mass:
                    return self.mass - short + self.infinite, self.mass + self.infinite
            tilt = self._tilt(c, step)
            near, far = self._smoothed(tilt, level)
            powers = [(width / flint.arb(8).sqrt()).erf() for width in tilt.widths]
            weight = (powers[0] / (powers[1] - powers[0])).upper()
            lower, upper = Ball((1 + weight) * near - weight * far).lower, Ball(near).upper
        most = min(max(Fraction(0), upper), self.mass)
        least = min(max(Fraction(0), lower), most)
        return least + self.infinite, most + self.infinite

    def _smoothed(self, tilt: _Tilt, level: Any) -> list[Any]:
        """Return two balls that hold D_w and D_v at a level."""
        turns = [flint.acb(0, -term[0] * level).exp() for term in tilt.terms]
        scale = (self._log_moment(tilt.c) - tilt.c * level).exp()
        error = scale * tilt.dropped
        period = 2 * flint.arb.pi() / tilt.spacing
        decay = (-tilt.step * period).exp()
        found = []
        for number, width in enumerate(tilt.widths, start=1):
            values = [(term[number] * turn).real for term, turn in zip(tilt.terms, turns, strict=True)]
            value = (2 * sum(values, flint.arb(0)) - values[0]) * scale / period
            ends = [tilt.c - tilt.step, tilt.c + tilt.step]
            bounds = [
                (self._log_moment(end) + width**2 * end * (end + 1) / 2 - end * level).exp() * decay / (1 - decay)
                for end in ends
            ]
            images = flint.arb(0).union(bounds[0] + bounds[1]) + (-error).union(error)
            found.append(value - images if tilt.c > 0 else _exact(self.mass) + value + images)
        return found

    def _log_moment(self, s: Any) -> Any:
        """Return log M at a real number."""
        return sum(
            (count * sum((mass * (s * loss).exp() for loss, mass in atoms), flint.arb(0)).log())
            for atoms, count in self.laws
        )

    # -- the sum for one c ---------------------------------------------------------------------------------------

    def _saddle(self, level: float) -> tuple[float, float]:
        """Return a c near the saddle point of a level, where the terms are smallest, and the distance to other such c.

        Only the width of the interval depends on the choice, which is made in floats.
        """
        low, high = -1.0, 256.0
        if not self._mean(low)[0] < level < self._mean(high)[0]:
            raise TooManyTerms
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self._mean(middle)[0] < level else (low, middle)
        deviation = math.sqrt(self._mean(low)[1])
        step = 2.0 ** math.floor(math.log2(2 / deviation))
        if step > _MOST_STEP:
            raise TooManyTerms
        place = round(low / step)
        return step * (max(1, place) if place >= 0 else min(-1, max(place, 1 - round(1 / step)))), step

    def _tilt(self, c: float, step: float) -> _Tilt:
        """Return the sum for a c, kept for other levels."""
        if c not in self._tilts:
            self._tilts[c] = None
            self._tilts[c] = self._summed(c, step)
        tilt = self._tilts[c]
        if tilt is None:
            raise TooManyTerms
        return tilt

    def level(self, delta: float) -> float:
        """Return a guess at the logarithm of the gamma that has a positive delta, by the saddle point."""
        low, high = 1e-9, 256.0
        for _ in range(60):
            middle = math.sqrt(low * high)
            mean, variance = self._mean(middle)
            logs = -middle * mean - math.log(middle * (1 + middle) * (1 + math.sqrt(2 * math.pi * variance)))
            for (losses, masses), (_, count) in zip(self._floats, self.laws, strict=True):
                logs += count * float(np.logaddexp.reduce(masses + middle * losses))
            low, high = (middle, high) if logs > math.log(delta) else (low, middle)
        return self._mean(low)[0]

    def _mean(self, c: float) -> tuple[float, float]:
        """Return mean and variance of the loss under the weights p exp(c L)."""
        mean = variance = 0.0
        for (losses, masses), (_, count) in zip(self._floats, self.laws, strict=True):
            powers = masses + c * losses
            weights = np.exp(powers - powers.max())
            weights /= weights.sum()
            centre = float(weights @ losses)
            mean += count * centre
            variance += count * float(weights @ (losses - centre) ** 2)
        return mean, variance or 1e-300

    def _summed(self, c: float, step: float) -> _Tilt:
        spacing = 2 * math.pi * step / 45
        width = self._width / math.sqrt(abs(c * (1 + c)))
        points = math.ceil(6 / (width * spacing))
        if points > _MOST_POINTS:
            points, width = _MOST_POINTS, 6 / (_MOST_POINTS * spacing)
        kept = sieve(self.laws, c, spacing, points, _MOST_EXPONENTIALS // sum(len(atoms) for atoms, _ in self.laws))
        if kept is None:
            raise TooManyTerms
        with in_precision():
            exponent, distance = flint.arb(c), flint.arb(spacing)
            widths = flint.arb(width), flint.arb(1.5 * width)
            weights = [
                ([(loss, mass * (exponent * loss).exp()) for loss, mass in atoms], count) for atoms, count in self.laws
            ]
            totals = [sum((weight for _, weight in atoms), flint.arb(0)) for atoms, _ in weights]
            terms = []
            negligible = flint.arb(2) ** -SIEVED
            small = flint.arb(0)
            for place in kept:
                t = distance * place
                value = flint.acb(1)
                for (atoms, count), total in zip(weights, totals, strict=True):
                    whole = sum((weight * flint.acb(0, t * loss).exp() for loss, weight in atoms), flint.acb(0))
                    value *= (whole / total) ** count
                s = flint.acb(exponent, t)
                product = s * (s + 1)
                both = [value * (one**2 * product / 2).exp() / product for one in widths]
                sizes = [abs(one).upper() for one in both]
                if place and all(size < negligible for size in sizes):
                    small += max(sizes)
                else:
                    terms.append((t, both[0], both[1]))
            pi, end = flint.arb.pi(), distance * points
            tail = (-((widths[0] * end) ** 2) / 2).exp() / (pi * end)
            sieved = negligible * (pi / (6 * distance) + end / pi)
            smoothing = (widths[1] ** 2 * abs(exponent * (exponent + 1)) / 2).exp()
            dropped = (tail + sieved) * smoothing + small * distance / pi
        return _Tilt(exponent, flint.arb(step), distance, widths, tuple(terms), dropped)


def _exact(value: Fraction) -> Any:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))
