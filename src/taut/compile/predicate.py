"""A predicate on two databases as an automaton over pairs of entries: its diagram, read level by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from taut.compile.relation import RelationCompiler
from taut.diagram import Diagrams
from taut.ir import Program
from taut.neighbors import Layered, Layers, Turn

__all__ = ["CompiledPredicate"]


@dataclass(frozen=True)
class CompiledPredicate(Layered):
    """The pairs of different databases for which a program over the entries of both returns True.

    The inputs of the program that ``read`` gives are the entries of x and x' in turn; None if the predicate cannot be
    read. ``holds`` is the predicate itself.
    """

    name: str
    read: Callable[[], Program | None]
    holds: Callable[[Any, Any], bool]
    max_nodes: int

    def related(self, x: Any, x_prime: Any) -> bool:
        return self.holds(x, x_prime)

    def layers(self, order: Sequence[int]) -> Layers | None:
        """The diagram over the entries in this order, those of x and x' side by side; states are its nodes.

        A state also knows whether the databases differ already: none is its own neighbour.
        """
        program = self.read()
        if program is None:
            return None
        level_of = {}
        for place, entry in enumerate(order):
            for side in (0, 1):
                variable = program.inputs[2 * entry + side]
                level_of[program.terms.input(2 * entry + side, variable.values)] = 2 * place + side
        diagrams = Diagrams(self.max_nodes, lambda level: f"entry {order[level // 2]}")
        (root,) = RelationCompiler(diagrams, program, level_of).compile([program.output])
        number: dict[tuple[int, bool], int] = {}

        def state(node: int, differ: bool) -> int:
            return number.setdefault((node, differ), len(number))

        start = state(root, False)
        here = [(root, False)]
        layers: list[dict[int, list[Turn]]] = []
        for place, entry in enumerate(order):
            count = len(program.inputs[2 * entry].values)
            layer: dict[int, list[Turn]] = {}
            following: dict[tuple[int, bool], None] = {}
            for node, differ in here:
                turns = layer[state(node, differ)] = []
                for a in range(count):
                    one = _child(diagrams, node, 2 * place, a)
                    for b in range(count):
                        reached = (_child(diagrams, one, 2 * place + 1, b), differ or a != b)
                        if reached[0] != diagrams.false:
                            following[reached] = None
                            turns.append((a, b, state(*reached)))
            layers.append(layer)
            here = list(following)
        return layers, start, {state(node, differ) for node, differ in here if differ and node == diagrams.true}


def _child(diagrams: Diagrams, node: int, level: int, value: int) -> int:
    if diagrams.level[node] != level:
        return node
    return diagrams.children[node][diagrams.partitions.classes[diagrams.partition[node]][value]]
