"""Terms to diagrams: each term once, arguments first, sums from the last variable upwards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from taut.compile.decisions import Decisions, decision_trees, looked_up
from taut.diagram import BinaryOperation, Diagrams, UnaryOperation
from taut.ir import UNDEFINED, Apply, Coin, Const, Input, Ite, Operation, Select, Term, operation
from taut.ir.program import children, reachable
from taut.ir.values import is_numeric

__all__ = ["Compiler", "flat_sum", "inner_sums", "is_sum"]


class Compiler(ABC):
    """Makes the diagram of any term that is not a tuple; where the variables stand is for subclasses to say."""

    def __init__(self, diagrams: Diagrams) -> None:
        self.diagrams = diagrams
        self._made: dict[Term, int] = {}
        self._binary: dict[Operation, BinaryOperation] = {}
        self._unary: dict[Any, UnaryOperation] = {}
        self._sums: BinaryOperation | None = None
        self._append = BinaryOperation(lambda row, value: (*row, value))

    @abstractmethod
    def variable(self, term: Input | Coin) -> int:
        """The diagram of an input or a coin."""

    def compile(self, roots: Sequence[Term]) -> list[int]:
        """The diagrams of the roots."""
        order = reachable([root for root in roots if root not in self._made])
        inner = inner_sums(order, keep=set(roots))
        trees = decision_trees(order, keep=set(roots))
        inside = {part for root, tree in trees.items() for part in tree.inner if part is not root}
        for term in order:
            if term not in self._made and term not in inner and term not in inside:
                tree = trees.get(term)
                self._made[term] = self._diagram(term, inner) if tree is None else self._decided(tree, inner)
        return [self._made[root] for root in roots]

    def _decided(self, tree: Decisions, inner: set[Term]) -> int:
        """A tree of if-then-else as a table where that is possible, else one after the other."""
        deciders = [self._made[decider] for decider in tree.deciders]
        found = looked_up(self.diagrams, tree, deciders, [self._made[row] for row in tree.rows])
        if found is not None:
            return found
        for part in reversed(tree.inner):
            self._made[part] = self._diagram(part, inner)
        return self._made[tree.inner[0]]

    def compile_given(self, roots: Sequence[Term], given: Mapping[Term, int], inner: set[Term]) -> dict[Term, int]:
        """The diagrams of the roots, and of what they are made of, where some terms have the diagrams that are given.

        What the given ones decide is not made: of an if-then-else whose test is a leaf, only one side.
        """
        outside, self._made = self._made, dict(given)
        try:
            stack = list(reversed(roots))
            while stack:
                term = stack[-1]
                if term in self._made:
                    stack.pop()
                    continue
                decides = term.test if isinstance(term, Ite) else term.index if isinstance(term, Select) else None
                if decides is not None and decides not in self._made:
                    stack.append(decides)
                    continue
                chosen = None if decides is None else self._chosen(term, self._made[decides])
                needed = (chosen,) if chosen is not None else self._arguments(term, inner)
                missing = [part for part in needed if part not in self._made]
                if missing:
                    stack.extend(reversed(missing))
                    continue
                self._made[term] = self._diagram(term, inner) if chosen is None else self._made[chosen]
                stack.pop()
            return self._made
        finally:
            self._made = outside

    def _chosen(self, term: Term, decided: int) -> Term | None:
        """The only part of an if-then-else or a selection that can be its value, if what decides it is one value."""
        if not self.diagrams.is_leaf(decided):
            return None
        value = self.diagrams.value(decided)
        if isinstance(term, Ite):
            return (term.then if value else term.other) if isinstance(value, int) else term.test
        assert isinstance(term, Select)
        return next((item for key, item in zip(term.keys, term.items, strict=True) if key == value), None)

    @staticmethod
    def _arguments(term: Term, inner: set[Term]) -> Sequence[Term]:
        if isinstance(term, Apply) and is_sum(term):
            return [part for _, part in flat_sum(term, inner)]
        return children(term)

    def _diagram(self, term: Term, inner: set[Term]) -> int:
        diagrams = self.diagrams
        if isinstance(term, Const):
            return diagrams.leaf(term.value)
        if isinstance(term, (Input, Coin)):
            return self.variable(term)
        if isinstance(term, Ite):
            return diagrams.ite(self._made[term.test], self._made[term.then], self._made[term.other])
        if isinstance(term, Select):
            return self._select(term)
        assert isinstance(term, Apply), f"{type(term).__name__} has no single diagram"
        if is_sum(term):
            return self._sum(flat_sum(term, inner))
        if term.operation.name in _FOLDED:
            parts = [self._made[part] for part in term.args]
            return self._fold(self._operation(term.operation), parts, ordered=term.operation.name in ("min", "max"))
        args = [self._made[arg] for arg in term.args]
        if len(args) == 1:
            return diagrams.map(self._unary_operation(term.operation, term.operation), args[0])
        if len(args) == 2:
            return diagrams.apply(self._operation(term.operation), args[0], args[1])
        return self._gathered(term.operation, args)

    def _sum(self, parts: list[tuple[int, Term]]) -> int:
        """Signed parts added up, with Booleans made integers: 0 + True is 1, so that 0 leaves a number as it is."""
        signed = {
            1: self._unary_operation("integer", _integer),
            -1: self._unary_operation("negative integer", _negative),
        }
        self._sums = self._sums or BinaryOperation(operation("add"), neutral=0)
        return self._fold(self._sums, [self.diagrams.map(signed[sign], self._made[part]) for sign, part in parts])

    def _fold(self, known: BinaryOperation, parts: list[int], *, ordered: bool = False) -> int:
        """An associative operation, from the part whose variables come last: that leaves what is below as it is.

        ``ordered`` starts with the last part instead: of 0 and False, min and max return the one that comes first.
        """
        if not ordered:
            parts.sort(key=self.diagrams.level.__getitem__)
        total = parts.pop()
        for part in reversed(parts):
            total = self.diagrams.apply(known, part, total)
        return total

    def _select(self, term: Select) -> int:
        """The items grafted onto the index where they lie below it, else one if-then-else a key."""
        diagrams = self.diagrams
        index = self._made[term.index]
        items = dict(zip(term.keys, [self._made[item] for item in term.items], strict=True))
        found = diagrams.reachable([index])
        lowest = max((diagrams.level[node] for node in found if not diagrams.is_leaf(node)), default=-1)
        leaves = [node for node in found if diagrams.is_leaf(node)]
        chosen = {leaf: items.get(diagrams.value(leaf), diagrams.leaf(UNDEFINED)) for leaf in leaves}
        if all(diagrams.level[node] > lowest for node in chosen.values()):
            return diagrams.graft(index, chosen)
        result = diagrams.leaf(UNDEFINED)
        for leaf in sorted(leaves, key=lambda leaf: diagrams.level[chosen[leaf]], reverse=True):
            value = diagrams.value(leaf)
            same = self._unary_operation(("same", type(value), value), _equal_to(value))
            result = diagrams.ite(diagrams.map(same, index), chosen[leaf], result)
        return result

    def _gathered(self, operation: Operation, args: list[int]) -> int:
        """An operation on three or more arguments: they are collected into tuples, which it is then mapped over."""
        rows = self.diagrams.map(self._unary_operation("row", lambda value: (value,)), args[0])
        for arg in args[1:]:
            rows = self.diagrams.apply(self._append, rows, arg)
        return self.diagrams.map(self._unary_operation(("on rows", operation), lambda row: operation(*row)), rows)

    def _unary_operation(self, key: Any, function: Any) -> UnaryOperation:
        found = self._unary.get(key)
        if found is None:
            found = self._unary[key] = UnaryOperation(function)
        return found

    def _operation(self, operation: Operation) -> BinaryOperation:
        found = self._binary.get(operation)
        if found is None:
            absorbing, neutral = _UNITS.get(operation.name, (None, None))
            found = self._binary[operation] = BinaryOperation(operation, absorbing, neutral)
        return found


def inner_sums(order: Sequence[Term], keep: set[Term]) -> set[Term]:
    """The sums that are used once only, as a part of another sum; they need no diagram of their own."""
    uses: dict[Term, int] = {}
    user: dict[Term, Term] = {}
    for term in order:
        for child in children(term):
            uses[child] = uses.get(child, 0) + 1
            user[child] = term
    return {term for term in order if is_sum(term) and uses.get(term) == 1 and is_sum(user[term]) and term not in keep}


def flat_sum(term: Apply, inner: set[Term]) -> list[tuple[int, Term]]:
    """The parts of a sum with their signs, those of inner sums included."""
    parts: list[tuple[int, Term]] = []
    stack = _signed(1, term)
    while stack:
        sign, part = stack.pop()
        if part in inner:
            stack += _signed(sign, part)
        else:
            parts.append((sign, part))
    return parts


def _signed(sign: int, term: Term) -> list[tuple[int, Term]]:
    assert isinstance(term, Apply)
    if term.operation.name == "add":
        return [(sign, arg) for arg in term.args]
    if term.operation.name == "neg":
        return [(-sign, term.args[0])]
    return [(sign, term.args[0]), (-sign, term.args[1])]


def is_sum(term: Term) -> bool:
    """Whether a term adds or subtracts numbers, in any order; texts are added in the order written."""
    return (
        isinstance(term, Apply)
        and term.operation.name in ("add", "sub", "neg")
        and all(is_numeric(arg.values) for arg in term.args)
    )


def _equal_to(value: Any) -> Any:
    return lambda other: other is not UNDEFINED and other == value


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def _negative(value: Any) -> Any:
    return value if value is UNDEFINED else -value


_UNITS = {"and": (False, True), "or": (True, False)}
_FOLDED = {"and", "or", "min", "max"}
