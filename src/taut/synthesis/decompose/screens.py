"""Screens: many pairs are reduced to possible worst ones by logarithms of their masses; exact arithmetic decides.

A logarithm here is wrong by less than 1e-11 of its size plus 1e-11, sums of a thousand positive numbers by little more.
A pair is dropped where another one is worse by far more than that.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.composition.curve import Curve, Line
from taut.questions.loss import Atom
from taut.questions.pair_measure import PairMeasure
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, ends
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.decompose.mixtures import MixedLoss

__all__ = ["atoms_for", "envelope_of_all", "is_large", "largest_ratio", "likely_worst"]

_FEW = 1 << 10
"""Number of outputs, summed over all pairs, below which no pair is dropped."""
_SLOW = 1 << 17
"""Number of outputs, summed over all pairs, above which a measure without a screen of its own is refused."""
_SLACK = 1e-7
"""Relative margin, far above the errors of the logarithms."""
_LOST = 1e-300
"""A margin above the loss of floats below the smallest normal number."""
_CHORD = 1e-9
"""Relative margin for sums of many masses, where many pairs come close."""
_LONG = 1 << 17
"""Bits of all masses of a pair, above which sums of their ratios are balls."""
_SAMPLE = 48
_TRIED = 4
"""Number of pairs that are tried first for the largest possible ratio."""
Array = NDArray[np.float64]


class _Logs:
    """The logarithms of the masses of a pair, the largest ratio first."""

    def __init__(self, loss: MixedLoss) -> None:
        checkpoint()
        _, own, other, logs, logs_other = _sorted(loss)
        self.own, self.other = logs, logs_other
        self.first = bool(own and not other[0])
        """True if some output has no mass on the other side."""

    def summed(self) -> tuple[Array, Array, Array, Array]:
        """Return the masses of the outputs with the largest ratios, on both sides, and of all the others."""
        tops = [np.logaddexp.accumulate(side) for side in (self.own, self.other)]
        rests = [np.logaddexp.accumulate(side[::-1])[::-1] for side in (self.own, self.other)]
        empty = np.array([-np.inf])
        return (*tops, *[np.concatenate([side[1:], empty]) for side in rests])  # type: ignore[return-value]


def _sorted(loss: MixedLoss) -> tuple[list[Any], list[Any], list[Any], Array, Array]:
    """Return the outputs of a pair with their masses, and logarithms of these, the largest ratio first."""
    outputs, own, other = loss.masses()
    scale = _log(loss.kernel.scale)
    logs, logs_other = (np.array([_log(mass) - scale for mass in side]) for side in (own, other))
    with np.errstate(invalid="ignore"):
        quotients = logs - logs_other
    order = np.argsort(-quotients, kind="stable")
    ranked = quotients[order]
    with np.errstate(invalid="ignore"):
        close = np.flatnonzero(np.diff(ranked) > -_SLACK * (1 + np.abs(ranked[1:])))
    if len(close):

        def compared(p: int, q: int) -> int:
            return _sign(own[q] * other[p] - own[p] * other[q])

        for start, stop in _runs(close):
            order[start : stop + 2] = sorted(order[start : stop + 2], key=cmp_to_key(compared))
    places = order.tolist()
    moved = [[side[place] for place in places] for side in (outputs, own, other)]
    return moved[0], moved[1], moved[2], logs[order], logs_other[order]


def _runs(places: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive places."""
    start = last = int(places[0])
    for place in places[1:].tolist():
        if place > last + 1:
            yield start, last
            start = place
        last = place
    yield start, last


def _sign(number: Any) -> int:
    return int(number > 0) - int(number < 0)


def _log(mass: Any) -> float:
    return math.log(int(mass)) if mass else -math.inf


def is_large(losses: Sequence[MixedLoss]) -> bool:
    """Return True if the atoms of all pairs would be too many to make."""
    return bool(losses) and len(losses) * len(losses[0].kernel.masses(losses[0].own)) > _FEW


