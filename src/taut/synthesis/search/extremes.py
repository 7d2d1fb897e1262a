"""Extremes: the least, or the most, mass that can still arrive from each node (Theorem 5)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import flint
import numpy as np

from taut.synthesis.search.moves import Move
from taut.synthesis.search.question import SearchQuestion

__all__ = ["extreme", "extreme_masses"]


def extreme_masses(question: SearchQuestion, *, largest: bool, marginalized: bool) -> list[list[list[Any]]]:
    """For each cut, block and node the extreme, over all inputs below, of the scaled mass that arrives at TRUE."""
    plan = question.plan
    masses: list[list[list[Any]]] = [[[1] * len(nodes) for nodes in plan.cuts[-1]]]
    for step, cut in zip(reversed(plan.steps), reversed(plan.cuts[:-1]), strict=True):
        following = masses[-1]
        here: list[list[Any]] = []
        for block, nodes in enumerate(cut):
            if step.kind == "output" and marginalized and step.forget is not None:
                options: list[tuple[int, Move | None]] = [(block, step.forget)]
            else:
                options = [step.moves.get((block, choice), (block, None)) for choice in range(step.choices)]
            pulled = [_pulled_back(move, following[after], len(nodes)) for after, move in options]
            here.append([extreme(column, largest=largest) for column in zip(*pulled, strict=True)])
        masses.append(here)
    return masses[::-1]


def _pulled_back(move: Move | None, masses: list[Any], width: int) -> list[Any]:
    if move is None:
        return [0] * width
    if move.same:
        return masses
    row = np.empty((1, move.after), dtype=object)
    row[0] = masses
    pulled: list[Any] = move.backward(row)[0].tolist()
    return pulled


def extreme(values: Sequence[Any], *, largest: bool) -> Any:
    """The largest or smallest of integers or balls; of balls, what encloses it, and 0 as the integer."""
    if all(isinstance(value, int) for value in values):
        return max(values) if largest else min(values)
    positive = [flint.arb(value) for value in values if value != 0]
    if not positive or (not largest and len(positive) < len(values)):
        return 0
    return functools.reduce(flint.arb.max if largest else flint.arb.min, positive)
