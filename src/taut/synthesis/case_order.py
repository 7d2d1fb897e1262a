"""An order among all cases, so that of equally bad ones the same is shown however the work was divided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from taut.support.process import cached_property

__all__ = ["CaseOrder"]


@dataclass(frozen=True)
class CaseOrder:
    """Cases (x, x', y), in positions, as whole numbers; of two cases the one with the smaller number comes first.

    What counts first is where x and x' differ: early entries rather than late ones, by little rather than by much. Then
    x counts, then y. Where pairs are ``listed`` one by one, the pairs of values count entry after entry, equal ones
    first. The number is a sum of one part per entry and one per output. So of two prefixes, in whatever order the
    entries are read, the one that comes first does so with every continuation.
    """

    sizes: tuple[int, ...]
    """Number of values of each entry."""
    outputs: tuple[int, ...]
    """Number of values of each output variable."""
    listed: bool = False

    @cached_property
    def radix(self) -> list[int]:
        """Return the number of ways in which the values of each entry can differ, as far as they count."""
        if self.listed:
            return [size * size + size if size > 1 else 1 for size in self.sizes]
        return [2 * size - 1 for size in self.sizes]

    @cached_property
    def inputs(self) -> int:
        return math.prod(self.sizes)

    @cached_property
    def all_outputs(self) -> int:
        return math.prod(self.outputs)

    def digit(self, entry: int, value: int, other: int) -> int:
        """Return the difference of an entry: 0 if there is none; else its size, in the order of a list."""
        if self.listed:
            size = self.sizes[entry]
            return value if value == other else size + value * size + other
        step = other - value
        return 2 * abs(step) - (step > 0)

    def entry(self, entry: int, value: int, other: int) -> int:
        """The part of an entry in the number of a case."""
        digit = self.digit(entry, value, other)
        if self.listed:
            return digit * self.difference_weights[entry] * self.all_outputs
        return (digit * self.difference_weights[entry] * self.inputs + value * self.weights[entry]) * self.all_outputs

    def output(self, place: int, value: int) -> int:
        """The part of an output variable in the number of a case."""
        return value * self.output_weights[place]

    def number(self, x: Sequence[int], x_prime: Sequence[int], y: Sequence[int]) -> int:
        """The number of a case."""
        of_entries = sum(self.entry(entry, *pair) for entry, pair in enumerate(zip(x, x_prime, strict=True)))
        return of_entries + sum(self.output(place, value) for place, value in enumerate(y))

    def case(self, number: int) -> tuple[list[int], list[int], list[int]]:
        """The case with a number: x, x' and y."""
        number, rest = divmod(number, self.all_outputs)
        y = _digits(rest, self.output_weights)
        if self.listed:
            pairs = [
                (digit, digit) if digit < size else divmod(digit - size, size)
                for digit, size in zip(_digits(number, self.difference_weights), self.sizes, strict=True)
            ]
            return [value for value, _ in pairs], [other for _, other in pairs], y
        differences, of_x = divmod(number, self.inputs)
        x = _digits(of_x, self.weights)
        digits = _digits(differences, self.difference_weights[::-1])[::-1]
        steps = [(digit + 1) // 2 * (1 if digit % 2 else -1) for digit in digits]
        return x, [value + step for value, step in zip(x, steps, strict=True)], y

    @cached_property
    def difference_weights(self) -> list[int]:
        """Return the weights of the differences of the entries: late entries most, or in a list early ones."""
        return _weights(self.radix) if self.listed else _weights(self.radix[::-1])[::-1]

    @cached_property
    def weights(self) -> list[int]:
        return _weights(self.sizes)

    @cached_property
    def output_weights(self) -> list[int]:
        return _weights(self.outputs)


def _weights(sizes: Sequence[int]) -> list[int]:
    """Return the weights of the digits of a number, the first one largest."""
    weights = [1] * len(sizes)
    for place in range(len(sizes) - 2, -1, -1):
        weights[place] = weights[place + 1] * sizes[place + 1]
    return weights


def _digits(number: int, weights: Sequence[int]) -> list[int]:
    digits = []
    for weight in weights:
        digit, number = divmod(number, weight)
        digits.append(digit)
    return digits
