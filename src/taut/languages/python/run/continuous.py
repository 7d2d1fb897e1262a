"""Continuous noise without a value: each comparison is a draw, and constrains the noise from then on.

A number is a constant plus multiples of independent noise variables. Variables that have been compared with each other
share a region, the inequalities known of them; the weight of a comparison is a ratio of probabilities of regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import flint

from taut.languages.python.run.gumbel import Gumbel
from taut.languages.python.run.steps import Compared, TooFine, exactly
from taut.languages.python.run.tree import ChoiceTree
from taut.support.algebra.inequalities import Entangled, Inequality, chance, feasible, needed
from taut.support.algebra.pieces import Law, support
from taut.support.errors import InvalidDistribution, RealRandomness, TooLarge
from taut.support.exact import Ball, in_precision

__all__ = ["Combination", "exponential", "noise", "uniform"]

_MOST_KEPT = 20_000
_MOST_COMPARED = 100
"""Limit for the connected inequalities between noise variables of one run."""


class _Region:
    """Laws of numbered variables, and inequalities that they satisfy; regions that are equal are one object."""

    def __init__(self, laws: tuple[Law, ...], inequalities: tuple[Inequality, ...], known: _Known) -> None:
        self.laws, self.inequalities, self.known = laws, inequalities, known
        self.chance: Any = None
        self.next: dict[Inequality, tuple[Any, _Region | None, _Region | None]] = {}

    def probability(self) -> Any:
        """Return the probability of the inequalities as a ball of Flint's."""
        if self.chance is None:
            self.chance = chance(self.laws, self.inequalities)
        return self.chance

    def asked(self, one: Inequality) -> tuple[Any, _Region | None, _Region | None]:
        """Return the weights of an inequality and its contrary, and the regions where they hold; None is impossible."""
        found = self.next.get(one)
        if found is None:
            found = self.next[one] = self._asked(one)
        return found

    def _asked(self, one: Inequality) -> tuple[Any, _Region | None, _Region | None]:
        factors, bound = one
        contrary = tuple([(place, -factor) for place, factor in factors]), -bound
        whole = self.probability()
        holds, fails = self.with_one(one), self.with_one(contrary)
        if holds.probability() == 0:
            return (Fraction(0), Fraction(1)), None, self
        if fails.probability() == 0:
            return (Fraction(1), Fraction(0)), self, None
        with in_precision():
            weights = Ball(holds.chance / whole), Ball(fails.chance / whole)
        return weights, holds, fails

    def with_one(self, one: Inequality) -> _Region:
        """Return the region where one more inequality holds, without those that follow from others."""
        kept = [other for other in self.inequalities if other[0] != one[0] or other[1] < one[1]]
        if any(other[0] == one[0] for other in kept):
            return self
        made = [*kept, one]
        if len(made) > _MOST_COMPARED:
            raise Entangled(f"more than {_MOST_COMPARED} comparisons in one run depend on each other")
        edges = [factors for factors, _ in made if len(factors) > 1]
        if len(edges) >= len({place for factors in edges for place, _ in factors}) and feasible(self.laws, made):
            made = list(needed(self.laws, made))
        return _region(self.laws, tuple(sorted(made)), self.known)


_Known = dict[Any, _Region]
_REGIONS: list[_Known] = [{}]


def _region(laws: tuple[Law, ...], inequalities: tuple[Inequality, ...], known: _Known) -> _Region:
    key = laws, inequalities
    found = known.get(key)
    if found is None:
        found = known[key] = _Region(laws, inequalities, known)
    return found


def _regions_of(tree: ChoiceTree) -> _Known:
    """Return the regions that are known, the same ones for all runs of a tree: weights must not change between runs."""
    if Combination not in tree.memory:
        if len(_REGIONS[0]) > _MOST_KEPT:
            _REGIONS[0] = {}
        tree.memory[Combination] = _REGIONS[0]
    known: _Known = tree.memory[Combination]
    return known


