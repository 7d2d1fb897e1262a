"""Sums of independent parts, which need no diagram, and chains of equal parts, which are searched at once.

Counts are those of randomized response; a count is close if it is within n / 10 of the true one.
"""

from __future__ import annotations

import taut
from benchmarks.cases.search import exactly
from benchmarks.registry import case, growth
from taut.mechanisms import k_ary_randomized_response, rr_count


@growth(
    "n",
    [125, 250, 500, 1000],
    family="accuracy of a count of noisy bits, as a sum",
    answer={1000: "8.731206511e-18, 1382 digits, fdc8079c"}.get,
    quick=[125, 250],
)
def accuracy_of_sum(n: int) -> str:
    return exactly(rr_count(taut.bits(n), lam="1/5").accuracy(sum, n // 10, method="search"))


@growth("n", [64, 128, 256, 512], family="delta of a count of noisy bits", quick=[64, 128])
def delta_of_sum(n: int) -> str:
    return exactly(rr_count(taut.bits(n), lam="1/4").delta(ratio=2, method="search"))


@case(n=2000, k=4, answer="3", quick=True)
def bound_of_k_ary_randomized_response(n: int, k: int) -> str:
    return exactly(k_ary_randomized_response(taut.ints(n, 0, k - 1), k=k, lam="1/2").privacy(method="search"))
