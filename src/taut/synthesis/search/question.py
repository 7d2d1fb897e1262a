"""The question that a search answers, the limits of its work, and the effect of one stage on a belief."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from taut.diagrams.semirings import ProjectiveSemiring
from taut.neighbors import PairAutomaton, Ways
from taut.support.errors import InvalidNumber
from taut.support.exact import INFINITY, Ball
from taut.support.limits import exceeded, reason_of
from taut.support.process import cached_property
from taut.synthesis.search.moves import Move
from taut.synthesis.search.plan import FINISHED, Plan

__all__ = ["Choice", "Kernel", "PairAutomaton", "SearchBudget", "SearchQuestion", "Track", "moved", "stage_kernel"]


_NEGLIGIBLE = 1e-12
"""Limit for the sum of relative radii of balls over all factors of a value, up to which floats with a margin of 1e-9
may ignore them.
"""


class Choice(NamedTuple):
    """Choice of a pair at one step: the position of a value for x, and of one for x'."""

    x: int
    x_prime: int


@dataclass(frozen=True)
class Track:
    """One run: of x (side 0) or of x' (side 1), with its output or with all outputs summed, and its exponent."""

    side: int
    marginalized: bool
    sign: int


@dataclass(frozen=True)
class SearchQuestion:
    """Question of a search: the largest or smallest product of the runs' final masses to their exponents."""

    plan: Plan
    automaton: PairAutomaton
    tracks: tuple[Track, ...]
    largest: bool

    @property
    def arithmetic(self) -> ProjectiveSemiring[Any]:
        return self.plan.semiring

    @property
    def pairs(self) -> bool:
        """True if two inputs are compared; else single inputs are looked at."""
        return self.automaton.sides == 2

    @property
    def conditioned(self) -> bool:
        """True if masses are divided by those of the evidence: then Theorem 6 does not hold."""
        return len(self.tracks) != self.automaton.sides

    @cached_property
    def blurred(self) -> bool:
        """True if balls may be so wide that floats near their middles say nothing about their ends.

        A value is a product and ratio of sums of positive products with one weight per level, so its relative
        radius is at most that of the weights times the number of factors.
        """
        weights = [weight for coin in self.plan.relation.coins for weight in coin.weights if isinstance(weight, Ball)]
        widest = max((weight.radius / weight.mid for weight in weights if weight.mid), default=0)
        return bool(widest * 4 * len(self.tracks) * len(self.plan.relation.arrays.levels) > _NEGLIGIBLE)

    def better(self, a: Any, b: Any) -> Any:
        """Return the better of two values; for balls, a ball that encloses the better number."""
        return self.arithmetic.larger(a, b) if self.largest else self.arithmetic.smaller(a, b)

    def beats(self, a: Any, b: Any) -> bool:
        """Return True if a is strictly better; balls are compared by their middles, which chooses the witness."""
        if self.plan.balls:
            a, b = a.mid(), b.mid()
        return bool(a > b if self.largest else a < b)

    def value(self, scale: Any, masses: Iterable[Any]) -> Any:
        """Return a scale times the final masses of the runs to their exponents; infinite if 0 would divide."""
        for track, mass in zip(self.tracks, masses, strict=True):
            if track.sign < 0 and mass == 0:
                return INFINITY
            scale = scale * mass if track.sign > 0 else scale / mass
        return self.finite(scale)

    def finite(self, value: Any) -> Any:
        """Return the value, unless it is a ball of infinite radius after division by a ball around 0."""
        if self.plan.balls and not value.is_finite():
            raise InvalidNumber(
                "division by a ball that contains 0: the weights are not known well enough.", value=value
            )
        return value

    def states(self, cut: int) -> tuple[int, ...]:
        """Return the states of the automaton that are possible at a cut."""
        return self.automaton.states[self.inputs_above[cut]]

    def transitions(self, index: int, state: int) -> Ways:
        """Return the transitions of a step that starts in a state: choices of both sides, and the next state."""
        step = self.plan.steps[index]
        if step.kind == "input":
            return self.automaton.transitions[self.inputs_above[index]][state]
        key = step.choices, state
        if key not in self._unchanged:
            self._unchanged[key] = Ways.of_runs((choice, choice, choice + 1, state) for choice in range(step.choices))
        return self._unchanged[key]

    @cached_property
    def _unchanged(self) -> dict[tuple[int, int], Ways]:
        """For a number of choices and a state, the same choice on both sides, which leaves the state as it is."""
        return {}

    @cached_property
    def inputs_above(self) -> tuple[int, ...]:
        """The number of inputs read above each cut."""
        return (0, *itertools.accumulate(int(step.kind == "input") for step in self.plan.steps))

    def exchanged(self) -> SearchQuestion:
        """Return the question with x and x' exchanged."""
        return replace(self, automaton=self.automaton.swapped())


class SearchBudget:
    """The limits of time and memory in force, and a number of items; once exhausted it stays so, and says why.

    Guarantee:
        After ``exhausted()`` was True, the computation under way is incomplete and nothing may be concluded from it;
        each function that takes a budget says what it returns in that case.
    """

    def __init__(self, max_beliefs: int | None = None) -> None:
        self.max_beliefs = max_beliefs
        self.stopped: str | None = None
        """Reason for ending before the search is done; None as long as it goes on."""

    def exhausted(self) -> bool:
        """Return True if the search is to end now."""
        if self.stopped is None:
            error = exceeded()
            if error is not None:
                self.stopped = reason_of(error)
        return self.stopped is not None

    def hold(self, items: int) -> None:
        """Note how many items and vectors are held: too many exhaust the budget."""
        if self.max_beliefs is not None and items > self.max_beliefs:
            self.stopped = f"max_beliefs={self.max_beliefs}"


Kernel = dict[tuple[int, ...], tuple[int, dict[int, Any]]]
"""For each sequence of outputs the block that is reached, and the mass at its nodes."""
_MOST_OUTPUTS = 256


def stage_kernel(
    plan: Plan, start: int, stop: int, block: int, belief: dict[int, Any], choice: int, forgets: bool = False
) -> Kernel | None:
    """Return the map of beliefs when the input at step ``start`` has a value, for all outputs; None if too many."""
    masses: Kernel = {(): (block, belief)}
    for step in plan.steps[start:stop]:
        following: Kernel = {}
        for outputs, (where, mass) in masses.items():
            if where == FINISHED:
                following[outputs] = (where, mass)
                continue
            if step.kind == "input":
                options: Sequence[int | None] = [choice]
            elif step.kind == "output" and forgets:
                options = [None]
            else:
                options = range(step.choices)
            for option in options:
                if option is None:
                    target: tuple[int, Move | None] = (where, step.forget)
                else:
                    target = step.moves.get((where, option), (where, None))
                onward = moved(target[1], mass)
                if onward:
                    named = outputs if step.kind in ("input", "coin") or option is None else (*outputs, option)
                    following[named] = (target[0], onward)
        if len(following) > _MOST_OUTPUTS:
            return None
        masses = following
    return masses


def moved(move: Move | None, belief: dict[int, Any]) -> dict[int, Any]:
    """Return the belief after a move; the zero vector without a move."""
    if move is None:
        return {}
    if move.same:
        return belief
    after: dict[int, Any] = {}
    for node, mass in belief.items():
        for col, weight in move.edges.get(node, ()):
            after[col] = after[col] + mass * weight if col in after else mass * weight
    return after
