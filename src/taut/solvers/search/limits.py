"""What an item can still become: bounds that hold for all its completions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import numpy.typing as npt

from taut.solvers.search.layer import Group, Layer, Question, State
from taut.solvers.search.moves import Move
from taut.solvers.search.pool import TINY, log_of
from taut.solvers.search.revealed import Revealed, times

__all__ = ["Extremes", "RevealedLimits", "limits_of"]

Floats = npt.NDArray[np.float64]
_SLACK = 1e-9
"""More than the roundings of the floats below."""


class RevealedLimits:
    """For pairs: quotients of two beliefs gain no more below than their best node does (Theorems 4 and 7)."""

    def __init__(self, question: Question, check: Callable[[], None]) -> None:
        self.question = question
        self.parts = [(Revealed(question, check), 0, 1)]
        if len(question.tracks) == 4:
            self.parts.append((Revealed(_swapped(question), check, forgets=True), 3, 2))

    @property
    def overall(self) -> Any:
        """A bound for everything: a Fraction or infinity."""
        found: Any = Fraction(1)
        for revealed, _, _ in self.parts:
            found = times(found, revealed.bound)
        return found

    def down(self, layer: Layer, state: State, group: Group) -> Floats | None:
        """Logarithms that no completion of an item of beliefs exceeds; only before an input."""
        return self._limit(layer, state, group, above=False)

    def up(self, layer: Layer, state: State, group: Group) -> Floats | None:
        """The same for items of functionals."""
        return self._limit(layer, state, group, above=True)

    def _limit(self, layer: Layer, state: State, group: Group, *, above: bool) -> Floats | None:
        pool = layer.pools[state[1]]
        found = group.logs
        for revealed, own, other in self.parts:
            if layer.cut not in revealed.starts:
                return None
            number = revealed.starts.index(layer.cut)
            table = (revealed.above if above else revealed.below)[number]
            gains = np.array([_log_gain(table.get((*state, node))) for node in range(pool.width)])
            ratio = _log_ratio(pool.floats[group.ids[own]], pool.floats[group.ids[other]])
            best = _both(ratio, gains[None, :]).max(axis=1, initial=-np.inf)
            found = _both(found, best + pool.tops[group.ids[own]] - pool.tops[group.ids[other]])
        return found + _SLACK


class Extremes:
    """For single inputs: the least (or the most) mass that can still come from each node (Theorem 5)."""

    def __init__(self, question: Question, check: Callable[[], None]) -> None:
        self.question = question
        self.numerators = _extremes(question, largest=question.largest, forgets=False)
        conditioned = len(question.tracks) == 2
        self.evidence = _extremes(question, largest=not question.largest, forgets=True) if conditioned else None

    @property
    def overall(self) -> Any:
        """A bound for everything: an integer, a Fraction, a ball or infinity."""
        value = self.numerators[0][0][0]
        if self.evidence is None:
            return value
        mass = self.evidence[0][0][0]
        if mass == 0:
            return math.inf
        return Fraction(value, mass) if isinstance(value, int) and isinstance(mass, int) else value / mass

    def down(self, layer: Layer, state: State, group: Group) -> Floats | None:
        """Logarithms of masses beyond which no completion of an item gets."""
        pool = layer.pools[state[1]]
        found = group.logs
        parts = [(self.numerators, 1.0)] + ([(self.evidence, -1.0)] if self.evidence is not None else [])
        for number, (tables, sign) in enumerate(parts):
            values = tables[layer.cut][state[1]]
            near = np.array([_approximately(value) for value in values])
            most = float(near.max(initial=-np.inf))
            logs = near - most if most > -np.inf else near  # if nothing need come from any node, the share is 0
            with np.errstate(divide="ignore"):
                share = pool.floats[group.ids[number]] @ np.exp(logs)
                mass = np.log(share) + most + pool.tops[group.ids[number]]
            mass[share < TINY] = -np.inf if (sign > 0) != self.question.largest else np.inf
            found = found + sign * mass
        return found + (_SLACK if self.question.largest else -_SLACK)

    def up(self, layer: Layer, state: State, group: Group) -> Floats | None:
        return None


def limits_of(question: Question, check: Callable[[], None]) -> RevealedLimits | Extremes:
    return RevealedLimits(question, check) if question.pairing.sides == 2 else Extremes(question, check)


def _extremes(question: Question, *, largest: bool, forgets: bool) -> list[list[list[Any]]]:
    """For each cut, block and node the extreme, over all inputs below, of the scaled mass that arrives at TRUE."""
    plan = question.plan
    found: list[list[list[Any]]] = [[[1] * len(nodes) for nodes in plan.cuts[-1]]]
    for place in range(len(plan.steps) - 1, -1, -1):
        step, following = plan.steps[place], found[-1]
        here: list[list[Any]] = []
        for block, nodes in enumerate(plan.cuts[place]):
            if step.kind == "output" and forgets and step.forget is not None:
                options: list[tuple[int, Move | None]] = [(block, step.forget)]
            else:
                options = [step.moves.get((block, choice)) or (block, None) for choice in range(step.choices)]
            pulled: list[list[Any]] = []
            for after, move in options:
                if move is None:
                    pulled.append([0] * len(nodes))
                elif move.same:
                    pulled.append(following[after])
                else:
                    row = np.empty((1, move.after), dtype=object)
                    row[0] = following[after]
                    pulled.append(move.backward(row)[0].tolist())
            here.append([_extreme(column, largest, plan.balls) for column in zip(*pulled, strict=True)])
        found.append(here)
    found.reverse()
    return found


def _extreme(values: tuple[Any, ...], largest: bool, balls: bool) -> Any:
    if not balls:
        return max(values) if largest else min(values)
    if largest:
        values = tuple(value for value in values if value != 0) or (0,)
    elif any(value == 0 for value in values):
        return 0
    found = values[0]
    for value in values[1:]:
        found = flint.arb(found).max(value) if largest else flint.arb(found).min(value)
    return found


def _approximately(value: Any) -> float:
    return -math.inf if value == 0 else log_of(value)


def _log_gain(gain: Any) -> float:
    if gain is None:
        return -math.inf
    if gain == math.inf:
        return math.inf
    return log_of(gain)


def _log_ratio(own: Floats, other: Floats) -> Floats:
    """Logarithms of quotients; -inf where the numerator is 0, also of 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.log(own) - np.log(other)
    found[(own < TINY) | (other < TINY)] = np.inf
    found[own == 0] = -np.inf
    return found


def _both(one: Floats, other: Floats) -> Floats:
    """The logarithm of a product; what is impossible stays impossible, whatever could be gained with it."""
    with np.errstate(invalid="ignore"):
        found: Floats = one + other
    found[np.isnan(found)] = -np.inf
    return found


def _swapped(question: Question) -> Question:
    """The question with x and x' exchanged."""
    return replace(question, pairing=question.pairing.swapped())
