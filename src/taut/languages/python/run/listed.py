"""Whole numbers whose probabilities are listed, without a value until something asks: counts, and sums of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.languages.python.run.steps import Compared, TooFine
from taut.languages.python.run.tree import ChoiceTree
from taut.support.algebra.polynomial import to_flint
from taut.support.errors import UnsupportedValue
from taut.support.exact import Ball, in_precision

__all__ = ["Law", "Listed", "law_of_sum", "spent"]


class Law:
    """The probabilities of the whole numbers from ``low`` on; they sum to 1."""

    def __init__(self, low: int, weights: Sequence[Any]) -> None:
        self.low = low
        self.weights = tuple(weights)
        self.sums = (Fraction(0), *itertools.accumulate(self.weights))

    def scaled(self, factor: int) -> Law:
        """Return the law of a number times 1 or -1."""
        return self if factor == 1 else Law(1 - self.low - len(self.weights), self.weights[::-1])


def law_of_sum(a: Law, b: Law, factor: int) -> Law:
    """Return the law of the sum of a number and ``factor`` (1 or -1) times an independent one."""
    b = b.scaled(factor)
    with in_precision():
        made: list[Any]
        if any(isinstance(weight, Ball) for weight in (*a.weights, *b.weights)):
            parts = [flint.arb_poly([_arb(weight) for weight in law.weights]) for law in (a, b)]
            made = [Ball(weight) for weight in (parts[0] * parts[1]).coeffs()]
        else:
            exact = [flint.fmpq_poly([to_flint(weight) for weight in law.weights]) for law in (a, b)]
            made = [Fraction(int(weight.p), int(weight.q)) for weight in (exact[0] * exact[1]).coeffs()]
    count = len(a.weights) + len(b.weights) - 1
    return Law(a.low + b.low, [*made, *[Fraction(0)] * (count - len(made))])


def _arb(weight: Any) -> Any:
    return weight.arb if isinstance(weight, Ball) else flint.arb(to_flint(Fraction(weight)))


def spent(tree: ChoiceTree) -> Any:
    """Refuse to use a number that a sum has taken the place of."""
    return tree.refuse(
        UnsupportedValue(
            f"'{tree.name}': a random number is used, and its sum with another one as well. Add what is used once, or "
            "draw it in a function of its own.",
            value=tree.name,
        )
    )


class Listed:
    """A whole number with a law, between two places of its list."""

    whole = True
    joined = None

    def __init__(self, tree: ChoiceTree, law: Law) -> None:
        self.tree = tree
        self.law = law
        self.first, self.last = 0, len(law.weights)
        self.spent = False
        """True once a sum has taken its place."""

    @property
    def count(self) -> int:
        return self.last - self.first

    def _place(self, asked: Compared) -> int:
        """Return the place of the first number that is not below a threshold."""
        if isinstance(asked.threshold, Ball):
            raise TooFine
        number: int = math.ceil(asked.threshold) if asked.strict else math.floor(asked.threshold) + 1
        return min(max(number - self.law.low, self.first), self.last)

    def share(self, asked: Compared) -> Any:
        """Return the probability that the number lies below a threshold."""
        self._unspent()
        place, sums = self._place(asked), self.law.sums
        if place in (self.first, self.last):
            return Fraction(int(place == self.last))
        return self._kept(
            ("share", place), lambda: (sums[place] - sums[self.first]) / (sums[self.last] - sums[self.first])
        )

    def keep(self, asked: Compared, below: bool) -> None:
        """Restrict the number to one side of a threshold."""
        if below:
            self.last = self._place(asked)
        else:
            self.first = self._place(asked)

    def decided(self) -> int:
        """Return the number, by a draw among all that it can be."""
        self._unspent()
        if self.count > 1:
            weights = self._kept("weights", self._weights)
            self.first += self.tree.choose(weights)
            self.last = self.first + 1
        return self.law.low + self.first

    def plus(self, other: Listed, factor: int) -> Listed:
        """Return the sum with ``factor`` (1 or -1) times another number; both are used up."""
        self._unspent()
        other._unspent()
        key = Listed, self.state(), other.state(), factor
        if key not in self.tree.memory:
            self.tree.memory[key] = law_of_sum(self._now(), other._now(), factor)
        self.spent = other.spent = True
        return Listed(self.tree, self.tree.memory[key])

    def _now(self) -> Law:
        return Law(self.law.low + self.first, self._weights())

    def _weights(self) -> tuple[Any, ...]:
        if self.count == len(self.law.weights):
            return self.law.weights
        whole = self.law.sums[self.last] - self.law.sums[self.first]
        return tuple([weight / whole for weight in self.law.weights[self.first : self.last]])

    def _kept(self, what: Any, make: Callable[[], Any]) -> Any:
        key = Listed, what, self.state()
        if key not in self.tree.memory:
            self.tree.memory[key] = make()
        return self.tree.memory[key]

    def _unspent(self) -> None:
        if self.spent:
            spent(self.tree)

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.law.low + self.first), float(self.law.low + self.last - 1)

    def state(self) -> Any:
        return self.law, self.first, self.last
