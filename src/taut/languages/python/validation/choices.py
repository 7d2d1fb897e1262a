"""Inputs and outcomes for the runs of a validation, and how many of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from taut.program import InputVariable, Program

__all__ = ["EFFORTS", "AllSequences", "Chooser", "Effort", "Sampled", "all_inputs", "corners", "sampled", "swept"]


_NARROW = 16
"""Number of values up to which samples cover an entry or draw."""

Entries = tuple[Any, ...]


def all_inputs(variables: Sequence[InputVariable]) -> Iterator[Entries]:
    """Yield every input."""
    return itertools.product(*[variable.values for variable in variables])


def corners(variables: Sequence[InputVariable]) -> list[Entries]:
    """Return the input with all first values, and the one with all last values."""
    ends = [tuple([variable.values[end] for variable in variables]) for end in (0, -1)]
    return list(dict.fromkeys(ends))


def sampled(variables: Sequence[InputVariable], generator: random.Random) -> Entries:
    """Return one sampled input: random entries, a corner with a few changes, or a mix of two values."""
    kind = generator.choice(("free", "free", "free", "mixed", "changed"))
    if kind == "free":
        return tuple([generator.choice(variable.values) for variable in variables])
    if kind == "mixed":
        share = generator.random()
        ends = [(generator.choice(v.values), generator.choice(v.values)) for v in variables[:1]] or [(0, 0)]
        return tuple(
            [
                pair[generator.random() < share] if all(end in v.values for end in pair) else generator.choice(v.values)
                for v in variables
                for pair in ends
            ]
        )
    base = list(generator.choice(corners(variables)))
    for _ in range(generator.choice((1, 1, 2, 3))):
        if base:
            place = generator.randrange(len(base))
            base[place] = generator.choice(variables[place].values)
    return tuple(base)


def swept(program: Program, most: int, generator: random.Random) -> Iterator[tuple[Entries, dict[int, Any]]]:
    """Yield runs that cover each value of wide entries and draws, or ``most`` of them, evenly spread.

    Yields an input, and outcomes for the coins of one draw; the rest is at random.
    """
    draws: dict[int, list[int]] = {}
    for index, coin in enumerate(program.coins):
        if len(coin.outcomes) > _NARROW:
            draws.setdefault(coin.draw, []).append(index)
    wide = [place for place, variable in enumerate(program.inputs) if len(variable.values) > _NARROW]
    share = max(most // max(len(wide) + len(draws), 1), 2)
    for place in wide:
        for value in _spread(program.inputs[place].values, share):
            entries = list(sampled(program.inputs, generator))
            entries[place] = value
            yield tuple(entries), {}
    for coins in draws.values():
        spread: dict[int, Sequence[Any]] = {}  # draws around many centres share their outcomes
        for index in coins:
            outcomes = program.coins[index].outcomes
            if id(outcomes) not in spread:
                spread[id(outcomes)] = _spread(outcomes, share)
        rows = [spread[id(program.coins[index].outcomes)] for index in coins]
        for number in range(max(map(len, rows))):
            shown = {index: row[min(number, len(row) - 1)] for index, row in zip(coins, rows, strict=True)}
            yield sampled(program.inputs, generator), shown


def _spread(values: Sequence[Any], most: int) -> Sequence[Any]:
    """Return at most ``most`` of the values, evenly spread, with the first and the last."""
    count = min(len(values), most)
    return values if count == len(values) else [values[k * (len(values) - 1) // (count - 1)] for k in range(count)]


@dataclass(frozen=True)
class Effort:
    """The amount of validation, in units of about one evaluated term, so that it does not depend on the clock."""

    least: int
    """Minimal work, however quickly the mechanism was read."""
    share: int
    """Work per term of the reading."""
    speed: int
    """Work per second of a long reading; seconds are rounded down to a power of two."""
    runs: int
    """Limit for the number of runs."""
    sequences: int
    """Number of outcome sequences up to which an input is run on all of them."""
    aimed: int
    """Work for directed runs: at branches not taken, at boundaries, at each outcome of a draw."""
    sweep: int
    """Limit for runs that sweep the values of wide draws and entries."""
    seconds: float
    """Time limit of the comparison per second of reading, plus one second."""


EFFORTS = {
    "default": Effort(
        least=20_000, share=3, speed=50_000, runs=400, sequences=128, aimed=20_000, sweep=600, seconds=0.5
    ),
    "thorough": Effort(
        least=1_000_000,
        share=200,
        speed=4_000_000,
        runs=20_000,
        sequences=4096,
        aimed=4_000_000,
        sweep=100_000,
        seconds=20.0,
    ),
}


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
