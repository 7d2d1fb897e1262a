"""Weighted model counts in two obvious ways: off the level arrays, and by trying all assignments."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from taut.diagrams.compile import Relation
from taut.diagrams.compile.formula import compile_formula
from taut.program import evaluate
from taut.program.program import Formula
from taut.support.options import Options


def relation_count(relation: Relation, fixed: dict[str, int] | None = None) -> Any:
    """The weighted count by one fold from the leaves up; ``fixed`` gives values of some variables, by name."""
    arrays, fixed = relation.arrays, fixed or {}
    weights = []
    for level in arrays.levels:
        group = {"input": relation.inputs, "coin": relation.coins, "output": relation.outputs}[level.kind]
        variable = group[level.index]
        pair = list(getattr(variable, "weights", (Fraction(1), Fraction(1))))
        if variable.name in fixed:
            pair[1 - fixed[variable.name]] = Fraction(0)
        weights.append(pair)
    _, children, depth = arrays.lists

    def skipped(start: int, stop: int) -> Any:
        total = Fraction(1)
        for pair in weights[start:stop]:
            total = total * (pair[0] + pair[1])
        return total

    value: dict[int, Any] = {arrays.false: Fraction(0), arrays.true: Fraction(1)}
    for node in reversed(range(arrays.nodes)):
        value[node] = sum(
            (
                weights[depth[node]][place] * skipped(depth[node] + 1, depth[child]) * value[child]
                for place, child in enumerate(children[node])
            ),
            Fraction(0),
        )
    return skipped(0, depth[arrays.root]) * value[arrays.root]


def count(formula: Formula, fixed: dict[str, int] | None = None, **settings: Any) -> Any:
    return relation_count(compile_formula(formula, Options(**settings)), fixed)


def brute_force(formula: Formula) -> Fraction:
    """The weighted count by trying all assignments of the variables that are not hidden."""
    shown = [i for i, variable in enumerate(formula.variables) if variable.name not in formula.hidden]
    hidden = [i for i, variable in enumerate(formula.variables) if variable.name in formula.hidden]
    total = Fraction(0)
    for values in itertools.product((False, True), repeat=len(shown)):
        chosen = dict(zip(shown, values, strict=True))
        if any(
            evaluate(formula.constraint, (), {**chosen, **dict(zip(hidden, rest, strict=True))})
            for rest in itertools.product((False, True), repeat=len(hidden))
        ):
            weight = Fraction(1)
            for index, value in chosen.items():
                true, false = formula.variables[index].weights
                assert isinstance(true, Fraction) and isinstance(false, Fraction)
                weight *= true if value else false
            total += weight
    return total
