"""A few random runs of a program that is still being read: what happens in one of them is possible."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from taut.program import UNDEFINED, Coin, CoinVariable, Input, InputVariable, Term, evaluate
from taut.program.program import reachable
from taut.support.limits import checkpoint

__all__ = ["SampledRuns"]

_RUNS = 64
_STEPS = 128
"""Steps of one walk towards a run in which something happens."""
_IN_VAIN = 8_192
"""Steps of walks that found nothing, altogether."""


class _Run:
    """One input, one outcome of every coin, and the values that terms have there."""

    def __init__(self, entries: list[Any] | None = None, coins: dict[int, Any] | None = None) -> None:
        self.entries: list[Any] = entries or []
        self.coins: dict[int, Any] = coins or {}
        self.known: dict[Term, Any] = {}

    def holds(self, part: Term) -> bool:
        value = evaluate(part, self.entries, self.coins, self.known)
        return value is not UNDEFINED and bool(value)


class SampledRuns:
    """Terms evaluated in the same few runs, each term once per run.

    Every outcome of a coin is as likely as any other, whatever its weight, and the runs are always the same.
    """

    def __init__(self, inputs: Sequence[InputVariable], coins: Sequence[CoinVariable]) -> None:
        self.inputs, self.coins = inputs, coins
        self._source = random.Random(0)
        self._runs = [_Run() for _ in range(_RUNS)]
        self._oldest = 0
        self._spare = _IN_VAIN

    def find(self, parts: Sequence[Term]) -> tuple[list[Any], dict[int, Any]] | None:
        """The entries and coins of a run in which all parts of a conjunction hold. If None, nothing is known."""
        for run in self._runs:
            checkpoint()
            self._extend(run)
            if all(run.holds(part) for part in parts):
                return run.entries, run.coins
        return self._walk(parts)

    def _walk(self, parts: Sequence[Term]) -> tuple[list[Any], dict[int, Any]] | None:
        """Walk randomly towards a run in which all parts hold; keep a run that is found."""
        run = max(self._runs, key=lambda run: sum(run.holds(part) for part in parts))
        variables: dict[Term, list[Term]] = {}
        for step in range(min(_STEPS, self._spare)):
            checkpoint()
            failing = [part for part in parts if not run.holds(part)]
            if not failing:
                self._spare += step
                self._runs[self._oldest] = run
                self._oldest = (self._oldest + 1) % _RUNS
                return run.entries, run.coins
            self._spare -= 1
            part = self._source.choice(failing)
            if part not in variables:
                variables[part] = [term for term in reachable([part]) if isinstance(term, (Input, Coin))]
            if not variables[part]:
                return None
            run = self._changed(run, self._source.choice(variables[part]))
        return None

    def _changed(self, run: _Run, variable: Term) -> _Run:
        """The run with another value of an input or a coin."""
        entries, coins = list(run.entries), dict(run.coins)
        if isinstance(variable, Input):
            entries[variable.index] = self._source.choice(self.inputs[variable.index].values)
        else:
            assert isinstance(variable, Coin)
            coins[variable.index] = self._source.choice(self.coins[variable.index].outcomes)
        return _Run(entries, coins)

    def _extend(self, run: _Run) -> None:
        """Draw what has been added to the program since the run was last looked at."""
        for variable in self.inputs[len(run.entries) :]:
            run.entries.append(self._source.choice(variable.values))
        for coin in range(len(run.coins), len(self.coins)):
            run.coins[coin] = self._source.choice(self.coins[coin].outcomes)
