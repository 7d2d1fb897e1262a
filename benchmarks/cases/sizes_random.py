"""Sums with random contributions, at realistic sizes: random samples and shuffled reports."""

from __future__ import annotations

from typing import Any

import taut
from benchmarks.cases.sizes import answers
from benchmarks.registry import case
from taut import flip, geometric, mechanism
from taut.mechanisms import shuffled, subsampled


@mechanism
def filtered_count(x: Any, rate: Any) -> Any:
    return geometric(sum(bit for bit in x if flip(rate)), "1/2", 0, len(x))


@mechanism
def remembered_responses(x: Any, days: Any) -> Any:
    kept = [bit ^ flip("1/4") for bit in x]
    return [[bit ^ flip("1/8") for bit in kept] for _ in range(days)]


@mechanism
def sampled_histogram(x: Any, k: Any, rate: Any) -> Any:
    sample = [value for value in x if flip(rate)]
    return [geometric(sample.count(value), "1/2", 0, len(x)) for value in range(k)]


@mechanism
def rappor_of_one(x: Any, k: Any, days: Any) -> Any:
    permanent = [flip("1/2") if flip("1/2") else value == x[0] for value in range(k)]
    return [[flip("3/4") if bit else flip("1/4") for bit in permanent] for _ in range(days)]


@mechanism
def noisy_count(x: Any, lam: Any) -> Any:
    return sum(bit ^ flip(lam) for bit in x)


@case(n=1000, answer="11/10, 0, 1099997/1000000, 2, 201/200")
def sizes_of_sampled_count(n: int) -> str:
    return answers(subsampled(taut.bits(n), mechanism="geometric_count", absent=0, rate="1/10", ratio="1/2"))


@case(n=1000, answer="11/10, 0, 1099997/1000000, 2, 201/200")
def sizes_of_filtered_count(n: int) -> str:
    return answers(filtered_count(taut.bits(n), rate="1/10"))


@case(n=16, days=30, answer="3, 0.4749996228, 2.999995999, 16, 0.847297", quick=True)
def sizes_of_remembered_responses(n: int, days: int) -> str:
    model = remembered_responses(taut.bits(n), days=days)
    return ", ".join(one_answer(model, asked) for asked in ("epsilon", "delta", "epsilon at delta", "profile", "renyi"))


@case(n=300, k=10, answer="22/19, 0, 115789/100000, 2, 4221/4180", quick=True)
def sizes_of_sampled_histogram(n: int, k: int) -> str:
    return answers(sampled_histogram(taut.ints(n, 0, k - 1), k=k, rate="1/10"))


@case(k=16, days=30, answer="9, 0.4932223506, 8.99996206, 241, 1.68814", quick=True)
def sizes_of_rappor_of_one(k: int, days: int) -> str:
    model = rappor_of_one(taut.ints(1, 0, k - 1), k=k, days=days)
    return ", ".join(one_answer(model, asked) for asked in ("epsilon", "delta", "epsilon at delta", "profile", "renyi"))


@case(n=1000, asked="epsilon", answer="3")
@case(n=1000, asked="delta", answer="7.22337578e-05")
@case(n=1000, asked="epsilon at delta", answer="1.152643124")
@case(n=1000, asked="profile", answer="559")
@case(n=1000, asked="renyi", answer="0.00133601")
def size_of_noisy_count(n: int, asked: str) -> str:
    return one_answer(noisy_count(taut.bits(n), lam="1/4"), asked)


@case(n=20, asked="epsilon", answer="9")
@case(n=20, asked="delta", answer="0.2557768039")
@case(n=20, asked="epsilon at delta", answer="8.997161968")
@case(n=20, asked="profile", answer="545")
@case(n=20, asked="renyi", answer="0.564425")
def size_of_shuffled_answers(n: int, asked: str) -> str:
    model = shuffled(taut.ints(n, 0, 3), local="k_ary_randomized_response", k=4, lam="1/4")
    return one_answer(model, asked)


def one_answer(model: Any, asked: str) -> str:
    """The approximate answer to one question, or the number of corners of a profile."""
    if asked == "epsilon":
        return f"{float(model.privacy().max_ratio):.10g}"
    if asked == "delta":
        return f"{float(model.delta(ratio='11/10').delta):.10g}"
    if asked == "epsilon at delta":
        return f"{float(model.epsilon('1e-6').max_ratio):.10g}"
    if asked == "profile":
        return str(len(model.profile().corners))
    return f"{model.renyi(2).divergence:.6g}"
