"""Bounds node by node: ratios with the hidden state revealed (Theorem 4), and extreme masses (Theorem 5).

If the adversary knew the node at every cut before an input, a pair could gain at most the product of the largest ratios
on a path through the nodes. A stage is an input and what follows it up to the next one; its ratio from node u to node w
is the largest, over related values and outputs, of the mass that one value sends from u to w over the mass that the
other does.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from taut.neighbors import Ways
from taut.support.exact import INFINITY, Ball
from taut.support.process import cached_property
from taut.synthesis.search.moves import Move
from taut.synthesis.search.plan import FINISHED, Step
from taut.synthesis.search.question import Kernel, SearchBudget, SearchQuestion, stage_kernel

__all__ = ["Gain", "RevealedGains", "extreme", "extreme_masses", "revealed_gains", "times"]


Node = tuple[int, int]
"""A block, and a node by its position in the block."""
Position = tuple[int, int, int]
"""A state of the automaton, a block, and a node by its position in the block."""
Gain = Any
"""A Fraction, or infinity."""
Gains = dict[Position, Gain]
Stage = Mapping[Position, Sequence[tuple[Position, Gain]]]
"""From each position before a stage, all those behind it with the largest ratio on the way."""
_MOST_PAIRS = 64


@dataclass(frozen=True)
class RevealedGains:
    """For every cut before an input, and the last cut: the largest gains below it and above it.

    ``below[j][q, block, node]`` bounds f_u / f'_u for every suffix pair from the j-th input on that starts in state q;
    ``above[j][q, block, node]`` bounds b_u / b'_u for every prefix pair that ends there. Missing means impossible.
    """

    cuts: Sequence[int]
    below: Sequence[Gains]
    above: Sequence[Gains]
    between: Mapping[int, Gains]
    """For the cuts within stages, the largest gains below them, where both runs take the same way."""

    def below_at(self, cut: int) -> Gains | None:
        """Return the largest gains below a cut; None before all inputs."""
        return self.between.get(cut) or self._below.get(cut)

    def above_at(self, cut: int) -> Gains | None:
        """Return the largest gains above a cut; None within a stage."""
        return self._above.get(cut)

    @cached_property
    def _below(self) -> dict[int, Gains]:
        return dict(zip(self.cuts, self.below, strict=True))

    @cached_property
    def _above(self) -> dict[int, Gains]:
        return dict(zip(self.cuts, self.above, strict=True))

    @property
    def overall(self) -> Gain:
        """Return the largest gain of any pair; at least 1, the gain of pairs that finish before the first input."""
        below, above = self.below[0], self.above[0]
        return max([Fraction(1), *(times(gain, below[key]) for key, gain in above.items() if key in below)])

    @cached_property
    def finished(self) -> list[Gain]:
        """Return, for each cut, the largest gain of pairs that finish above it."""
        most: list[Gain] = [Fraction(1)]
        for gains in self.above[1:]:
            most.append(max([most[-1], *(gain for (_, block, _), gain in gains.items() if block == FINISHED)]))
        return most


def revealed_gains(
    question: SearchQuestion, budget: SearchBudget, *, marginalized: bool = False
) -> RevealedGains | None:
    """Return the gains of a question, for runs with their outputs or with all outputs summed; None if out of budget."""
    cuts = [*question.plan.inputs, len(question.plan.steps)]
    stages = _Stages(question, budget, marginalized)
    quotients: list[Stage] = []
    for start, stop in itertools.pairwise(cuts):
        quotients.append(stages.stage(start, stop))
        if budget.exhausted():
            return None
    below = [_ones(question, cuts[-1])]
    for stage in reversed(quotients):
        below.append(_before(stage, below[-1]))
    above = [_ones(question, cuts[0])]
    for stage in quotients:
        above.append(_behind(stage, above[-1]))
    below.reverse()
    between = _within_stages(question, dict(zip(cuts, below, strict=True)), marginalized)
    return None if budget.exhausted() else RevealedGains(cuts, below, above, between)


def _within_stages(question: SearchQuestion, below: Mapping[int, Gains], marginalized: bool) -> dict[int, Gains]:
    """Return g at cuts between an input and the next: the largest g of the nodes that both runs may reach."""
    plan, between = question.plan, dict(below)
    for cut in range(len(plan.steps) - 1, min(below), -1):
        if cut in below:
            continue
        step, following, gains = plan.steps[cut], between[cut + 1], Gains()
        for state in question.states(cut):
            for (block, _), (after, move) in _ways(step, marginalized):
                for row, col in zip(move.rows.tolist(), move.cols.tolist(), strict=True):
                    gain = Fraction(1) if after == FINISHED else following.get((state, after, col), 0)
                    position = (state, block, row)
                    gains[position] = max(gains.get(position, 0), gain)
        between[cut] = {position: gain for position, gain in gains.items() if gain}
    return {cut: gains for cut, gains in between.items() if cut not in below}


def _ways(step: Step, marginalized: bool) -> list[tuple[tuple[int, int], tuple[int, Move]]]:
    """Return the targets of a step from each block by each choice; one where outputs are summed."""
    if marginalized and step.kind == "output" and step.forget is not None:
        return [((0, 0), (0, step.forget))]
    return list(step.moves.items())


def _ones(question: SearchQuestion, cut: int) -> Gains:
    blocks = enumerate(question.plan.cuts[cut])
    nodes = [(block, node) for block, members in blocks for node in range(len(members))]
    return {(state, *node): Fraction(1) for state in question.states(cut) for node in nodes}


def _before(stage: Stage, following: Gains) -> Gains:
    """Return g_j of Theorem 4, from g_{j+1}."""
    gains: Gains = {}
    for position, quotients in stage.items():
        ways = [
            times(quotient, Fraction(1) if reached[1] == FINISHED else following[reached])
            for reached, quotient in quotients
            if reached[1] == FINISHED or reached in following
        ]
        if ways:
            gains[position] = max(ways)
    return gains


def _behind(stage: Stage, earlier: Gains) -> Gains:
    """Return h_{j+1} of Theorem 4, from h_j."""
    gains: Gains = {}
    for position, gain in earlier.items():
        for reached, quotient in stage.get(position, ()):
            gains[reached] = max(gains.get(reached, 0), times(gain, quotient))
    return gains


class _Stages:
    """The largest ratios of all stages; stages that are equal up to the names of blocks are computed once."""

    def __init__(self, question: SearchQuestion, budget: SearchBudget, marginalized: bool) -> None:
        self.question = question
        self.budget = budget
        self.marginalized = marginalized
        self._known: dict[Any, dict[tuple[int, int], list[tuple[Position, Gain]]]] = {}

    def stage(self, start: int, stop: int) -> Stage:
        """Return the ratios of the stage of one input; incomplete if the budget is exhausted."""
        question = self.question
        transitions = {state: question.transitions(start, state) for state in question.states(start)}
        stage: dict[Position, list[tuple[Position, Gain]]] = {}
        for block, nodes in enumerate(question.plan.cuts[start]):
            names, shape = self._shape(start, stop, block)
            key = (shape, tuple(transitions.items()))
            if key not in self._known:
                self._known[key] = self._quotients(start, stop, block, len(nodes), transitions, names)
            block_of = {FINISHED: FINISHED} | {name: own for own, name in names.items()}
            for (state, node), quotients in self._known[key].items():
                stage[state, block, node] = [((q, block_of[name], w), gain) for (q, name, w), gain in quotients]
        return stage

    def _shape(self, start: int, stop: int, block: int) -> tuple[dict[int, int], Any]:
        """Return the steps of a stage as far as a block is concerned, with blocks named in the order of their
        discovery.

        Returns:
            The names of the blocks behind the stage, and a key that equal stages share.
        """
        names = {block: 0}
        parts: list[Any] = []
        for offset, step in enumerate(self.question.plan.steps[start:stop]):
            following: dict[int, int] = {}
            for (before, choice), (after, move) in step.moves.items():
                if before in names:
                    name = FINISHED if after == FINISHED else following.setdefault(after, len(following))
                    parts.append((offset, names[before], choice, name, _content(move)))
            if self.marginalized and step.forget is not None:
                parts.append((offset, "forget", _content(step.forget)))
            parts.append((step.kind, step.choices))
            names = following
        return names, tuple(parts)

    def _quotients(
        self, start: int, stop: int, block: int, nodes: int, transitions: Mapping[int, Ways], names: Mapping[int, int]
    ) -> dict[tuple[int, int], list[tuple[Position, Gain]]]:
        """For each state and node the largest ratios, with the names of blocks."""
        plan = self.question.plan
        everywhere = [(name, node) for own, name in names.items() for node in range(len(plan.cuts[stop][own]))]
        quotients: dict[tuple[int, int], list[tuple[Position, Gain]]] = {}
        for node in range(nodes):
            if self.budget.exhausted():
                break
            kernels = [
                stage_kernel(plan, start, stop, block, {node: 1}, choice, self.marginalized)
                for choice in range(plan.steps[start].choices)
            ]
            known = [kernel for kernel in kernels if kernel is not None]
            for state, allowed in transitions.items():
                gains: Gains = {}
                for following in allowed.counts:
                    if len(known) < len(kernels):  # too many outputs to tell
                        gains.update({(following, *w): INFINITY for w in [*everywhere, (FINISHED, 0)]})
                        continue
                    pairs = [(a, b) for a, b, q in allowed if q == following]
                    for (after, w), gain in _largest_quotients(known, pairs):
                        position = (following, names.get(after, FINISHED), w)
                        gains[position] = max(gains.get(position, 0), gain)
                quotients[state, node] = list(gains.items())
        return quotients


def _largest_quotients(kernels: Sequence[Kernel], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[Node, Gain]]:
    """Yield the largest ratio at each node that is reached, over pairs of values and outputs."""
    if len(pairs) > _MOST_PAIRS:
        above, below = ({pair[side] for pair in pairs} for side in (0, 1))
        yield from _quotients_of_extremes([kernels[a] for a in above], [kernels[b] for b in below])
        return
    for a, b in pairs:
        for outputs, (after, belief) in kernels[a].items():
            if a == b:
                yield from (((after, node), Fraction(1)) for node in belief)
                continue
            other = kernels[b].get(outputs, (after, {}))[1]
            for node, mass in belief.items():
                yield (after, node), _over(mass, other.get(node, 0))


def _quotients_of_extremes(above: Sequence[Kernel], below: Sequence[Kernel]) -> Iterator[tuple[Node, Gain]]:
    """Yield an upper bound for many pairs at once: the largest mass over the smallest."""
    for outputs in {outputs for kernel in above for outputs in kernel}:
        after = next(kernel[outputs][0] for kernel in above if outputs in kernel)
        masses: dict[int, list[Any]] = {}
        for kernel in above:
            for node, mass in kernel.get(outputs, (after, {}))[1].items():
                masses.setdefault(node, []).append(mass)
        for node, own in masses.items():
            others = [kernel.get(outputs, (after, {}))[1].get(node, 0) for kernel in below]
            yield (after, node), max(_over(extreme(own, largest=True), extreme(others, largest=False)), Fraction(1))


def times(gain: Gain, more: Gain) -> Gain:
    """Return the product of two gains; a Fraction that no float can hold must not become one."""
    return INFINITY if INFINITY in (gain, more) else gain * more


def _over(mass: Any, other: Any) -> Gain:
    if other == 0:
        return INFINITY
    if isinstance(mass, int) and isinstance(other, int):
        return Fraction(mass, other)
    return Ball(mass / other).upper


def _content(move: Move) -> Any:
    weights = tuple(weight if isinstance(weight, int) else ("ball", id(weight)) for weight in move.weights.tolist())
    return move.rows.tobytes(), move.cols.tobytes(), weights, move.before, move.after


def extreme_masses(question: SearchQuestion, *, largest: bool, marginalized: bool) -> list[list[list[Any]]]:
    """For each cut, block and node the extreme, over all inputs below, of the scaled mass that arrives at TRUE."""
    plan = question.plan
    masses: list[list[list[Any]]] = [[[1] * len(nodes) for nodes in plan.cuts[-1]]]
    for step, cut in zip(reversed(plan.steps), reversed(plan.cuts[:-1]), strict=True):
        following = masses[-1]
        here: list[list[Any]] = []
        for block, nodes in enumerate(cut):
            if step.kind == "output" and marginalized and step.forget is not None:
                options: list[tuple[int, Move | None]] = [(block, step.forget)]
            else:
                options = [step.moves.get((block, choice), (block, None)) for choice in range(step.choices)]
            pulled = [_pulled_back(move, following[after], len(nodes)) for after, move in options]
            here.append([extreme(column, largest=largest) for column in zip(*pulled, strict=True)])
        masses.append(here)
    return masses[::-1]


def _pulled_back(move: Move | None, masses: list[Any], width: int) -> list[Any]:
    if move is None:
        return [0] * width
    if move.same:
        return masses
    row = np.empty((1, move.after), dtype=object)
    row[0] = masses
    pulled: list[Any] = move.backward(row)[0].tolist()
    return pulled


def extreme(values: Sequence[Any], *, largest: bool) -> Any:
    """Return the largest or smallest of integers or balls; of balls, what encloses it, and 0 as the integer."""
    if all(isinstance(value, int) for value in values):
        return max(values) if largest else min(values)
    positive = [flint.arb(value) for value in values if value != 0]
    if not positive or (not largest and len(positive) < len(values)):
        return 0
    return functools.reduce(flint.arb.max if largest else flint.arb.min, positive)
