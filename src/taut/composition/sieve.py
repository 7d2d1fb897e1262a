"""Prove with integers that a moment function is tiny on parts of a vertical line.

M(s) is the product over some laws of (sum of p_i exp(s L_i))^k. With weights a_i proportional to p_i exp(c L_i) in one
of them, its factor of |M(c + i t) / M(c)|^2 is (1 - d)^k, where d is the sum of a_i a_j (1 - cos(t (L_i - L_j))) over
all i and j. With the weights of some atoms alone, and those rounded down, it becomes smaller: d is at least A^2 - |V|^2
for the sum A of these weights, and the sum V of these weights times exp(i t L_i). Finally log(1 - d) is at most
-(d + d^2/2 + d^3/3). Phases t L_i are integers in units of 2^-64 turns, and exp(i t L_i) comes from a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.support.exact import Ball, in_precision

__all__ = ["SIEVED", "Law", "sieve"]

Law = tuple[Sequence[tuple[Any, Any]], int]
"""Losses L_i and masses p_i as balls, and how often it counts."""
SIEVED = 56
_TURN = 16
_UNIT = 15
_SCALE = 30
_MOST_RUNS = 1 << 31
_HEAVIEST = 64
_SHARE = 31 / 32
"""The heaviest atoms are looked at: so many, or until they have this share."""
_CHUNK = 1 << 16


def sieve(laws: Sequence[Law], c: float, spacing: float, points: int, most: int) -> list[int] | None:
    """The places m from 0 to ``points``, 2^24 at most, that may not be small; None if they are more than ``most``.

    Guarantee:
        At every other place, with t = ``spacing`` m, |M(c + i t) / M(c)| <= 2^-SIEVED max(1, t^2).
    """
    if sum(count for _, count in laws) >= _MOST_RUNS:
        return None
    parts = []
    with in_precision():
        for atoms, count in laws:
            weights = [mass * (flint.arb(c) * loss).exp() for loss, mass in atoms]
            total = sum(weights, flint.arb(0))
            shares = [math.floor(Ball(weight / total).lower * (1 << _UNIT)) for weight in weights]
            turns = [loss * flint.arb(spacing) / (2 * flint.arb.pi()) * (flint.arb(2) ** 64) for loss, _ in atoms]
            phases = [math.floor(Ball(turn).mid) % (1 << 64) for turn in turns]
            chunk, whole, steps = np.arange(_CHUNK, dtype=np.uint64), 0, []
            for share, phase in sorted(zip(shares, phases, strict=True), reverse=True)[:_HEAVIEST]:
                if whole < _SHARE * (1 << _UNIT):
                    steps.append((share, phase, chunk * np.uint64(phase)))
                    whole += share
            parts.append((count, whole, steps))
    kept: list[int] = []
    for start in range(0, points + 1, _CHUNK):
        length = min(_CHUNK, points + 1 - start)
        squares = 2 * max(0, math.frexp(start * spacing)[1] - 1)  # t^2 is at least this power of two
        needed = math.ceil(2 * (SIEVED - squares) * math.log(2) * (1 + 1e-9) * (1 << _SCALE))
        missing = np.zeros(length, dtype=np.int64)
        for count, whole, steps in parts:
            missing += count * _missing(start, length, whole, steps)
        kept += (start + np.flatnonzero(missing < needed)).tolist()
        if len(kept) > most:
            return None
    return kept


def _missing(start: int, length: int, whole: int, steps: Sequence[tuple[int, int, Any]]) -> Any:
    """Lower bounds of -log(1 - d) in units of 2^-30, at consecutive places.

    A unit vector of the table is at an angle of at most pi / 2^16 + 2^-36 from what it stands for, and rounded in both
    coordinates by 2^-16: it is wrong by less than 2^-13, hence |V|^2 by less than 2^-11. Sums are below 2^31.
    """
    cosines, sines = _unit_vectors()
    real, imaginary = np.zeros(length, dtype=np.int32), np.zeros(length, dtype=np.int32)
    for share, phase, offsets in steps:
        origin = np.uint64(start * phase % (1 << 64))
        index = ((offsets[:length] + origin) >> np.uint64(64 - _TURN)).astype(np.intp)
        real += cosines[index] * np.int32(share)
        imaginary += sines[index] * np.int32(share)
    square = real.astype(np.int64) ** 2 + imaginary.astype(np.int64) ** 2
    found = ((whole << _UNIT) ** 2 - (1 << 4 * _UNIT - 11)) - square
    first = np.maximum(found >> np.int64(4 * _UNIT - _SCALE), 0)
    second = first * first >> np.int64(_SCALE)
    third = second * first >> np.int64(_SCALE)
    return first + second // 2 + third // 3


@cache
def _unit_vectors() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Cosines and sines of the middles of 2^16 equal parts of the circle, in units of 2^-15, rounded to nearest."""
    with in_precision():
        step = flint.acb(0, 2 * flint.arb.pi() / (1 << _TURN)).exp()
        vector = flint.acb(0, flint.arb.pi() / (1 << _TURN)).exp() * (1 << _UNIT)
        columns: tuple[list[int], list[int]] = ([], [])
        for _ in range(1 << _TURN):
            columns[0].append(round(float(vector.real.mid())))
            columns[1].append(round(float(vector.imag.mid())))
            vector *= step
    return np.array(columns[0], dtype=np.int32), np.array(columns[1], dtype=np.int32)
