"""The randomness a mechanism may use. Called in ordinary Python, these draw real random numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.frontend.python.distributions import DISTRIBUTIONS
from taut.frontend.python.scripted import Rejection, active_script, position_of_caller

__all__ = ["Rejected", "binomial", "discrete", "draw_one", "exponential", "flip", "geometric", "observe", "uniform"]


class Rejected(Exception):
    """An observation failed in a run with real randomness."""


def flip(p: Any) -> bool:
    """True with probability p."""
    return bool(draw_one("flip", p))


def discrete(weights: Mapping[Any, Any] | Sequence[Any]) -> Any:
    """A value with its probability: {value: probability}, or a list of probabilities of 0, 1, 2, ..."""
    return draw_one("discrete", weights)


def uniform(low: int, high: int) -> Any:
    """A whole number from low to high, both included, all equally likely."""
    return draw_one("uniform", low, high)


def binomial(n: int, p: Any) -> Any:
    """The number of heads among n tosses of a coin with probability p."""
    return draw_one("binomial", n, p)


def geometric(center: int, ratio: Any, low: int, high: int) -> Any:
    """Two-sided geometric noise around the centre: P(z) proportional to ratio**abs(z - center), clamped to low..high.

    All mass beyond an end sits on that end, as in Balcer and Vadhan's truncated geometric mechanism.
    """
    return draw_one("geometric", center, ratio, low, high)


def exponential(scores: Sequence[int], base: Any) -> Any:
    """An index with probability proportional to base**score."""
    return draw_one("exponential", scores, base)


def observe(event: Any) -> None:
    """Condition on an event: runs in which it is false do not count."""
    if not event:
        raise Rejected if active_script() is None else Rejection


def draw_one(name: str, *arguments: Any) -> Any:
    """One real draw from the machine's generator (``random``), exact for rational weights; or a script's outcome."""
    script = active_script()
    if script is not None:
        return script.draw(name, arguments, position_of_caller(3))
    outcomes, weights = DISTRIBUTIONS[name](*arguments)
    if all(isinstance(weight, (int, Fraction)) for weight in weights):
        whole = math.lcm(*[Fraction(weight).denominator for weight in weights])
        ticket: Any = Fraction(random.randrange(whole), whole)
    else:
        ticket = random.random()
    for outcome, weight in zip(outcomes, weights, strict=True):
        ticket -= weight if isinstance(ticket, Fraction) else float(weight)
        if ticket < 0:
            return outcome
    return outcomes[-1]
