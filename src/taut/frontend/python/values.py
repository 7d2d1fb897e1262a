"""The values a mechanism computes with while it is read: ordinary Python, random scalars, boxes, and alternatives."""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.errors import UnsupportedValue
from taut.frontend.python.source import Source
from taut.ir import Term
from taut.numbers import Ball

__all__ = [
    "UNBOUND",
    "Alternatives",
    "Box",
    "Cases",
    "Code",
    "DictBox",
    "Frame",
    "Generator",
    "ListBox",
    "Method",
    "SetBox",
    "Symbolic",
    "has_symbolic",
    "is_scalar",
    "kind_of",
]


class Unbound:
    """In place of the value of a variable that some runs have not set."""

    def __repr__(self) -> str:
        return "UNBOUND"


UNBOUND = Unbound()


class Symbolic:
    """A scalar that depends on inputs or coins.

    The interpreter never treats it as an ordinary object; ordinary Python code that does so is stopped here rather
    than misled by an identity comparison.
    """

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    def _refuse(self, *_: object) -> Any:
        raise UnsupportedValue(
            "a random value reached ordinary Python code that cannot follow it; write that code as a function "
            "marked @taut.helper, or inside the mechanism."
        )

    __bool__ = __len__ = __iter__ = __hash__ = __index__ = __int__ = __float__ = __str__ = __format__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __xor__ = __rxor__ = __abs__ = __neg__ = _refuse

    def __repr__(self) -> str:
        return f"<random {self.term!r}>"


@dataclass(frozen=True, eq=False)
class Alternatives:
    """One of several unlike values; the guards exclude each other."""

    options: tuple[tuple[Term, Any], ...]


STAMPS = itertools.count()
"""The order in which boxes are made."""


class Box:
    """Something that can be changed in place; its content is replaced or changed by the interpreter only."""

    __slots__ = ("__weakref__", "content", "stamp", "world")
    content: Any
    world: Any
    stamp: int

    def __init__(self, content: Any, world: Any) -> None:
        self.content = content
        self.world = world
        self.stamp = next(STAMPS)


class Frame(Box):
    """The variables of one call, or of one comprehension; ``names`` are those that belong to it."""

    __slots__ = ("names",)

    def __init__(self, content: dict[str, Any], world: Any, names: frozenset[str]) -> None:
        super().__init__(content, world)
        self.names = names


@dataclass
class Cases:
    """The content of a list whose length is random: for each length a guard and the items."""

    options: list[tuple[Term, list[Any]]]


class ListBox(Box):
    """A list; its content is a Python list, or Cases if its length is random."""

    @property
    def lists(self) -> list[list[Any]]:
        """All the lists that it can be."""
        return [items for _, items in self.content.options] if isinstance(self.content, Cases) else [self.content]


class Generator(ListBox):
    """What a generator expression, zip and the like give: run through already, and to be used once.

    ``sources`` are the lists that it runs through, which must not change meanwhile.
    """

    sources: tuple[ListBox, ...] = ()
    taken = False


class DictBox(Box):
    """A dictionary with ordinary keys; a value may be unbound in some runs."""


class SetBox(Box):
    """A set of ordinary elements: each with True, or with alternatives of which one is unbound."""


@dataclass(frozen=True, eq=False)
class Code:
    """A function that is interpreted: its source, the names it sees, and whether it may branch on random values."""

    source: Source
    name: str
    frames: tuple[Frame, ...]
    outside: Mapping[str, Any]
    defaults: tuple[Any, ...]
    keyword_defaults: Mapping[str, Any]
    may_branch: bool


@dataclass(frozen=True, eq=False)
class Method:
    """A method of a box or of a random value, waiting for its arguments."""

    owner: Any
    name: str


_PLAIN = (int, bool, float, str, bytes, Fraction, type(None), Ball)
_OPAQUE = (tuple, Box, Symbolic, Alternatives, Code, Method, Unbound, type, range, types.ModuleType, Iterator)


def is_scalar(value: Any) -> bool:
    """Whether a value is a constant that a random value could have: hashable, no function, no container."""
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, _OPAQUE) or callable(value):
        return False
    try:
        hash(value)
    except TypeError:
        return False
    return True


def has_symbolic(value: Any) -> bool:
    """Whether a random value occurs anywhere in a value."""
    stack = [value]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        if isinstance(item, (Symbolic, Alternatives, Cases)):
            return True
        if isinstance(item, Box):
            if id(item) in seen:
                continue
            seen.add(id(item))
            item = item.content
            if isinstance(item, Cases):
                return True
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, (list, tuple, set, frozenset)):
            stack.extend(item)
    return False


def kind_of(value: Any) -> str:
    """What a value is called in messages."""
    if isinstance(value, (Symbolic, Alternatives)):
        return "a random value"
    for box, name in ((ListBox, "a list"), (DictBox, "a dictionary"), (SetBox, "a set"), (Code, "a function")):
        if isinstance(value, box):
            return name
    if callable(value):
        return "a function"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
