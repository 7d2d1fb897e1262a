"""Attributes and methods that the interpreter supports, by the type of their owner."""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.dicts import COUNTER_METHODS, DICT_METHODS
from taut.languages.python.failures import failure_like, wrong_call
from taut.languages.python.floats import Float
from taut.languages.python.lists import DEQUE_METHODS, LIST_METHODS, TUPLE_METHODS
from taut.languages.python.sets import FROZEN_METHODS, SET_METHODS
from taut.languages.python.text import SCALAR_METHODS, SPLITTING_METHODS, STRING_METHODS
from taut.languages.python.values import (
    Alternatives,
    Code,
    Deque,
    DictBox,
    DictView,
    Followed,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    RecordValue,
    SetBox,
    Symbolic,
    is_foreign,
    is_scalar,
    kind_of,
    python_class,
)
from taut.support.errors import UnsupportedValue, meant

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Attributes"]

_TEXT_METHODS = STRING_METHODS | SPLITTING_METHODS | {"join", "format"}
_FLOAT_ATTRIBUTES: dict[str, Callable[[Float], Any]] = {"real": lambda value: value, "imag": lambda value: Float(0.0)}


class Attributes:
    """Attribute access in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds

    def get(self, owner: Any, name: str) -> Any:
        """owner.name"""
        if isinstance(owner, Alternatives):
            return self.worlds.each(owner, lambda option: self.get(option, name))
        table, _ = self._table(owner)
        if table is not None and name in table:
            return Method(owner, name)
        if isinstance(owner, tuple) and type(owner) is not tuple:
            return self._of_named(owner, name)
        if isinstance(owner, RecordValue):
            if name in owner.names:
                return owner.values[owner.names.index(name)]
            return self._of_class(owner, owner.python, name)
        if isinstance(owner, Symbolic):
            return self._of_random(owner, name)
        if isinstance(owner, (str, bytes, Float)):
            if isinstance(owner, Float) and name in _FLOAT_ATTRIBUTES:
                return _FLOAT_ATTRIBUTES[name](owner)
            return Method(owner, name)
        if table is not None or isinstance(owner, (tuple, IteratorBox, DictView, Code, Method, Partial, range)):
            if name == "__name__" and isinstance(owner, Code):
                return owner.name
            return self.missing(owner, python_class(owner), name)
        if is_foreign(owner):
            return self._of_foreign(owner, name)
        try:
            found = getattr(owner, name)
        except AttributeError as problem:
            return self.worlds.fail(failure_like(problem))
        return self.reader.import_outside(found)

    def _table(self, owner: Any) -> tuple[dict[str, Callable[..., Any]] | None, Any]:
        """Return the supported methods of a value, and the part of the reader that implements them."""
        reader = self.reader
        if isinstance(owner, Deque):
            return DEQUE_METHODS, reader.lists
        if isinstance(owner, ListBox):
            return LIST_METHODS, reader.lists
        if isinstance(owner, DictBox):
            return (COUNTER_METHODS if owner.python is collections.Counter else DICT_METHODS), reader.dicts
        if isinstance(owner, SetBox):
            return (FROZEN_METHODS if owner.frozen else SET_METHODS), reader.sets
        if isinstance(owner, tuple):
            return TUPLE_METHODS, reader.lists
        return None, None

    def call(self, method: Method, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """owner.name(*args)"""
        owner, name = method.owner, method.name
        table, part = self._table(owner)
        if table is not None:
            action = table[name]
            try:
                _signature(action).bind(part, owner, *args, **keywords)
            except TypeError as problem:
                return self.worlds.fail(wrong_call(f".{name}", _signature(action), problem, skip=2))
            return action(part, owner, *args, **keywords)
        return self.reader.text.method(owner, name, args, keywords)

    def missing(self, owner: Any, kind: type, name: str) -> Any:
        """Refuse an attribute that is not followed, or fail where Python has none either."""
        if hasattr(kind, name):
            raise UnsupportedValue(f"'.{name}' of {kind_of(owner)} is not followed.")
        hint = meant(name, [known for known in dir(kind) if not known.startswith("_")])
        return self.worlds.fail(failure_like(AttributeError(), f"{kind_of(owner)} has no attribute '{name}'.{hint}"))

    # -- classes -------------------------------------------------------------------------------------------------

    def _of_named(self, owner: Any, name: str) -> Any:
        """Return a field of a namedtuple, or an attribute of its class."""
        fields = type(owner)._fields
        if name in fields:
            return owner[fields.index(name)]
        if name == "_fields":
            return fields
        if name == "_replace":
            return Followed(lambda reader, **fields: _replaced(reader, owner, fields))
        if name == "_asdict":
            return Followed(lambda reader: reader.dicts.new(list(zip(fields, owner, strict=True))))
        return self._of_class(owner, type(owner), name)

    def _of_class(self, owner: Any, kind: type, name: str) -> Any:
        """Return the attribute of a class, bound to an instance that is read symbolically."""
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
            return self.reader.calls.call_function(found.fget, [owner], {})
        if isinstance(found, types.FunctionType):
            return Partial(found, (owner,))
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return Partial(found.__func__, (kind,))
        if found is None:
            return self.missing(owner, kind, name)
        return self.reader.import_outside(getattr(kind, name))

    def _of_random(self, owner: Symbolic, name: str) -> Any:
        values = owner.term.values
        known = list(values) if isinstance(values, frozenset) else self.reader.draws.possible_values(owner.term)
        if name in _TEXT_METHODS and any(isinstance(value, (str, bytes)) for value in known):
            return Method(owner, name)
        if name in SCALAR_METHODS:
            return Method(owner, name)
        if any(isinstance(value, Float) for value in known):
            return self.reader.sequences.spread([owner], lambda value: self.get(value, name))
        if any(callable(getattr(value, name, None)) for value in known):
            raise UnsupportedValue(f"the method '.{name}' of a random value is not followed.")
        if not any(hasattr(value, name) for value in known):
            message = f"{kind_of(owner)} ({known[0]!r}, say) has no attribute '{name}'."
            return self.worlds.fail(failure_like(AttributeError(), message))
        found = [getattr(value, name, None) for value in known]
        if all(is_scalar(self.reader.imported_scalar(item)) for item in found):
            return self.reader.operators.pointwise(_getter(name), owner)
        return self.reader.sequences.spread([owner], lambda value: self.get(value, name))

    def _of_foreign(self, owner: Any, name: str) -> Any:
        """Return an attribute of an unknown object; a stored one can be read in any world."""
        stored = getattr(owner, "__dict__", {})
        found = inspect.getattr_static(type(owner), name, None)
        simple = not hasattr(type(found), "__set__") and not isinstance(found, property)
        if name in stored and simple:
            return self.reader.import_outside(stored[name])
        if found is not None and not hasattr(type(found), "__get__"):
            return self.reader.import_outside(found)
        if isinstance(found, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType)):
            return getattr(owner, name)
        if isinstance(found, (staticmethod, classmethod)):
            return getattr(owner, name)
        return self.reader.foreign.call(_getter(name), [owner], {})


def _replaced(reader: Reader, owner: Any, changes: dict[str, Any]) -> Any:
    """namedtuple._replace"""
    fields = type(owner)._fields
    unknown = [name for name in changes if name not in fields]
    if unknown:
        return reader.worlds.fail(failure_like(ValueError(), f"_replace: got unexpected field names: {unknown}"))
    return type(owner)._make([changes.get(name, old) for name, old in zip(fields, owner, strict=True)])


_signature = functools.lru_cache(maxsize=1024)(inspect.signature)
_GETTERS: dict[str, Callable[[Any], Any]] = {}


def _getter(name: str) -> Callable[[Any], Any]:
    if name not in _GETTERS:

        def get(value: Any) -> Any:
            return getattr(value, name)

        get.__name__ = name
        _GETTERS[name] = get
    return _GETTERS[name]
