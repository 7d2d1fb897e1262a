"""Random primitives for mechanisms. Called in ordinary Python, they draw real random numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.languages.python.distributions import DISTRIBUTIONS, is_open, noise_of
from taut.languages.python.scripted import Rejection, active_script, position_of_caller
from taut.languages.python.source import MARK
from taut.support.errors import InvalidDistribution
from taut.support.exact import Ball, number

__all__ = [
    "Rejected",
    "binomial",
    "choice",
    "discrete",
    "discrete_gaussian",
    "discrete_laplace",
    "draw_one",
    "exponential",
    "flip",
    "geometric",
    "noise_without_ends",
    "observe",
    "permutation",
    "shuffle",
    "uniform",
]


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


def geometric(center: int, ratio: Any, low: int | None = None, high: int | None = None) -> Any:
    """Two-sided geometric noise around the centre: P(z) proportional to ratio**abs(z - center).

    With ``low`` or ``high`` it is clamped: all mass beyond an end sits on that end, as in Balcer and Vadhan's truncated
    geometric mechanism. Without, it has no end there, and answers are exact all the same (docs/remainder.md).
    """
    return draw_one("geometric", center, ratio, low, high)


def discrete_laplace(center: int, scale: Any, low: int | None = None, high: int | None = None) -> Any:
    """Discrete Laplace noise: P(z) proportional to exp(-abs(z - center) / scale), clamped to ends that are given.

    This is ``geometric`` with ratio exp(-1/scale): all mass beyond an end sits on that end. Results are balls.

    Parameters
    ----------
    center
        A whole number, which may be random or an input.
    scale
        A number above 0, such as 2 or "3/2"; with sensitivity 1 the noise costs epsilon = 1/scale.
    low, high
        The ends: whole numbers; left out, there is none.

    Examples
    --------
    >>> from taut import bits, exp, mechanism
    >>> model = mechanism(lambda x: discrete_laplace(sum(x), 2, 0, 2))(bits(2))
    >>> float(model.probability((0, 0), 1)) == float(exp("-1/2") * (1 - exp("-1/2")) / (1 + exp("-1/2")))
    True
    """
    return draw_one("discrete_laplace", center, scale, low, high)


def discrete_gaussian(center: int, variance: Any, low: int | None = None, high: int | None = None) -> Any:
    """Discrete Gaussian noise: P(z) proportional to exp(-(z - center)**2 / (2 * variance)), with ends or without.

    A whole number is drawn from the discrete Gaussian on all of them (Canonne, Kamath and Steinke 2020), then clamped:
    all mass beyond an end sits on that end. The infinite sums are enclosed, so results are balls. Where an end is left
    out, the tail beyond ``max_remainder`` is not followed.

    Parameters
    ----------
    center
        A whole number, which may be random or an input.
    variance
        The sigma squared of the formula, a number above 0 such as 4 or "3/2". The variance of the noise itself is a
        little smaller where it is small.
    low, high
        The ends: whole numbers; left out, there is none.

    Examples
    --------
    >>> from taut import bits, mechanism
    >>> model = mechanism(lambda x: discrete_gaussian(sum(x), 4, 0, 2))(bits(2))
    >>> round(float(model.probability((0, 0), 1)), 6), model.probability((0, 0), 1).radius < 1e-70
    (0.176033, True)
    """
    return draw_one("discrete_gaussian", center, variance, low, high)


def exponential(scores: Sequence[int], base: Any) -> Any:
    """An index with probability proportional to base**score."""
    return draw_one("exponential", scores, base)


def observe(event: Any) -> None:
    """Condition on an event: runs in which it is false do not count."""
    if not event:
        raise Rejected if active_script() is None else Rejection


def draw_one(name: str, *arguments: Any) -> Any:
    """Draw one outcome from ``random``, exactly for rational weights, or take it from the active script."""
    script = active_script()
    if script is not None:
        return script.draw(name, arguments, position_of_caller(3))
    if is_open(name, arguments):
        return noise_without_ends(name, arguments)
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


def noise_without_ends(name: str, arguments: Sequence[Any]) -> int:
    """Draw noise around a centre, clamped to the ends that are given."""
    noise_of(name, arguments)  # refuses what cannot be drawn
    center, parameter, low, high = arguments
    value = number(parameter, name)
    exact = Fraction(value.mid) if isinstance(value, Ball) else Fraction(value)
    if name == "geometric":
        noise = _count(exact) - _count(exact)
    elif name == "discrete_laplace":
        noise = _laplace(exact)
    else:
        noise = _gaussian(exact)
    drawn = int(center) + noise
    drawn = drawn if low is None else max(drawn, int(low))
    return drawn if high is None else min(drawn, int(high))


def _happens(chance: Fraction) -> bool:
    return random.randrange(chance.denominator) < chance.numerator


def _count(ratio: Fraction) -> int:
    """Draw the successes before the first failure; the difference of two such numbers is two-sided geometric noise."""
    count = 0
    while _happens(ratio):
        count += 1
    return count


def _happens_exp(power: Fraction) -> bool:
    """Return True with probability exp(-power)."""
    while power > 1:
        if not _happens_exp(Fraction(1)):
            return False
        power -= 1
    trial = 1
    while _happens(power / trial):
        trial += 1
    return trial % 2 == 1


def _laplace(scale: Fraction) -> int:
    """Draw noise with P(z) proportional to exp(-abs(z) / scale)."""
    above, below = scale.numerator, scale.denominator
    while True:
        part = random.randrange(above)
        if not _happens_exp(Fraction(part, above)):
            continue
        whole = 0
        while _happens_exp(Fraction(1)):
            whole += 1
        size = (part + above * whole) // below
        negative = random.randrange(2) == 1
        if not (negative and size == 0):
            return -size if negative else size


def _gaussian(variance: Fraction) -> int:
    """Draw noise with P(z) proportional to exp(-z^2 / (2 variance)), by rejection from Laplace noise."""
    scale = math.isqrt(variance.numerator // variance.denominator) + 1
    while True:
        drawn = _laplace(Fraction(scale))
        if _happens_exp((abs(drawn) - variance / scale) ** 2 / (2 * variance)):
            return drawn


def choice(items: Any) -> Any:
    """Return one of the items, all equally likely; a repeated item counts repeatedly.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: choice(x))(bits(3)).distribution((0, 1, 1))
    {0: Fraction(1, 3), 1: Fraction(2, 3)}
    """
    listed = list(items)
    if len(listed) == 0:
        raise InvalidDistribution("choice([]): there must be at least one item.")
    return listed[uniform(0, len(listed) - 1)]


def shuffle(items: Any) -> None:
    """Shuffle a list in place; all permutations of its positions are equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = uniform(0, last)
        items[last], items[other] = items[other], items[last]


def permutation(items: Any) -> Any:
    """Return the items as a new list in random order; all permutations of their positions are equally likely.

    >>> from taut import bits, mechanism
    >>> mechanism(lambda x: permutation(x))(bits(2)).distribution((0, 1))
    {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}
    """
    listed = list(items)
    shuffle(listed)
    return listed


for _function in (choice, shuffle, permutation):
    setattr(_function, MARK, _function)
