"""Mechanisms at realistic sizes: counts, histograms, sums and reports, with several questions each."""

from __future__ import annotations

import statistics
from fractions import Fraction
from typing import Any

import taut
from benchmarks.registry import case
from taut import discrete_gaussian, exponential, flip, geometric, mechanism, uniform
from taut.mechanisms import (
    above_threshold,
    geometric_count,
    histogram,
    k_ary_randomized_response,
    pate_vote,
    report_noisy_max,
)


@mechanism
def gaussian_count(x: Any) -> Any:
    return discrete_gaussian(sum(x), 4, 0, len(x))


@mechanism
def unary_encoding(x: Any, k: Any) -> Any:
    return [flip("3/4") if value == place else flip("1/4") for value in x for place in range(k)]


@mechanism
def stability_histogram(x: Any, k: Any, threshold: Any) -> Any:
    counts = []
    for value in range(k):
        count = x.count(value)
        noisy = geometric(count, "1/2", 0, len(x))
        counts.append(noisy if count > 0 and noisy > threshold else 0)
    return counts


def answers(model: Any, **asking: Any) -> str:
    """Epsilon, delta, epsilon at delta, the corners of the profile, Rényi of order 2."""
    asked = [
        model.privacy(**asking).max_ratio,
        model.delta(ratio="3/2", **asking).delta,
        model.epsilon("1e-6", **asking).max_ratio,
        len(model.profile(**asking).corners),
        model.renyi(2, **asking).moment,
    ]
    return ", ".join(map(str, asked))


@case(n=100, answer="2, 1/6, 1999997/1000000, 2, 3/2", quick=True)
@case(n=1000, answer="2, 1/6, 1999997/1000000, 2, 3/2", quick=True)
def sizes_of_count(n: int) -> str:
    return answers(geometric_count(taut.bits(n), ratio="1/2"))


@case(n=100, k=10, answer="4, 5/18, 3999991/1000000, 2, 9/4", quick=True)
@case(n=1000, k=100, answer="4, 5/18, 3999991/1000000, 2, 9/4")
def sizes_of_histogram(n: int, k: int) -> str:
    return answers(histogram(taut.ints(n, 0, k - 1), k=k, ratio="1/2"))


@case(n=1000, answer="0.25")
def renyi_of_gaussian_count(n: int) -> str:
    return f"{gaussian_count(taut.bits(n)).renyi(2).divergence:.6g}"


@case(n=1000, answer="2.27579")
def epsilon_of_gaussian_count(n: int) -> str:
    return f"{gaussian_count(taut.bits(n)).epsilon('1e-6').epsilon:.6g}"


@case(n=1000, answer="0.125")
def zcdp_of_gaussian_count(n: int) -> str:
    return f"{gaussian_count(taut.bits(n)).zcdp().rho:.6g}"


@case(n=1000, runs=100, answer="35.5675")
@case(n=1000, runs=1000, answer="199.282")
def runs_of_gaussian_count(n: int, runs: int) -> str:
    return f"{gaussian_count(taut.bits(n)).profile().compose(runs).epsilon('1e-6').epsilon:.6g}"


@case(k=1000, answer="9, 15/32, 562499/62500, 2, 49/9")
def sizes_of_unary_encoding(k: int) -> str:
    return answers(unary_encoding(taut.ints(1, 0, k - 1), k=k))


@case(n=50, k=20, answer="inf, 5/18, inf, 3, inf", quick=True)
def sizes_of_stability_histogram(n: int, k: int) -> str:
    return answers(stability_histogram(taut.ints(n, 0, k - 1), k=k, threshold=10))


@mechanism
def clipped_sum(x: Any, top: Any) -> Any:
    return geometric(sum(min(value, top) for value in x), "1/2", 0, top * len(x))


@mechanism
def k_ary_response(x: Any, k: Any) -> Any:
    return [value if flip("1/2") else uniform(0, k - 1) for value in x]


@mechanism
def local_hashing(x: Any, k: Any) -> Any:
    reports = []
    for value in x:
        seed = uniform(1, k)
        hashed = value * seed % (k + 1) % 4
        reports.append((seed, hashed if flip("3/4") else uniform(0, 3)))
    return reports


@mechanism
def two_parties(x: Any, y: Any) -> Any:
    return [geometric(sum(party), "1/2", 0, len(party)) for party in (x, y)]


def one_bit_of_either(x: Any, x_prime: Any) -> Any:
    return sum(a != b for party, other in zip(x, x_prime, strict=True) for a, b in zip(party, other, strict=True)) == 1


