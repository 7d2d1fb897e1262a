"""How a mechanism is written does not matter: the same answers by the same method, and exact ones."""

import functools
import itertools
import statistics
from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.native import native_distribution
from tests.synthesis.decompose.test_laws import check

from taut import bits, flip, geometric, helper, ints, mechanism
from taut.mechanisms import shuffled
from taut.program import enumerate_outcomes
from taut.synthesis.decompose import kernel

# ruff: noqa: C417, SIM102


def by_filter(x: Any) -> Any:
    return sum(bit for bit in x if flip("1/10"))


def by_and(x: Any) -> Any:
    return sum(bit and flip("1/10") for bit in x)


def by_product(x: Any) -> Any:
    return sum(bit * flip("1/10") for bit in x)


def by_length(x: Any) -> Any:
    return len([1 for bit in x if bit and flip("1/10")])


def by_loop(x: Any) -> Any:
    total = 0
    for bit in x:
        if flip("1/10"):
            total += bit
    return total


def by_continue(x: Any) -> Any:
    total = 0
    for bit in x:
        if not flip("1/10"):
            continue
        total += bit
    return total


def by_nested_conditions(x: Any) -> Any:
    total = 0
    for bit in x:
        if bit == 1:
            if flip("1/10"):
                total = total + 1
    return total


def by_subtracting(x: Any) -> Any:
    total = len(x)
    for bit in x:
        if not (bit and flip("1/10")):
            total -= 1
    return total


def by_counter(x: Any) -> Any:
    return Counter(bit for bit in x if flip("1/10"))[1]


def by_counter_of_mixed_keys(x: Any) -> Any:
    return Counter(bit and flip("1/10") for bit in x)[1]


def by_get(x: Any) -> Any:
    counts: Any = {}
    for bit in x:
        if flip("1/10"):
            counts[bit] = counts.get(bit, 0) + 1
    return counts.get(1, 0)


def by_defaultdict(x: Any) -> Any:
    counts: Any = defaultdict(int)
    for bit in x:
        if flip("1/10"):
            counts[bit] += 1
    return counts[1]


def by_bins(x: Any) -> Any:
    counts = [0, 0]
    for bit in x:
        if flip("1/10"):
            counts[bit] += 1
    return counts[1]


def by_count(x: Any) -> Any:
    return [bit for bit in x if flip("1/10")].count(1)


def by_reduce(x: Any) -> Any:
    return functools.reduce(lambda total, bit: total + bit * flip("1/10"), x, 0)


def by_map(x: Any) -> Any:
    return sum(map(lambda bit: bit * flip("1/10"), x))


def by_filter_function(x: Any) -> Any:
    return len(list(filter(lambda bit: bit and flip("1/10"), x)))


def by_zip(x: Any) -> Any:
    chosen = [flip("1/10") for _ in x]
    return sum(bit for bit, kept in zip(x, chosen, strict=True) if kept)


def by_compress(x: Any) -> Any:
    return sum(itertools.compress(x, [flip("1/10") for _ in x]))


def by_appending(x: Any) -> Any:
    kept = []
    for bit in x:
        if flip("1/10"):
            kept.append(bit)
    return sum(value for value in kept if value > 0)


def by_while(x: Any) -> Any:
    total = place = 0
    while place < len(x):
        total += x[place] if flip("1/10") else 0
        place += 1
    return total


def by_enumerating(x: Any) -> Any:
    total = 0
    for _place, bit in enumerate(x):
        if bit and flip("1/10"):
            total += 1
    return total


def by_naming_inside(x: Any) -> Any:
    total = 0
    return [total := total + (bit and flip("1/10")) for bit in x][-1]


def by_inner_function(x: Any) -> Any:
    def added(total: Any, bit: Any) -> Any:
        return total + bit if flip("1/10") else total

    total = 0
    for bit in x:
        total = added(total, bit)
    return total


WAYS = [helper(value) for name, value in list(globals().items()) if name.startswith("by_")]


@pytest.mark.parametrize("way", WAYS)
def test_how_a_sampled_count_is_written_does_not_matter(way: Any) -> None:
    made = mechanism(lambda x: geometric(way(x), "1/2", 0, len(x)))
    model = made(bits(80))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (Fraction(11, 10), "decomposition")
    assert model.renyi(2).moment == Fraction(201, 200)
    small = made(bits(2))
    for x in small.domain:
        assert enumerate_outcomes(small.program, x) == native_distribution(made, {"x": x})


