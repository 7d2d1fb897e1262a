"""Bounds with the hidden state revealed: what differences can still add, or have added, node by node.

If the adversary were told the node at every cut before an input, a pair could gain no more than the product of the
largest quotients on a way through the nodes. A stage is an input and what follows it up to the next one; its quotient
from node u to node w is the largest, over related values and outputs, of the mass that one value sends from u to w
over the mass that the other does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.numbers import Ball
from taut.solvers.search.kernel import Kernel, stage_kernel
from taut.solvers.search.layer import Question
from taut.solvers.search.moves import Move
from taut.solvers.search.plan import FINISHED

__all__ = ["Revealed", "times"]

Place = tuple[int, int]
"""A block, and a node by its position in the block."""
Gain = Any
"""A Fraction, or infinity."""
_MOST_PAIRS = 64


class Revealed:
    """For every cut before an input, and the last one: the most that is gained below it, and above it.

    ``below[j][q, block, node]`` bounds f_u / f'_u for every suffix pair from the j-th input on that starts in state q;
    ``above[j][q, block, node]`` bounds b_u / b'_u for every prefix pair that ends there. Missing means impossible.
    """

    def __init__(self, question: Question, check: Callable[[], None], *, forgets: bool = False) -> None:
        self.question = question
        self.forgets = forgets
        self.check = check
        plan = question.plan
        self.starts = [*plan.inputs, len(plan.steps)]
        self._stages: dict[Any, Any] = {}
        self.stages = [self._stage(number) for number in range(len(plan.inputs))]
        self.below = self._gains_below()
        self.above = self._gains_above()

    @property
    def bound(self) -> Gain:
        """The most that any pair gains."""
        return max(
            (times(gain, self.below[0][key]) for key, gain in self.above[0].items() if key in self.below[0]),
            default=0,
        )

    # -- stages --------------------------------------------------------------------------------------------------

    def _stage(self, number: int) -> dict[tuple[int, int, int], list[tuple[int, int, int, Gain]]]:
        """From (state, block, node) to all (state, block, node) behind the stage, with the quotient."""
        plan, question = self.question.plan, self.question
        start, stop = self.starts[number], self.starts[number + 1]
        found: dict[tuple[int, int, int], list[tuple[int, int, int, Gain]]] = {}
        ways = {state: question.pairing.transitions[number][state] for state in question.pairing.states[number]}
        for block, nodes in enumerate(plan.cuts[start]):
            names, key = self._shape(start, stop, block)
            marked = (key, tuple((state, tuple(some)) for state, some in ways.items()))
            if marked not in self._stages:
                self._stages[marked] = self._gains(start, stop, block, len(nodes), ways, names)
            back = {FINISHED: FINISHED} | {name: own for own, name in names[-1].items()}
            for (state, node), gains in self._stages[marked].items():
                found[state, block, node] = [(q, back[name], node2, gain) for q, name, node2, gain in gains]
        return found

    def _shape(self, start: int, stop: int, block: int) -> tuple[list[dict[int, int]], Any]:
        """The steps of a stage as far as a block is concerned, with blocks named in the order of their discovery."""
        names: list[dict[int, int]] = [{block: 0}]
        parts: list[Any] = []
        for place in range(start, stop):
            step = self.question.plan.steps[place]
            following: dict[int, int] = {}
            for (before, choice), (after, move) in step.moves.items():
                if before in names[-1]:
                    name = FINISHED if after == FINISHED else following.setdefault(after, len(following))
                    parts.append((place - start, names[-1][before], choice, name, _content(move)))
            if self.forgets and step.forget is not None:
                parts.append((place - start, "forget", _content(step.forget)))
            parts.append((step.kind, step.choices))
            names.append(following)
        return names, tuple(parts)

    def _gains(
        self,
        start: int,
        stop: int,
        block: int,
        nodes: int,
        ways: Mapping[int, Sequence[tuple[int, int, int]]],
        names: list[dict[int, int]],
    ) -> dict[tuple[int, int], list[tuple[int, int, int, Gain]]]:
        found: dict[tuple[int, int], list[tuple[int, int, int, Gain]]] = {}
        after_cut = self.question.plan.cuts[stop]
        for node in range(nodes):
            self.check()
            kernels = [
                stage_kernel(self.question.plan, start, stop, block, {node: 1}, choice, self.forgets)
                for choice in range(self.question.plan.steps[start].choices)
            ]
            unknown = any(kernel is None for kernel in kernels)
            for state, pairs in ways.items():
                gains: dict[tuple[int, int, int], Gain] = {}
                if unknown:
                    places = [(name, place) for own, name in names[-1].items() for place in range(len(after_cut[own]))]
                    places.append((FINISHED, 0))
                    found[state, node] = [
                        (q, *place, math.inf) for q in {turn[2] for turn in pairs} for place in places
                    ]
                    continue
                for following in {turn[2] for turn in pairs}:
                    chosen = [(a, b) for a, b, q in pairs if q == following]
                    for (after, other), gain in _largest(kernels, chosen):
                        key = (following, names[-1].get(after, FINISHED), other)
                        gains[key] = max(gains.get(key, 0), gain)
                found[state, node] = [(*key, gain) for key, gain in gains.items()]
        return found

    # -- the ways through ----------------------------------------------------------------------------------------

    def _gains_below(self) -> list[dict[tuple[int, int, int], Gain]]:
        plan = self.question.plan
        last = {
            (state, block, node): Fraction(1)
            for state in self.question.pairing.states[-1]
            for block, nodes in enumerate(plan.cuts[-1])
            for node in range(len(nodes))
        }
        found: list[dict[tuple[int, int, int], Gain]] = [last]
        for stage in reversed(self.stages):
            following = found[-1]
            here: dict[tuple[int, int, int], Gain] = {}
            for key, gains in stage.items():
                ways = []
                for state, block, node, gain in gains:
                    more = Fraction(1) if block == FINISHED else following.get((state, block, node))
                    if more is not None:
                        ways.append(times(gain, more))
                if ways:
                    here[key] = max(ways)
            found.append(here)
        found.reverse()
        return found

    def _gains_above(self) -> list[dict[tuple[int, int, int], Gain]]:
        plan = self.question.plan
        start = self.starts[0]
        first = {
            (state, block, node): Fraction(1)
            for state in self.question.pairing.states[0]
            for block, nodes in enumerate(plan.cuts[start])
            for node in range(len(nodes))
        }
        found: list[dict[tuple[int, int, int], Gain]] = [first]
        for stage in self.stages:
            here: dict[tuple[int, int, int], Gain] = {}
            for key, gain in found[-1].items():
                for state, block, node, more in stage.get(key, ()):
                    target = (state, block, node)
                    here[target] = max(here.get(target, 0), times(gain, more))
            found.append(here)
        return found


def _largest(kernels: Sequence[Kernel | None], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[Place, Gain]]:
    """The largest quotient at each place that is reached, over pairs of values and outputs."""
    known: list[Kernel] = [kernel for kernel in kernels if kernel is not None]
    if len(pairs) > _MOST_PAIRS:
        yield from _extremes([known[a] for a in {a for a, _ in pairs}], [known[b] for b in {b for _, b in pairs}])
        return
    for a, b in pairs:
        if a == b:
            for after, belief in known[a].values():
                yield from (((after, node), Fraction(1)) for node in belief)
            continue
        for outputs, (after, belief) in known[a].items():
            other = known[b].get(outputs, (after, {}))[1]
            for node, mass in belief.items():
                yield (after, node), _over(mass, other.get(node, 0))


def _extremes(above: Sequence[Kernel], below: Sequence[Kernel]) -> Iterator[tuple[Place, Gain]]:
    """An upper bound for many pairs at once: the largest mass over the smallest."""
    for outputs in {outputs for kernel in above for outputs in kernel}:
        after = next(kernel[outputs][0] for kernel in above if outputs in kernel)
        tops: dict[int, Any] = {}
        for kernel in above:
            for node, mass in kernel.get(outputs, (after, {}))[1].items():
                tops[node] = _larger(tops.get(node, 0), mass)
        for node, top in tops.items():
            masses = [kernel.get(outputs, (after, {}))[1].get(node, 0) for kernel in below]
            least = masses[0]
            for mass in masses[1:]:
                least = _smaller(least, mass)
            yield (after, node), max(_over(top, least), Fraction(1))


def times(gain: Gain, more: Gain) -> Gain:
    """The product of two gains; a Fraction that no float can hold must not become one."""
    return math.inf if math.inf in (gain, more) else gain * more


def _over(mass: Any, other: Any) -> Gain:
    if other == 0:
        return math.inf
    if isinstance(mass, int) and isinstance(other, int):
        return Fraction(mass, other)
    return Ball(mass / other).upper


def _larger(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else flint.arb(a).max(b)


def _smaller(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return 0 if a == 0 or b == 0 else flint.arb(a).min(b)


def _content(move: Move) -> Any:
    weights = tuple(weight if isinstance(weight, int) else ("ball", id(weight)) for weight in move.weights.tolist())
    return move.rows.tobytes(), move.cols.tobytes(), weights, move.before, move.after
