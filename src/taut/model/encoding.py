"""Values as JSON that come back as they were: numbers, databases, outputs, domains."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.domains import Domain
from taut.errors import InvalidInput
from taut.numbers import INFINITY, Ball, ball_of, exact_text

__all__ = ["decoded", "encoded"]


def encoded(value: Any, what: str) -> Any:
    """A value as JSON has it; ``what`` it is, for the refusal.

    >>> from taut import bits
    >>> encoded((1, Fraction(1, 5), "a"), "y")
    [1, {'fraction': '1/5'}, 'a']
    >>> decoded(encoded({"x": bits(2)}, "arguments"))
    {'x': Domain(n=2, values=(0, 1), name='bits(2)', bare=False)}

    Raises
    ------
    InvalidInput
        The value is of a kind that cannot be written, such as a function.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"infinity": True} if value == INFINITY else {"float": value.hex()}
    if isinstance(value, Fraction):
        return {"fraction": exact_text(value)}
    if isinstance(value, Ball):
        mid, radius = value.__reduce__()[1]
        return {"ball": [*mid, *radius]}
    if isinstance(value, Domain):
        parts = {"n": value.n, "values": encoded(value.values, what), "name": value.name, "bare": value.bare}
        return {"domain": parts}
    if isinstance(value, (tuple, list)):
        return [encoded(item, what) for item in value]
    if isinstance(value, (frozenset, set)):
        return {"set": [encoded(item, what) for item in sorted(value, key=repr)]}
    if isinstance(value, dict):
        return {"dict": [[encoded(key, what), encoded(item, what)] for key, item in value.items()]}
    raise InvalidInput(f"save: {what} cannot be written to a file: {value!r}.", value=value)


def decoded(written: Any) -> Any:
    """The value that was encoded.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError
        This was not written by ``encoded``.
    """
    if isinstance(written, list):
        return tuple(decoded(item) for item in written)
    if not isinstance(written, dict):
        return written
    ((kind, inner),) = written.items()
    return _KINDS[kind](inner)


def _domain(parts: dict[str, Any]) -> Domain:
    return Domain(int(parts["n"]), decoded(parts["values"]), str(parts["name"]), bool(parts["bare"]))


_KINDS: dict[str, Callable[[Any], Any]] = {
    "infinity": lambda _: INFINITY,
    "float": float.fromhex,
    "fraction": Fraction,
    "ball": lambda parts: ball_of((parts[0], parts[1]), (parts[2], parts[3])),
    "domain": _domain,
    "set": lambda items: frozenset(decoded(item) for item in items),
    "dict": lambda pairs: {decoded(key): decoded(item) for key, item in pairs},
}
