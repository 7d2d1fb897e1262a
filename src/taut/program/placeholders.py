"""Objects that exist only while a program is read: no operator of Python, and no output, may take one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from taut.support.algebra.expression import Expression, Frozen
from taut.support.errors import Misreading, UnsupportedValue

__all__ = ["Internal", "Opaque", "plain_output"]

_QUESTIONS = (
    *("bool", "len", "iter", "reversed", "contains", "getitem", "hash", "index", "int", "float", "complex"),
    *("str", "format", "bytes", "eq", "ne", "lt", "le", "gt", "ge", "round", "trunc", "floor", "ceil"),
    *("neg", "pos", "abs", "invert", "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "or", "xor", "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow"),
    *("rlshift", "rrshift", "rand", "ror", "rxor"),
)


class Opaque:
    """An object that supports no operation but ``is``.

    Every object of Python is true, equal to itself only and hashed by its address unless its class says otherwise. For
    an object that stands for a random value these answers are wrong, and nobody sees it. So each such question is
    refused: a slip in the code that reads a mechanism becomes a refusal with a place, not a wrong probability.
    ``is`` and ``id(...)`` tell objects apart; tables are keyed by ``id(...)``.
    """

    __slots__ = ()

    def _refuse_question(self, question: str) -> NoReturn:
        raise UnsupportedValue(
            f"{type(self).__name__} was about to be taken for an ordinary value by Python's '{question}'; this is a "
            "fault of taut. Please report the mechanism."
        )


def _refusal(question: str) -> Callable[..., Any]:
    def refuse(self: Opaque, *_: object) -> Any:
        self._refuse_question(question)

    return refuse


for _question in _QUESTIONS:
    setattr(Opaque, f"__{_question}__", _refusal(_question))


class Internal:
    """A value that exists only while a program is read; in outputs it is replaced by an ordinary one."""

    __slots__ = ()


def plain_output(value: Any) -> Any:
    """Return an output as it is.

    Raises:
        Misreading: it is, or holds, an object of the reading, which equals nothing that a user could ask for.
    """
    if isinstance(value, (Internal, Expression, Frozen)):
        raise Misreading(
            f"an output is {value!r}, an object that only taut knows. This is a fault of taut, and no answer is given; "
            "please report it together with the mechanism.",
            value=value,
        )
    if isinstance(value, tuple):
        for item in value:
            plain_output(item)
    return value
