"""Nodes: terms without coins as collections of entries (sums, maxima, disjunctions) and functions of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taut.diagrams.compile.linear import all_parts, are_integers, is_comparison, is_linear
from taut.program import UNDEFINED, Apply, Const, Ite, Program, Select, Term
from taut.program.enumerator import evaluate
from taut.program.program import children
from taut.support.errors import TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.decompose.statistic import Dependence, Statistics

__all__ = ["NOTHING", "Node", "Nodes"]

_MOST_NODES = 1 << 14


class _Nothing:
    """The maximum of no entries."""


NOTHING = _Nothing()


@dataclass(eq=False)
class Node:
    """A term: entries and other nodes collected by one operation, or a function of other nodes.

    ``start`` is NOTHING for a maximum of no entries. Sums that are only compared with constants count up to ``cap``.
    """

    collect: Callable[[Any, Any], Any] | None
    start: Any = NOTHING
    tables: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    parts: list[tuple[int, int]] = field(default_factory=list)
    function: Callable[..., Any] | None = None
    cap: int | None = None

    def neutral(self, added: Any) -> bool:
        return self.start is not NOTHING and bool(self.collect(self.start, added) == self.start)  # type: ignore[misc]

    def with_one_more(self, value: Any, added: Any) -> Any:
        if value is NOTHING:
            return added
        if value is UNDEFINED or added is UNDEFINED or added is NOTHING:
            return UNDEFINED
        assert self.collect is not None
        found = self.collect(value, added)
        return found if self.cap is None else min(found, self.cap)


def _add(value: Any, added: Any) -> Any:
    return value + added


def _either(value: Any, added: Any) -> bool:
    return bool(value or added)


def _both(value: Any, added: Any) -> bool:
    return bool(value and added)


_COLLECT: Mapping[str, Callable[[Any, Any], Any]] = {"sum": _add, "max": max, "min": min, "or": _either, "and": _both}
_START = {"sum": 0, "or": False, "and": True}


class Nodes:
    """The nodes of some terms, arguments before their users."""

    def __init__(self, program: Program, dependence: Dependence, roots: Sequence[Term]) -> None:
        self.program, self.dependence = program, dependence
        self._statistics = Statistics(program, dependence)
        self.nodes: list[Node] = []
        self._numbers: dict[Term, int] = {}
        self._compared: dict[int, list[int] | None] = {}
        self._multiples: dict[Any, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
        self.roots = [self._number(root) for root in roots]
        for root in self.roots:
            self._compared[root] = None
        for number, bars in self._compared.items():
            node = self.nodes[number]
            if bars and node.collect is _add and self._grows(node):
                node.cap = max(bars) + 1

    def _grows(self, node: Node) -> bool:
        return not node.parts and all(added >= 0 for table in set(node.tables.values()) for added in table)

    def _number(self, root: Term) -> int:
        stack = [root]
        while stack:
            term = stack[-1]
            if term in self._numbers:
                stack.pop()
                continue
            needed = [part for _, part in self._collected(term)[1] if self._apart(part)]
            missing = [part for part in needed if part not in self._numbers]
            if missing:
                stack += missing
                continue
            stack.pop()
            checkpoint()
            self._append(term)
            if len(self.nodes) > _MOST_NODES:
                raise TooLarge("too many terms have to be walked.", value=len(self.nodes))
        return self._numbers[root]

    def _append(self, term: Term) -> None:
        node = self._made(term)  # which may append others
        self._numbers[term] = len(self.nodes)
        self.nodes.append(node)

    def _apart(self, term: Term) -> bool:
        """Return True if a part is a node of its own: it reads several entries, or stands alone."""
        return self.dependence.reads(term) and self.dependence.only(term) is None

    def _collected(self, term: Term) -> tuple[str, list[tuple[int, Term]]]:
        """Return the operation by which a term collects its parts, '' for another function, and the parts."""
        if self.dependence.only(term) is not None or not self.dependence.reads(term):
            return "", []
        if is_linear(term):
            parts = all_parts(term)
            if all(are_integers(part.values) for _, part in parts):
                return "sum", parts
        name, parts_inside = _connective(term)
        if name:
            found: list[tuple[int, Term]] = []
            stack = list(reversed(parts_inside))
            seen: set[Term] = set()
            while stack:
                part = stack.pop()
                if part in seen:
                    continue
                seen.add(part)
                inner, more = _connective(part) if self._apart(part) else ("", ())
                if inner == name:
                    stack += reversed(more)
                else:
                    found.append((1, part))
            if name in ("or", "and") or all(are_integers(part.values) for _, part in found):
                return name, found
        return "", [(1, child) for child in children(term)]

    def _made(self, term: Term) -> Node:
        entry = self.dependence.only(term)
        if not self.dependence.reads(term):
            value = evaluate(term, (), {})
            return Node(None, function=lambda: value)
        if entry is not None:
            return Node(_keep, tables={entry: self._table(term, entry)})
        name, parts = self._collected(term)
        if not name:
            return self._function(term)
        node = Node(_COLLECT[name], _START.get(name, NOTHING))
        for factor, part in parts:
            own = self.dependence.only(part)
            if own is not None:
                table = self._table(part, own)
                if name == "sum":
                    table = self._multiple(table, factor)
                elif name in _START:
                    table = self._multiple(table, None)
                known = node.tables.get(own)
                if known is not None:
                    table = tuple([node.collect(*pair) for pair in zip(known, table, strict=True)])  # type: ignore[misc]
                node.tables[own] = table
            elif not self.dependence.reads(part):
                value = evaluate(part, (), {})
                value = value if factor == 1 else factor * value
                node.start = node.with_one_more(node.start, value)
            else:
                node.parts.append((factor, self._numbers[part]))
                self._compared[self._numbers[part]] = None
        return node

    def _multiple(self, table: tuple[Any, ...], factor: int | None) -> tuple[Any, ...]:
        """Return a table times a factor, or as truth values; cached."""
        key = (id(table), factor)
        if key not in self._multiples:
            made = tuple([bool(value) if factor is None else factor * value for value in table])
            self._multiples[key] = (table, made)
        return self._multiples[key][1]

    def _table(self, term: Term, entry: int) -> tuple[Any, ...]:
        table = self._statistics.table(term, entry)
        if any(value is UNDEFINED for value in table):
            raise TooLarge("a statistic has a value at which nothing is defined.", value=term)
        return table

    def _function(self, term: Term) -> Node:
        kids = children(term)
        numbers = []
        for kid in kids:
            if kid not in self._numbers:  # a constant, or of a single entry
                self._append(kid)
            numbers.append(self._numbers[kid])
        self._note(term, kids, numbers)
        node = Node(None, parts=[(1, number) for number in numbers])
        if isinstance(term, Apply):
            node.function = term.operation
        elif isinstance(term, Ite):
            node.function = _chosen
        elif isinstance(term, Select):
            places = {key: place for place, key in reversed(list(enumerate(term.keys)))}  # of equal keys the first
            node.function = lambda index, *items: items[places[index]] if index in places else UNDEFINED
        else:
            node.function = _together
        return node

    def _note(self, term: Term, kids: Sequence[Term], numbers: Sequence[int]) -> None:
        """Record the constants that a node is compared with, if all its uses are such comparisons."""
        constants = [kid.value for kid in kids if isinstance(kid, Const)]
        plain = is_comparison(term) and len(constants) == 1 and isinstance(constants[0], int)
        for kid, number in zip(kids, numbers, strict=True):
            if isinstance(kid, Const):
                continue
            bars = self._compared.setdefault(number, [])
            if not plain:
                self._compared[number] = None
            elif bars is not None:
                bars += constants


def _connective(term: Term) -> tuple[str, Sequence[Term]]:
    """Return the name and the arguments of a connective, a maximum or a minimum; '' for another term."""
    if isinstance(term, Apply) and term.operation.name in _COLLECT:
        return term.operation.name, term.args
    if isinstance(term, Ite) and isinstance(term.values, frozenset) and term.values <= {False, True}:
        if _holds(term.then, term.test, "or", True):
            return "or", (term.test, term.other)
        if _holds(term.other, term.test, "and", False):
            return "and", (term.test, term.then)
    return "", ()


def _holds(term: Term, test: Term, name: str, value: bool) -> bool:
    """Return True if a branch has this value because of the test that leads to it."""
    if isinstance(term, Const):
        return term.value is value
    return term is test or (isinstance(term, Apply) and term.operation.name == name and test in term.args)


def _keep(value: Any, added: Any) -> Any:
    return added


def _chosen(test: Any, then: Any, other: Any) -> Any:
    return UNDEFINED if test is UNDEFINED else then if test else other


def _together(*values: Any) -> Any:
    return UNDEFINED if any(value is UNDEFINED for value in values) else values
