"""Standard library functions on symbolic values: itertools, functools, operator, math, collections, copy."""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from taut.languages.python.comparisons import COMPARISONS
from taut.languages.python.failures import failure_like
from taut.languages.python.floats import exactly
from taut.languages.python.iteration_functions import ITERTOOLS
from taut.languages.python.operators import BINARY
from taut.languages.python.values import (
    ENDED,
    Alternatives,
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
    has_symbolic,
    is_scalar,
    is_scalar_or_random,
    kind_of,
)
from taut.program import digits
from taut.support.errors import UnsupportedValue
from taut.support.exact import exp

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["LIBRARY", "takes_iterators"]


# -- functools and operator --------------------------------------------------------------------------------------


def _reduce(reader: Reader, function: Any, values: Any, *initial: Any) -> Any:
    held = ListBox([initial[0] if initial else ENDED], reader.worlds.world)

    def add(item: Any) -> None:
        started, total = reader.worlds.split(held.content[0], ENDED)
        new = reader.worlds.choose(started, lambda: reader.calls.call(function, [total, item], {}), lambda: item)
        reader.sequences.write(held, 0, new)

    reader.loops.run_through(values, add, "what is reduced")
    started, total = reader.worlds.split(held.content[0], ENDED)
    empty = reader.worlds.terms.negate(started)
    error = failure_like(TypeError(), "reduce() of an empty list with no initial value.")
    if empty is reader.worlds.terms.true:
        reader.worlds.fail(error)
    reader.worlds.must_not(empty, error)
    return total


def _partial(reader: Reader, function: Any, *args: Any, **keywords: Any) -> Any:
    return Partial(function, args, keywords)


def _itemgetter(reader: Reader, *keys: Any) -> Any:
    def get(inner: Reader, row: Any) -> Any:
        found = [inner.sequences.read(row, key) for key in keys]
        return found[0] if len(found) == 1 else tuple(found)

    return Followed(get)


def _attrgetter(reader: Reader, name: Any) -> Any:
    return Followed(lambda inner, owner: functools.reduce(inner.attributes.get, name.split("."), owner))


def _fromkeys(reader: Reader, keys: Any, value: Any = None) -> Any:
    box = reader.dicts.new()
    reader.loops.run_through(keys, lambda key: reader.dicts.write(box, key, value), "the keys")
    return box


# -- math --------------------------------------------------------------------------------------------------------


def _prod(reader: Reader, values: Any, *, start: Any = 1) -> Any:
    def multiplied(items: Any) -> Any:
        product = start
        for item in items:
            product = reader.operators.binary("mul", product, item)
        return product

    return reader.sequences.per_length(values, multiplied, "what is multiplied")


def _exact_mathematics(function: Any) -> Callable[..., Any]:
    def call(reader: Reader, *args: Any) -> Any:
        if not has_symbolic(args):
            if all(is_scalar(arg) for arg in args):
                try:
                    return reader.imported_scalar(function(*args))
                except Exception as problem:
                    return reader.worlds.fail(failure_like(problem))
            return reader.foreign.call(function, args, {})
        if any(isinstance(arg, Alternatives) for arg in args):
            return reader.sequences.spread(args, lambda *known: call(reader, *known))
        for arg in args:
            if not is_scalar_or_random(arg):
                raise UnsupportedValue(f"math.{function.__name__} of {kind_of(arg)} has no exact meaning here.")
        return reader.operators.pointwise(function, *args)

    return call


def _exp(reader: Reader, power: Any) -> Any:
    """Implement taut.exp: a ball for a number; for a random number, a ball for each of its values."""
    reader.worlds.fractions = True
    return reader.sequences.spread([power], lambda known: exp(exactly(known)))


# -- collections -------------------------------------------------------------------------------------------------


def _deque(reader: Reader, values: Any = (), maxlen: Any = None) -> Any:
    if maxlen is not None:
        raise UnsupportedValue("a deque with maxlen is not followed; cut a list with [-n:] instead.")
    made = reader.loops.collected(values, "what a deque takes")
    content = made.content
    return Deque(list(content) if isinstance(content, list) else content, reader.worlds.world)


def _defaultdict(reader: Reader, factory: Any = None, pairs: Any = (), **more: Any) -> Any:
    followed = (Alternatives, Code, Followed, Method, Partial)
    if factory is not None and not isinstance(factory, followed) and not callable(factory):
        return reader.worlds.fail(
            failure_like(TypeError(), "defaultdict: the first argument must be callable or None.")
        )
    box = reader.dicts.new((), collections.defaultdict, factory)
    reader.dicts.update(box, pairs, **more)
    return box


def _ordereddict(reader: Reader, pairs: Any = (), **more: Any) -> Any:
    box = reader.dicts.new((), collections.OrderedDict)
    reader.dicts.update(box, pairs, **more)
    return box


