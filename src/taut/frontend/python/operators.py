"""Python's operators on all values: scalars become terms, containers are compared and joined item by item."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from taut.frontend.python.draws import Draws
from taut.frontend.python.values import (
    UNBOUND,
    Alternatives,
    Box,
    DictBox,
    ListBox,
    SetBox,
    Symbolic,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import failure_like
from taut.ir import Operation, Term, operation

__all__ = ["BINARY", "COMPARISONS", "UNARY", "Operators"]

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
    ast.BitAnd: "bitand",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_SETS: dict[str, Callable[[Any, Any], Any]] = {
    "bitor": operator.or_,
    "bitand": operator.and_,
    "sub": operator.sub,
    "bitxor": operator.xor,
}


class Operators(Draws):
    """Operators in the current world; what fails there must be impossible."""

    def truth(self, value: Any) -> Term:
        """The condition that a value counts as true."""
        if isinstance(value, Symbolic):
            return self.terms.truth(value.term)
        if isinstance(value, Alternatives):
            found = self.each(value, lambda option: self.wrap(self.truth(self.bound(option))))
            return self.term(found)
        if isinstance(value, (ListBox, DictBox, SetBox)):
            size = self.length(value)
            return self.truth(size) if isinstance(size, Symbolic) else self.terms.const(bool(size))
        return self.terms.const(bool(value))

    def apply_operation(self, known: Operation, *values: Any) -> Any:
        """An operation on scalars; where it may fail, that must be impossible."""
        if not any(isinstance(value, Symbolic) for value in values):
            try:
                return known.function(*values)
            except Exception as problem:
                return self.fail(failure_like(problem))
        term = self.terms.apply(known, *[self.term(value) for value in values])
        if term.failure is not None:
            message = f"'{symbol_of(known.name)}' fails for some values that are possible here: {term.failure}."
            undefined = self.terms.negate(self.terms.apply("defined", term))
            kind = ZeroDivisionError if "by zero" in term.failure else TypeError
            self.must_not(undefined, failure_like(kind(), message))
        return self.wrap(term)

    def unary(self, name: str, value: Any) -> Any:
        if isinstance(value, Alternatives):
            return self.each(value, lambda option: self.unary(name, self.bound(option)))
        if name == "invert" and self._may_be_boolean(value):
            return self.fail(failure_like(TypeError(), "'~' on a Boolean gives -1 or -2 in Python; write 'not'."))
        if isinstance(value, (Box, tuple)):
            return self.fail(failure_like(TypeError(), f"bad operand for '{symbol_of(name)}': {kind_of(value)}."))
        return self.apply_operation(operation(name), value)

    def _may_be_boolean(self, value: Any) -> bool:
        if isinstance(value, Symbolic):
            values = value.term.values
            return isinstance(values, frozenset) and any(isinstance(choice, bool) for choice in values)
        return isinstance(value, bool)

    def binary(self, name: str, a: Any, b: Any) -> Any:
        if isinstance(a, Alternatives):
            return self.each(a, lambda option: self.binary(name, self.bound(option), b), fresh=True)
        if isinstance(b, Alternatives):
            return self.each(b, lambda option: self.binary(name, a, self.bound(option)), fresh=True)
        if _scalar(a) and _scalar(b):
            return self.apply_operation(operation(name), a, b)
        if isinstance(a, (ListBox, list, tuple)) or isinstance(b, (ListBox, list, tuple)):
            return self._joined(name, a, b)
        if isinstance(a, SetBox) and isinstance(b, SetBox) and name in _SETS:
            return SetBox(dict.fromkeys(_SETS[name](set(self.elements(a)), set(self.elements(b))), True), self.world)
        if isinstance(a, DictBox) and isinstance(b, DictBox) and name == "bitor":
            return DictBox({**a.content, **b.content}, self.world)
        if isinstance(a, (Box, Symbolic)) or isinstance(b, (Box, Symbolic)):
            return self._no_operator(name, a, b)
        try:
            return self.import_value(operation(name).function(a, b))
        except Exception as problem:
            return self.fail(failure_like(problem))

    def _joined(self, name: str, a: Any, b: Any) -> Any:
        """Lists and tuples put together or repeated."""
        if name == "add":
            if isinstance(a, tuple) and isinstance(b, tuple):
                return a + b
            if isinstance(a, (ListBox, list)) and isinstance(b, (ListBox, list)):
                return self._concatenated(a, b)
        if name == "mul":
            times, row = (a, b) if isinstance(b, (ListBox, list, tuple)) else (b, a)
            if isinstance(times, Symbolic):
                return self.spread([times], lambda known: self._joined(name, row, known))
            if isinstance(times, int):
                if isinstance(row, tuple):
                    return row * times
                return self.mapped(row, lambda items: items * times)
        return self._no_operator(name, a, b)

    def _concatenated(self, a: Any, b: Any) -> Any:
        rows = self.rows(b)
        if len(rows) == 1:
            return self.mapped(a, lambda items: items + rows[0][1])
        parts = [(self.terms.all(p, q), [*first, *second]) for p, first in self.rows(a) for q, second in rows]
        merged: dict[int, tuple[Term, list[Any]]] = {}
        for guard, items in parts:
            if guard is self.terms.false:
                continue
            known = merged.get(len(items))
            if known is None:
                merged[len(items)] = (guard, items)
            else:
                joined = [self.merge(guard, new, old) for new, old in zip(items, known[1], strict=True)]
                merged[len(items)] = (self.terms.any(known[0], guard), joined)
        return ListBox(self.cases(merged.values()), self.world)

    def _no_operator(self, name: str, a: Any, b: Any) -> Any:
        message = f"unsupported operands for '{symbol_of(name)}': {kind_of(a)} and {kind_of(b)}."
        return self.fail(failure_like(TypeError(), message))

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """a == b, a < b, ... as a Boolean value."""
        if isinstance(a, Alternatives):
            return self.each(a, lambda option: self.compare(name, self.bound(option), b))
        if isinstance(b, Alternatives):
            return self.each(b, lambda option: self.compare(name, a, self.bound(option)))
        if _scalar(a) and _scalar(b):
            return self.apply_operation(operation(name), a, b)
        if name in ("eq", "ne"):
            equal = self._equal(a, b)
            return equal if name == "eq" else self.negated(equal)
        if (isinstance(a, (ListBox, list)) and isinstance(b, (ListBox, list))) or (
            isinstance(a, tuple) and isinstance(b, tuple)
        ):
            return self._lexicographic(name, self.items(a), self.items(b))
        if isinstance(a, SetBox) and isinstance(b, SetBox):
            return bool(getattr(operator, name)(set(self.elements(a)), set(self.elements(b))))
        if isinstance(a, (Box, Symbolic, tuple)) or isinstance(b, (Box, Symbolic, tuple)):
            return self._no_operator(name, a, b)
        try:
            return operation(name).function(a, b)
        except Exception as problem:
            return self.fail(failure_like(problem))

    def _equal(self, a: Any, b: Any) -> Any:
        if a is b:
            return True
        if isinstance(a, tuple) and isinstance(b, tuple):
            return self._rows_equal(a, b)
        if isinstance(a, (ListBox, list)) and isinstance(b, (ListBox, list)):
            return self.per_length(a, lambda p: self.per_length(b, lambda q: self._rows_equal(p, q)))
        if isinstance(a, SetBox) and isinstance(b, SetBox):
            return set(self.elements(a)) == set(self.elements(b))
        if isinstance(a, DictBox) and isinstance(b, DictBox):
            if self.keys(a) != self.keys(b) and set(self.keys(a)) != set(self.keys(b)):
                return False
            keys = self.keys(a)
            return self._rows_equal([a.content[key] for key in keys], [b.content[key] for key in keys])
        if isinstance(a, (Box, Symbolic, tuple)) or isinstance(b, (Box, Symbolic, tuple)):
            return False
        return bool(a == b)

    def _rows_equal(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        if len(a) != len(b):
            return False
        parts = [self.truth(self.compare("eq", p, q)) for p, q in zip(a, b, strict=True)]
        return self.wrap(self.terms.all(*parts))

    def _lexicographic(self, name: str, a: Sequence[Any], b: Sequence[Any]) -> Any:
        """a < b for sequences: decided at the first place where they differ."""
        result: Any = getattr(operator, name)(len(a), len(b))
        for p, q in reversed(list(zip(a, b, strict=False))):
            here = self.compare(name, p, q)
            result = self.merge(self.truth(self.compare("eq", p, q)), result, here)
        return result

    def negated(self, value: Any) -> Any:
        return self.wrap(self.terms.negate(self.truth(value)))

    def identical(self, a: Any, b: Any) -> Any:
        """a is b; for scalars the same type and value."""
        if isinstance(a, Alternatives):
            return self.each(a, lambda option: self.identical(self.bound(option), b))
        if isinstance(b, Alternatives):
            return self.each(b, lambda option: self.identical(a, self.bound(option)))
        if isinstance(a, Symbolic) or isinstance(b, Symbolic):
            if _scalar(a) and _scalar(b):
                return self.apply_operation(operation("same"), a, b)
            return False
        return a is b or (is_scalar(a) and is_scalar(b) and type(a) is type(b) and a == b)

    def contains(self, container: Any, value: Any) -> Any:
        """value in container"""
        if isinstance(container, Alternatives):
            return self.each(container, lambda option: self.contains(self.bound(option), value))
        if isinstance(container, (DictBox, SetBox)):
            return self._has_key(container.content, value)
        if isinstance(container, (dict, set, frozenset)):
            return self._has_key(dict.fromkeys(container, True), value)
        if isinstance(container, range) and isinstance(value, Symbolic):
            return self.contains(tuple(container), value)
        if isinstance(container, (ListBox, tuple, list)):
            return self.per_length(container, lambda items: self._has_item(items, value))
        if isinstance(container, Symbolic) or (isinstance(container, str) and isinstance(value, Symbolic)):
            return self.pointwise(operator.contains, container, value)
        try:
            return value in container
        except Exception as problem:
            return self.fail(failure_like(problem))

    def _has_item(self, items: Sequence[Any], value: Any) -> Any:
        return self.wrap(self.terms.any(*[self.truth(self.compare("eq", item, value)) for item in items]))

    def _has_key(self, content: dict[Any, Any], key: Any) -> Any:
        if isinstance(key, (Symbolic, Alternatives)):
            tests = [
                self.terms.all(self.is_bound(value), self.truth(self.compare("eq", key, known)))
                for known, value in content.items()
            ]
            return self.wrap(self.terms.any(*tests))
        return self.wrap(self.is_bound(content.get(self.plain_key(key), UNBOUND)))

    def add_up(self, values: Sequence[Any], start: Any = 0) -> Any:
        """The sum of numbers, one term however many there are."""
        random = [value for value in values if isinstance(value, Symbolic)]
        if len(random) < 2 or not all(_scalar(value) for value in values):
            total = start
            for value in values:
                total = self.binary("add", total, value)
            return total
        ordinary = start
        for value in values:
            if not isinstance(value, Symbolic):
                ordinary = self.binary("add", ordinary, value)
        base = [] if type(ordinary) is int and ordinary == 0 else [ordinary]
        return self.apply_operation(operation("add"), *base, *random)


def symbol_of(name: str) -> str:
    """An operation as it is written."""
    return _SYMBOLS.get(name, name)


_SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "bitor": "|",
    "bitxor": "^",
    "bitand": "&",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "neg": "-",
    "pos": "+",
    "invert": "~",
}


def _scalar(value: Any) -> bool:
    return isinstance(value, Symbolic) or is_scalar(value)
