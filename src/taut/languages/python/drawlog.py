"""The log of every draw of a reading, for the comparison with the function itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.program import Term
from taut.support.errors import Place

__all__ = ["Chain", "Draw"]


@dataclass(frozen=True, slots=True)
class Chain:
    """A draw made by several coins: ``chosen``, one of the outcomes, is decided step by step.

    At first the first outcome is chosen. A step has, for each value of its index, the coin (or a constant) that decides
    whether the next outcome takes the place of what was chosen before.
    """

    chosen: Term
    outcomes: tuple[Any, ...]
    steps: tuple[tuple[Term, Mapping[Any, Term]], ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: its position, the condition under which it is made, and its coin.

    A reading lists its draws in the order in which it makes them; for any input and coin outcomes those whose
    condition is true are the draws of that run. ``tosses`` has for each value of ``index`` the coin that decides (or a
    constant, where only one outcome is possible); a draw with ordinary parameters has one toss, no index, and keeps the
    ``arguments``; one that several coins decide has a ``chain`` and no tosses.
    """

    name: str
    place: Place | None
    condition: Term
    index: Term | None
    tosses: tuple[tuple[Any, Term], ...]
    arguments: tuple[Any, ...] | None = None
    chain: Chain | None = None
