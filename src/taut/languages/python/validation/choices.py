"""Choosers of coin outcomes for a run: all sequences in turn, or samples biased to extremes."""

from __future__ import annotations

import random
from typing import Protocol

__all__ = ["AllSequences", "Chooser", "Sampled"]


class Chooser(Protocol):
    """Decides one run, coin by coin."""

    def choose(self, outcomes: int) -> int:
        """Return the index of the next coin's outcome, among ``outcomes``."""


class AllSequences:
    """Enumerates every sequence of outcomes once; the last coin varies fastest."""

    def __init__(self) -> None:
        self._shown: list[int] = []
        self._widths: list[int] = []
        self._place = 0

    def choose(self, outcomes: int) -> int:
        if self._place == len(self._shown):
            self._shown.append(0)
            self._widths.append(outcomes)
        self._place += 1
        return self._shown[self._place - 1]

    @property
    def product(self) -> int:
        """Return the number of sequences if every run tossed the coins of this one."""
        total = 1
        for width in self._widths:
            total *= width
        return total

    def advance(self) -> bool:
        """Move to the next sequence; return False if there is none."""
        while self._shown and self._shown[-1] == self._widths[-1] - 1:
            self._shown.pop()
            self._widths.pop()
        self._place = 0
        if not self._shown:
            return False
        self._shown[-1] += 1
        return True


class Sampled:
    """Samples one run; outcomes are equally likely whatever their weights, so that rare ones occur.

    Half of the runs favour an outcome: the first, the last, or the one that was shown before.
    """

    def __init__(self, generator: random.Random) -> None:
        self._random = generator.random
        self._habit = generator.choice((None, None, None, "first", "last", "same"))
        self._strength = generator.choice((0.5, 0.9, 1.0))
        self._before = 0

    def choose(self, outcomes: int) -> int:
        if self._habit is None or self._random() >= self._strength:
            self._before = int(self._random() * outcomes)
        elif self._habit == "first":
            self._before = 0
        elif self._habit == "last" or self._before >= outcomes:
            self._before = outcomes - 1
        return self._before
