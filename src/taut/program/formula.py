"""A weighted Boolean formula as data: its variables, their roles, and a constraint over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from taut.program.terms import Term, Terms
from taut.support.exact import Ball

__all__ = ["MAX_VARIABLES", "Formula", "FormulaVariable", "Role"]

MAX_VARIABLES = 50_000
"""Limit for the depth of Boolean diagrams, which their library traverses recursively."""

Role = Literal["input", "output", "coin"]


@dataclass(frozen=True)
class FormulaVariable:
    """One Boolean variable: its name, its role in a mechanism, and the weights of true and of false.

    Inputs and outputs weigh (1, 1); the weights of a coin need not sum to 1.
    """

    name: str
    kind: Role
    weights: tuple[Fraction | Ball, Fraction | Ball]


@dataclass(frozen=True)
class Formula:
    """A weighted Boolean formula: its constraint defines the models, and the variables give their weights.

    In ``constraint`` and ``terms`` variable number i is ``terms.coin(i, (False, True))``, whatever its kind. Inputs
    stand among the variables in the order in which a database lists them, outputs likewise. The variables named in
    ``hidden`` are projected away: a model is an assignment of the others that some assignment of these completes.
    """

    name: str
    variables: tuple[FormulaVariable, ...]
    constraint: Term
    terms: Terms = field(repr=False)
    hidden: tuple[str, ...] = ()
