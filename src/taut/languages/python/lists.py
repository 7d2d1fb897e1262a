"""The methods of lists, deques and tuples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like
from taut.languages.python.floats import RoundingDecides
from taut.languages.python.places import whole_number
from taut.languages.python.values import Alternatives, Cases, Deque, ListBox, Symbolic, is_scalar, kind_of
from taut.program.sizes import require_items
from taut.support.errors import RoundedFloat, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["DEQUE_METHODS", "LIST_METHODS", "TUPLE_METHODS", "Lists"]


class Lists:
    """List operations in the current world: changes in place, search and sorting."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def append(self, box: ListBox, value: Any) -> None:
        self.worlds.change(box)
        for items in box.lists:
            items.append(value)

    def appendleft(self, box: ListBox, value: Any) -> None:
        self.worlds.change(box)
        for items in box.lists:
            items.insert(0, value)

    def extend(self, box: ListBox, values: Any) -> None:
        """Implement list.extend: a list argument is copied first, an iterator is consumed while the list grows."""
        if isinstance(values, Alternatives):
            self.worlds.each(values, lambda option: self.extend(box, option))
        elif isinstance(values, ListBox):
            if isinstance(values.content, Cases):
                self.worlds.replace(box, self.reader.operators.concatenated(box, values).content)
                return
            self._extend_by(box, list(values.content))
        elif isinstance(values, (tuple, str, range)):
            self._extend_by(box, list(values))
        else:
            self.reader.loops.run_through(values, lambda item: self.append(box, item), "what a list is extended by")

    def _extend_by(self, box: ListBox, more: list[Any]) -> None:
        self.worlds.change(box)
        for items in box.lists:
            require_items(len(items) + len(more))
            items.extend(more)

    def extendleft(self, box: ListBox, values: Any) -> None:
        if isinstance(values, Alternatives):
            self.worlds.each(values, lambda option: self.extendleft(box, option))
            return
        values = self.copy(box) if values is box else values
        self.reader.loops.run_through(values, lambda item: self.appendleft(box, item), "what a deque is extended by")

    def insert(self, box: ListBox, index: Any, value: Any) -> None:
        if isinstance(index, (Symbolic, Alternatives)):
            self.reader.sequences.spread([index], lambda place: self.insert(box, place, value))
            return

        def inserted(items: list[Any]) -> list[Any]:
            made = list(items)
            made.insert(index, value)
            return made

        self.reader.sequences.rewrite(box, inserted)

    def pop(self, box: ListBox, index: Any = -1) -> Any:
        if isinstance(index, Alternatives):
            return self.worlds.each(index, lambda option: self.pop(box, option))
        index = whole_number(self.reader, index)
        found = self.reader.sequences.read(box, index)
        self._remove_at(box, index)
        return found

    def popleft(self, box: ListBox) -> Any:
        return self.pop(box, 0)

    def _remove_at(self, box: ListBox, index: Any) -> None:
        """Remove the item at a position that has been checked."""
        self.worlds.change(box)
        kept = []
        for items in box.lists:
            if not items:
                continue
            if isinstance(index, Symbolic):
                place = self._within(index, len(items))
                for spot in range(len(items) - 1):
                    gone = self.reader.operators.truth(self.reader.comparisons.compare("le", place, spot))
                    items[spot] = self.worlds.merge(gone, items[spot + 1], items[spot])
                items.pop()
            elif -len(items) <= index < len(items):
                items.pop(index)
            else:
                continue
            kept.append(items)
        if isinstance(box.content, Cases):
            options = [case for case in box.content.options if any(case[1] is items for items in kept)]
            box.content = options[0][1] if len(options) == 1 else Cases(options)

    def _within(self, index: Symbolic, length: int) -> Any:
        """Return a random index counted from the front."""
        negative = self.reader.operators.truth(self.reader.comparisons.compare("lt", index, 0))
        return self.worlds.merge(negative, self.reader.operators.binary("add", index, length), index)

    def remove(self, box: ListBox, value: Any) -> None:
        place = self.index(box, value)
        self.worlds.each(place, lambda option: self._remove_at(box, option))

    def index(self, box: Any, value: Any, start: Any = 0, stop: Any = sys.maxsize) -> Any:
        start, stop = whole_number(self.reader, start), whole_number(self.reader, stop)
        if any(isinstance(end, (Symbolic, Alternatives)) for end in (start, stop)):
            return self.reader.sequences.spread([start, stop], lambda p, q: self.index(box, value, p, q))
        return self.reader.sequences.per_length(box, lambda items: self._first(items, value, start, stop))

    def _first(self, items: Sequence[Any], value: Any, start: int, stop: int) -> Any:
        first, last, _ = slice(start, stop).indices(len(items))
        tests = [self.reader.comparisons.equal(item, value) for item in items[first:last]]
        missing = self.terms.negate(self.terms.any(*tests))
        message = f"index: {_lacking(items, value)} may not be in the list."
        if missing is self.terms.true:
            self.worlds.fail(failure_like(ValueError(), message))
        self.worlds.must_not(missing, failure_like(ValueError(), message))
        place: Any = None
        for spot in reversed(range(len(tests))):
            if tests[spot] is not self.terms.false:
                place = spot + first if place is None else self.worlds.merge(tests[spot], spot + first, place)
        return place

    def count(self, box: Any, value: Any) -> Any:
        def counted(items: Sequence[Any]) -> Any:
            tests = [self.worlds.wrap(self.reader.comparisons.equal(item, value)) for item in items]
            return self.reader.operators.add_up(tests)

        return self.reader.sequences.per_length(box, counted)

    def sort(self, box: ListBox, *, key: Any = None, reverse: Any = False) -> None:
        rows = self.reader.sequences.rows(box)
        held = ListBox(rows[0][1] if len(rows) == 1 else Cases(rows), self.worlds.world)
        empty: list[Any] = []
        self.worlds.replace(box, empty)  # as Python does, so that a key that looks at the list sees nothing
        made = self.sorted_content(held, key, reverse)
        changed = self.reader.operators.truth(box)
        problem = failure_like(ValueError(), "list modified during sort")
        if changed is self.terms.true:
            self.worlds.fail(problem)
        self.worlds.must_not(changed, problem)
        self.worlds.replace(box, made)

    def reverse(self, box: ListBox) -> None:
        self.worlds.change(box)
        for items in box.lists:
            items.reverse()

    def rotate(self, box: ListBox, steps: Any = 1) -> None:
        if isinstance(steps, (Symbolic, Alternatives)):
            self.reader.sequences.spread([steps], lambda known: self.rotate(box, known))
            return
        self.reader.sequences.rewrite(box, lambda items: _rotated(items, steps))

    def clear(self, box: ListBox) -> None:
        self.worlds.replace(box, [])

    def copy(self, box: ListBox) -> Any:
        made = self.reader.sequences.mapped(box, list)
        return Deque(made.content, self.worlds.world) if isinstance(box, Deque) else made

    # -- sorting -------------------------------------------------------------------------------------------------

    def sorted_content(self, values: Any, key: Any, reverse: Any) -> Any:
        """Return the items sorted stably; the key is called once per present item."""
        if isinstance(reverse, (Symbolic, Alternatives)):
            raise UnsupportedValue("sorted(reverse=...): whether to reverse must be ordinary.")
        reverse = bool(whole_number(self.reader, reverse))
        rows = self.reader.sequences.rows(values, "what is sorted")
        if key is None:
            made = [(guard, self._sorted_rows(items, items, reverse)) for guard, items in rows]
        else:
            own = [(guard, list(items)) for guard, items in rows]  # the key may change what is sorted
            box = ListBox(own[0][1] if len(own) == 1 else Cases(own), self.worlds.world)
            pairs = self.reader.loops.mapped(box, lambda item: (self.reader.calls.call(key, [item], {}), item))
            made = [
                (guard, self._sorted_rows([k for k, _ in items], [item for _, item in items], reverse))
                for guard, items in self.reader.sequences.rows(pairs)
            ]
        return made[0][1] if len(made) == 1 else self.worlds.by_length(made)

    def sorted_by(self, box: ListBox, key: Callable[[Any], Any], reverse: bool = False) -> ListBox:
        """Return a new list sorted by ``key``, which has no effects."""
        rows = self.reader.sequences.rows(box)
        made = [(guard, self._sorted_rows([key(item) for item in items], items, reverse)) for guard, items in rows]
        return ListBox(made[0][1] if len(made) == 1 else self.worlds.by_length(made), self.worlds.world)

    def _sorted_rows(self, keys: Sequence[Any], items: Sequence[Any], reverse: bool) -> list[Any]:
        """Sort rows by Python if all keys are ordinary, else by a sorting network."""
        compare, truth = self.reader.comparisons.compare, self.reader.operators.truth
        if all(is_scalar(k) for k in keys):
            try:
                order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
            except RoundingDecides as problem:
                return self.worlds.fail(RoundedFloat(f"{problem}."))
            except (TypeError, ArithmeticError) as problem:
                return self.worlds.fail(failure_like(problem))
            return [items[place] for place in order]
        # Neighbours change places only if they are in the wrong order, so the network is stable.
        rows = list(zip(keys, items, strict=True))
        for stop in range(len(rows) - 1, 0, -1):
            for place in range(stop):
                (key_a, a), (key_b, b) = rows[place], rows[place + 1]
                swap = truth(compare("lt", key_a, key_b) if reverse else compare("lt", key_b, key_a))
                rows[place] = (self.worlds.merge(swap, key_b, key_a), self.worlds.merge(swap, b, a))
                rows[place + 1] = (self.worlds.merge(swap, key_a, key_b), self.worlds.merge(swap, a, b))
        return [item for _, item in rows]


