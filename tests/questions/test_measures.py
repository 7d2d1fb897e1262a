"""Measures: how values of cases are ordered, which are one, and which is the worst."""

import itertools
from fractions import Fraction
from typing import Any

import flint
from hypothesis import given
from hypothesis import strategies as st

from taut import INFINITY, Ball
from taut.questions.accuracy import AccuracyWitness, EventProbability
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio, Witness

numbers = st.fractions(min_value=0, max_value=1, max_denominator=12)


def classes(measure: Measure, values: list[Any]) -> list[Any]:
    """The classes of cases of which the n-th has the n-th value and n + 1 members."""
    witness = Witness(None, None, None) if measure.runs > 1 else AccuracyWitness(None)
    return measure.classes((value, place + 1, lambda: witness) for place, value in enumerate(values))


def ball(mid: Fraction, radius: Fraction) -> Ball:
    with flint.ctx.workprec(256):
        centre, spread = (flint.arb(flint.fmpq(v.numerator, v.denominator)) for v in (mid, radius))
        return Ball(flint.arb(centre.mid(), spread.upper()))


@given(st.lists(st.one_of(numbers, st.none(), st.just(INFINITY))))
def test_exact_values_are_counted_and_ordered(values: list[Any]) -> None:
    expected: dict[Any, int] = {}
    for place, value in enumerate(values):
        if value is not None:
            expected[value] = expected.get(value, 0) + place + 1
    ratios = [(one.value, one.count) for one in classes(LargestRatio(), values)]
    assert ratios == sorted(expected.items(), reverse=True)
    probabilities = [(one.value, one.count) for one in classes(EventProbability(), values)]
    assert probabilities == sorted(expected.items())
    assert [(one.value, one.count) for one in classes(EventProbability(best=True), values)] == probabilities[::-1]


@given(st.lists(st.tuples(numbers, st.sampled_from([Fraction(0), Fraction(1, 40), Fraction(1, 3)])), min_size=1))
def test_the_worst_class_contains_the_worst_number_whatever_the_balls_stand_for(
    spread: list[tuple[Fraction, Fraction]],
) -> None:
    balls = [ball(mid, radius) for mid, radius in spread]
    for measure, worst in ((LargestRatio(), max), (EventProbability(), min)):
        first = classes(measure, balls)[0].value
        assert first.lower <= worst(one.lower for one in balls) and worst(one.upper for one in balls) <= first.upper


@given(st.lists(st.tuples(numbers, st.sampled_from([Fraction(0), Fraction(1, 40), Fraction(1, 3)])), min_size=1))
def test_classes_of_balls_do_not_overlap_and_count_all(spread: list[tuple[Fraction, Fraction]]) -> None:
    found = classes(LargestRatio(), [ball(mid, radius) for mid, radius in spread])
    assert all(high.value.lower > low.value.upper for high, low in itertools.pairwise(found))
    assert sum(one.count for one in found) == len(spread) * (len(spread) + 1) // 2


def test_a_wide_ball_beside_a_sharp_one_joins_what_it_overlaps() -> None:
    """By its centre the wide ball comes last, though the largest number may be in it."""
    values = [ball(Fraction(10), Fraction(1, 10)), ball(Fraction(9), Fraction(1, 100)), ball(Fraction(8), Fraction(5))]
    (only,) = classes(LargestRatio(), values)
    assert only.value.upper >= 13 and only.count == 6


def test_a_probability_is_never_bounded_beyond_one() -> None:
    bound = EventProbability(best=True).bound(
        Fraction(1, 2), Fraction(7, 3), method="search", stats={}, witness=AccuracyWitness(None)
    )
    assert (bound.lower, bound.upper) == (Fraction(1, 2), 1)