def _logs_of(losses: Sequence[MixedLoss]) -> Iterator[tuple[MixedLoss, _Logs]]:
    """Yield the logarithms of all pairs, found once."""
    for loss in losses:
        known = loss.kernel.logs.get(loss.number)
        if known is None:
            known = loss.kernel.logs[loss.number] = _Logs(loss)
        yield loss, known


def likely_worst(measure: PairMeasure, losses: Sequence[MixedLoss]) -> list[MixedLoss]:
    """Return pairs that include one of the largest value.

    Raises:
        TooLarge: there are too many pairs for a measure that has no screen.
    """
    if measure.kink is not None:
        return _hockey_stick(measure.kink, losses)
    if measure.moment is not None:
        return _moment(float(measure.moment), losses)
    if measure.at_delta is not None:
        return _epsilon(measure.at_delta, losses)
    if len(losses) * len(losses[0].kernel.masses(losses[0].own)) > _SLOW:
        raise TooLarge("there are too many pairs for this measure.", value=len(losses))
    return list(losses)


def atoms_for(measure: PairMeasure, loss: MixedLoss) -> tuple[Atom, ...]:
    """Return the atoms of a pair; as balls where an exact sum of their ratios would have too many digits."""
    if measure.moment is None:
        return loss.atoms
    bits = sum([max(part.denominator.bit_length() for part in atom[1:]) for atom in loss.atoms])
    if bits <= _LONG:
        return loss.atoms
    balls = [Atom(atom.ratio, *[Ball(mass) if mass else mass for mass in atom[1:]]) for atom in loss.atoms]
    return tuple(balls)


# -- one number --------------------------------------------------------------------------------------------------------


def _within(losses: Sequence[MixedLoss], value: Callable[[_Logs], tuple[float, float]]) -> list[MixedLoss]:
    """Return the pairs whose value may be the largest, given two ends for each; one if all ends are the same."""
    found = [(loss, *value(logs)) for loss, logs in _logs_of(losses)]
    least = max(low for _, low, _ in found)
    certain = [loss for loss, low, high in found if low == high == least]
    near = [loss for loss, _, high in found if high >= least]
    return certain[:1] if len(certain) == len(near) else near


def _hockey_stick(gamma: Any, losses: Sequence[MixedLoss]) -> list[MixedLoss]:
    low, high = (_log_of(end) for end in ends(gamma))

    def above(logs: _Logs) -> NDArray[np.bool_]:
        """Return the outputs that may add something; only these are scaled, as others may be larger than a float."""
        return (logs.own > logs.other + low - _SLACK) & (logs.own > -np.inf)

    tops = [float(np.max(logs.own[kept])) for _, logs in _logs_of(losses) for kept in [above(logs)] if np.any(kept)]
    if not tops:
        return [losses[0]]
    top = max(tops)

    def value(logs: _Logs) -> tuple[float, float]:
        kept = above(logs)
        if not np.any(kept):
            return 0.0, 0.0
        own = np.exp(logs.own[kept] - top)
        other, more = (np.exp(np.minimum(logs.other[kept] - top + end, 1.0)) for end in (low, high))
        most = np.maximum(0, own * (1 + _SLACK) - other * (1 - _SLACK))
        least = np.maximum(0, own * (1 - _SLACK) - more * (1 + _SLACK))
        return float(np.sum(least)) * (1 - _SLACK) - _LOST, float(np.sum(most)) * (1 + _SLACK) + _LOST

    near = _within(losses, value)
    if isinstance(gamma, Ball) or len(near) == 1:
        return near
    numerator, denominator = gamma.numerator, gamma.denominator

    def exactly(loss: MixedLoss) -> int:
        _, own, other = loss.masses()
        parts = (denominator * a - numerator * b for a, b in zip(own, other, strict=True))
        return int(sum(part for part in parts if part > 0))

    return [max(checkpoints(near, 1), key=exactly)]


