"""A few random runs of a program that is still being read: what happens in one of them is possible."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from taut.ir import UNDEFINED, CoinVariable, InputVariable, Term, evaluate
from taut.limits import checkpoint

__all__ = ["SampledRuns"]

_RUNS = 64


class _Run:
    """One input, one outcome of every coin, and the values that terms have there."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.coins: dict[int, Any] = {}
        self.known: dict[Term, Any] = {}


class SampledRuns:
    """Terms evaluated in the same few runs, each term once per run.

    Every outcome of a coin is as likely as any other, whatever its weight, and the runs are always the same.
    """

    def __init__(self, inputs: Sequence[InputVariable], coins: Sequence[CoinVariable]) -> None:
        self.inputs, self.coins = inputs, coins
        self._source = random.Random(0)
        self._runs = [_Run() for _ in range(_RUNS)]

    def show(self, parts: Sequence[Term]) -> bool:
        """Whether all parts of a conjunction hold in one of the runs. If not, nothing is known."""
        for run in self._runs:
            checkpoint()
            self._extend(run)
            if all(self._holds(part, run) for part in parts):
                return True
        return False

    def _holds(self, part: Term, run: _Run) -> bool:
        value = evaluate(part, run.entries, run.coins, run.known)
        return value is not UNDEFINED and bool(value)

    def _extend(self, run: _Run) -> None:
        """Draw what has been added to the program since the run was last looked at."""
        for variable in self.inputs[len(run.entries) :]:
            run.entries.append(self._source.choice(variable.values))
        for coin in range(len(run.coins), len(self.coins)):
            run.coins[coin] = self._source.choice(self.coins[coin].outcomes)
