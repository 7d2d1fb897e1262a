"""Distributions of functions of one sum of independent parts: the product of the polynomials of the parts.

The coefficients of a polynomial are the probabilities of what its part adds. Parts that are alike share one polynomial,
however many there are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from taut.diagrams.compile.linear import is_linear
from taut.inference.engine import EnginePlan, InferenceQuery
from taut.inference.parts import Blocks, Contribution
from taut.program import UNDEFINED, Apply, Const, Program, Term
from taut.program.enumerator import evaluate
from taut.program.program import children
from taut.program.values import IntegerRange
from taut.support.limits import checkpoint, checkpoints

__all__ = ["BySumOfParts", "IndependentSum", "independent_sum"]

_FEW = 32
"""Parts below which a diagram is as quick."""
_TERMS = 64
"""Limit for the terms of a part."""
_SPAN = 1 << 20
"""Limit for the values of a sum."""


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
class IndependentSum:
    """A program on one input as a function of a sum: its term, a constant, and the parts with their numbers."""

    program: Program
    total: Term
    constant: int
    parts: Sequence[tuple[Contribution, int]]

    def distribution(self) -> dict[Any, Fraction] | None:
        """Return the exact distribution of the output; None if the program returns nothing for some sum."""
        product, least, scale = flint.fmpz_poly([1]), self.constant, 1
        for part, count in self.parts:
            checkpoint()
            (low,), common = part[0][0], math.lcm(*[mass.denominator for _, mass in part])
            row = [0] * (part[-1][0][0] - low + 1)
            for (added,), share in part:
                row[added - low] = int(share * common)
            product *= flint.fmpz_poly(row) ** count
            least, scale = least + low * count, scale * common**count
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
    if total is None or (isinstance(total.values, IntegerRange) and len(total.values) > _SPAN):
        return None
    blocks = Blocks(program, None, program.entries(x), _TERMS)
    if not blocks.add(total) or blocks.parts < _FEW:
        return None
    added = blocks.contributions({})
    if added is None:
        return None
    parts = {id(rows): rows[0] for _, rows in added}  # blocks that are alike have the same list
    counts = Counter(id(rows) for _, rows in added)
    if sum((part[-1][0][0] - part[0][0][0]) * counts[key] for key, part in parts.items()) > _SPAN:
        return None
    return IndependentSum(program, total, blocks.constant[0], [(part, counts[key]) for key, part in parts.items()])


def _rank(value: Any) -> tuple[str, Any]:
    """Sort key: numbers by value, other values by text."""
    return ("", value) if isinstance(value, (int, Fraction)) else (type(value).__name__, repr(value))


def _sum_inside(term: Term) -> Apply | None:
    """Return the sum below a term, found through operations with one varying argument."""
    while not is_linear(term):
        varying = [child for child in children(term) if not isinstance(child, Const)]
        if not isinstance(term, Apply) or len(set(varying)) != 1:
            return None
        term = varying[0]
    assert isinstance(term, Apply)
    return term
