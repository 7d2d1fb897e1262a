"""Unsigned integers of w bits as terms, with arithmetic modulo 2^w.

Up to 8 bits an integer is one term whose values are the numbers: a diagram then has one leaf a number, and sums stay
sums. Wider ones are a term a bit, the highest first, joined by ripple circuits, since nobody can list their values.
"""

from __future__ import annotations

from collections.abc import Sequence

from taut.languages.dice.value_types import WORD
from taut.program import Const, IntegerRange, Term, Terms

__all__ = ["Integers", "Slots"]

Slots = tuple[Term, ...]


class Integers:
    """The operations on integers represented by terms."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._words: dict[Slots, Term] = {}
        """The term behind each wide integer, so that one that is only passed on stays one term."""

    def constant(self, width: int, value: int) -> Slots:
        if width <= WORD:
            return (self.terms.const(value),)
        return tuple(self.terms.const(bool(value >> place & 1)) for place in range(width - 1, -1, -1))

    def of_word(self, width: int, word: Term) -> Slots:
        """Return the integer with the value of a term, all of whose values fit."""
        if width <= WORD:
            return (word,)
        slots = tuple(self._bit(word, place) for place in range(width - 1, -1, -1))
        self._words.setdefault(slots, word)
        return slots

    def of_bits(self, width: int, bits: Sequence[Term]) -> Slots:
        """Return the integer with these bits, highest first; missing high bits are 0."""
        if width <= WORD:
            return (self._sum(bits),)
        return (self.terms.false,) * (width - len(bits)) + tuple(bits)

    def word(self, width: int, value: Slots) -> Term:
        """Return the integer as one term."""
        if width <= WORD:
            return value[0]
        known = self._words.get(value)
        return self._sum(value) if known is None else known

    def nth_bit(self, width: int, value: Slots, place: int) -> Term:
        """Return a bit, counted from the highest."""
        return self._bit(value[0], width - 1 - place) if width <= WORD else value[place]

    # -- arithmetic ----------------------------------------------------------------------------------------------

    def binary(self, operator: str, width: int, a: Slots, b: Slots) -> Slots:
        """Return a + b, a - b or a * b, modulo 2^width."""
        if width <= WORD:
            return (self._wrapped(width, self.terms.apply(_NAMES[operator], a[0], b[0])),)
        if operator == "+":
            return self._add(a, b, self.terms.false)
        if operator == "-":
            return self._add(a, tuple(self.terms.negate(bit) for bit in b), self.terms.true)
        return self._multiply(a, b)

    def compare(self, operator: str, width: int, a: Slots, b: Slots) -> Term:
        """Return the condition that ``a operator b`` holds."""
        terms = self.terms
        if width <= WORD:
            return terms.apply(_NAMES[operator], a[0], b[0])
        if operator in ("==", "!="):
            same = terms.all(*[terms.negate(self.different(p, q)) for p, q in zip(a, b, strict=True)])
            return same if operator == "==" else terms.negate(same)
        if operator in (">", "<="):
            a, b = b, a
        less = terms.false
        for p, q in zip(reversed(a), reversed(b), strict=True):
            less = terms.ite(self.different(p, q), q, less)
        return less if operator in ("<", ">") else terms.negate(less)

    def shift(self, operator: str, width: int, value: Slots, places: int) -> Slots:
        if places >= width:
            return self.constant(width, 0)
        if width > WORD:
            zeros = (self.terms.false,) * places
            return value[places:] + zeros if operator == "<<" else zeros + value[: width - places]
        factor = self.terms.const(1 << places)
        if operator == "<<":
            return (self._wrapped(width, self.terms.apply("mul", value[0], factor)),)
        return (self.terms.apply("floordiv", value[0], factor),)

    def different(self, a: Term, b: Term) -> Term:
        """Return the exclusive or of two Booleans."""
        if a is b:
            return self.terms.false
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Const):
                return self.terms.negate(other) if one.value else other
        return self.terms.apply("ne", a, b)

    # -- inside --------------------------------------------------------------------------------------------------

    def _bit(self, word: Term, place: int) -> Term:
        terms = self.terms
        shifted = terms.apply("floordiv", word, terms.const(1 << place)) if place else word
        return terms.truth(terms.apply("mod", shifted, terms.const(2)))

    def _sum(self, bits: Sequence[Term]) -> Term:
        """Return the number with these bits."""
        terms = self.terms
        last = len(bits) - 1
        parts = [
            terms.ite(bit, terms.const(1 << last - place), terms.const(0))
            for place, bit in enumerate(bits)
            if bit is not terms.false
        ]
        if not parts:
            return terms.const(0)
        return terms.apply("add", *parts) if len(parts) > 1 else parts[0]

    def _wrapped(self, width: int, term: Term) -> Term:
        values = term.values
        if isinstance(values, IntegerRange):
            fits = values.low >= 0 and values.high < 1 << width
        else:
            fits = isinstance(values, frozenset) and all(0 <= value < 1 << width for value in values)
        return term if fits else self.terms.apply("mod", term, self.terms.const(1 << width))

    def _add(self, a: Slots, b: Slots, carry: Term) -> Slots:
        terms, bits = self.terms, []
        for p, q in zip(reversed(a), reversed(b), strict=True):
            unlike = self.different(p, q)
            bits.append(self.different(unlike, carry))
            carry = terms.ite(unlike, carry, p)
        return tuple(reversed(bits))

    def _multiply(self, a: Slots, b: Slots) -> Slots:
        width = len(a)
        total = self.constant(width, 0)
        for place, bit in enumerate(reversed(b)):
            if bit is not self.terms.false:
                shifted = a[place:] + (self.terms.false,) * place
                total = self._add(total, tuple(self.terms.all(bit, part) for part in shifted), self.terms.false)
        return total


_NAMES = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