def flipped_in_a_sum(x: Any) -> Any:
    return sum(bit ^ flip("1/4") for bit in x)


def flipped_in_a_loop(x: Any) -> Any:
    total = 0
    for bit in x:
        if flip("1/4"):
            bit = 1 - bit
        total += bit
    return total


def flipped_before_counting(x: Any) -> Any:
    return [1 - bit if flip("1/4") else bit for bit in x].count(1)


def flipped_before_a_counter(x: Any) -> Any:
    return Counter([1 - bit if flip("1/4") else bit for bit in x])[1]


def flipped_keys(x: Any) -> Any:
    counts = {0: 0, 1: 0}
    for bit in x:
        counts[bit if flip("3/4") else 1 - bit] += 1
    return counts[1]


def flipped_before_a_mean(x: Any) -> Any:
    return round(statistics.mean([1 - bit if flip("1/4") else bit for bit in x]) * len(x))


@pytest.mark.parametrize(
    "way",
    [
        flipped_in_a_sum,
        flipped_in_a_loop,
        flipped_before_counting,
        flipped_before_a_counter,
        flipped_keys,
        flipped_before_a_mean,
    ],
)
def test_how_a_sum_of_flipped_bits_is_written_does_not_matter(way: Any) -> None:
    made = mechanism(helper(way))
    model = made(bits(80))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (3, "decomposition")
    assert model.delta(ratio=2).delta == mechanism(helper(flipped_in_a_sum))(bits(80)).delta(ratio=2).delta
    small = made(bits(3))
    for x in small.domain:
        assert enumerate_outcomes(small.program, x) == native_distribution(made, {"x": x})


def bins_by_loops(x: Any, k: int) -> Any:
    return [sum(1 for value in x if value == bin_) for bin_ in range(k)]


def bins_by_count(x: Any, k: int) -> Any:
    return [x.count(bin_) for bin_ in range(k)]


def bins_by_counter(x: Any, k: int) -> Any:
    counts = Counter(x)
    return [counts[bin_] for bin_ in range(k)]


def bins_by_list(x: Any, k: int) -> Any:
    counts = [0] * k
    for value in x:
        counts[value] += 1
    return counts


def bins_by_dictionary(x: Any, k: int) -> Any:
    counts: Any = {}
    for value in x:
        counts[value] = counts.get(value, 0) + 1
    return [counts.get(bin_, 0) for bin_ in range(k)]


def bins_by_nested_loops(x: Any, k: int) -> Any:
    counts = [0] * k
    for bin_ in range(k):
        for value in x:
            if value == bin_:
                counts[bin_] += 1
    return counts


@pytest.mark.parametrize(
    "way", [bins_by_loops, bins_by_count, bins_by_counter, bins_by_list, bins_by_dictionary, bins_by_nested_loops]
)
def test_how_a_histogram_is_written_does_not_matter(way: Any) -> None:
    binned = helper(way)
    model = mechanism(lambda x: [geometric(count, "1/2", 0, len(x)) for count in binned(x, 4)])(ints(40, 0, 3))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method) == (4, "decomposition")
    assert model.delta(ratio="3/2").delta == Fraction(5, 18)


def total_by_sum(x: Any) -> Any:
    return sum(min(value, 3) for value in x)


def total_by_loop(x: Any) -> Any:
    total = 0
    for value in x:
        if value > 3:
            total += 3
        else:
            total += value
    return total


def total_by_map(x: Any) -> Any:
    return sum(map(lambda value: 3 if value > 3 else value, x))


def total_by_reduce(x: Any) -> Any:
    return functools.reduce(lambda total, value: total + min(value, 3), x, 0)


def total_by_while(x: Any) -> Any:
    total, place = 0, len(x)
    while place > 0:
        place -= 1
        total = total + min(x[place], 3)
    return total


def total_by_mean(x: Any) -> Any:
    return round(statistics.mean([min(value, 3) for value in x]) * len(x))


def total_by_counter(x: Any) -> Any:
    counts = Counter(min(value, 3) for value in x)
    return sum(value * counts[value] for value in range(4))


def total_by_levels(x: Any) -> Any:
    return sum(len([1 for value in x if value >= level]) for level in (1, 2, 3))


