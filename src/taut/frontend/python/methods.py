"""Methods of lists, dictionaries, sets and random scalars."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from taut.errors import UnsupportedValue
from taut.frontend.python.operators import Operators
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
from taut.frontend.python.worlds import failure_like

__all__ = ["Methods"]


class Methods(Operators):
    """Method calls in the current world."""

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        raise NotImplementedError

    def method(self, owner: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """owner.name(*args)"""
        if isinstance(owner, Alternatives):
            return self.each(owner, lambda option: self.method(self.bound(option), name, args, keywords))
        for kind, table in ((ListBox, _LIST), (DictBox, _DICT), (SetBox, _SET), (tuple, _TUPLE)):
            if isinstance(owner, kind):
                action = table.get(name)
                if action is None:
                    message = f"{kind_of(owner)} has no method '{name}' that a mechanism can use."
                    return self.fail(failure_like(AttributeError(), message))
                try:
                    inspect.signature(action).bind(self, owner, *args, **keywords)
                except TypeError as problem:
                    return self.fail(failure_like(problem, f".{name}(...): {problem}."))
                return action(self, owner, *args, **keywords)
        if isinstance(owner, Symbolic):
            return self._scalar_method(owner, name, args)
        return self.native_method(owner, name, args, keywords)

    def native_method(self, owner: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _scalar_method(self, owner: Symbolic, name: str, args: Sequence[Any]) -> Any:
        for value in args:
            if not is_scalar(value):
                raise UnsupportedValue(f"'.{name}' of a random value takes ordinary arguments; got {kind_of(value)}.")
        return self.pointwise(_method_caller(name, tuple(args)), owner)

    # -- lists ---------------------------------------------------------------------------------------------------

    def append(self, box: ListBox, value: Any) -> None:
        self.refuse_if_running(box)
        self.change(box)
        for items in box.lists:
            items.append(value)

    def extend(self, box: ListBox, values: Any) -> None:
        self.refuse_if_running(box)
        rows = self.rows(values)
        if len(rows) == 1:
            more = list(rows[0][1])
            self.change(box)
            for items in box.lists:
                items.extend(more)
        else:
            self.replace(box, self.binary("add", box, ListBox(Cases(rows), self.world)).content)

    def insert(self, box: ListBox, index: Any, value: Any) -> None:
        self.refuse_if_running(box)
        self.change(box)
        if not isinstance(index, Symbolic):
            for items in box.lists:
                items.insert(index, value)
            return
        for items in box.lists:
            place = self._within(index, len(items))
            row = list(items)
            items.append(None)
            for spot in range(len(items)):
                here = self.truth(self.compare("eq", place, spot))
                later = self.truth(self.compare("lt", place, spot))
                kept = row[spot] if spot < len(row) else row[-1] if row else value
                moved = row[spot - 1] if spot > 0 else kept
                items[spot] = self.merge(here, value, self.merge(later, moved, kept))

    def pop(self, box: ListBox, index: Any = -1) -> Any:
        found = self.read(box, index)
        self.remove_at(box, index)
        return found

    def remove_at(self, box: ListBox, index: Any) -> None:
        """Take out the item at a place; the place has been checked by reading there."""
        self.refuse_if_running(box)
        if isinstance(index, Alternatives):
            self.each(index, lambda option: self.remove_at(box, self.bound(option)))
            return
        self.change(box)
        kept = []
        for items in box.lists:
            if not items:
                continue
            if isinstance(index, Symbolic):
                place = self._within(index, len(items))
                for spot in range(len(items) - 1):
                    gone = self.truth(self.compare("le", place, spot))
                    items[spot] = self.merge(gone, items[spot + 1], items[spot])
                items.pop()
            elif -len(items) <= index < len(items):
                items.pop(index)
            else:
                continue
            kept.append(items)
        if isinstance(box.content, Cases):
            box.content = Cases([case for case in box.content.options if any(case[1] is items for items in kept)])

    def _within(self, index: Symbolic, length: int) -> Any:
        """A random place counted from the front."""
        negative = self.truth(self.compare("lt", index, 0))
        return self.merge(negative, self.binary("add", index, length), index)

    def remove(self, box: ListBox, value: Any) -> None:
        self.remove_at(box, self.index(box, value))

    def index(self, box: Any, value: Any, start: int = 0) -> Any:
        return self.per_length(box, lambda items: self._first(items, value, start))

    def _first(self, items: Sequence[Any], value: Any, start: int) -> Any:
        tests = [self.truth(self.compare("eq", item, value)) for item in items[start:]]
        missing = self.terms.negate(self.terms.any(*tests))
        self.must_not(missing, failure_like(ValueError(), f"index: {_lacking(items, value)} may not be in the list."))
        place: Any = None
        for spot in reversed(range(len(tests))):
            if tests[spot] is not self.terms.false:
                place = spot + start if place is None else self.merge(tests[spot], spot + start, place)
        return place

    def count(self, box: Any, value: Any) -> Any:
        return self.per_length(
            box, lambda items: self.add_up([self.wrap(self.truth(self.compare("eq", item, value))) for item in items])
        )

    def sort(self, box: ListBox, *, key: Any = None, reverse: Any = False) -> None:
        self.refuse_if_running(box)
        self.change(box)
        for items in box.lists:
            items[:] = self.sorted_items(items, key, reverse)

    def reverse(self, box: ListBox) -> None:
        self.refuse_if_running(box)
        self.change(box)
        for items in box.lists:
            items.reverse()

    def clear(self, box: ListBox) -> None:
        self.refuse_if_running(box)
        self.replace(box, [])

    def copy(self, box: ListBox) -> Any:
        return self.mapped(box, list)

    def sorted_items(self, items: Sequence[Any], key: Any, reverse: Any) -> list[Any]:
        """The items in order, equal ones as they were: by Python if all keys are ordinary, else by a network."""
        keys = [item if key is None else self.call(key, [item], {}) for item in items]
        if isinstance(reverse, Symbolic):
            raise UnsupportedValue("sorted(reverse=...): whether to reverse must be ordinary.")
        if all(is_scalar(k) for k in keys):
            try:
                order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(reverse))
            except TypeError as problem:
                return self.fail(failure_like(problem))
            return [items[place] for place in order]
        # Neighbours change places only if they are in the wrong order, so the network is stable.
        rows = list(zip(keys, items, strict=True))
        for stop in range(len(rows) - 1, 0, -1):
            for place in range(stop):
                (key_a, a), (key_b, b) = rows[place], rows[place + 1]
                swap = self.truth(self.compare("lt", key_a, key_b) if reverse else self.compare("lt", key_b, key_a))
                rows[place] = (self.merge(swap, key_b, key_a), self.merge(swap, b, a))
                rows[place + 1] = (self.merge(swap, key_a, key_b), self.merge(swap, a, b))
        return [item for _, item in rows]

    # -- dictionaries --------------------------------------------------------------------------------------------

    def get(self, box: DictBox, key: Any, default: Any = None) -> Any:
        there = self.truth(self.contains(box, key))
        return self.choose(there, lambda: self.read(box, key), lambda: default)

    def setdefault(self, box: DictBox, key: Any, default: Any = None) -> Any:
        there = self.truth(self.contains(box, key))
        self.choose(there, lambda: None, lambda: self.write(box, key, default))
        return self.read(box, key)

    def pop_key(self, box: DictBox, key: Any, *default: Any) -> Any:
        value = self.get(box, key, *default) if default else self.read(box, key)
        content = self.change(box)
        content.pop(self.plain_key(key), None)
        return value

    def update(self, box: DictBox, other: Any = (), **more: Any) -> None:
        pairs = (
            [(key, other.content[key]) for key in self.keys(other)]
            if isinstance(other, DictBox)
            else (list(other.items()) if isinstance(other, dict) else [self.items(pair) for pair in self.items(other)])
        )
        for key, value in [*pairs, *more.items()]:
            self.write(box, key, value)

    def dict_items(self, box: DictBox) -> ListBox:
        return self.new_list([(key, box.content[key]) for key in self.keys(box)])

    def dict_values(self, box: DictBox) -> ListBox:
        return self.new_list([box.content[key] for key in self.keys(box)])

    def dict_keys(self, box: DictBox) -> ListBox:
        return self.new_list(self.keys(box))

    def dict_copy(self, box: DictBox) -> DictBox:
        return DictBox(dict(box.content), self.world)

    def clear_keys(self, box: DictBox) -> None:
        self.replace(box, {})

    # -- sets ----------------------------------------------------------------------------------------------------

    def add_element(self, box: SetBox, value: Any) -> None:
        self.change(box)[self.plain_key(value)] = True

    def discard(self, box: SetBox, value: Any) -> None:
        self.change(box).pop(self.plain_key(value), None)

    def remove_element(self, box: SetBox, value: Any) -> None:
        self.bound(box.content.get(self.plain_key(value), UNBOUND), f"the element {value!r}")
        self.discard(box, value)

    def set_copy(self, box: SetBox) -> SetBox:
        return SetBox(dict(box.content), self.world)


_LIST: dict[str, Callable[..., Any]] = {
    "append": Methods.append,
    "extend": Methods.extend,
    "insert": Methods.insert,
    "pop": Methods.pop,
    "remove": Methods.remove,
    "index": Methods.index,
    "count": Methods.count,
    "sort": Methods.sort,
    "reverse": Methods.reverse,
    "clear": Methods.clear,
    "copy": Methods.copy,
}
_TUPLE: dict[str, Callable[..., Any]] = {"index": Methods.index, "count": Methods.count}
_DICT: dict[str, Callable[..., Any]] = {
    "get": Methods.get,
    "setdefault": Methods.setdefault,
    "pop": Methods.pop_key,
    "update": Methods.update,
    "items": Methods.dict_items,
    "values": Methods.dict_values,
    "keys": Methods.dict_keys,
    "copy": Methods.dict_copy,
    "clear": Methods.clear_keys,
}
_SET: dict[str, Callable[..., Any]] = {
    "add": Methods.add_element,
    "discard": Methods.discard,
    "remove": Methods.remove_element,
    "copy": Methods.set_copy,
}


def _lacking(items: Sequence[Any], value: Any) -> str:
    """What is looked for in a list and may not be there, as far as that can be told."""
    if isinstance(value, Symbolic) and isinstance(value.term.values, frozenset):
        known = [item for item in items if is_scalar(item)]
        absent = sorted(repr(choice) for choice in value.term.values if choice not in known)
        return f"{kind_of(value)} ({', '.join(absent[:4])})"
    return kind_of(value)


@functools.lru_cache(maxsize=1024)
def _method_caller(name: str, args: tuple[Any, ...]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return getattr(value, name)(*args)

    call.__name__ = name
    return call