def _counter(reader: Reader, values: Any = (), **more: Any) -> Any:
    box = reader.dicts.new((), collections.Counter)
    if isinstance(values, DictBox):
        reader.dicts.update(box, values)
    else:
        reader.dicts.count_up(box, values)
    reader.dicts.count_up(box, (), **more)
    return box


# -- copy --------------------------------------------------------------------------------------------------------


def _copy(reader: Reader, value: Any) -> Any:
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _copy(reader, option))
    if isinstance(value, ListBox):
        return reader.lists.copy(value)
    if isinstance(value, DictBox):
        return reader.dicts.copy(value)
    if isinstance(value, SetBox):
        return value if value.frozen else reader.sets.copy(value)
    if isinstance(value, (Symbolic, tuple, RecordValue)) or is_scalar(value):
        return value
    if isinstance(value, (IteratorBox, DictView)):
        raise UnsupportedValue(f"a copy of {kind_of(value)} is not followed; make a list of it.")
    return reader.foreign.call(copy.copy, [value], {})


def _deepcopy(reader: Reader, value: Any) -> Any:
    return _deep(reader, value, {})


def _deep(reader: Reader, value: Any, known: dict[int, Any]) -> Any:
    """Return a deep copy that preserves shared objects."""
    if isinstance(value, tuple):
        items = [_deep(reader, item, known) for item in value]
        return tuple(items) if type(value) is tuple else type(value)._make(items)  # type: ignore[attr-defined]
    if isinstance(value, Alternatives):
        return Alternatives(tuple((guard, _deep(reader, option, known)) for guard, option in value.options))
    if not isinstance(value, (ListBox, DictBox, SetBox)):
        return _copy(reader, value)
    if id(value) in known:
        return known[id(value)]
    made = known[id(value)] = _copy(reader, value)
    if isinstance(made, ListBox):
        for items in made.lists:
            items[:] = [_deep(reader, item, known) for item in items]
    elif isinstance(made, DictBox):
        for key, entry in made.content.items():
            made.content[key] = replace(entry, value=_deep(reader, entry.value, known))
    return made


LIBRARY: dict[Any, Callable[..., Any]] = {
    **ITERTOOLS,
    functools.reduce: _reduce,
    functools.partial: _partial,
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    dict.fromkeys: _fromkeys,
    math.prod: _prod,
    exp: _exp,
    collections.deque: _deque,
    collections.defaultdict: _defaultdict,
    collections.OrderedDict: _ordereddict,
    collections.Counter: _counter,
    copy.copy: _copy,
    copy.deepcopy: _deepcopy,
    operator.neg: lambda reader, value: reader.operators.unary("neg", value),
    operator.not_: lambda reader, value: reader.operators.negated(value),
    operator.truth: lambda reader, value: reader.worlds.wrap(reader.operators.truth(value)),
    operator.getitem: lambda reader, container, index: reader.sequences.read(container, index),
    operator.contains: lambda reader, container, value: reader.comparisons.contains(container, value),
    operator.is_: lambda reader, a, b: reader.comparisons.identical(a, b),
    operator.abs: lambda reader, value: reader.operators.unary("abs", value),
}
for _exact in (math.floor, math.ceil, math.trunc, math.gcd, math.lcm, math.isqrt):
    LIBRARY[_exact] = _exact_mathematics(_exact)
for _limited in (digits.comb, digits.factorial, digits.perm):
    LIBRARY[getattr(math, _limited.__name__)] = _exact_mathematics(_limited)
for _name in BINARY.values():
    _plain = {"bitand": "and_", "bitor": "or_", "bitxor": "xor"}.get(_name, _name)
    LIBRARY[getattr(operator, _plain)] = lambda reader, a, b, _name=_name: reader.operators.binary(_name, a, b)
for _name in COMPARISONS.values():
    LIBRARY[getattr(operator, _name)] = lambda reader, a, b, _name=_name: reader.comparisons.compare(_name, a, b)

_TAKERS = {sum, any, all, list, tuple, set, frozenset, dict, sorted, enumerate, zip, map, filter, next, math.prod}
_TAKERS |= {function for function in LIBRARY if getattr(function, "__module__", None) == "itertools"}
_TAKERS |= {itertools.chain.from_iterable, functools.reduce, collections.deque, collections.Counter}
_TAKING_METHODS = {"join", "extend", "extendleft", "update"}


def takes_iterators(function: Any) -> bool:
    """Return True if a function uses up its iterator arguments or keeps them private."""
    if isinstance(function, Method):
        return function.name in _TAKING_METHODS
    try:
        return function in _TAKERS
    except TypeError:
        return False
