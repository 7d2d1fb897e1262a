"""Sets with ordinary elements; the presence of an element may be random."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like, refused_value
from taut.languages.python.floats import rounded
from taut.languages.python.values import Alternatives, DictView, ListBox, Members, SetBox, same_spelling
from taut.program import Term

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["FROZEN_METHODS", "SET_METHODS", "Sets"]

_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "bitor": operator.or_,
    "bitand": operator.and_,
    "sub": operator.sub,
    "bitxor": operator.xor,
}


class Sets:
    """Sets in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms

    def new(self, frozen: bool = False) -> SetBox:
        members = Members()
        members.plain = set()
        return SetBox(members, self.worlds.world, frozen)

    def of(self, values: Any, frozen: bool = False) -> SetBox:
        """Return a new set of the items of an iterable."""
        if isinstance(values, SetBox):
            return SetBox(values.content.copy(), self.worlds.world, frozen)
        box = self.new()
        self.update(box, values)
        box.frozen = frozen
        return box

    def certain(self, box: SetBox) -> list[Any] | None:
        """Return the elements if their presence is not random, else None; their spelling may be random."""
        if all(there is self.terms.true for there in box.content.values()):
            return [box.content.spelled(element) for element in box.content]
        return None

    def length(self, box: SetBox) -> Any:
        present = [self.worlds.wrap(there) for there in box.content.values()]
        return self.reader.operators.add_up(present) if present else 0

    def contains(self, box: SetBox, value: Any) -> Term:
        guards = self.reader.dicts.keys_of(value)
        tests = [self.terms.all(guard, box.content[k]) for guard, k, _ in guards if k in box.content]
        return self.terms.any(*tests)

    def rows(self, box: SetBox, ordered: bool = True) -> Any:
        """Return the elements as the content of a new list; ``ordered`` asks for Python's order."""
        members = self.certain(box)
        if members is not None and len(members) <= 1:
            return members
        order = self._order(box) if ordered else _any_order(box)
        spelled = box.content.spelled
        if members is not None:
            return [spelled(element) for element in order]
        made = ListBox([], self.worlds.world)
        for element in order:
            there = box.content[element]
            self.worlds.choose(
                there,
                lambda element=element: self.reader.lists.append(made, spelled(element)),  # type: ignore[misc]
                lambda: None,
            )
        return made.content

    def _order(self, box: SetBox) -> list[Any]:
        """Return Python's iteration order of the set, if it is known."""
        content = box.content
        whole = all(isinstance(element, int) for element in content)
        if content.plain is not None and whole:
            return list(content.plain)
        if whole and not content.shrunk and all(0 <= element < 8 for element in content):
            return sorted(content)  # small integers lie in the order of their values, however large the table is
        raise refused_value(
            "the order in which Python runs through this set is not fixed (it depends on hashes); "
            "run through sorted(...) of it."
        )

    # -- changes -------------------------------------------------------------------------------------------------

    def add(self, box: SetBox, value: Any) -> None:
        content = self.worlds.change(box)
        guards = self.reader.dicts.keys_of(value)
        if len(guards) == 1 and guards[0][0] is self.terms.true and content.plain is not None:
            content.plain.add(rounded(guards[0][2]))
        else:
            content.plain = None
        for guard, element, spelled in guards:
            there = content.get(element)
            if there is None:
                content[element] = guard
                content.spell(element, spelled)
                continue
            new = self.terms.all(guard, self.terms.negate(there))
            if new is not self.terms.false:
                content.spell(element, self.worlds.spelled(new, spelled, content.spelled(element)))
            content[element] = self.terms.any(there, guard)

    def discard(self, box: SetBox, value: Any) -> None:
        content = self.worlds.change(box)
        guards = self.reader.dicts.keys_of(value)
        if len(guards) == 1 and guards[0][0] is self.terms.true and content.plain is not None:
            content.plain.discard(guards[0][1])
        else:
            content.plain = None
        content.shrunk = True
        for guard, element, _ in guards:
            there = content.get(element)
            if there is None:
                continue
            left = self.terms.all(there, self.terms.negate(guard))
            if left is self.terms.false:
                del content[element]
            else:
                content[element] = left

    def remove(self, box: SetBox, value: Any) -> None:
        missing = self.terms.negate(self.contains(box, value))
        self.worlds.must_not(missing, failure_like(KeyError(), "remove: the element may not be in the set."))
        self.discard(box, value)

    def clear(self, box: SetBox) -> None:
        members = Members()
        members.plain = set()
        self.worlds.replace(box, members)

    def copy(self, box: SetBox) -> SetBox:
        return SetBox(box.content.copy(), self.worlds.world, box.frozen)

    def update(self, box: SetBox, *others: Any) -> None:
        for other in others:
            if isinstance(other, Alternatives):
                self.worlds.each(other, lambda option: self.update(box, option))
            elif isinstance(other, SetBox):
                self.combine_in_place("bitor", box, other)
            else:
                self.reader.loops.run_through(other, lambda item: self.add(box, item), "what a set takes")

    def _become(self, box: SetBox, content: Members) -> None:
        self.worlds.replace(box, content)

    # -- algebra -------------------------------------------------------------------------------------------------

    def combined(self, name: str, a: SetBox, b: SetBox) -> SetBox:
        """Return a | b, a & b, a - b or a ^ b."""
        terms, false = self.terms, self.terms.false
        made = Members()
        for element in dict.fromkeys([*a.content, *b.content]):
            p, q = a.content.get(element, false), b.content.get(element, false)
            if name == "bitor":
                there = terms.any(p, q)
            elif name == "bitand":
                there = terms.all(p, q)
            elif name == "sub":
                there = terms.all(p, terms.negate(q))
            else:
                there = terms.any(terms.all(p, terms.negate(q)), terms.all(q, terms.negate(p)))
            if there is not false:
                made[element] = there
                made.spell(element, self._kept(name, element, a, b))
        # Python takes elements out of a copy for a - b and a ^ b
        made.shrunk = a.content.shrunk or b.content.shrunk or name not in ("bitor", "bitand")
        if a.content.plain is not None and b.content.plain is not None:
            made.plain = _PLAIN[name](a.content.plain, b.content.plain)
        return SetBox(made, self.worlds.world, a.frozen)

    def _kept(self, name: str, element: Any, a: SetBox, b: SetBox) -> Any:
        """Return the spelling that Python keeps of two equal elements: in an intersection, that of the smaller set."""
        p, q = a.content, b.content
        if element not in p or element not in q:
            return (p if element in p else q).spelled(element)
        if same_spelling(p.spelled(element), q.spelled(element)) or name == "sub":
            return p.spelled(element)
        test = p[element]
        if name == "bitand":
            larger = self.reader.comparisons.compare("gt", self.length(b), self.length(a))
            test = self.reader.operators.truth(larger)
        return self.worlds.spelled(test, p.spelled(element), q.spelled(element))

    def combine_in_place(self, name: str, a: SetBox, b: SetBox) -> SetBox:
        """Apply a |= b and the like: the set changes in place, unless it is frozen."""
        made = self.combined(name, a, b)
        if a.frozen:
            return made
        if made.content.plain is not None:
            made.content.plain = _in_place(name, set(a.content.plain), b.content.plain)
        made.content.shrunk = made.content.shrunk or name != "bitor"
        self._become(a, made.content)
        return a

    def subset(self, a: SetBox, b: SetBox) -> Term:
        """Return the condition a <= b."""
        terms, false = self.terms, self.terms.false
        return terms.all(
            *[terms.any(terms.negate(p), b.content.get(element, false)) for element, p in a.content.items()]
        )

    def equal(self, a: SetBox, b: SetBox) -> Term:
        return self.terms.all(self.subset(a, b), self.subset(b, a))

    def as_set(self, value: Any) -> SetBox:
        """Return the argument of a set method as a set."""
        return value if isinstance(value, SetBox) else self.of(value)

    def shared(self, box: SetBox, other: Any) -> SetBox:
        """Return a new set of the common elements."""
        made = self.new()

        def keep(option: Any) -> None:
            both = self.combined("bitand", box, option) if isinstance(option, SetBox) else self._found(box, option)
            self._become(made, both.content)

        self.worlds.each(other, keep)
        return made

    def _found(self, box: SetBox, items: Any) -> SetBox:
        """Return a new set of those items that are in a set, with the spelling of the items."""
        made = self.new()

        def add(item: Any) -> None:
            self.worlds.choose(self.contains(box, item), lambda: self.add(made, item), lambda: None)

        self.reader.loops.run_through(items, add, "what a set is compared with")
        return made

    def without(self, box: SetBox, other: Any) -> None:
        """Remove all items of an iterable from a set."""

        def take(option: Any) -> None:
            if isinstance(option, SetBox):
                self.combine_in_place("sub", box, option)
            else:
                self.reader.loops.run_through(option, lambda item: self.discard(box, item), "what leaves a set")

        self.worlds.each(other, take)

    def of_view(self, name: str, a: Any, b: Any) -> SetBox:
        """Apply a set operator to dictionary keys or items; the result is a new set."""
        if name == "bitor":
            made = self.of(a)
            self.update(made, b)
        elif name == "sub":
            made = self.of(a)
            self.without(made, b)
        elif name == "bitand" and not (isinstance(a, DictView) and isinstance(b, DictView)):
            view, other = (a, b) if isinstance(a, DictView) else (b, a)
            if isinstance(other, SetBox) and not other.frozen:  # keeps equal elements of the view, unless it is larger
                made = self.combined(name, other, self.of(view))
            else:
                rows = self.rows(other, ordered=False) if isinstance(other, SetBox) else None
                made = self._found(self.of(view), other if rows is None else ListBox(rows, self.worlds.world))
        else:
            made = self.combined(name, self.of(a), self.of(b))
        if name in ("bitand", "bitxor"):
            made.content.plain = None  # Python puts the elements in one by one, in an order of its own
            made.content.shrunk = True
        return made


