"""Operators on all values: scalars become terms, containers are joined; comparisons have their own module."""

from __future__ import annotations

import ast
import collections
import operator
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like
from taut.languages.python.floats import (
    RoundingDecides,
    compared,
    constant_power,
    divided,
    exactly_divided,
    exactly_powered,
    powered,
)
from taut.languages.python.kinds import has_fractions
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
    Uniform,
    is_scalar,
    is_scalar_or_random,
    kind_of,
)
from taut.program import Operation, Term, operation, pointwise
from taut.program.operations import require_items
from taut.program.values import Anything, IntegerRange
from taut.support.algebra.expression import Undecided
from taut.support.errors import RoundedFloat, TooLarge, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["BINARY", "UNARY", "Operators", "whole_number"]

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
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}
_SETS = {"bitor", "bitand", "sub", "bitxor"}
_BITWISE = {"bitor", "bitand", "bitxor"}
"""Operations with Boolean results on Booleans and integer results on integers."""
_SEQUENCES = (ListBox, tuple)
_FUNCTIONS = (Code, Method, Partial, Followed)
_COUNTER = collections.Counter


class Operators:
    """Operators in the current world; an operation that fails must be impossible."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    # -- scalars -------------------------------------------------------------------------------------------------

    def truth(self, value: Any) -> Term:
        """Return the condition that a value is true."""
        value = self.worlds.erased(value)
        if isinstance(value, Symbolic):
            return self.terms.truth(value.term)
        if isinstance(value, Alternatives):
            found = self.worlds.each(value, lambda option: self.worlds.wrap(self.truth(option)))
            return self.worlds.term(found)
        if isinstance(value, Uniform):
            return self.truth(self.reader.kept.compare("ne", value, 0))
        if isinstance(value, (ListBox, DictBox, SetBox, DictView)):
            size = self.reader.sequences.length(value)
            return self.truth(size) if isinstance(size, Symbolic) else self.terms.const(bool(size))
        if is_scalar(value) or isinstance(value, (tuple, range)):
            return self.terms.const(bool(value))
        if isinstance(value, RecordValue):
            return self._record_truth(value)
        if isinstance(value, (Box, *_FUNCTIONS)) or callable(value):
            return self.terms.true
        return self.terms.const(bool(self.reader.foreign.call(bool, [value], {})))

    def _record_truth(self, value: RecordValue) -> Term:
        """Return the truth of a record as its class defines it: by __bool__, else by __len__, else true."""
        for name in ("__bool__", "__len__"):
            if hasattr(value.python, name):
                return self.truth(self.reader.calls.call(self.reader.attributes.get(value, name), [], {}))
        return self.terms.true

    def scalar_operation(self, name: str) -> Operation:
        """Return the operation of a name on scalars: Python's, or the exact one in targets and distances."""
        if name == "truediv":
            return exactly_divided if self.reader.exact else divided
        if name == "pow":
            return exactly_powered if self.reader.exact else powered
        return compared(name, self.worlds.fractions)

    def apply(self, known: Operation, *values: Any) -> Any:
        """Apply an operation to scalars; its failure must be impossible."""
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
            words = {"by zero": ZeroDivisionError, "bits": OverflowError}
            kind = next((kind for word, kind in words.items() if word in term.failure), TypeError)
            rounding = "rounded floats" in term.failure
            error = RoundedFloat(f"{term.failure}.") if rounding else failure_like(kind(), message)
            self.worlds.must_not(undefined, error)
        return self.worlds.wrap(term)

    def _makes_fractions(self, known: Operation, term: Term) -> bool:
        """Return True if an operation may have non-integer results."""
        if isinstance(term.values, Anything):
            return known in (divided, powered) or known is not _named(known)
        return has_fractions(term.values)

    def pointwise(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return a pure function of scalars, applied value by value."""
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
        if isinstance(value, Uniform):
            return self.reader.kept.apply(getattr(operator, name, abs), value)
        if self.reader.of_numpy and is_scalar_or_random(value):
            self._refuse_booleans(value)
        if name == "invert" and self._may_be_boolean(value):
            message = "'~' on a Boolean gives -1 or -2 in Python; write 'not'."
            return self.worlds.fail(failure_like(TypeError(), message))
        if not is_scalar_or_random(value):
            if isinstance(value, (Box, tuple, RecordValue, DictView)):
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
        if is_scalar_or_random(a) and is_scalar_or_random(b):
            return self._scalars(name, a, b)
        if isinstance(a, Uniform) or isinstance(b, Uniform):
            return self.reader.kept.apply(_PLAIN.get(name) or getattr(operator, name), a, b)
        if isinstance(a, SetBox) and isinstance(b, SetBox) and name in _SETS:
            return self.reader.sets.combined(name, a, b)
        if name in _SETS and any(isinstance(v, DictView) and v.part != "values" for v in (a, b)):
            return self.reader.sets.of_view(name, a, b)
        if isinstance(a, _SEQUENCES) or isinstance(b, _SEQUENCES):
            return self._joined(name, a, b)
        if isinstance(a, DictBox) and isinstance(b, DictBox):
            return self._dictionaries(name, a, b)
        if any(isinstance(value, (Box, Symbolic, RecordValue, DictView)) for value in (a, b)):
            return self.no_operator(name, a, b)
        return self.reader.foreign.call(_PLAIN.get(name, operation(name).function), [a, b], {})

    def _scalars(self, name: str, a: Any, b: Any) -> Any:
        if self.reader.of_numpy and name not in _BITWISE:
            self._refuse_booleans(a, b)
        if name == "mod" and (isinstance(a, (str, bytes)) or (isinstance(a, Symbolic) and _text(a))):
            return self.reader.text.percent(a, b)
        if name == "mul" and isinstance(a, Symbolic) != isinstance(b, Symbolic):
            text, times = (a, b) if isinstance(a, str) else (b, a)
            if isinstance(text, str) and isinstance(times, Symbolic) and has_fractions(times.term.values):
                return self.no_operator(name, a, b)
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

    def _refuse_booleans(self, *values: Any) -> None:
        """Refuse arithmetic with Booleans alone, which is logic if they are NumPy's."""
        if all(self.worlds.kinds(value) == {"bool"} for value in values):
            raise UnsupportedValue(
                "Booleans are computed with, and some may be NumPy's, for which '+' means 'or'. Write int(...) around "
                "the comparisons."
            )

    def _dictionaries(self, name: str, a: DictBox, b: DictBox) -> Any:
        if name == "bitor" and a.python is dict and b.python is dict:
            return self.reader.dicts.merged(a, b)
        return self.no_operator(name, a, b)

    def in_place(self, name: str, a: Any, b: Any) -> Any:
        """Apply an augmented assignment such as a += b; a mutable object is changed in place."""
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
            if isinstance(b, SetBox):
                return self.reader.sets.combine_in_place(name, a, b)
            return self.binary(name, a, b)  # a view's operator makes a new set
        if isinstance(a, DictBox) and name == "bitor" and a.python is not _COUNTER:
            self.reader.dicts.update(a, b)
            return a
        if isinstance(a, (IteratorBox, DictView)) or not (
            is_scalar_or_random(a) or isinstance(a, (tuple, Box, RecordValue, Uniform))
        ):
            return self.reader.foreign.refuse_change(a)
        return self.binary(name, a, b)

    # -- sequences -----------------------------------------------------------------------------------------------

    def _joined(self, name: str, a: Any, b: Any) -> Any:
        """Concatenate or repeat lists and tuples."""
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
        return self.no_operator(name, a, b)

    def concatenated(self, a: Any, b: Any) -> ListBox:
        """Return a new list with the items of both."""
        rows = self.reader.sequences.rows(b)
        if len(rows) == 1:
            return self.reader.sequences.mapped(a, lambda items: _joined(items, rows[0][1]))
        first = self.reader.sequences.rows(a)
        parts = [(self.terms.all(p, q), _joined(items, more)) for p, items in first for q, more in rows]
        return ListBox(self.worlds.by_length(parts), self.worlds.world)

    def no_operator(self, name: str, a: Any, b: Any) -> Any:
        for record in (a, b):
            if isinstance(record, RecordValue) and any(_has_method(record.python, name) for name in (name, f"r{name}")):
                raise UnsupportedValue(f"'{symbol_of(name)}' of '{record.python.__name__}' is not followed.")
        message = f"unsupported operands for '{symbol_of(name)}': {kind_of(a)} and {kind_of(b)}."
        return self.worlds.fail(failure_like(TypeError(), message))

    def negated(self, value: Any) -> Any:
        return self.worlds.wrap(self.terms.negate(self.truth(value)))

    def add_up(self, values: Sequence[Any], start: Any = 0) -> Any:
        """Return the sum of numbers as one term."""
        if all(type(value) is Symbolic for value in values):
            random = list(values)
        else:
            values = [self.worlds.erased(value) for value in values]
            random = [value for value in values if isinstance(value, Symbolic)]
        mixed = self.worlds.fractions and any(has_fractions(value.term.values) for value in random)
        many = len(random) > 1 and not mixed
        if not many or not (len(random) == len(values) or all(is_scalar_or_random(value) for value in values)):
            total = start
            for value in values:
                total = self.binary("add", total, value)
            return total
        ordinary = start
        for value in [] if len(random) == len(values) else values:
            if not isinstance(value, Symbolic):
                ordinary = self.binary("add", ordinary, value)
        base = [] if type(ordinary) is int and ordinary == 0 else [ordinary]
        return self.apply(operation("add"), *base, *random)


def _named(known: Operation) -> Operation | None:
    """Return the built-in operation of the same name, if there is one."""
    try:
        return operation(known.name)
    except KeyError:
        return None


def _has_method(kind: type, name: str) -> bool:
    """Return True if a class defines the operator ``name`` itself."""
    name = f"__{name.removeprefix('bit')}__"
    return getattr(kind, name, None) is not getattr(object, name, None)


def symbol_of(name: str) -> str:
    """Return the operator symbol of an operation."""
    return _SYMBOLS.get(name, name)


_PLAIN: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")},
    "bitor": operator.or_,
    "bitand": operator.and_,
    "bitxor": operator.xor,
}
_SYMBOLS = {
    "formatted": "format",
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


def _text(value: Symbolic) -> bool:
    values = value.term.values
    return isinstance(values, frozenset) and any(isinstance(v, str) for v in values)


def whole_number(reader: Reader, value: Any) -> Any:
    """Return a number as operator.index does: True becomes 1, a float or Fraction is refused even if integral."""
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: whole_number(reader, option))
    if isinstance(value, Symbolic):
        known = isinstance(value.term.values, IntegerRange)
        return value if known else reader.operators.pointwise(operator.index, value)
    try:
        return operator.index(value)
    except TypeError:
        message = f"{kind_of(value)} stands where Python wants an integer; use int(...) or //."
        return reader.worlds.fail(failure_like(TypeError(), message))
