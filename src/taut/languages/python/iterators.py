"""Iterators: lazy objects with state, used up once, shared by reference.

Each kind says how one item is taken (``step``: the item, ENDED, or alternatives of these), and, where that is not one
round of a plain loop, how a loop that nobody else sees is nested in the loops that make the items (``drive``).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import ListChanged, failure_like
from taut.languages.python.values import (
    ENDED,
    Alternatives,
    Cases,
    DictBox,
    DictView,
    DrawnArray,
    IteratorBox,
    ListBox,
    SetBox,
    Symbolic,
    Thinned,
    kind_of,
)
from taut.languages.python.worlds import Flow
from taut.support.errors import UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = [
    "Iterators",
    "Kind",
    "Reversed",
    "Walk",
    "is_endless",
    "is_settled",
    "is_untouched",
    "is_whole",
    "keep_private",
]

Body = Callable[[Any], Flow]
_PLACES = (ListBox, tuple, str, bytes, range)


class Kind:
    """The behaviour of an iterator: it makes the items."""

    parts: Sequence[Any] = ()
    private = False
    in_step = False  # whether each step takes one item of each part, and none after one of them has ended
    straight = False  # whether it moves only outside of branches, as long as it is private
    endless = False  # whether it never ends by itself
    whole = False  # whether it can only be run through at once, whoever else knows it
    drive: Callable[[Reader, IteratorBox, Body], Flow] | None = None

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        """Return the next item in the current world, or ENDED, or alternatives of these."""
        raise NotImplementedError

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        """Return True if a loop over the items should be nested in the loops that produce them."""
        return True

    def move(self, reader: Reader, box: IteratorBox, content: Any) -> None:
        """Store the new position of the iterator.

        Worlds need not save the position of a private iterator that moves outside of branches.
        """
        if self.private and self.straight:
            box.content = content
        else:
            reader.worlds.replace(box, content)


def is_endless(value: Any) -> bool:
    """Return True if an iterator never ends by itself."""
    return isinstance(value, IteratorBox) and bool(value.kind.endless)


def is_whole(value: Any) -> bool:
    """Return True if an iterator cannot be taken item by item, only consumed by one loop."""
    return isinstance(value, IteratorBox) and bool(value.kind.whole)


def is_untouched(reader: Reader, value: Any) -> bool:
    """Return True if an iterator can only be consumed by one loop, and has not been started."""
    return is_whole(value) and bool(value.kind.conditional(reader, value))


def is_settled(value: Any) -> bool:
    """Return True if only one loop knows an iterator, so that it is over once its last item has been taken."""
    if not isinstance(value, IteratorBox):
        return False
    kind = value.kind
    return kind.private and (not kind.parts or (kind.in_step and all(is_settled(part) for part in kind.parts)))


def keep_private(box: IteratorBox) -> None:
    """Mark an iterator, and those it alone consumes, as known to one loop only."""
    box.kind.private = True
    if box.kind.in_step:
        for part in box.kind.parts:
            if isinstance(part, IteratorBox) and part.owned:
                keep_private(part)


class Iterators:
    """Iterators in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds

    def of(self, value: Any, what: str = "this") -> Any:
        """Return iter(value); an iterator is its own."""
        if isinstance(value, IteratorBox):
            return value
        if isinstance(value, Alternatives):
            if all(isinstance(option, IteratorBox) for _, option in value.options):
                return value
            if any(isinstance(option, _PLACES) for _, option in value.options) and not any(
                isinstance(option, (IteratorBox, DictBox, SetBox, DictView, Symbolic)) for _, option in value.options
            ):
                return self.new(Walk(self._with_places(value, what)), 0)
            return self.worlds.each(value, lambda option: self.of(option, what))
        if isinstance(value, (ListBox, tuple, str, bytes, range)):
            return self.new(Walk(value), 0)
        if isinstance(value, DrawnArray):
            return self.new(Walk(value.items), 0)
        if isinstance(value, (DictBox, DictView)):
            view = value if isinstance(value, DictView) else DictView(value, "keys")
            return self.new(DictWalk(self.reader, view), 0)
        if isinstance(value, SetBox):
            return self.new(SetWalk(self.reader, value), 0)
        if isinstance(value, Symbolic):
            texts = self.reader.sequences.texts(value, what)
            return self.of(Alternatives(tuple(texts)) if len(texts) > 1 else texts[0][1], what)
        return self.of(self.reader.foreign.items(value, what), what)

    def _with_places(self, value: Alternatives, what: str) -> Any:
        """Return the alternatives that support indexing; the others must be impossible."""
        kept = []
        for guard, option in value.options:
            if isinstance(option, _PLACES):
                kept.append((guard, option))
            else:
                message = f"{what} may be {kind_of(option)}, which has no items to run through."
                self.worlds.must_not(guard, failure_like(TypeError(), message))
        return kept[0][1] if len(kept) == 1 else Alternatives(tuple(kept))

    def owned(self, value: Any, what: str = "this") -> Any:
        """Return iter(value) for use inside another iterator; a newly made one is marked as owned."""
        made = self.of(value, what)
        if made is not value:
            for _, option in self.worlds.options(made):
                option.owned = True
        return made

    def new(self, kind: Kind, content: Any = None) -> IteratorBox:
        return IteratorBox(kind, content, self.worlds.world, self.reader.node)

    def step(self, iterator: Any) -> Any:
        """Take the next item: the item, ENDED, or alternatives of these."""
        if isinstance(iterator, IteratorBox):
            return iterator.kind.step(self.reader, iterator)
        return self.worlds.each(iterator, self.step)

    def take(self, iterator: Any, found: Callable[[Any], Any]) -> Any:
        """Take the next item; return ``found(item)``, or ENDED if there is none."""
        there, item = self.worlds.split(self.step(iterator), ENDED)
        return self.worlds.choose(there, lambda: found(item), lambda: ENDED)

    def next(self, iterator: Any, *default: Any) -> Any:
        """Return next(iterator, default)."""
        for _, option in self.worlds.options(iterator):
            if not isinstance(option, IteratorBox):
                message = f"next(...): {kind_of(option)} is not an iterator; write iter(...)."
                return self.worlds.fail(failure_like(TypeError(), message))
        owned = isinstance(iterator, IteratorBox) and iterator.owned
        if owned and iterator.kind.drive is not None and iterator.kind.conditional(self.reader, iterator):
            found = self._first(iterator)
        else:
            found = self.step(iterator)
        there, item = self.worlds.split(found, ENDED)
        if default:
            return self.worlds.choose(there, lambda: item, lambda: default[0])
        missing = self.worlds.terms.negate(there)
        if missing is self.worlds.terms.true:
            self.worlds.fail(failure_like(StopIteration(), "next(...): there is no next item."))
        self.worlds.must_not(missing, failure_like(StopIteration(), "next(...): there may be no next item."))
        return item

    def _first(self, iterator: IteratorBox) -> Any:
        """Return the first item of an iterator that is not used afterwards."""
        held = ListBox([ENDED], self.worlds.world)

        def body(item: Any) -> Flow:
            self.reader.sequences.write(held, 0, item)
            return self.reader.flows.breaks

        self.reader.loops.drive(iterator, body, "next(...)")
        return held.content[0]


