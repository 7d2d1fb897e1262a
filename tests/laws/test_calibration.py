"""Calibration never overshoots: whatever the shape of the bound, the value returned meets its budget by plain sums."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from taut import calibrate, flip, integer, mechanism
from taut.support.exact import exp

TOP = 40
rates = st.lists(st.integers(1, 19), min_size=TOP + 1, max_size=TOP + 1)
"""For every value of the parameter the rate of a flip, in twentieths: no order, no monotony."""


def masses(rate: Fraction, runs: int) -> list[tuple[Fraction, Fraction]]:
    """The probabilities of all outputs of all runs on x=0 and on x=1, where each run returns x flipped at a rate."""
    found = []
    for flips in itertools.product((0, 1), repeat=runs):
        own = other = Fraction(1)
        for flipped in flips:
            own *= rate if flipped else 1 - rate
            other *= 1 - rate if flipped else rate
        found.append((own, other))
    return found


def delta(rate: Fraction, runs: int, ratio: Fraction) -> Fraction:
    """The hockey-stick divergence of all runs at e^epsilon = ratio."""
    return sum((max(Fraction(0), own - ratio * other) for own, other in masses(rate, runs)), Fraction(0))


@settings(max_examples=25, deadline=None)
@given(
    rates,
    st.integers(1, 3),
    st.tuples(st.integers(1, TOP), st.integers(0, TOP)).filter(lambda ends: ends[0] > ends[1]),
    st.sampled_from(["epsilon", "ratio", "delta", "renyi"]),
    st.fractions(Fraction(1, 10), 4, max_denominator=20),
)
def test_the_value_meets_the_budget(
    numbers: list[int], runs: int, ends: tuple[int, int], kind: str, limit: Fraction
) -> None:
    @mechanism
    def flipped(x: Any, k: Any) -> Any:
        return x ^ flip(Fraction(numbers[k], 20))

    high, low = ends
    budgets: dict[str, dict[str, Any]] = {
        "epsilon": {"epsilon": limit},
        "ratio": {"ratio": 1 + limit},
        "delta": {"ratio": 1 + limit, "delta": Fraction(1, 20)},
        "renyi": {"renyi": (2, limit)},
    }
    found = calibrate(flipped, integer(0, 1), k=(low, high), compose=runs, **budgets[kind])

    def met(k: int) -> bool:
        rate = Fraction(numbers[k], 20)
        ratio = max(own / other for own, other in masses(rate, runs))
        if kind == "delta":
            return delta(rate, runs, 1 + limit) <= Fraction(1, 20)
        if kind == "renyi":
            return bool(sum(own * own / other for own, other in masses(rate, runs)) <= exp(limit).lower)
        return bool(ratio <= (1 + limit if kind == "ratio" else exp(limit).lower))

    if found.best is not None:
        assert found.best.denominator == 1 and low <= found.best <= high and met(int(found.best))
        assert found.beyond is None or not met(int(found.beyond))
    if found.complete:
        assert (found.best is None) is not any(met(k) for k in range(low, high + 1))
    assert not found.complete or high - low < 16
