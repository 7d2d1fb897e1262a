"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["meant", "meant_file"]

_MOST = 3


def meant(given: object, known: Iterable[str]) -> str:
    """Return a question with the known names closest to ``given``, for the end of an error message; empty if none is
    close.

    >>> meant("lamda", ["x", "lam"]), meant("RR", ["rr", "rr_count"]), meant("xyz", ["lam"])
    (" Did you mean 'lam'?", " Did you mean 'rr'?", '')
    """
    names = list(dict.fromkeys(known))
    word = str(given).casefold()
    by_folded = {name.casefold(): name for name in reversed(names)}
    if word in by_folded:
        return f" Did you mean '{by_folded[word]}'?"
    similar = difflib.get_close_matches(word, by_folded, _MOST)
    return f" Did you mean {' or '.join(repr(by_folded[one]) for one in similar)}?" if similar else ""


def meant_file(path: str | os.PathLike[str]) -> str:
    """Return the same suggestion for a file that does not exist: files in its folder with the same suffix."""
    wanted = Path(path)
    try:
        found = {other.stem: str(other) for other in wanted.parent.iterdir() if other.suffix == wanted.suffix}
    except OSError:
        return ""
    similar = difflib.get_close_matches(wanted.stem, found, _MOST)
    return f" Did you mean {' or '.join(repr(found[one]) for one in similar)}?" if similar else ""