class _Group:
    """Noise variables of one run that have been compared with each other."""

    def __init__(self, variables: list[_Variable], region: _Region) -> None:
        self.variables, self.region = variables, region


class _Variable:
    """A noise variable of one run."""

    def __init__(self, tree: ChoiceTree, law: Law) -> None:
        self.place = 0
        self.logarithm: Gumbel | None = None
        """Minus the logarithm of the variable, once that is compared."""
        self.group = _Group([self], _region((law,), (), _regions_of(tree)))


class Combination:
    """A constant plus multiples of independent noise variables, as the variable of a lazy number."""

    whole = False
    joined = None

    def __init__(self, tree: ChoiceTree, factors: dict[_Variable, Fraction], shift: Fraction) -> None:
        self.tree = tree
        self.factors = factors
        self.shift = shift

    def plus(self, other: Combination, factor: Fraction) -> Combination:
        """Return the sum with a multiple of another number."""
        factors = dict(self.factors)
        for variable, one in other.factors.items():
            factors[variable] = factors.get(variable, Fraction(0)) + factor * one
        kept = {variable: one for variable, one in factors.items() if one}
        return Combination(self.tree, kept, self.shift + factor * other.shift)

    def moved(self, factor: Fraction, shift: Fraction) -> Combination:
        """Return factor * number + shift."""
        factors = {variable: factor * one for variable, one in self.factors.items()}
        return Combination(self.tree, factors, factor * self.shift + shift)

    def gumbel(self) -> Gumbel | None:
        """Return minus the logarithm of the number as Gumbel noise; None if the number is not exponential with mean 1,
        or has been compared."""
        if self.shift or list(self.factors.values()) != [1]:
            return None
        (variable,) = self.factors
        region = variable.group.region
        if region.laws != (("exponential", Fraction(1)),) or region.inequalities:
            return None
        if variable.logarithm is None:
            variable.logarithm = Gumbel(self.tree)
        return variable.logarithm

    def below(self, threshold: Fraction) -> bool:
        """Return True if the number is below a threshold, by a draw if both can be."""
        group, one = self._inequality(threshold)
        weights, holds, fails = self._checked(lambda: group.region.asked(one))
        below = self.tree.choose(weights) == 0
        region = holds if below else fails
        assert region is not None
        group.region = region
        return below

    # -- what a lazy number asks of its variable -----------------------------------------------------------------

    def share(self, asked: Compared) -> Any:
        """Return the probability that the number lies below the threshold."""
        group, one = self._inequality(_plain(asked))
        return self._checked(lambda: group.region.asked(one))[0][0]

    def keep(self, asked: Compared, below: bool) -> None:
        """Record on which side of a threshold the number lies."""
        group, one = self._inequality(_plain(asked))
        _, holds, fails = self._checked(lambda: group.region.asked(one))
        region = holds if below else fails
        assert region is not None
        group.region = region

    def between(self, low: Compared, high: Compared) -> Any:
        """Return the probability that the number lies between two thresholds, with all digits where it is small."""
        group, one = self._inequality(_plain(high))
        factors, bound = self._inequality(_plain(low))[1]
        contrary = tuple([(place, -factor) for place, factor in factors]), -bound

        def made() -> Any:
            share = group.region.with_one(one).with_one(contrary).probability()
            with in_precision():
                return Fraction(0) if share == 0 else Ball(share / group.region.probability())

        return self._checked(made)

    @property
    def ends(self) -> tuple[float, float]:
        low = high = float(self.shift)
        for variable, factor in self.factors.items():
            law = variable.group.region.laws[variable.place]
            own = [float(factor) * _float(end, sign) for end, sign in zip(support(law), (-1, 1), strict=True)]
            low, high = low + min(own), high + max(own)
        return low, high

    def state(self) -> Any:
        groups: dict[int, int] = {}
        parts = [
            (groups.setdefault(id(variable.group), len(groups)), variable.place, factor, variable.group.region)
            for variable, factor in self.factors.items()
        ]
        return tuple(parts), self.shift

    def refused(self, what: str) -> Any:
        """Refuse an operation on the number that has no exact distribution."""
        return self.tree.refuse(
            RealRandomness(
                f"'{self.tree.name}': continuous noise {what}. It can be compared, shifted, scaled, added to other "
                "noise and rounded to whole numbers; where its value is needed, draw with its discrete counterpart, "
                "taut.geometric or taut.discrete_laplace.",
                value=self.tree.name,
            )
        )

    # -- groups --------------------------------------------------------------------------------------------------

    def _inequality(self, threshold: Fraction) -> tuple[_Group, Inequality]:
        """Return 'the number is at most the threshold' as an inequality of the group of its variables."""
        if any(variable.logarithm is not None for variable in self.factors):
            self.refused("is used, and its logarithm is compared as well")
        group = _together(self.factors)
        items = sorted((variable.place, factor) for variable, factor in self.factors.items())
        size = abs(items[0][1])
        bound = (threshold - self.shift) / size
        return group, (tuple([(place, factor / size) for place, factor in items]), bound)

    def _checked(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Entangled as problem:
            return self.tree.refuse(
                TooLarge(
                    f"'{self.tree.name}' compares continuous noise in a way that is not computed: {problem}. Compare "
                    "fewer noisy values with each other, or draw with taut.geometric.",
                    value=self.tree.name,
                )
            )


def _together(variables: Iterable[_Variable]) -> _Group:
    """Return the one group of some variables, made of theirs."""
    groups = list({id(variable.group): variable.group for variable in variables}.values())
    first = groups[0]
    for other in groups[1:]:
        count = len(first.variables)
        moved = [
            (tuple([(place + count, factor) for place, factor in factors]), bound)
            for factors, bound in other.region.inequalities
        ]
        a, b = first.region, other.region
        region = _region((*a.laws, *b.laws), tuple(sorted([*a.inequalities, *moved])), a.known)
        if region.chance is None:
            with flint.ctx.workprec(_BITS):
                region.chance = a.probability() * b.probability()
        first.region = region
        for variable in other.variables:
            variable.place += count
            variable.group = first
        first.variables += other.variables
    return first


_BITS = 512


def _plain(asked: Compared) -> Fraction:
    if isinstance(asked.threshold, Ball):
        raise TooFine
    return Fraction(asked.threshold)


def _float(end: Fraction | None, sign: int) -> float:
    return sign * float("inf") if end is None else float(end)


# -- draws -------------------------------------------------------------------------------------------------------------


def noise(tree: ChoiceTree, kind: str, scale: Any, name: str) -> Combination:
    """Return noise from a Laplace distribution around 0, or from an exponential one, with this scale."""
    if tree.machine:
        tree.refuse(
            RealRandomness(
                f"'{tree.name}' draws with {name}, a continuous distribution; its exact rounding to doubles is not "
                'computed, so it is followed with randomness="ideal" only.',
                value=name,
            )
        )
    known = exactly(scale)
    if known is None or known < 0:
        problem = f"{name}: scale must be a finite number above 0; got {scale!r}."
        if known is not None:
            raise ValueError(problem)
        tree.refuse(InvalidDistribution(problem, value=scale))
        raise AssertionError
    tree.draws.add(name)
    if known == 0:
        return Combination(tree, {}, Fraction(0))
    return Combination(tree, {_Variable(tree, (kind, known)): Fraction(1)}, Fraction(0))


def exponential(tree: ChoiceTree) -> Combination:
    """Return noise from the exponential distribution with scale 1, which is that of -log of a uniform number."""
    return Combination(tree, {_Variable(tree, ("exponential", Fraction(1))): Fraction(1)}, Fraction(0))


def uniform(tree: ChoiceTree, low: Fraction, high: Fraction) -> Combination:
    """Return a number that is uniform between two ends."""
    return Combination(tree, {_Variable(tree, ("uniform", low, high)): Fraction(1)}, Fraction(0))
