"""The methods of lists, deques and tuples."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import Dead, PathEnds, failure_like
from taut.languages.python.floats import RoundingDecides
from taut.languages.python.operators import whole_number
from taut.languages.python.values import Alternatives, Cases, Deque, ListBox, Symbolic, Thinned, is_scalar, kind_of
from taut.program import Apply, Coin, Ite, Select, Term
from taut.program.operations import require_items
from taut.program.program import reachable
from taut.program.values import Anything
from taut.support.errors import RoundedFloat, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["DEQUE_METHODS", "LIST_METHODS", "TUPLE_METHODS", "Lists"]

_FEWEST_COUNTED = 4
_MOST_COUNTED = 1 << 18
_FEW_SORTED = 8
"""Number of random items up to which a sorting network is used."""
_MOST_RANDOM_VALUES = 16
"""Limit for the different values of random items that are sorted by counting."""


class Lists:
    """List operations in the current world: changes in place, search and sorting."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def append(self, box: ListBox, value: Any) -> None:
        content = self.worlds.grow(box)
        if isinstance(content, Thinned):
            content.parts.append((self.terms.true, value))
            return
        for items in box.lists:
            items.append(value)

    def appendleft(self, box: ListBox, value: Any) -> None:
        self.worlds.change(box)
        for items in box.lists:
            items.insert(0, value)

    def extend(self, box: ListBox, values: Any) -> None:
        """Implement list.extend: a list argument is copied first, an iterator is consumed while the list grows."""
        contents = (box.content, values.content) if isinstance(values, ListBox) else ()
        if any(isinstance(one, Thinned) for one in contents) and all(isinstance(o, (list, Thinned)) for o in contents):
            own, more = map(self.worlds.parts, contents)
            require_items(len(own) + len(more))
            self.worlds.replace(box, self.worlds.thinned([*own, *more]))
            return
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
        surely = isinstance(value, Symbolic) and _chosen_among(value.term, items[first:last])
        missing = self.terms.false if surely else self.terms.negate(self.terms.any(*tests))
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
        equal = self.reader.comparisons.equal
        if isinstance(box, ListBox) and isinstance(box.content, Thinned):
            found = [self.terms.all(guard, equal(item, value)) for guard, item in box.content.parts]
            return self.reader.operators.add_up([self.worlds.wrap(test) for test in found])

        def counted(items: Sequence[Any]) -> Any:
            return self.reader.operators.add_up([self.worlds.wrap(equal(item, value)) for item in items])

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
        made = self.reader.loops.collected(box)
        return Deque(made.content, self.worlds.world) if isinstance(box, Deque) else made

    # -- sorting -------------------------------------------------------------------------------------------------

    def sorted_content(self, values: Any, key: Any, reverse: Any) -> Any:
        """Return the items sorted stably; the key is called once per present item."""
        if isinstance(reverse, (Symbolic, Alternatives)):
            raise UnsupportedValue("sorted(reverse=...): reverse must not be random.")
        reverse = bool(whole_number(self.reader, reverse))
        rows = self.reader.sequences.rows(values, "what is sorted")
        if key is None:
            return self._for_each_length(rows, lambda items: self._sorted_rows(items, items, reverse))
        own = [(guard, list(items)) for guard, items in rows]  # the key may change what is sorted
        box = ListBox(own[0][1] if len(own) == 1 else Cases(own), self.worlds.world)
        pairs = self.reader.loops.mapped(box, lambda item: (self.reader.calls.call(key, [item], {}), item))
        return self._for_each_length(
            self.reader.sequences.rows(pairs),
            lambda items: self._sorted_rows([k for k, _ in items], [item for _, item in items], reverse),
        )

    def sorted_by(self, box: ListBox, key: Callable[[Any], Any], reverse: bool = False) -> ListBox:
        """Return a new list sorted by ``key``, which has no effects."""
        rows = self.reader.sequences.rows(box)
        made = self._for_each_length(rows, lambda items: self._sorted_rows([key(i) for i in items], items, reverse))
        return ListBox(made, self.worlds.world)

    def _for_each_length(self, rows: Sequence[tuple[Term, list[Any]]], action: Callable[[list[Any]], list[Any]]) -> Any:
        """Return the content that ``action`` makes of each row, where the list has that length."""
        if len(rows) == 1:
            return action(rows[0][1])
        made = []
        for guard, items in rows:
            found, _ = self.worlds.explore(guard, lambda items=items: action(items))  # type: ignore[misc]
            if not isinstance(found, Dead):
                made.append((guard, found))
        if not made:
            raise PathEnds
        return self.worlds.by_length(made)

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
        if all(key is item for key, item in zip(keys, items, strict=True)):
            counted = self._counted(items) or self._random_counted(items)
            if counted is not None:
                return counted[::-1] if reverse else counted
        # Neighbours change places only if they are in the wrong order, so the network is stable.
        rows = list(zip(keys, items, strict=True))
        for stop in range(len(rows) - 1, 0, -1):
            for place in range(stop):
                (key_a, a), (key_b, b) = rows[place], rows[place + 1]
                swap = truth(compare("lt", key_a, key_b) if reverse else compare("lt", key_b, key_a))
                rows[place] = (self.worlds.merge(swap, key_b, key_a), self.worlds.merge(swap, b, a))
                rows[place + 1] = (self.worlds.merge(swap, key_a, key_b), self.worlds.merge(swap, a, b))
        return [item for _, item in rows]

    def _counted(self, items: Sequence[Any]) -> list[Any] | None:
        """Sort whole numbers without coins by counting; None if they are too few, or their values too many.

        The k-th smallest starts at the least value and moves up one value for each value that at most k items reach. A
        network of comparisons would do as well, but these counts are sums that do not depend on the order of items.
        """
        terms = self.terms
        if len(items) < _FEWEST_COUNTED or not all(self.worlds.is_count(item) for item in items):
            return None
        own = [self.worlds.term(item) for item in items]
        if any(isinstance(term.values, Anything) or len(term.values) > _MOST_COUNTED for term in own):
            return None
        values = sorted({int(value) for term in set(own) for value in term.values})  # type: ignore[union-attr]
        if 2 * len(values) * len(items) > _MOST_COUNTED or any(isinstance(t, Coin) for t in reachable(own)):
            return None
        found = [[terms.const(values[0])] for _ in items]
        for value, following in itertools.pairwise(values):
            count = terms.apply("add", *[terms.apply("le", term, terms.const(value)) for term in own])
            step = terms.const(following - value)
            for rank, parts in enumerate(found):
                above = terms.apply("le", count, terms.const(rank))
                parts.append(above if following - value == 1 else terms.apply("mul", step, above))
        return [self.worlds.wrap(terms.apply("add", *parts) if len(parts) > 1 else parts[0]) for parts in found]

    def _random_counted(self, items: Sequence[Any]) -> list[Any] | None:
        """Sort many random integers of few values by how many there are of each; None if they are something else.

        Equal integers look the same, so the item at position j is the least value v such that more than j items are at
        most v.
        """
        if len(items) <= _FEW_SORTED or not all(self.worlds.is_count(item) for item in items):
            return None
        terms = [self.worlds.term(item) for item in items]
        values: set[int] = set()
        for term in terms:
            if not isinstance(term.values, frozenset) or len(values | term.values) > _MOST_RANDOM_VALUES:
                return None
            values |= term.values
        if not any(isinstance(part, Coin) for part in reachable(terms)):
            return None
        *lower, last = sorted(values)
        compare, add_up = self.reader.comparisons.compare, self.reader.operators.add_up
        counts = [add_up([compare("le", item, value) for item in items]) for value in lower]
        made = []
        for place in range(len(items)):
            found: Any = last
            for value, count in zip(reversed(lower), reversed(counts), strict=True):
                found = self.worlds.merge(self.reader.operators.truth(compare("gt", count, place)), value, found)
            made.append(found)
        return made


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


def _chosen_among(term: Term, items: Sequence[Any]) -> bool:
    """Return True if a term takes the value of one of some items in every run, as the largest of them does."""
    known = {item.term for item in items if isinstance(item, Symbolic)}
    seen, stack = {term}, [term]
    while stack:
        part = stack.pop()
        if part in known:
            continue
        if isinstance(part, Ite):
            more: Sequence[Term] = (part.then, part.other)
        elif isinstance(part, Select):
            more = part.items
        elif isinstance(part, Apply) and part.operation.name in ("max", "min"):
            more = part.args
        else:
            return False
        stack += [child for child in more if child not in seen]
        seen.update(more)
    return True


def _lacking(items: Sequence[Any], value: Any) -> str:
    """Describe the value that a list search may not find."""
    if isinstance(value, Symbolic) and isinstance(value.term.values, frozenset):
        known = [item for item in items if is_scalar(item)]
        absent = sorted(repr(choice) for choice in value.term.values if choice not in known)
        return f"{kind_of(value)} ({', '.join(absent[:4])})"
    return kind_of(value)