def _any_order(box: SetBox) -> list[Any]:
    return list(box.content)


def _in_place(name: str, a: set[Any], b: set[Any]) -> set[Any]:
    """Change a real set in place as Python does."""
    if name == "bitor":
        a |= b
    elif name == "bitand":
        a &= b
    elif name == "sub":
        a -= b
    else:
        a ^= b
    return a


def _algebra(name: str) -> Callable[..., Any]:
    def method(sets: Sets, box: SetBox, *others: Any) -> Any:
        made = sets.copy(box)
        for other in others:
            if name == "bitand":
                made = sets.shared(made, other)
            elif isinstance(other, SetBox) or name == "bitxor":
                made = sets.combined(name, made, sets.as_set(other))
            else:
                made = SetBox(made.content.copy(), sets.worlds.world)
                (sets.update if name == "bitor" else sets.without)(made, other)
        made.frozen = box.frozen
        return made

    return method


def _algebra_in_place(name: str) -> Callable[..., Any]:
    def method(sets: Sets, box: SetBox, *others: Any) -> None:
        for other in others:
            if name == "bitxor":
                sets.combine_in_place(name, box, sets.as_set(other))
            elif name == "bitand":
                sets._become(box, sets.shared(box, other).content)
            else:
                sets.without(box, other)

    return method


def _disjoint(sets: Sets, box: SetBox, other: Any) -> Any:
    common = sets.length(sets.combined("bitand", box, sets.as_set(other)))
    return sets.reader.operators.negated(common)


FROZEN_METHODS: dict[str, Callable[..., Any]] = {
    "copy": Sets.copy,
    "union": _algebra("bitor"),
    "intersection": _algebra("bitand"),
    "difference": _algebra("sub"),
    "symmetric_difference": _algebra("bitxor"),
    "issubset": lambda sets, box, other: sets.worlds.wrap(sets.subset(box, sets.as_set(other))),
    "issuperset": lambda sets, box, other: sets.worlds.wrap(sets.subset(sets.as_set(other), box)),
    "isdisjoint": _disjoint,
}
SET_METHODS: dict[str, Callable[..., Any]] = {
    **FROZEN_METHODS,
    "add": Sets.add,
    "discard": Sets.discard,
    "remove": Sets.remove,
    "clear": Sets.clear,
    "update": Sets.update,
    "intersection_update": _algebra_in_place("bitand"),
    "difference_update": _algebra_in_place("sub"),
    "symmetric_difference_update": _algebra_in_place("bitxor"),
}