def total_by_accumulating(x: Any) -> Any:
    return list(itertools.accumulate(min(value, 3) for value in x))[-1]


def total_by_naming_inside(x: Any) -> Any:
    total = 0
    return [total := total + min(value, 3) for value in x][-1]


TOTALS = [helper(value) for name, value in list(globals().items()) if name.startswith("total_by_")]


@pytest.mark.parametrize("way", TOTALS)
def test_how_a_clipped_sum_is_written_does_not_matter(way: Any) -> None:
    made = mechanism(lambda x: geometric(way(x), "1/2", 0, 3 * len(x)))
    bound = made(ints(150, 0, 5)).privacy()
    assert (bound.max_ratio, bound.method) == (8, "decomposition")
    assert "the answer is the same for any number" in bound.stats["why"]
    small = made(ints(2, 0, 4))
    for x in list(small.domain)[::5]:
        assert enumerate_outcomes(small.program, x) == native_distribution(made, {"x": x})


@mechanism
def remembered(x: Any, days: int, listed: str) -> Any:
    """A noisy bit for each entry, remembered, and reports of it day by day."""
    kept = [bit ^ flip("1/4") for bit in x]
    if listed == "by day":
        return [[bit ^ flip("1/8") for bit in kept] for _ in range(days)]
    if listed == "by bit":
        return [[bit ^ flip("1/8") for _ in range(days)] for bit in kept]
    return [bit ^ flip("1/8") for _ in range(days) for bit in kept]


def test_the_order_of_the_output_does_not_matter() -> None:
    answers = set()
    for listed in ("by day", "by bit", "flat"):
        model = remembered(bits(16), days=30, listed=listed)
        bound = model.privacy()
        assert bound.method == "decomposition"
        answers.add((bound.max_ratio, model.delta(ratio="3/2").delta, model.epsilon("1e-6").max_ratio))
        assert bound.verify()
    assert len(answers) == 1
    (ratio, _, _) = answers.pop()
    most, least = 3 * Fraction(7, 8) ** 30 + Fraction(1, 8) ** 30, Fraction(7, 8) ** 30 + 3 * Fraction(1, 8) ** 30
    assert ratio == most / least


def test_few_inputs_with_very_many_outputs_are_decomposed() -> None:
    @mechanism
    def rappor_of_one(x: Any, days: int) -> Any:
        permanent = [flip("1/2") if flip("1/2") else value == x[0] for value in range(8)]
        return [[flip("3/4") if bit else flip("1/4") for bit in permanent] for _ in range(days)]

    bound = rappor_of_one(ints(1, 0, 7), days=20).privacy()
    assert bound.method == "decomposition" and bound.exact
    ratio = Fraction(3 * 3**20 + 1, 3**20 + 3) ** 2
    assert bound.max_ratio == ratio


RATES = st.sampled_from(["1/4", "1/8", "1/3"])
KINDS = st.lists(st.tuples(st.integers(0, 4), RATES), min_size=2, max_size=5)


@given(KINDS, RATES, st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_items_that_share_coins_are_exact(items: Any, rate: str, ending: int) -> None:
    @mechanism
    def built(x: Any) -> Any:
        first, second = x[0] ^ flip(rate), x[1] ^ flip("1/5")
        made: Any = []
        for kind, own in items:
            if kind == 0:
                made.append(first ^ flip(own))
            elif kind == 1:
                made.append(first + second + flip(own))
            elif kind == 2:
                made.append(x[0] if flip(own) else second)
            elif kind == 3:
                made.append(first and flip(own))
            else:
                made.append(flip(own) if flip(own) else first == second)
        if ending == 1:
            made.append(first)
        return made if ending < 2 else [made, made[0]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_FEW_RUNS", 0)
        check(built(bits(2)), "one_differ")


def test_sorted_reports_are_counts() -> None:
    made = mechanism(lambda x: sorted([bit ^ flip("1/4") for bit in x]))
    told = shuffled(bits(40), local="randomized_response", lam="1/4")
    bound, same = made(bits(40)).privacy(), told.privacy()
    assert (bound.method, bound.max_ratio) == (same.method, same.max_ratio) == ("decomposition", 3)
    assert made(bits(40)).delta(ratio="3/2").delta == told.delta(ratio="3/2").delta
