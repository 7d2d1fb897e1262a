"""Real roots of polynomials with integer coefficients, and the signs of a polynomial on a box of parameters.

A root that is rational is a Fraction. Any other is a ``Root``: an irreducible polynomial and an interval with rational
ends in which it has this root and no other. Roots are found by bisection with Descartes' rule of signs, which counts
exactly where it says 0 or 1. Signs are exact for one parameter, and certified for several.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.polynomial import Polynomial, to_flint

__all__ = [
    "Box",
    "Place",
    "Point",
    "Root",
    "between",
    "place_text",
    "real_roots",
    "sign_after",
    "sign_at",
    "signs_on",
    "sorted_places",
]


_SHOWN = Fraction(1, 10**12)


@functools.total_ordering
class Root:
    """An irrational root of a polynomial, known to lie between ``low`` and ``high``.

    >>> root = real_roots(flint.fmpz_poly([-1, 0, 2]), Fraction(0), Fraction(1))[0]
    >>> print(root, root > Fraction(7, 10), root < Fraction(71, 100))
    0.707106781187 (the root of 2*x^2 + (-1)) True True
    """

    __slots__ = ("high", "low", "polynomial")
    polynomial: Any
    low: Fraction
    high: Fraction

    def __init__(self, polynomial: Any, low: Fraction, high: Fraction) -> None:
        self.polynomial, self.low, self.high = polynomial, low, high

    def interval(self, width: Any = _SHOWN) -> tuple[Fraction, Fraction]:
        """Return rational numbers around the root, at most ``width`` apart."""
        wanted = Fraction(width)
        while self.high - self.low > wanted:
            self.refine()
        return self.low, self.high

    def refine(self) -> None:
        """Halve the interval, which holds one simple root: its ends have different signs."""
        middle = (self.low + self.high) / 2
        if value_sign(self.polynomial, middle) == value_sign(self.polynomial, self.low):
            self.low = middle
        else:
            self.high = middle

    def is_root_of(self, polynomial: Any) -> bool:
        """Return True if another polynomial has this root too."""
        return _divides(self.polynomial, polynomial)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Root):
            if self.polynomial != other.polynomial:
                return False
            low, high = max(self.low, other.low), min(self.high, other.high)
            return low < high and value_sign(self.polynomial, low) != value_sign(self.polynomial, high)
        return False if isinstance(other, (int, Fraction)) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        if isinstance(other, Root):
            if self == other:
                return False
            while self.low < other.high and other.low < self.high:
                self.refine()
                other.refine()
            return self.high <= other.low
        number: Fraction = Fraction(other)
        while self.low < number < self.high:
            self.refine()
        return self.high <= number

    def __hash__(self) -> int:
        return hash(tuple(map(int, self.polynomial.coeffs())))

    def __float__(self) -> float:
        low, high = self.interval(Fraction(1, 1 << 70))
        return float((low + high) / 2)

    def __str__(self) -> str:
        return f"{float(self):.12g} (the root of {self.polynomial})"

    def __repr__(self) -> str:
        return f"Root({self.polynomial}, near {float(self):.12g})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _root, ([int(c) for c in self.polynomial.coeffs()], self.low, self.high)


Place = Fraction | Root


def _root(coefficients: list[int], low: Fraction, high: Fraction) -> Root:
    return Root(flint.fmpz_poly(coefficients), low, high)


def place_text(place: Place, digits: int = 10) -> str:
    """Return a place for messages: a fraction, or the decimals of a root."""
    return f"{float(place):.{digits}g}..." if isinstance(place, Root) else str(place)


def real_roots(polynomial: Any, low: Fraction, high: Fraction) -> list[Place]:
    """Return the different roots of a polynomial that is not 0, in the closed interval, in their order."""
    if polynomial.degree() < 1 or (variations(polynomial, low, high) == 0 and _no_root_at(polynomial, low, high)):
        return []
    found: list[Place] = []
    for factor, _ in polynomial.factor()[1]:
        if factor.degree() == 1:
            root = Fraction(-int(factor[0]), int(factor[1]))
            found += [root] if low <= root <= high else []
        elif factor.degree() > 1 and low < high:
            found += _isolated(factor, low, high)
    return sorted_places(found)


def sorted_places(places: Iterable[Place]) -> list[Place]:
    """Return the different places in ascending order."""
    ordered: list[Place] = []
    for place in sorted(places, key=functools.cmp_to_key(_order)):
        if not ordered or ordered[-1] != place:
            ordered.append(place)
    return ordered


def _order(a: Any, b: Any) -> int:
    return -1 if a < b else 1 if b < a else 0


def between(low: Place, high: Place) -> Fraction:
    """Return a short fraction strictly between two different places."""
    while True:
        left = low.high if isinstance(low, Root) else low
        right = high.low if isinstance(high, Root) else high
        if left < right:
            return simplest_inside(left, right)
        for place in (low, high):
            if isinstance(place, Root):
                place.refine()


def simplest_inside(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator strictly between two numbers."""
    whole = low.numerator // low.denominator
    if whole + 1 < high:
        return Fraction(whole + 1)
    below, above = low - whole, high - whole  # 0 <= below < above <= 1
    if below == 0:
        return whole + Fraction(1, above.denominator // above.numerator + 1)
    return whole + 1 / simplest_inside(1 / above, 1 / below)


def sign_at(polynomial: Any, place: Place) -> int:
    """Return the sign of a polynomial at a place: -1, 0 or 1."""
    if not isinstance(place, Root):
        return value_sign(polynomial, place)
    if place.is_root_of(polynomial):
        return 0
    while variations(polynomial, place.low, place.high) or not _no_root_at(polynomial, place.low, place.high):
        place.refine()
    return value_sign(polynomial, place.low)


def sign_after(polynomial: Any, place: Place) -> int:
    """Return the sign of a polynomial just to the right of a place; 0 only of the polynomial 0."""
    while polynomial != 0:
        sign = sign_at(polynomial, place)
        if sign:
            return sign
        polynomial = polynomial.derivative()
    return 0


def value_sign(polynomial: Any, point: Fraction) -> int:
    """Return the sign of a polynomial at a rational number."""
    value = polynomial(to_flint(point))
    return int(value > 0) - int(value < 0)


def variations(polynomial: Any, low: Fraction, high: Fraction) -> int:
    """Count the sign changes of the coefficients after mapping low..high to 0..infinity.

    Descartes: the number of roots strictly between, counted with multiplicity, is this or smaller by an even number.
    """
    scale = low.denominator * high.denominator
    start, width = int(low * scale), int((high - low) * scale)
    degree = polynomial.degree()
    scaled = flint.fmpz_poly([c * scale ** (degree - k) for k, c in enumerate(polynomial.coeffs())])
    moved = scaled(flint.fmpz_poly([start, width]))
    reverse = [flint.fmpz(0)] * (degree + 1 - len(moved.coeffs())) + moved.coeffs()[::-1]
    transformed = flint.fmpz_poly(reverse)(flint.fmpz_poly([1, 1]))
    signs = [c > 0 for c in transformed.coeffs() if c != 0]
    return sum(a != b for a, b in itertools.pairwise(signs))


def _no_root_at(polynomial: Any, low: Fraction, high: Fraction) -> bool:
    return value_sign(polynomial, low) != 0 and value_sign(polynomial, high) != 0


def _isolated(polynomial: Any, low: Fraction, high: Fraction) -> list[Place]:
    """Return the roots of an irreducible polynomial without rational roots, each alone in an interval."""
    found: list[Place] = []
    waiting = [(low, high)]
    while waiting:
        left, right = waiting.pop()
        count = variations(polynomial, left, right)
        if count == 1:
            found.append(Root(polynomial, left, right))
        elif count > 1:
            middle = (left + right) / 2
            waiting += [(left, middle), (middle, right)]
    return found


def _divides(divisor: Any, polynomial: Any) -> bool:
    if polynomial == 0:
        return True
    if polynomial.degree() < divisor.degree():
        return False
    return bool(divisor.gcd(polynomial).degree() == divisor.degree())


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
    """Return the Bernstein coefficients, between the smallest and largest of which the polynomial stays on the box."""
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
