"""Iterators made of other iterators: zip, map, enumerate, filter and chain."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like
from taut.languages.python.iterators import Body, Kind, is_endless, is_untouched, is_whole
from taut.languages.python.values import ENDED, Alternatives, IteratorBox
from taut.languages.python.worlds import Flow

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Chained", "Enumerated", "Filter", "Mapped", "Zipped"]


class Zipped(Kind):
    """The iterator of zip; ``fill`` is a box with the fill value of zip_longest."""

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
