"""A predicate on two databases as an automaton over pairs of entries, made from its diagram."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from taut.diagrams import Diagrams
from taut.diagrams.compile.relation import RelationCompiler
from taut.neighbors import Neighbors, PairAutomaton, Ways
from taut.program import Program
from taut.program.domains import InputSpace
from taut.support.errors import DiagramTooLarge
from taut.support.limits import checkpoint, checkpoints

__all__ = ["CompiledPredicate"]


@dataclass(frozen=True)
class CompiledPredicate(Neighbors):
    """The pairs of different databases for which a program over the entries of both returns True.

    The inputs of the program are the entries of x and x' in turn. ``asked`` evaluates the predicate pair by pair, for
    diagrams that are too large.
    """

    name: str
    program: Program
    asked: Neighbors
    max_nodes: int

    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        try:
            return self._unfolded(space, order)
        except DiagramTooLarge:
            return self.asked.read(space, order)

    def _unfolded(self, space: InputSpace, entries: Sequence[int]) -> PairAutomaton:
        """Return the diagram over the entries in this order, those of x and x' side by side; states are its nodes.

        A state also knows whether the databases differ already: none is its own neighbour.
        """
        level_of = {}
        for position, entry in enumerate(entries):
            for side in (0, 1):
                variable = self.program.inputs[2 * entry + side]
                level_of[self.program.terms.input(2 * entry + side, variable.values)] = 2 * position + side
        diagrams = Diagrams(self.max_nodes, lambda level: f"entry {entries[level // 2]}")
        (root,) = RelationCompiler(diagrams, self.program, level_of).compile([self.program.output])
        number: dict[tuple[int, bool], int] = {}

        def state(node: int, differ: bool) -> int:
            return number.setdefault((node, differ), len(number))

        start = state(root, False)
        here = [(root, False)]
        layers: list[dict[int, Ways]] = []
        for position, entry in enumerate(entries):
            count = len(space.values[entry])
            layer: dict[int, Ways] = {}
            following: dict[tuple[int, bool], None] = {}
            for node, differ in here:
                checkpoint()
                runs = []
                for a in checkpoints(range(count)):
                    one = diagrams.child(node, 2 * position, a)
                    for first, stop, child in diagrams.runs(one, 2 * position + 1, count):
                        if child == diagrams.false:
                            continue
                        for low, high in _split(first, stop, a):
                            reached = (child, differ or low != a)
                            following[reached] = None
                            runs.append((a, low, high, state(*reached)))
                layer[state(node, differ)] = Ways.of_runs(runs)
            layers.append(layer)
            here = list(following)
        accepting = {state(node, differ) for node, differ in here if differ and node == diagrams.true}
        return PairAutomaton.of(entries, layers, start, accepting)


def _split(start: int, stop: int, place: int) -> Iterator[tuple[int, int]]:
    """Split a range of positions into the parts before, at and after a place; empty parts are left out."""
    ends = [start, *[end for end in (place, place + 1) if start < end < stop], stop]
    return itertools.pairwise(ends)
