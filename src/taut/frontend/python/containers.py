"""Lists, tuples, dictionaries and sets with random parts: reading, writing and running through them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from taut.errors import EndlessLoop, UnsupportedValue
from taut.frontend.python.values import (
    UNBOUND,
    Alternatives,
    Cases,
    DictBox,
    ListBox,
    SetBox,
    Symbolic,
    is_scalar,
    kind_of,
)
from taut.frontend.python.worlds import Worlds, failure_like
from taut.ir import Term, pointwise
from taut.ir.values import Anything

__all__ = ["Containers"]

_LONGEST = 1_000_000


class Containers(Worlds):
    """Operations on containers, all in the current world."""

    def new_list(self, items: Sequence[Any]) -> ListBox:
        return ListBox(list(items), self.world)

    def import_value(self, value: Any) -> Any:
        """A value from ordinary Python, its lists and dictionaries boxed so that changes to them can be followed."""
        if type(value) is list:
            return self.new_list([self.import_value(item) for item in value])
        if type(value) is tuple:
            return tuple([self.import_value(item) for item in value])
        if type(value) is dict:
            return DictBox({key: self.import_value(item) for key, item in value.items()}, self.world)
        if type(value) is set:
            return SetBox(dict.fromkeys(value, True), self.world)
        return value

    def export_value(self, value: Any) -> Any:
        """The reverse: plain lists and dictionaries, refused where their length or keys are random."""
        if isinstance(value, ListBox):
            if isinstance(value.content, Cases):
                raise UnsupportedValue("a list of random length reached ordinary Python code that cannot follow it.")
            return [self.export_value(item) for item in value.content]
        if isinstance(value, tuple):
            return tuple([self.export_value(item) for item in value])
        if isinstance(value, DictBox):
            return {key: self.export_value(item) for key, item in value.content.items()}
        if isinstance(value, SetBox):
            return set(self.elements(value))
        return value

    def tuples(self, value: Any) -> Any:
        """A value with its lists made tuples, as a mechanism returns them."""
        if isinstance(value, (ListBox, list)):
            return self.per_length(value, lambda items: tuple([self.tuples(item) for item in items]))
        if isinstance(value, tuple):
            return tuple([self.tuples(item) for item in value])
        if isinstance(value, Alternatives):
            return self.each(value, lambda option: self.tuples(self.bound(option)))
        return value

    # -- running through -----------------------------------------------------------------------------------------

    def items(self, value: Any, what: str = "this") -> list[Any]:
        """The items of something of known length."""
        rows = self.rows(value, what)
        if len(rows) == 1:
            return rows[0][1]
        raise UnsupportedValue(f"the length of {what} is random here; only 'for', sum, len, any, all take that.")

    def rows(self, value: Any, what: str = "this") -> list[tuple[Term, list[Any]]]:
        """For each length that something can have, its guard and its items."""
        true = self.terms.true
        if isinstance(value, ListBox):
            return value.content.options if isinstance(value.content, Cases) else [(true, value.content)]
        if isinstance(value, Alternatives):
            return [
                (self.terms.all(guard, inner), row)
                for guard, option in value.options
                for inner, row in self.rows(self.bound(option), what)
            ]
        if isinstance(value, (tuple, list, str, range, dict, frozenset, bytes)):
            return [(true, list(value))]
        if isinstance(value, DictBox):
            return [(true, self.keys(value))]
        if isinstance(value, SetBox):
            return [(true, self.elements(value))]
        if isinstance(value, Symbolic):
            raise UnsupportedValue(
                f"{what} is a random value, which cannot be run through; 'for' needs something of known length."
            )
        try:
            found = [self.import_value(item) for item in itertools.islice(value, _LONGEST + 1)]
            if len(found) > _LONGEST:
                raise EndlessLoop(f"{what} has no end: more than {_LONGEST} items.", value=_LONGEST)
            return [(true, found)]
        except TypeError as problem:
            return self.fail(failure_like(problem))

    def presence(self, value: Any, what: str) -> list[tuple[Term, Any]]:
        """The items in turn, each with the condition that there is one (given that the one before was there)."""
        rows = sorted(self.rows(value, what), key=lambda row: len(row[1]))
        if len(rows) == 1:
            return [(self.terms.true, item) for item in rows[0][1]]
        found = []
        for place in range(len(rows[-1][1])):
            longer = [(guard, items) for guard, items in rows if len(items) > place]
            before = [guard for guard, items in rows if len(items) >= place]
            ended = [guard for guard, items in rows if len(items) == place]
            there = self.terms.negate(self.terms.any(*ended)) if ended and before else self.terms.true
            item = self.alternatives([(guard, items[place]) for guard, items in longer])
            found.append((there, item))
        return found

    def per_length(self, value: Any, action: Callable[[list[Any]], Any], what: str = "this") -> Any:
        """Something made from the items, for each length apart, merged."""
        rows = self.rows(value, what)
        return self.each(
            rows[0][1] if len(rows) == 1 else Alternatives(tuple((guard, _Row(items)) for guard, items in rows)),
            lambda row: action(row.items if isinstance(row, _Row) else row),
        )

    def mapped(self, value: Any, action: Callable[[list[Any]], list[Any]], what: str = "this") -> Any:
        """A new list made from the items of another, of random length where that has one."""
        rows = self.rows(value, what)
        if len(rows) == 1:
            return self.new_list(action(rows[0][1]))
        by_length: dict[int, tuple[Term, list[Any]]] = {}
        for guard, items in rows:
            made = action(items)
            known = by_length.get(len(made))
            if known is not None:
                made = [self.merge(guard, new, old) for new, old in zip(made, known[1], strict=True)]
                guard = self.terms.any(known[0], guard)
            by_length[len(made)] = (guard, made)
        return ListBox(self.cases(by_length.values()), self.world)

    def keys(self, box: DictBox | SetBox) -> list[Any]:
        for key, value in box.content.items():
            if isinstance(value, Alternatives) and any(option is UNBOUND for _, option in value.options):
                raise UnsupportedValue(
                    f"whether {key!r} is in this dictionary or set is random, so it cannot be run through; "
                    "give every key a value first."
                )
        return [key for key, value in box.content.items() if value is not UNBOUND]

    def elements(self, box: SetBox) -> list[Any]:
        return self.keys(box)

    # -- lengths and membership ----------------------------------------------------------------------------------

    def length(self, value: Any) -> Any:
        if isinstance(value, (DictBox, SetBox)):
            present = [self.wrap(self.is_bound(item)) for item in value.content.values()]
            return self.add_up(present) if present else 0
        if isinstance(value, Alternatives):
            return self.each(value, lambda option: self.length(self.bound(option)))
        if isinstance(value, Symbolic):
            return self.pointwise(len, value)
        if isinstance(value, ListBox) and isinstance(value.content, Cases):
            return self.alternatives([(guard, len(items)) for guard, items in value.content.options])
        try:
            return len(value.content if isinstance(value, ListBox) else value)
        except TypeError as problem:
            return self.fail(failure_like(problem))

    def add_up(self, values: Sequence[Any]) -> Any:
        """The sum of numbers, one term however many there are."""
        raise NotImplementedError

    def is_bound(self, value: Any) -> Term:
        """The condition that a variable or key has a value."""
        if value is UNBOUND:
            return self.terms.false
        if isinstance(value, Alternatives):
            missing = [guard for guard, option in value.options if option is UNBOUND]
            return self.terms.negate(self.terms.any(*missing)) if missing else self.terms.true
        return self.terms.true

    def bound(self, value: Any, name: str = "a variable") -> Any:
        """The value, without the alternative that there is none, which must be impossible."""
        if value is UNBOUND:
            return self.fail(failure_like(UnboundLocalError(), f"{name} has no value here."))
        if isinstance(value, Alternatives) and any(option is UNBOUND for _, option in value.options):
            missing = self.terms.any(*[guard for guard, option in value.options if option is UNBOUND])
            problem = f"{name} may have no value here: it is set in one branch of a random condition only."
            self.must_not(missing, failure_like(UnboundLocalError(), problem))
            return self.alternatives([(guard, option) for guard, option in value.options if option is not UNBOUND])
        return value

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, container: Any, index: Any) -> Any:
        """container[index]"""
        if isinstance(container, Alternatives):
            fresh = isinstance(index, slice)
            return self.each(container, lambda option: self.read(self.bound(option), index), fresh)
        if isinstance(index, Alternatives):
            return self.each(index, lambda option: self.read(container, self.bound(option)))
        if isinstance(container, (DictBox, dict)):
            return self._read_key(container, index)
        if isinstance(container, Symbolic):
            return self.pointwise(_item, container, index)
        if isinstance(container, (ListBox, tuple, list, str, range)):
            if isinstance(index, Symbolic):
                return self.per_length(container, lambda items: self._read_at(items, index))
            if isinstance(index, slice):
                return self._read_slice(container, index)
            if isinstance(container, ListBox):
                return self.per_length(container, lambda items: self._ordinary(items, index))
        return self.import_value(self._ordinary(container, index))

    def _ordinary(self, container: Any, index: Any) -> Any:
        try:
            return container[index]
        except Exception as problem:
            return self.fail(failure_like(problem, _index_problem(problem, container, index)))

    def _read_slice(self, container: Any, index: slice) -> Any:
        ends = (index.start, index.stop, index.step)
        if any(isinstance(end, (Symbolic, Alternatives)) for end in ends):
            return self.spread(ends, lambda *chosen: self._read_slice(container, slice(*chosen)))
        if isinstance(container, ListBox):
            return self.mapped(container, lambda items: items[index])
        return container[index]

    def _read_at(self, items: list[Any], index: Symbolic) -> Any:
        keys = [place for place in range(-len(items), len(items)) if place in index.term.values]
        choice = {place: items[place] for place in keys}
        return self._selected(index, choice, IndexError(f"index out of range: a list of {len(items)} items is read"))

    def _read_key(self, container: DictBox | dict[Any, Any], key: Any) -> Any:
        content = container.content if isinstance(container, DictBox) else container
        if isinstance(key, Symbolic):
            choice = {known: self.import_value(value) for known, value in content.items() if known in key.term.values}
            return self._selected(key, choice, KeyError("no such key: the dictionary is read"))
        key = self.plain_key(key)
        if key not in content:
            return self.fail(failure_like(KeyError(key), f"KeyError: {key!r} is not in the dictionary."))
        return self.import_value(self.bound(content[key], f"the key {key!r}"))

    def _selected(self, index: Symbolic, choice: dict[Any, Any], problem: Exception) -> Any:
        if not choice:
            return self.fail(failure_like(problem, f"{problem.args[0]} at a random place."))
        if all(isinstance(value, Symbolic) or is_scalar(value) for value in choice.values()):
            term = self.terms.select(index.term, list(choice), [self.term(value) for value in choice.values()])
            self._check_place(index.term, choice, term.failure, problem)
            return self.wrap(term)
        values = list(choice.values())
        if all(isinstance(value, tuple) and len(value) == len(values[0]) for value in values):
            columns = range(len(values[0]))
            return tuple(
                [self._selected(index, {key: row[c] for key, row in choice.items()}, problem) for c in columns]
            )
        self._check_place(
            index.term,
            choice,
            self.terms.select(index.term, list(choice), [self.terms.true] * len(choice)).failure,
            problem,
        )
        equal = [(self.terms.apply("eq", index.term, self.terms.const(key)), value) for key, value in choice.items()]
        return self.alternatives(
            [(self.terms.all(test, guard), option) for test, value in equal for guard, option in self.options(value)]
        )

    def _check_place(self, index: Term, choice: dict[Any, Any], failure: str | None, problem: Exception) -> None:
        if failure is not None:
            fits = [self.terms.apply("eq", index, self.terms.const(key)) for key in choice]
            message = f"{problem.args[0]} at a random place that may lie outside."
            self.must_not(self.terms.negate(self.terms.any(*fits)), failure_like(problem, message))

    def spread(self, values: Sequence[Any], action: Callable[..., Any]) -> Any:
        """Something done with ordinary values, for each combination of values that random ones can have."""
        for place, value in enumerate(values):
            if isinstance(value, Symbolic):
                known = self.possible_values(value.term)
                options = tuple((self.terms.apply("eq", value.term, self.terms.const(v)), v) for v in known)
                if len(options) == 1:
                    return self.spread([*values[:place], known[0], *values[place + 1 :]], action)
                value = Alternatives(options)
            if isinstance(value, Alternatives):
                before, after = values[:place], values[place + 1 :]
                return self.each(value, functools.partial(self._spread_one, before, after, action), fresh=True)
        return action(*values)

    def _spread_one(self, before: Sequence[Any], after: Sequence[Any], action: Callable[..., Any], chosen: Any) -> Any:
        return self.spread([*before, self.bound(chosen), *after], action)

    def possible_values(self, term: Term) -> list[Any]:
        """The values that a term can have in this world."""
        raise NotImplementedError

    # -- writing -------------------------------------------------------------------------------------------------

    def write(self, container: Any, index: Any, value: Any) -> None:
        """container[index] = value"""
        if isinstance(container, Alternatives):
            self.each(container, lambda option: self.write(self.bound(option), index, value))
        elif isinstance(index, Alternatives):
            self.each(index, lambda option: self.write(container, self.bound(option), value))
        elif isinstance(container, ListBox):
            self._write_list(container, index, value)
        elif isinstance(container, DictBox):
            self._write_key(container, index, value)
        elif isinstance(container, tuple):
            message = "a tuple (a database too) cannot be changed; change a copy made by list(...)."
            self.fail(failure_like(TypeError(), message))
        else:
            raise UnsupportedValue(
                f"{kind_of(container)} comes from outside the mechanism and cannot be changed in it; change a copy."
            )

    def _write_list(self, box: ListBox, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            replacement = self.items(value, "what is assigned to a slice")
        self._check_running(box, index)
        self.change(box)
        for guard, items in self.rows(box):
            if isinstance(index, Symbolic):
                self._write_at(items, index, value, guard)
            else:
                try:
                    items[index] = replacement if isinstance(index, slice) else value
                except Exception as problem:
                    self._only_if_other_length(box, items, failure_like(problem, _index_problem(problem, items, index)))

    def _check_running(self, box: ListBox, index: Any) -> None:
        """Refuse to write where a loop over the list has still to come."""
        longest = max(map(len, box.lists))
        if isinstance(index, int):
            self.refuse_if_running(box, index if index >= 0 else index + longest)
        elif isinstance(index, Symbolic) and not isinstance(index.term.values, Anything):
            reach = max((place if place >= 0 else place + longest for place in index.term.values), default=0)
            self.refuse_if_running(box, reach)
        else:
            self.refuse_if_running(box)

    def _only_if_other_length(self, box: ListBox, items: list[Any], error: Any) -> None:
        """A failure for one of the lengths of a list: that length must be impossible here."""
        if not isinstance(box.content, Cases):
            self.fail(error)
        for guard, row in box.content.options:
            if row is items:
                self.must_not(guard, error)

    def _write_at(self, items: list[Any], index: Symbolic, value: Any, guard: Term) -> None:
        fits = []
        for place in range(-len(items), len(items)):
            if place in index.term.values:
                here = self.terms.apply("eq", index.term, self.terms.const(place))
                fits.append(here)
                items[place] = self.merge(here, value, items[place])
        if not all_covered(index.term, len(items)):
            message = (
                f"index out of range: a list of {len(items)} items is written at a random place that may lie outside."
            )
            outside = self.terms.all(guard, self.terms.negate(self.terms.any(*fits)))
            self.must_not(outside, failure_like(IndexError(), message))

    def _write_key(self, box: DictBox, key: Any, value: Any) -> None:
        if not isinstance(key, Symbolic):
            self.change(box)[self.plain_key(key)] = value
            return
        possible = key.term.values
        new = True if isinstance(possible, Anything) else any(choice not in box.content for choice in possible)
        if new:
            raise UnsupportedValue(
                "a dictionary is written at a random key that it may not have yet; keys must be ordinary. "
                "Give every possible key a value first."
            )
        content = self.change(box)
        for known in content:
            if known in possible:
                here = self.terms.apply("eq", key.term, self.terms.const(known))
                content[known] = self.merge(here, value, content[known])

    def delete(self, container: Any, index: Any) -> None:
        """del container[index]"""
        if isinstance(container, Alternatives):
            self.each(container, lambda option: self.delete(self.bound(option), index))
            return
        if isinstance(index, (Symbolic, Alternatives)) or not isinstance(container, (ListBox, DictBox)):
            raise UnsupportedValue(
                f"'del' works on lists and dictionaries at ordinary places; got {kind_of(container)}."
            )
        self.refuse_if_running(container)
        content = self.change(container)
        for part in container.lists if isinstance(container, ListBox) else [content]:
            try:
                del part[index]
            except Exception as problem:
                error = failure_like(problem, _index_problem(problem, part, index))
                if isinstance(container, ListBox):
                    self._only_if_other_length(container, part, error)
                else:
                    self.fail(error)

    def plain_key(self, key: Any) -> Any:
        """An ordinary hashable key, or a refusal."""
        plain = tuple([self.plain_key(item) for item in key]) if isinstance(key, tuple) else key
        if isinstance(plain, (Symbolic, Alternatives)):
            raise UnsupportedValue(
                "a random value cannot be a key of a dictionary or an element of a set; keys must be ordinary. "
                "Use a list indexed by the value, or give every possible key a value first."
            )
        try:
            hash(plain)
        except TypeError as problem:
            self.fail(failure_like(problem))
        return plain

    def pointwise(self, function: Callable[..., Any], *values: Any) -> Any:
        """A pure function of scalars, applied value by value."""
        for value in values:
            if not isinstance(value, Symbolic) and not is_scalar(value):
                raise UnsupportedValue(
                    f"{function.__name__} of {kind_of(value)} and a random value has no meaning here."
                )
        return self.apply_operation(pointwise(function), *values)

    def apply_operation(self, operation: Any, *values: Any) -> Any:
        raise NotImplementedError


class _Row:
    """The items of a list of one length, as an alternative."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items


def all_covered(index: Term, length: int) -> bool:
    """Whether an index surely lies within a list."""
    if isinstance(index.values, Anything):
        return False
    return all(isinstance(place, int) and -length <= place < length for place in index.values)


def _item(value: Any, index: Any) -> Any:
    return value[index]


def _index_problem(problem: Exception, container: Any, index: Any) -> str:
    if isinstance(problem, IndexError):
        return f"index out of range: place {index!r} of {len(container)} items."
    return f"{type(problem).__name__}: {problem}"
