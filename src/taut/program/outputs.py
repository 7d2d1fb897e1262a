"""Conversion of outputs: objects that exist only while a program is read are replaced by ordinary values."""

from __future__ import annotations

from typing import Any

from taut.support.algebra.expression import Expression, Frozen
from taut.support.errors import Misreading

__all__ = ["Internal", "plain_output"]


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
