"""Placeholder values, on which Python's own operators must not give an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from taut.support.errors import UnsupportedValue

__all__ = ["Opaque"]

_QUESTIONS = (
    *("bool", "len", "iter", "reversed", "contains", "getitem", "hash", "index", "int", "float", "complex"),
    *("str", "format", "bytes", "eq", "ne", "lt", "le", "gt", "ge", "round", "trunc", "floor", "ceil"),
    *("neg", "pos", "abs", "invert", "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "or", "xor", "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow"),
    *("rlshift", "rrshift", "rand", "ror", "rxor"),
)


class Opaque:
    """An object that supports nothing but identity.

    Every object of Python is true, equal to itself only and hashed by its address unless its class says otherwise. For
    an object that stands for a random value these answers are wrong, and nobody sees it. So each such question is
    refused: a slip in the code that reads a mechanism becomes a refusal with a place, not a wrong probability.
    ``is`` and ``id(...)`` tell objects apart; tables are keyed by ``id(...)``.
    """

    __slots__ = ()

    def _refuse_question(self, question: str) -> NoReturn:
        raise UnsupportedValue(
            f"{type(self).__name__} was about to be taken for an ordinary value by Python's '{question}'; this is a "
            "fault of taut. Please report the mechanism.",
        )


def _refusal(question: str) -> Callable[..., Any]:
    def refuse(self: Opaque, *_: object) -> Any:
        self._refuse_question(question)

    return refuse


for _question in _QUESTIONS:
    setattr(Opaque, f"__{_question}__", _refusal(_question))
