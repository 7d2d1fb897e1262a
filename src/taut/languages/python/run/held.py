"""Arrays that hold numbers without a value, and additions of such numbers to arrays of plain ones in place.

An array of floats cannot hold what has no value. Python gives the name on the left of ``a += noise`` the result of the
operation, so that may be a new array, provided that nothing else refers to the old one. Where code puts such numbers
into places of an array, ``a[i] = noise``, it is run again with all new arrays made to hold objects. They compute as
NumPy's own as long as all that they hold is plain.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from taut.languages.python.scripted import active_script
from taut.support.errors import UnsupportedValue
from taut.support.options import active

__all__ = ["Valueless", "held_array", "holding", "holds_objects", "in_place", "settled"]


class Valueless:
    """A number without a value."""

    __slots__ = ()

    def as_scalar(self, of_numpy: bool = True) -> Any:
        """Return the same number as a scalar of NumPy's."""
        raise NotImplementedError


_COUNTING = False


def held_array(values: list[Any], shape: tuple[int, ...]) -> Any:
    """Return an array of objects, which may be numbers without a value."""
    import numpy as np

    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value.as_scalar() if isinstance(value, Valueless) else value
    return _shown(array.reshape(shape))


def settled(value: Any) -> Any:
    """Return an array of NumPy's own with the same numbers; other values, and arrays without values, as they are."""
    if type(value) is not _kind() or value._kept is None:
        return value
    import numpy as np

    values = list(np.asarray(value).flat)
    if any(isinstance(item, Valueless) for item in values):
        return value
    return np.array(values, dtype=value._kept).reshape(value.shape)


def holds_objects(array: Any) -> bool:
    """Return True for an array of objects, whatever type of number it says it holds."""
    return bool(array.__array_interface__["typestr"] == "|O")


@contextmanager
def holding() -> Iterator[None]:
    """Make all arrays that are made inside the ``with`` block able to hold numbers without a value."""
    import numpy as np

    known = {id(getattr(np, name)): getattr(np, name) for name in _MAKERS}
    made = {key: _maker(original) for key, original in known.items()}
    undone: list[tuple[dict[str, Any], str, Any]] = []
    for module in list(sys.modules.values()):
        if not isinstance(module, types.ModuleType) or (module.__name__.split(".")[0] in _INNER and module is not np):
            continue
        for name, value in list(vars(module).items()):
            if id(value) in known:
                undone.append((vars(module), name, value))
                vars(module)[name] = made[id(value)]
    _HOLDING.append(True)
    try:
        yield
    finally:
        _HOLDING.pop()
        for names, name, value in undone:
            names[name] = value


_HOLDING: list[bool] = []
_OURS = str(Path(__file__).parents[3])
_INNER = frozenset({"numpy", "taut", "scipy", "sklearn", "pandas", "numba"})
"""Packages whose own arrays stay as they are."""
_MAKERS = (
    *("zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like"),
    *("array", "asarray", "copy", "arange", "linspace", "bincount", "eye", "identity"),
)


