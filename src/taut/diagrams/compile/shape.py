"""The shape of outputs: the encoding of a returned value as a row of small output variables, and its decoding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from taut.program import Ite, Select, Term, Terms, Tuple, pointwise
from taut.program.program import reachable

__all__ = ["ABSENT", "END", "Bare", "Leaf", "Sequence_", "Shape", "Varying", "shape_of", "slots_of", "sort_key"]


@dataclass(frozen=True)
class Marker:
    """A symbol that stands in an output variable and is not a value of the program."""

    name: str

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        """Pickle a marker by its name, since markers are compared by identity."""
        return self.name


END = Marker("END")
"""Marks the end of a list: there is no item here."""
ABSENT = Marker("ABSENT")
"""Marks a further slot of a missing item."""
PRESENT = Marker("PRESENT")
"""Marks the presence of an item without slots of its own."""


@dataclass(frozen=True)
class Bare:
    """A value that is not a list, where other runs return lists."""

    value: Any


@dataclass(frozen=True)
class Inner:
    """A mark of an item, in the slot where the list around it puts its own."""

    mark: Any


@dataclass(frozen=True)
class Leaf:
    """A single value."""

    width: int = 1

    def encode(self, value: Any) -> Iterator[Any]:
        yield value

    def decode(self, slots: Iterator[Any]) -> Any:
        return next(slots)


@dataclass(frozen=True)
class Sequence_:  # noqa: N801 - 'Tuple' is a term and 'Sequence' an interface
    """A tuple that always has the same length."""

    items: tuple[Shape, ...]

    @property
    def width(self) -> int:
        return sum(item.width for item in self.items)

    def encode(self, value: Any) -> Iterator[Any]:
        if not isinstance(value, tuple) or len(value) != len(self.items):
            raise KeyError(value)
        for shape, item in zip(self.items, value, strict=True):
            yield from shape.encode(item)

    def decode(self, slots: Iterator[Any]) -> Any:
        return tuple([item.decode(slots) for item in self.items])


@dataclass(frozen=True)
class Varying:
    """A tuple whose length differs from run to run, or sometimes no tuple at all.

    Each item has at least one slot; in the first slot of an item that is not there stands END, in its others ABSENT.
    A value that is not a tuple stands, as Bare, in the first slot of all. Where an item has such marks itself, in its
    own first slot, they are wrapped as Inner.
    """

    items: tuple[Shape, ...]

    @property
    def width(self) -> int:
        return max(1, sum(max(1, item.width) for item in self.items))

    def encode(self, value: Any) -> Iterator[Any]:
        slots: list[Any] = []
        if not isinstance(value, tuple):
            slots = [Bare(value)]
        elif len(value) > len(self.items):
            raise KeyError(value)
        else:
            for shape, item in zip(self.items, value, strict=False):
                first, *rest = list(shape.encode(item)) or [PRESENT]
                slots += [_inner(first) if shape.width else first, *rest]
        yield from slots
        yield from self.padding(len(slots))

    def padding(self, filled: int) -> list[Any]:
        """Return the end marks for the slots after the first ``filled`` ones."""
        rest: list[Any] = []
        for item in self.items or (_LEAF,):
            rest += [END] + [ABSENT] * (max(1, item.width) - 1)
        return rest[filled:]

    def decode(self, slots: Iterator[Any]) -> Any:
        chosen = [next(slots) for _ in range(self.width)]
        if isinstance(chosen[0], Bare):
            return chosen[0].value
        items, start = [], 0
        for shape in self.items:
            if chosen[start] is END:
                break
            width = max(1, shape.width)
            first, *rest = chosen[start : start + width]
            own = [] if first is PRESENT else [first.mark if isinstance(first, Inner) else first, *rest]
            items.append(shape.decode(iter(own)))
            start += width
        return tuple(items)


Shape = Leaf | Sequence_ | Varying


def shape_of(output: Term) -> Shape:
    """Return the shape of everything that a term can return."""
    shapes: dict[Term, Shape] = {}
    for term in reachable([output]):
        if isinstance(term, Tuple):
            shapes[term] = Sequence_(tuple(shapes[item] for item in term.items))
        elif isinstance(term, Ite):
            shapes[term] = _merge(shapes[term.then], shapes[term.other])
        elif isinstance(term, Select) and term.items:
            merged = shapes[term.items[0]]
            for item in term.items[1:]:
                merged = _merge(merged, shapes[item])
            shapes[term] = merged
        else:
            shapes[term] = _LEAF
    return shapes[output]


def slots_of(terms: Terms, output: Term, shape: Shape) -> list[Term]:
    """Return the term of each output variable."""
    if isinstance(shape, Leaf):
        return [output]
    made: dict[tuple[Term, Shape], list[Term]] = {}
    stack: list[tuple[Term, Shape]] = [(output, shape)]
    while stack:
        key = stack[-1]
        missing = [need for need in _parts(*key) if need not in made]
        if missing:
            stack.extend(missing)
            continue
        made[key] = _spell(terms, *key, made)
        stack.pop()
    return made[output, shape]


def sort_key(value: Any) -> tuple[str, Any]:
    """Sort key for the values of a slot: numbers first, then others by type and text."""
    number = isinstance(value, (int, float)) or hasattr(value, "numerator")
    return ("", value) if number else (type(value).__name__, repr(value))


_LEAF = Leaf()
_BARE = pointwise(Bare, "bare")


def _inner(slot: Any) -> Any:
    return Inner(slot) if isinstance(slot, (Marker, Bare, Inner)) else slot


_INNER = pointwise(_inner)


def _merge(a: Shape, b: Shape) -> Shape:
    if a is b or a == b:
        return a
    if isinstance(a, Leaf) or isinstance(b, Leaf):
        items = a.items if not isinstance(a, Leaf) else b.items if not isinstance(b, Leaf) else ()
        return Varying(items)
    short, long = sorted((a.items, b.items), key=len)
    items = tuple(_merge(p, q) for p, q in zip(short, long, strict=False)) + long[len(short) :]
    fixed = isinstance(a, Sequence_) and isinstance(b, Sequence_) and len(short) == len(long)
    return Sequence_(items) if fixed else Varying(items)


def _parts(term: Term, shape: Shape) -> list[tuple[Term, Shape]]:
    """Return the parts of a term with their shapes."""
    if isinstance(shape, Leaf):
        return []
    if isinstance(term, Ite):
        return [(term.then, shape), (term.other, shape)]
    if isinstance(term, Select):
        return [(item, shape) for item in term.items]
    if isinstance(term, Tuple):
        return list(zip(term.items, shape.items, strict=False))
    return []


def _spell(terms: Terms, term: Term, shape: Shape, made: dict[tuple[Term, Shape], list[Term]]) -> list[Term]:
    if isinstance(shape, Leaf):
        return [term]
    if isinstance(term, Ite):
        pairs = zip(made[term.then, shape], made[term.other, shape], strict=True)
        return [terms.ite(term.test, then, other) for then, other in pairs]
    if isinstance(term, Select) and not term.items:
        return [term] * shape.width  # on a path that no run takes
    if isinstance(term, Select):
        rows = zip(*[made[item, shape] for item in term.items], strict=True)
        return [terms.select(term.index, term.keys, row) for row in rows]
    if isinstance(term, Tuple):
        spelled: list[Term] = []
        for part in _parts(term, shape):
            slots = made[part]
            if isinstance(shape, Varying):
                slots = [terms.apply(_INNER, slots[0]), *slots[1:]] if slots else [terms.const(PRESENT)]
            spelled += slots
    else:
        spelled = [terms.apply(_BARE, term)]
    if isinstance(shape, Varying):
        spelled += [terms.const(marker) for marker in shape.padding(len(spelled))]
    return spelled