class Walk(Kind):
    """An iterator over a list, tuple, text or range; its content is the next position, -1 at the end."""

    straight = True

    def __init__(self, source: Any) -> None:
        self.source = source
        self.seen: Any = None

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        place = box.content
        if isinstance(place, (Symbolic, Alternatives)):
            return reader.sequences.spread([place], lambda known: self._at(reader, box, known), prune=True)
        return self._at(reader, box, place)

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        thinned = isinstance(self.source, ListBox) and isinstance(self.source.content, Thinned)
        return thinned and isinstance(box.content, int) and box.content == 0

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        """Run the body item by item where items are there or not; the round of one that is not is skipped."""
        seen: list[Any] = []
        known: list[Any] = [None]
        before = len(self.source.content.parts)

        def advance() -> Any:
            content = self.source.content
            if content is not known[0]:
                same = isinstance(content, Thinned) and all(map(operator.is_, seen, content.parts))
                if not same or len(content.parts) < len(seen):
                    raise ListChanged
                known[0] = content
            if len(seen) == len(content.parts):
                return None
            seen.append(content.parts[len(seen)])
            return reader.worlds.terms.true

        def round_() -> Flow:
            guard, item = seen[-1]
            if len(seen) > before and not reader.worlds.feasible(guard):
                return reader.flows.normal  # so that a loop that adds to its list ends as Python's does
            return reader.statements.fork(guard, lambda: body(item), lambda: reader.flows.normal)

        return reader.loops.rounds(advance, round_)

    def _at(self, reader: Reader, box: IteratorBox, place: int) -> Any:
        source = self.source
        items = source.content if isinstance(source, ListBox) else source
        if isinstance(items, Alternatives):
            items = self._all_cases(reader, items)
        if place < 0:
            self.move(reader, box, -1)  # what is known of a random place is known afterwards
            return ENDED
        if isinstance(items, Cases):
            return self._among(reader, box, place, items)
        if place < len(items):
            self.move(reader, box, place + 1)
            return items[place]
        self.move(reader, box, -1)
        return ENDED

    def _all_cases(self, reader: Reader, source: Alternatives) -> Cases:
        """Return the current items of each alternative of the source."""
        rows: list[tuple[Any, Any]] = []
        for guard, option in source.options:
            items = option.content if isinstance(option, ListBox) else option
            if isinstance(items, Cases):
                rows += [(reader.worlds.terms.all(guard, own), row) for own, row in items.options]
            else:
                rows.append((guard, items))
        return Cases(rows)

    def _among(self, reader: Reader, box: IteratorBox, place: int, cases: Cases) -> Any:
        worlds = reader.worlds
        lengths = [(guard.serial, len(items)) for guard, items in cases.options]
        unchanged, self.seen = self.seen == lengths, lengths
        longer = [(guard, items[place]) for guard, items in cases.options if len(items) > place]
        # As long as nobody changes the list, whoever has come here knows that it is not shorter.
        ended = [guard for guard, items in cases.options if len(items) <= place]
        if unchanged and self.private:
            ended = [guard for guard, items in cases.options if len(items) == place]
        if not longer:
            self.move(reader, box, -1)
            return ENDED
        item = worlds.alternatives(
            [(worlds.terms.all(guard, own), option) for guard, value in longer for own, option in worlds.options(value)]
        )
        if not ended:
            self.move(reader, box, place + 1)
            return item
        if self.private:
            self.move(reader, box, place + 1)
            over = worlds.terms.any(*ended)
            return Alternatives((*[(guard, option) for guard, option in worlds.options(item)], (over, ENDED)))

        def taken() -> Any:
            self.move(reader, box, place + 1)
            return item

        def finished() -> Any:
            self.move(reader, box, -1)
            return ENDED

        return worlds.choose(worlds.terms.negate(worlds.terms.any(*ended)), taken, finished)


