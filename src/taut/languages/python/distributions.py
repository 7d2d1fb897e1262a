"""Distributions for ordinary parameters: the outcomes and their exact weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from taut.program.noise import Noise, Shifted
from taut.support.algebra.expression import Expression
from taut.support.algebra.polynomial import to_flint
from taut.support.errors import InvalidDistribution, shortened
from taut.support.exact import (
    Ball,
    ends,
    exact_text,
    exp,
    in_precision,
    large,
    number,
    number_or_expression,
    probability,
    surely_zero,
)
from taut.support.limits import checkpoints, require_room

__all__ = [
    "DISTRIBUTIONS",
    "LARGEST_POWER",
    "LARGEST_VARIANCE",
    "NOISE",
    "Distribution",
    "gaussian_masses",
    "is_open",
    "noise_of",
    "outside_at_most",
    "with_ends",
]

NOISE = {"geometric", "discrete_laplace", "discrete_gaussian"}

Distribution = tuple[tuple[Any, ...], Sequence[Any]]
"""Outcomes of positive probability, and their weights."""

_MOST = 1_000_000
_ROUNDING = 1e-12
"""Tolerance for the sum of weights that Python has computed as floats: 1/3 is not a finite decimal. (While a mechanism
is read, computed floats carry their exact numbers, so the tolerance is not used.)
"""
_SHARED = 1 << 10
"""Outcomes up to which equal distributions share their weights."""
_BITS = 100
"""Number of bits assumed for a power of a free parameter."""
_LARGEST_SCALE = 10**9
"""Limit for the scale: beyond, exp(-1/scale) is too close to 1 to keep enough digits."""


def flip(p: Any) -> Distribution:
    chance = probability(p, f"flip({_shown(p)})")
    return _positive((False, True), (1 - chance, chance))


def discrete(weights: Any) -> Distribution:
    if isinstance(weights, Mapping):
        outcomes, given = tuple(weights), tuple(weights.values())
    elif isinstance(weights, Sequence) and not isinstance(weights, str):
        outcomes, given = tuple(range(len(weights))), tuple(weights)
    else:
        raise InvalidDistribution(
            f"discrete({_shown(weights)}): expected {{value: probability}} or a list of probabilities.", value=weights
        )
    if not given:
        raise InvalidDistribution("discrete({}): there must be at least one value.", value=weights)
    kinds = set(map(type, given))
    if all(issubclass(kind, Fraction) for kind in kinds):
        ratios = tuple([share.as_integer_ratio() for share in given])
        if _are_weights(ratios):
            same = given if kinds == {Fraction} else tuple(map(Fraction, given))
            exact = _fractions(ratios) if len(ratios) <= _SHARED else same
            return (outcomes, exact) if all(exact) else _positive(outcomes, exact)
    shares = [
        probability(share, f"discrete: the weight of {outcome!r}")
        for outcome, share in zip(outcomes, given, strict=True)
    ]
    total = sum(shares)
    if any(isinstance(share, float) for share in given) and 0 < abs(1 - total) <= _ROUNDING:
        shares, total = [share / total for share in shares], Fraction(1)
    if not (total.contains(1) if isinstance(total, Ball) else surely_zero(1 - total)):
        near = not isinstance(total, (Ball, Expression)) and abs(1 - total) <= _ROUNDING
        hint = " They were rounded when ordinary Python divided them: " * near
        hint += "divide Fractions by their sum, or divide inside the mechanism." * near
        raise InvalidDistribution(
            f"discrete({_shown(weights)}): the weights must sum to 1; they sum to {total}.{hint}", value=weights
        )
    return _positive(outcomes, tuple(shares))


def _are_weights(ratios: Sequence[tuple[int, int]]) -> bool:
    """Return True if all ratios are non-negative and sum to 1; avoids making many fractions."""
    denominators = {below for _, below in ratios}
    whole = math.lcm(*denominators)
    factors = {below: whole // below for below in denominators}
    return min(ratios)[0] >= 0 and sum([above * factors[below] for above, below in ratios]) == whole


@functools.lru_cache(maxsize=256)
def _fractions(ratios: tuple[tuple[int, int], ...]) -> tuple[Fraction, ...]:
    """Return ratios as fractions; a thousand clients have the same few."""
    return tuple([Fraction(*ratio) for ratio in ratios])


def uniform(low: Any, high: Any) -> Distribution:
    _whole("uniform", low=low, high=high)
    low, high = int(low), int(high)
    if low > high:
        raise InvalidDistribution(f"uniform({low}, {high}): low must not be above high.", value=(low, high))
    count = high - low + 1
    _bounded("uniform", count)
    return tuple(range(low, high + 1)), (Fraction(1, count),) * count


def binomial(n: Any, p: Any) -> Distribution:
    _whole("binomial", n=n)
    n = int(n)
    if n < 0:
        raise InvalidDistribution(f"binomial({n}, {_shown(p)}): n must not be negative.", value=n)
    _bounded("binomial", n)
    chance = probability(p, f"binomial({n}, {_shown(p)})")
    _require_room(n + 1, n, chance)
    weights = tuple(math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in checkpoints(range(n + 1), 1))
    return _positive(tuple(range(n + 1)), weights)


def geometric(center: Any, ratio: Any, low: Any, high: Any) -> Distribution:
    _clamping("geometric", center, low, high)
    r = _ratio(ratio)
    distance = int(max(low - center, center - high))
    bits = r.denominator.bit_length() if isinstance(r, Fraction) else _BITS if isinstance(r, Expression) else 1
    if low < high and distance * bits > _MOST:
        raise InvalidDistribution(
            f"geometric: center {_shown(center)} is too far from {_shown(low)}..{_shown(high)}; "
            f"the weights would have more than {_MOST} bits.",
            value=center,
        )
    return _geometric(int(center), r, int(low), int(high))


def _ratio(ratio: Any) -> Any:
    """Read a ratio of geometric noise."""
    r = number_or_expression(ratio, f"geometric: ratio {_shown(ratio)}")
    if isinstance(r, Expression):
        place = r.place({-1}) or (1 - r).place({0, -1})
        if place is not None:
            raise InvalidDistribution(
                f"geometric: ratio must lie in [0, 1), 1 itself excluded; {r} does not at {place}.", value=ratio
            )
    elif ends(r)[0] < 0 or ends(r)[1] >= 1:
        raise InvalidDistribution(
            f"geometric: ratio must lie in [0, 1), 1 itself excluded; got {_shown(ratio)} = {r}.", value=ratio
        )
    return r


def discrete_laplace(center: Any, scale: Any, low: Any, high: Any) -> Distribution:
    reach = _near("discrete_laplace", center, low, high)
    s = _scale(scale)
    if reach > LARGEST_POWER * ends(s)[0]:
        raise InvalidDistribution(
            f"discrete_laplace: scale must be at least 1/{LARGEST_POWER} of the largest distance from the centre, here "
            f"{reach}; got {_shown(s)}.",
            value=scale,
        )
    return _geometric(int(center), exp(-1 / s), int(low), int(high))


def discrete_gaussian(center: Any, variance: Any, low: Any, high: Any) -> Distribution:
    reach = _near("discrete_gaussian", center, low, high)
    v = _variance(variance)
    least = ends(v)[0]
    if reach * reach > 2 * LARGEST_POWER * least:
        raise InvalidDistribution(
            f"discrete_gaussian: variance must be at least 1/{2 * LARGEST_POWER} of the square of the largest distance "
            f"from the centre, here {reach}; got {_shown(v)}.",
            value=variance,
        )
    return _gaussian(int(center), v, int(low), int(high))


def _scale(scale: Any) -> Any:
    """Read a scale of discrete Laplace noise."""
    s = _spread("discrete_laplace", "scale", scale)
    if ends(s)[1] > _LARGEST_SCALE:
        raise InvalidDistribution(
            f"discrete_laplace: scale must be at most {_LARGEST_SCALE}; got {_shown(s)}.", value=scale
        )
    return s


def _variance(variance: Any) -> Any:
    """Read a variance of discrete Gaussian noise."""
    v = _spread("discrete_gaussian", "variance", variance)
    if ends(v)[1] > LARGEST_VARIANCE:
        raise InvalidDistribution(
            f"discrete_gaussian: variance must be at most {LARGEST_VARIANCE}; got {_shown(v)}.", value=variance
        )
    return v


def is_open(name: str, arguments: Sequence[Any]) -> bool:
    """Return True for noise without a low or a high end."""
    return name in NOISE and None in arguments[2:]


def with_ends(name: str, arguments: Sequence[Any], window: tuple[int, int] | None) -> Sequence[Any]:
    """Return the arguments of a draw, with the ends of a window in place of those that are left out."""
    if window is None or not is_open(name, arguments):
        return arguments
    return [*arguments[:2], *[own if end is None else end for own, end in zip(window, arguments[2:], strict=True)]]


def noise_of(name: str, arguments: Sequence[Any]) -> Noise:
    """Return the noise that a draw adds to its centre; refuse an invalid centre, end or parameter."""
    center, parameter, low, high = arguments
    _whole(name, center=center, **{key: end for key, end in (("low", low), ("high", high)) if end is not None})
    if name == "discrete_gaussian":
        return _gaussian_noise(_variance(parameter))
    return _geometric_noise(_Ratio.of(_ratio(parameter) if name == "geometric" else exp(-1 / _scale(parameter))))


def outside_at_most(noise: Noise, share: Fraction) -> int:
    """Return a distance that noise reaches with at most this probability, on both sides together."""
    bits = math.log2(share.denominator) - math.log2(share.numerator)
    if noise.ratio is None:  # P(Z >= m) is at most exp(-m^2 / (2 variance)): Canonne, Kamath and Steinke 2020
        variance = float(ends(noise.key[1])[1])
        return math.isqrt(math.ceil(2 * variance * (bits + 2) * math.log(2))) + 2
    ratio = float(ends(noise.ratio)[1])
    return 2 if ratio <= 0 else math.ceil((bits + 2) / -math.log2(ratio)) + 2 if ratio < 1 else _MOST


def _geometric(center: int, r: Any, low: int, high: int) -> Distribution:
    """Return geometric noise, P(Z = z) = (1-r)/(1+r) r^|z|, around the centre."""
    return _kept_geometric(center, _Ratio.of(r), low, high)


@dataclass(frozen=True)
class _Ratio:
    """A cache key for ratios: parameters with different intervals differ, also across models."""

    key: Any
    value: Any = field(compare=False)

    @staticmethod
    def of(r: Any) -> _Ratio:
        return _Ratio((r.function, frozenset(r.box.items())) if isinstance(r, Expression) else r, r)


@functools.lru_cache(maxsize=4096)
def _kept_geometric(center: int, ratio: _Ratio, low: int, high: int) -> Distribution:
    return _clamped(center, low, high, lambda first, count: _powers(ratio, first, count), _geometric_noise(ratio))


@functools.lru_cache(maxsize=256)
def _geometric_noise(ratio: _Ratio) -> Noise:
    return Noise(("geometric", ratio), lambda *place: _kept_geometric(place[0], ratio, *place[1:]), ratio.value)


@functools.lru_cache(maxsize=4096)
def _gaussian(center: int, variance: Any, low: int, high: int) -> Distribution:
    """Return Gaussian noise, P(Z = z) proportional to exp(-z^2 / (2 variance)) around the centre."""
    return _clamped(
        center, low, high, lambda first, count: gaussian_masses(variance, first, count), _gaussian_noise(variance)
    )


@functools.lru_cache(maxsize=256)
def _gaussian_noise(variance: Any) -> Noise:
    return Noise(("gaussian", variance), lambda *place: _gaussian(place[0], variance, *place[1:]), variance=variance)


def _clamped(
    center: int, low: int, high: int, masses: Callable[[int, int], tuple[Sequence[Any], Sequence[Any]]], noise: Noise
) -> Distribution:
    """Return symmetric noise around the centre; the mass beyond an end is moved to that end.

    ``masses(first, count)`` has P(Z = d) and P(Z >= d) for d = first, ..., first + count.
    """
    if low == high:
        return (low,), (Fraction(1),)
    if type(noise.ratio) in (Fraction, Ball) and noise.ratio != 0:  # nothing is impossible, and all can wait
        return _whole_numbers(low, high), Shifted(lambda: _rows(center, low, high, masses)[0], noise, center, low, high)
    weights, farthest = _rows(center, low, high, masses)
    if any(map(surely_zero, (weights[0], farthest, weights[-1]))):  # farther away nothing is more likely
        return _positive(_whole_numbers(low, high), weights)
    if isinstance(noise.ratio, Expression):
        return _whole_numbers(low, high), weights
    return _whole_numbers(low, high), Shifted(lambda: weights, noise, center, low, high)


def _rows(
    center: int, low: int, high: int, masses: Callable[[int, int], tuple[Sequence[Any], Sequence[Any]]]
) -> tuple[tuple[Any, ...], Any]:
    """Return the weights of clamped noise, and that of the farthest point that was looked at."""
    nearest, farthest = max(low - center, center - high, 0), max(abs(low - center), abs(high - center)) + 1
    if nearest <= 2 * (high - low):
        nearest = 0  # other centres share these powers
    points, tails = masses(nearest, 1 << (farthest - nearest).bit_length())

    def beyond(distance: int) -> Any:
        """Return P(Z >= distance)."""
        return tails[distance - nearest] if distance >= 0 else 1 - tails[1 - distance - nearest]

    left, right = max(1, center - high + 1) - nearest, max(0, low + 1 - center) - nearest
    below = points[left : max(left, center - low - nearest)]
    above = points[right : max(right, high - center - nearest)]
    return (beyond(center - low), *reversed(below), *above, beyond(high - center)), points[-1]


@functools.lru_cache(maxsize=64)
def _whole_numbers(low: int, high: int) -> tuple[int, ...]:
    """Return the numbers from low to high; draws around different centres share the tuple."""
    return tuple(range(low, high + 1))


@functools.lru_cache(maxsize=64)
def _powers(ratio: _Ratio, first: int, count: int) -> tuple[list[Any], list[Any]]:
    """Return P(Z = d) and P(Z >= d) for d = first, first + 1, ..."""
    r = ratio.value
    _require_room(3 * count, first + count // 2, r)
    powers = [(Fraction(1) + 0 * r) * r**first]
    for _ in checkpoints(range(count), 16):
        powers.append(powers[-1] * r)
    peak, tail = (1 - r) / (1 + r), 1 / (1 + r)
    points, tails = ([part * power for power in checkpoints(powers, 16)] for part in (peak, tail))
    return points, tails


def exponential(scores: Any, base: Any) -> Distribution:
    if isinstance(scores, str) or not isinstance(scores, Sequence):
        raise InvalidDistribution(f"exponential: scores must be a list; got {_shown(scores)}.", value=scores)
    if not scores:
        raise InvalidDistribution("exponential: there must be at least one score; got [].", value=scores)
    for score in scores:
        if not isinstance(score, int) and not (isinstance(score, Fraction) and score.denominator == 1):
            raise InvalidDistribution(f"exponential: scores must be whole numbers; got {_shown(score)}.", value=score)
    b = number_or_expression(base, f"exponential: base {_shown(base)}")
    if isinstance(b, Expression):
        place = b.place({0, -1})
        if place is not None:
            raise InvalidDistribution(f"exponential: base must be above 0; {b} is not at {place}.", value=base)
    elif (b.lower if isinstance(b, Ball) else b) <= 0:
        raise InvalidDistribution(f"exponential: base must be above 0; got {b}.", value=base)
    least = min(scores)
    _bounded("exponential", int(max(scores) - least))
    _require_room(2 * len(scores), int(max(scores) - least), b)
    powers = [b ** int(score - least) for score in checkpoints(scores, 1)]
    total = sum(powers[1:], powers[0])
    return tuple(range(len(scores))), tuple(power / total for power in checkpoints(powers, 1))


def _require_room(count: int, exponent: int, base: Any) -> None:
    """Refuse ``count`` weights with powers of ``base`` if they would pass the memory limit."""
    if isinstance(base, Fraction):
        require_room(count * exponent * max(base.numerator.bit_length(), base.denominator.bit_length()) / 8)


def _positive(outcomes: Sequence[Any], weights: Sequence[Any]) -> Distribution:
    kept = [(outcome, weight) for outcome, weight in zip(outcomes, weights, strict=True) if not surely_zero(weight)]
    return tuple(outcome for outcome, _ in kept), tuple(weight for _, weight in kept)


def _whole(name: str, **numbers: Any) -> None:
    for argument, value in numbers.items():
        if not isinstance(value, int) and not (isinstance(value, Fraction) and value.denominator == 1):
            raise InvalidDistribution(f"{name}: {argument} must be a whole number; got {_shown(value)}.", value=value)


def _near(name: str, center: Any, low: Any, high: Any) -> int:
    """Return the largest distance from the centre to an outcome; refuse sums with too many terms."""
    _clamping(name, center, low, high)
    reach = int(max(abs(low - center), abs(high - center)))
    if reach > _MOST:
        raise InvalidDistribution(
            f"{name}: low and high must be at most {_MOST} away from the centre; got {_shown(center)} with "
            f"{_shown(low)}..{_shown(high)}.",
            value=center,
        )
    return reach


def _clamping(name: str, center: Any, low: Any, high: Any) -> None:
    """Refuse an invalid centre or invalid ends."""
    _whole(name, center=center, low=low, high=high)
    if low > high:
        raise InvalidDistribution(f"{name}: low must not be above high; got {low} > {high}.", value=(low, high))
    _bounded(name, int(high - low))


def _spread(name: str, what: str, value: Any) -> Any:
    """Read a scale or a variance."""
    parsed = number(value, f"{name}: {what} {_shown(value)}")
    if ends(parsed)[0] <= 0:
        raise InvalidDistribution(f"{name}: {what} must be above 0; got {_shown(parsed)}.", value=value)
    return parsed


def _bounded(name: str, count: int) -> None:
    if count > _MOST:
        raise InvalidDistribution(f"{name}: at most {_MOST} outcomes; got {large(count)}.", value=count)


def _shown(value: Any) -> str:
    if isinstance(value, Fraction):
        text = exact_text(value)
    else:
        text = str(value) if isinstance(value, (Ball, Expression)) else repr(value)
    return shortened(text)


DISTRIBUTIONS: dict[str, Callable[..., Distribution]] = {
    function.__name__: function
    for function in (flip, discrete, uniform, binomial, geometric, discrete_laplace, discrete_gaussian, exponential)
}


LARGEST_VARIANCE = 10**9
"""Limit for the variance; a sum has about 22 terms per unit of the standard deviation, here some 700,000."""
LARGEST_POWER = 1_000_000
"""Limit for x in e^-x; smaller numbers would have too many digits."""
_GAUSSIAN_BITS = 300
"""Working precision in bits: a few are lost in the computation, so it exceeds that of balls."""


@functools.lru_cache(maxsize=16)
def gaussian_masses(variance: Fraction | Ball, first: int, count: int) -> tuple[list[Ball], list[Ball]]:
    """Return P(Z = d) and P(Z >= d) for d = first, ..., first + count; P(z) is proportional to exp(-z^2 / (2
    variance)).

    Canonne, Kamath and Steinke 2020, Definition 1, with mean 0.

    Guarantee:
        Each ball holds the exact number; relative to it, its radius is below 1e-70 where the variance is exact.

    Proof. Let w(k) = q^(k^2) with q = exp(-1 / (2 variance)) < 1. From a K >= 0 on, j >= 0 gives (K + j)^2 >= K^2 +
    (2K + 1) j, since j^2 >= j for whole numbers; so the rest of the sum, w(K) + w(K + 1) + ..., lies between 0 and
    w(K) / (1 - q^(2K + 1)), the sum of a geometric series. Every tail is a finite sum of balls plus that interval; the
    normaliser is twice the tail from 0 less w(0), which is 1. K is taken so large that the rest is below 2^-300 times
    w(first + count), the smallest number asked for; were it not, the balls would be wider but hold the numbers as well.
    """
    top = float(ends(variance)[1])
    with flint.ctx.workprec(_GAUSSIAN_BITS):
        power = -1 / (2 * variance)
        minus_half = power.arb if isinstance(power, Ball) else flint.arb(to_flint(power))
        end = first + count
        # w(K) / w(end) < 2^-b where K^2 - end^2 > 2 b ln 2 variance; 64 bits more make up for the denominator
        last = math.isqrt(end * end + math.ceil(2 * (_GAUSSIAN_BITS + 64) * math.log(2) * top)) + 2
        weights = [(minus_half * (k * k)).exp() for k in checkpoints(range(last + 1))]
        rest = weights[last] / (1 - (minus_half * (2 * last + 1)).exp())
        tail = flint.arb(0).union(rest)
        tails = []
        for k in range(last - 1, -1, -1):
            tail += weights[k]
            if k <= end:
                tails.append(tail)
        tails.reverse()
        total = 2 * tails[0] - 1
    with in_precision():
        points = [Ball(weights[d] / total) for d in range(first, end + 1)]
        return points, [Ball(tail / total) for tail in tails[first:]]
