"""The values a mechanism computes with while it is read: ordinary Python, random scalars, boxes, and alternatives."""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from taut.algebra.expression import Expression, Frozen
from taut.errors import UnsupportedValue
from taut.frontend.python.classes import is_record
from taut.frontend.python.floats import Float
from taut.frontend.python.source import Source
from taut.ir import Term
from taut.ir.opaque import Opaque
from taut.numbers import Ball

__all__ = [
    "ENDED",
    "UNBOUND",
    "Alternatives",
    "Box",
    "Cases",
    "Code",
    "Deque",
    "DictBox",
    "Entry",
    "Followed",
    "Frame",
    "IteratorBox",
    "ListBox",
    "Members",
    "Method",
    "Partial",
    "Record",
    "SetBox",
    "Symbolic",
    "View",
    "has_symbolic",
    "is_foreign",
    "is_scalar",
    "kind_of",
    "same_spelling",
]


class Unbound(Opaque):
    """In place of the value of a variable that some runs have not set."""

    def __repr__(self) -> str:
        return "UNBOUND"


class Ended(Opaque):
    """In place of the next item of an iterator that has none."""

    def __repr__(self) -> str:
        return "ENDED"


UNBOUND = Unbound()
ENDED = Ended()


class Symbolic(Opaque):
    """A scalar that depends on inputs or coins.

    The reader never treats it as an ordinary object; ordinary Python code that does so is stopped here rather than
    misled by an identity comparison.
    """

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    def _refuse_question(self, question: str) -> NoReturn:
        raise UnsupportedValue(
            "a random value reached ordinary Python code that cannot follow it; write that code as a function "
            "marked @taut.helper, or inside the mechanism."
        )

    def __repr__(self) -> str:
        return f"<random {self.term!r}>"


@dataclass(frozen=True, eq=False)
class Alternatives(Opaque):
    """One of several unlike values; the guards exclude each other."""

    options: tuple[tuple[Term, Any], ...]


class Box(Opaque):
    """An object with identity that can be changed in place; its content is replaced or changed through worlds only.

    ``outside`` says that it stands for an object that exists outside the mechanism, which is read-only.
    """

    __slots__ = ("__weakref__", "content", "outside", "world")
    content: Any
    world: Any

    def __init__(self, content: Any, world: Any) -> None:
        self.content = content
        self.world = world
        self.outside = False


class Frame(Box):
    """The variables of one call, or of one comprehension; ``names`` are those that belong to it."""

    __slots__ = ("names",)

    def __init__(self, content: dict[str, Any], world: Any, names: frozenset[str]) -> None:
        super().__init__(content, world)
        self.names = names


@dataclass(eq=False)
class Cases(Opaque):
    """The content of a list whose length is random: for each length a guard and the items."""

    options: list[tuple[Term, list[Any]]]


class ListBox(Box):
    """A list; its content is a Python list, or Cases if its length is random."""

    __slots__ = ()

    @property
    def lists(self) -> list[list[Any]]:
        """All the lists that it can be."""
        return [items for _, items in self.content.options] if isinstance(self.content, Cases) else [self.content]


