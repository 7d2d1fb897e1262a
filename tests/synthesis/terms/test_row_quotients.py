"""The largest ratio of two rows is the exact one, also where floats cannot tell it from others."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import INFINITY
from taut.synthesis.terms.chosen_rows import Quotients

WEIGHTS = st.integers(0, 3) | st.integers(0, 20).map(lambda more: 10**20 + more)
"""Ratios of the large ones differ by less than a float shows."""
FACTORS = st.lists(st.integers(1, 10**6), min_size=4, max_size=4)
"""What an outcome has in all rows, so that its logarithm is rounded as it likes."""
ROWS = st.builds(
    lambda rows, factors: [
        [Fraction(a * b, sum(map(mul, row, factors))) for a, b in zip(row, factors, strict=True)] for row in rows
    ],
    st.lists(st.lists(WEIGHTS, min_size=4, max_size=4).filter(any), min_size=1, max_size=4),
    FACTORS,
)


@settings(max_examples=100)
@given(ROWS, st.permutations(["a", 0, False, (1, "b")]))
def test_the_quotient_is_the_largest_of_all_outcomes(shares: list[list[Fraction]], outcomes: list[object]) -> None:
    quotients = Quotients([(outcomes, row) for row in shares])
    pairs = list(itertools.product(range(len(shares)), repeat=2))
    own, other = (np.array(side) for side in zip(*pairs, strict=True))
    numbers, logs = quotients.numbers(own, other), quotients.logs(own, other)
    for place, (one, two) in enumerate(pairs):
        known = [(a / b if b else INFINITY) for a, b in zip(shares[one], shares[two], strict=True) if a]
        assert quotients.values[numbers[place]] == max(known)
        assert logs[place] == (math.inf if max(known) == INFINITY else pytest.approx(math.log(max(known)), abs=1e-9))
        attained = next(i for i, y in enumerate(outcomes) if y is quotients.outcome(one, two))
        assert shares[one][attained] == max(known) * shares[two][attained] or not shares[two][attained]
