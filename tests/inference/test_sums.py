"""Sums of independent parts: polynomials give what enumeration gives, and what is not such a sum is left alone."""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from tests.synthesis.search.test_engine import THOROUGH, outcome
from tests.synthesis.test_sums import SUMS

from taut import Model, bits, flip, mechanism, observe, options
from taut.inference import sums
from taut.inference.sums import independent_sum
from taut.mechanisms import rr_count
from taut.program.enumerator import enumerate_outcomes


@pytest.fixture(autouse=True)
def short_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts are a sum already."""
    monkeypatch.setattr(sums, "_FEW", 2)


@THOROUGH
@given(model=SUMS)
def test_distributions_are_those_of_the_enumerator(model: Model) -> None:
    for x in map(model.space.at, itertools.islice(itertools.product(*map(range, map(len, model.space.values))), 4)):
        expected = enumerate_outcomes(model.program, x)
        made = independent_sum(model.program, x)
        found = None if made is None else made.distribution()
        assert found == expected and found == dict(model.distribution(x))
        assert found is not None and list(map(type, sorted(found))) == list(map(type, sorted(expected)))


@pytest.mark.parametrize("shape", ["product", "evidence", "fractions", "pair"])
def test_what_is_not_a_sum_of_independent_parts_is_not_taken_for_one(shape: str) -> None:
    @mechanism
    def other(x: Any) -> Any:
        first = flip("1/3")
        if shape == "product":
            return (x[0] + first) * (x[1] + flip("1/4"))
        if shape == "fractions":
            return (x[0] & first) / 2 + (x[1] & flip("1/2"))
        if shape == "evidence":
            observe(first or x[0])
        total = (x[0] ^ first) + (x[1] ^ flip("1/5"))
        return (total, x[0]) if shape == "pair" else total

    model = other(bits(2))
    assert independent_sum(model.program, (1, 1)) is None
    assert model.accuracy(lambda x: (1, 0) if shape == "pair" else 1, 0, distance=lambda a, b: int(a != b)).exact


def test_limits_hold_for_sums() -> None:
    model = rr_count(bits(300), lam="1/5")
    assert len(model.distribution((0,) * 300)) == 301
    with options(max_outcomes=100):
        assert isinstance(outcome(lambda: rr_count(bits(300), lam="1/5").distribution((0,) * 300)), type)


def test_the_count_of_a_thousand_bits() -> None:
    n, lam = 1000, Fraction(1, 5)
    assert rr_count(bits(n), lam=lam).privacy().max_ratio == 4
    shuffled = random.Random(0).sample(range(n), n)
    x = tuple(int(place < 300) for place in shuffled)
    found = rr_count(bits(n), lam=lam).distribution(x)
    assert sum(found.values()) == 1 and found[0] == lam**300 * (1 - lam) ** 700
    assert sum(y * mass for y, mass in found.items()) == 300 * (1 - lam) + 700 * lam
