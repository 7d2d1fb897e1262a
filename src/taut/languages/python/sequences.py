"""Lists, tuples, ranges and strings with random parts: items, reading, writing and deletion by index."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like
from taut.languages.python.kinds import has_fractions
from taut.languages.python.values import (
    Alternatives,
    Cases,
    Deque,
    DictBox,
    DictView,
    DrawnArray,
    IteratorBox,
    ListBox,
    SetBox,
    Symbolic,
    Thinned,
    is_scalar_or_random,
    kind_of,
)
from taut.program import Term
from taut.program.placeholders import Opaque
from taut.program.values import Anything
from taut.support.errors import TooLarge, UnsupportedValue
from taut.support.limits import require_room

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["LONGEST", "Sequences"]

LONGEST = 1_000_000
"""Limit for the length of a list."""
_ITEM = 40
"""Approximate bytes per list item."""
Row = tuple[Term, list[Any]]


class Sequences:
    """Operations on sequences in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def new_list(self, items: Iterable[Any]) -> ListBox:
        return ListBox(list(items), self.worlds.world)

    # -- items ---------------------------------------------------------------------------------------------------

    def rows(self, value: Any, what: str = "this") -> list[Row]:
        """Return the guard and the items for each possible length; an iterator is used up."""
        true = self.terms.true
        if isinstance(value, ListBox):
            return list(value.content.options) if isinstance(value.content, Cases) else [(true, value.content)]
        if isinstance(value, (tuple, str, bytes, range)):
            if isinstance(value, range) and len(value) > LONGEST:
                raise TooLarge(f"{what} has {len(value)} items; at most {LONGEST} are followed.", value=value)
            require_room(_ITEM * len(value))
            return [(true, list(value))]
        if isinstance(value, Alternatives):
            return self.rows(self._one_list(value, what), what)
        if isinstance(value, Symbolic):
            return [(guard, row) for guard, text in self.texts(value, what) for row in [list(text)]]
        return self.rows(self.reader.loops.collected(value, what))

    def _one_list(self, value: Alternatives, what: str) -> ListBox:
        """Return alternatives of iterables as one new list."""

        def listed(option: Any) -> ListBox:
            rows = self.rows(option, what)
            return ListBox(rows[0][1] if len(rows) == 1 else Cases(rows), self.worlds.world)

        found = self.worlds.each(value, listed, fresh=True)
        assert isinstance(found, ListBox)
        return found

    def texts(self, value: Symbolic, what: str) -> list[tuple[Term, Any]]:
        """Return the possible strings of a random value, each with its guard."""
        known = self.reader.draws.possible_values(value.term)
        if not known or not all(isinstance(text, (str, bytes)) for text in known):
            message = f"{what} is a random value that is not text; it has no items to run through."
            self.worlds.fail(failure_like(TypeError(), message))
        return [(self.terms.apply("eq", value.term, self.terms.const(text)), text) for text in known]

    def items(self, value: Any, what: str = "this") -> list[Any]:
        """Return the items of a value of known length."""
        rows = self.rows(value, what)
        if len(rows) == 1:
            return rows[0][1]
        raise UnsupportedValue(f"the length of {what} is random here, which cannot be followed; use a 'for' loop.")

    def per_length(self, value: Any, action: Callable[[list[Any]], Any], what: str = "this") -> Any:
        """Apply ``action`` to the items, separately for each length, and merge the results."""
        rows = self.rows(value, what)
        if len(rows) == 1:
            return action(rows[0][1])
        options = Alternatives(tuple((guard, _RowOfLength(items)) for guard, items in rows))
        return self.worlds.each(options, lambda row: action(row.items))

    def mapped(self, value: Any, action: Callable[[list[Any]], list[Any]], what: str = "this") -> ListBox:
        """Return a new list made from the items of another by a pure ``action``."""
        rows = self.rows(value, what)
        if len(rows) == 1:
            return self.new_list(action(rows[0][1]))
        return ListBox(self.worlds.by_length([(guard, action(items)) for guard, items in rows]), self.worlds.world)

    def length(self, value: Any) -> Any:
        if isinstance(value, Alternatives):
            return self.worlds.each(value, self.length)
        if isinstance(value, ListBox):
            if isinstance(value.content, Thinned):
                return self.reader.operators.add_up([self.worlds.wrap(guard) for guard, _ in value.content.parts])
            if isinstance(value.content, Cases):
                return self.worlds.alternatives([(guard, len(items)) for guard, items in value.content.options])
            return len(value.content)
        if isinstance(value, (DictBox, DictView)):
            return self.reader.dicts.length(value.box if isinstance(value, DictView) else value)
        if isinstance(value, SetBox):
            return self.reader.sets.length(value)
        if isinstance(value, Symbolic):
            return self.reader.operators.pointwise(len, value)
        if isinstance(value, IteratorBox):
            return self.worlds.fail(failure_like(TypeError(), "an iterator has no len(); make a list of it."))
        if isinstance(value, (tuple, str, bytes, range)):
            return len(value)
        if isinstance(value, DrawnArray):
            return len(value.items)
        return self.reader.foreign.call(len, [value], {})

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, container: Any, index: Any) -> Any:
        """Return container[index]."""
        if isinstance(container, Alternatives):
            fresh = isinstance(index, slice)
            return self.worlds.each(container, lambda option: self.read(option, index), fresh)
        if isinstance(container, DictBox):
            return self.reader.dicts.read(container, index)
        if isinstance(index, Alternatives):
            return self.worlds.each(index, lambda option: self.read(container, option))
        if isinstance(container, Symbolic):
            return self._read_text(container, index)
        if isinstance(container, DrawnArray) and isinstance(index, (int, Symbolic)):
            return self.read(container.items, index)
        if isinstance(container, (ListBox, tuple, str, bytes, range)):
            if isinstance(index, Symbolic):
                self._whole(index)
                return self.per_length(container, lambda items: self._read_at(items, index))
            if isinstance(index, slice):
                return self._read_slice(container, index)
            if isinstance(container, ListBox):
                return self.per_length(container, lambda items: self._ordinary(items, index))
            return self._ordinary(container, index)
        return self.reader.foreign.item(container, index)

    def _ordinary(self, container: Any, index: Any) -> Any:
        try:
            return container[index]
        except Exception as problem:
            return self.worlds.fail(failure_like(problem, index_problem(problem, container, index)))

    def _whole(self, index: Symbolic) -> None:
        """Require a random index to be an integer."""
        if has_fractions(index.term.values) and not isinstance(index.term.values, Anything):
            whole = [value for value in index.term.values if isinstance(value, int)]
            fits = [self.terms.apply("eq", index.term, self.terms.const(value)) for value in whole]
            message = "a place in a list must be an integer; it may be a float or a Fraction here. Use int(...) or //."
            self.worlds.must_not(self.terms.negate(self.terms.any(*fits)), failure_like(TypeError(), message))

    def _read_text(self, container: Symbolic, index: Any) -> Any:
        if isinstance(index, slice):
            if any(isinstance(end, (Symbolic, Alternatives)) for end in (index.start, index.stop, index.step)):
                return self.spread(
                    [index.start, index.stop, index.step], lambda *ends: self._read_text(container, slice(*ends))
                )
            return self.reader.operators.pointwise(_slicer(index.start, index.stop, index.step), container)
        return self.reader.operators.pointwise(_item, container, index)

    def _read_slice(self, container: Any, index: slice) -> Any:
        ends = (index.start, index.stop, index.step)
        if any(isinstance(end, (Symbolic, Alternatives)) for end in ends):
            return self.spread(ends, lambda *chosen: self._read_slice(container, slice(*chosen)))
        if isinstance(container, Deque):
            return self.worlds.fail(failure_like(TypeError(), "a deque has no slices; make a list of it."))
        if isinstance(container, ListBox):
            return self.mapped(container, lambda items: self._ordinary(items, index))
        return self._ordinary(container, index)

    def _read_at(self, items: list[Any], index: Symbolic) -> Any:
        keys = [place for place in range(-len(items), len(items)) if place in index.term.values]
        choice = {place: items[place] for place in keys}
        return self.selected(index, choice, IndexError(f"index out of range: a list of {len(items)} items is read"))

    def selected(self, index: Symbolic, choice: dict[Any, Any], problem: Exception) -> Any:
        """Return the value at a random key, which must be one of the keys of ``choice``."""
        if not choice:
            return self.worlds.fail(failure_like(problem, f"{problem.args[0]} at a random place."))
        values = list(choice.values())
        if all(is_scalar_or_random(value) for value in values) and self.worlds.one_kind(values):
            term = self.terms.select(index.term, list(choice), [self.worlds.term(value) for value in values])
            self._check_place(index.term, choice, term.failure, problem)
            return self.worlds.wrap(term)
        if all(type(value) is tuple and len(value) == len(values[0]) for value in values):
            columns = range(len(values[0]))
            return tuple([self.selected(index, {key: row[c] for key, row in choice.items()}, problem) for c in columns])
        covered = self.terms.select(index.term, list(choice), [self.terms.true] * len(choice)).failure
        self._check_place(index.term, choice, covered, problem)
        equal = [(self.terms.apply("eq", index.term, self.terms.const(key)), value) for key, value in choice.items()]
        return self.worlds.alternatives(
            [
                (self.terms.all(test, guard), option)
                for test, value in equal
                for guard, option in self.worlds.options(value)
            ]
        )

    def _check_place(self, index: Term, choice: dict[Any, Any], failure: str | None, problem: Exception) -> None:
        if failure is not None:
            fits = [self.terms.apply("eq", index, self.terms.const(key)) for key in choice]
            message = f"{problem.args[0]} at a random place that may lie outside."
            self.worlds.must_not(self.terms.negate(self.terms.any(*fits)), failure_like(problem, message))

    def spread(self, values: Sequence[Any], action: Callable[..., Any], prune: bool = False) -> Any:
        """Apply ``action`` to each combination of ordinary values that random ones can have.

        With ``prune`` combinations that are impossible in this world are left out, which takes a question for each.
        """
        for place, value in enumerate(values):
            if isinstance(value, Symbolic):
                known = self.reader.draws.possible_values(value.term)
                options = tuple((self.terms.apply("eq", value.term, self.terms.const(v)), v) for v in known)
                value = Alternatives(options) if len(options) > 1 else options[0][1]
            if isinstance(value, Alternatives):
                kept = [option for option in value.options if not prune or self.worlds.feasible(option[0])]
                before, after = values[:place], values[place + 1 :]
                chosen = Alternatives(tuple(kept)) if len(kept) > 1 else (kept or value.options)[0][1]
                rest = functools.partial(self._spread_one, before, after, action, prune)
                return self.worlds.each(chosen, rest, fresh=True)
            if value is not values[place]:
                values = [*values[:place], value, *values[place + 1 :]]
        return action(*values)

    def _spread_one(
        self, before: Sequence[Any], after: Sequence[Any], action: Callable[..., Any], prune: bool, chosen: Any
    ) -> Any:
        return self.spread([*before, chosen, *after], action, prune)

    # -- writing -------------------------------------------------------------------------------------------------

    def write(self, container: Any, index: Any, value: Any) -> None:
        """Assign container[index] = value."""
        if isinstance(container, Alternatives):
            self.worlds.each(container, lambda option: self.write(option, index, value))
        elif isinstance(container, DictBox):
            self.reader.dicts.write(container, index, value)
        elif isinstance(index, Alternatives):
            self.worlds.each(index, lambda option: self.write(container, option, value))
        elif isinstance(container, ListBox):
            self._write_list(container, index, value)
        elif isinstance(container, (tuple, str, bytes, range, Symbolic)):
            message = "a tuple (a database too) or text cannot be changed; change a copy made by list(...)."
            self.worlds.fail(failure_like(TypeError(), message))
        else:
            raise UnsupportedValue(
                f"{kind_of(container)} cannot be changed in a mechanism; use lists and dictionaries."
            )

    def _write_list(self, box: ListBox, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            self._write_slice(box, index, value)
            return
        if isinstance(index, Symbolic):
            self._whole(index)
            self.worlds.change(box)
            for guard, items in self.rows(box):
                self._write_at(items, index, value, guard)
            return
        self.worlds.change(box)
        for guard, items in self.rows(box):
            try:
                items[index] = value
            except Exception as problem:
                self.fail_where(guard, failure_like(problem, index_problem(problem, items, index)))

    def _write_slice(self, box: ListBox, index: slice, value: Any) -> None:
        ends = (index.start, index.stop, index.step)
        if any(isinstance(end, (Symbolic, Alternatives)) for end in ends):
            self.spread(ends, lambda *chosen: self._write_slice(box, slice(*chosen), value))
            return

        def replaced(items: list[Any], new: list[Any]) -> list[Any]:
            made = list(items)
            made[index] = new
            return made

        for_each = self.rows(value, "what is assigned to a slice")
        if len(for_each) == 1:
            self.rewrite(box, lambda items: replaced(items, for_each[0][1]))
            return
        options = Alternatives(tuple((guard, _RowOfLength(items)) for guard, items in for_each))
        self.worlds.each(options, lambda row: self.rewrite(box, lambda items: replaced(items, row.items)))

    def rewrite(self, box: ListBox, action: Callable[[list[Any]], list[Any]]) -> None:
        """Replace the items of a list, separately for each length; a length for which that fails must be impossible."""
        made: list[Row] = []
        for guard, items in self.rows(box):
            try:
                made.append((guard, action(items)))
            except Exception as problem:
                self.fail_where(guard, failure_like(problem, index_problem(problem, items, None)))
        self.worlds.replace(box, made[0][1] if len(made) == 1 else self.worlds.by_length(made))

    def fail_where(self, guard: Term, error: Any) -> None:
        """Require a failing length of a list to be impossible here."""
        if guard is self.terms.true:
            self.worlds.fail(error)
        self.worlds.must_not(guard, error)

    def _write_at(self, items: list[Any], index: Symbolic, value: Any, guard: Term) -> None:
        fits = []
        for place in range(-len(items), len(items)):
            if place in index.term.values:
                here = self.terms.apply("eq", index.term, self.terms.const(place))
                fits.append(here)
                items[place] = self.worlds.merge(here, value, items[place])
        if not all_covered(index.term, len(items)):
            message = (
                f"index out of range: a list of {len(items)} items is written at a random place that may lie outside."
            )
            outside = self.terms.all(guard, self.terms.negate(self.terms.any(*fits)))
            self.worlds.must_not(outside, failure_like(IndexError(), message))

    def delete(self, container: Any, index: Any) -> None:
        """Delete container[index]."""
        if isinstance(container, Alternatives):
            self.worlds.each(container, lambda option: self.delete(option, index))
        elif isinstance(container, DictBox):
            self.reader.dicts.delete(container, index)
        elif not isinstance(container, ListBox):
            raise UnsupportedValue(f"'del' works on lists and dictionaries; got {kind_of(container)}.")
        elif isinstance(index, (Symbolic, Alternatives)):
            self.reader.lists.pop(container, index)
        elif isinstance(index, slice) and any(
            isinstance(end, (Symbolic, Alternatives)) for end in (index.start, index.stop, index.step)
        ):
            ends = (index.start, index.stop, index.step)
            self.spread(ends, lambda *chosen: self.delete(container, slice(*chosen)))
        else:
            self.rewrite(container, lambda items: _without(items, index))


class _RowOfLength(Opaque):
    """The items of a list of one length, as an alternative."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def all_covered(index: Term, length: int) -> bool:
    """Return True if an index surely lies within a list."""
    if isinstance(index.values, Anything):
        return False
    return all(isinstance(place, int) and -length <= place < length for place in index.values)


def _without(items: list[Any], index: Any) -> list[Any]:
    made = list(items)
    del made[index]
    return made


def _item(value: Any, index: Any) -> Any:
    return value[index]


@functools.lru_cache(maxsize=256)
def _slicer(start: Any, stop: Any, step: Any) -> Callable[[Any], Any]:
    def cut(value: Any) -> Any:
        return value[start:stop:step]

    return cut


def index_problem(problem: Exception, container: Any, index: Any) -> str:
    if isinstance(problem, IndexError) and index is not None:
        return f"index out of range: place {index!r} of {len(container)} items."
    return failure_like(problem).message
