"""Bounds that a plain loop over all inputs can find: ``auto`` must never be much slower than that loop."""

from __future__ import annotations

from typing import Any

import taut
from benchmarks import plain
from benchmarks.registry import case, growth
from taut.mechanisms import binary_tree_counter, exponential_mechanism, histogram, permute_and_flip, report_noisy_max

EXPONENTIAL = "privacy of the exponential mechanism, seven scores of 0..2"
MEDIAN = "privacy of the median by ranks, five values of 0..4"
NOISY_MAX = "privacy of report noisy max, four scores of 0..3"
HISTOGRAM = "privacy of a histogram, n = 4, k = 3"
HISTOGRAM_3_4 = "privacy of a histogram, n = 3, k = 4"
TREE = "privacy of the binary tree counter, n = 6"


@taut.mechanism
def median_by_ranks(x: Any, high: int) -> Any:
    """The exponential mechanism for a median: the score of a value is the distance of its rank from the middle."""
    scores = []
    for value in range(high + 1):
        below = sum(entry < value for entry in x)
        above = sum(entry > value for entry in x)
        scores.append(-abs(below - above))
    return taut.exponential(scores, 2)


@taut.mechanism
def shuffled_reports(x: Any, k: int) -> Any:
    """The histogram of the answers of k-ary randomized response: what a shuffler shows."""
    counts = [0] * k
    for value in x:
        report = value
        if taut.flip("1/2"):
            report = taut.uniform(0, k - 1)
        counts[report] += 1
    return counts


@case(n=7, answer="25/7", question=EXPONENTIAL, quick=True)
def privacy_of_exponential(n: int) -> str:
    return str(exponential_mechanism(taut.ints(n, 0, 2), base=2).privacy("one_differ").max_ratio)


@case(n=4, answer="4")
@case(n=5, answer="4")
def privacy_of_permute_and_flip(n: int) -> str:
    return str(permute_and_flip(taut.ints(n, 0, 2), base=2).privacy("all_step").max_ratio)


@case(n=5, high=4, question=MEDIAN, answer="41/5", quick=True)
@case(n=5, high=7, answer="105/11")
@case(n=7, high=7, answer="596/47")
def privacy_of_median(n: int, high: int) -> str:
    return str(median_by_ranks(taut.ints(n, 0, high), high=high).privacy().max_ratio)


@case(n=3, k=4, answer="4", question=HISTOGRAM_3_4, quick=True)
@case(n=4, k=3, answer="4", question=HISTOGRAM, quick=True)
@case(n=8, k=4, answer="4")
@growth("n", [15, 30, 60], k=4, family="privacy of a histogram of 4 values", answer="4")
def privacy_of_histogram(n: int, k: int) -> str:
    return str(histogram(taut.ints(n, 0, k - 1), k=k, ratio="1/2").privacy().max_ratio)


@case(n=6, answer="8", question=TREE, quick=True)
@case(n=16, answer="32")
@case(n=64, answer="128")
def privacy_of_binary_tree(n: int) -> str:
    return str(binary_tree_counter(taut.bits(n), ratio="1/2").privacy().max_ratio)


@case(n=4, answer="16", question=NOISY_MAX, quick=True)
@case(n=6, answer="64", quick=True)
def privacy_of_noisy_max(n: int) -> str:
    return str(report_noisy_max(taut.ints(n, 0, 3), ratio="1/2", high=3).privacy("all_step").max_ratio)


@growth("n", [5, 10, 20], k=4, family="privacy of shuffled reports, k = 4", answer="5")
def privacy_of_shuffled_reports(n: int, k: int) -> str:
    return str(shuffled_reports(taut.ints(n, 0, k - 1), k=k).privacy().max_ratio)


@case(name="exponential", n=7, answer="25/7", tool="plain loop", question=EXPONENTIAL, quick=True)
@case(name="median", n=5, high=4, answer="41/5", tool="plain loop", question=MEDIAN, quick=True)
@case(name="noisy_max", n=4, answer="16", tool="plain loop", question=NOISY_MAX, quick=True)
@case(name="histogram", n=4, k=3, answer="4", tool="plain loop", question=HISTOGRAM, quick=True)
@case(name="histogram", n=3, k=4, answer="4", tool="plain loop", question=HISTOGRAM_3_4, quick=True)
@case(name="tree", n=6, answer="8", tool="plain loop", question=TREE, quick=True)
def plain_loop(name: str, **sizes: int) -> str:
    """A bound by a plain loop, without taut."""
    return str(getattr(plain, f"plain_{name}")(**sizes))
