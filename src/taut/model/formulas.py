"""Models of weighted Boolean formulas written by hand."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from taut.channel import fold, rows_of
from taut.compile import Relation
from taut.compile.formula import compile_formula
from taut.domains import Domain, InputSpace, bits
from taut.errors import NotADistribution, TooLarge
from taut.frontend.formula import parse_dimacs, parse_formula
from taut.ir.formula import Formula
from taut.model.bounded import Model
from taut.numbers import Ball
from taut.options import explicit

__all__ = ["FormulaModel", "dimacs", "formula"]


class FormulaModel(Model):
    """A weighted formula written by hand, as a model: x and y are tuples of bits in the order given."""

    def __init__(self, source: Formula) -> None:
        self.formula = source
        self._settings = dict(explicit())
        self._relation = None
        self._checked = False
        self._reading = None

    def __repr__(self) -> str:
        return f"<FormulaModel {self.name}, {len(self.formula.variables)} variables>"

    @property
    def name(self) -> str:
        return self.formula.name

    @functools.cached_property
    def domain(self) -> Domain:
        return bits(len(self.relation.inputs))

    @property
    def relation(self) -> Relation:
        if self._relation is None:
            self._relation = compile_formula(self.formula, self.options)
        return self._relation

    @property
    def exact(self) -> bool:
        return not any(isinstance(weight, Ball) for coin in self.relation.coins for weight in coin.weights)

    def count(self) -> Any:
        """The weighted model count: over all assignments that satisfy the formula, the product of their weights."""
        semiring = self._semiring("auto")
        return fold(self.relation.arrays, rows_of(self.relation, semiring), semiring)

    def fix(self, x: Any) -> Self:
        """The formula with its inputs set: each becomes a variable that is surely true or surely false."""
        values = dict(
            zip([v.name for v in self.formula.variables if v.kind == "input"], self._positions(x), strict=True)
        )
        variables = tuple(
            replace(
                variable, kind="coin", weights=(Fraction(values[variable.name]), Fraction(1 - values[variable.name]))
            )
            if variable.kind == "input"
            else variable
            for variable in self.formula.variables
        )
        fixed = type(self)(replace(self.formula, variables=variables))
        fixed._settings = {**self._settings, **explicit()}
        return fixed

    @functools.cached_property
    def bdd_size(self) -> int:
        """The number of nodes of the formula's binary decision diagram, its leaves included."""
        return self.size

    @property
    def _conditioned(self) -> bool:
        return False

    @property
    def space(self) -> InputSpace:
        return InputSpace((self.domain,))

    def _positions(self, x: Any) -> list[int]:
        self._check()
        return list(self.domain.entries(x))

    def _for_input(self, x: Any) -> tuple[Relation, list[int]]:
        return self.relation, self._positions(x)

    def _check(self) -> None:
        """Refuse a formula that is no channel: for some input its outputs do not sum to one."""
        if self._checked:
            return
        semiring = self._semiring("auto")
        if self.domain.size > 1 << 16:
            raise TooLarge(
                f"the formula has {self.domain.size} inputs, too many to check that its outputs sum to 1 for each.",
                value=self.domain.size,
            )
        for x in self.domain:
            total = fold(self.relation.arrays, rows_of(self.relation, semiring, list(x)), semiring)
            if not (total.contains(1) if isinstance(total, Ball) else total == 1):
                raise NotADistribution(
                    f"the outputs of '{self.name}' sum to {total}, not 1, at x={x}; count() gives the weighted count.",
                    value=x,
                )
        self._checked = True


def formula(
    text: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    weights: Mapping[str, Any] | None = None,
) -> FormulaModel:
    """A model of a weighted Boolean formula.

    >>> formula("a | b", weights={"a": "1/3", "b": "3/4"}).count()
    Fraction(5, 6)
    """
    return FormulaModel(parse_formula(text, inputs, outputs, weights))


def dimacs(
    path: str | os.PathLike[str], inputs: Sequence[int | str] = (), outputs: Sequence[int | str] = ()
) -> FormulaModel:
    """A model of a weighted CNF in the Model Counting Competition's DIMACS format."""
    return FormulaModel(parse_dimacs(path, inputs, outputs))
