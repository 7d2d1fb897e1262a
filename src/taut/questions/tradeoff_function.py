"""Trade-off functions: the least error of the second kind at every error of the first kind, given by corners."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from taut.questions.text import plain_case, text_of
from taut.support.errors import InvalidProbability
from taut.support.exact import Ball, decimal, number
from taut.support.limits import checkpoints

__all__ = ["Corner", "TradeoffFunction", "error_of_the_first_kind", "least", "tests_of"]


class Corner(NamedTuple):
    """A point of a trade-off curve, and the pair of inputs that has it on the piece to its right."""

    alpha: Fraction
    beta: Fraction
    pair: Any = None


class TradeoffFunction:
    """A continuous, decreasing, piecewise linear function on [0, 1] that ends at 0, given by its corners."""

    def __init__(self, corners: Iterable[Corner]) -> None:
        self.corners = _without_needless(corners)
        self._alphas = [corner.alpha for corner in self.corners]

    def __eq__(self, other: object) -> bool:
        """The same corners, with the same pairs."""
        return self.corners == other.corners if isinstance(other, TradeoffFunction) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.corners))

    def __repr__(self) -> str:
        return f"<trade-off function of {len(self.corners)} corners, {decimal(self(Fraction(1, 2)))} at 1/2>"

    def to_dict(self) -> dict[str, Any]:
        """The corners for machines: fractions as 'p/q', each with the pair of inputs that has it."""
        rows = [
            {"alpha": text_of(alpha), "beta": text_of(beta), "witness": plain_case(pair)}
            for alpha, beta, pair in self.corners
        ]
        return {"corners": rows}

    def __call__(self, alpha: Fraction) -> Fraction:
        place = max(0, min(bisect.bisect_right(self._alphas, alpha), len(self.corners) - 1) - 1)
        left, right = self.corners[place], self.corners[min(place + 1, len(self.corners) - 1)]
        if left.alpha == right.alpha:
            return left.beta
        return left.beta + (right.beta - left.beta) * (alpha - left.alpha) / (right.alpha - left.alpha)

    def pair_at(self, alpha: Fraction) -> Any:
        """The pair of inputs that attains the value at alpha."""
        place = max(0, min(bisect.bisect_right(self._alphas, alpha), len(self.corners) - 1) - 1)
        return self.corners[place].pair

    def convex(self) -> TradeoffFunction:
        """The largest convex function below this one: what mixtures of pairs and tests can reach."""
        hull: list[Corner] = []
        for corner in self.corners:
            while len(hull) > 1 and _above_chord(hull[-2], hull[-1], corner):
                hull.pop()
            hull.append(corner)
        return TradeoffFunction(hull)


def tests_of(atoms: Sequence[tuple[Any, Fraction, Fraction]], pair: Any) -> TradeoffFunction:
    """The trade-off function of one pair, given by its atoms with the largest ratio first.

    The hypothesis is x, the alternative x'. The best tests reject x for the outputs with the smallest ratios
    (Neyman and Pearson), at random on the last of them. Masses need not sum to one.
    """
    alpha, power = Fraction(0), Fraction(0)
    corners: list[Corner] = []
    for _, mass, mass_prime in reversed(atoms):
        if mass and not corners:
            corners.append(Corner(Fraction(0), max(Fraction(0), 1 - power), pair))
        power += mass_prime
        if not mass:
            continue
        beta = max(Fraction(0), 1 - power)
        if alpha + mass > 1:
            beta += (corners[-1].beta - beta) * (alpha + mass - 1) / mass
        alpha = min(Fraction(1), alpha + mass)
        corners.append(Corner(alpha, beta, pair))
    if alpha < 1:
        corners.append(Corner(Fraction(1), Fraction(0), pair))
    return TradeoffFunction(corners)


def least(functions: Sequence[TradeoffFunction]) -> TradeoffFunction:
    """The smallest of some functions at every alpha; it need not be convex.

    Raises:
        OutOfTime, OutOfMemory: a limit in force was passed.
    """
    rest = list(functions)
    while len(rest) > 1:
        paired = itertools.zip_longest(rest[::2], rest[1::2])
        rest = [a if b is None else _smaller(a, b) for a, b in checkpoints(paired, every=16)]
    return rest[0]


def error_of_the_first_kind(alpha: Any) -> Fraction:
    """Alpha as it was typed, or a refusal."""
    value = number(alpha, "tradeoff: alpha")
    if isinstance(value, Ball) or not 0 <= value <= 1:
        raise InvalidProbability(
            f"tradeoff: alpha, the error of the first kind, must be a rational number in [0, 1]; got {text_of(value)}.",
            value=alpha,
        )
    return value


def _smaller(f: TradeoffFunction, g: TradeoffFunction) -> TradeoffFunction:
    alphas = sorted({*f._alphas, *g._alphas})
    points = set(alphas)
    values = {alpha: (f(alpha), g(alpha)) for alpha in alphas}
    for a, b in itertools.pairwise(alphas):
        left, right = values[a][0] - values[a][1], values[b][0] - values[b][1]
        if left * right < 0:
            points.add(a + (b - a) * left / (left - right))
    ordered = sorted(points)
    corners = []
    for place, alpha in enumerate(ordered):
        middle = (alpha + ordered[place + 1]) / 2 if place + 1 < len(ordered) else alpha
        better = f if f(middle) <= g(middle) else g
        corners.append(Corner(alpha, min(f(alpha), g(alpha)), better.pair_at(middle)))
    return TradeoffFunction(corners)


def _above_chord(before: Corner, corner: Corner, after: Corner) -> bool:
    return (corner.beta - before.beta) * (after.alpha - before.alpha) >= (after.beta - before.beta) * (
        corner.alpha - before.alpha
    )


def _without_needless(corners: Iterable[Corner]) -> list[Corner]:
    """Corners without those at which neither the slope nor the pair changes."""
    kept: list[Corner] = []
    for corner in corners:
        if kept and kept[-1].alpha == corner.alpha:
            kept[-1] = corner._replace(beta=min(corner.beta, kept[-1].beta))
            continue
        while len(kept) > 1 and kept[-2].pair == kept[-1].pair and _straight(kept[-2], kept[-1], corner):
            kept.pop()
        kept.append(corner)
    return kept


def _straight(before: Corner, corner: Corner, after: Corner) -> bool:
    return (corner.beta - before.beta) * (after.alpha - before.alpha) == (after.beta - before.beta) * (
        corner.alpha - before.alpha
    )
