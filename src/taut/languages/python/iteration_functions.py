"""Iterators made of other iterators, and the functions that make them: zip, map, filter, enumerate and itertools."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like, require_arrangements
from taut.languages.python.iterators import Body, Kind, is_endless, is_untouched, is_whole
from taut.languages.python.kinds import kinds_of
from taut.languages.python.operators import whole_number
from taut.languages.python.values import ENDED, Alternatives, IteratorBox, ListBox, Symbolic
from taut.languages.python.worlds import Flow
from taut.support.errors import UnsupportedValue
from taut.support.limits import checkpoints

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["ITERATORS", "ITERTOOLS"]


class Zipped(Kind):
    """The iterator of zip."""

    def __init__(self, parts: Sequence[Any], strict: bool = False) -> None:
        self.parts = parts
        self.strict = strict
        self.endless = bool(parts) and all(is_endless(part) for part in parts)
        self.in_step = not strict

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        return self._row(reader, 0, ()) if self.parts else ENDED

    def _row(self, reader: Reader, place: int, row: tuple[Any, ...]) -> Any:
        worlds = reader.worlds
        while place < len(self.parts):
            there, item = worlds.split(reader.iterators.step(self.parts[place]), ENDED)
            if there is not worlds.terms.true:
                return worlds.choose(
                    there,
                    functools.partial(self._row, reader, place + 1, (*row, item)),
                    functools.partial(self._over, reader, place),
                )
            row, place = (*row, item), place + 1
        return self.made(reader, row)

    def made(self, reader: Reader, row: tuple[Any, ...]) -> Any:
        return row

    def _over(self, reader: Reader, place: int) -> Any:
        if self.strict:
            error = failure_like(ValueError(), "zip(strict=True): the lengths differ.")
            if place > 0:
                reader.worlds.fail(error)
            for part in self.parts[1:]:
                there, _ = reader.worlds.split(reader.iterators.step(part), ENDED)
                reader.worlds.must_not(there, error)
        return ENDED


class Mapped(Zipped):
    """The iterator of map."""

    def __init__(self, function: Callable[..., Any], parts: Sequence[Any]) -> None:
        super().__init__(parts)
        self.function = function
        self.whole = len(parts) == 1 and is_whole(parts[0])

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        if self.whole or len(self.parts) != 1:
            return self.whole and is_untouched(reader, self.parts[0])
        part = self.parts[0]
        return (
            isinstance(part, IteratorBox)
            and part.owned
            and part.kind.drive is not None
            and part.kind.conditional(reader, part)
        )

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        return reader.loops.drive(
            self.parts[0], lambda item: body(self.made(reader, (item,))), "what is mapped", nested=True
        )

    def made(self, reader: Reader, row: tuple[Any, ...]) -> Any:
        return self.function(*row)


class Enumerated(Kind):
    """The iterator of enumerate; its content is the next number."""

    in_step = True
    straight = True

    def __init__(self, part: Any) -> None:
        self.parts = (part,)
        self.endless = is_endless(part)
        self.whole = is_whole(part)

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        there, item = reader.worlds.split(reader.iterators.step(self.parts[0]), ENDED)

        def numbered() -> Any:
            number = box.content
            self.move(reader, box, self._following(reader, number))
            return (number, item)

        if self.private and there is not reader.worlds.terms.true:
            if there is reader.worlds.terms.false:
                return ENDED
            return Alternatives(((there, numbered()), (reader.worlds.terms.negate(there), ENDED)))
        return reader.worlds.choose(there, numbered, lambda: ENDED)

    def _following(self, reader: Reader, number: Any) -> Any:
        return number + 1 if type(number) is int else reader.operators.binary("add", number, 1)

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        return self.whole and is_untouched(reader, self.parts[0])

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        def numbered(item: Any) -> Flow:
            number = box.content
            reader.worlds.replace(box, self._following(reader, number))  # items come inside of branches here
            return body((number, item))

        return reader.loops.drive(self.parts[0], numbered, "what is enumerated", nested=True)


class Filter(Kind):
    """The iterator of filter."""

    def __init__(self, test: Callable[[Any], Any], part: Any) -> None:
        self.test = test
        self.parts = (part,)
        self.endless = is_endless(part)
        self.whole = is_whole(part)

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        while True:
            there, item = worlds.split(reader.iterators.step(self.parts[0]), ENDED)
            if there is not worlds.terms.true:
                return worlds.choose(there, functools.partial(self._kept, reader, box, item), lambda: ENDED)
            holds = self.test(item)
            if holds is not worlds.terms.false:
                return worlds.choose(holds, functools.partial(_same, item), lambda: self._again(reader, box))

    def _kept(self, reader: Reader, box: IteratorBox, item: Any) -> Any:
        return reader.worlds.choose(self.test(item), lambda: item, lambda: self._again(reader, box))

    def _again(self, reader: Reader, box: IteratorBox) -> Any:
        reader.go_on()
        return self.step(reader, box)

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        return not self.whole or is_untouched(reader, self.parts[0])

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        def filtered(item: Any) -> Flow:
            return reader.statements.fork(self.test(item), lambda: body(item), lambda: reader.flows.normal)

        return reader.loops.drive(self.parts[0], filtered, "what is filtered", nested=True)


def _same(item: Any) -> Any:
    return item


class Chained(Kind):
    """The iterator of chain; its content is the current inner iterator."""

    def __init__(self, outer: Any) -> None:
        self.parts = (outer,)

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        worlds = reader.worlds
        if isinstance(box.content, Alternatives):
            return worlds.each(box.content, lambda option: self._from(reader, box, option))
        return self._from(reader, box, box.content)

    def _from(self, reader: Reader, box: IteratorBox, current: Any) -> Any:
        worlds = reader.worlds
        if current is None:
            return reader.iterators.take(self.parts[0], lambda item: self._enter(reader, box, item))
        there, item = worlds.split(reader.iterators.step(current), ENDED)
        return worlds.choose(there, lambda: item, lambda: self._leave(reader, box))

    def _enter(self, reader: Reader, box: IteratorBox, iterable: Any) -> Any:
        self.move(reader, box, reader.iterators.of(iterable, "what is chained"))
        return self.step(reader, box)

    def _leave(self, reader: Reader, box: IteratorBox) -> Any:
        reader.go_on()
        self.move(reader, box, None)
        return self.step(reader, box)

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        return box.content is None

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        def inner(iterable: Any) -> Flow:
            return reader.loops.drive(iterable, body, "what is chained", nested=True)

        return reader.loops.drive(self.parts[0], inner, "what is chained", nested=True)


def _enumerate(reader: Reader, iterable: Any, start: Any = 0) -> Any:
    part = reader.iterators.owned(iterable, "what is enumerated")
    return reader.iterators.new(Enumerated(part), whole_number(reader, start))


def _zip(reader: Reader, *columns: Any, strict: Any = False) -> Any:
    return reader.iterators.new(Zipped([reader.iterators.owned(c, "what is zipped") for c in columns], bool(strict)))


def _map(reader: Reader, function: Any, *columns: Any) -> Any:
    parts = [reader.iterators.owned(column, "what is mapped") for column in columns]
    return reader.iterators.new(Mapped(lambda *row: reader.calls.call(function, row, {}), parts))


def _test(reader: Reader, function: Any) -> Callable[[Any], Any]:
    return lambda item: reader.operators.truth(item if function is None else reader.calls.call(function, [item], {}))


def _filter(reader: Reader, function: Any, values: Any) -> Any:
    return reader.iterators.new(Filter(_test(reader, function), reader.iterators.owned(values, "what is filtered")))


ITERATORS: dict[Any, Callable[..., Any]] = {enumerate: _enumerate, zip: _zip, map: _map, filter: _filter}


def _chain(reader: Reader, *iterables: Any) -> Any:
    outer = reader.iterators.owned(iterables)
    return reader.iterators.new(Chained(outer))


def _chain_from(reader: Reader, iterables: Any) -> Any:
    return reader.iterators.new(Chained(reader.iterators.owned(iterables, "what is chained")))


class _Stepped(Kind):
    """An iterator whose next item is computed from its box by a function."""

    def __init__(self, step: Callable[[IteratorBox], Any], *parts: Any) -> None:
        self.parts = parts
        self.made = step

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        return self.made(box)


def _islice(reader: Reader, values: Any, *ends: Any) -> Any:
    """Implement islice; the content is the number of items taken and the position of the next wanted one."""
    if any(isinstance(end, (Symbolic, Alternatives)) for end in ends):
        return reader.sequences.spread(ends, lambda *known: _islice(reader, values, *known))
    try:
        cut = slice(*ends)
        itertools.islice((), *ends)
    except (TypeError, ValueError) as problem:
        return reader.worlds.fail(failure_like(problem))
    part, stop = reader.iterators.owned(values), cut.stop

    def at(box: IteratorBox, taken: int, wanted: int) -> Any:
        def found(item: Any) -> Any:
            if taken < wanted:
                return at(box, taken + 1, wanted)
            following = wanted + (cut.step or 1)
            reader.worlds.replace(box, (taken + 1, following if stop is None else min(following, stop)))
            return item

        reader.worlds.replace(box, (taken, wanted))
        over = taken >= wanted and stop is not None and taken >= stop
        return ENDED if over else reader.iterators.take(part, found)

    def step(box: IteratorBox) -> Any:
        return reader.sequences.spread(box.content, lambda taken, wanted: at(box, taken, wanted))

    return reader.iterators.new(_Stepped(step, part), (0, cut.start or 0))


def _takewhile(reader: Reader, predicate: Any, values: Any) -> Any:
    """Implement takewhile; the content is True at the end."""
    test, part, worlds = _test(reader, predicate), reader.iterators.owned(values), reader.worlds

    def step(box: IteratorBox) -> Any:
        def finish() -> Any:
            worlds.replace(box, True)
            return ENDED

        def found(item: Any) -> Any:
            return worlds.choose(test(item), lambda: item, finish)

        over = reader.operators.truth(box.content)
        return worlds.choose(over, lambda: ENDED, lambda: reader.iterators.take(part, found))

    return reader.iterators.new(_Stepped(step, part), False)


def _dropwhile(reader: Reader, predicate: Any, values: Any) -> Any:
    """Implement dropwhile; the content is True while items are dropped."""
    test, part, worlds = _test(reader, predicate), reader.iterators.owned(values), reader.worlds

    def step(box: IteratorBox) -> Any:
        def again() -> Any:
            reader.go_on()
            return step(box)

        def found(item: Any) -> Any:
            def start() -> Any:
                worlds.replace(box, False)
                return item

            dropping = reader.operators.truth(box.content)
            return worlds.choose(dropping, lambda: worlds.choose(test(item), again, start), lambda: item)

        return reader.iterators.take(part, found)

    return reader.iterators.new(_Stepped(step, part), True)


def _filterfalse(reader: Reader, function: Any, values: Any) -> Any:
    test = _test(reader, function)
    return reader.iterators.new(
        Filter(lambda item: reader.worlds.terms.negate(test(item)), reader.iterators.owned(values))
    )


def _compress(reader: Reader, data: Any, selectors: Any) -> Any:
    pairs = reader.iterators.new(Zipped([reader.iterators.owned(one) for one in (data, selectors)]))
    kept = reader.iterators.new(Filter(lambda pair: reader.operators.truth(pair[1]), pairs))
    pairs.owned = kept.owned = True
    return reader.iterators.new(Mapped(lambda pair: pair[0], [kept]))


def _starmap(reader: Reader, function: Any, values: Any) -> Any:
    def call(row: Any) -> Any:
        return reader.sequences.per_length(row, lambda items: reader.calls.call(function, items, {}))

    return reader.iterators.new(Mapped(call, [reader.iterators.owned(values)]))


def _accumulate(reader: Reader, values: Any, func: Any = None, *, initial: Any = None) -> Any:
    """Implement accumulate; the content is the last sum, ENDED before the first."""
    part, worlds = reader.iterators.owned(values), reader.worlds

    def add(box: IteratorBox, total: Any, item: Any) -> Any:
        if total is ENDED:
            made = item
        elif func is None:
            made = reader.operators.binary("add", total, item)
        else:
            made = reader.calls.call(func, [total, item], {})
        worlds.replace(box, made)
        return made

    def following(box: IteratorBox, total: Any) -> Any:
        return reader.iterators.take(part, lambda item: add(box, total, item))

    def step(box: IteratorBox) -> Any:
        started, total = worlds.split(box.content, ENDED)
        if initial is not None and started is worlds.terms.false:
            worlds.replace(box, initial)
            return initial
        return worlds.choose(started, lambda: following(box, total), lambda: following(box, ENDED))

    return reader.iterators.new(_Stepped(step, part), ENDED)


def _repeat(reader: Reader, value: Any, times: Any = ENDED) -> Any:
    """Implement repeat; the content is the number of repetitions left, None without a limit."""

    def at(box: IteratorBox, left: int) -> Any:
        reader.worlds.replace(box, max(left - 1, 0))
        return value if left > 0 else ENDED

    def step(box: IteratorBox) -> Any:
        if box.content is None:
            return value
        return reader.sequences.spread([box.content], lambda left: at(box, left))

    kind = _Stepped(step)
    kind.endless = times is ENDED
    return reader.iterators.new(kind, None if times is ENDED else whole_number(reader, times))


class _Counted(Kind):
    """The iterator of count; its content is the next number."""

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
    """Return True as 1, as Python's count does; other numbers unchanged."""
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _as_integer(reader, option))
    if isinstance(value, Symbolic) and kinds_of(value.term, reader.worlds.fractions) == {"bool"}:
        return whole_number(reader, value)
    return int(value) if isinstance(value, bool) else value


