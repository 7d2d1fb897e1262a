"""Inputs on which a reading is compared: the corners first, then samples of different kinds."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

from taut.ir import InputVariable

__all__ = ["all_inputs", "corners", "sampled"]

Entries = tuple[Any, ...]


def all_inputs(variables: Sequence[InputVariable]) -> Iterator[Entries]:
    """Every input, entry by entry."""
    return itertools.product(*[variable.values for variable in variables])


def corners(variables: Sequence[InputVariable]) -> list[Entries]:
    """All entries at their first value, and all at their last."""
    ends = [tuple(variable.values[end] for variable in variables) for end in (0, -1)]
    return list(dict.fromkeys(ends))


def sampled(variables: Sequence[InputVariable], generator: random.Random) -> Entries:
    """One input: entries at random, or a corner with one or a few entries changed, or two values mixed."""
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
