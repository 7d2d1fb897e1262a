"""Exact answers about terms while a program is still being read: can this happen, which values can this take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from taut.compile.compiler import Compiler
from taut.compile.order import interleaved_order
from taut.compile.samples import SampledRuns
from taut.diagram import Diagrams
from taut.errors import DiagramTooLarge
from taut.ir import UNDEFINED, Apply, Coin, CoinVariable, Input, InputVariable, Term, operation
from taut.ir.program import reachable

__all__ = ["Oracle"]

_AND = operation("and")
_QUICK = 2_000
"""New nodes within which a question is answered without further thought."""
_THOROUGH = 50_000
"""New nodes that one question may cost."""
_IN_VAIN = 500_000
"""New nodes that questions without an answer may cost altogether."""
_STEPS = 4
"""Steps that one operation may take for each of those nodes."""


class Oracle(Compiler):
    """Compiles terms as they come, variables in the order in which they are met.

    Every value of an input and every outcome of a coin counts as possible, so coins must not list impossible ones.
    """

    def __init__(self, inputs: list[InputVariable], coins: list[CoinVariable], max_nodes: int) -> None:
        super().__init__(Diagrams(max_nodes))
        self.inputs = inputs
        self.coins = coins
        self._levels: list[Input | Coin] = []
        self._runs = SampledRuns(inputs, coins)
        self._spare = _IN_VAIN
        self._hard: dict[Term, int] = {}
        """Parts that took more than so many new nodes."""

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
        return _ever_true(self.diagrams, root)

    def surely_impossible(self, event: Term) -> bool:
        """Whether a Boolean term is never true, as far as that can be told with little work.

        Its parts are joined one by one, those of few variables first: often a few of them exclude each other already.
        If that does not tell at once, a run may be found in which the event happens; else more nodes are allowed.
        What that costs in vain is counted over all questions.
        """
        parts = _conjuncts(event)
        found = self._never(parts, _QUICK)
        if found is not None:
            return found
        if self._runs.show(parts):
            return False
        before = len(self.diagrams)
        found = self._never(parts, min(_THOROUGH, self._spare))
        if found is None:
            self._spare -= len(self.diagrams) - before
        return found is True

    def _never(self, parts: Sequence[Term], budget: int) -> bool | None:
        """Whether the parts are never true together; None if that takes more than so many new nodes."""
        diagrams, limit = self.diagrams, self.diagrams.max_nodes
        diagrams.max_nodes, diagrams.max_steps = min(limit, len(diagrams) + budget), _STEPS * budget
        try:
            together: int | None = None
            for part in parts:
                if self._hard.get(part, 0) >= budget:
                    return None
                try:
                    (root,) = self.compile([part])
                except DiagramTooLarge:
                    self._hard[part] = budget
                    return None
                together = root if together is None else diagrams.apply(self._operation(_AND), together, root)
                if not _ever_true(diagrams, together):
                    return True
            return False
        except DiagramTooLarge:
            return None
        finally:
            diagrams.max_nodes, diagrams.max_steps = limit, math.inf

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
                if _ever_true(diagrams, child):
                    if isinstance(variable, Input):
                        place = diagrams.partitions[diagrams.partition[node]].first(position)
                        entries[variable.index] = self.inputs[variable.index].values[place]
                    node = child
                    break
        return entries


def _ever_true(diagrams: Diagrams, root: int) -> bool:
    return any(value is not UNDEFINED and bool(value) for value in diagrams.leaves(root))


def _conjuncts(event: Term) -> list[Term]:
    """The parts that must all hold, those of few variables first."""
    parts: dict[Term, None] = {}
    stack = [event]
    while stack:
        part = stack.pop()
        if isinstance(part, Apply) and part.operation is _AND:
            stack.extend(part.args)
        else:
            parts[part] = None
    if len(parts) == 1:
        return list(parts)
    return sorted(parts, key=lambda part: sum(isinstance(term, (Input, Coin)) for term in reachable([part])))
