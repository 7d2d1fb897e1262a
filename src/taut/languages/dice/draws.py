"""Random choices of Dice: as few multi-valued coins as possible, or flip by flip as Dice makes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from taut.languages.dice.integers import Integers, Slots
from taut.languages.dice.value_types import WORD
from taut.languages.source_text import SourceText
from taut.program import CoinVariable, Term, Terms
from taut.support.errors import TooLarge

__all__ = ["DiceDraws", "FlipDraws"]

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
