"""Inputs for validation: corners first, then samples of different kinds, then wide entries."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from taut.program import InputVariable, Program

__all__ = ["all_inputs", "corners", "sampled", "swept"]

_NARROW = 16
"""Number of values up to which samples cover an entry or draw."""

Entries = tuple[Any, ...]


def all_inputs(variables: Sequence[InputVariable]) -> Iterator[Entries]:
    """Yield every input."""
    return itertools.product(*[variable.values for variable in variables])


def corners(variables: Sequence[InputVariable]) -> list[Entries]:
    """Return the input with all first values, and the one with all last values."""
    ends = [tuple(variable.values[end] for variable in variables) for end in (0, -1)]
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
