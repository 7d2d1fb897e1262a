"""Models of weighted Boolean formulas written by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from taut.diagrams.compile.formula import compile_formula
from taut.diagrams.semirings import BALL, EXACT
from taut.inference.channel import Channel
from taut.inference.fold import fold, rows_of
from taut.languages.formula import parse_dimacs, parse_formula
from taut.model.base import limited
from taut.model.model import Model
from taut.program.domains import Domain, InputSpace, bits
from taut.program.program import Formula
from taut.program.replay import replay_formula
from taut.support.errors import NotADistribution, TooLarge
from taut.support.exact import Ball
from taut.support.process import cached_property

__all__ = ["FormulaModel", "dimacs", "formula"]


class FormulaModel(Model):
    """A weighted formula written by hand, as a model: x and y are tuples of bits in the order given."""

    def __init__(self, source: Formula) -> None:
        self.formula = source
        self._checked = False
        self._begin()

    def __repr__(self) -> str:
        return f"<FormulaModel {self.name}, {len(self.formula.variables)} variables>"

    @property
    def name(self) -> str:
        return self.formula.name

    @property
    def domain(self) -> Domain:
        return bits(sum(variable.kind == "input" for variable in self.formula.variables))

    @property
    def exact(self) -> bool:
        return self.relation.exact

    def count(self) -> Any:
        """Return the weighted model count: the sum, over satisfying assignments, of the products of their weights."""
        semiring = EXACT if self.exact else BALL
        return fold(self.relation.arrays, rows_of(self.relation, semiring), semiring)

    def channel(self) -> Channel:
        """Return the formula as a channel; refused if its outputs do not sum to one for some input."""
        channel = self._compiled()
        if not self._checked:
            _require_distributions(channel)
            self._checked = True
        return channel

    def fix(self, x: Any) -> Self:
        """Return the formula with its inputs set: each becomes a variable that is surely true or surely false."""
        values = iter(self.channel().entries(x))
        variables = []
        for variable in self.formula.variables:
            if variable.kind == "input":
                share = Fraction(next(values))
                variable = replace(variable, kind="coin", weights=(share, 1 - share))
            variables.append(variable)
        return self._with_settings(type(self)(replace(self.formula, variables=tuple(variables))))

    @cached_property
    def bdd_size(self) -> int:
        """The number of nodes of the formula's binary decision diagram, its leaves included."""
        return self.size

    @property
    def _terms(self) -> None:
        """A formula has no draws; its weights need not even be probabilities."""

    @limited
    def _compiled(self) -> Channel:
        if self._channel is None:
            self._channel = Channel(compile_formula(self.formula, self.options), (self.domain,))
        return self._channel

    @property
    def space(self) -> InputSpace:
        return InputSpace((self.domain,))

    def _channel_at(self, x: Any, nodes: int | None = None) -> tuple[Channel, Any]:
        return self.channel(), x

    @property
    def _conditioned(self) -> bool:
        return False

    def replayed(self, x: Any, y: Any) -> tuple[Any, str]:
        return replay_formula(self.formula, x, y)

    def _enumerated(self, x: Any) -> dict[Any, Any] | None:
        return None  # a formula is replayed output by output


def _require_distributions(channel: Channel) -> None:
    """Refuse a formula that is not a channel: for some input its outputs do not sum to one."""
    if channel.inputs > 1 << 16:
        raise TooLarge(
            f"the formula has {channel.inputs} inputs, too many to check that its outputs sum to 1 for each.",
            value=channel.inputs,
        )
    semiring = EXACT if channel.exact else BALL
    for x in channel.domains[0]:
        total = fold(channel.relation.arrays, rows_of(channel.relation, semiring, list(x)), semiring)
        if not (total.contains(1) if isinstance(total, Ball) else total == 1):
            raise NotADistribution(
                f"the outputs of '{channel.name}' sum to {total}, not 1, at x={x}; count() gives the weighted count.",
                value=x,
            )


def formula(
    text: str, inputs: Sequence[str] = (), outputs: Sequence[str] = (), weights: Mapping[str, Any] | None = None
) -> FormulaModel:
    """Return a model of a weighted Boolean formula.

    Parameters
    ----------
    text
        The formula, such as ``y1 <-> (x1 ^ t1)``.
    inputs, outputs
        The variables that are entries of the database, and those that are returned, in their order.
    weights
        Per variable one probability, or a pair (weight if true, weight if false); all others weigh (1, 1).

    >>> formula("a | b", weights={"a": "1/3", "b": "3/4"}).count()
    Fraction(5, 6)
    """
    return FormulaModel(parse_formula(text, inputs, outputs, weights))


def dimacs(
    path: str | os.PathLike[str], inputs: Sequence[int | str] = (), outputs: Sequence[int | str] = ()
) -> FormulaModel:
    """Return a model of a weighted CNF in the Model Counting Competition's DIMACS format."""
    return FormulaModel(parse_dimacs(path, inputs, outputs))
