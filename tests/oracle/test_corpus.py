"""Every mechanism of the corpus, compiled, has exactly the distribution that running it as plain Python has."""

from fractions import Fraction

import pytest
from tests.corpus import central, expected, language, local, sampling, selection, sparse_vector
from tests.corpus.case import Case
from tests.oracle.native import native_distribution

FAMILIES = (local, central, sampling, sparse_vector, selection, language, expected)
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES]


def test_names_are_unique() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)


def test_the_oracle_agrees_with_arithmetic_by_hand() -> None:
    """Three answers worked out on paper, so that the oracle itself stands on something."""
    response = native_distribution(local.rr_comprehension, {"x": (0, 1), "lam": 0.2})
    assert response == {
        (0, 1): Fraction(16, 25),
        (1, 1): Fraction(4, 25),
        (0, 0): Fraction(4, 25),
        (1, 0): Fraction(1, 25),
    }
    noisy = native_distribution(central.geometric_integer, {"value": 1, "ratio": "1/2", "low": 0, "high": 2})
    assert noisy == {0: Fraction(1, 3), 1: Fraction(1, 3), 2: Fraction(1, 3)}
    conditioned = native_distribution(sampling.von_neumann, {"x": (0,), "p": "1/5"})
    assert conditioned == {(0,): Fraction(1, 2), (1,): Fraction(1, 2)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_distribution_is_the_native_one(case: Case) -> None:
    model = case.model()
    for x, arguments in case.inputs():
        found = model.distribution(x)
        native = native_distribution(case.mechanism, arguments)
        assert found == native, f"{case.name}: at x={x!r} taut says {found}, plain Python {native}"
