"""Expected values as probabilities of a Boolean program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from taut.program.program import CoinVariable, Program

__all__ = ["weighed"]


def weighed(program: Program, weights: Mapping[Any, Any]) -> Program:
    """Return the program that runs ``program`` and returns True with probability w(y) for its output y.

    One more coin draws a bar, and an output whose weight reaches the bar says yes; so P(True) on an input is the
    expected weight there, and whatever bounds probabilities of events bounds expected values.

    Parameters
    ----------
    program
        Any program whose outputs are single values.
    weights
        For each output that can occur a weight from 0 to 1.
    """
    own = program.copied()
    terms = own.terms
    bars = sorted({weight for weight in weights.values() if weight > 0})
    steps = [bar - below for bar, below in zip(bars, [0, *bars], strict=False)]
    rest = 1 - sum(steps)
    if rest > 0:
        steps.append(rest)  # a bar above all weights
    places = {bar: place for place, bar in enumerate(bars, start=1)}
    reached = [terms.const(places.get(weight, 0)) for weight in weights.values()]
    height = terms.select(own.output, list(weights), reached)
    draw = 1 + max((coin.draw for coin in own.coins), default=-1)
    bar = CoinVariable("bar", tuple(range(1, len(steps) + 1)), tuple(steps), draw)
    output = terms.apply("ge", height, terms.coin(len(own.coins), bar.outcomes))
    return replace(own, coins=(*own.coins, bar), output=output)
