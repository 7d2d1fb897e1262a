"""Bounds without looking at all inputs, beside those that look at all.

Above-threshold returns the index of the first noisy value >= a noisy threshold of k // 2, ratio 1/2; a count is close
if it is within n / 10, rounded up, of the true one. Long answers are ten digits, the length of the exact fraction and a
digest of it.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

import taut
from benchmarks.registry import case, growth
from taut.mechanisms import above_threshold, randomized_response, report_noisy_max, rr_count
from taut.synthesis.sets import rr_count_accuracy_set, rr_count_inference_set

THRESHOLD_3 = {
    3: "95/16",
    4: "307/44",
    5: "1115/148",
    6: "4267/548",
    7: "16715/2116",
    8: "66187/8324",
    10: "1051147/131588",
    20: "1099514249227/137439477764",
    40: "8, 50 digits, afc320f1",
}
THRESHOLD_7 = {
    5: "1170868351/9782336",
    6: "71601221695/575211584",
    8: "12359642806169/97151797696",
    10: "1155748398591310015/9042660669030464",
}


@case(n=11, method="search", answer="7/3", quick=True)
@case(n=100, method="search", answer="7/3", quick=True)
@case(n=1000, method="search", answer="7/3", quick=True)
@growth(
    "n", [1250, 2500, 5000, 10000], method="search", family="privacy of randomized response by search", answer="7/3"
)
@growth(
    "n",
    [9, 10, 11, 12],
    kind="exponential",
    method="exhaustive",
    family="privacy of randomized response, all inputs",
    answer="7/3",
)
def bound_of_randomized_response(n: int, method: str) -> str:
    return exactly(randomized_response(taut.bits(n), lam="3/10").privacy(method=method))


@case(n=3, k=3, method="search", answer=THRESHOLD_3[3])
@case(n=4, k=3, method="search", answer=THRESHOLD_3[4])
@case(n=6, k=3, method="search", answer=THRESHOLD_3[6], quick=True)
@case(n=8, k=3, method="search", answer=THRESHOLD_3[8])
@growth(
    "n",
    [5, 10, 20, 40],
    k=3,
    method="search",
    family="privacy of above-threshold, k = 3, by search",
    answer=THRESHOLD_3.get,
    quick=[10, 20],
)
@growth(
    "n",
    [5, 6, 7, 8],
    k=3,
    kind="exponential",
    method="exhaustive",
    family="privacy of above-threshold, k = 3, all inputs",
    answer=THRESHOLD_3.get,
    quick=[6],
)
@case(n=6, k=7, method="search", answer=THRESHOLD_7[6], quick=True)
@case(n=8, k=7, method="search", answer=THRESHOLD_7[8])
@growth(
    "n",
    [5, 10, 20],
    k=7,
    method="search",
    family="privacy of above-threshold, k = 7, by search",
    answer=THRESHOLD_7.get,
    limit=240,
)
@case(n=5, k=7, method="exhaustive", answer=THRESHOLD_7[5])
@case(n=6, k=3, neighbors="all_step", method="search", answer="64", quick=True)
@case(n=10, k=3, neighbors="all_step", method="search", answer="1024")
@case(n=16, k=3, neighbors="all_step", method="search", answer="65536")
@case(n=6, k=3, neighbors="all_step", method="exhaustive", answer="64")
def bound_of_above_threshold(n: int, k: int, method: str, neighbors: str = "one_differ") -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    return exactly(model.privacy(neighbors, method=method))


@growth(
    "n",
    [4, 5, 6, 7],
    k=3,
    kind="exponential",
    method="search",
    family="privacy of report noisy max by search",
    answer=lambda n: str(2**n),
    quick=[5],
)
@case(n=5, k=3, method="exhaustive", answer="32")
def bound_of_noisy_max(n: int, k: int, method: str) -> str:
    return exactly(report_noisy_max(taut.ints(n, 0, k), ratio="1/2", high=k).privacy("all_step", method=method))


@case(n=18, method="search", answer="1035087118336/3814697265625")
@case(n=30, method="search", answer="0.1227108064, 43 digits, b59931de", quick=True)
@case(n=300, method="search", answer="2.231677921e-06, 416 digits, 61496f6f")
@growth(
    "n",
    [50, 100, 200],
    method="search",
    family="accuracy of a noisy count by search",
    answer={100: "0.005696380956, 139 digits, f3dfe83d"}.get,
    quick=[100],
)
@case(n=30, method="restricted", answer="0.1227108064, 43 digits, b59931de")
@case(n=100, method="restricted", answer="0.005696380956, 139 digits, f3dfe83d")
@case(n=18, method="exhaustive", answer="1035087118336/3814697265625")
def bound_of_count(n: int, method: str) -> str:
    alpha = -(-n // 10)
    sets: dict[str, Any] = {}
    if method == "restricted":
        sets = {"accuracy_set": rr_count_accuracy_set(n), "inference_set": rr_count_inference_set(n, alpha)}
    return exactly(rr_count(taut.bits(n), lam="1/5").accuracy(sum, alpha, method=method, **sets))


@case(n=50, k=15, time_limit=30.0, answer="the lower end is replayed", limit=90)
def interval_of_above_threshold(n: int, k: int, time_limit: float) -> tuple[str, dict[str, Any]]:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    bound = model.privacy("one_differ", method="search", time_limit=time_limit)
    replayed = "replayed" if bound.verify() else "NOT CONFIRMED"
    interval = {
        "lower": f"{float(bound.lower):.10g}",
        "upper": f"{float(bound.upper):.10g}",
        "upper over lower": f"1 + {float(bound.upper / bound.lower - 1):.3g}",
        "exact": bound.exact,
    }
    return f"the lower end is {replayed}", interval


def exactly(bound: Any) -> str:
    """An exact value, so that two are the same text only if they are the same number; long ones by a digest."""
    value = bound.attained
    if not bound.exact:
        return f"only an interval, {bound}"
    text = str(value)
    if len(text) <= 40 or not isinstance(value, Fraction):
        return text
    return f"{float(value):.10g}, {len(text)} digits, {hashlib.sha256(text.encode()).hexdigest()[:8]}"
