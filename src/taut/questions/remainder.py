"""Bounds that hold although some runs were not followed: intervals widened by the probability of those runs.

Let r be the largest probability, over inputs, of runs that were not followed, and p the masses of the others. A model
answers for p with one more output that stands for all that was not followed, so that its distributions sum to 1. Each
question says, in ``with_remainder``, what follows for the mechanism itself; one that does not say so is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, decimal

__all__ = ["delta_below", "not_answered", "remainder_text", "replayed_as"]

B = TypeVar("B")


def remainder_text(remainder: Any) -> str:
    """Return the probability of what was not followed, rounded up, for people.

    >>> remainder_text(Fraction(1, 2**100))
    '7.9e-31'
    """
    scale = Fraction(1)
    while remainder * scale < 10:
        scale *= 10
    return decimal(Fraction(-(-(remainder * scale).numerator // (remainder * scale).denominator)) / scale, 2)


def not_answered(what: str, remainder: Any) -> InvalidInput:
    """Return the refusal of a question that has no answer where some runs were not followed."""
    return InvalidInput(
        f"{what}: runs that were not followed have a probability of up to {remainder_text(remainder)}, and what they "
        "return is not bounded, so neither is this. privacy, delta, epsilon, profile and accuracy are answered with "
        "the remainder; noise with ends (low, high) leaves none.",
        value=remainder,
    )


def delta_below(delta: Any, above: Any, remainder: Any) -> tuple[Any, Any]:
    """Return (wide, far): e^epsilon at ``delta`` is at least far, or at least what followed runs need at delta wide.

    ``above`` is an upper end of e^epsilon. At a ratio of at most far, delta of all runs is at least that of the
    followed ones less (1 + far) * remainder.
    """
    far = above if above != INFINITY else Fraction(1 + math.isqrt(math.floor(1 / remainder)))
    return min(Fraction(1), delta + (1 + far) * remainder), far


def replayed_as(bound: B, change: Callable[[Any], Any]) -> B:
    """Return a bound whose witness is replayed, and the value found then changed as the bound was."""
    inner = getattr(bound, "replay", None)
    if inner is None:
        return bound

    def replay(witness: Any) -> tuple[Any, str]:
        value, how = inner(witness)
        return change(value), how

    changed: B = replace(bound, replay=replay)  # type: ignore[type-var]
    return changed
