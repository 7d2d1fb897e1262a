"""Noise around several sums with coins inside is exact where the other entries can be silent."""

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.decompose.test_laws import MEASURES, check

from taut import flip, geometric, helper, ints, mechanism
from taut.mechanisms import subsampled

AMOUNTS = st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=2), min_size=3, max_size=3)


@mechanism
def built(x: Any, amounts: Any, ratios: Any, slope: int, way: str) -> Any:
    """Each entry is in the sample or not, and adds what its value says to both sums."""
    sums = [0, 0]
    for value in x:
        if way == "sampled":
            if flip("1/3"):
                for place in (0, 1):
                    sums[place] += amounts[value][place]
        elif way == "apart":
            for place in (0, 1):
                if flip("1/4"):
                    sums[place] += amounts[value][place]
        else:
            sums[0] += amounts[value][0]
            if flip("1/3"):
                sums[1] += amounts[value][1]
    if way == "one more":
        sums[0] += flip("1/5")
    noisy = [geometric(slope * total + 1, ratio, 0, 2 * len(x) + 2) for total, ratio in zip(sums, ratios, strict=True)]
    return [noisy[1], noisy[0]] if way == "sampled" else noisy


@given(
    AMOUNTS,
    st.sampled_from([("1/2", "1/2"), ("1/2", "1/3")]),
    st.integers(1, 2),
    st.sampled_from(["sampled", "apart", "some", "one more"]),
)
@settings(max_examples=15, deadline=None, derandomize=True)
def test_two_noisy_sums_are_exact(amounts: Any, ratios: Any, slope: int, way: str) -> None:
    model = built(ints(2, 0, 2), amounts=amounts, ratios=ratios, slope=slope, way=way)
    check(model, "one_differ", MEASURES[:6])
    check(model, "one_step", MEASURES[6:])


@mechanism
def sampled_histogram(x: Any, k: int) -> Any:
    sample = [value for value in x if flip("1/10")]
    return [geometric(sample.count(value), "1/2", 0, len(x)) for value in range(k)]


def test_a_sampled_histogram_is_that_of_any_number() -> None:
    few, many = sampled_histogram(ints(2, 0, 2), k=3), sampled_histogram(ints(90, 0, 5), k=6)
    shipped = subsampled(ints(50, 0, 4), mechanism="histogram", absent=None, rate="1/10", k=5, ratio="1/2")
    assert check(few, "one_differ", MEASURES[:6]) == 6
    answers = (Fraction(22, 19), few.delta(ratio="11/10").delta, few.renyi(2).moment)
    for model in (many, shipped):
        bound = model.privacy()
        assert bound.method == "decomposition"
        assert (bound.max_ratio, model.delta(ratio="11/10").delta, model.renyi(2).moment) == answers


@helper
def sum_and_size(x: Any) -> Any:
    kept = [value for value in x if flip("1/3")]
    return [sum(kept), len(kept)]


def test_where_no_other_entry_is_silent_nothing_is_claimed() -> None:
    made = mechanism(lambda x: [geometric(total, "1/2", 0, 2) for total in sum_and_size(x)])
    check(made(ints(2, 0, 1)), "one_differ", MEASURES[:4])
