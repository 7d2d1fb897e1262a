"""Functions of one real number that are, between cuts, sums of c t^k e^(a t): densities of noise and their integrals.

They are closed under products, antiderivatives, affine substitutions and convolution. Cuts and exponents are exact;
coefficients are balls of a stated number of bits.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.polynomial import to_flint

__all__ = ["Calculus", "Finer", "Law", "Pieces", "denominators", "support"]

Law = tuple[Any, ...]
"""A distribution: ("laplace", scale) around 0, ("exponential", scale) from 0 on, ("uniform", low, high), or
("sum", ((factor, law), ...)) of independent numbers; scales, ends and factors are Fractions."""
Terms = dict[tuple[int, int], Any]
"""The sum of c t^k e^(a t / unit) by (k, a)."""


class Finer(Exception):
    """Raised where exponents are no whole multiples of the unit: divide the unit by ``factor``."""

    def __init__(self, factor: int) -> None:
        super().__init__(factor)
        self.factor = factor


class Pieces:
    """A function with a sum of terms left of its first cut, between cuts, and right of its last cut."""

    __slots__ = ("cuts", "number", "parts")
    number: int

    def __init__(self, cuts: Sequence[Any], parts: Sequence[Terms]) -> None:
        kept = [place for place in range(len(cuts)) if parts[place] is not parts[place + 1]]
        self.cuts = tuple([cuts[place] for place in kept])
        self.parts = (*[parts[place] for place in kept], parts[-1])


_ZERO: Terms = {}


class Calculus:
    """Operations on such functions with coefficients of ``bits`` bits and exponents in multiples of 1/``unit``.

    Functions that are made by ``known`` are kept, with a number each. All methods must be called in ``precision``.
    """

    def __init__(self, bits: int, unit: int) -> None:
        self.bits, self.unit = bits, unit
        self._powers: dict[Any, Any] = {}
        self._known: dict[Any, Pieces] = {}
        self.size = 0
        """Terms of the functions that are kept."""

    def precision(self) -> Any:
        """Return the context in which Flint computes with the bits of this calculus."""
        return flint.ctx.workprec(self.bits)

    def known(self, key: Any, make: Callable[[], Pieces]) -> Pieces:
        """Return the function with this key, made when it is first needed."""
        found = self._known.get(key)
        if found is None:
            found = make()
            found.number = len(self._known)
            self._known[key] = found
            self.size += sum(map(len, found.parts))
        return found

    # -- densities -----------------------------------------------------------------------------------------------

    def density(self, law: Law) -> Pieces:
        """Return the density of a distribution."""
        return self.known(("density", law), lambda: self._density(law))

    def _density(self, law: Law) -> Pieces:
        kind = law[0]
        if kind == "uniform":
            return Pieces(
                [to_flint(law[1]), to_flint(law[2])], [_ZERO, {(0, 0): self._ball(1 / (law[2] - law[1]))}, _ZERO]
            )
        if kind == "sum":
            return functools.reduce(self._convolved, [self._scaled(factor, part) for factor, part in law[1]])
        rate = self._exponent(1 / law[1])
        if kind == "exponential":
            return Pieces([flint.fmpq(0)], [_ZERO, {(0, -rate): self._ball(1 / law[1])}])
        half = self._ball(1 / (2 * law[1]))
        return Pieces([flint.fmpq(0)], [{(0, rate): half}, {(0, -rate): half}])

    def _scaled(self, factor: Fraction, law: Law) -> Pieces:
        """Return the density of a number of this distribution times a factor."""
        moved = self.moved(self.density(law), to_flint(1 / factor), flint.fmpq(0))
        return Pieces(moved.cuts, [_times(part, self._ball(1 / abs(factor))) for part in moved.parts])

    def _convolved(self, f: Pieces, g: Pieces) -> Pieces:
        """Return the density of the sum of two independent numbers: the integral of f(s) g(t - s) over s."""
        total: Pieces | None = None
        for p, q, left in _spans(f):
            for r, u, right in _spans(g):
                part = self._overlap(p, q, left, r, u, right)
                total = part if total is None else self.sum(total, part)
        assert total is not None
        return total

    def _overlap(self, p: Any, q: Any, left: Terms, r: Any, u: Any, right: Terms) -> Pieces:
        """Return the integral over s from p to q where t - s lies from r to u; None stands for an infinite end."""
        cuts = sorted({a + b for a in (p, q) for b in (r, u) if a is not None and b is not None})
        parts = []
        for middle in _middles(cuts):
            low: Any = None if p is None else (flint.fmpq(0), p)  # as factor and shift of t
            high: Any = None if q is None else (flint.fmpq(0), q)
            if u is not None and (low is None or middle - u > p):
                low = (flint.fmpq(1), -u)
            if r is not None and (high is None or middle - r < q):
                high = (flint.fmpq(1), -r)
            empty = low is not None and high is not None and _at(low, middle) >= _at(high, middle)
            parts.append(_ZERO if empty else self._integrals(left, right, low, high))
        return Pieces(cuts, parts)

    def _integrals(self, left: Terms, right: Terms, low: Any, high: Any) -> Terms:
        found: Terms = {}
        for (j, b), d in right.items():
            for m in range(j + 1):
                inner = {(i + m, a - b): c for (i, a), c in left.items()}
                whole = self._primitive(inner)
                ends = _plus(self._at_end(whole, high, 1), _times(self._at_end(whole, low, -1), flint.arb(-1)))
                factor = d * (math.comb(j, m) * (-1) ** m)
                for (k, a), c in ends.items():
                    _add(found, (k + j - m, a + b), c * factor)
        return found

    def _at_end(self, terms: Terms, end: Any, sign: int) -> Terms:
        if end is None:
            self._vanishes(terms, sign)
            return {}
        factor, shift = end
        return self._moved_terms(terms, factor, shift)

    # -- operations ----------------------------------------------------------------------------------------------

    def product(self, f: Pieces, g: Pieces) -> Pieces:
        return _joined(f, g, self._product_of_terms)

    def sum(self, f: Pieces, g: Pieces) -> Pieces:
        return _joined(f, g, _plus)

    def within(self, f: Pieces, low: Any, high: Any) -> Pieces:
        """Return the function with 0 outside of an interval; None stands for an infinite end."""
        cuts = [end for end in (low, high) if end is not None]
        if len(cuts) == 2 and low >= high:
            return Pieces([], [_ZERO])
        one = {(0, 0): flint.arb(1)}
        mask = Pieces(cuts, [*([_ZERO] if low is not None else []), one, *([_ZERO] if high is not None else [])])
        return _joined(f, mask, lambda terms, inside: terms if inside else _ZERO)

    def moved(self, f: Pieces, factor: Any, shift: Any) -> Pieces:
        """Return t -> f(factor t + shift), the factor not being 0."""
        cuts = [(cut - shift) / factor for cut in f.cuts]
        parts = [self._moved_terms(part, factor, shift) if part else _ZERO for part in f.parts]
        return Pieces(cuts, parts) if factor > 0 else Pieces(cuts[::-1], parts[::-1])

    def below(self, f: Pieces) -> Pieces:
        """Return the integral from minus infinity up to t."""
        parts: list[Terms] = []
        total = flint.arb(0)
        for low, high, terms in _spans(f):
            inner = self._primitive(terms)
            if low is None:
                self._vanishes(inner, -1)
            else:
                _add(inner, (0, 0), total - self._value(inner, low))
            parts.append(inner)
            if high is not None:
                total = self._value(inner, high)
        return Pieces(f.cuts, parts)

    def above(self, f: Pieces) -> Pieces:
        """Return the integral from t up to infinity, with all digits where it is small."""
        parts: list[Terms] = []
        total = flint.arb(0)
        for low, high, terms in reversed(list(_spans(f))):
            inner = _times(self._primitive(terms), flint.arb(-1))
            if high is None:
                self._vanishes(inner, 1)
            else:
                _add(inner, (0, 0), total - self._value(inner, high))
            parts.append(inner)
            if low is not None:
                total = self._value(inner, low)
        return Pieces(f.cuts, parts[::-1])

    def total(self, f: Pieces) -> Any:
        """Return the integral over all numbers."""
        whole = flint.arb(0)
        for low, high, terms in _spans(f):
            if terms:
                inner = self._primitive(terms)
                for end, sign in ((low, -1), (high, 1)):
                    if end is None:
                        self._vanishes(inner, sign)
                    else:
                        whole += sign * self._value(inner, end)
        return whole

    # -- terms ---------------------------------------------------------------------------------------------------

    def _product_of_terms(self, a: Terms, b: Terms) -> Terms:
        found: Terms = {}
        for (k, e), c in a.items():
            for (j, d), f in b.items():
                key = (k + j, e + d)
                found[key] = found[key] + c * f if key in found else c * f
        return found

    def _primitive(self, terms: Terms) -> Terms:
        """Return an antiderivative, without a constant."""
        found: Terms = {}
        for (k, e), c in terms.items():
            if e == 0:
                _add(found, (k + 1, 0), c / (k + 1))
                continue
            step = c * self.unit / e
            for j in range(k, -1, -1):
                _add(found, (j, e), step)
                step = -step * j * self.unit / e
        return found

    def _moved_terms(self, terms: Terms, factor: Any, shift: Any) -> Terms:
        found: Terms = {}
        for (k, e), c in terms.items():
            scaled = factor * e
            if scaled.q != 1:
                raise Finer(int(scaled.q))
            constant = c if shift == 0 else c * self._power(shift * e)
            exponent = int(scaled.p)
            if k == 0:
                _add(found, (0, exponent), constant)
                continue
            for j in range(k + 1):
                share = flint.fmpq(math.comb(k, j)) * factor**j * shift ** (k - j)
                if share != 0:
                    _add(found, (j, exponent), constant * share)
        return found

    def _value(self, terms: Terms, place: Any) -> Any:
        value = flint.arb(0)
        for (k, e), c in terms.items():
            share = c if e == 0 else c * self._power(place * e)
            value += share * place**k if k else share
        return value

    def _vanishes(self, terms: Terms, sign: int) -> None:
        """Check that a sum of terms without a constant tends to 0 at an end of the line."""
        if any(sign * e >= 0 for _, e in terms):
            raise AssertionError("an integral that does not converge")

    def _power(self, exponent: Any) -> Any:
        """Return e^(exponent / unit)."""
        key = int(exponent.p), int(exponent.q)
        found = self._powers.get(key)
        if found is None:
            found = self._powers[key] = flint.arb(exponent / self.unit).exp()
        return found

    def _exponent(self, rate: Fraction) -> int:
        whole = rate * self.unit
        if whole.denominator != 1:
            raise Finer(whole.denominator)
        return int(whole)

    def _ball(self, value: Fraction) -> Any:
        return flint.arb(to_flint(value))


def denominators(law: Law) -> int:
    """Return a unit in which the exponents of a law are whole."""
    if law[0] == "sum":
        return math.lcm(*[int(factor.numerator) * denominators(part) for factor, part in law[1]])
    return 1 if law[0] == "uniform" else int(law[1].numerator)


def support(law: Law) -> tuple[Fraction | None, Fraction | None]:
    """Return the ends between which a number of this distribution lies; None where it has no end."""
    if law[0] == "laplace":
        return None, None
    if law[0] == "exponential":
        return Fraction(0), None
    if law[0] == "uniform":
        return law[1], law[2]
    ends: list[Fraction | None] = [Fraction(0), Fraction(0)]
    for factor, part in law[1]:
        own = [None if end is None else end * factor for end in support(part)]
        for place, end in enumerate(own if factor > 0 else own[::-1]):
            before = ends[place]
            ends[place] = None if before is None or end is None else before + end
    return ends[0], ends[1]


def _at(line: Any, place: Any) -> Any:
    return line[0] * place + line[1]


def _spans(f: Pieces) -> Any:
    """Return the ends of each piece, None where there is none, with its terms."""
    return zip((None, *f.cuts), (*f.cuts, None), f.parts, strict=True)


def _middles(cuts: Sequence[Any]) -> list[Any]:
    """Return a place in each interval between cuts, and one beyond each end."""
    if not cuts:
        return [flint.fmpq(0)]
    return [cuts[0] - 1, *[(a + b) / 2 for a, b in itertools.pairwise(cuts)], cuts[-1] + 1]


def _joined(f: Pieces, g: Pieces, combine: Callable[[Terms, Terms], Terms]) -> Pieces:
    """Return the function that is the combination of two, piece by piece."""
    cuts: list[Any] = []
    parts: list[Terms] = []
    i = j = 0
    while True:
        parts.append(combine(f.parts[i], g.parts[j]))
        a = f.cuts[i] if i < len(f.cuts) else None
        b = g.cuts[j] if j < len(g.cuts) else None
        if a is None and b is None:
            return Pieces(cuts, parts)
        first = b is None or (a is not None and a <= b)
        cuts.append(a if first else b)
        both = a is not None and b is not None and a == b
        i, j = i + (first or both), j + (not first or both)


def _plus(a: Terms, b: Terms) -> Terms:
    if not a or not b:
        return a or b
    found = dict(a)
    for key, c in b.items():
        _add(found, key, c)
    return found


def _times(terms: Terms, factor: Any) -> Terms:
    return {key: c * factor for key, c in terms.items()}


def _add(terms: Terms, key: tuple[int, int], c: Any) -> None:
    known = terms.get(key)
    terms[key] = c if known is None else known + c
