"""The probabilities of many pairs of input and output at once (Algorithm 1): exactly, or in float64 with numpy.

All pairs go down the relation together. Beliefs that are equal up to a factor have the same future, so they are kept
once, without their factor; a pair remembers which factors it has met, and how often. Randomized response has one belief
per level and two factors in all, whatever the number of clients and pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Belief
from taut.diagrams.compile import Relation
from taut.diagrams.kernel import backward_many
from taut.diagrams.semirings import FLOAT64
from taut.inference.beliefs import Beliefs
from taut.inference.fold import rows_of
from taut.support.limits import checkpoints

__all__ = ["evaluate_batch", "pair_probabilities"]


_MOST_FACTORS = 32
"""Number of different factors beyond which recording them costs more than merging beliefs saves."""
Positions = npt.NDArray[np.int64]


def pair_probabilities(relation: Relation, inputs: Positions, outputs: Positions | None) -> list[Any]:
    """Return the mass of every row's output given its input; of all outputs together if they are None."""
    automaton = Beliefs(relation)
    state = np.zeros(len(inputs), dtype=np.int64)
    table = _Table(len(inputs), automaton)
    beliefs: list[Belief[Any]] = [automaton.start]
    for number, level in enumerate(relation.arrays.levels):
        values = inputs[:, level.index] if level.kind == "input" else None
        if level.kind == "output" and outputs is not None:
            values = outputs[:, level.index]
        if level.kind == "coin":
            if not automaton.matters(number, beliefs):
                continue
            table.scale = table.scale * automaton.row(number).scale
        state, beliefs = table.step(number, beliefs, state, values)
    finals = [automaton.final(belief) for belief in beliefs]
    return table.products([finals[number] for number in state.tolist()])


class _Table:
    """The factors of each row, with their multiplicities."""

    def __init__(self, rows: int, automaton: Beliefs) -> None:
        self.automaton = automaton
        self.rows = np.arange(rows)
        self.factors: dict[Any, int] = {}
        self.counts = np.zeros((rows, 8), dtype=np.int64)
        self.scale = automaton.semiring.one

    def step(
        self, level: int, beliefs: list[Belief[Any]], state: Positions, values: Positions | None
    ) -> tuple[Positions, list[Belief[Any]]]:
        """Move every row over a level: by its belief and, where a value is chosen, by that."""
        arity = 1 if values is None else int(values.max(initial=0)) + 1
        used, inverse = np.unique(state * arity + (0 if values is None else values), return_inverse=True)
        interned: dict[Any, int] = {}
        following: list[Belief[Any]] = []
        targets, factors = [], []
        for move in checkpoints(used.tolist(), 64):
            value = None if values is None else move % arity
            belief, factor = self.automaton.after(level, beliefs[move // arity], value), self.automaton.semiring.one
            if len(self.factors) < _MOST_FACTORS:
                belief, factor = self.automaton.reduced(belief)
            key = frozenset(belief.items())
            if key not in interned:
                interned[key] = len(following)
                following.append(belief)
            targets.append(interned[key])
            factors.append(self._number(factor))
        self._met(np.array(factors)[inverse])
        return np.array(targets)[inverse], following

    def products(self, finals: list[Any]) -> list[Any]:
        """Return the final mass of every row times all its factors."""
        kept: dict[tuple[int, ...], Any] = {}
        factors = list(self.factors)
        masses = []
        for final, row in zip(finals, self.counts[:, : len(factors)].tolist(), strict=True):
            key = tuple(row)
            if key not in kept:
                product = self.automaton.semiring.one
                for factor, count in zip(factors, row, strict=True):
                    if count:
                        product = product * factor**count
                kept[key] = product
            masses.append(self.automaton.semiring.value(final * kept[key], self.scale))
        return masses

    def _number(self, factor: Any) -> int:
        if factor == self.automaton.semiring.one:
            return -1
        number = self.factors.setdefault(factor, len(self.factors))
        if number >= self.counts.shape[1]:
            self.counts = np.concatenate([self.counts, np.zeros_like(self.counts)], axis=1)
        return number

    def _met(self, numbers: Positions) -> None:
        met = numbers >= 0
        self.counts[self.rows[met], numbers[met]] += 1


_CELLS = 1 << 24


def evaluate_batch(relation: Relation, inputs: Positions, outputs: Positions | None = None) -> npt.NDArray[np.float64]:
    """Return the mass of each question: of its output if outputs are given, of all outputs (the evidence) if not.

    Inputs and outputs have one row per question and one column per variable: positions within the variables' values.
    All terms are positive, so each result is off by at most a few units in the last place per level.
    """
    rows = rows_of(relation, FLOAT64)
    chunk = max(1, _CELLS // relation.arrays.size)
    masses = []
    for start in range(0, len(inputs), chunk):
        chosen = {"input": inputs[start : start + chunk]}
        if outputs is not None:
            chosen["output"] = outputs[start : start + chunk]
        choices: list[Any] = [
            chosen[level.kind][:, level.index] if level.kind in chosen else row
            for level, row in zip(relation.arrays.levels, rows, strict=True)
        ]
        masses.append(backward_many(relation.arrays, choices, len(chosen["input"])))
    return np.concatenate(masses) if masses else np.zeros(0)
