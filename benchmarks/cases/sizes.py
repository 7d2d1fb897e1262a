"""Mechanisms at the sizes that people have: counts, histograms, sums and reports, asked several questions each."""

from __future__ import annotations

from typing import Any

import taut
from benchmarks.registry import case
from taut import discrete_gaussian, flip, geometric, mechanism
from taut.mechanisms import geometric_count, histogram


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


def answers(model: Any) -> str:
    """Epsilon, delta, epsilon at delta, the corners of the profile, Rényi of order 2."""
    asked = [
        model.privacy().max_ratio,
        model.delta(ratio="3/2").delta,
        model.epsilon("1e-6").max_ratio,
        len(model.profile().corners),
        model.renyi(2).moment,
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


@case(k=1000, answer="9, 15/32, 562499/62500, 2, 49/9")
def sizes_of_unary_encoding(k: int) -> str:
    return answers(unary_encoding(taut.ints(1, 0, k - 1), k=k))


@case(n=50, k=20, answer="inf, 5/18, inf, 3, inf", quick=True)
def sizes_of_stability_histogram(n: int, k: int) -> str:
    return answers(stability_histogram(taut.ints(n, 0, k - 1), k=k, threshold=10))
