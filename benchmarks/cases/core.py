"""Compiling and exact inference, at sizes at which enumeration is hopeless."""

from __future__ import annotations

import taut
from benchmarks.registry import case, growth
from taut.mechanisms import above_threshold, randomized_response, rr_count


@growth(
    "n",
    [1250, 2500, 5000, 10000],
    family="relation of randomized response",
    answer=lambda n: str(5 * n + 2),
    quick=[1250, 2500],
)
def relation_of_randomized_response(n: int) -> str:
    return str(randomized_response(taut.bits(n), lam="3/10").size)


@case(n=256, answer="98947")
def relation_of_count(n: int) -> str:
    return str(rr_count(taut.bits(n), lam="3/10").size)


@growth("n", [25, 50, 100], k=63, family="relation of above-threshold, k = 63", answer=lambda n: str(4096 * n + 4))
def relation_of_above_threshold(n: int, k: int) -> str:
    return str(above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k).size)


@growth(
    "n",
    [125, 250, 500, 1000],
    semiring="exact",
    family="distribution of a count of noisy bits",
    answer=lambda n: f"{n + 1} outputs, sum 1",
    quick=[125, 250],
)
@case(n=1000, semiring="float64", answer="sum within 1e-9 of 1")
def count_of_noisy_bits(n: int, semiring: str) -> str:
    model = rr_count(taut.bits(n), lam="3/10")
    found = model.distribution(tuple(i % 2 for i in range(n)), semiring=semiring)
    if semiring == "exact":
        return f"{len(found)} outputs, sum {sum(found.values())}"
    return "sum within 1e-9 of 1" if abs(sum(found.values()) - 1) < 1e-9 else f"sum {sum(found.values())}"


@case(n=6, k=3, answer="91", quick=True)
def binary_size_of_above_threshold(n: int, k: int) -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k - 1, ratio=taut.exp("-5"), high=k, strict=True)
    return str(max(model.fix((value,) * n).bdd_size for value in range(k + 1)))
