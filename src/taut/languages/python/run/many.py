"""Calls that draw many numbers at once: ``size=`` of NumPy's functions, and ``k=`` of random.choices."""

from __future__ import annotations

import random
import types
from dataclasses import dataclass
from typing import Any

from taut.languages.python.floats import Float

__all__ = ["OneOfMany", "one_of_many"]

_PLACES = {
    "random": 0,
    "random_sample": 0,
    "randint": 2,
    "integers": 2,
    "choice": 1,
    "binomial": 2,
    "geometric": 1,
    "poisson": 1,
    "uniform": 2,
}
"""Functions of NumPy whose draws are independent, with the place of the argument ``size``."""
_MOST = 100_000


@dataclass(frozen=True)
class OneOfMany:
    """The arguments of one of ``count`` draws; ``listed`` if they come as a list, and each alone as a list of one."""

    count: int
    args: list[Any]
    keywords: dict[str, Any]
    listed: bool = False


def one_of_many(function: Any, args: list[Any], keywords: dict[str, Any]) -> OneOfMany | None:
    """Return how to make the draws of a call one by one; None if it makes one, or they are not independent."""
    name = getattr(function, "__name__", "")
    if name == "choices" and isinstance(getattr(function, "__self__", None), random.Random):
        count = _count(keywords.get("k"))
        return None if count is None else OneOfMany(count, args, {**keywords, "k": 1}, True)
    if not _is_of_numpy(function) or "dtype" in keywords or "out" in keywords:
        return None
    if name == "rand":
        count = _count(args[0]) if len(args) == 1 and not keywords else None
        return None if count is None else OneOfMany(count, [], {})
    place = _PLACES.get(name)
    if place is None or len(args) > place + 1:
        return None
    count = _count(args[place] if len(args) > place else keywords.get("size"))
    if count is None or keywords.get("replace", True) is not True:
        return None
    rest = {key: value for key, value in keywords.items() if key != "size"}
    lists = () if name != "choice" else (*args[:1], rest.get("a"), rest.get("p"))
    for value in [*args[:place], *rest.values()]:
        if not isinstance(value, (int, float, Float)) and not any(value is known for known in lists):
            return None
    return OneOfMany(count, args[:place], rest)


def _count(size: Any) -> int | None:
    if isinstance(size, tuple) and len(size) == 1:
        (size,) = size
    return size if type(size) is int and 0 <= size <= _MOST else None


def _is_of_numpy(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return str(getattr(function, "__module__", "")).startswith("numpy")
    return type(owner).__module__.startswith("numpy")