LIST_METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(Lists, name)
    for name in ("append", "extend", "insert", "pop", "remove", "index", "count", "sort", "reverse", "clear", "copy")
}
DEQUE_METHODS: dict[str, Callable[..., Any]] = {
    name: getattr(Lists, name)
    for name in (
        "append",
        "appendleft",
        "extend",
        "extendleft",
        "popleft",
        "remove",
        "index",
        "count",
        "reverse",
        "rotate",
        "clear",
        "copy",
        "insert",
    )
}
DEQUE_METHODS["pop"] = lambda lists, box: lists.pop(box)
TUPLE_METHODS: dict[str, Callable[..., Any]] = {"index": Lists.index, "count": Lists.count}


def _rotated(items: list[Any], steps: int) -> list[Any]:
    shift = steps % len(items) if items else 0
    return items[len(items) - shift :] + items[: len(items) - shift]


def _lacking(items: Sequence[Any], value: Any) -> str:
    """Describe the value that a list search may not find."""
    if isinstance(value, Symbolic) and isinstance(value.term.values, frozenset):
        known = [item for item in items if is_scalar(item)]
        absent = sorted(repr(choice) for choice in value.term.values if choice not in known)
        return f"{kind_of(value)} ({', '.join(absent[:4])})"
    return kind_of(value)
