"""Values of the interpreter: ordinary Python values, random scalars, boxes, and alternatives."""

from __future__ import annotations

import collections
import enum
import importlib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from taut.languages.python.floats import Float
from taut.languages.python.kinds import is_record
from taut.languages.python.source import FunctionSource
from taut.program import Term
from taut.program.placeholders import Opaque
from taut.support.algebra.expression import Expression, Frozen
from taut.support.errors import UnsupportedValue
from taut.support.exact import Ball

__all__ = [
    "ENDED",
    "UNBOUND",
    "Alternatives",
    "Box",
    "Cases",
    "Code",
    "Deque",
    "DictBox",
    "DictEntry",
    "DictView",
    "DrawnArray",
    "Followed",
    "Formed",
    "Frame",
    "IteratorBox",
    "ListBox",
    "Members",
    "Method",
    "Partial",
    "RecordValue",
    "SetBox",
    "Symbolic",
    "Thinned",
    "Uniform",
    "has_symbolic",
    "is_foreign",
    "is_scalar",
    "is_scalar_or_random",
    "kind_of",
    "python_class",
    "same_spelling",
]


class Unbound(Opaque):
    """The value of an unset variable."""

    def __repr__(self) -> str:
        return "UNBOUND"


class Ended(Opaque):
    """The next item of an exhausted iterator."""

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


@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Opaque):
    """A number made of a uniform random one, which has no value: it is compared; ``cells`` are what that decides."""

    number: Any
    cells: Any
    name: str


@dataclass(frozen=True, eq=False)
class DrawnArray(Opaque):
    """The numbers of one call of NumPy's that draws many: they are taken by their places, or one after the other."""

    items: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Alternatives(Opaque):
    """One of several unlike values, with exclusive guards."""

    options: tuple[tuple[Term, Any], ...]


class Box(Opaque):
    """A mutable object with identity; its content is changed only through worlds.

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
    """The variables of one call or comprehension; ``names`` are its own."""

    __slots__ = ("names",)

    def __init__(self, content: dict[str, Any], world: Any, names: frozenset[str]) -> None:
        super().__init__(content, world)
        self.names = names


@dataclass(eq=False)
class Cases(Opaque):
    """The content of a list of random length: a guard and the items for each length."""

    options: list[tuple[Term, list[Any]]]


class Thinned(Cases):
    """The content of a list of uncertain items, in order, each with the condition of its presence.

    Sums, lengths and loops need the items one by one only. For other operations ``listed`` makes the cases of each
    length.
    """

    def __init__(self, parts: list[tuple[Term, Any]], listed: Callable[[list[tuple[Term, Any]]], Any]) -> None:
        self.parts = parts
        self.listed = listed
        self._options: tuple[int, Any] = (-1, None)

    @property
    def options(self) -> Any:  # type: ignore[override]
        if self._options[0] != len(self.parts):
            self._options = len(self.parts), self.listed(self.parts)
        return self._options[1]

    def copy(self) -> Thinned:
        return Thinned(list(self.parts), self.listed)


class ListBox(Box):
    """A list; its content is a Python list, or Cases if its length is random."""

    __slots__ = ()

    @property
    def lists(self) -> list[list[Any]]:
        """Return all the lists that it can be."""
        return [items for _, items in self.content.options] if isinstance(self.content, Cases) else [self.content]


class Deque(ListBox):
    """A collections.deque without maxlen."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, slots=True)
class DictEntry(Opaque):
    """A key of a dictionary: the condition of its presence, its value, and its insertion time (for the order).

    ``key`` is the first inserted form of the key, which Python keeps: True, 1 and 1.0 are one key. ``padded`` says that
    the value is 0 where the key is absent, so that a count can be read without asking.
    """

    present: Term
    value: Any
    stamp: Any
    key: Any
    padded: bool = False


class DictBox(Box):
    """A dictionary with ordinary keys, each with a DictEntry; ``python`` is its Python class.

    ``factory`` makes values of missing keys (defaultdict); it is None in other dictionaries. ``counts`` is True if
    missing keys are read as 0, so that integers are kept padded.
    """

    __slots__ = ("counts", "factory", "python")

    def __init__(self, content: dict[Any, DictEntry], world: Any, python: type = dict, factory: Any = None) -> None:
        super().__init__(content, world)
        self.python = python
        self.factory = factory
        self.counts = factory is int or python is collections.Counter