def _maker(original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the same arrays, but such that hold numbers without a value."""
    import numpy as np

    @functools.wraps(original)
    def make(*args: Any, **keywords: Any) -> Any:
        if sys._getframe(1).f_code.co_filename.startswith(_OURS):
            return original(*args, **keywords)
        if original in (np.array, np.asarray, np.copy) and args:
            objects = np.array(args[0], dtype=object)
            if any(isinstance(item, Valueless) for item in objects.flat):
                dtype = keywords.get("dtype", args[1] if len(args) > 1 and original is not np.copy else None)
                return _shown(objects, None if dtype is None else np.dtype(dtype))
        return _held(original(*map(settled, args), **{key: settled(value) for key, value in keywords.items()}))

    return make


def _held(made: Any) -> Any:
    """Return an array that NumPy made as one that can hold numbers without a value; other values as they are."""
    import numpy as np

    if isinstance(made, tuple):
        return tuple(map(_held, made))
    if type(made) is not np.ndarray or made.dtype.kind not in "biuf" or made.ndim == 0:
        return made
    return _objects(made).view(_kind())._as(made.dtype)


def _objects(plain: Any) -> Any:
    """Return an array of the scalars of a plain one."""
    import numpy as np

    array = np.empty(plain.size, dtype=object)
    for place, value in enumerate(plain.flat):
        array[place] = value
    return array.reshape(plain.shape)


def _shown(objects: Any, dtype: Any = None) -> Any:
    """Return an array of objects that says it is one of numbers, if it holds only such."""
    import numpy as np

    if dtype is None:
        kinds = {
            bool if isinstance(v, bool) else int if isinstance(v, (int, np.integer)) else float for v in objects.flat
        }
        if kinds <= {int, float} and all(isinstance(v, (int, float, np.number)) for v in objects.flat):
            dtype = np.dtype(np.float64 if float in kinds else np.int64)
    return objects.view(_kind())._as(dtype)


def in_place(ufunc: Any, method: str, inputs: tuple[Any, ...], out: tuple[Any, ...], noise: Any) -> Any:
    """Return the new array that takes the place of ``out`` in ``out = ufunc(out, ...)``, or refuse.

    ``noise`` is an input that has no value, whose class calls this.
    """
    import numpy as np

    references = sys.getrefcount(out[0])
    if _COUNTING:
        return references
    target = out[0]
    alone = type(target) is np.ndarray and target.base is None and references <= _references(noise)
    if method != "__call__" or target is not inputs[0] or not alone:
        tree: Any = active_script()
        return tree.refuse(
            UnsupportedValue(
                f"'{tree.name}': random numbers that have no value yet are put into an array that something else "
                "refers to as well. Write a = a + noise in place of a += noise, and leave out=... out.",
                value=tree.name,
            )
        )
    made = np.asarray(ufunc(target.astype(object), *[_plain(value) for value in inputs[1:]]))
    if made.shape != target.shape:
        raise ValueError(f"non-broadcastable output operand with shape {target.shape} doesn't match {made.shape}")
    if target.dtype.kind in "iu" and any(isinstance(value, float) for value in made.flat):
        raise TypeError(
            f"Cannot cast ufunc '{ufunc.__name__}' output from dtype('float64') to dtype('{target.dtype}') with "
            "casting rule 'same_kind'"
        )
    return made.view(_kind())


def _references(noise: Any) -> int:
    """Return the number of references to an array in ``a += noise`` that has no other name."""
    global _COUNTING
    if type(noise) not in _KNOWN:
        import numpy as np

        _COUNTING = True
        try:
            array: Any = np.zeros(1)
            array += noise
        finally:
            _COUNTING = False
        _KNOWN[type(noise)] = array
    return _KNOWN[type(noise)]


_KNOWN: dict[type, int] = {}


def _plain(value: Any) -> Any:
    import numpy as np

    return np.asarray(value) if type(value) is _kind() else value


@functools.cache
def _kind() -> Any:
    """Return NumPy's class of arrays with operations that know numbers without a value."""
    import numpy as np

    class Held(np.ndarray):
        _kept: Any = None
        """The type of number that an array of NumPy's own would hold here."""

        def _as(self, dtype: Any) -> Held:
            self._kept = dtype
            return self

        def __array_finalize__(self, source: Any) -> None:
            self._kept = getattr(source, "_kept", None) if holds_objects(self) else None

        @property
        def dtype(self) -> Any:
            return np.ndarray.dtype.__get__(self) if self._kept is None else self._kept

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **keywords: Any) -> Any:
            if out is not None and type(out[0]) is not Held:
                return in_place(ufunc, method, inputs, out, self)
            given = list(map(settled, inputs)) if _HOLDING else list(inputs)
            if _HOLDING and not any(type(value) is Held or isinstance(value, Valueless) for value in given):
                return _computed(ufunc, method, inputs, given, out, keywords)
            if len(inputs) == 1 and method == "__call__" and out is None and not keywords:
                return _each(ufunc, _plain(self))
            if out is not None:
                keywords["out"] = tuple(map(_plain, out))
            made = getattr(ufunc, method)(*map(_plain, inputs), **keywords)
            if out is not None:
                return out[0]
            return _shown(made) if isinstance(made, np.ndarray) and made.dtype == object else made

        def __array_function__(self, function: Any, kinds: Any, args: Any, keywords: Any) -> Any:
            if not _HOLDING or function.__name__ in _WRITING:
                return super().__array_function__(function, kinds, args, keywords)
            given = tuple(map(_settled_inside, args)), {k: _settled_inside(v) for k, v in keywords.items()}
            return _held(super().__array_function__(function, kinds, *given))

        def __getitem__(self, key: Any) -> Any:
            return super().__getitem__(_settled_inside(key))

        def __setitem__(self, key: Any, value: Any) -> None:
            key = _settled_inside(key)
            if self._kept is not None:
                value = _converted(value, self._kept)
                if value.ndim == 0 and not isinstance(super().__getitem__(key), np.ndarray):
                    value = value.item()
            super().__setitem__(key, value)

        def astype(self, dtype: Any, *args: Any, **keywords: Any) -> Any:
            plain = settled(self)
            if plain is not self:
                made = plain.astype(dtype, *args, **keywords)
                return _held(made) if _HOLDING else made
            if np.dtype(dtype).kind == "f" and (
                np.dtype(dtype).itemsize >= _DOUBLE or active().randomness != "machine"
            ):
                return self.copy()._as(np.dtype(dtype))
            return super().astype(dtype, *args, **keywords)

        def fill(self, value: Any) -> None:
            self[...] = value

    for name in _METHODS:
        setattr(Held, name, _method(name))
    Held.__module__, Held.__name__, Held.__qualname__ = "numpy", "ndarray", "ndarray"
    return Held


