"""Convex homogeneous functions of two masses on a grid of directions, rounded up."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from flint import fmpq

from taut.synthesis.pairs.worst_pair.summand import Summand

__all__ = ["Directions", "Grids"]

_MARGIN = 1e-9
"""Far more than the rounding of a few thousand additions of floats of one sign."""
_SMALLEST = 1e-290
_OCTAVES, _STEPS = 24, 2

Grids = dict[int, Any]
"""One array per node, over the directions."""


class Directions:
    """Convex homogeneous functions of (p, q), by their values in some directions with p + q = 1."""

    def __init__(self, summand: Summand) -> None:
        kink = float(summand.kink) or 1.0
        powers = [2.0 ** (step / _STEPS) for step in range(-_OCTAVES * _STEPS, _OCTAVES * _STEPS + 1)]
        quotients = sorted({power * base for power in powers for base in (1.0, 1 / kink)})
        share = [0.0, *[q / (1 + q) for q in quotients], 1.0]
        self.share = np.array(sorted(set(share)))
        """q / (p + q) of every direction; the grid is fine where p and q are of one order."""
        exact = [float(share).as_integer_ratio() for share in self.share]
        self.phi = np.array([_float_above(summand.above(whole - part, part) / whole) for part, whole in exact])
        self.trivial = self.raised((1 - self.share) * self.phi[0] + self.share * self.phi[-1])

    @staticmethod
    def raised(values: Any) -> Any:
        """Values rounded up by more than the error of floats."""
        return values * (1 + _MARGIN) + _SMALLEST

    def moved(self, values: Any, p: float, q: float) -> Any:
        """The function (x, y) -> G(p x, q y) in all directions (x, y), not below it up to the margin."""
        own, other = (1 - self.share) * p, self.share * q
        return self._at(values, own, other)

    def total(self, grids: Grids, u: Mapping[int, int], v: Mapping[int, int], a: int, b: int) -> Any:
        """The sum over nodes of G(a u(w), b v(w)), from above, as a rational number."""
        total = fmpq(0)
        for node in u.keys() | v.keys():
            p, q = a * u.get(node, 0), b * v.get(node, 0)
            size = p + q
            value = float(self._at(grids[node], np.array([p / size]), np.array([q / size]))[0])
            total += fmpq(*self.raised(value).as_integer_ratio()) * size
        return total

    def _at(self, values: Any, own: Any, other: Any) -> Any:
        size = own + other
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(size > 0, other / size, 0.0)
        place = np.clip(np.searchsorted(self.share, share, side="right") - 1, 0, len(self.share) - 2)
        low, high = self.share[place], self.share[place + 1]
        weight = np.clip((share - low) / (high - low), 0.0, 1.0)
        slopes = np.abs(np.diff(values) / np.diff(self.share))
        around = np.maximum(slopes, np.maximum(np.append(slopes[1:], 0), np.append(0, slopes[:-1])))
        # the share is off by a few units in the last place, and may have fallen into the next cell
        return size * ((1 - weight) * values[place] + weight * values[place + 1] + 4e-15 * around[place])


def _float_above(value: Any) -> float:
    nearest = int(value.p) / int(value.q)
    return math.nextafter(nearest, math.inf) if nearest else 0.0 if value == 0 else _SMALLEST
