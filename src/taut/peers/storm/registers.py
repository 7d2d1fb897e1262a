"""Register allocation: a variable is reused once its value is no longer needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taut.peers.lowering.expressions import Builder, Node

__all__ = ["Register", "allocate"]


@dataclass(frozen=True)
class Register:
    """A variable: a Boolean if it has no bounds."""

    name: str
    low: int | None
    high: int | None

    def reset(self, build: Builder) -> Node:
        """Return the value of an unused variable."""
        if self.low is None or self.high is None:
            return build.false
        return build.literal(0 if self.low <= 0 <= self.high else self.low)


def allocate(
    lives: Mapping[Node, tuple[int, int]], results: Sequence[Node]
) -> tuple[tuple[Register, ...], dict[Node, Register]]:
    """Allocate variables for values that live from step ``born`` to step ``end``; results have their own."""
    held: list[list[Node]] = []
    names: list[str] = []
    free_from: list[int] = []
    for position, node in enumerate(results):
        held.append([node])
        names.append(f"y{position}")
        free_from.append(-1)
    own = len(held)
    counts = {True: 0, False: 0}
    for node, (born, end) in sorted(lives.items(), key=lambda item: (item[1][0], item[0].serial)):
        if node in results:
            continue
        fits = [
            position
            for position in range(own, len(held))
            if free_from[position] <= born and held[position][0].boolean == node.boolean
        ]
        if fits:
            chosen = max(fits, key=lambda position: free_from[position])
            held[chosen].append(node)
            free_from[chosen] = end
        else:
            held.append([node])
            names.append(f"{'b' if node.boolean else 'v'}{counts[node.boolean]}")
            counts[node.boolean] += 1
            free_from.append(end)
    registers = tuple(_register(name, nodes) for name, nodes in zip(names, held, strict=True))
    return registers, {node: register for register, nodes in zip(registers, held, strict=True) for node in nodes}


def _register(name: str, nodes: Sequence[Node]) -> Register:
    if nodes[0].boolean:
        return Register(name, None, None)
    return Register(name, min(node.bounds[0] for node in nodes), max(node.bounds[1] for node in nodes))
