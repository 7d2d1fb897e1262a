"""Merging: items in one state and block whose vectors are equal up to scale are one, with the better scale (Theorem 2).

Vectors are primitive and numbered, so that they are equal up to scale exactly if their numbers are equal.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.solvers.search.frontier import Group, Ids
from taut.solvers.search.question import Question

__all__ = ["merged"]


def merged(question: Question, parts: Sequence[Group], vectors: int, start: int) -> Group:
    """One group from several, each combination of vectors (there are ``vectors`` different ones) once.

    With balls the scale encloses the better of all that were merged; which of them is traced back is decided by their
    middles.
    """
    ids = np.concatenate([part.ids for part in parts], axis=1)
    scales = np.concatenate([part.scales for part in parts])
    parents = np.concatenate([part.parents for part in parts])
    choices = np.concatenate([part.choices for part in parts])
    code = _codes(ids, vectors)
    order = np.argsort(code, kind="stable")
    ordered = code[order]
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    if fresh.all():
        return Group(ids, scales, parents, choices, start)
    kept, best = [], []
    for item, new in zip(order.tolist(), fresh.tolist(), strict=True):
        scale = scales[item]
        if new:
            kept.append(item)
            best.append(scale)
            continue
        if question.beats(scale, best[-1]):
            kept[-1] = item
        best[-1] = question.better(best[-1], scale)
    scales = np.empty(len(best), dtype=object)
    scales[:] = best
    return Group(ids[:, kept], scales, parents[kept], choices[kept], start)


def _codes(ids: Ids, vectors: int) -> Ids:
    """A number for each combination of vectors."""
    code: Ids = ids[0]
    most = vectors
    for row in ids[1:]:
        if most * vectors > 1 << 62:
            code = np.unique(code, return_inverse=True)[1]
            most = len(code)
        code = code * vectors + row
        most *= vectors
    return code
