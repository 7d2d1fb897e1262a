"""The functions of itertools on all values: the table of those that are followed."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taut.errors import UnsupportedValue
from taut.frontend.python.adapters import Chain, Filter, Mapped, Zipped
from taut.frontend.python.iterators import Kind
from taut.frontend.python.kinds import kinds_of
from taut.frontend.python.places import whole_number
from taut.frontend.python.sizes import require_arrangements
from taut.frontend.python.values import (
    ENDED,
    Alternatives,
    IteratorBox,
    ListBox,
    Symbolic,
)
from taut.frontend.python.worlds import failure_like
from taut.limits import checkpoints

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

__all__ = ["ITERTOOLS"]


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


def _repeat(reader: Reader, value: Any, times: Any = ENDED) -> Any:
    if times is ENDED:
        return reader.iterators.new(_Repeated(value, True), None)
    return reader.iterators.new(_Repeated(value, False), whole_number(reader, times))


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
    if isinstance(step, (Symbolic, Alternatives)):
        return reader.sequences.spread([step], lambda known: _count(reader, start, known))
    if isinstance(step, int) and step == 1:
        start = _as_integer(reader, start)
    return reader.iterators.new(_Counted(step), start)


def _as_integer(reader: Reader, value: Any) -> Any:
    """Return True as 1, as Python does where it counts by ones; other numbers stay what they are."""
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _as_integer(reader, option))
    if isinstance(value, Symbolic) and kinds_of(value.term, reader.worlds.fractions) == {"bool"}:
        return whole_number(reader, value)
    return int(value) if isinstance(value, bool) else value


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

    def product(*iterables: Any, repeat: Any = 1) -> None: ...
    def permutations(iterable: Any, r: Any = None) -> None: ...
    def combinations(iterable: Any, r: Any) -> None: ...

    shapes: dict[Any, Callable[..., Any]] = {itertools.product: product, itertools.permutations: permutations}
    shape = inspect.signature(shapes.get(function, combinations))

    def call(reader: Reader, *args: Any, **keywords: Any) -> Any:
        try:
            shape.bind(*args, **keywords)
        except TypeError as problem:
            return reader.worlds.fail(failure_like(problem, f"{function.__name__}(...): {problem}."))
        if any(isinstance(value, (Symbolic, Alternatives)) for value in [*keywords.values()]):
            raise UnsupportedValue(f"{function.__name__}: its numbers must be ordinary.")
        optional = function is itertools.permutations
        keywords = {
            name: value if value is None and optional else whole_number(reader, value)
            for name, value in keywords.items()
        }
        iterables = args if function is itertools.product else args[:1]
        rest = () if function is itertools.product else args[1:]
        rest = tuple([value if value is None and optional else whole_number(reader, value) for value in rest])

        def made(*rows: list[Any]) -> Any:
            require_arrangements(function, rows, *rest, **keywords)
            try:
                return [tuple(row) for row in checkpoints(function(*rows, *rest, **keywords))]
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


ITERTOOLS: dict[Any, Callable[..., Any]] = {
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
}
for _function in (
    itertools.product,
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
):
    ITERTOOLS[_function] = _arranged(_function)
