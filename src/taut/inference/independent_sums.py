"""Mechanisms that return a function of one sum of independent parts, each of one entry or of none.

The distribution of such a sum is the product of the polynomials of its parts, whose coefficients are probabilities.
Parts that are alike share their polynomials, however many there are.
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
from taut.inference.totals import require_total
from taut.program import UNDEFINED, Apply, Coin, Const, Input, Program, Term
from taut.program.enumerator import evaluate
from taut.program.program import children, reachable
from taut.program.values import IntegerRange
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property

__all__ = ["IndependentSum", "Part", "distribution_of_sum", "independent_sum"]

_FEW = 32
"""Parts below which a diagram is as quick."""
_OUTCOMES = 1 << 10
"""Combinations of coins that a part may have."""
_TERMS = 64
"""Terms that a part may be made of."""
_SPAN = 1 << 20
"""Values that a sum may have."""


@dataclass(frozen=True)
class Part:
    """The contribution of one part to the sum: for each value of its entry a polynomial, all over one denominator.

    The coefficient of z^i counts ``least`` + i. Parts that are equal have the same distributions.
    """

    rows: tuple[tuple[int, ...], ...]
    least: int
    scale: int

    @cached_property
    def polynomials(self) -> list[Any]:
        return [flint.fmpz_poly(list(row)) for row in self.rows]


@dataclass(frozen=True)
class IndependentSum:
    """A program as the function ``value`` of a sum: its parts, and for each entry the part that reads it."""

    program: Program
    total: Term
    parts: Mapping[Part, int]
    """Number of occurrences of each part."""
    part_of: Sequence[Part | None]
    """For each entry the part that reads it, if one does."""

    @cached_property
    def least(self) -> int:
        return sum(part.least * count for part, count in self.parts.items())

    @cached_property
    def span(self) -> int:
        return sum((len(part.rows[0]) - 1) * count for part, count in self.parts.items())

    @cached_property
    def scale(self) -> int:
        return math.prod(part.scale**count for part, count in self.parts.items())

    def value(self, total: int) -> Any:
        """Return the output of the program for a value of the sum."""
        return evaluate(self.program.output, (), {}, {self.total: total})

    @property
    def plain(self) -> bool:
        """True if the program returns the sum itself."""
        return self.total is self.program.output


def independent_sum(program: Program, entries: Sequence[Any] | None = None) -> IndependentSum | None:
    """A program as a sum of independent parts, for all inputs or for one; None if it is not one, or a small one."""
    total = None if program.conditioned else _sum_inside(program.output)
    if total is None:
        return None
    if isinstance(total.values, IntegerRange) and len(total.values) > _SPAN:
        return None
    parts = linear_parts(total, inner_terms(reachable([total]), {total}))
    if len(parts) < _FEW or not all(map(_rational, program.coins)):
        return None
    made = _Parts(program, entries)
    found: Counter[Part] = Counter()
    part_of: list[Part | None] = [None] * len(program.inputs)
    for variables, members in _components(parts):
        part = made.part(members, variables)
        if part is None:
            return None
        found[part] += 1
        for variable in variables:
            if isinstance(variable, Input):
                part_of[variable.index] = part
    if sum((len(part.rows[0]) - 1) * count for part, count in found.items()) > _SPAN:
        return None
    return IndependentSum(program, total, found, part_of)


def distribution_of_sum(program: Program, x: Any, most: int) -> dict[Any, Fraction] | None:
    """The exact distribution of a program's output on x, by a product of polynomials.

    None if the program is not a sum of independent parts, or has more than ``most`` outputs.
    """
    found = independent_sum(program, program.entries(x))
    if found is None:
        return None
    product = flint.fmpz_poly([1])
    for part, count in found.parts.items():
        checkpoint()
        product *= part.polynomials[0] ** count
    masses: dict[Any, int] = {}
    for place, mass in enumerate(checkpoints(map(int, product.coeffs()))):
        if mass:
            value = found.least + place if found.plain else found.value(found.least + place)
            if value is UNDEFINED:
                return None
            masses[value] = masses.get(value, 0) + mass
    if len(masses) > most:
        return None
    return {
        value: Fraction(mass, found.scale) for value, mass in sorted(masses.items(), key=lambda item: _rank(item[0]))
    }


def _rank(value: Any) -> tuple[str, Any]:
    """Sort key: numbers by value, other values by text."""
    return ("", value) if isinstance(value, (int, Fraction)) else (type(value).__name__, repr(value))


def _rational(coin: Any) -> bool:
    return all(isinstance(weight, (int, Fraction)) for weight in coin.weights)


def _sum_inside(term: Term) -> Apply | None:
    """The sum below a term, found through operations with one varying argument."""
    while not is_linear(term):
        varying = [child for child in children(term) if not isinstance(child, Const)]
        if not isinstance(term, Apply) or len(set(varying)) != 1:
            return None
        term = varying[0]
    assert isinstance(term, Apply)
    return term


def _components(parts: Sequence[tuple[int, Term]]) -> Iterator[tuple[list[Term], list[tuple[int, Term]]]]:
    """The parts in groups that share no variable, each with its variables; parts without any are one group each."""
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

    def __init__(self, program: Program, entries: Sequence[Any] | None) -> None:
        self.program, self.entries = program, entries
        self._known: dict[Any, Part | None] = {}

    def part(self, members: Sequence[tuple[int, Term]], variables: Sequence[Term]) -> Part | None:
        """The part that members with their signs add up to; None if it is large, or not of integers."""
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
        """Return the content of a term without its arguments; variables by their values."""
        if isinstance(term, Input):
            entry = None if self.entries is None else self.entries[term.index]
            return self.program.inputs[term.index].values, type(entry), entry
        if isinstance(term, Coin):
            coin = self.program.coins[term.index]
            return coin.outcomes, coin.weights
        if isinstance(term, Const):
            return type(term.value), term.value
        return getattr(term, "operation", None) or getattr(term, "keys", None)

    def _made(self, members: Sequence[tuple[int, Term]], variables: Sequence[Term]) -> Part | None:
        inputs = [variable.index for variable in variables if isinstance(variable, Input)]
        coins = [variable.index for variable in variables if isinstance(variable, Coin)]
        tossed = [self.program.coins[index] for index in coins]
        if math.prod(len(coin.outcomes) for coin in tossed) > _OUTCOMES:
            return None
        if self.entries is not None:
            cases = [{index: self.entries[index] for index in inputs}]
        elif len(inputs) > 1:
            return None
        else:
            cases = [{index: value} for index in inputs for value in self.program.inputs[index].values] or [{}]
        scale = math.prod(math.lcm(*[Fraction(weight).denominator for weight in coin.weights]) for coin in tossed)
        rows: list[dict[int, int]] = []
        for entry in cases:
            checkpoint()
            row: dict[int, int] = {}
            for outcome in itertools.product(*[zip(coin.outcomes, coin.weights, strict=True) for coin in tossed]):
                chosen = {index: value for index, (value, _) in zip(coins, outcome, strict=True)}
                known: dict[Term, Any] = {}
                values = [evaluate(term, entry, chosen, known) for _, term in members]  # type: ignore[arg-type]
                if not all(isinstance(value, int) for value in values):
                    return None
                total = sum(sign * value for (sign, _), value in zip(members, values, strict=True))
                mass = scale * math.prod(Fraction(weight) for _, weight in outcome)
                row[total] = row.get(total, 0) + int(mass)
            rows.append({total: mass for total, mass in row.items() if mass})
        least, most = min(map(min, rows)), max(map(max, rows))
        if most - least > _SPAN:
            return None
        dense = tuple(tuple(row.get(least + place, 0) for place in range(most - least + 1)) for row in rows)
        for row in rows:
            require_total(self.program.name, [Fraction(mass, scale) for mass in row.values()])
        return Part(dense, least, scale)