@mechanism
def noisy_median(x: Any, top: Any) -> Any:
    return geometric(sorted(x)[len(x) // 2], "1/2", 0, top)


@mechanism
def noisy_largest(x: Any, top: Any) -> Any:
    return geometric(max(x), "1/2", 0, top)


@mechanism
def noisy_range(x: Any, top: Any) -> Any:
    return geometric(max(x) - min(x), "1/2", 0, top)


@mechanism
def noisy_distinct(x: Any, top: Any) -> Any:
    return geometric(len(set(x)), "1/2", 0, top + 1)


@mechanism
def noisy_mode(x: Any, top: Any) -> Any:
    return geometric(max(x.count(value) for value in range(top + 1)), "1/2", 0, len(x))


@mechanism
def over_bar(x: Any, bar: Any) -> Any:
    return geometric(1 if sum(value > 3 for value in x) > bar else 0, "1/2", 0, 1)


CLIPPED = (
    "1125899906842624, 201326585/201326592, 17592159656136933376/15625, 26, "
    "509731318823557100377959274803391120136695223/633825300114114700748351602688"
)


@case(n=100, top=50, answer=CLIPPED, quick=True)
@case(n=1000, top=50, answer=CLIPPED)
def sizes_of_clipped_sum(n: int, top: int) -> str:
    return answers(clipped_sum(taut.ints(n, 0, top), top=top))


@case(n=1000, k=100, answer="101, 199/400, 504999/5000, 2, 5201/101", quick=True)
def sizes_of_k_ary_response(n: int, k: int) -> str:
    return answers(k_ary_response(taut.ints(n, 0, k - 1), k=k))


@case(n=1000, k=100, answer="13, 23/32, 812499/62500, 2, 139/13")
def sizes_of_local_hashing(n: int, k: int) -> str:
    return answers(local_hashing(taut.ints(n, 0, k - 1), k=k))


@case(n=8, answer="2, 1/6, 1999997/1000000, 2, 3/2", quick=True)
def sizes_of_two_parties(n: int) -> str:
    return answers(two_parties(taut.bits(n), taut.bits(n)), neighbors=one_bit_of_either)


STEPS_OF_100 = (
    "1267650600228229401496703205376, 6755399441055737/6755399441055744, 19807010918005141549259390005018624/15625, "
    "51, 727512848690887887953016317289063628946952997737834375227193017626564749915477395065499063/"
    "803469022129495137770981046170581301261101496891396417650688"
)
STEPS_OF_40 = (
    "1099511627776, 6291449/6291456, 17179843414196224/15625, 21, 474724284208898526037073950100123063/60"
    "4462909807314587353088"
)
TEN_REPORTS = (
    "110462212541120451001, 102198662080042910153189/102400000000000000000000, 110359812541120451001, 11,"
    " 14483333722960911891833161450176852001/110462212541120451001"
)
COUNTED = "2, 1/6, 1999997/1000000, 2, 3/2"


@case(n=101, top=100, answer=STEPS_OF_100, quick=True)
def sizes_of_median(n: int, top: int) -> str:
    return answers(noisy_median(taut.ints(n, 0, top), top=top))


@case(n=1000, top=100, answer=STEPS_OF_100)
def sizes_of_largest(n: int, top: int) -> str:
    return answers(noisy_largest(taut.ints(n, 0, top), top=top))


@case(n=100, top=40, answer=STEPS_OF_40)
def sizes_of_range(n: int, top: int) -> str:
    return answers(noisy_range(taut.ints(n, 0, top), top=top))


@case(n=1000, top=50, answer=COUNTED, quick=True)
def sizes_of_distinct(n: int, top: int) -> str:
    return answers(noisy_distinct(taut.ints(n, 0, top), top=top))


@case(n=100, top=9, answer=COUNTED, quick=True)
def sizes_of_mode(n: int, top: int) -> str:
    return answers(noisy_mode(taut.ints(n, 0, top), top=top))


@case(n=1000, bar=500, answer=COUNTED, quick=True)
def sizes_of_bar(n: int, bar: int) -> str:
    return answers(over_bar(taut.ints(n, 0, 6), bar=bar))


@case(n=100, top=50, answer=STEPS_OF_100)
def sizes_of_clipped_sum_of_all(n: int, top: int) -> str:
    return answers(clipped_sum(taut.ints(n, 0, top), top=top), neighbors="all_step")


@case(n=10, k=100, answer=TEN_REPORTS)
def sizes_of_k_ary_response_of_all(n: int, k: int) -> str:
    return answers(k_ary_response(taut.ints(n, 0, k - 1), k=k), neighbors="all_step")


@mechanism
def released_histogram(x: Any, k: Any, bar: Any) -> Any:
    counts = [geometric(x.count(value), "1/2", 0, len(x)) for value in range(k)]
    return [count if count > bar else 0 for count in counts]


@mechanism
def noisy_mean(x: Any, top: Any) -> Any:
    return geometric(round(statistics.mean(x) * len(x)), "1/2", 0, top * len(x)) / len(x)


@mechanism
def bar_on_count(x: Any, bar: Any) -> Any:
    return geometric(sum(x), "1/2", 0, len(x)) >= bar


@mechanism
def middle_by_ranks(x: Any, k: Any) -> Any:
    below = [sum(value <= place for value in x) for place in range(k)]
    return exponential([-abs(2 * rank - len(x)) for rank in below], "11/10")


@mechanism
def commonest_value(x: Any, k: Any) -> Any:
    return exponential([x.count(place) for place in range(k)], "3/2")


@mechanism
def busiest_window(x: Any, k: Any) -> Any:
    return exponential([sum(abs(value - place) <= 2 for value in x) for place in range(k)], "3/2")


SELECTIONS = {"middle": middle_by_ranks, "commonest": commonest_value, "window": busiest_window}


@case(n=50, k=20, which="middle", answer="1.463634, 1.463634")
@case(n=50, k=20, which="commonest", answer="2.25, 2.25")
@case(n=50, k=20, which="window", answer="2.25, 2.25")
def epsilon_of_selection(n: int, k: int, which: str) -> str:
    bound = SELECTIONS[which](taut.ints(n, 0, k - 1), k=k).privacy()
    assert bound.exact == (which != "window")
    return f"{float(bound.lower):.7g}, {float(bound.upper):.7g}"


@case(n=50, k=20, which="commonest", answer="0.05, 0.061")
@case(n=50, k=20, which="window", answer="0.06, 0.061")
def delta_of_selection(n: int, k: int, which: str) -> str:
    bound = SELECTIONS[which](taut.ints(n, 0, k - 1), k=k).delta(ratio="3/2")
    return f"{int(bound.lower * 100) / 100}, {-int(-bound.upper * 1000 - 1) / 1000}"


@case(n=1_000_000, answer=COUNTED)
def sizes_of_very_large_count(n: int) -> str:
    return answers(geometric_count(taut.bits(n), ratio="1/2"))


@case(n=1000, k=100, answer="297, 197/264, 74249901/250000, 2, 6556795/29403")
def sizes_of_k_ary_built_in(n: int, k: int) -> str:
    return answers(k_ary_randomized_response(taut.ints(n, 0, k - 1), k=k, lam="1/4"))


@case(n=1000, bar=500, answer=COUNTED, quick=True)
def sizes_of_bar_on_noise(n: int, bar: int) -> str:
    return answers(bar_on_count(taut.bits(n), bar=bar))


@case(n=200, k=10, bar=20, answer="4, 5/18")
def answers_of_released_histogram(n: int, k: int, bar: int) -> str:
    model = released_histogram(taut.ints(n, 0, k - 1), k=k, bar=bar)
    return f"{model.privacy().max_ratio}, {model.delta(ratio='3/2').delta}"


@case(n=1000, top=10, answer="1024, 185/192", quick=True)
def answers_of_noisy_mean(n: int, top: int) -> str:
    model = noisy_mean(taut.ints(n, 0, top), top=top)
    return f"{model.privacy().max_ratio}, {model.delta(ratio='3/2').delta}"


@case(n=10, high=100, answer="2, 2")
def epsilon_of_noisy_max(n: int, high: int) -> str:
    listed = report_noisy_max(taut.ints(n, 0, high), ratio="1/2", high=high)
    looped = looped_max(taut.ints(n, 0, high), high=high)
    return ", ".join(str(model.privacy("one_step").max_ratio) for model in (listed, looped))


@mechanism
def looped_max(x: Any, high: Any) -> Any:
    best, place = -1, None
    for i, value in enumerate(x):
        noisy = geometric(value, "1/2", 0, high)
        if noisy > best:
            best, place = noisy, i
    return place


@case(n=50, k=10, answer="4")
def epsilon_of_pate(n: int, k: int) -> str:
    return str(pate_vote(taut.ints(n, 0, k - 1), k=k, ratio="1/2").privacy().max_ratio)


@case(n=10, high=100, answer="1/6, between 0.1666 and 1/6")
def delta_of_noisy_max(n: int, high: int) -> str:
    model = report_noisy_max(taut.ints(n, 0, high), ratio="1/2", high=high)
    bound = model.delta(ratio="3/2", neighbors="one_step")
    return f"{bound.upper}, between {int(bound.lower * 10**4) / 10**4} and {bound.upper}"


@case(n=50, low=0, top=100, high=100, ratio="1/2", answer="1125899906842624")
@case(n=50, low=1, top=19, high=20, ratio="1/2", answer="112107.877")
@case(n=50, low=0, top=20, high=40, ratio="1/8", answer="32.0000000 to 1e-9")
def epsilon_of_above_threshold(n: int, low: int, top: int, high: int, ratio: str) -> str:
    model = above_threshold(
        taut.ints(n, low, top), threshold=(low + top) // 2, ratio="1/2", high=high, threshold_ratio=ratio
    )
    bound = model.privacy("all_step")
    if bound.exact:
        return str(bound.max_ratio) if bound.max_ratio.denominator == 1 else f"{float(bound.max_ratio):.3f}"
    near = bound.upper <= bound.lower * (1 + Fraction(1, 10**9))
    return f"{float(bound.lower):.7f} to 1e-9" if near else f"{float(bound.lower)} to {float(bound.upper)}"


@mechanism
def sparse_vector_by_hand(x: Any, bar: Any, most: Any, high: Any) -> Any:
    answers, above = [], 0
    noisy_bar = geometric(bar, "1/2", 0, high)
    for value in x:
        if above < most:
            reached = geometric(value, "1/2", 0, high) >= noisy_bar
            answers.append(reached)
            above += reached
    return answers


@case(n=50, top=20, c=3, neighbors="all_step", answer="1125899906842624")
@case(n=50, top=20, c=3, neighbors="one_step", answer="2")
def epsilon_of_sparse_vector(n: int, top: int, c: int, neighbors: str) -> str:
    model = sparse_vector_by_hand(taut.ints(n, 0, top), bar=top // 2, most=c, high=top)
    return str(model.privacy(neighbors).max_ratio)


@mechanism
def released_sum(x: Any, bar: Any) -> Any:
    noisy = geometric(sum(x), "1/2", 0, 10 * len(x))
    return noisy if noisy >= bar else None


@mechanism
def decided_release(x: Any, bar: Any) -> Any:
    count = geometric(sum(x), "1/2", 0, len(x))
    if count > bar:
        return "many", count
    return "few", geometric(sum(x[: len(x) // 2]), "1/2", 0, len(x))


@mechanism
def quantile_of_noisy_counts(x: Any, k: Any) -> Any:
    below = [geometric(sum(value <= place for value in x), "1/2", 0, len(x)) for place in range(k)]
    for place in range(k):
        if 2 * below[place] >= len(x):
            return place
    return k - 1


@case(n=500, bar=100, answer="1024, 185/192", quick=True)
def answers_of_released_sum(n: int, bar: int) -> str:
    model = released_sum(taut.ints(n, 0, 10), bar=bar)
    return f"{model.privacy().max_ratio}, {model.delta(ratio='3/2').delta}"


@case(n=100, bar=20, answer="4", quick=True)
def epsilon_of_decided_release(n: int, bar: int) -> str:
    return str(decided_release(taut.bits(n), bar=bar).privacy().max_ratio)


@case(n=100, k=10, answer="512")
def epsilon_of_quantile_of_noisy_counts(n: int, k: int) -> str:
    return str(quantile_of_noisy_counts(taut.ints(n, 0, k - 1), k=k).privacy().max_ratio)


@mechanism
def matches(a: Any, b: Any) -> Any:
    return geometric(sum(own and other for own, other in zip(a, b, strict=True)), "1/2", 0, len(a))


@mechanism
def noisy_matches(a: Any, b: Any) -> Any:
    return sum((own and other) ^ flip("1/4") for own, other in zip(a, b, strict=True))


@mechanism
def values_of_users(x: Any, per: Any, k: Any) -> Any:
    counts = [0] * k
    for start in range(0, len(x), per):
        for value in range(k):
            if any(record == value for record in x[start : start + per]):
                counts[value] += 1
    return [geometric(count, "1/2", 0, len(x) // per) for count in counts]


@mechanism
def rounded_sum(x: Any, grid: Any) -> Any:
    return grid * round(geometric(sum(x), "1/2", 0, 10 * len(x)) / grid)


@case(n=500, answer=COUNTED, quick=True)
def sizes_of_matches(n: int) -> str:
    return answers(matches(taut.bits(n), taut.bits(n)))


@case(n=500, answer="3, 0.00512023", quick=True)
def answers_of_noisy_matches(n: int) -> str:
    model = noisy_matches(taut.bits(n), taut.bits(n))
    return f"{model.privacy().max_ratio}, {float(model.delta(ratio='21/20').delta):.6g}"


@case(n=300, per=3, k=5, answer="4, 5/18, 3999991/1000000, 2, 9/4", quick=True)
def sizes_of_values_of_users(n: int, per: int, k: int) -> str:
    return answers(values_of_users(taut.ints(n, 0, k - 1), per=per, k=k))


@case(n=300, grid=5, answer="1024, 185/192", quick=True)
def answers_of_rounded_sum(n: int, grid: int) -> str:
    model = rounded_sum(taut.ints(n, 0, 10), grid=grid)
    return f"{model.privacy().max_ratio}, {model.delta(ratio='3/2').delta}"
