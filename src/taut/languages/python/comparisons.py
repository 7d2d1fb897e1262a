"""Comparisons of all values: equality and order item by item, identity, and membership."""

from __future__ import annotations

import ast
import enum
import functools
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import refused_value, require_parts
from taut.languages.python.floats import Float
from taut.languages.python.values import (
    Alternatives,
    Box,
    Code,
    Deque,
    DictBox,
    DictView,
    Followed,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    RecordValue,
    SetBox,
    Symbolic,
    Thinned,
    Uniform,
    is_scalar,
    is_scalar_or_random,
    kind_of,
)
from taut.program import Term, operation
from taut.support.errors import UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["COMPARISONS", "Comparisons"]

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_FUNCTIONS = (Code, Method, Partial, Followed)


class Comparisons:
    """Comparisons in the current world; a comparison that fails must be impossible."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.operators = reader.operators
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def equal(self, a: Any, b: Any) -> Term:
        """Return the condition a == b."""
        return self.operators.truth(self.compare("eq", a, b))

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """Return a == b, a < b, ... as a Boolean value."""
        require_parts(a, b)
        return self._compared(name, a, b)

    def _compared(self, name: str, a: Any, b: Any) -> Any:
        a, b = self.worlds.erased(a), self.worlds.erased(b)
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self._compared(name, option, b))
        if isinstance(b, Alternatives):
            return self.worlds.each(b, lambda option: self._compared(name, a, option))
        if is_scalar_or_random(a) and is_scalar_or_random(b):
            if not self.worlds.fractions and (isinstance(a, Float) or isinstance(b, Float)):
                self.worlds.fractions = True
            return self.operators.apply(self.operators.scalar_operation(name), a, b)
        if isinstance(a, Uniform) or isinstance(b, Uniform):
            return self.reader.kept.compare(name, a, b)
        if name in ("eq", "ne"):
            equal = self._equal(a, b)
            return equal if name == "eq" else self.operators.negated(equal)
        ordered = self._ordered_fields(a, b)
        if ordered is not None:
            return self._lexicographic(name, *ordered)
        if (isinstance(a, ListBox) and type(a) is type(b)) or (isinstance(a, tuple) and isinstance(b, tuple)):
            per_length = self.reader.sequences.per_length
            return per_length(a, lambda p: per_length(b, lambda q: self._lexicographic(name, p, q)))
        if isinstance(a, (SetBox, DictView)) and isinstance(b, (SetBox, DictView)):
            return self._inclusion(name, self.reader.sets.as_set(a), self.reader.sets.as_set(b))
        if isinstance(a, (Box, Symbolic, tuple, RecordValue)) or isinstance(b, (Box, Symbolic, tuple, RecordValue)):
            return self.operators.no_operator(name, a, b)
        return self.reader.foreign.call(operation(name).function, [a, b], {})

    def _inclusion(self, name: str, a: SetBox, b: SetBox) -> Any:
        if name in ("gt", "ge"):
            a, b = b, a
        inside = self.reader.sets.subset(a, b)
        if name in ("lt", "gt"):
            inside = self.terms.all(inside, self.terms.negate(self.reader.sets.subset(b, a)))
        return self.worlds.wrap(inside)

    def _equal(self, a: Any, b: Any) -> Any:
        if a is b and isinstance(a, Box):
            return True
        if isinstance(a, tuple) and isinstance(b, tuple):
            return self._rows_equal(a, b)
        if isinstance(a, ListBox) and isinstance(b, ListBox):
            if isinstance(a, Deque) != isinstance(b, Deque):
                return False
            per_length = self.reader.sequences.per_length
            return per_length(a, lambda p: per_length(b, lambda q: self._rows_equal(p, q)))
        if isinstance(a, (SetBox, DictView)) and isinstance(b, (SetBox, DictView)):
            if any(isinstance(v, DictView) and v.part == "values" for v in (a, b)):
                return a is b
            return self.worlds.wrap(self.reader.sets.equal(self.reader.sets.as_set(a), self.reader.sets.as_set(b)))
        if isinstance(a, DictBox) and isinstance(b, DictBox):
            return self._dictionaries_equal(a, b)
        if isinstance(a, RecordValue) and isinstance(b, RecordValue):
            return self._rows_equal(a.values, b.values) if a.python is b.python else False
        if isinstance(a, RecordValue) or isinstance(b, RecordValue):
            return self._record_equal(a, b)
        if isinstance(a, (Box, Symbolic, tuple, DictView)) or isinstance(b, (Box, Symbolic, tuple, DictView)):
            return False
        if isinstance(a, _FUNCTIONS) or isinstance(b, _FUNCTIONS):
            return self._functions_equal(a, b)
        if callable(a) or callable(b) or isinstance(a, range) or isinstance(b, range):
            return bool(a is b or a == b)
        return bool(self.reader.foreign.call(operator.eq, [a, b], {}))

    def _functions_equal(self, a: Any, b: Any) -> bool:
        if isinstance(a, Code) or isinstance(b, Code) or is_scalar(a) or is_scalar(b):
            return a is b
        raise UnsupportedValue(
            "'==' of methods and partial functions is not followed; compare the objects that they belong to."
        )

    def _ordered_fields(self, a: Any, b: Any) -> tuple[list[Any], list[Any]] | None:
        """Return the fields of two instances of one dataclass with ``order=True``, which compares them as tuples."""
        record = a if isinstance(a, RecordValue) else b
        if not isinstance(record, RecordValue) or not record.python.__dataclass_params__.order:  # type: ignore[attr-defined]
            return None
        if any((side.python if isinstance(side, RecordValue) else type(side)) is not record.python for side in (a, b)):
            return None
        rows = [
            [*side.values] if isinstance(side, RecordValue) else [getattr(side, name) for name in record.names]
            for side in (a, b)
        ]
        return rows[0], rows[1]

    def _record_equal(self, a: Any, b: Any) -> Any:
        record, other = (a, b) if isinstance(a, RecordValue) else (b, a)
        if type(other) is not record.python:
            return False
        return self._rows_equal(record.values, [getattr(other, name) for name in record.names])

    def _dictionaries_equal(self, a: DictBox, b: DictBox) -> Any:
        if {a.python, b.python} != {dict} and a.python is b.python and a.python is not dict:
            raise UnsupportedValue(f"'==' of two of {a.python.__name__} is not followed; compare dict(...) of them.")
        parts = []
        for key in dict.fromkeys([*a.content, *b.content]):
            p, q = a.content.get(key), b.content.get(key)
            if p is None or q is None:
                parts.append(self.terms.negate((q if p is None else p).present))
                continue
            both = self.terms.all(p.present, q.present)
            neither = self.terms.all(self.terms.negate(p.present), self.terms.negate(q.present))
            parts.append(self.terms.any(neither, self.terms.all(both, self.equal(p.value, q.value))))
        return self.worlds.wrap(self.terms.all(*parts))

    def _rows_equal(self, a: Sequence[Any], b: Sequence[Any]) -> Any:
        if len(a) != len(b):
            return False
        return self.worlds.wrap(
            self.terms.all(*[self.operators.truth(self._compared("eq", p, q)) for p, q in zip(a, b, strict=True)])
        )

    def _lexicographic(self, name: str, a: Sequence[Any], b: Sequence[Any], place: int = 0) -> Any:
        """Compare sequences lexicographically; items after the first difference are not compared."""
        rest: list[tuple[Term, int]] = []
        result: Any = getattr(operator, name)(len(a), len(b))
        for spot in range(min(len(a), len(b))):
            same = self.operators.truth(self._compared("eq", a[spot], b[spot]))
            rest.append((same, spot))
            if same is self.terms.false:
                result = None
                break
        for same, spot in reversed(rest):
            if same is self.terms.true:
                continue
            before = self.terms.all(*[test for test, earlier in rest if earlier < spot])
            differ = self.terms.all(before, self.terms.negate(same))
            found, _ = self.worlds.explore(differ, functools.partial(self._compared, name, a[spot], b[spot]))
            if not isinstance(found, (bool, Symbolic)):
                found = False  # the comparison is impossible here, so what it gives does not matter
            result = found if result is None else self.worlds.merge(same, result, found)
        return result

    def identical(self, a: Any, b: Any) -> Any:
        """Return ``a is b`` where all Pythons agree; for scalars, equality of type and value."""
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self.identical(option, b))
        if isinstance(b, Alternatives):
            return self.worlds.each(b, lambda option: self.identical(a, option))
        for one, other in ((a, b), (b, a)):
            if self.reader.of_numpy and isinstance(one, bool) and isinstance(other, Symbolic):
                return self._no_identity(a, b)
            if one is None or isinstance(one, (bool, type(...))):
                return self.operators.apply(operation("same"), one, other) if is_scalar_or_random(other) else False
        if _single(a) and _single(b):
            return self.operators.apply(operation("same"), a, b)
        if isinstance(a, (Symbolic, int)) and isinstance(b, (Symbolic, int)):
            if all(self._small(value) for value in (a, b)):
                return self.operators.apply(operation("same"), a, b)
            return self._no_identity(a, b)
        for kind in (str, bytes, Float, Fraction, tuple, range, Symbolic, RecordValue):
            if isinstance(a, kind) or isinstance(b, kind):
                if is_scalar_or_random(a) != is_scalar_or_random(b) or isinstance(a, Box) or isinstance(b, Box):
                    return False
                return self._no_identity(a, b)
        if isinstance(a, DictView) or isinstance(b, DictView):
            return self._no_identity(a, b)
        return a is b

    def _small(self, value: Any) -> bool:
        """Return True if a value is an integer that CPython interns (-5 to 256)."""
        if isinstance(value, Symbolic):
            values = value.term.values
            return isinstance(values, frozenset) and all(isinstance(v, int) and -5 <= v <= 256 for v in values)
        return -5 <= int(value) <= 256

    def _no_identity(self, a: Any, b: Any) -> Any:
        raise refused_value(
            f"'is' between {kind_of(a)} and {kind_of(b)} depends on how Python stores them; write '=='."
        )

    def contains(self, container: Any, value: Any) -> Any:
        """Return ``value in container``."""
        if isinstance(container, Alternatives):
            return self.worlds.each(container, lambda option: self.contains(option, value))
        if isinstance(container, DictBox):
            return self.worlds.wrap(self.reader.dicts.contains(container, value))
        if isinstance(container, SetBox):
            return self.worlds.wrap(self.reader.sets.contains(container, value))
        if isinstance(container, DictView):
            if container.part == "keys":
                return self.contains(container.box, value)
            return self.contains(self.reader.loops.collected(container), value)
        if isinstance(container, range):
            return self._in_range(container, value)
        if isinstance(container, ListBox) and isinstance(container.content, Thinned):
            parts = container.content.parts
            tests = [self.terms.all(guard, self.equal(item, value)) for guard, item in parts]
            return self.worlds.wrap(self.terms.any(*tests))
        if isinstance(container, (ListBox, tuple)):
            return self.reader.sequences.per_length(container, lambda items: self._has_item(items, value))
        if isinstance(container, IteratorBox):
            found = self.reader.loops.first_that(container, lambda item: self.equal(item, value), "what 'in' looks at")
            return self.worlds.wrap(found)
        if isinstance(container, (Symbolic, str, bytes)):
            if isinstance(value, Alternatives):
                return self.worlds.each(value, lambda option: self.contains(container, option))
            if not is_scalar_or_random(value):
                return self.operators.no_operator("in", value, container)
            return self.operators.pointwise(operator.contains, container, value)
        return self.reader.foreign.call(operator.contains, [container, value], {})

    def _in_range(self, container: range, value: Any) -> Any:
        if isinstance(value, Alternatives):
            return self.worlds.each(value, lambda option: self._in_range(container, option))
        if isinstance(value, Symbolic):
            if len(container) <= 4096:
                return self.contains(tuple(container), value)
            known = [v for v in self.reader.draws.possible_values(value.term) if v in container]
            return self.contains(tuple(known), value)
        return value in container if is_scalar(value) else False

    def _has_item(self, items: Sequence[Any], value: Any) -> Any:
        return self.worlds.wrap(self.terms.any(*[self.equal(item, value) for item in items]))


def _single(value: Any) -> bool:
    """Return True if a value is surely a singleton: a member of an Enum, None, or a Boolean."""
    if isinstance(value, Symbolic):
        values = value.term.values
        return isinstance(values, frozenset) and all(isinstance(v, (enum.Enum, type(None))) for v in values)
    return isinstance(value, (enum.Enum, type(None), bool))
