"""Recursion: the open calls of each function, and their limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from taut.languages.python.failures import PathEnds
from taut.languages.python.values import Code
from taut.support.errors import EndlessLoop

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Recursion"]

_DEPTH = 200
_CALLS = 20
"""Number of calls allowed per allowed loop round: a tree of calls has more calls than a loop has rounds."""


class Recursion:
    """The calls that are being read.

    A function that calls itself in two branches of a random value has a tree of calls, most of which contradict the
    conditions that lead to them: ``v < 0`` and then ``-v < 0``. So each call inside a call of the same function asks
    whether any run gets there. The calls that remain in random branches are counted like rounds of a loop.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._open: Counter[int] = Counter()
        """Number of open calls of a function, by the identity of its syntax tree."""
        self._made: Counter[int] = Counter()
        """Number of calls in random branches made by the outermost call."""

    @contextmanager
    def call(self, code: Code) -> Iterator[None]:
        """Enter a call of a function; refuse one nested too deeply, end the path if no run reaches it."""
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
