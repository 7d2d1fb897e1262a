"""Operations of a program on values: Python's meaning, exactly, with floats read as decimals."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from taut.program import digits
from taut.support.errors import TautError, TooLarge
from taut.support.exact import exact, large

__all__ = [
    "MOST_CHARACTERS",
    "MOST_ITEMS",
    "UNDEFINED",
    "Operation",
    "Undefined",
    "operation",
    "pointwise",
    "require_items",
    "require_size",
    "require_text",
    "typed",
]


class Undefined:
    """The value of a failing operation; it may only occur on paths that are never taken."""

    def __bool__(self) -> NoReturn:
        raise AssertionError("the value of a failed operation is neither true nor false")

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = Undefined()


@dataclass(frozen=True, eq=False)
class Operation:
    """A pure function of values, known by its name."""

    name: str
    function: Callable[..., Any]

    def __call__(self, *values: Any) -> Any:
        """Return the value, or UNDEFINED where Python would raise."""
        for value in values:
            if value is UNDEFINED:
                return self._undefined(values)
        try:
            return self.function(*values)
        except TooLarge:
            raise
        except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, TautError):
            return UNDEFINED

    def _undefined(self, values: tuple[Any, ...]) -> Any:
        """Return the value with an undefined argument: False decides 'and', True decides 'or', else UNDEFINED."""
        if self.name == "defined":
            return False
        if self.name in ("and", "or"):
            absorbing = self.name == "or"
            if any(value is not UNDEFINED and bool(value) is absorbing for value in values):
                return absorbing
        return UNDEFINED

    def failure(self, *values: Any) -> str:
        """Return the reason why the operation fails on these values."""
        try:
            self.function(*values)
        except ZeroDivisionError:
            return "division by zero"
        except Exception as problem:
            return str(problem)
        return ""

    def __repr__(self) -> str:
        return self.name


def operation(name: str) -> Operation:
    """Return the built-in operation of that name."""
    return _OPERATIONS[name]


def pointwise(function: Callable[..., Any], name: str | None = None) -> Operation:
    """Return a pure function of ordinary values as an operation: the same object for the same function."""
    known = _POINTWISE.get(function)
    if known is None:
        known = _POINTWISE[function] = Operation(name or str(getattr(function, "__name__", "function")), function)
    return known


def typed(value: Any) -> Any:
    """Return a key that distinguishes 1 from True and Fraction(1), and 0.0 from -0.0, also inside tuples."""
    if type(value) is tuple:
        return (tuple, tuple([typed(item) for item in value]))
    if type(value) is float and value == 0:
        return (float, repr(value))
    return (type(value), value)


def _exact(function: Callable[..., Any]) -> Callable[..., Any]:
    def on_exact(*values: Any) -> Any:
        return function(*[exact(value) if type(value) is float else value for value in values])

    return on_exact


def _arithmetic(function: Callable[..., Any]) -> Callable[..., Any]:
    on_exact = _exact(function)
    return lambda *values: digits.within(on_exact(*values))


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, int) and not isinstance(exponent, bool) and exponent < 0 and isinstance(base, int):
        base = exact(base)
    result = digits.power(base, exponent)
    if isinstance(result, (float, complex)):
        raise ArithmeticError(f"{base} ** {exponent} is not a rational number")
    return result


def _true_division(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return exact(a) / b
    return a / b


def _invert(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError("~ on a Boolean; write 'not'")
    return ~value


def _times(a: Any, b: Any) -> Any:
    for text, count in ((a, b), (b, a)):
        if isinstance(text, (str, bytes, tuple)) and isinstance(count, int):
            require_size(len(text) * count, text)
    return a * b


def _conjunction(*values: bool) -> bool:
    return all(values)


def _disjunction(*values: bool) -> bool:
    return any(values)


def _sum(*values: Any) -> Any:
    total = values[0]
    if isinstance(total, (str, bytes, tuple)):
        require_size(sum(len(value) for value in values if isinstance(value, type(total))), total)
    for value in values[1:]:
        total = total + value
    return total


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": _arithmetic(_sum),
    "sub": _arithmetic(operator.sub),
    "mul": _arithmetic(_times),
    "truediv": _arithmetic(_true_division),
    "floordiv": _exact(operator.floordiv),
    "mod": _exact(operator.mod),
    "pow": _exact(_power),
    "neg": _exact(operator.neg),
    "pos": _exact(operator.pos),
    "abs": _exact(abs),
    "invert": _invert,
    "bitand": operator.and_,
    "bitor": operator.or_,
    "bitxor": operator.xor,
    "lshift": digits.shift_left,
    "rshift": operator.rshift,
    "eq": _exact(operator.eq),
    "ne": _exact(operator.ne),
    "lt": _exact(operator.lt),
    "le": _exact(operator.le),
    "gt": _exact(operator.gt),
    "ge": _exact(operator.ge),
    "same": lambda a, b: type(a) is type(b) and a == b,
    "min": _exact(min),
    "max": _exact(max),
    "truth": bool,
    "not": operator.not_,
    "and": _conjunction,
    "or": _disjunction,
}
_OPERATIONS = {name: Operation(name, function) for name, function in _FUNCTIONS.items()}
_OPERATIONS["defined"] = Operation("defined", lambda value: True)
_POINTWISE: dict[Callable[..., Any], Operation] = {}


MOST_ITEMS = 10_000_000
"""Limit for the items of one list or tuple, counting the parts of nested ones."""
MOST_CHARACTERS = 10_000_000
"""Limit for the characters of one text."""


def require_items(count: int, what: str = "a list or tuple here") -> None:
    """Refuse to make a sequence of ``count`` items if it is too long.

    >>> require_items(2**40, "itertools.product(...)")
    Traceback (most recent call last):
    ...
    taut.TooLarge: itertools.product(...) would have 1099511627776 items; at most 10000000 are followed. ...
    """
    if count > MOST_ITEMS:
        raise TooLarge(
            f"{what} would have {large(count)} items; at most {MOST_ITEMS} are followed. Make it shorter.", value=count
        )


def require_text(count: int) -> None:
    """Refuse to make a text of ``count`` characters if it is too long."""
    if count > MOST_CHARACTERS:
        raise TooLarge(
            f"a text here would have {large(count)} characters; at most {MOST_CHARACTERS} are followed.", value=count
        )


def require_size(count: int, like: str | bytes | tuple[object, ...]) -> None:
    """Refuse to make a text or tuple (of the type of ``like``) of ``count`` characters or items if it is too long."""
    if isinstance(like, tuple):
        require_items(count)
    else:
        require_text(count)
