"""Many inputs, outputs or weight vectors at once, in float64 with numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from taut.compile import Relation
from taut.diagram import Level

__all__ = ["evaluate_batch"]

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]
_CELLS = 1 << 24


def evaluate_batch(
    relation: Relation,
    inputs: Positions,
    outputs: Positions | None = None,
    weights: Mapping[int, Floats] | None = None,
) -> Floats:
    """The mass of each row: of its output if outputs are given, of all outputs (the evidence) if not.

    ``inputs`` has a row for each question and a column for each input, ``outputs`` likewise, both positions within
    the variables' values. ``weights`` may replace the weights of coins by one row a question.

    Guarantee:
        All terms are positive, so each result is off by at most a few units in the last place for each level.
    """
    rows = len(inputs)
    chunk = max(1, _CELLS // (relation.arrays.nodes + 2))
    parts = []
    for start in range(0, rows, chunk):
        piece = slice(start, start + chunk)
        replaced = {coin: table[piece] for coin, table in (weights or {}).items()}
        parts.append(_evaluate(relation, inputs[piece], None if outputs is None else outputs[piece], replaced))
    return np.concatenate(parts) if parts else np.zeros(0)


def _evaluate(
    relation: Relation, inputs: Positions, outputs: Positions | None, weights: Mapping[int, Floats]
) -> Floats:
    arrays, rows = relation.arrays, len(inputs)
    depth = np.array(arrays.lists[2])
    values = np.zeros((arrays.size, rows))
    values[arrays.true] = 1.0
    passed = np.ones((len(arrays.levels) + 1, rows))
    tables = [_level_weights(relation, level, rows, outputs is None, weights) for level in arrays.levels]
    for number in reversed(range(len(arrays.levels))):
        table = tables[number]
        passed[number] = passed[number + 1] * (1.0 if table is None else _totals(relation, number, table))
    uneven = not np.all(passed == 1.0)
    for number, level in reversed(list(enumerate(arrays.levels))):
        if level.start == level.stop:
            continue
        edges = slice(int(arrays.first[level.start]), int(arrays.first[level.stop]))
        kids = arrays.child[edges]
        below = values[kids]
        if uneven:
            below = below * passed[number + 1] / passed[depth[kids]]
        starts = arrays.first[level.start : level.stop] - arrays.first[level.start]
        table = tables[number]
        if table is None:
            chosen = inputs[:, level.index] if level.kind == "input" else outputs[:, level.index]  # type: ignore[index]
            lookup = np.array([arrays.classes[p] for p in arrays.partition[level.start : level.stop]])
            places = starts[:, None] + lookup[:, chosen]
            values[level.start : level.stop] = below[places, np.arange(rows)]
        else:
            shares = _class_weights(relation, level, table)
            values[level.start : level.stop] = np.add.reduceat(shares * below, starts, axis=0)
    masses: Floats = values[arrays.root] * passed[0] / passed[depth[arrays.root]]
    return masses


def _level_weights(
    relation: Relation, level: Level, rows: int, sum_outputs: bool, weights: Mapping[int, Floats]
) -> Floats | None:
    """The weights of a summed level, one row a question (or one row for all); None for a level that is chosen."""
    if level.kind == "coin":
        if level.index in weights:
            return weights[level.index]
        return np.array([[float(weight) for weight in relation.coins[level.index].weights]])
    return np.ones((1, level.arity)) if level.kind == "output" and sum_outputs else None


def _totals(relation: Relation, number: int, table: Floats) -> Floats | float:
    level = relation.arrays.levels[number]
    if level.kind == "coin" and len(table) == 1:
        exact = sum(relation.coins[level.index].weights)
        if exact == 1 or (not isinstance(exact, int) and abs(float(exact) - 1) < 1e-15):
            return 1.0
    return np.asarray(table.sum(axis=1))


def _class_weights(relation: Relation, level: Level, table: Floats) -> Floats:
    """The weight of every edge of a level, one column a question."""
    arrays = relation.arrays
    known: dict[int, Floats] = {}
    parts = []
    for number in arrays.partition[level.start : level.stop].tolist():
        if number not in known:
            classes = arrays.classes[number]
            summed = np.zeros((int(classes.max()) + 1, len(table)))
            np.add.at(summed, classes, table.T)
            known[number] = summed
        parts.append(known[number])
    return np.concatenate(parts)
