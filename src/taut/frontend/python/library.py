"""Functions of the standard library that are followed: itertools, functools, operator, math, collections, copy."""

from __future__ import annotations

import collections
import copy
import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taut.errors import UnsupportedValue
from taut.frontend.python.iterators import Chain, Filter, Kind, Mapped, Zipped
from taut.frontend.python.operators import BINARY, COMPARISONS
from taut.frontend.python.values import (
    ENDED,
    Alternatives,
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
    has_symbolic,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import failure_like

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

__all__ = ["LIBRARY", "takes_iterators"]


# -- itertools ---------------------------------------------------------------------------------------------------


def _chain(reader: Reader, *iterables: Any) -> Any:
    outer = reader.iterators.owned(iterables)
    return reader.iterators.new(Chain(outer))


def _chain_from(reader: Reader, iterables: Any) -> Any:
    return reader.iterators.new(Chain(reader.iterators.owned(iterables, "what is chained")))


class _Sliced(Kind):
    """islice: the content is how many items have been taken, and the place of the next one that is wanted."""

    def __init__(self, part: Any, stop: int | None, step: int) -> None:
        self.parts = (part,)
        self.stop = stop
        self.interval = step

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        return reader.sequences.spread(box.content, lambda taken, wanted: self._from(reader, box, taken, wanted))

    def _from(self, reader: Reader, box: IteratorBox, taken: int, wanted: int) -> Any:
        worlds, stop = reader.worlds, self.stop
        self.move(reader, box, (taken, wanted))
        if taken >= wanted and stop is not None and taken >= stop:
            return ENDED
        there, item = worlds.split(reader.iterators.step(self.parts[0]), ENDED)
        if taken < wanted:
            return worlds.choose(there, lambda: self._from(reader, box, taken + 1, wanted), lambda: ENDED)

        def found() -> Any:
            following = wanted + self.interval
            self.move(reader, box, (taken + 1, following if stop is None else min(following, stop)))
            return item

        return worlds.choose(there, found, lambda: ENDED)


def _islice(reader: Reader, values: Any, *ends: Any) -> Any:
    if any(isinstance(end, (Symbolic, Alternatives)) for end in ends):
        return reader.sequences.spread(ends, lambda *known: _islice(reader, values, *known))
    try:
        cut = slice(*ends)
        itertools.islice((), *ends)
    except (TypeError, ValueError) as problem:
        return reader.worlds.fail(failure_like(problem))
    part = reader.iterators.owned(values)
    return reader.iterators.new(_Sliced(part, cut.stop, cut.step or 1), (0, cut.start or 0))


class _TakeWhile(Kind):
    """takewhile: the content says whether it is over."""

    def __init__(self, test: Callable[[Any], Any], part: Any) -> None:
        self.parts = (part,)
        self.test = test

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        over = reader.operators.truth(box.content)
        return worlds.choose(over, lambda: ENDED, lambda: self._next(reader, box))

    def _next(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        there, item = worlds.split(reader.iterators.step(self.parts[0]), ENDED)

        def finish() -> Any:
            self.move(reader, box, True)
            return ENDED

        return worlds.choose(there, lambda: worlds.choose(self.test(item), lambda: item, finish), lambda: ENDED)


class _DropWhile(Kind):
    """dropwhile: the content says whether it still drops."""

    def __init__(self, test: Callable[[Any], Any], part: Any) -> None:
        self.parts = (part,)
        self.test = test

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        there, item = worlds.split(reader.iterators.step(self.parts[0]), ENDED)

        def start() -> Any:
            reader.worlds.replace(box, False)
            return item

        def kept() -> Any:
            return worlds.choose(self.test(item), again, start)

        def again() -> Any:
            reader.go_on()
            return self.step(reader, box)

        def found() -> Any:
            return worlds.choose(reader.operators.truth(box.content), kept, lambda: item)

        return worlds.choose(there, found, lambda: ENDED)


def _test(reader: Reader, function: Any) -> Callable[[Any], Any]:
    return lambda item: reader.operators.truth(item if function is None else reader.calls.call(function, [item], {}))


def _takewhile(reader: Reader, predicate: Any, values: Any) -> Any:
    return reader.iterators.new(_TakeWhile(_test(reader, predicate), reader.iterators.owned(values)), False)


def _dropwhile(reader: Reader, predicate: Any, values: Any) -> Any:
    return reader.iterators.new(_DropWhile(_test(reader, predicate), reader.iterators.owned(values)), True)


def _filterfalse(reader: Reader, function: Any, values: Any) -> Any:
    test = _test(reader, function)
    return reader.iterators.new(
        Filter(lambda item: reader.worlds.terms.negate(test(item)), reader.iterators.owned(values))
    )


def _starmap(reader: Reader, function: Any, values: Any) -> Any:
    def call(row: Any) -> Any:
        return reader.sequences.per_length(row, lambda items: reader.calls.call(function, items, {}))

    return reader.iterators.new(Mapped(call, [reader.iterators.owned(values)]))


class _Accumulated(Kind):
    """accumulate: the content is the last sum, ENDED before the first."""

    def __init__(self, function: Any, part: Any, initial: Any) -> None:
        self.parts = (part,)
        self.function = function
        self.initial = initial

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        started, total = worlds.split(box.content, ENDED)
        if self.initial is not None and started is worlds.terms.false:
            self.move(reader, box, self.initial)
            return self.initial
        if started is not worlds.terms.true and started is not worlds.terms.false:
            return worlds.choose(
                started, lambda: self._next(reader, box, total), lambda: self._next(reader, box, ENDED)
            )
        return self._next(reader, box, total if started is worlds.terms.true else ENDED)

    def _next(self, reader: Reader, box: IteratorBox, total: Any) -> Any:
        there, item = reader.worlds.split(reader.iterators.step(self.parts[0]), ENDED)

        def added() -> Any:
            if total is ENDED:
                made = item
            elif self.function is None:
                made = reader.operators.binary("add", total, item)
            else:
                made = reader.calls.call(self.function, [total, item], {})
            self.move(reader, box, made)
            return made

        return reader.worlds.choose(there, added, lambda: ENDED)


def _accumulate(reader: Reader, values: Any, func: Any = None, *, initial: Any = None) -> Any:
    return reader.iterators.new(_Accumulated(func, reader.iterators.owned(values), initial), ENDED)


class _Repeated(Kind):
    """repeat: the content is how often still."""

    def __init__(self, value: Any, endless: bool) -> None:
        self.value = value
        self.endless = endless

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        if box.content is None:
            return self.value
        return reader.sequences.spread([box.content], lambda left: self._at(reader, box, left))

    def _at(self, reader: Reader, box: IteratorBox, left: int) -> Any:
        if left <= 0:
            self.move(reader, box, 0)
            return ENDED
        self.move(reader, box, left - 1)
        return self.value


def _repeat(reader: Reader, value: Any, times: Any = None) -> Any:
    return reader.iterators.new(_Repeated(value, times is None), times)


class _Counted(Kind):
    """count: the content is the next number."""

    endless = True
    straight = True

    def __init__(self, interval: Any) -> None:
        self.interval = interval

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        number = box.content
        self.move(reader, box, reader.operators.binary("add", number, self.interval))
        return number


def _count(reader: Reader, start: Any = 0, step: Any = 1) -> Any:
    return reader.iterators.new(_Counted(step), start)


class _Pairs(Kind):
    """pairwise: the content is the item before, ENDED at the beginning."""

    def __init__(self, part: Any) -> None:
        self.parts = (part,)

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        started, before = worlds.split(box.content, ENDED)
        return worlds.choose(started, lambda: self._pair(reader, box, before), lambda: self._begin(reader, box))

    def _begin(self, reader: Reader, box: IteratorBox) -> Any:
        there, item = reader.worlds.split(reader.iterators.step(self.parts[0]), ENDED)
        return reader.worlds.choose(there, lambda: self._pair(reader, box, item), lambda: ENDED)

    def _pair(self, reader: Reader, box: IteratorBox, before: Any) -> Any:
        there, item = reader.worlds.split(reader.iterators.step(self.parts[0]), ENDED)

        def found() -> Any:
            reader.worlds.replace(box, item)
            return (before, item)

        return reader.worlds.choose(there, found, lambda: ENDED)


def _pairwise(reader: Reader, values: Any) -> Any:
    return reader.iterators.new(_Pairs(reader.iterators.owned(values)), ENDED)


class _Longest(Zipped):
    """zip_longest."""

    def __init__(self, parts: Any, fill: Any) -> None:
        super().__init__(parts)
        self.fill = fill
        self.in_step = False

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        row, present = [], []
        for part in self.parts:
            there, item = worlds.split(reader.iterators.step(part), ENDED)
            present.append(there)
            row.append(worlds.choose(there, lambda item=item: item, lambda: self.fill))  # type: ignore[misc]
        return worlds.choose(worlds.terms.any(*present), lambda: tuple(row), lambda: ENDED)


def _zip_longest(reader: Reader, *columns: Any, fillvalue: Any = None) -> Any:
    return reader.iterators.new(_Longest([reader.iterators.owned(c) for c in columns], fillvalue))


def _arranged(function: Any) -> Callable[..., Any]:
    """Functions that take all items first and only rearrange them: product, combinations, permutations."""

    def call(reader: Reader, *args: Any, **keywords: Any) -> Any:
        if any(isinstance(value, (Symbolic, Alternatives)) for value in [*keywords.values()]):
            raise UnsupportedValue(f"{function.__name__}: its numbers must be ordinary.")
        iterables = args if function is itertools.product else args[:1]
        rest = () if function is itertools.product else args[1:]

        def made(*rows: list[Any]) -> Any:
            try:
                return [tuple(row) for row in function(*rows, *rest, **keywords)]
            except (TypeError, ValueError) as problem:
                return reader.worlds.fail(failure_like(problem))

        parts = [reader.sequences.rows(value, f"the argument of {function.__name__}") for value in iterables]
        if all(len(rows) == 1 for rows in parts):
            return reader.iterators.of(reader.sequences.new_list(made(*[rows[0][1] for rows in parts])))
        terms = reader.worlds.terms
        options = []
        for choice in itertools.product(*parts):
            guard = terms.all(*[own for own, _ in choice])
            options.append((guard, made(*[items for _, items in choice])))
        return reader.iterators.of(ListBox(reader.worlds.by_length(options), reader.worlds.world))

    return call


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
            if not (isinstance(arg, Symbolic) or is_scalar(arg)):
                raise UnsupportedValue(f"math.{function.__name__} of {kind_of(arg)} has no exact meaning here.")
        return reader.operators.pointwise(function, *args)

    return call


# -- collections -------------------------------------------------------------------------------------------------


def _deque(reader: Reader, values: Any = (), maxlen: Any = None) -> Any:
    if maxlen is not None:
        raise UnsupportedValue("a deque with maxlen is not followed; cut a list with [-n:] instead.")
    made = reader.loops.collected(values, "what a deque takes")
    content = made.content
    return Deque(list(content) if isinstance(content, list) else content, reader.worlds.world)


def _defaultdict(reader: Reader, factory: Any = None, pairs: Any = (), **more: Any) -> Any:
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
    if isinstance(value, (Symbolic, tuple, Record)) or is_scalar(value):
        return value
    if isinstance(value, (IteratorBox, View)):
        raise UnsupportedValue(f"a copy of {kind_of(value)} is not followed; make a list of it.")
    return reader.foreign.call(copy.copy, [value], {})


def _deepcopy(reader: Reader, value: Any) -> Any:
    return _deep(reader, value, {})


def _deep(reader: Reader, value: Any, known: dict[int, Any]) -> Any:
    """A copy in which what is one object stays one object."""
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
            made.content[key] = type(entry)(entry.present, _deep(reader, entry.value, known), entry.stamp)
    return made


LIBRARY: dict[Any, Callable[..., Any]] = {
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.islice: _islice,
    itertools.takewhile: _takewhile,
    itertools.dropwhile: _dropwhile,
    itertools.filterfalse: _filterfalse,
    itertools.starmap: _starmap,
    itertools.accumulate: _accumulate,
    itertools.repeat: _repeat,
    itertools.count: _count,
    itertools.pairwise: _pairwise,
    itertools.zip_longest: _zip_longest,
    functools.reduce: _reduce,
    functools.partial: _partial,
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    dict.fromkeys: _fromkeys,
    math.prod: _prod,
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
    operator.contains: lambda reader, container, value: reader.operators.contains(container, value),
    operator.is_: lambda reader, a, b: reader.operators.identical(a, b),
    operator.abs: lambda reader, value: reader.operators.unary("abs", value),
}
for _function in (
    itertools.product,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
):
    LIBRARY[_function] = _arranged(_function)
for _exact in (
    math.floor,
    math.ceil,
    math.trunc,
    math.gcd,
    math.lcm,
    math.comb,
    math.perm,
    math.factorial,
    math.isqrt,
):
    LIBRARY[_exact] = _exact_mathematics(_exact)
for _name in BINARY.values():
    _plain = {"bitand": "and_", "bitor": "or_", "bitxor": "xor"}.get(_name, _name)
    LIBRARY[getattr(operator, _plain)] = lambda reader, a, b, _name=_name: reader.operators.binary(_name, a, b)
for _name in COMPARISONS.values():
    LIBRARY[getattr(operator, _name)] = lambda reader, a, b, _name=_name: reader.operators.compare(_name, a, b)

_TAKERS = {sum, any, all, list, tuple, set, frozenset, dict, sorted, enumerate, zip, map, filter, next, math.prod}
_TAKERS |= {function for function in LIBRARY if getattr(function, "__module__", None) == "itertools"}
_TAKERS |= {itertools.chain.from_iterable, functools.reduce, collections.deque, collections.Counter}
_TAKING_METHODS = {"join", "extend", "extendleft", "update"}


def takes_iterators(function: Any) -> bool:
    """Whether a function uses up the iterators it is given, or keeps them to itself: nobody else gets hold of them."""
    if isinstance(function, Method):
        return function.name in _TAKING_METHODS
    try:
        return function in _TAKERS
    except TypeError:
        return False