class Members(dict[Any, Term]):
    """The content of a set: for each possible element the condition of its presence.

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
        """Return the element as first inserted."""
        return self.spellings[element]

    def spell(self, element: Any, spelled: Any) -> None:
        """Store the spelling of an element as inserted."""
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
    """An iterator: ``kind`` makes its items, the content is its position.

    ``owned`` is True if only one holder knows it, so that its state is seen only by the loop over it; ``node`` is the
    expression that made it.
    """

    __slots__ = ("kind", "node", "owned")

    def __init__(self, kind: Any, content: Any, world: Any, node: Any = None) -> None:
        super().__init__(content, world)
        self.kind = kind
        self.owned = False
        self.node = node


@dataclass(frozen=True, eq=False)
class DictView(Opaque):
    """The live keys, values or items of a dictionary."""

    box: DictBox
    part: str


@dataclass(frozen=True, eq=False)
class RecordValue(Opaque):
    """An instance of a frozen dataclass with random fields."""

    python: type
    names: tuple[str, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Code(Opaque):
    """An interpreted function: its source, its visible names, and whether it may branch on random values.

    Python's functions are equal if they are one object, and so are these.
    """

    source: FunctionSource
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
    """A bound method of an interpreted value."""

    owner: Any
    name: str


@dataclass(frozen=True, eq=False)
class Partial(Opaque):
    """A functools.partial, or a method bound to its object."""

    function: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Followed(Opaque):
    """A function of the interpreter without a Python counterpart: its first argument is the reader."""

    function: Any


_PLAIN = (int, bool, float, str, bytes, Fraction, type(None), Ball, Float, Expression, Frozen)
_OPAQUE = (
    tuple,
    Box,
    Symbolic,
    Uniform,
    DrawnArray,
    Alternatives,
    Code,
    Method,
    Partial,
    Followed,
    RecordValue,
    DictView,
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
    """Return True if a value is a constant that a random value could have: immutable, no function, no container."""
    if isinstance(value, _PLAIN):
        return True
    if isinstance(value, _OPAQUE) or callable(value):
        return False
    return isinstance(value, (enum.Enum, complex, type(...), _Mark)) or is_frozen_instance(value)


class _Mark:
    """Internal markers that occur in terms."""


def is_frozen_instance(value: Any) -> bool:
    """Return True if a value is an instance of a frozen dataclass with immutable fields."""
    kind = type(value)
    return is_record(kind) and all(is_scalar(getattr(value, name, None)) for name in kind.__dataclass_fields__)


def is_scalar_or_random(value: Any) -> bool:
    """Return True if a value is a scalar, ordinary or random."""
    return isinstance(value, Symbolic) or is_scalar(value)


def is_foreign(value: Any) -> bool:
    """Return True if a value is an object with unknown state and methods."""
    if is_scalar(value) or isinstance(value, _OPAQUE) or callable(value):
        return isinstance(value, Iterator) and not isinstance(value, _PLAIN)
    return not isinstance(value, (list, dict, set, property))


@dataclass(frozen=True)
class Formed:
    """Items that a function gets as a list or as a NumPy array."""

    items: tuple[Any, ...]
    form: str = "list"

    def filled(self, items: list[Any]) -> Any:
        """Return the list or array of these items."""
        return items if self.form == "list" else importlib.import_module("numpy").array(items)


def has_symbolic(value: Any) -> bool:
    """Return True if a random value occurs anywhere in a value."""
    stack = [value]
    seen: set[int] = set()
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is int or kind is str or kind is bool or item is None:
            continue
        if isinstance(item, (Symbolic, Alternatives, Cases, Uniform, DrawnArray)):
            return True
        if isinstance(item, (Box, tuple, RecordValue)):
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
        if isinstance(item, RecordValue):
            stack.extend(item.values)
        elif isinstance(item, DictView):
            stack.append(item.box)
        elif isinstance(item, DictEntry):
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
    (DictView, "a view of a dictionary"),
    (DrawnArray, "an array of random numbers"),
    ((Code, Method, Partial, Followed), "a function"),
)


def same_spelling(a: Any, b: Any) -> bool:
    """Return True if two equal keys also look the same, including their parts."""
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
    """Return the description of a value for messages."""
    if isinstance(value, (Symbolic, Alternatives)):
        return "a random value"
    for kinds, name in _NAMES:
        if isinstance(value, kinds):
            return name
    if isinstance(value, RecordValue):
        return f"a {value.python.__name__}"
    if isinstance(value, Uniform):
        return "a uniform random number"
    if callable(value):
        return "a function"
    if has_symbolic(value):
        return "a tuple with random values"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def python_class(value: Any) -> type:
    """Return the Python class of a value."""
    if isinstance(value, Deque):
        return collections.deque
    if isinstance(value, ListBox):
        return list
    if isinstance(value, DictBox):
        return value.python
    if isinstance(value, SetBox):
        return frozenset if value.frozen else set
    if isinstance(value, RecordValue):
        return value.python
    if isinstance(value, Float):
        return float
    if isinstance(value, Uniform):
        return value.number.__class__  # type: ignore[no-any-return]
    if isinstance(value, (Code, Followed, Method, Partial)):
        return type(python_class)
    if isinstance(value, (IteratorBox, DictView)):
        raise UnsupportedValue(f"the class of {kind_of(value)} is not followed.")
    return type(value)
