"""Calls inside calls of the same function: which of them can happen, and how many are followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from taut.errors import EndlessLoop
from taut.frontend.python.values import Code
from taut.frontend.python.worlds import PathEnds

if TYPE_CHECKING:
    from taut.frontend.python.reader import Reader

__all__ = ["Recursion"]

_DEPTH = 200
_CALLS = 20
"""Calls for each round that a loop in a random branch may have; a tree of calls has more of them than a loop rounds."""


class Recursion:
    """The calls that are being read.

    A function that calls itself in two branches of a random value has a tree of calls, most of which contradict the
    conditions that lead to them: ``v < 0`` and then ``-v < 0``. So each call inside a call of the same function asks
    whether any run gets there. The calls that remain in random branches are counted like rounds of a loop.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._open: Counter[int] = Counter()
        """How many calls of a function are open, by the identity of its syntax tree."""
        self._made: Counter[int] = Counter()
        """How many calls in random branches the outermost of them has made."""

    @contextmanager
    def call(self, code: Code) -> Iterator[None]:
        """Enter a call of a function; refused if it is nested too deeply, left if no run gets there."""
        key = id(code.source.node)
        self.reader.depth += 1
        self._open[key] += 1
        try:
            self._check(code, key)
            yield
        finally:
            self.reader.depth -= 1
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key], self._made[key]

    def _check(self, code: Code, key: int) -> None:
        reader = self.reader
        if self._open[key] > 1 and not reader.worlds.ordinary:
            if not reader.alive():
                raise PathEnds
            self._made[key] += 1
            most = _CALLS * reader.max_rounds
            if self._made[key] > most:
                raise EndlessLoop(
                    f"'{code.name}' has called itself more than {most} times in branches of random "
                    "values; a recursion must end after finitely many calls, whatever the coins. Write a loop or raise "
                    "max_rounds with taut.options.",
                    value=code.name,
                )
        if reader.depth > _DEPTH:
            raise EndlessLoop(
                f"calls of '{code.name}' are nested more than {_DEPTH} deep; a recursion must end after finitely "
                "many rounds whatever the coins. Write it as a loop.",
                value=code.name,
            )
