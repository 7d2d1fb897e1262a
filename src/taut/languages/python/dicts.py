"""Dictionaries with ordinary keys; the presence, value and position of a key may be random."""

from __future__ import annotations

import collections
import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import PathEnds, failure_like, require_parts
from taut.languages.python.floats import ExactFloat, Float
from taut.languages.python.kinds import has_fractions
from taut.languages.python.operators import whole_number
from taut.languages.python.values import (
    ENDED,
    Alternatives,
    DictBox,
    DictEntry,
    DictView,
    ListBox,
    RecordValue,
    SetBox,
    Symbolic,
    has_symbolic,
    kind_of,
)
from taut.program import Term
from taut.program.values import IntegerRange
from taut.support.errors import TautError, TooLarge, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["COUNTER_METHODS", "DICT_METHODS", "Dicts"]

_MOST_KEYS = 4096


class Dicts:
    """Dictionaries in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def new(self, pairs: Sequence[tuple[Any, Any]] = (), python: type = dict, factory: Any = None) -> DictBox:
        box = DictBox({}, self.worlds.world, python, factory)
        for key, value in pairs:
            self.write(box, key, value)
        return box

    # -- keys ----------------------------------------------------------------------------------------------------

    def cases(self, value: Any) -> list[tuple[Term, Any]]:
        """Return the possible ordinary values of a value, each with its guard."""
        true = self.terms.true
        if isinstance(value, Symbolic):
            known = self.reader.draws.possible_values(value.term)
            if len(known) > _MOST_KEYS:
                raise TooLarge(
                    f"a key with {len(known)} possible values is too many; at most {_MOST_KEYS}.", value=value
                )
            return [(self.terms.apply("eq", value.term, self.terms.const(one)), one) for one in known]
        if isinstance(value, Alternatives):
            options = self.worlds.options(self.worlds.bound(value))
            return [(self.terms.all(guard, own), k) for guard, option in options for own, k in self.cases(option)]
        if isinstance(value, tuple):
            rows: list[tuple[Term, tuple[Any, ...]]] = [(true, ())]
            for item in value:
                choices = self.cases(item)
                rows = [(self.terms.all(guard, own), (*row, k)) for guard, row in rows for own, k in choices]
                rows = [(guard, row) for guard, row in rows if guard is not self.terms.false]
                if len(rows) > _MOST_KEYS:
                    raise TooLarge(f"a key with more than {_MOST_KEYS} possible values is too many.", value=value)
            return [(guard, _again(value, row)) for guard, row in rows]
        if isinstance(value, RecordValue):
            found = self.cases(value.values)
            return [(guard, value.python(**dict(zip(value.names, row, strict=True)))) for guard, row in found]
        return [(true, value)]

    def keys_of(self, key: Any) -> list[tuple[Term, Any, Any]]:
        """Return the possible ordinary keys of a value: guard, lookup form, and spelling of each."""
        require_parts(key)
        found = []
        for guard, spelled in self.cases(key):
            spelled = self._certain(spelled)
            problem = self._not_a_key(spelled)
            if problem is None:
                found.append((guard, _looked_up(spelled), spelled))
            elif guard is self.terms.true:
                self.worlds.fail(problem)
            else:
                self.worlds.must_not(guard, problem)
        if not found:
            raise PathEnds
        return found

    def _certain(self, key: Any) -> Any:
        """Return a frozen set without randomness as an ordinary one; anything else unchanged."""
        if isinstance(key, SetBox) and key.frozen:
            members = self.reader.sets.certain(key)
            if members is not None and not has_symbolic(members):
                return frozenset(members)
        return key

    def _not_a_key(self, key: Any) -> TautError | None:
        """Return the error for an unhashable or inexact key; None for a valid key."""
        if isinstance(key, tuple):
            return next(filter(None, map(self._not_a_key, map(self._certain, key))), None)
        if isinstance(key, Float):
            if isinstance(key, ExactFloat) or Float(key.rounded).exact == key.exact:
                return None
            problem = f"the float {key} is a rounded result; it is no key that can be told from others exactly."
            return failure_like(TypeError(), problem)
        if isinstance(key, SetBox) and key.frozen:
            raise UnsupportedValue("a frozenset as a key or an element is not followed; use a sorted tuple.")
        if isinstance(key, (ListBox, DictBox, SetBox)):
            return failure_like(
                TypeError(), f"{kind_of(key)} cannot be a key or an element of a set, since it is not hashable."
            )
        try:
            hash(key)
        except TypeError as problem:
            return failure_like(problem)
        return None

    def order(self, box: DictBox) -> list[Any] | None:
        """Return the possible keys in dictionary order; None if the order is random."""
        entries = [(*_range(entry.stamp), key) for key, entry in box.content.items()]
        entries.sort(key=lambda row: row[:2])
        for (_, last, _), (first, _, _) in itertools.pairwise(entries):
            if last >= first:
                return None
        return [key for _, _, key in entries]

    def rows(self, box: DictBox, part: str = "keys") -> Any:
        """Return the keys, values or items in order, as the content of a new list."""
        order = self.order(box)
        if order is not None and all(box.content[key].present is self.terms.true for key in order):
            return [self._item(box, key, part) for key in order]
        made = ListBox([], self.worlds.world)
        for key in box.content if order is None else order:
            entry = box.content[key]
            row = self._item(box, key, part) if order is not None else (entry.stamp, self._item(box, key, part))
            self.worlds.choose(entry.present, functools.partial(self.reader.lists.append, made, row), lambda: None)
        if order is not None:
            return made.content
        inverted = self.reader.lists.sorted_by(made, lambda row: row[0])
        return self.reader.sequences.mapped(inverted, lambda items: [row[1] for row in items]).content

    def _item(self, box: DictBox, key: Any, part: str) -> Any:
        entry = box.content[key]
        return entry.key if part == "keys" else entry.value if part == "values" else (entry.key, entry.value)

    def length(self, box: DictBox) -> Any:
        present = [self.worlds.wrap(entry.present) for entry in box.content.values()]
        return self.reader.operators.add_up(present) if present else 0

    def contains(self, box: DictBox, key: Any) -> Term:
        """Return the condition that a key is present."""
        if isinstance(key, Symbolic) and not has_fractions(key.term.values):
            known = [k for k in box.content if k in key.term.values]
            return self.terms.any(
                *[
                    self.terms.all(self.terms.apply("eq", key.term, self.terms.const(k)), box.content[k].present)
                    for k in known
                ]
            )
        guards = self.keys_of(key)
        return self.terms.any(
            *[self.terms.all(guard, box.content[k].present) for guard, k, _ in guards if k in box.content]
        )

    # -- reading and writing -------------------------------------------------------------------------------------

    def read(self, box: DictBox, key: Any) -> Any:
        if box.factory is not None or box.python is collections.Counter:
            counted = self._counted(box, key)
            if counted is not None:
                if box.factory is not None:
                    self.write(box, key, counted)
                return counted
            there = self.contains(box, key)
            return self.worlds.choose(there, lambda: self._read(box, key), lambda: self._missing(box, key))
        return self._read(box, key)

    def _counted(self, box: DictBox, key: Any) -> Any:
        """Return the count at a key, 0 where it is absent, if that needs no condition; else None."""
        if not box.counts or not all(
            entry.padded and self.worlds.is_count(entry.value) for entry in box.content.values()
        ):
            return None
        if isinstance(key, Symbolic) and not has_fractions(key.term.values):
            if not isinstance(key.term.values, frozenset):
                return None
            choice = {k: box.content[k].value if k in box.content else 0 for k in key.term.values}
            return self.reader.sequences.selected(key, choice, KeyError("no such key: the dictionary is read"))
        found = [(guard, box.content[k].value if k in box.content else 0) for guard, k, _ in self.keys_of(key)]
        return self.worlds.alternatives(found)

    def _missing(self, box: DictBox, key: Any) -> Any:
        if box.factory is None:
            return 0
        value = self.reader.calls.call(box.factory, [], {})
        self.write(box, key, value)
        return value

    def _read(self, box: DictBox, key: Any) -> Any:
        if isinstance(key, Symbolic) and not has_fractions(key.term.values):
            choice = {known: entry.value for known, entry in box.content.items() if known in key.term.values}
            found = self.reader.sequences.selected(key, choice, KeyError("no such key: the dictionary is read"))
            for known in choice:
                self._check_present(box, known, self.terms.apply("eq", key.term, self.terms.const(known)))
            return found
        guards = [(guard, known) for guard, known, _ in self.keys_of(key)]
        missing = self.terms.any(*[guard for guard, k in guards if k not in box.content])
        if missing is not self.terms.false:
            absent = next(k for _, k in guards if k not in box.content)
            error = failure_like(KeyError(absent), f"KeyError: {absent!r} is not in the dictionary.")
            if missing is self.terms.true:
                self.worlds.fail(error)
            self.worlds.must_not(missing, error)
        for guard, k in guards:
            if k in box.content:
                self._check_present(box, k, guard)
        return self.worlds.alternatives(
            [
                (self.terms.all(guard, own), option)
                for guard, k in guards
                if k in box.content
                for own, option in self.worlds.options(box.content[k].value)
            ]
        )

    def _check_present(self, box: DictBox, key: Any, guard: Term) -> None:
        present = box.content[key].present
        if present is not self.terms.true:
            message = f"the key {key!r} may have no value here: it is set in one branch of a random condition only."
            self.worlds.must_not(
                self.terms.all(guard, self.terms.negate(present)), failure_like(KeyError(key), message)
            )

    def write(self, box: DictBox, key: Any, value: Any) -> None:
        content = self.worlds.change(box)
        stamp = next(self.worlds.stamps)
        true = self.terms.true
        for guard, known, spelled in self.keys_of(key):
            old = content.get(known)
            if old is None:
                entry = DictEntry(true, value, stamp, spelled, True)
                content[known] = entry if guard is true else self.worlds.conditional(guard, entry, box.counts)
            elif guard is true:
                if old.present is true:
                    content[known] = DictEntry(true, value, old.stamp, old.key, True)
                    continue
                when = self.worlds.merge(old.present, old.stamp, stamp)
                content[known] = DictEntry(true, value, when, self.worlds.spelled(old.present, old.key, spelled), True)
            else:
                new = self.terms.all(guard, self.terms.negate(old.present))
                when, name = old.stamp, old.key
                if new is not self.terms.false:
                    when, name = self.worlds.merge(new, stamp, when), self.worlds.spelled(new, spelled, name)
                merged = self.worlds.merge(guard, value, old.value)
                content[known] = DictEntry(self.terms.any(old.present, guard), merged, when, name, old.padded)

    def delete(self, box: DictBox, key: Any) -> None:
        self._read(box, key)
        self._take_out(box, key)

    def _take_out(self, box: DictBox, key: Any) -> None:
        content = self.worlds.change(box)
        for guard, known, _ in self.keys_of(key):
            old = content.get(known)
            if old is None:
                continue
            present = self.terms.all(old.present, self.terms.negate(guard))
            if present is self.terms.false:
                del content[known]
            else:
                content[known] = DictEntry(present, old.value, old.stamp, old.key)

    # -- methods -------------------------------------------------------------------------------------------------

    def get(self, box: DictBox, key: Any, default: Any = None) -> Any:
        if type(default) is int and default == 0:
            box.counts = True
            counted = self._counted(box, key)
            if counted is not None:
                return counted
        return self.worlds.choose(self.contains(box, key), lambda: self._read(box, key), lambda: default)

    def setdefault(self, box: DictBox, key: Any, default: Any = None) -> Any:
        self.worlds.choose(self.contains(box, key), lambda: None, lambda: self.write(box, key, default))
        return self._read(box, key)

    def pop(self, box: DictBox, key: Any, default: Any = ENDED, /) -> Any:
        value = self._read(box, key) if default is ENDED else self.get(box, key, default)
        self._take_out(box, key)
        return value

    def popitem(self, box: DictBox) -> Any:
        empty = self.terms.negate(self.reader.operators.truth(self.length(box)))
        self.worlds.must_not(empty, failure_like(KeyError(), "popitem(): the dictionary is empty."))
        rows = ListBox(self.rows(box, "items"), self.worlds.world)
        found = self.reader.sequences.read(rows, -1)
        self.worlds.each(found, lambda pair: self._take_out(box, pair[0]))
        return found

    def update(self, box: DictBox, other: Any = (), **more: Any) -> None:
        if isinstance(other, Alternatives):
            self.worlds.each(other, lambda option: self.update(box, option))
        elif isinstance(other, DictBox):
            self._merge_in(box, other)
        else:
            self.reader.loops.run_through(other, lambda pair: self._write_pair(box, pair), "what a dictionary takes")
        for key, value in more.items():
            self.write(box, key, value)

    def _merge_in(self, box: DictBox, other: DictBox) -> None:
        if other is box:
            return
        order = self.order(other)
        if order is None:
            rows = ListBox(self.rows(other, "items"), self.worlds.world)
            self.reader.loops.run_through(rows, lambda pair: self.write(box, *pair), "a dictionary")
            return
        for key in order:
            entry = other.content[key]
            self.worlds.choose(entry.present, functools.partial(self.write, box, entry.key, entry.value), lambda: None)

    def _write_pair(self, box: DictBox, pair: Any) -> None:
        items = self.reader.sequences.items(pair, "a pair of key and value")
        if len(items) != 2:
            self.worlds.fail(failure_like(ValueError(), f"a pair of key and value has {len(items)} items."))
        self.write(box, *items)

    def copy(self, box: DictBox) -> DictBox:
        return DictBox(dict(box.content), self.worlds.world, box.python, box.factory)

    def clear(self, box: DictBox) -> None:
        self.worlds.replace(box, {})

    def merged(self, a: DictBox, b: DictBox) -> DictBox:
        """Return ``a | b``."""
        made = self.copy(a)
        self._merge_in(made, b)
        return made

    # -- counters ------------------------------------------------------------------------------------------------

    def count_up(self, box: DictBox, values: Any = (), **more: Any) -> None:
        """Implement Counter.update."""
        if isinstance(values, DictBox):
            pairs = ListBox(self.rows(values, "items"), self.worlds.world)
            self.reader.loops.run_through(pairs, lambda pair: self._add(box, pair[0], pair[1]), "a dictionary")
        else:
            self.reader.loops.run_through(values, lambda item: self._add(box, item, 1), "what is counted")
        for key, value in more.items():
            self._add(box, key, value)

    def _add(self, box: DictBox, key: Any, more: Any) -> None:
        if isinstance(key, Alternatives):
            self.worlds.each(key, lambda one: self._add(box, one, more))
            return
        old = self.get(box, key, 0)
        self.write(box, key, self.reader.operators.binary("add", old, more))

    def most_common(self, box: DictBox, n: Any = None) -> Any:
        rows = ListBox(self.rows(box, "items"), self.worlds.world)
        ordered = self.reader.lists.sorted_by(rows, lambda row: row[1], reverse=True)
        if n is None:
            return ordered
        number = whole_number(self.reader, n)
        return self.reader.sequences.spread(
            [number], lambda known: self.reader.sequences.read(ordered, slice(0, max(known, 0)))
        )

    def total(self, box: DictBox) -> Any:
        return self.reader.calls.call(sum, [DictView(box, "values")], {})


DICT_METHODS: dict[str, Callable[..., Any]] = {
    "get": Dicts.get,
    "setdefault": Dicts.setdefault,
    "pop": Dicts.pop,
    "popitem": Dicts.popitem,
    "update": Dicts.update,
    "items": lambda dicts, box: DictView(box, "items"),
    "values": lambda dicts, box: DictView(box, "values"),
    "keys": lambda dicts, box: DictView(box, "keys"),
    "copy": Dicts.copy,
    "clear": Dicts.clear,
}
COUNTER_METHODS: dict[str, Callable[..., Any]] = {
    **DICT_METHODS,
    "update": Dicts.count_up,
    "most_common": Dicts.most_common,
    "total": Dicts.total,
}


def _range(stamp: Any) -> tuple[int, int]:
    """Return the earliest and latest possible insertion time of a key."""
    if not isinstance(stamp, Symbolic):
        return stamp, stamp
    values = stamp.term.values
    if isinstance(values, IntegerRange):
        return values.low, values.high
    if not isinstance(values, frozenset):
        return -1, sys.maxsize
    return min(values), max(values)


def _looked_up(key: Any) -> Any:
    """Return the lookup form of a key, in which keys that Python considers equal are equal."""
    if isinstance(key, Float):
        number = key.exact if isinstance(key, ExactFloat) else key.rounded
        return int(number) if number % 1 == 0 else number
    return tuple([_looked_up(item) for item in key]) if isinstance(key, tuple) else key


def _again(like: tuple[Any, ...], row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row if type(like) is tuple else type(like)(*row)
