"""Different beliefs of one cut, each over a denominator of its own, so that no belief pays for coins it never sees."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams import Belief
from taut.diagrams.semirings import BALL, EXACT
from taut.inference.beliefs import Beliefs
from taut.support.algebra.polynomial import common_divisor
from taut.support.limits import checkpoints

__all__ = ["BeliefFrontier"]

_Scaled = tuple[Belief[Any], Any]
"""A belief and its denominator: integers without a common factor (Balls over one), so equal beliefs look equal."""


class BeliefFrontier:
    """The different beliefs at a cut, numbered from 0; which of them a prefix has reached is for the caller to keep.

    A coin is tossed only for beliefs that have mass at its level. Beliefs that become equal then are merged, which
    ``renumbered`` tells.
    """

    def __init__(self, automaton: Beliefs) -> None:
        self._automaton = automaton
        self._exact = automaton.semiring is not BALL
        self._divisor: Callable[..., Any] = math.gcd if automaton.semiring is EXACT else common_divisor
        self._beliefs: list[_Scaled] = []
        self._number_of: dict[Any, int] = {}
        self._merged: dict[int, int] = {}
        self._waiting: dict[int, list[int]] = {}
        self._add(self._lowest(automaton.start, automaton.semiring.one))

    def __len__(self) -> int:
        return len(self._number_of)

    def toss(self, level: int) -> None:
        """Move all beliefs below the level of a coin."""
        row = self._automaton.row(level)
        numbers = self._waiting.pop(level, [])
        if row.total != row.scale:
            numbers, self._waiting = list(range(len(self._beliefs))), {}
        numbers = [number for number in numbers if number not in self._merged]
        for number in numbers:
            del self._number_of[_key(self._beliefs[number])]
        for number in checkpoints(numbers, 64):
            belief, scale = self._beliefs[number]
            moved = self._lowest(self._automaton.after(level, belief), scale * row.scale)
            other = self._number_of.setdefault(_key(moved), number)
            if other == number:
                self._beliefs[number] = moved
                self._wait(number)
            else:
                self._merged[number] = other

    def renumbered(self) -> npt.NDArray[np.int32] | None:
        """The number that each belief has now, after coins have merged some; None if there is nothing to do."""
        if not self._merged:
            return None
        left = [number for number in range(len(self._beliefs)) if number not in self._merged]
        place = {number: position for position, number in enumerate(left)}
        numbers = [place[self._root(number)] for number in range(len(self._beliefs))]
        kept = [self._beliefs[number] for number in left]
        self._clear()
        for belief in kept:
            self._add(belief)
        return np.array(numbers, dtype=np.int32)

    def choose(self, level: int, value: int | None) -> npt.NDArray[np.int32]:
        """Give the variable of a level a value (None: sum over all), and tell which number each belief leads to."""
        before, after, depth = self._beliefs, self._automaton.after, self._automaton.depth
        assert not self._merged
        self._clear()
        numbers = []
        for belief, scale in checkpoints(before, 64):
            if value is None or any(depth[node] == level for node in belief):
                numbers.append(self._add(self._lowest(after(level, belief, value), scale)))
            else:
                numbers.append(self._add((belief, scale)))
        return np.array(numbers, dtype=np.int32)

    def spread(self, level: int) -> npt.NDArray[np.int32]:
        """Give the variable of a level all its values, and tell which number each belief leads to by each value."""
        before, automaton, depth = self._beliefs, self._automaton, self._automaton.depth
        arity = automaton.arrays.levels[level].arity
        assert not self._merged
        self._clear()
        numbers = np.empty((len(before), arity), dtype=np.int32)
        for place, (belief, scale) in enumerate(checkpoints(before, 64)):
            if all(depth[node] != level for node in belief):
                numbers[place] = self._add((belief, scale))
                continue
            passing, branches = automaton.split(level, belief)
            if len(branches) < arity:
                numbers[place] = self._add(self._lowest(passing, scale))
            for value in checkpoints(sorted(branches)):
                numbers[place, value] = self._add(self._lowest(branches[value], scale))
        return numbers

    def finals(self) -> list[Any]:
        """The mass of every belief on TRUE, after the last level."""
        automaton = self._automaton
        return [automaton.semiring.value(automaton.final(belief), scale) for belief, scale in self._beliefs]

    def _clear(self) -> None:
        self._beliefs, self._number_of, self._merged, self._waiting = [], {}, {}, {}

    def _add(self, scaled: _Scaled) -> int:
        number = self._number_of.setdefault(_key(scaled), len(self._beliefs))
        if number == len(self._beliefs):
            self._beliefs.append(scaled)
            self._wait(number)
        return number

    def _wait(self, number: int) -> None:
        """Record the next level at which the belief has mass."""
        belief = self._beliefs[number][0]
        if belief:
            depth = self._automaton.depth
            self._waiting.setdefault(min(depth[node] for node in belief), []).append(number)

    def _root(self, number: int) -> int:
        while number in self._merged:
            number = self._merged[number]
        return number

    def _lowest(self, belief: Belief[Any], scale: Any) -> _Scaled:
        """The belief in lowest terms."""
        if not self._exact:
            return belief, scale
        common = self._divisor(scale, *belief.values())
        if common == 1:
            return belief, scale
        return {node: mass // common for node, mass in belief.items()}, scale // common


def _key(scaled: _Scaled) -> Any:
    belief, scale = scaled
    return scale, frozenset(belief.items())
