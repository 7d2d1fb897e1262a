"""The largest of finitely many rational functions on an interval, with exact borders.

Two functions p1/q1 and p2/q2 with positive denominators are compared by the sign of p1 q2 - p2 q1. Its real roots are
isolated exactly, so which function is the largest between two neighbouring borders is decided, never estimated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.polynomial import Polynomial
from taut.support.algebra.rational import RationalFunction
from taut.support.algebra.roots import Place, Root, real_roots, sign_after, sign_at, variations
from taut.support.limits import checkpoints

__all__ = ["Candidate", "Stretch", "envelope", "extreme_at", "poles", "raw", "value_at", "zeros"]


@dataclass(frozen=True)
class Candidate:
    """A function, or infinity, with the data it belongs to.

    The function must not be negative on the interval, so a denominator changes its sign nowhere inside.
    """

    value: Any
    owner: Any


@dataclass(frozen=True)
class Stretch:
    """An interval on which one candidate is the largest (or the smallest)."""

    low: Place
    high: Place
    candidate: Candidate


def envelope(candidates: Sequence[Candidate], low: Place, high: Place, *, largest: bool = True) -> list[Stretch]:
    """Return the intervals between ``low`` and ``high`` on which one candidate is the largest (or the smallest).

    The answer holds inside each interval; the caller must check single points at which a denominator vanishes.
    Of equal candidates the first is returned.
    """
    infinite = [candidate for candidate in candidates if candidate.value == math.inf]
    if infinite and largest:
        return [Stretch(low, high, infinite[0])]
    turn = 1 if largest else -1
    live = [
        (candidate, *_oriented(candidate.value, low))
        for candidate in {candidate.value: candidate for candidate in reversed(candidates)}.values()
        if candidate.value != math.inf
    ][::-1]
    if not live:
        return [Stretch(low, high, infinite[0])]
    stretches: list[Stretch] = []
    start = low
    while True:
        leader = live[0]
        for other in checkpoints(live[1:], 256):
            if sign_after(_difference(other, leader), start) * turn > 0:
                leader = other
        following: Place | None = None
        kept = [leader]
        for other in checkpoints(live, 64):
            if other is leader:
                continue
            crossing = _crossing(_difference(other, leader) * turn, start, high)
            if crossing is not None:
                kept.append(other)
                following = crossing if following is None or crossing < following else following
        stretches.append(Stretch(start, high if following is None else following, leader[0]))
        if following is None:
            return stretches
        live, start = kept, following


def extreme_at(candidates: Iterable[Candidate], place: Place, *, largest: bool = True) -> Candidate:
    """Return the largest (or the smallest) candidate at a place, at which none of them may have a pole."""
    best: Candidate | None = None
    for candidate in candidates:
        if best is None:
            best = candidate
        elif candidate.value == math.inf or best.value == math.inf:
            if (candidate.value == math.inf) is largest and best.value != candidate.value:
                best = candidate
        else:
            difference = candidate.value - best.value
            sign = sign_at(raw(difference.numerator), place) * sign_at(raw(difference.denominator), place)
            if sign == (1 if largest else -1):
                best = candidate
    assert best is not None
    return best


def value_at(value: Any, place: Place) -> Any:
    """Return the value of a function: a Fraction at a rational place, a ball's centre at a root, infinity at a pole."""
    if value == math.inf:
        return math.inf
    if not isinstance(place, Root):
        return value(place) if isinstance(value, RationalFunction) else value
    if sign_at(raw(value.denominator), place) == 0:
        return math.inf
    low, high = place.interval(Fraction(1, 1 << 80))
    return float(value((low + high) / 2))


def zeros(function: Any, low: Place, high: Place) -> list[Place]:
    """Return the zeros of a function that is not 0 everywhere, both ends included."""
    if not isinstance(function, RationalFunction):
        return []
    return _within(raw(function.numerator), low, high)


def poles(function: Any, low: Place, high: Place) -> list[Place]:
    """Return the poles of a function, both ends included."""
    return _within(raw(function.denominator), low, high) if isinstance(function, RationalFunction) else []


def raw(polynomial: Any) -> Any:
    """Return the Flint polynomial in one unknown."""
    return polynomial.raw if isinstance(polynomial, Polynomial) else flint.fmpz_poly([polynomial])


def _within(polynomial: Any, low: Place, high: Place) -> list[Place]:
    if polynomial.degree() < 1:
        return []
    if low == high:
        return [low] if sign_at(polynomial, low) == 0 else []
    left = low.low if isinstance(low, Root) else low
    right = high.high if isinstance(high, Root) else high
    return [root for root in real_roots(polynomial, left, right) if low <= root <= high]


_Oriented = tuple[Candidate, Any, Any]


def _oriented(value: Any, low: Place) -> tuple[Any, Any]:
    """Return numerator and denominator with signs chosen so that the denominator is positive just after ``low``."""
    top, bottom = raw(value.numerator), raw(value.denominator)
    return (-top, -bottom) if sign_after(bottom, low) < 0 else (top, bottom)


def _difference(a: _Oriented, b: _Oriented) -> Any:
    return a[1] * b[2] - b[1] * a[2]


def _crossing(difference: Any, start: Place, high: Place) -> Place | None:
    """Return the first place after ``start`` where the polynomial becomes positive, which it is not just after."""
    if difference.degree() < 1:
        return None
    left = start.low if isinstance(start, Root) else start
    right = high.high if isinstance(high, Root) else high
    if variations(difference, left, right) == 0:
        return None
    for root in real_roots(difference, left, right):
        if start < root < high and sign_after(difference, root) > 0:
            return root
    return None
