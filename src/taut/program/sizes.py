"""Limits on the sizes of texts and sequences made while a mechanism is read, checked before they are made."""

from __future__ import annotations

from taut.support.errors import TooLarge
from taut.support.exact import large

__all__ = ["MOST_CHARACTERS", "MOST_ITEMS", "require_items", "require_size", "require_text"]

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
            f"{what} would have {large(count)} items; at most {MOST_ITEMS} are followed. Make it shorter.",
            value=count,
        )


def require_text(count: int) -> None:
    """Refuse to make a text of ``count`` characters if it is too long."""
    if count > MOST_CHARACTERS:
        raise TooLarge(
            f"a text here would have {large(count)} characters; at most {MOST_CHARACTERS} are followed.",
            value=count,
        )


def require_size(count: int, like: str | bytes | tuple[object, ...]) -> None:
    """Refuse to make a text or tuple (of the type of ``like``) of ``count`` characters or items if it is too long."""
    if isinstance(like, tuple):
        require_items(count)
    else:
        require_text(count)
