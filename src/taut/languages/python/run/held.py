"""Arrays that hold numbers without a value, and additions of such numbers to arrays of plain ones in place.

An array of floats cannot hold what has no value. Python gives the name on the left of ``a += noise`` the result of the
operation, so that may be a new array, provided that nothing else refers to the old one.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from taut.languages.python.scripted import active_script
from taut.support.errors import UnsupportedValue

__all__ = ["held_array", "in_place"]

_COUNTING = False


def held_array(values: list[Any], shape: tuple[int, ...]) -> Any:
    """Return an array of objects, which may be numbers without a value."""
    import numpy as np

    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array.reshape(shape).view(_kind())


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
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **keywords: Any) -> Any:
            if out is not None and type(out[0]) is not Held:
                return in_place(ufunc, method, inputs, out, self)
            if out is not None:
                keywords["out"] = tuple(map(_plain, out))
            made = getattr(ufunc, method)(*map(_plain, inputs), **keywords)
            if out is not None:
                return out[0]
            return made.view(Held) if isinstance(made, np.ndarray) and made.dtype == object else made

    Held.__module__, Held.__name__, Held.__qualname__ = "numpy", "ndarray", "ndarray"
    return Held
