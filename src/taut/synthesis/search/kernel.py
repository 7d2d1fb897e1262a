"""Kernels: what one stage, an input and all that follows it up to the next one, makes of a belief."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.synthesis.search.moves import Move
from taut.synthesis.search.plan import FINISHED, Plan

__all__ = ["Kernel", "moved", "stage_kernel"]

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
    """The belief after a move; the zero vector without a move."""
    if move is None:
        return {}
    if move.same:
        return belief
    after: dict[int, Any] = {}
    for node, mass in belief.items():
        for col, weight in move.edges.get(node, ()):
            after[col] = after[col] + mass * weight if col in after else mass * weight
    return after
