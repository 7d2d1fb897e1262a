"""Python's built-in functions, and a few from the standard library, on all values."""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from taut.errors import RealRandomness, UnsupportedValue
from taut.frontend.python.methods import Methods
from taut.frontend.python.operators import BINARY, COMPARISONS
from taut.frontend.python.values import (
    Alternatives,
    Box,
    DictBox,
    Generator,
    ListBox,
    SetBox,
    Symbolic,
    has_symbolic,
    is_scalar,
)
from taut.frontend.python.worlds import failure_like
from taut.ir import Operation, operation
from taut.numbers import exact

__all__ = ["BUILTINS", "FORBIDDEN", "Builtins"]


class Builtins(Methods):
    """Built-in functions in the current world."""

    def sum_(self, values: Any, start: Any = 0) -> Any:
        return self.per_length(values, lambda items: self.add_up(items, start), "what is summed")

    def min_(self, *args: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme("min", args, key, default)

    def max_(self, *args: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme("max", args, key, default)

    def _extreme(self, name: str, args: tuple[Any, ...], key: Any, default: dict[str, Any]) -> Any:
        def of(items: Sequence[Any]) -> Any:
            if not items:
                if "default" in default:
                    return default["default"]
                return self.fail(failure_like(ValueError(), f"{name}() of an empty list."))
            if key is None and all(isinstance(item, Symbolic) or is_scalar(item) for item in items):
                if len(items) == 1:
                    return items[0]
                return self.apply_operation(operation(name), *items)
            return self._best(name, items, key)

        return of(args) if len(args) > 1 else self.per_length(args[0], of, f"the argument of {name}")

    def _best(self, name: str, items: Sequence[Any], key: Any) -> Any:
        """The first of the best items, by key."""
        best = items[0]
        best_key = best if key is None else self.call(key, [best], {})
        for item in items[1:]:
            here = item if key is None else self.call(key, [item], {})
            better = self.truth(self.compare("lt" if name == "min" else "gt", here, best_key))
            best, best_key = self.merge(better, item, best), self.merge(better, here, best_key)
        return best

    def abs_(self, value: Any) -> Any:
        return self.unary("abs", value)

    def any_(self, values: Any) -> Any:
        return self.per_length(values, lambda items: self.wrap(self.terms.any(*[self.truth(i) for i in items])))

    def all_(self, values: Any) -> Any:
        return self.per_length(values, lambda items: self.wrap(self.terms.all(*[self.truth(i) for i in items])))

    def len_(self, value: Any) -> Any:
        return self.length(value)

    def range_(self, *args: Any) -> Any:
        if any(isinstance(value, (Symbolic, Alternatives)) for value in args):
            return self.spread(args, self.range_)
        whole = [int(v) if isinstance(v, Fraction) and v.denominator == 1 else v for v in args]
        try:
            return range(*whole)
        except (TypeError, ValueError) as problem:
            return self.fail(failure_like(problem))

    def enumerate_(self, values: Any, start: int = 0) -> Any:
        return self.iterator(
            self.mapped(values, lambda items: list(enumerate(items, start)), "what is enumerated"), values
        )

    def zip_(self, *columns: Any, strict: bool = False) -> Any:
        if len(columns) == 1:
            return self.iterator(self.mapped(columns[0], lambda items: [(item,) for item in items]), columns[0])
        for place, column in enumerate(columns):
            if len(self.rows(column, "what is zipped")) > 1:
                return self.per_length(column, functools.partial(self._zip_row, columns, place, strict))
        rows = [self.items(column, "what is zipped") for column in columns]
        if strict and len({len(row) for row in rows}) > 1:
            return self.fail(failure_like(ValueError(), "zip(strict=True): the lengths differ."))
        return self.iterator(self.new_list(list(zip(*rows, strict=False))), *columns)

    def _zip_row(self, columns: tuple[Any, ...], place: int, strict: bool, row: list[Any]) -> Any:
        return self.zip_(*columns[:place], tuple(row), *columns[place + 1 :], strict=strict)

    def sorted_(self, values: Any, *, key: Any = None, reverse: Any = False) -> Any:
        return self.mapped(values, lambda items: self.sorted_items(items, key, reverse), "what is sorted")

    def reversed_(self, values: Any) -> Any:
        return self.iterator(self.mapped(values, lambda items: items[::-1]), values)

    def iterator(self, made: Any, *sources: Any) -> Any:
        """A list that stands for an iterator over others: it can be run through once."""
        if not isinstance(made, ListBox):
            return made
        found = Generator(made.content, self.world)
        found.sources = tuple(source for source in sources if isinstance(source, ListBox))
        return found

    def list_(self, values: Any = ()) -> Any:
        return self.mapped(values, list, "the argument of list")

    def tuple_(self, values: Any = ()) -> Any:
        if isinstance(values, tuple):
            return values
        return self.per_length(values, tuple, "the argument of tuple")

    def set_(self, values: Any = ()) -> Any:
        return SetBox({self.plain_key(item): True for item in self.items(values)}, self.world)

    def frozenset_(self, values: Any = ()) -> Any:
        return frozenset(self.plain_key(item) for item in self.items(values))

    def dict_(self, pairs: Any = (), **more: Any) -> Any:
        box = DictBox({}, self.world)
        self.update(box, pairs, **more)
        return box

    def int_(self, value: Any = 0, *base: Any) -> Any:
        return self._converted(int, value, *base)

    def str_(self, value: Any = "") -> Any:
        return self._converted(str, value)

    def repr_(self, value: Any) -> Any:
        return self._converted(repr, value)

    def bool_(self, value: Any = False) -> Any:
        return self.wrap(self.truth(value))

    def float_(self, value: Any = 0) -> Any:
        if isinstance(value, (Symbolic, Alternatives)):
            raise UnsupportedValue("float(...) of a random value is not exact; leave it as it is.")
        try:
            return exact(float(value))
        except (TypeError, ValueError) as problem:
            return self.fail(failure_like(problem))

    def round_(self, value: Any, *digits: Any) -> Any:
        return self._converted(_round, value, *digits)

    def _converted(self, function: Callable[..., Any], value: Any, *more: Any) -> Any:
        if isinstance(value, Alternatives):
            return self.each(value, lambda option: self._converted(function, self.bound(option), *more))
        if isinstance(value, Symbolic):
            return self.pointwise(function, value, *more)
        if has_symbolic(value):
            raise UnsupportedValue(
                f"{function.__name__} of a list or tuple with random values in it is not supported; use its items."
            )
        try:
            return function(self.export_value(value), *more)
        except Exception as problem:
            return self.fail(failure_like(problem))

    def map_(self, function: Any, *columns: Any) -> Any:
        if len(columns) == 1:
            return self.mapped(columns[0], lambda items: [self.call(function, [item], {}) for item in items])
        rows = zip(*[self.items(column) for column in columns], strict=False)
        return self.new_list([self.call(function, list(row), {}) for row in rows])

    def filter_(self, function: Any, values: Any) -> Any:
        kept = self.new_list([])
        for item in self.items(values):
            test = self.truth(item if function is None else self.call(function, [item], {}))
            self.choose(test, functools.partial(self.append, kept, item), lambda: None)
        return kept

    def divmod_(self, a: Any, b: Any) -> Any:
        return (self.binary("floordiv", a, b), self.binary("mod", a, b))

    def pow_(self, a: Any, b: Any, *modulus: Any) -> Any:
        power = self.binary("pow", a, b)
        return self.binary("mod", power, modulus[0]) if modulus else power

    def isinstance_(self, value: Any, kind: Any) -> Any:
        if isinstance(value, Alternatives):
            return self.each(value, lambda option: self.isinstance_(self.bound(option), kind))
        if isinstance(value, Symbolic):
            return self.apply_operation(_is_instance(kind), value)
        for box, plain in ((ListBox, list), (DictBox, dict), (SetBox, set)):
            if isinstance(value, box):
                return issubclass(plain, kind)
        return isinstance(value, kind)

    def callable_(self, value: Any) -> bool:
        return not isinstance(value, (Symbolic, Box, Alternatives)) and callable(value)

    def next_(self, values: Any, *default: Any) -> Any:
        """The first item of a generator; as the whole generator has been run through already, it is taken out."""
        if not isinstance(values, ListBox):
            raise UnsupportedValue("next works on a generator expression only, as in next((... for ...), None).")
        there = self.truth(values)
        if default:
            return self.choose(there, lambda: self.pop(values, 0), lambda: default[0])
        return self.pop(values, 0)

    def reduce(self, function: Any, values: Any, *initial: Any) -> Any:
        items = [*initial, *self.items(values)]
        if not items:
            return self.fail(failure_like(TypeError(), "reduce() of an empty list with no initial value."))
        result = items[0]
        for item in items[1:]:
            result = self.call(function, [result, item], {})
        return result

    def accumulate(self, values: Any, function: Any = operator.add, *, initial: Any = None) -> Any:
        items = [*([] if initial is None else [initial]), *self.items(values)]
        sums: list[Any] = []
        for item in items:
            sums.append(self.call(function, [sums[-1], item], {}) if sums else item)
        return self.new_list(sums)

    def shuffled(self, function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """A function that only rearranges what it is given (itertools): called with the values as they are."""
        plain = [self.items(arg) if isinstance(arg, (ListBox, tuple)) else arg for arg in args]
        try:
            return self.new_list([self.import_value(item) for item in function(*plain, **keywords)])
        except TypeError as problem:
            return self.fail(failure_like(problem))

    def refuse_outside(self, function: Any) -> Any:
        name = getattr(function, "__name__", repr(function))
        raise RealRandomness(
            f"'{name}' reaches outside the mechanism; a mechanism may only compute. Do that before or after it.",
            value=name,
        )


def _round(value: Any, *digits: Any) -> Any:
    return round(exact(value) if isinstance(value, float) else value, *digits)


@functools.lru_cache(maxsize=256)
def _is_instance(kind: Any) -> Any:
    return Operation("isinstance", lambda value: isinstance(value, kind))


BUILTINS: dict[Any, Callable[..., Any]] = {
    getattr(builtins, name): getattr(Builtins, f"{name}_")
    for name in [
        "sum",
        "min",
        "max",
        "abs",
        "any",
        "all",
        "len",
        "range",
        "enumerate",
        "zip",
        "sorted",
        "reversed",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "int",
        "str",
        "repr",
        "bool",
        "float",
        "round",
        "map",
        "filter",
        "divmod",
        "pow",
        "isinstance",
        "callable",
        "next",
    ]
}
BUILTINS[iter] = Builtins.list_
BUILTINS[functools.reduce] = Builtins.reduce
BUILTINS[itertools.accumulate] = Builtins.accumulate
for _function in (
    itertools.chain,
    itertools.chain.from_iterable,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.islice,
    itertools.pairwise,
    itertools.permutations,
    itertools.product,
    itertools.repeat,
    itertools.zip_longest,
):
    BUILTINS[_function] = lambda run, *args, _function=_function, **keywords: run.shuffled(_function, *args, **keywords)
for _name in BINARY.values():
    _plain = {"bitand": "and_", "bitor": "or_", "bitxor": "xor"}.get(_name, _name)
    BUILTINS[getattr(operator, _plain)] = lambda run, a, b, _name=_name: run.binary(_name, a, b)
for _name in COMPARISONS.values():
    BUILTINS[getattr(operator, _name)] = lambda run, a, b, _name=_name: run.compare(_name, a, b)
BUILTINS[operator.neg] = lambda run, value: run.unary("neg", value)
BUILTINS[operator.not_] = lambda run, value: run.negated(value)
BUILTINS[operator.getitem] = lambda run, container, index: run.read(container, index)
BUILTINS[Fraction] = lambda run, *args: (
    run.binary("truediv", *args) if len(args) == 2 and has_symbolic(args) else run._converted(Fraction, *args)
)
for _outside in (hash, id, print, input, open, exec, eval, globals, locals, vars, setattr, delattr, breakpoint):
    BUILTINS[_outside] = lambda run, *args, _outside=_outside, **keywords: run.refuse_outside(_outside)

FORBIDDEN = (
    "random",
    "secrets",
    "time",
    "datetime",
    "uuid",
    "os",
    "posix",
    "socket",
    "subprocess",
    "numpy.random",
    "_random",
    "threading",
    "sys",
    "io",
)
