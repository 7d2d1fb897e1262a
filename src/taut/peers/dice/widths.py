"""Dice's integer types: expressions that meet in one operation get one common width."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from taut.peers.lowering.expressions import Node

__all__ = ["IntEncoding", "int_types"]


@dataclass(frozen=True)
class IntEncoding:
    """The type ``int(width)``; with ``signed``, negative numbers are in two's complement."""

    width: int
    signed: bool

    def literal(self, value: int) -> str:
        return f"int({self.width},{value % (1 << self.width)})"

    def value(self, code: int) -> int:
        """Return the number for a code."""
        return code - (1 << self.width) if self.signed and code >> (self.width - 1) else code


def int_types(nodes: Iterable[Node]) -> dict[Node, IntEncoding]:
    """Return the type of every integer expression; a literal takes the type of its context."""
    integers = [node for node in nodes if not node.boolean]
    parent = {node: node for node in integers}

    def root(node: Node) -> Node:
        while parent[node] is not node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for node in nodes:
        if node.op == "toss" or node.op == "literal":
            continue
        parts = [arg for arg in node.args if not arg.boolean and arg.op != "literal"]
        joined = parts if node.boolean else [node, *parts]
        for other in joined[1:]:
            parent[root(other)] = root(joined[0])
    bounds: dict[Node, tuple[int, int]] = {}
    for node in integers:
        low, high = bounds.get(root(node), node.bounds)
        bounds[root(node)] = (min(low, node.bounds[0]), max(high, node.bounds[1]))
    return {node: _type_for(*bounds[root(node)]) for node in integers}


def _type_for(low: int, high: int) -> IntEncoding:
    if low >= 0:
        return IntEncoding(max(1, high.bit_length()), signed=False)
    return IntEncoding(max((-low - 1).bit_length(), high.bit_length()) + 1, signed=True)
