"""Signs of a polynomial on a box of parameter values: exact for one parameter, certified for several."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from taut.support.algebra.polynomial import Polynomial
from taut.support.algebra.roots import between, real_roots, sign_at

__all__ = ["Box", "Point", "signs_on"]

Box = Mapping[str, tuple[Fraction, Fraction]]
"""The smallest and the largest value of each parameter."""
Point = dict[str, Any]
_MOST_BOXES = 2000


def signs_on(polynomial: Polynomial, box: Box) -> tuple[dict[int, Point], bool]:
    """Return the signs that a polynomial takes on a box, each with a point, and True if no other sign occurs.

    With one parameter the signs are always complete. With several, boxes are halved until the Bernstein coefficients
    have one sign; a polynomial that touches 0 inside a box may stay undecided.
    """
    constant = polynomial.constant()
    if constant is not None:
        return {_sign(Fraction(constant)): {name: low for name, (low, _) in box.items()}}, True
    if len(polynomial.names) == 1:
        name = polynomial.names[0]
        return {sign: {name: place} for sign, place in _signs(polynomial.raw, *box[name]).items()}, True
    return _subdivided(polynomial, box)


def _signs(polynomial: Any, low: Fraction, high: Fraction) -> dict[int, Any]:
    places = real_roots(polynomial, low, high)
    borders = [low, *[place for place in places if place != low and place != high], high]
    found: dict[int, Any] = {}
    for place in (*borders, *[between(a, b) for a, b in itertools.pairwise(borders)]):
        found.setdefault(sign_at(polynomial, place), place)
    return found


def _subdivided(polynomial: Polynomial, box: Box) -> tuple[dict[int, Point], bool]:
    found: dict[int, Point] = {}
    waiting: list[Box] = [box]
    # a polynomial that takes both signs is 0 in between
    for _ in range(_MOST_BOXES):
        if not waiting or len(found) == 3:
            return found, True
        part = waiting.pop(0)
        for corner in _corners(part):
            found.setdefault(_sign(polynomial(corner)), corner)
        if 1 in found and -1 in found:
            found.setdefault(0, _middle(polynomial, found[1], found[-1]))
        signs = {_sign(c) for c in _bernstein(polynomial, part)}
        if not signs <= set(found):
            widest = max(part, key=lambda name: part[name][1] - part[name][0])
            low, high = part[widest]
            middle = (low + high) / 2
            waiting += [{**part, widest: (low, middle)}, {**part, widest: (middle, high)}]
    return found, False


def _middle(polynomial: Polynomial, above: Point, below: Point) -> Point:
    """Return a point close to a zero of the polynomial, on the line between two points where it has different signs."""
    for _ in range(20):
        middle = {name: (above[name] + below[name]) / 2 for name in above}
        if polynomial(middle) == 0:
            return middle
        above, below = (middle, below) if polynomial(middle) > 0 else (above, middle)
    return above


def _corners(box: Box) -> Iterator[Point]:
    for ends in itertools.product(*box.values()):
        yield dict(zip(box, ends, strict=True))


def _bernstein(polynomial: Polynomial, box: Box) -> list[Fraction]:
    """Return the Bernstein coefficients: the polynomial stays between the smallest and the largest of them on the
    box.
    """
    degrees = [max(powers[k] for powers in polynomial.coefficients()) for k in range(len(polynomial.names))]
    moved: dict[tuple[int, ...], Fraction] = {p: Fraction(c) for p, c in polynomial.coefficients().items()}
    for place, name in enumerate(polynomial.names):
        low, high = box[name]
        moved = _shifted(moved, place, low, high - low)
    found = []
    for index in itertools.product(*[range(degree + 1) for degree in degrees]):
        total = Fraction(0)
        for powers, c in moved.items():
            if all(p <= i for p, i in zip(powers, index, strict=True)):
                share = Fraction(1)
                for p, i, d in zip(powers, index, degrees, strict=True):
                    share *= Fraction(math.comb(i, p), math.comb(d, p))
                total += c * share
        found.append(total)
    return found


def _shifted(
    coefficients: Mapping[tuple[int, ...], Fraction], place: int, low: Fraction, width: Fraction
) -> dict[tuple[int, ...], Fraction]:
    """Return the coefficients after replacing the unknown at ``place`` by low + width * unknown."""
    made: dict[tuple[int, ...], Fraction] = {}
    for powers, c in coefficients.items():
        degree = powers[place]
        for k in range(degree + 1):
            key = (*powers[:place], k, *powers[place + 1 :])
            made[key] = made.get(key, Fraction(0)) + c * math.comb(degree, k) * low ** (degree - k) * width**k
    return made


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)
