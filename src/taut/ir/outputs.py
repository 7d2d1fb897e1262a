"""The gate between the reading of programs and their outputs: objects that only the reading knows do not pass."""

from __future__ import annotations

from typing import Any

from taut.algebra.expression import Expression, Frozen
from taut.errors import Misreading

__all__ = ["Internal", "plain_output"]


class Internal:
    """A value that only the reading of a program knows; it stands for another one in outputs."""

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
