"""Checks of the numbers in a Dice program: literals, probabilities, weights and ranges."""

from __future__ import annotations

import math
from fractions import Fraction

from taut.languages.dice import syntax
from taut.languages.dice.value_types import Type, Types
from taut.languages.source_text import SourceText
from taut.support.errors import DiceError, TooLarge

__all__ = ["NumberChecks"]

_TOLERANCE = Fraction(1, 10_000)
_MOST_OUTCOMES = 1_000_000
_MOST_BINOMIAL = 10**9
_MOST_DENOMINATOR = 30_000


class NumberChecks:
    """Checks of numeric expressions; ``warnings`` lists normalised weights."""

    def __init__(self, source: SourceText, types: Types, strict: bool) -> None:
        self.source = source
        self.types = types
        self.strict = strict
        self.warnings: list[str] = []

    def int_literal(self, node: syntax.IntLiteral, scope: dict[str, Type]) -> Type:
        if not 0 <= node.value < 1 << node.width:
            raise self.source.error(
                DiceError,
                node.at,
                f"int({node.width}, {node.value}): {_bits(node.width)} hold the numbers from 0 to "
                f"{(1 << node.width) - 1}.",
                node.value,
            )
        return self.types.integer(node.width)

    def flip(self, node: syntax.Flip, scope: dict[str, Type]) -> Type:
        self._probability(node.at, "flip", node.chance)
        return self.types.bool

    def discrete(self, node: syntax.Discrete, scope: dict[str, Type]) -> Type:
        if len(node.weights) > _MOST_OUTCOMES:
            raise self.source.error(TooLarge, node.at, f"discrete: at most {_MOST_OUTCOMES} weights are allowed.")
        for place, weight in enumerate(node.weights):
            if weight.numerator < 0:
                raise self.source.error(
                    DiceError,
                    node.at,
                    f"discrete: the weight of {place} must not be negative; got {_shown(weight)}.",
                    weight,
                )
        total = self._total(node)
        if total != 1:
            self._nearly(node, total)
        return self.types.integer(max(1, (len(node.weights) - 1).bit_length()))

    def _total(self, node: syntax.Discrete) -> Fraction:
        """Return the sum of the weights; refuse a common denominator that is too large."""
        common = 1
        for weight in node.weights:
            below = weight.denominator
            if common % below:
                common = math.lcm(common, below)
                if common.bit_length() > _MOST_DENOMINATOR:
                    raise self.source.error(
                        TooLarge,
                        node.at,
                        f"discrete: the weights' common denominator has over {_MOST_DENOMINATOR} bits.",
                    )
        return Fraction(sum([weight.numerator * (common // weight.denominator) for weight in node.weights]), common)

    def _nearly(self, node: syntax.Discrete, total: Fraction) -> None:
        """Accept weights that nearly sum to 1, with a warning, as Dice does; refuse others."""
        shown = _shown(total)
        if abs(total - 1) > _TOLERANCE or self.strict:
            raise self.source.error(
                DiceError, node.at, f"discrete: the weights must sum to 1; they sum to {shown}.", total
            )
        self.warnings.append(
            f"{self.source.place(node.at)}: discrete: the weights sum to {shown}, not to 1; each was divided by that."
            f"{self.source.excerpt(node.at)}"
        )

    def uniform(self, node: syntax.Uniform, scope: dict[str, Type]) -> Type:
        if not 0 <= node.low < node.high <= 1 << node.width:
            raise self.source.error(
                DiceError,
                node.at,
                f"uniform({node.width}, {node.low}, {node.high}): from a low end to a high end that is excluded, "
                f"0 <= low < high <= {1 << node.width}.",
                (node.low, node.high),
            )
        return self.types.integer(node.width)

    def binomial(self, node: syntax.Binomial, scope: dict[str, Type]) -> Type:
        self._probability(node.at, "binomial", node.chance)
        if not 0 <= node.tosses < 1 << node.width:
            raise self.source.error(
                DiceError,
                node.at,
                f"binomial({node.width}, {node.tosses}, ...): {_bits(node.width)} hold from 0 to "
                f"{(1 << node.width) - 1} tosses.",
                node.tosses,
            )
        if node.tosses**2 * max(1, node.chance.denominator.bit_length()) > _MOST_BINOMIAL and 0 < node.chance < 1:
            raise self.source.error(
                TooLarge, node.at, f"binomial with {node.tosses} tosses has too many exact weights.", node.tosses
            )
        return self.types.integer(node.width)

    def _probability(self, at: int, what: str, chance: Fraction) -> None:
        if not 0 <= chance <= 1:
            raise self.source.error(
                DiceError, at, f"{what}: a probability lies in [0, 1]; got {_shown(chance)}.", chance
            )


def _bits(width: int) -> str:
    return f"{width} bit{'s' if width > 1 else ''}"


def _shown(value: Fraction) -> str:
    """Format a number for a message: exactly if that is short, and as a decimal."""
    try:
        near = f"{float(value):.10g}"
    except OverflowError:
        return "a number beyond 1e308"
    short = max(abs(value.numerator), value.denominator).bit_length() < 100
    return f"{value} = {near}" if short and value.denominator > 1 else str(value) if short else f"about {near}"