_DOUBLE = 8
"""Bytes of a double."""
_METHODS = (
    *("sum", "mean", "prod", "std", "var", "cumsum", "cumprod", "argsort", "argmax", "argmin", "max", "min", "dot"),
    *("round", "clip", "searchsorted", "tobytes", "all", "any", "nonzero", "trace", "tolist", "item"),
)
_WRITING = frozenset({"copyto", "put", "putmask", "place", "fill_diagonal", "put_along_axis"})
"""Functions of NumPy that write into an array that they are given."""


def _method(name: str) -> Callable[..., Any]:
    """Return a method that computes as NumPy does where all numbers of an array have values."""
    import numpy as np

    original = getattr(np.ndarray, name)

    @functools.wraps(original)
    def method(array: Any, *args: Any, **keywords: Any) -> Any:
        plain = settled(array)
        if plain is array:
            return original(array, *args, **keywords)
        made = original(plain, *map(settled, args), **keywords)
        return _held(made) if _HOLDING else made

    return method


def _each(ufunc: Any, objects: Any) -> Any:
    """Return what an operation makes of each number, with a value or without."""
    import numpy as np

    made = [ufunc(value) for value in objects.flat]
    if any(isinstance(value, Valueless) for value in made):
        return held_array(made, objects.shape)
    return np.array(made).reshape(objects.shape)


def _settled_inside(value: Any) -> Any:
    """Return a value with plain arrays in the place of held ones that hold plain numbers, also in lists and tuples."""
    if type(value) in (list, tuple):
        return type(value)(map(_settled_inside, value))
    return settled(value)


def _computed(ufunc: Any, method: str, inputs: Any, given: list[Any], out: Any, keywords: dict[str, Any]) -> Any:
    """Return what an operation of NumPy makes of plain numbers, which it may write into the array ``out``."""
    written = inputs[0] if method == "at" else None if out is None else out[0]
    if written is None:
        return _held(getattr(ufunc, method)(*given, **keywords))
    target = given[0] if method == "at" else settled(written)
    if method == "at":
        ufunc.at(*given)
    elif target is written:
        target = getattr(ufunc, method)(*given, **keywords)
    else:
        getattr(ufunc, method)(*given, out=(target,), **keywords)
    written[...] = target
    return written


def _converted(value: Any, dtype: Any) -> Any:
    """Return objects to put into an array of this type of number."""
    import numpy as np

    objects = np.asarray(_boxed(value) if isinstance(value, Valueless) else _plain(value))
    if objects.dtype != object:
        return _objects(objects.astype(dtype))
    convert: Any = {"i": int, "u": int, "b": bool}.get(dtype.kind)
    if dtype.kind == "f" and dtype.itemsize < _DOUBLE and active().randomness == "machine":
        convert = float  # it would be rounded
    parts = [
        (value if convert is None else convert(value)) if isinstance(value, Valueless) else dtype.type(value)
        for value in objects.flat
    ]
    made = np.empty(len(parts), dtype=object)
    for place, part in enumerate(parts):
        made[place] = part
    return made.reshape(objects.shape)


def _boxed(value: Any) -> Any:
    import numpy as np

    made = np.empty((), dtype=object)
    made[()] = value
    return made