class Reversed(Kind):
    """A reversed iterator over a list; its content is the next position from the front."""

    def __init__(self, source: ListBox) -> None:
        self.source = source

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        return reader.sequences.spread([box.content], lambda known: self._at(reader, box, known), prune=True)

    def _at(self, reader: Reader, box: IteratorBox, place: int) -> Any:
        if place < 0:
            self.move(reader, box, -1)
            return ENDED

        def taken(items: list[Any]) -> Any:
            if place < len(items):
                self.move(reader, box, place - 1)
                return items[place]
            self.move(reader, box, -1)
            return ENDED

        return reader.sequences.per_length(self.source, taken)


class DictWalk(Kind):
    """An iterator over the keys, values or items of a dictionary, which must not change size meanwhile."""

    def __init__(self, reader: Reader, view: DictView) -> None:
        self.view = view
        self.start = dict(view.box.content)
        self.size = reader.dicts.length(view.box)
        self.sure = reader.dicts.order(view.box)
        self.keys: IteratorBox | None = None
        if self.sure is None or any(view.box.content[key].present is not reader.worlds.terms.true for key in self.sure):
            self.hidden = ListBox(reader.dicts.rows(view.box), reader.worlds.world)
        else:
            self.hidden = ListBox([view.box.content[key].key for key in self.sure], reader.worlds.world)
            self.sure = None
        self.walk = Walk(self.hidden)

    def conditional(self, reader: Reader, box: IteratorBox) -> bool:
        return self.sure is not None and box.content == 0

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        self.walk.private = self.private
        self._check(reader)
        there, key = reader.worlds.split(self.walk.step(reader, box), ENDED)
        if there is reader.worlds.terms.false:
            return ENDED
        return reader.worlds.choose(there, lambda: self._item(reader, key), lambda: ENDED)

    def _item(self, reader: Reader, key: Any) -> Any:
        if self.view.part == "keys":
            return key
        value = reader.dicts._read(self.view.box, key)
        return value if self.view.part == "values" else (key, value)

    def _check(self, reader: Reader) -> None:
        content = self.view.box.content
        if len(content) == len(self.start) and all(content.get(key) is entry for key, entry in self.start.items()):
            return
        size = reader.dicts.length(self.view.box)
        changed = reader.operators.truth(reader.comparisons.compare("ne", size, self.size))
        error = failure_like(RuntimeError(), "a dictionary changes its size while it is run through.")
        if changed is reader.worlds.terms.true:
            reader.worlds.fail(error)
        reader.worlds.must_not(changed, error)
        if content.keys() != self.start.keys() or any(
            content[key].present is not self.start[key].present or content[key].stamp is not self.start[key].stamp
            for key in content
        ):
            raise UnsupportedValue("keys of a dictionary come and go while it is run through; run through list(...).")

    def drive(self, reader: Reader, box: IteratorBox, body: Body) -> Flow:
        """Run the body key by key if the order is certain; the round of an absent key is skipped."""
        assert self.sure is not None
        keys = iter(self.sure)
        current: list[Any] = [None]
        entries = self.start

        def advance() -> Any:
            self._check(reader)
            key = next(keys, ENDED)
            if key is ENDED:
                return None
            current[0] = key
            return reader.worlds.terms.true

        def round_() -> Flow:
            key = current[0]
            return reader.statements.fork(
                entries[key].present, lambda: body(self._item(reader, entries[key].key)), lambda: reader.flows.normal
            )

        return reader.loops.rounds(advance, round_)


class SetWalk(Kind):
    """An iterator over a set in Python's order; the set must not change meanwhile."""

    def __init__(self, reader: Reader, source: SetBox) -> None:
        self.source = source
        self.start = dict(source.content)
        self.walk = Walk(ListBox(reader.sets.rows(source), reader.worlds.world))

    def step(self, reader: Reader, box: IteratorBox) -> Any:
        if dict(self.source.content) != self.start:
            raise UnsupportedValue("a set is changed while it is run through; run through sorted(...) of it.")
        self.walk.private = self.private
        return self.walk.step(reader, box)
