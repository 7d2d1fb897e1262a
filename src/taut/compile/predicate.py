"""A predicate on two databases as an automaton over pairs of entries: its diagram, read level by level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from taut.compile.relation import RelationCompiler
from taut.diagram import Diagrams
from taut.domains import InputSpace
from taut.errors import DiagramTooLarge
from taut.ir import Program
from taut.limits import checkpoint
from taut.neighbors import Neighbors, PairAutomaton, Transition

__all__ = ["CompiledPredicate"]


@dataclass(frozen=True)
class CompiledPredicate(Neighbors):
    """The pairs of different databases for which a program over the entries of both returns True.

    The inputs of the program are the entries of x and x' in turn. ``asked`` is the same relation, asked pair by pair:
    it answers where the diagram is too large.
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
        """The diagram over the entries in this order, those of x and x' side by side; states are its nodes.

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
        layers: list[dict[int, list[Transition]]] = []
        for position, entry in enumerate(entries):
            count = len(space.values[entry])
            layer: dict[int, list[Transition]] = {}
            following: dict[tuple[int, bool], None] = {}
            for node, differ in here:
                checkpoint()
                ways = layer[state(node, differ)] = []
                for a in range(count):
                    one = _child(diagrams, node, 2 * position, a)
                    for b in range(count):
                        reached = (_child(diagrams, one, 2 * position + 1, b), differ or a != b)
                        if reached[0] != diagrams.false:
                            following[reached] = None
                            ways.append(Transition(a, b, state(*reached)))
            layers.append(layer)
            here = list(following)
        accepting = {state(node, differ) for node, differ in here if differ and node == diagrams.true}
        return PairAutomaton.of(entries, layers, start, accepting)


def _child(diagrams: Diagrams, node: int, level: int, value: int) -> int:
    if diagrams.level[node] != level:
        return node
    return diagrams.children[node][diagrams.partitions[diagrams.partition[node]].place(value)]
