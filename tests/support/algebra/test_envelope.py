"""The largest of several functions is the largest at every point, and borders are where it changes."""

import itertools
from fractions import Fraction
from typing import Any

import flint
from hypothesis import given, settings
from hypothesis import strategies as st

from taut.support.algebra.envelope import Candidate, envelope
from taut.support.algebra.rational import RationalFunction
from taut.support.algebra.roots import Root

LAM = RationalFunction.unknown("lam")
LOW, HIGH = Fraction(0), Fraction(1)
POSITIVE = st.integers(0, 5)


@st.composite
def functions(draw: Any) -> RationalFunction:
    """A rational function that is not negative on 0..1, and has no pole there."""
    shapes = [LAM, 1 - LAM, LAM * (1 - LAM), (2 * LAM - 1) ** 2, 1 + 0 * LAM]
    top = sum((draw(POSITIVE) * shape for shape in shapes), 0 * LAM)
    return top / (1 + draw(POSITIVE) * LAM + draw(POSITIVE) * (1 - LAM) ** 2)


@settings(max_examples=36, deadline=None)
@given(
    some=st.lists(functions(), min_size=1, max_size=7),
    largest=st.booleans(),
    points=st.lists(st.fractions(min_value=0, max_value=1, max_denominator=200), min_size=5, max_size=5),
)
def test_it_is_the_largest_everywhere(some: list[RationalFunction], largest: bool, points: list[Fraction]) -> None:
    stretches = envelope([Candidate(f, number) for number, f in enumerate(some)], LOW, HIGH, largest=largest)
    assert stretches[0].low == LOW and stretches[-1].high == HIGH
    for a, b in itertools.pairwise(stretches):
        assert a.high == b.low and a.candidate.value != b.candidate.value
    choose = max if largest else min
    ends = [end for stretch in stretches for end in (stretch.low, stretch.high) if isinstance(end, Fraction)]
    for point in [*points, *ends]:
        for stretch in stretches:
            if stretch.low <= point <= stretch.high:
                assert stretch.candidate.value(point) == choose(f(point) for f in some)


def test_borders_are_exact() -> None:
    falling, rising = Candidate(1 - LAM, "falling"), Candidate(LAM**2, "rising")
    first, second = envelope([falling, rising], LOW, HIGH)
    assert (first.candidate, second.candidate) == (falling, rising)
    assert isinstance(first.high, Root) and first.high.is_root_of(flint.fmpz_poly([-1, 1, 1]))
    meeting = envelope([Candidate(LAM, 0), Candidate(Fraction(1, 3) + 0 * LAM, 1)], LOW, HIGH)
    assert [stretch.high for stretch in meeting] == [Fraction(1, 3), Fraction(1)]


def test_touching_is_not_crossing() -> None:
    one, touching = Candidate(1 + 0 * LAM, 0), Candidate(1 - (2 * LAM - 1) ** 2, 1)
    assert [stretch.candidate for stretch in envelope([one, touching], LOW, HIGH)] == [one]


def test_infinity_is_the_largest_and_never_the_smallest() -> None:
    infinite, finite = Candidate(float("inf"), 0), Candidate(LAM, 1)
    assert envelope([finite, infinite], LOW, HIGH)[0].candidate == infinite
    assert envelope([finite, infinite], LOW, HIGH, largest=False)[0].candidate == finite
