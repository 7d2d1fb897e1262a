"""Trees of if-then-else over a few terms, compiled as one table.

``if P = 0 then (if Q = 0 then a else b) else if P = 1 then ...`` is how a table of conditional probabilities is
written. Made one if-then-else after the other, each one is an operation on diagrams that know all of P and Q; as a
table, the diagram of P and Q together is made once, and the rows are put below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams import BinaryOperation, Diagrams
from taut.program import UNDEFINED, Apply, Const, Ite, Term
from taut.program.program import children
from taut.program.values import Anything

__all__ = ["Decisions", "decision_trees", "looked_up"]

_FEWEST = 3
_MOST_CASES = 4096
_MOST_DECIDERS = 12


@dataclass(frozen=True)
class Decisions:
    """A tree of conditions as a table: its deciders with their values, and the row for each combination."""

    deciders: tuple[Term, ...]
    values: tuple[tuple[Any, ...], ...]
    table: tuple[int, ...]
    rows: tuple[Term, ...]
    inner: tuple[Ite, ...]


def decision_trees(order: Sequence[Term], keep: set[Term]) -> tuple[dict[Term, Decisions], set[Term]]:
    """Return the decision trees among the terms, by root, and the terms that only such trees use."""
    uses: dict[Term, int] = {}
    branch: set[Term] = set()
    for term in order:
        for child in children(term):
            uses[child] = uses.get(child, 0) + 1
        if isinstance(term, Ite):
            branch.update((term.then, term.other))
    inner = {term for term in order if isinstance(term, Ite) and uses.get(term) == 1 and term in branch} - keep
    found: dict[Term, Decisions] = {}
    for term in order:
        if isinstance(term, Ite) and term not in inner:
            tree = _tree(term, inner)
            if tree is not None:
                found[term] = tree
    inside: set[Term] = {part for root, tree in found.items() for part in tree.inner if part is not root}
    tested: dict[Term, int] = {}
    for tree in found.values():
        for part in tree.inner:
            if _test(part)[1] is not None:
                tested[part.test] = tested.get(part.test, 0) + 1
    inside |= {test for test, count in tested.items() if count == uses[test] and test not in keep}
    return found, inside


def looked_up(diagrams: Diagrams, tree: Decisions, deciders: Sequence[int], rows: Sequence[int]) -> int | None:
    """Return the diagram of a tree from those of its deciders and rows; None unless the rows lie below all deciders."""
    lowest = -1
    for node, allowed in zip(deciders, tree.values, strict=True):
        bottom, leaves = diagrams.span(node)
        lowest = max(lowest, bottom)
        if any(value is UNDEFINED or value not in allowed for value in leaves):
            return None
    if any(diagrams.level[row] <= lowest for row in rows):
        return None
    chosen = diagrams.leaf(tree.table)
    for node, values in zip(deciders, tree.values, strict=True):
        chosen = diagrams.apply(BinaryOperation(_narrowed(values)), chosen, node)
    ends = [node for node in diagrams.reachable([chosen]) if diagrams.is_leaf(node)]
    return diagrams.graft(chosen, {end: rows[diagrams.value(end)[0]] for end in ends})


def _narrowed(values: tuple[Any, ...]) -> Any:
    """Return the rest of a table once its first decider is known; a single row if all its rows are equal."""
    places = {value: place for place, value in enumerate(values)}

    def narrow(table: tuple[int, ...], value: Any) -> tuple[int, ...]:
        if len(table) == 1:
            return table
        length = len(table) // len(places)
        part = table[places[value] * length : (places[value] + 1) * length]
        return part[:1] if part.count(part[0]) == length else part

    return narrow


def _tree(root: Ite, inner: set[Ite]) -> Decisions | None:
    deciders: dict[Term, tuple[Any, ...]] = {}
    inside: list[Ite] = []
    stack: list[Term] = [root]
    cases = 1
    while stack:
        term = stack.pop()
        if isinstance(term, Ite) and (term is root or term in inner):
            inside.append(term)
            decider, _ = _test(term)
            if decider not in deciders:
                many = isinstance(decider.values, Anything) or cases * len(decider.values) > _MOST_CASES
                if many or len(deciders) == _MOST_DECIDERS:
                    return None
                assert not isinstance(decider.values, Anything)
                deciders[decider] = tuple(decider.values)
                cases *= max(1, len(decider.values))
            stack += [term.other, term.then]
    if len(inside) < _FEWEST or cases > 4 * len(inside) + 4:
        return None
    rows: dict[Term, int] = {}
    table: list[int] = []
    _fill(root, {}, list(deciders.items()), set(inside), rows, table)
    return Decisions(tuple(deciders), tuple(deciders.values()), tuple(table), tuple(rows), tuple(inside))


def _fill(
    root: Ite,
    known: dict[Term, Any],
    deciders: Sequence[tuple[Term, tuple[Any, ...]]],
    inside: set[Ite],
    rows: dict[Term, int],
    table: list[int],
) -> None:
    """Write the rows of all combinations of values, the last decider changing first."""
    if known.keys() == {decider for decider, _ in deciders}:
        term: Term = root
        while term in inside:
            assert isinstance(term, Ite)
            decider, wanted = _test(term)
            value = known[decider]
            holds = bool(value) if wanted is None else value == wanted.value
            term = term.then if holds else term.other
        table.append(rows.setdefault(term, len(rows)))
        return
    decider, values = deciders[len(known)]
    for value in values:
        _fill(root, {**known, decider: value}, deciders, inside, rows, table)


def _test(term: Ite) -> tuple[Term, Const | None]:
    """Return the term that an if-then-else tests, and the constant that it is compared with, or None."""
    test = term.test
    if isinstance(test, Apply) and test.operation.name == "eq" and isinstance(test.args[1], Const):
        return test.args[0], test.args[1]
    return test, None
