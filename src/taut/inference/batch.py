"""Many inputs and outputs at once, in float64 with numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import Relation
from taut.diagrams.semirings import FLOAT64
from taut.diagrams.vectorized import backward_many
from taut.inference.fold import rows_of

__all__ = ["evaluate_batch"]

Positions = npt.NDArray[np.int64]
_CELLS = 1 << 24


def evaluate_batch(relation: Relation, inputs: Positions, outputs: Positions | None = None) -> npt.NDArray[np.float64]:
    """The mass of each question: of its output if outputs are given, of all outputs (the evidence) if not.

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
