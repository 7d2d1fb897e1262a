"""Bounding: the search drops items that cannot exceed the best value (Theorems 4, 5 and 7)."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from taut.support.exact import INFINITY
from taut.support.process import cached_property, product
from taut.synthesis.search.certificate import Certificate
from taut.synthesis.search.frontier import TINY, Group, Ids, ItemFrontier, Key, Layer, Mask, Pool, log_of
from taut.synthesis.search.question import SearchBudget, SearchQuestion
from taut.synthesis.search.revealed import Gain, RevealedGains, extreme_masses, revealed_gains, times
from taut.synthesis.search.step import OpenImages

__all__ = ["Bounding"]

Floats = npt.NDArray[np.float64]
_SLACK = 1e-9
"""Margin above the rounding errors of the floats below."""


class Bounding:
    """The pass that compares limits with the best value, once there are limits; the rest gives the layer its bound.

    A bound is compared with a value that is attained, never with another bound.
    """

    def __init__(self, question: SearchQuestion, certificate: Certificate, budget: SearchBudget) -> None:
        self.question = question
        self.certificate = certificate
        self.budget = budget
        self.limits: Limits | None = None

    def prepare(self) -> None:
        """Make the limits and pass them to the certificate; do nothing if the budget is exhausted."""
        if self.limits is None:
            self.limits = limits_of(self.question, self.budget)
        if self.limits is not None:
            self.certificate.overall = self.limits.overall

    def pruned(self, frontier: ItemFrontier) -> Layer:
        layer, sign = frontier.layer, 1.0 if self.question.largest else -1.0
        known = {}
        for key, group in layer.groups.items():
            logs = None if self.limits is None else self._limits_of(layer, key, group, down=frontier.down)
            if logs is None:
                return layer
            known[key] = sign * logs
        best = self.certificate.logarithm
        open_items = {key: logs > best for key, logs in known.items()}
        bound = max((float(logs.max(initial=best)) for logs in known.values()), default=best)
        if not frontier.down and self.limits is not None:  # what finished above has no suffix here
            bound = max(bound, self.limits.finished(layer.cut))
        self.certificate.close_layer(bound)
        if not all(mask.all() for mask in open_items.values()):
            layer = layer.kept(lambda key, group: open_items[key])
        return replace(layer, bound=sign * bound)

    def _limits_of(self, layer: Layer, key: Key, group: Group, *, down: bool) -> Floats | None:
        assert self.limits is not None
        return self.limits.of(layer.cut, layer.pools[key[1]], key, group.ids, group.logs, down=down)

    def open_images(self, cut: int, *, down: bool) -> OpenImages | None:
        """Select the items at a cut that can still become better than the best value.

        All others would be dropped at once after they were made, merged and pruned. None as long as there are no
        limits.
        """
        limits, best, sign = self.limits, self.certificate.logarithm, 1.0 if self.question.largest else -1.0
        if limits is None:
            return None

        def still(pool: Pool, key: Key, ids: Ids, logs: Floats) -> Mask | None:
            bounds = limits.of(cut, pool, key, ids, logs, down=down)
            return None if bounds is None else sign * bounds > best

        return still


class Limits(Protocol):
    """Bounds on the values of all completions of an item."""

    @property
    def overall(self) -> Any:
        """A bound for every value: an integer, a Fraction, a ball or infinity."""

    def of(self, cut: int, pool: Pool, key: Key, ids: Ids, logs: Floats, *, down: bool) -> Floats | None:
        """Return the logarithms of values that no completion of the items is better than; None if not known at this
        cut.

        Items are given by their vectors, and the logarithms of their scales.
        """

    def finished(self, cut: int) -> float:
        """Return the logarithm of a bound for all values that are finished above a cut."""


def limits_of(question: SearchQuestion, budget: SearchBudget) -> Limits | None:
    """Return the limits of a question; None if the budget is exhausted."""
    if not question.pairs:
        return _MassLimits(question)
    first = revealed_gains(question, budget)
    if first is None or not question.conditioned:
        return None if first is None else _QuotientLimits(question, [(first, 0, 1)])
    second = revealed_gains(question.exchanged(), budget, marginalized=True)
    return None if second is None else _QuotientLimits(question, [(first, 0, 1), (second, 3, 2)])


class _QuotientLimits:
    """Limits for pairs: the ratio of two beliefs gains at most as much as that of their best node (Theorems 4 and 7).

    Each part is a table of gains, and the tracks whose ratio it bounds.
    """

    def __init__(self, question: SearchQuestion, parts: list[tuple[RevealedGains, int, int]]) -> None:
        self.question = question
        self.parts = parts

    @cached_property
    def overall(self) -> Any:
        product: Gain = 1
        for gains, _, _ in self.parts:
            product = times(product, gains.overall)
        return product

    def of(self, cut: int, pool: Pool, key: Key, ids: Ids, logs: Floats, *, down: bool) -> Floats | None:
        limits = logs
        for gains, own, other in self.parts:
            table = gains.below_at(cut) if down else gains.above_at(cut)
            if table is None or self.question.blurred:
                return None
            more = np.array([_log_gain(table.get((*key, node))) for node in range(pool.width)])
            ratio = _log_ratio(pool.floats[ids[own]], pool.floats[ids[other]])
            best = _product(ratio, more[None, :]).max(axis=1, initial=-np.inf)
            limits = _product(limits, best + pool.tops[ids[own]] - pool.tops[ids[other]])
        return limits + _SLACK

    def finished(self, cut: int) -> float:
        (gains, _, _), *evidence = self.parts
        if cut not in gains.cuts:
            return math.inf
        product = gains.finished[gains.cuts.index(cut)]
        for part, _, _ in evidence:
            product = times(product, part.overall)
        return _log_gain(product) + _SLACK


class _MassLimits:
    """Limits for single inputs: the least (or most) mass that can still come from each node (Theorems 5 and 7)."""

    def __init__(self, question: SearchQuestion) -> None:
        self.question = question
        largest = question.largest
        self.tables = [extreme_masses(question, largest=largest, marginalized=question.tracks[0].marginalized)]
        if question.conditioned:
            self.tables.append(extreme_masses(question, largest=not largest, marginalized=True))

    @cached_property
    def overall(self) -> Any:
        value, *evidence = (table[0][0][0] for table in self.tables)
        if not evidence:
            return value
        if evidence[0] == 0:
            return INFINITY
        return value / evidence[0] if self.question.plan.balls else Fraction(value, evidence[0])

    def of(self, cut: int, pool: Pool, key: Key, ids: Ids, logs: Floats, *, down: bool) -> Floats | None:
        if not down or self.question.blurred:
            return None
        limits = logs
        for own, track, table in zip(ids, self.question.tracks, self.tables, strict=True):
            near = np.array([-math.inf if value == 0 else log_of(value) for value in table[cut][key[1]]])
            most = float(near.max(initial=-np.inf))
            shares = near - most if most > -np.inf else near  # if nothing need come from any node, the share is 0
            with np.errstate(divide="ignore"):
                share = product(pool.floats[own], np.exp(shares))
                mass = np.log(share) + most + pool.tops[own]
            mass[share < TINY] = -np.inf if (track.sign > 0) != self.question.largest else np.inf
            limits = limits + track.sign * mass
        return limits + (_SLACK if self.question.largest else -_SLACK)

    def finished(self, cut: int) -> float:
        return math.inf


def _log_gain(gain: Gain | None) -> float:
    if gain is None:
        return -math.inf
    return math.inf if gain == INFINITY else log_of(gain)


def _log_ratio(own: Floats, other: Floats) -> Floats:
    """Return logarithms of ratios; -inf where the numerator is 0, also of 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: Floats = np.log(own) - np.log(other)
    logs[(own < TINY) | (other < TINY)] = np.inf
    logs[own == 0] = -np.inf
    return logs


def _product(one: Floats, other: Floats) -> Floats:
    """Add logarithms; minus infinity absorbs plus infinity."""
    with np.errstate(invalid="ignore"):
        logs: Floats = one + other
    logs[np.isnan(logs)] = -np.inf
    return logs
