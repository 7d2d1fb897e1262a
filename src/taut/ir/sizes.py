"""The largest texts and sequences that are made while a mechanism is read; sizes are known before anything is made."""

from __future__ import annotations

from taut.errors import TooLarge
from taut.numbers import large

__all__ = ["MOST_CHARACTERS", "MOST_ITEMS", "require_items", "require_size", "require_text"]

MOST_ITEMS = 10_000_000
"""Items of one list or tuple, and parts of a nested one, counted as often as they occur."""
MOST_CHARACTERS = 10_000_000
"""Characters of one text."""


def require_items(count: int, what: str = "a list or tuple here") -> None:
    """Refuse to make a sequence of so many items.

    >>> require_items(2**40, "itertools.product(...)")
    Traceback (most recent call last):
    ...
    taut.errors.TooLarge: itertools.product(...) would have 1099511627776 items; at most 10000000 are followed. ...
    """
    if count > MOST_ITEMS:
        raise TooLarge(
            f"{what} would have {large(count)} items; at most {MOST_ITEMS} are followed. Make it shorter.",
            value=count,
        )


def require_text(count: int) -> None:
    """Refuse to make a text of so many characters."""
    if count > MOST_CHARACTERS:
        raise TooLarge(
            f"a text here would have {large(count)} characters; at most {MOST_CHARACTERS} are followed.",
            value=count,
        )


def require_size(count: int, like: str | bytes | tuple[object, ...]) -> None:
    """Refuse to make a text or tuple, whatever ``like`` is, of so many characters or items."""
    if isinstance(like, tuple):
        require_items(count)
    else:
        require_text(count)