def _pairwise(reader: Reader, values: Any) -> Any:
    """Implement pairwise; the content is the previous item, ENDED at the beginning."""
    part, worlds, take = reader.iterators.owned(values), reader.worlds, reader.iterators.take

    def step(box: IteratorBox) -> Any:
        def pair(before: Any) -> Any:
            def found(item: Any) -> Any:
                worlds.replace(box, item)
                return (before, item)

            return take(part, found)

        started, before = worlds.split(box.content, ENDED)
        return worlds.choose(started, lambda: pair(before), lambda: take(part, pair))

    return reader.iterators.new(_Stepped(step, part), ENDED)


def _zip_longest(reader: Reader, *columns: Any, fillvalue: Any = None) -> Any:
    parts, worlds = [reader.iterators.owned(column) for column in columns], reader.worlds

    def step(box: IteratorBox) -> Any:
        row, present = [], []
        for part in parts:
            there, item = worlds.split(reader.iterators.step(part), ENDED)
            present.append(there)
            row.append(worlds.choose(there, lambda item=item: item, lambda: fillvalue))  # type: ignore[misc]
        return worlds.choose(worlds.terms.any(*present), lambda: tuple(row), lambda: ENDED)

    kind = _Stepped(step, *parts)
    kind.endless = bool(parts) and all(is_endless(part) for part in parts)
    return reader.iterators.new(kind)