class Deque(ListBox):
    """A collections.deque without a longest length."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, slots=True)
class Entry(Opaque):
    """A key of a dictionary: when it is there, its value then, and when it was put in (which gives the order).

    ``key`` is the key as it was put in first: of True, 1 and 1.0, which are one key, the one that Python keeps.
    """

    present: Term
    value: Any
    stamp: Any
    key: Any


class DictBox(Box):
    """A dictionary with ordinary keys, each with an Entry; ``python`` is the class that Python has here.

    ``factory`` makes values of missing keys (defaultdict); it is None in other dictionaries.
    """

    __slots__ = ("factory", "python")

    def __init__(self, content: dict[Any, Entry], world: Any, python: type = dict, factory: Any = None) -> None:
        super().__init__(content, world)
        self.python = python
        self.factory = factory


class Members(dict[Any, Term]):
    """The content of a set: for each possible element the condition that it is there.

    ``spellings`` has for each the element that was put in first, which Python keeps: of True, 1 and 1.0 one of them.
    ``plain`` is a real set with the same history, as long as nothing about it is random: the order in which Python
    runs through a set depends on that history. ``shrunk`` says that elements may have been taken out.
    """

    plain: set[Any] | None = None
    shrunk = False
    _refuse_question = Opaque._refuse_question
    __bool__ = Opaque.__bool__  # type: ignore[attr-defined]
    __eq__ = Opaque.__eq__
    __ne__ = Opaque.__ne__

    def __init__(self, content: Mapping[Any, Term] | None = None) -> None:
        super().__init__({} if content is None else content)
        self.spellings: dict[Any, Any] = {}

    def spelled(self, element: Any) -> Any:
        """The element as it was put in first."""
        return self.spellings[element]

    def spell(self, element: Any, spelled: Any) -> None:
        """Remember how an element was put in."""
        self.spellings[element] = spelled

    def copy(self) -> Members:
        made = Members(self)
        made.spellings = self.spellings.copy()
        made.plain = None if self.plain is None else self.plain.copy()
        made.shrunk = self.shrunk
        return made


class SetBox(Box):
    """A set of ordinary elements; ``frozen`` if it cannot be changed."""

    __slots__ = ("frozen",)

    def __init__(self, content: Members, world: Any, frozen: bool = False) -> None:
        super().__init__(content, world)
        self.frozen = frozen


class IteratorBox(Box):
    """An iterator: ``kind`` says how it makes its items, the content how far it has come.

    ``owned`` says that only one holder knows it, so that nobody sees its state but who runs through it; ``node`` is
    the expression that made it.
    """

    __slots__ = ("kind", "node", "owned")

    def __init__(self, kind: Any, content: Any, world: Any, node: Any = None) -> None:
        super().__init__(content, world)
        self.kind = kind
        self.owned = False
        self.node = node


@dataclass(frozen=True, eq=False)
class View(Opaque):
    """The live keys, values or items of a dictionary."""

    box: DictBox
    part: str


@dataclass(frozen=True, eq=False)
class Record(Opaque):
    """An instance of a frozen dataclass with random fields."""

    python: type
    names: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Code(Opaque):
    """A function that is interpreted: its source, the names it sees, and whether it may branch on random values.

    Python's functions are equal if they are one object, and so are these.
    """

    source: Source
    name: str
    frames: tuple[Frame, ...]
    outside: Mapping[str, Any]
    defaults: tuple[Any, ...]
    keyword_defaults: Mapping[str, Any]
    may_branch: bool
    python: Any = None

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__


@dataclass(frozen=True, eq=False)
class Method(Opaque):
    """A method waiting for its arguments."""

    owner: Any
    name: str


@dataclass(frozen=True, eq=False)
class Partial(Opaque):
    """functools.partial of a function, or a method bound to its object."""

    function: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Followed(Opaque):
    """A function that is followed without a name in Python: its first argument is the reader."""

    function: Any


_PLAIN = (int, bool, float, str, bytes, Fraction, type(None), Ball, Float, Expression, Frozen)
_OPAQUE = (
    tuple,
    Box,
    Symbolic,
    Alternatives,
    Code,
    Method,
    Partial,
    Followed,
    Record,
    View,
    Unbound,
    Ended,
    type,
    range,
    slice,
    frozenset,
    types.ModuleType,
    Iterator,
)


def is_scalar(value: Any) -> bool:
    """Whether a value is a constant that a random value could have: immutable, no function, no container."""
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, _OPAQUE) or callable(value):
        return False
    return isinstance(value, (enum.Enum, complex, type(...), _Outcome)) or is_frozen_instance(value)


class _Outcome:
    """Marks of the front end itself that stand in terms."""


def is_frozen_instance(value: Any) -> bool:
    """Whether a value is an instance of a frozen dataclass, which nothing can change."""
    kind = type(value)
    return is_record(kind) and all(is_scalar(getattr(value, name, None)) for name in kind.__dataclass_fields__)


def is_foreign(value: Any) -> bool:
    """Whether a value is an object whose state and methods are not known to the reader."""
    if is_scalar(value) or isinstance(value, _OPAQUE) or callable(value):
        return isinstance(value, Iterator) and not isinstance(value, _PLAIN)
    return not isinstance(value, (list, dict, set, property))


def has_symbolic(value: Any) -> bool:
    """Whether a random value occurs anywhere in a value."""
    stack = [value]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is int or kind is str or kind is bool or item is None:
            continue
        if isinstance(item, (Symbolic, Alternatives, Cases)):
            return True
        if isinstance(item, (Box, tuple, Record)):
            if id(item) in seen:
                continue
            seen.add(id(item))
        if isinstance(item, Box):
            if isinstance(item, IteratorBox):
                return True
            item = item.content
            if isinstance(item, Cases):
                return True
            if isinstance(item, Members) and any(not hasattr(there, "value") for there in item.values()):
                return True
        if isinstance(item, Record):
            stack.extend(item.values)
        elif isinstance(item, View):
            stack.append(item.box)
        elif isinstance(item, Entry):
            if not hasattr(item.present, "value"):
                return True
            stack += (item.key, item.value)
        elif isinstance(item, Members):
            stack.extend(item.spellings.values())
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, (list, tuple, set, frozenset)):
            stack.extend(item)
        elif isinstance(item, slice):
            stack.extend((item.start, item.stop, item.step))
    return False


_NAMES: tuple[tuple[Any, str], ...] = (
    (Deque, "a deque"),
    (ListBox, "a list"),
    (DictBox, "a dictionary"),
    (SetBox, "a set"),
    (IteratorBox, "an iterator"),
    (View, "a view of a dictionary"),
    ((Code, Method, Partial, Followed), "a function"),
)


def same_spelling(a: Any, b: Any) -> bool:
    """Tell whether two equal keys look the same too, in their parts as well."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, (Symbolic, Alternatives)):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_spelling, a, b))
    if isinstance(a, frozenset):
        return all(any(same_spelling(p, q) for q in b) for p in a)
    return bool(a == b) and repr(a) == repr(b)


def kind_of(value: Any) -> str:
    """What a value is called in messages."""
    if isinstance(value, (Symbolic, Alternatives)):
        return "a random value"
    for kinds, name in _NAMES:
        if isinstance(value, kinds):
            return name
    if isinstance(value, Record):
        return f"a {value.python.__name__}"
    if callable(value):
        return "a function"
    if has_symbolic(value):
        return "a tuple with random values"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"
