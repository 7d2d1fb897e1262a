"""Terms to diagrams: each term once, arguments first, sums from the last variable upwards."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from taut.diagrams import BinaryOperation, Diagrams, UnaryOperation, sum_compared
from taut.diagrams.compile.decisions import Decisions, decision_trees, looked_up
from taut.diagrams.compile.linear import are_integers, inner_terms, is_comparison, is_linear, linear_parts, opened
from taut.program import UNDEFINED, Apply, Coin, Const, Input, Ite, Operation, Select, Term, operation
from taut.program.program import children, reachable
from taut.program.values import may_be_undecided

__all__ = ["Compiler"]


class Compiler(ABC):
    """Compiler of any term that is not a tuple; subclasses place the variables."""

    def __init__(self, diagrams: Diagrams) -> None:
        self.diagrams = diagrams
        self._made: dict[Term, int] = {}
        self._binary: dict[Operation, BinaryOperation] = {}
        self._unary: dict[Any, UnaryOperation] = {}
        self._sums: BinaryOperation | None = None
        self._append = BinaryOperation(lambda row, value: (*row, value))

    @abstractmethod
    def variable(self, term: Input | Coin) -> int:
        """Return the diagram of an input or a coin."""

    def compile(self, roots: Sequence[Term]) -> list[int]:
        """Return the diagrams of the roots."""
        order = reachable([root for root in roots if root not in self._made])
        trees, inside = decision_trees(order, keep=set(roots))
        inner = inner_terms(order, keep={*roots, *[decider for tree in trees.values() for decider in tree.deciders]})
        for term in order:
            if term not in self._made and term not in inner and term not in inside:
                tree = trees.get(term)
                self._made[term] = self._diagram(term, inner) if tree is None else self._decided(tree, inner)
        return [self._made[root] for root in roots]

    def _decided(self, tree: Decisions, inner: set[Term]) -> int:
        """Compile a tree of if-then-else as one table if possible, else condition by condition."""
        deciders = [self._made[decider] for decider in tree.deciders]
        found = looked_up(self.diagrams, tree, deciders, [self._made[row] for row in tree.rows])
        if found is not None:
            return found
        for part in reversed(tree.inner):
            if part.test not in self._made:
                self._made[part.test] = self._diagram(part.test, inner)
            self._made[part] = self._diagram(part, inner)
        return self._made[tree.inner[0]]

    def compile_given(self, roots: Sequence[Term], given: Mapping[Term, int], inner: set[Term]) -> dict[Term, int]:
        """Compile the roots and their parts; some terms have given diagrams.

        Branches that the given diagrams rule out are skipped: of an if-then-else whose test is a leaf, only one side is
        made.
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
        """Return the one possible branch of an if-then-else or a selection whose condition is known."""
        if not self.diagrams.is_leaf(decided):
            return None
        value = self.diagrams.value(decided)
        if isinstance(term, Ite):
            return (term.then if value else term.other) if isinstance(value, int) else term.test
        assert isinstance(term, Select)
        return next((item for key, item in zip(term.keys, term.items, strict=True) if key == value), None)

    @staticmethod
    def _arguments(term: Term, inner: set[Term]) -> Sequence[Term]:
        """Return the terms that have to be compiled before ``term``; inner terms are replaced by their parts."""
        found: list[Term] = []
        stack = list(reversed(children(term)))
        while stack:
            part = stack.pop()
            if part in inner:
                stack += reversed(children(part))
            else:
                found.append(part)
        return found

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
        if is_linear(term):
            return self._sum(linear_parts(term, inner))
        if is_comparison(term) and any(arg in inner for arg in term.args):
            return self._compared(term, inner)
        if term.operation.name in _FOLDED and not any(may_be_undecided(arg.values) for arg in term.args):
            parts = [self._made[part] for part in term.args]
            return self._fold(self._operation(term.operation), parts, ordered=term.operation.name in ("min", "max"))
        args = [self._made[arg] for arg in term.args]
        if len(args) == 1:
            return diagrams.map(self._unary_operation(term.operation, term.operation), args[0])
        if len(args) == 2:
            return diagrams.apply(self._operation(term.operation), args[0], args[1])
        return self._gathered(term.operation, args)

    def _sum(self, parts: Sequence[tuple[int, Term]]) -> int:
        """Return the diagram of a sum of parts times their factors."""
        self._sums = self._sums or BinaryOperation(operation("add"), neutral=0)
        return self._fold(self._sums, [self._multiplied(factor, part) for factor, part in parts])

    def _multiplied(self, factor: int, part: Term) -> int:
        """Return a part times its factor, with Booleans as integers (0 + True is 1)."""
        known = self._unary.get(("times", factor))
        if known is None:
            function = _integer if factor == 1 else _negative if factor == -1 else _multiple(factor)
            known = self._unary_operation(("times", factor), function)
        return self.diagrams.map(known, self._made[part])

    def _compared(self, term: Apply, inner: set[Term]) -> int:
        """Return a comparison of terms that are used here only, decided by their parts if these are plain integers."""
        name, (left, right) = term.operation.name, term.args
        if right in inner and not is_linear(right):
            name, left, right = _MIRRORED[name], right, left
        found: int | None
        if left not in inner or is_linear(left):
            found = self._sum_compared(name, [*opened(left, inner), *opened(right, inner, -1)])
        elif isinstance(left, Apply) and left.operation.name == "abs":
            found = self._distance_compared(name, left.args[0], right, inner)
        else:
            found = self._extreme_compared(name, left, right, inner)
        if found is None:
            sides = [self._value(arg, inner) for arg in term.args]
            found = self.diagrams.apply(self._operation(term.operation), *sides)
        return found

    def _value(self, term: Term, inner: set[Term]) -> int:
        """Return the diagram of a term, also of an inner one."""
        return self._value_of_inner(term, inner) if term in inner else self._made[term]

    def _value_of_inner(self, term: Term, inner: set[Term]) -> int:
        assert isinstance(term, Apply)
        if is_linear(term):
            return self._sum(linear_parts(term, inner))
        known, args = self._operation(term.operation), [self._value(arg, inner) for arg in term.args]
        if term.operation.name == "abs":
            return self.diagrams.map(self._unary_operation(term.operation, term.operation), args[0])
        return self._fold(known, args, ordered=True)

    def _sum_compared(self, name: str, parts: Sequence[tuple[int, Term]]) -> int | None:
        """Compare a sum with 0; None if its parts are not integers, or their variables overlap."""
        if not all(are_integers(part.values) for _, part in parts):
            return None
        diagrams, number, roots = self.diagrams, 0, []
        factors: dict[Term, int] = {}
        for factor, part in parts:
            factors[part] = factors.get(part, 0) + factor
        for part, factor in factors.items():
            root = self._multiplied(factor, part)
            if diagrams.is_leaf(root) and type(diagrams.value(root)) is int:
                number -= diagrams.value(root)
            else:
                roots.append(root)
        roots.sort(key=diagrams.level.__getitem__)
        lowest = -1
        for root in roots:
            top, (bottom, values) = diagrams.level[root], diagrams.span(root)
            if top <= lowest or diagrams.is_leaf(root) or any(type(value) is not int for value in values):
                return None
            lowest = bottom
        if not roots:
            return diagrams.leaf(_COMPARISONS[operation(name)](0, number))
        equal, negated, more = _AS_BELOW[name]
        return sum_compared(diagrams, roots, number + more, equal=equal, negated=negated)

    def _distance_compared(self, name: str, term: Term, other: Term, inner: set[Term]) -> int | None:
        """Compare a distance with a number: |t| is above it if t or -t is, below it if both are."""
        parts, number = opened(term, inner), opened(other, inner, -1)
        above = self._sum_compared(name, [*parts, *number])
        below = self._sum_compared(name, [*[(-factor, part) for factor, part in parts], *number])
        if above is None or below is None:
            return None
        folded = "and" if name in ("lt", "le", "ne") else "or"
        return self._fold(self._operation(operation(folded)), [above, below])

    def _extreme_compared(self, name: str, extreme: Term, other: Term, inner: set[Term]) -> int | None:
        """Compare a maximum or minimum with a number: the maximum is above it if one part is, below it if all are.

        None if the number's variables are not all above those of the parts; then each value has its node anyway.
        """
        assert isinstance(extreme, Apply)
        *sides, known = [self._value(term, inner) for term in (*extreme.args, other)]
        lowest, numbers = self.diagrams.span(known)
        numbers = [*numbers, *[value for side in sides for value in self.diagrams.span(side)[1]]]
        if any(self.diagrams.level[side] <= lowest for side in sides) or any(type(n) is not int for n in numbers):
            return None
        folded = "or" if (extreme.operation.name == "max") == (name in ("gt", "ge")) else "and"
        compare = self._operation(operation(name))
        parts = [self.diagrams.apply(compare, side, known) for side in sides]
        return self._fold(self._operation(operation(folded)), parts)

    def _fold(self, known: BinaryOperation, parts: list[int], *, ordered: bool = False) -> int:
        """Fold an associative operation, beginning with the part whose variables come last.

        ``ordered`` begins with the last part instead, because min and max return the first of equal values such as 0
        and False.
        """
        if not ordered:
            parts.sort(key=self.diagrams.level.__getitem__)
        total = parts.pop()
        for part in reversed(parts):
            total = self.diagrams.apply(known, part, total)
        return total

    def _select(self, term: Select) -> int:
        """Graft the items onto the index if they lie below it; else test key by key."""
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
        """Apply an operation to three or more arguments by mapping it over tuples of their values."""
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
            quick = _COMPARISONS.get(operation)
            found = self._binary[operation] = BinaryOperation(operation, absorbing, neutral, quick)
        return found


def _equal_to(value: Any) -> Any:
    return lambda other: other is not UNDEFINED and other == value


def _integer(value: Any) -> Any:
    return int(value) if isinstance(value, int) else value


def _negative(value: Any) -> Any:
    return value if value is UNDEFINED else -value


def _multiple(factor: int) -> Any:
    return lambda value: value if value is UNDEFINED else factor * value


_UNITS = {"and": (False, True), "or": (True, False)}
_COMPARISONS = {operation(name): getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_AS_BELOW = {
    "lt": (False, False, 0),
    "le": (False, False, 1),
    "gt": (False, True, 1),
    "ge": (False, True, 0),
    "eq": (True, False, 0),
    "ne": (True, True, 0),
}
"""Each comparison with n as (equal, negated, shift): equality with n, or being below n + shift, perhaps negated."""
_FOLDED = {"and", "or", "min", "max"}
