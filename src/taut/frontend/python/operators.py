"""Python's operators on all values: scalars become terms, containers are compared and joined item by item."""

from __future__ import annotations

import ast
import collections
import enum
import functools
import operator
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.algebra.expression import Undecided
from taut.errors import RoundedFloat, TooLarge, UnsupportedValue
from taut.frontend.python.float_operations import (
    compared,
    constant_power,
    divided,
    exactly_divided,
    exactly_powered,
    powered,
)
from taut.frontend.python.floats import Float, RoundingDecides
from taut.frontend.python.kinds import has_fractions
from taut.frontend.python.places import whole_number
from taut.frontend.python.sizes import require_parts
from taut.frontend.python.values import (
    Alternatives,
    Box,
    Code,
    Deque,
    DictBox,
    Followed,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    Record,
    SetBox,
    Symbolic,
    View,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import failure_like
from taut.ir import Operation, Term, operation, pointwise
from taut.ir.sizes import require_items
from taut.ir.values import Anything

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

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
_SETS = {"bitor", "bitand", "sub", "bitxor"}
_BITWISE = {"bitor", "bitand", "bitxor"}
"""Operations that give Booleans of Booleans, and integers of integers."""
_SEQUENCES = (ListBox, tuple)
_FUNCTIONS = (Code, Method, Partial, Followed)
_COUNTER = collections.Counter


class Operators:
    """Operators in the current world; what fails there must be impossible."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    # -- scalars -------------------------------------------------------------------------------------------------

    def truth(self, value: Any) -> Term:
        """The condition that a value counts as true."""
        value = self.worlds.erased(value)
        if isinstance(value, Symbolic):
            return self.terms.truth(value.term)
        if isinstance(value, Alternatives):
            found = self.worlds.each(value, lambda option: self.worlds.wrap(self.truth(option)))
            return self.worlds.term(found)
        if isinstance(value, (ListBox, DictBox, SetBox, View)):
            size = self.reader.sequences.length(value)
            return self.truth(size) if isinstance(size, Symbolic) else self.terms.const(bool(size))
        if is_scalar(value) or isinstance(value, (tuple, range)):
            return self.terms.const(bool(value))
        if isinstance(value, Record):
            return self._record_truth(value)
        if isinstance(value, (Box, *_FUNCTIONS)) or callable(value):
            return self.terms.true
        return self.terms.const(bool(self.reader.foreign.call(bool, [value], {})))

    def _record_truth(self, value: Record) -> Term:
        """Return the truth of a record as its class defines it: by __bool__, else by __len__, else it is true."""
        for name in ("__bool__", "__len__"):
            if hasattr(value.python, name):
                return self.truth(self.reader.calls.call(self.reader.attributes.get(value, name), [], {}))
        return self.terms.true

    def scalar_operation(self, name: str) -> Operation:
        """The operation of a name on scalars, as Python has it, or with exact numbers only."""
        if name == "truediv":
            return exactly_divided if self.reader.exact else divided
        if name == "pow":
            return exactly_powered if self.reader.exact else powered
        return compared(name, self.worlds.fractions)

    def apply(self, known: Operation, *values: Any) -> Any:
        """An operation on scalars; where it may fail, that must be impossible."""
        if not any(isinstance(value, Symbolic) for value in values):
            try:
                return self.reader.imported_scalar(known.function(*values))
            except RoundingDecides as problem:
                return self.worlds.fail(RoundedFloat(f"{problem}."))
            except TooLarge:
                raise
            except Undecided as problem:
                return self.worlds.fail(problem)
            except Exception as problem:
                return self.worlds.fail(failure_like(problem))
        term = self.terms.apply(known, *[self.worlds.term(value) for value in values])
        if not self.worlds.fractions and self._makes_fractions(known, term):
            self.worlds.fractions = True
        if term.failure is not None:
            message = (
                f"'{symbol_of(known.name)}' fails for some values that are possible here: {term.failure.rstrip('.')}."
            )
            undefined = self.terms.negate(self.terms.apply("defined", term))
            kind = ZeroDivisionError if "by zero" in term.failure else TypeError
            rounding = "rounded floats" in term.failure
            error = RoundedFloat(f"{term.failure}.") if rounding else failure_like(kind(), message)
            self.worlds.must_not(undefined, error)
        return self.worlds.wrap(term)

    def _makes_fractions(self, known: Operation, term: Term) -> bool:
        """Whether an operation may give other numbers than integers."""
        if isinstance(term.values, Anything):
            return known in (divided, powered) or known is not _named(known)
        return has_fractions(term.values)

    def pointwise(self, function: Callable[..., Any], *values: Any) -> Any:
        """A pure function of scalars, applied value by value."""
        for value in values:
            if not isinstance(value, Symbolic) and not is_scalar(value):
                raise UnsupportedValue(
                    f"{function.__name__} of {kind_of(value)} and a random value has no meaning here."
                )
        return self.apply(pointwise(function), *values)

    def unary(self, name: str, value: Any) -> Any:
        if name != "invert":
            value = self.worlds.erased(value)
        if isinstance(value, Alternatives):
            return self.worlds.each(value, lambda option: self.unary(name, option))
        if name == "invert" and self._may_be_boolean(value):
            message = "'~' on a Boolean gives -1 or -2 in Python; write 'not'."
            return self.worlds.fail(failure_like(TypeError(), message))
        if not _scalar(value):
            if isinstance(value, (Box, tuple, Record, View)):
                message = f"bad operand for '{symbol_of(name)}': {kind_of(value)}."
                return self.worlds.fail(failure_like(TypeError(), message))
            return self.reader.foreign.call(getattr(operator, name, abs), [value], {})
        return self.apply(self.scalar_operation(name), value)

    def _may_be_boolean(self, value: Any) -> bool:
        if isinstance(value, Symbolic):
            values = value.term.values
            return isinstance(values, frozenset) and any(isinstance(choice, bool) for choice in values)
        return isinstance(value, bool)

    def binary(self, name: str, a: Any, b: Any) -> Any:
        if name not in _BITWISE:
            a, b = self.worlds.erased(a), self.worlds.erased(b)
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self.binary(name, option, b), fresh=True)
        if isinstance(b, Alternatives):
            return self.worlds.each(b, lambda option: self.binary(name, a, option), fresh=True)
        if _scalar(a) and _scalar(b):
            return self._scalars(name, a, b)
        if isinstance(a, SetBox) and isinstance(b, SetBox) and name in _SETS:
            return self.reader.sets.combined(name, a, b)
        if isinstance(a, View) or isinstance(b, View):
            first, second = (self.reader.sets.view(v) if isinstance(v, View) else v for v in (a, b))
            return self.binary(name, first, second)
        if isinstance(a, _SEQUENCES) or isinstance(b, _SEQUENCES):
            return self._joined(name, a, b)
        if isinstance(a, DictBox) and isinstance(b, DictBox):
            return self._dictionaries(name, a, b)
        if isinstance(a, (Box, Symbolic, Record)) or isinstance(b, (Box, Symbolic, Record)):
            return self._no_operator(name, a, b)
        return self.reader.foreign.call(_PLAIN.get(name, operation(name).function), [a, b], {})

    def _scalars(self, name: str, a: Any, b: Any) -> Any:
        if name == "mod" and (isinstance(a, (str, bytes)) or (isinstance(a, Symbolic) and _text(a))):
            return self.reader.text.percent(a, b)
        if name == "mul" and isinstance(a, Symbolic) != isinstance(b, Symbolic):
            text, times = (a, b) if isinstance(a, str) else (b, a)
            if isinstance(text, str) and isinstance(times, Symbolic) and has_fractions(times.term.values):
                return self._no_operator(name, a, b)
        if name == "pow" and isinstance(b, Symbolic):
            values = b.term.values
            if isinstance(values, frozenset) and any(isinstance(v, int) and v < 0 for v in values):
                known_power = self.scalar_operation(name)
                return self.reader.sequences.spread([b], lambda known: self.apply(known_power, a, known))
        if name == "pow" and not isinstance(a, Symbolic) and not isinstance(b, Symbolic):
            try:
                computed = constant_power(a, b)
            except ArithmeticError as problem:
                return self.worlds.fail(failure_like(problem))
            if computed is not None:
                return self.reader.imported_scalar(computed)
        return self.apply(self.scalar_operation(name), a, b)

    def _dictionaries(self, name: str, a: DictBox, b: DictBox) -> Any:
        if name == "bitor" and a.python is dict and b.python is dict:
            return self.reader.dicts.merged(a, b)
        return self._no_operator(name, a, b)

    def in_place(self, name: str, a: Any, b: Any) -> Any:
        """a += b and the like: what can be changed is changed, and stays the same object."""
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self.in_place(name, option, b))
        if isinstance(a, ListBox) and name == "add":
            self.reader.lists.extend(a, b)
            return a
        if isinstance(a, ListBox) and name == "mul":
            self.worlds.replace(a, self._joined(name, a, b).content)
            return a
        if isinstance(a, SetBox) and name in _SETS:
            if isinstance(b, Alternatives):
                return self.worlds.each(b, lambda option: self.in_place(name, a, option))
            if not isinstance(b, (SetBox, View)):
                return self._no_operator(name, a, b)
            return self.reader.sets.combine_in_place(name, a, self.reader.sets.as_set(b))
        if isinstance(a, DictBox) and name == "bitor" and a.python is not _COUNTER:
            self.reader.dicts.update(a, b)
            return a
        if isinstance(a, (IteratorBox, View)) or not (_scalar(a) or isinstance(a, (tuple, Box, Record))):
            return self.reader.foreign.refuse_change(a)
        return self.binary(name, a, b)

    # -- sequences -----------------------------------------------------------------------------------------------

    def _joined(self, name: str, a: Any, b: Any) -> Any:
        """Lists and tuples put together or repeated."""
        if name == "add":
            if isinstance(a, tuple) and isinstance(b, tuple):
                require_items(len(a) + len(b))
                return (*a, *b)
            if isinstance(a, ListBox) and isinstance(b, ListBox) and type(a) is type(b):
                made = self.concatenated(a, b)
                return Deque(made.content, self.worlds.world) if isinstance(a, Deque) else made
        if name == "mul":
            times, row = (a, b) if isinstance(b, _SEQUENCES) else (b, a)
            if isinstance(times, (Symbolic, Alternatives)):
                return self.reader.sequences.spread([times], lambda known: self._joined(name, row, known))
            if hasattr(times, "__index__"):
                count = whole_number(self.reader, times)
                if abs(count) > sys.maxsize:
                    return self.worlds.fail(failure_like(OverflowError("cannot fit 'int' into an index-sized integer")))
                if isinstance(row, tuple):
                    require_items(len(row) * count)
                    return tuple(row) * count
                return self.reader.sequences.mapped(row, lambda items: _repeated(items, count))
        return self._no_operator(name, a, b)

    def concatenated(self, a: Any, b: Any) -> ListBox:
        """A new list of the items of two."""
        rows = self.reader.sequences.rows(b)
        if len(rows) == 1:
            return self.reader.sequences.mapped(a, lambda items: _joined(items, rows[0][1]))
        first = self.reader.sequences.rows(a)
        parts = [(self.terms.all(p, q), _joined(items, more)) for p, items in first for q, more in rows]
        return ListBox(self.worlds.by_length(parts), self.worlds.world)

    def _no_operator(self, name: str, a: Any, b: Any) -> Any:
        message = f"unsupported operands for '{symbol_of(name)}': {kind_of(a)} and {kind_of(b)}."
        return self.worlds.fail(failure_like(TypeError(), message))

    # -- comparisons ---------------------------------------------------------------------------------------------

    def equal(self, a: Any, b: Any) -> Term:
        """The condition that a == b."""
        return self.truth(self.compare("eq", a, b))

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """a == b, a < b, ... as a Boolean value."""
        require_parts(a, b)
        return self._compared(name, a, b)

    def _compared(self, name: str, a: Any, b: Any) -> Any:
        a, b = self.worlds.erased(a), self.worlds.erased(b)
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self._compared(name, option, b))
        if isinstance(b, Alternatives):
            return self.worlds.each(b, lambda option: self._compared(name, a, option))
        if _scalar(a) and _scalar(b):
            if not self.worlds.fractions and (isinstance(a, Float) or isinstance(b, Float)):
                self.worlds.fractions = True
            return self.apply(self.scalar_operation(name), a, b)
        if name in ("eq", "ne"):
            equal = self._equal(a, b)
            return equal if name == "eq" else self.negated(equal)
        if (isinstance(a, ListBox) and type(a) is type(b)) or (isinstance(a, tuple) and isinstance(b, tuple)):
            per_length = self.reader.sequences.per_length
            return per_length(a, lambda p: per_length(b, lambda q: self._lexicographic(name, p, q)))
        if isinstance(a, (SetBox, View)) and isinstance(b, (SetBox, View)):
            return self._inclusion(name, self.reader.sets.as_set(a), self.reader.sets.as_set(b))
        if isinstance(a, (Box, Symbolic, tuple, Record)) or isinstance(b, (Box, Symbolic, tuple, Record)):
            return self._no_operator(name, a, b)
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
        if isinstance(a, (SetBox, View)) and isinstance(b, (SetBox, View)):
            if any(isinstance(v, View) and v.part == "values" for v in (a, b)):
                return a is b
            return self.worlds.wrap(self.reader.sets.equal(self.reader.sets.as_set(a), self.reader.sets.as_set(b)))
        if isinstance(a, DictBox) and isinstance(b, DictBox):
            return self._dictionaries_equal(a, b)
        if isinstance(a, Record) and isinstance(b, Record):
            return self._rows_equal(a.values, b.values) if a.python is b.python else False
        if isinstance(a, Record) or isinstance(b, Record):
            return self._record_equal(a, b)
        if isinstance(a, (Box, Symbolic, tuple, View)) or isinstance(b, (Box, Symbolic, tuple, View)):
            return False
        if isinstance(a, _FUNCTIONS) or isinstance(b, _FUNCTIONS):
            return self._functions_equal(a, b)
        if callable(a) or callable(b) or isinstance(a, range) or isinstance(b, range):
            return bool(a is b or a == b)
        return bool(self.reader.foreign.call(operator.eq, [a, b], {}))

    def _functions_equal(self, a: Any, b: Any) -> bool:
        if isinstance(a, Code) or isinstance(b, Code) or is_scalar(a) or is_scalar(b):
            return a is b
        raise UnsupportedValue("'==' of methods and partial functions is not followed; compare what they belong to.")

    def _record_equal(self, a: Any, b: Any) -> Any:
        record, other = (a, b) if isinstance(a, Record) else (b, a)
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
            self.terms.all(*[self.truth(self._compared("eq", p, q)) for p, q in zip(a, b, strict=True)])
        )

    def _lexicographic(self, name: str, a: Sequence[Any], b: Sequence[Any], place: int = 0) -> Any:
        """a < b for sequences: decided at the first place where they differ, and compared there only."""
        rest: list[tuple[Term, int]] = []
        result: Any = getattr(operator, name)(len(a), len(b))
        for spot in range(min(len(a), len(b))):
            same = self.truth(self._compared("eq", a[spot], b[spot]))
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

    def negated(self, value: Any) -> Any:
        return self.worlds.wrap(self.terms.negate(self.truth(value)))

    def identical(self, a: Any, b: Any) -> Any:
        """a is b, where that is the same in every Python; for scalars the same type and value."""
        if isinstance(a, Alternatives):
            return self.worlds.each(a, lambda option: self.identical(option, b))
        if isinstance(b, Alternatives):
            return self.worlds.each(b, lambda option: self.identical(a, option))
        for one, other in ((a, b), (b, a)):
            if one is None or isinstance(one, (bool, type(...))):
                return self.apply(operation("same"), one, other) if _scalar(other) else False
        if _single(a) and _single(b):
            return self.apply(operation("same"), a, b)
        if isinstance(a, (Symbolic, int)) and isinstance(b, (Symbolic, int)):
            if all(self._small(value) for value in (a, b)):
                return self.apply(operation("same"), a, b)
            return self._no_identity(a, b)
        for kind in (str, bytes, Float, Fraction, tuple, range, Symbolic, Record):
            if isinstance(a, kind) or isinstance(b, kind):
                if _scalar(a) != _scalar(b) or isinstance(a, Box) or isinstance(b, Box):
                    return False
                return self._no_identity(a, b)
        if isinstance(a, View) or isinstance(b, View):
            return self._no_identity(a, b)
        return a is b

    def _small(self, value: Any) -> bool:
        """Whether a value is surely an integer of which Python keeps one object only."""
        if isinstance(value, Symbolic):
            values = value.term.values
            return isinstance(values, frozenset) and all(isinstance(v, int) and -5 <= v <= 256 for v in values)
        return -5 <= int(value) <= 256

    def _no_identity(self, a: Any, b: Any) -> Any:
        raise UnsupportedValue(
            f"'is' between {kind_of(a)} and {kind_of(b)} depends on how Python stores them; write '=='."
        )

    def contains(self, container: Any, value: Any) -> Any:
        """value in container"""
        if isinstance(container, Alternatives):
            return self.worlds.each(container, lambda option: self.contains(option, value))
        if isinstance(container, DictBox):
            return self.worlds.wrap(self.reader.dicts.contains(container, value))
        if isinstance(container, SetBox):
            return self.worlds.wrap(self.reader.sets.contains(container, value))
        if isinstance(container, View):
            if container.part == "keys":
                return self.contains(container.box, value)
            return self.contains(self.reader.loops.collected(container), value)
        if isinstance(container, range):
            return self._in_range(container, value)
        if isinstance(container, (ListBox, tuple)):
            return self.reader.sequences.per_length(container, lambda items: self._has_item(items, value))
        if isinstance(container, IteratorBox):
            found = self.reader.loops.first_that(container, lambda item: self.equal(item, value), "what 'in' looks at")
            return self.worlds.wrap(found)
        if isinstance(container, (Symbolic, str, bytes)):
            if isinstance(value, Alternatives):
                return self.worlds.each(value, lambda option: self.contains(container, option))
            if not _scalar(value):
                return self._no_operator("in", value, container)
            return self.pointwise(operator.contains, container, value)
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

    def add_up(self, values: Sequence[Any], start: Any = 0) -> Any:
        """The sum of numbers, one term however many there are."""
        values = [self.worlds.erased(value) for value in values]
        random = [value for value in values if isinstance(value, Symbolic)]
        mixed = self.worlds.fractions and any(has_fractions(value.term.values) for value in random)
        if len(random) < 2 or mixed or not all(_scalar(value) for value in values):
            total = start
            for value in values:
                total = self.binary("add", total, value)
            return total
        ordinary = start
        for value in values:
            if not isinstance(value, Symbolic):
                ordinary = self.binary("add", ordinary, value)
        base = [] if type(ordinary) is int and ordinary == 0 else [ordinary]
        return self.apply(operation("add"), *base, *random)


def _named(known: Operation) -> Operation | None:
    """The operation of the same name that every program knows, if there is one."""
    try:
        return operation(known.name)
    except KeyError:
        return None


def symbol_of(name: str) -> str:
    """An operation as it is written."""
    return _SYMBOLS.get(name, name)


_PLAIN: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")},
    "bitor": operator.or_,
    "bitand": operator.and_,
    "bitxor": operator.xor,
}
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


def _joined(items: list[Any], more: list[Any]) -> list[Any]:
    require_items(len(items) + len(more))
    return items + more


def _repeated(items: list[Any], times: int) -> list[Any]:
    require_items(len(items) * times)
    return items * times


def _single(value: Any) -> bool:
    """Whether a value is surely one of those of which there is one object only: members of an Enum, None, Booleans."""
    if isinstance(value, Symbolic):
        values = value.term.values
        return isinstance(values, frozenset) and all(isinstance(v, (enum.Enum, type(None))) for v in values)
    return isinstance(value, (enum.Enum, type(None), bool))


def _text(value: Symbolic) -> bool:
    values = value.term.values
    return isinstance(values, frozenset) and any(isinstance(v, str) for v in values)


def _scalar(value: Any) -> bool:
    return isinstance(value, Symbolic) or is_scalar(value)
