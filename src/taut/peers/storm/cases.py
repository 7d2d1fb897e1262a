"""Chains of cases ("the first that applies"), rewritten so that they are decided as soon as one applies."""

from __future__ import annotations

from dataclasses import dataclass

from taut.peers.lowering.expressions import Builder, Node

__all__ = ["CaseChain", "case_chain"]


@dataclass(frozen=True)
class CaseChain:
    """A result, and the state that represents partial knowledge of it.

    Each of ``states`` is the result as far as the first cases tell, or ``open``; for a plain result there are none.
    """

    result: Node
    states: tuple[Node, ...] = ()
    open: int = 0

    def decided(self, build: Builder, state: Node) -> Node:
        return build.negate(build.equal(state, build.literal(self.open)))

    def value(self, build: Builder, state: Node) -> Node:
        """Return the result, given a decided state."""
        return build.equal(state, build.literal(1)) if self.result.boolean else state


def case_chain(build: Builder, root: Node) -> CaseChain:
    """Return nested ifs in the last branch as a chain; any other expression unchanged.

    The cases are looked at one after the other, so that a run need not remember what they were, only what came out.
    """
    cases: list[tuple[Node, Node]] = []
    last = root
    while last.op == "if":
        cases.append((last.args[0], last.args[1]))
        last = last.args[2]
    if len({test.time for test, _ in cases}) < 2:
        return CaseChain(root)
    boolean = root.boolean
    items = [_integer(build, item) for _, item in cases]
    still = build.literal(2 if boolean else max(root.bounds[1], *(item.bounds[1] for item in items)) + 1)
    state = still
    states = []
    for (test, _), item in zip(cases, items, strict=True):
        state = build.choose(build.equal(state, still), build.choose(test, item, still), state)
        states.append(state)
    undecided = build.equal(state, still)
    known = build.equal(state, build.literal(1)) if boolean else state
    return CaseChain(build.choose(undecided, last, known), tuple(states), still.data)


def _integer(build: Builder, node: Node) -> Node:
    return build.choose(node, build.literal(1), build.literal(0)) if node.boolean else node
