"""Unsigned integers of w bits as terms, with arithmetic modulo 2^w.

Up to 8 bits an integer is one term whose values are the numbers: a diagram then has one leaf a number, and sums stay
sums. Wider ones are one term per bit, the highest first, joined by ripple circuits, since their values are too many to
list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from taut.languages.dice.values import WORD
from taut.languages.source_text import SourceText
from taut.program import CoinVariable, Const, IntegerRange, Term, Terms
from taut.support.errors import TooLarge

__all__ = ["DiceDraws", "FlipDraws", "Integers", "Slots"]

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


_NAMES = {"+": "add", "-": "sub", "*": "mul", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


_MOST_COINS = 200_000


class DiceDraws:
    """Makes coins: a draw from up to 256 numbers is a single coin."""

    keeps_certain_flips = False

    def __init__(self, terms: Terms, integers: Integers, source: SourceText) -> None:
        self.terms = terms
        self.integers = integers
        self.source = source
        self.coins: list[CoinVariable] = []

    def flip(self, at: int, chance: Fraction, kind: str = "flip", *, constants: bool = True) -> Term:
        """Return a flip that is true with probability ``chance``; a certain one is a constant.

        ``constants`` tells whether Dice, too, makes a constant of a certain flip here.
        """
        if chance in (0, 1) and (constants or not self.keeps_certain_flips):
            return self.terms.const(chance == 1)
        return self._coin(at, kind, (False, True), (1 - chance, chance))

    def discrete(self, at: int, width: int, weights: Sequence[Fraction]) -> Slots:
        """Return the number i with the i-th weight, normalised."""
        shares = _normalised(weights)
        outcomes = tuple([value for value, share in enumerate(shares) if share])
        return self._drawn(at, "discrete", width, outcomes, tuple([shares[value] for value in outcomes]))

    def uniform(self, at: int, width: int, low: int, high: int) -> Slots:
        """Return a uniform number from ``low`` to ``high``, excluding ``high``."""
        if width > WORD:
            return self._uniform_bits(at, width, low, high)
        return self._drawn(at, "uniform", width, tuple(range(low, high)), (Fraction(1, high - low),) * (high - low))

    def binomial(self, at: int, width: int, tosses: int, chance: Fraction) -> Slots:
        """Return the number of true flips among ``tosses``."""
        if chance in (0, 1):
            return self.integers.constant(width, tosses if chance else 0)
        hit, miss = chance.numerator, chance.denominator - chance.numerator
        hits, misses = _powers(hit, tosses), _powers(miss, tosses)
        below = chance.denominator**tosses
        weights, ways = [], 1
        for value in range(tosses + 1):
            weights.append(Fraction(ways * hits[value] * misses[tosses - value], below))
            ways = ways * (tosses - value) // (value + 1)
        return self._drawn(at, "binomial", width, tuple(range(tosses + 1)), tuple(weights))

    def _uniform_bits(self, at: int, width: int, low: int, high: int) -> Slots:
        """Draw uniformly as Dice does: fair flips for a power of two, else flips that split off powers of two."""
        count, chain = high - low, []
        while count & (count - 1):
            highest = count.bit_length() - 1
            below = self.flip(at, Fraction(1 << highest, count), "uniform")
            chain.append((highest, below, self._fair(at, highest)))
            count -= 1 << highest
        bits = self._fair(at, count.bit_length() - 1)
        for highest, below, fair in reversed(chain):
            more = [self.terms.true, *[self.terms.false] * (highest - len(bits)), *bits]
            less = [self.terms.false, *fair]
            bits = [self.terms.ite(below, p, q) for p, q in zip(less, more, strict=True)]
        found = self.integers.of_bits(width, bits)
        return self.integers.binary("+", width, self.integers.constant(width, low), found) if low else found

    def _fair(self, at: int, count: int) -> list[Term]:
        return [self.flip(at, Fraction(1, 2), "uniform") for _ in range(count)]

    def _drawn(self, at: int, kind: str, width: int, outcomes: tuple[int, ...], weights: tuple[Fraction, ...]) -> Slots:
        if len(outcomes) == 1:
            return self.integers.constant(width, outcomes[0])
        return self.integers.of_word(width, self._coin(at, kind, outcomes, weights))

    def _coin(self, at: int, kind: str, outcomes: tuple[int, ...], weights: tuple[Fraction, ...]) -> Term:
        index = len(self.coins)
        if index >= _MOST_COINS:
            raise self.source.error(TooLarge, at, f"the program draws more than {_MOST_COINS} coins.")
        line, column = self.source.position(at)
        boolean = outcomes == (False, True) and kind != "discrete"
        name = f"{kind} {line}:{column}"
        self.coins.append(CoinVariable(name, outcomes, weights, index, dice=boolean))
        return self.terms.coin(index, outcomes)


class FlipDraws(DiceDraws):
    """Makes the same flips as Dice, in the same order, so that diagram sizes are comparable.

    A discrete draw stays one coin: counting unfolds it into Dice's flips by itself, from the place of each weight. Dice
    makes constants of certain flips, but not in an argument or in the guard of an ``if``, where ``binomial`` has them.
    """

    keeps_certain_flips = True

    def discrete(self, at: int, width: int, weights: Sequence[Fraction]) -> Slots:
        if sum(1 for weight in weights if weight) == 1:
            return super().discrete(at, width, weights)
        return self._drawn(at, "discrete", width, tuple(range(len(weights))), tuple(_normalised(weights)))

    def uniform(self, at: int, width: int, low: int, high: int) -> Slots:
        return self._uniform_bits(at, width, low, high)

    def binomial(self, at: int, width: int, tosses: int, chance: Fraction) -> Slots:
        count = self.integers.constant(width, 0)
        one = self.integers.constant(width, 1)
        for _ in range(tosses):
            toss = self.flip(at, chance, "binomial", constants=False)
            more = self.integers.binary("+", width, one, count)
            count = tuple(self.terms.ite(toss, p, q) for p, q in zip(more, count, strict=True))
        return count


def _normalised(weights: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return the weights divided by their sum."""
    common = math.lcm(*[weight.denominator for weight in weights])
    above = [weight.numerator * (common // weight.denominator) for weight in weights]
    total = sum(above)
    return weights if total == common else [Fraction(weight, total) for weight in above]


def _powers(base: int, most: int) -> list[int]:
    powers = [1]
    for _ in range(most):
        powers.append(powers[-1] * base)
    return powers