def _product(reader: Reader, *iterables: Any, repeat: Any = 1) -> Any:
    return _arranged(reader, itertools.product, iterables, repeat=repeat)


def _permutations(reader: Reader, iterable: Any, r: Any = None) -> Any:
    return _arranged(reader, itertools.permutations, [iterable], r=r)


def _combinations(reader: Reader, iterable: Any, r: Any) -> Any:
    return _arranged(reader, itertools.combinations, [iterable], r=r)


def _combinations_with_replacement(reader: Reader, iterable: Any, r: Any) -> Any:
    return _arranged(reader, itertools.combinations_with_replacement, [iterable], r=r)


def _arranged(reader: Reader, function: Any, iterables: Sequence[Any], **numbers: Any) -> Any:
    """Implement a function that collects all items first and only rearranges them."""
    if any(isinstance(value, (Symbolic, Alternatives)) for value in numbers.values()):
        raise UnsupportedValue(f"{function.__name__}: its numbers must not be random.")
    for name, value in numbers.items():
        if value is not None or function is not itertools.permutations:
            numbers[name] = whole_number(reader, value)

    def made(*rows: list[Any]) -> Any:
        require_arrangements(function, rows, **numbers)
        try:
            return [tuple(row) for row in checkpoints(function(*rows, **numbers))]
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


ITERTOOLS: dict[Any, Callable[..., Any]] = {
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.islice: _islice,
    itertools.takewhile: _takewhile,
    itertools.dropwhile: _dropwhile,
    itertools.compress: _compress,
    itertools.filterfalse: _filterfalse,
    itertools.starmap: _starmap,
    itertools.accumulate: _accumulate,
    itertools.repeat: _repeat,
    itertools.count: _count,
    itertools.pairwise: _pairwise,
    itertools.zip_longest: _zip_longest,
    itertools.product: _product,
    itertools.permutations: _permutations,
    itertools.combinations: _combinations,
    itertools.combinations_with_replacement: _combinations_with_replacement,
}
