"""Translation: noise that is the same around every centre, so that only the difference of two centres matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.program import CoinVariable
from taut.program.noise import Noise, Shifted
from taut.questions.loss import Atom
from taut.support.exact import ends

__all__ = ["Translation", "geometric_atoms", "translation_of"]

_FEW = 1 << 12


@dataclass(frozen=True, eq=False)
class Translation:
    """A cell that draws noise around a centre, clamped to an interval in which all centres lie.

    ``centers`` has the centre for each value of its statistic, which is ``slope`` times that plus a constant.
    """

    noise: Noise
    low: int
    high: int
    centers: Mapping[Any, int]
    slope: int

    @property
    def wide(self) -> bool:
        """True if there are too many pairs of centres to look at all in a moment."""
        return len(self.centers) * (self.high - self.low) > _FEW

    @property
    def geometric(self) -> bool:
        """True if a pair of centres is told apart by their difference alone, whatever the interval."""
        return self.noise.ratio is not None

    def concentrated(self, distance: int) -> Fraction | None:
        """A rho of two centres at a distance, by the theorem about discrete Gaussian noise; None for other noise."""
        if self.noise.variance is None:
            return None
        return Fraction(distance**2) / (2 * Fraction(ends(self.noise.variance)[0]))

    def widest(self, distance: int) -> tuple[Any, Any]:
        """Two rows at a distance, of which every two rows of centres at that distance are a function."""
        least, most = min(self.centers.values()), max(self.centers.values())
        ends = self.low - most, self.high - least
        return self.noise.row(0, *ends), self.noise.row(distance, *ends)


def translation_of(rows: Mapping[Any, CoinVariable]) -> Translation | None:
    """The noise that all rows have in common; None if there is none."""
    weights = [coin.weights for coin in rows.values()]
    first = weights[0] if weights else None
    if not isinstance(first, Shifted):
        return None
    place = (first.noise.key, first.low, first.high)
    centers: dict[Any, int] = {}
    for key, own in zip(rows, weights, strict=True):
        if not isinstance(own, Shifted) or (own.noise.key, own.low, own.high) != place:
            return None
        if not own.low <= own.center <= own.high:
            return None
        centers[key] = own.center
    slope = _slope(centers)
    return None if slope is None else Translation(first.noise, first.low, first.high, centers, slope)


def _slope(centers: Mapping[int, int]) -> int | None:
    """The whole number a, if every key k of integers has the centre a k + b; else None."""
    if not all(type(key) is int for key in centers):
        return None
    (key, center), *rest = centers.items()
    if not rest:
        return 0
    slope, remainder = divmod(rest[0][1] - center, rest[0][0] - key)
    if remainder or any(own - center != slope * (place - key) for place, own in rest):
        return None
    return slope


def geometric_atoms(r: Any, distance: int) -> tuple[Atom, ...]:
    """What tells two centres at a distance apart by geometric noise of ratio r, the smallest quotient first."""
    if distance == 0:
        return (Atom(Fraction(1), Fraction(1), Fraction(1)),)
    peak, tail, d = (1 - r) / (1 + r), 1 / (1 + r), abs(distance)
    atoms = [Atom(r**d, tail * r**d, tail)]
    atoms += [Atom(r ** (d - 2 * k), peak * r ** (d - k), peak * r**k) for k in range(1, d) if d - 2 * k >= 0]
    atoms += [Atom(1 / r ** (2 * k - d), peak * r ** (d - k), peak * r**k) for k in range(1, d) if d - 2 * k < 0]
    atoms.append(Atom(1 / r**d, tail, tail * r**d))
    return tuple(atoms)
