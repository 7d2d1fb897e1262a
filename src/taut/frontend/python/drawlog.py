"""The record of every draw that a reading makes, so that the reading can be compared with the function itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taut.errors import Place
from taut.ir import Term

__all__ = ["Draw"]


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: where it stands, under which condition it is made, and by which coin it is decided.

    A reading lists its draws in the order in which it makes them; for any input and coin outcomes those whose
    condition is true are the draws of that run. ``tosses`` has for each value of ``index`` the coin that decides (or a
    constant, where only one outcome is possible); a draw with ordinary parameters has one toss, no index, and keeps the
    ``arguments``.
    """

    name: str
    place: Place | None
    condition: Term
    index: Term | None
    tosses: tuple[tuple[Any, Term], ...]
    arguments: tuple[Any, ...] | None = None
