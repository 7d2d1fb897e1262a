"""Exact answers about terms while a program is still being read: can this happen, which values can this take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.compile.compiler import Compiler
from taut.compile.order import interleaved_order
from taut.diagram import Diagrams
from taut.errors import DiagramTooLarge
from taut.ir import UNDEFINED, Coin, CoinVariable, Input, InputVariable, Term
from taut.ir.program import reachable

__all__ = ["Oracle"]


class Oracle(Compiler):
    """Compiles terms as they come, variables in the order in which they are met.

    Every value of an input and every outcome of a coin counts as possible, so coins must not list impossible ones.
    """

    def __init__(self, inputs: list[InputVariable], coins: list[CoinVariable], max_nodes: int) -> None:
        super().__init__(Diagrams(max_nodes))
        self.inputs = inputs
        self.coins = coins
        self._levels: list[Input | Coin] = []

    def compile(self, roots: Sequence[Term]) -> list[int]:
        """The diagrams of the roots; new variables come in the order in which a walk from the roots meets them.

        So an input stands beside the coins that are read together with it, not above all coins.
        """
        asked = [root for root in roots if root not in self._made]
        for variable in interleaved_order(asked, reachable(asked), self.coins):
            if variable not in self._made:
                self._made[variable] = self.variable(variable)
        return super().compile(roots)

    def variable(self, term: Input | Coin) -> int:
        values = self.inputs[term.index].values if isinstance(term, Input) else self.coins[term.index].outcomes
        self._levels.append(term)
        return self.diagrams.variable(len(self._levels) - 1, values)

    def possible(self, event: Term) -> bool:
        """Whether a Boolean term is ever true."""
        (root,) = self.compile([event])
        return any(value is not UNDEFINED and bool(value) for value in self.diagrams.leaves(root))

    def surely_impossible(self, event: Term, budget: int = 50_000) -> bool:
        """Whether a Boolean term is never true, as far as that can be told with so many new nodes."""
        limit = self.diagrams.max_nodes
        self.diagrams.max_nodes = min(limit, len(self.diagrams) + budget)
        try:
            return not self.possible(event)
        except DiagramTooLarge:
            return False
        finally:
            self.diagrams.max_nodes = limit

    def values(self, term: Term) -> list[Any]:
        """The values that a term really takes."""
        (root,) = self.compile([term])
        return [value for value in self.diagrams.leaves(root) if value is not UNDEFINED]

    def example(self, event: Term) -> dict[int, Any]:
        """Entries of an input for which a Boolean term can be true; entries that do not matter are left out."""
        (node,) = self.compile([event])
        diagrams, entries = self.diagrams, {}
        while not diagrams.is_leaf(node):
            variable = self._levels[diagrams.level[node]]
            for position, child in enumerate(diagrams.children[node]):
                if any(value is not UNDEFINED and bool(value) for value in diagrams.leaves(child)):
                    if isinstance(variable, Input):
                        place = list(diagrams.partitions.classes[diagrams.partition[node]]).index(position)
                        entries[variable.index] = self.inputs[variable.index].values[place]
                    node = child
                    break
        return entries