def _log_of(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator) if number else -math.inf


def _moment(order: float, losses: Sequence[MixedLoss]) -> list[MixedLoss]:
    def value(logs: _Logs) -> tuple[float, float]:
        if logs.first:
            return math.inf, math.inf
        kept = logs.own > -np.inf
        parts = order * logs.own[kept] + (1 - order) * logs.other[kept]
        top = float(np.max(parts))
        found = top + math.log(float(np.sum(np.exp(parts - top))))
        slack = _SLACK * order
        return found - slack, found + slack

    return _within(losses, value)


def _epsilon(delta: Fraction, losses: Sequence[MixedLoss]) -> list[MixedLoss]:
    limit = _log_of(delta)

    def value(logs: _Logs) -> tuple[float, float]:
        """Return logarithms, as ratios may be larger than a float."""
        own, other = logs.summed()[:2]
        found = [0.0]
        for sign in (-1, 1):
            kept = own + sign * _SLACK > limit
            with np.errstate(divide="ignore"):
                more = own[kept] + np.log1p(-np.exp(limit - own[kept] - sign * _SLACK))
            ratios = np.where(other[kept] == -np.inf, np.inf, more - np.maximum(other[kept], -1e300))
            found.append(float(np.max(ratios, initial=0.0)))
        low, high = found[1:]
        return max(0.0, low - _SLACK), high + _SLACK if high else 0.0

    return _within(losses, value)


def largest_ratio(losses: Sequence[MixedLoss]) -> MixedLoss:
    """Return a pair with an output of the largest ratio.

    No sum tells two values of an entry apart better than its own contribution does, so no pair exceeds its ratio.
    """
    limits = {id(loss): loss.kernel.limit(loss.own, loss.primed) for loss in losses}
    highest = max(limits.values())
    for loss in [loss for loss in losses if limits[id(loss)] == highest][:_TRIED]:
        _, own, other, _, _ = _sorted(loss)
        if highest == (Fraction(int(own[0]), int(other[0])) if other[0] else INFINITY):
            return loss
    best: tuple[Any, MixedLoss] | None = None
    tops = [(float(logs.own[0] - logs.other[0]), loss, logs) for loss, logs in _logs_of(losses)]
    top = max(value for value, _, _ in tops)
    for value, loss, logs in tops:
        if value < top - _SLACK * (1 + abs(top)):
            continue
        if best is not None and limits[id(loss)] <= best[0]:
            continue
        if logs.first:
            return loss
        _, own, other, _, _ = _sorted(loss)
        ratio = Fraction(int(own[0]), int(other[0]))
        if best is None or ratio > best[0]:
            best = ratio, loss
    assert best is not None
    return best[1]


# -- the whole profile -------------------------------------------------------------------------------------------------


def envelope_of_all(losses: Sequence[MixedLoss], pair: Callable[[MixedLoss], Any]) -> tuple[Curve, bool]:
    """Return the envelope of the curves of all pairs; True if one pair has all corners of it."""
    kernels = {id(loss.kernel): loss.kernel for loss in losses}
    lines: list[Line] = []
    corners: list[set[tuple[Any, Any]]] = []
    for kernel in kernels.values():
        own = [loss for loss in losses if loss.kernel is kernel]
        near = _near_lines(own)
        hull = Curve([Line(0, 0, own[0]), *near]).lines  # type: ignore[arg-type]
        wanted = {(line.mass, line.mass_prime) for line in hull if line.mass}
        for _, several in itertools.groupby(near, key=lambda line: line.pair.number):
            points = {(line.mass, line.mass_prime) for line in several} & wanted
            corners.append({(Fraction(a, kernel.scale), Fraction(b, kernel.scale)) for a, b in points})
        pairs = {line.pair.number: pair(line.pair) for line in hull}
        scale = kernel.scale
        lines += [Line(Fraction(o.mass, scale), Fraction(o.mass_prime, scale), pairs[o.pair.number]) for o in hull]
    curve = Curve(lines)
    wanted = {(line.mass, line.mass_prime) for line in curve.lines if line.mass}
    return curve, any(wanted <= points for points in corners)


