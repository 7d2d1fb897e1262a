"""Distributions of functions of one sum of independent parts: the product of the polynomials of the parts.

The coefficients of a polynomial are the probabilities of what its part adds. Parts that are alike share one polynomial,
however many there are.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.compile.linear import inner_terms, is_linear, linear_parts
from taut.inference.engine import EnginePlan, InferenceQuery
from taut.inference.totals import require_total
from taut.program import UNDEFINED, Apply, Coin, Const, Input, Program, Term
from taut.program.enumerator import evaluate
from taut.program.program import children, reachable
from taut.program.values import IntegerRange
from taut.support.limits import checkpoint, checkpoints

__all__ = ["BySumOfParts", "IndependentSum", "Part", "independent_sum"]

_FEW = 32
"""Parts below which a diagram is as quick."""
_OUTCOMES = 1 << 10
"""Combinations of coins that a part may have."""
_TERMS = 64
"""Terms that a part may be made of."""
_SPAN = 1 << 20
"""Values that a sum may have."""


class BySumOfParts:
    """The exact distribution of a function of one sum of many independent parts."""

    name = "sums"

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        if asked.program is None:
            return None
        found = independent_sum(asked.program, asked.x)
        masses = None if found is None else found.distribution()
        if masses is None or len(masses) > asked.options.max_outcomes:
            return None
        return EnginePlan(0, lambda _: masses, "the output depends on a sum of independent parts")


@dataclass(frozen=True)
class Part:
    """The polynomial of a part: its i-th coefficient over ``scale`` is the probability that it adds ``least`` + i."""

    row: tuple[int, ...]
    least: int
    scale: int


@dataclass(frozen=True)
class IndependentSum:
    """A program on one input as a function of a sum: its term, and how often each part occurs in it."""

    program: Program
    total: Term
    parts: Mapping[Part, int]

    def distribution(self) -> dict[Any, Fraction] | None:
        """Return the exact distribution of the output; None if the program returns nothing for some value of the
        sum.
        """
        product = flint.fmpz_poly([1])
        for part, count in self.parts.items():
            checkpoint()
            product *= flint.fmpz_poly(list(part.row)) ** count
        least = sum(part.least * count for part, count in self.parts.items())
        scale = math.prod(part.scale**count for part, count in self.parts.items())
        plain = self.total is self.program.output
        masses: dict[Any, int] = {}
        for place, mass in enumerate(checkpoints(map(int, product.coeffs()))):
            if mass:
                value: Any = least + place
                if not plain:
                    value = evaluate(self.program.output, (), {}, {self.total: value})
                if value is UNDEFINED:
                    return None
                masses[value] = masses.get(value, 0) + mass
        ordered = sorted(masses.items(), key=lambda item: _rank(item[0]))
        return {value: Fraction(mass, scale) for value, mass in ordered}


def independent_sum(program: Program, x: Any) -> IndependentSum | None:
    """Return a program on an input as a sum of independent parts; None if it is not one, or a small one."""
    total = None if program.conditioned else _sum_inside(program.output)
    if total is None:
        return None
    if isinstance(total.values, IntegerRange) and len(total.values) > _SPAN:
        return None
    parts = linear_parts(total, inner_terms(reachable([total]), {total}))
    if len(parts) < _FEW or not all(map(_rational, program.coins)):
        return None
    made = _Parts(program, program.entries(x))
    found: Counter[Part] = Counter()
    for variables, members in _components(parts):
        part = made.part(members, variables)
        if part is None:
            return None
        found[part] += 1
    if sum((len(part.row) - 1) * count for part, count in found.items()) > _SPAN:
        return None
    return IndependentSum(program, total, found)


def _rank(value: Any) -> tuple[str, Any]:
    """Sort key: numbers by value, other values by text."""
    return ("", value) if isinstance(value, (int, Fraction)) else (type(value).__name__, repr(value))


def _rational(coin: Any) -> bool:
    return all(isinstance(weight, (int, Fraction)) for weight in coin.weights)


def _sum_inside(term: Term) -> Apply | None:
    """Return the sum below a term, found through operations with one varying argument."""
    while not is_linear(term):
        varying = [child for child in children(term) if not isinstance(child, Const)]
        if not isinstance(term, Apply) or len(set(varying)) != 1:
            return None
        term = varying[0]
    assert isinstance(term, Apply)
    return term


def _components(parts: Sequence[tuple[int, Term]]) -> Iterator[tuple[list[Term], list[tuple[int, Term]]]]:
    """Yield the parts in groups that share no variable, each with its variables; parts without any are one group
    each.
    """
    group_of: dict[Term, int] = {}
    groups: dict[int, tuple[list[Term], list[tuple[int, Term]]]] = {}
    for number, (sign, part) in enumerate(checkpoints(parts, 64)):
        mine = [term for term in reachable([part]) if isinstance(term, (Input, Coin))]
        joined = sorted({group_of[variable] for variable in mine if variable in group_of})
        variables, members = groups.setdefault(joined[0] if joined else number, ([], []))
        for other in joined[1:]:
            more, others = groups.pop(other)
            variables += more
            members += others
        variables += [variable for variable in mine if variable not in group_of]
        members.append((sign, part))
        group_of.update(dict.fromkeys(variables, joined[0] if joined else number))
    yield from groups.values()


class _Parts:
    """The polynomials of parts, computed once for parts of the same shape."""

    def __init__(self, program: Program, entries: Sequence[Any]) -> None:
        self.program, self.entries = program, entries
        self._known: dict[Any, Part | None] = {}

    def part(self, members: Sequence[tuple[int, Term]], variables: Sequence[Term]) -> Part | None:
        """Return the part that members with their signs add up to; None if it is large, or not of integers."""
        terms = reachable([term for _, term in members])
        if len(terms) > _TERMS:
            return None
        place = {term: number for number, term in enumerate(terms)}
        shape = tuple([(type(term), self._content(term), *[place[kid] for kid in children(term)]) for term in terms])
        key = (shape, tuple([(sign, place[term]) for sign, term in members]))
        if key not in self._known:
            self._known[key] = self._made(members, variables)
        return self._known[key]

    def _content(self, term: Term) -> Any:
        """Return the content of a term without its arguments; an input by its value, a coin by its distribution."""
        if isinstance(term, Input):
            return type(self.entries[term.index]), self.entries[term.index]
        if isinstance(term, Coin):
            coin = self.program.coins[term.index]
            return coin.outcomes, coin.weights
        if isinstance(term, Const):
            return type(term.value), term.value
        return getattr(term, "operation", None) or getattr(term, "keys", None)

    def _made(self, members: Sequence[tuple[int, Term]], variables: Sequence[Term]) -> Part | None:
        entries = {one.index: self.entries[one.index] for one in variables if isinstance(one, Input)}
        coins = [variable.index for variable in variables if isinstance(variable, Coin)]
        tossed = [self.program.coins[index] for index in coins]
        if math.prod(len(coin.outcomes) for coin in tossed) > _OUTCOMES:
            return None
        scale = math.prod(math.lcm(*[Fraction(weight).denominator for weight in coin.weights]) for coin in tossed)
        row: dict[int, int] = {}
        checkpoint()
        for outcome in itertools.product(*[zip(coin.outcomes, coin.weights, strict=True) for coin in tossed]):
            chosen = {index: value for index, (value, _) in zip(coins, outcome, strict=True)}
            known: dict[Term, Any] = {}
            values = [evaluate(term, entries, chosen, known) for _, term in members]  # type: ignore[arg-type]
            if not all(isinstance(value, int) for value in values):
                return None
            total = sum(sign * value for (sign, _), value in zip(members, values, strict=True))
            mass = scale * math.prod(Fraction(weight) for _, weight in outcome)
            row[total] = row.get(total, 0) + int(mass)
        require_total(self.program.name, [Fraction(mass, scale) for mass in row.values()])
        possible = [total for total, mass in row.items() if mass]
        least, most = min(possible), max(possible)
        if most - least > _SPAN:
            return None
        return Part(tuple([row.get(least + place, 0) for place in range(most - least + 1)]), least, scale)
