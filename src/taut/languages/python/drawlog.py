"""The log of every draw of a reading, for the comparison with the function itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.program import Term
from taut.support.errors import Place

__all__ = ["Around", "Chain", "Draw", "Weighed"]


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
class Around:
    """Noise around a centre with too many values to list: a coin of noise around 0, added to the centre and clamped.

    ``value`` is the result, between ``low`` and ``high``.
    """

    coin: Term
    center: Term
    value: Term
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """A draw of one of some candidates in proportion to weights that depend on the inputs.

    ``place``, a coin, is the number of a candidate, each alike; ``accepted`` has for each value of what its weight
    depends on, its term in ``given``, a coin (or a constant) that is true in proportion to the weight. The evidence of
    the program is that it is. ``chosen`` is the candidate itself.
    """

    place: Term
    chosen: Term
    outcomes: tuple[Any, ...]
    given: tuple[Term, ...]
    accepted: Mapping[Any, Term]


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: its position, the condition under which it is made, and its coin.

    A reading lists its draws in the order in which it makes them; for any input and coin outcomes those whose
    condition is true are the draws of that run. ``tosses`` has for each value of ``index`` the coin that decides (or a
    constant, where only one outcome is possible); a draw with ordinary parameters has one toss, no index, and keeps the
    ``arguments``; one that is decided in another way has a ``chain`` that says how, and no
    tosses.
    """

    name: str
    place: Place | None
    condition: Term
    index: Term | None
    tosses: tuple[tuple[Any, Term], ...]
    arguments: tuple[Any, ...] | None = None
    chain: Chain | Weighed | Around | None = None