def _near_lines(losses: Sequence[MixedLoss]) -> list[Line]:
    """Return the lines of pairs of one kernel that may be on their envelope, as whole numbers, by their pairs.

    A test is a point: what it accepts on the other side, and on its own. A point that is certainly below a chord of two
    others is on no envelope; chords are compared from both ends, where the masses are small.
    """
    found = list(_logs_of(losses))
    sums = [logs.summed() for _, logs in found]
    owner = np.repeat(np.arange(len(found)), [len(one[0]) for one in sums])
    cut = np.concatenate([np.arange(1, len(one[0]) + 1) for one in sums])
    columns = [np.concatenate([one[place] for one in sums]) for place in range(4)]
    near = owner % max(1, len(found) // _SAMPLE) == 0
    for _ in range(3):
        near = _close(columns, near)
    lines = []
    places = np.flatnonzero(near).tolist()
    for place, several in itertools.groupby(checkpoints(places, 64), key=lambda one: int(owner[one])):
        cuts = {int(cut[one]) for one in several}
        loss = found[place][0]
        _, own, other, _, _ = _sorted(loss)
        both = zip(itertools.accumulate(own), itertools.accumulate(other), strict=True)
        lines += [Line(int(a), int(b), loss) for n, (a, b) in enumerate(both, 1) if n in cuts]  # type: ignore[arg-type]
    return lines


def _close(columns: Sequence[Array], sample: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the points that are not certainly below a chord of two points of a sample, from either end."""
    own, other, rest, rest_other = columns
    above = _chords(other[sample], own[sample])
    below = _chords(rest[sample], rest_other[sample])
    with np.errstate(invalid="ignore"):
        return (own >= above(other) - _CHORD) & (rest_other >= below(rest) - _CHORD)


def _chords(across: Array, up: Array) -> Callable[[Array], Array]:
    """Return a concave function through some of the points, all of it given by logarithms."""
    order = np.lexsort((-up, across))
    across, up = across[order], up[order]
    hull: list[int] = []
    xs, ys = across.tolist(), up.tolist()
    for place in checkpoints(range(len(xs)), 1024):
        if hull and (ys[place] <= ys[hull[-1]] or xs[place] == xs[hull[-1]]):
            continue
        while len(hull) > 1 and _hidden(xs, ys, hull[-2], hull[-1], place):
            hull.pop()
        hull.append(place)
    x, y = across[hull], up[hull]

    def at(where: Array) -> Array:
        """Return the logarithm of the chord above a place: nothing before the first point, level beyond the last."""
        if len(x) == 1:
            return np.asarray(np.where(where >= x[0], y[0], where + (y[0] - x[0])))
        right = np.clip(np.searchsorted(x, where, side="left"), 1, len(x) - 1)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            near, far = np.exp(x[right - 1] - where), np.exp(x[right] - where)
            share = np.clip((1 - near) / (far - near), 0, 1)
            share = np.where(np.isnan(share), 0, share)
            value = np.logaddexp(np.log1p(-share) + y[right - 1], np.log(share) + y[right])
            value = np.where(where < x[0], where + (y[0] - x[0]), value)
        found: Array = np.where(where == x[0], y[0], value)
        return found

    return at


def _hidden(xs: Sequence[float], ys: Sequence[float], before: int, place: int, after: int) -> bool:
    """Return True if a point is about below the chord of two others; only actual points are kept, whatever it says."""
    top, right = ys[after], xs[after]
    a, b = math.exp(ys[before] - top), math.exp(ys[place] - top)
    p, q = math.exp(xs[before] - right), math.exp(xs[place] - right)
    return (1 - b) * (q - p) >= (b - a) * (1 - q)
