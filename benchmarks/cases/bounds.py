"""Bounds over all inputs with the worst cases counted, and with the paper's sets: lambda = 1/5, alpha = n/10."""

from __future__ import annotations

import taut
from benchmarks.registry import case, growth
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.synthesis.sets import rr_count_accuracy_set, rr_count_inference_set, rr_inference_set, rr_privacy_set


@case(n=10, answer="4, 5242880 triples", quick=True)
@case(n=12, answer="4, 100663296 triples")
def privacy_of_randomized_response(n: int) -> str:
    bound = randomized_response(taut.bits(n), lam="1/5").privacy(method="exhaustive")
    return f"{bound.max_ratio}, {bound.count} triples"


@case(n=6, k=3, answer="4267/548", quick=True)
def privacy_of_above_threshold(n: int, k: int) -> str:
    model = above_threshold(taut.ints(n, 0, k), threshold=k // 2, ratio="1/2", high=k)
    return str(model.privacy("one_differ").max_ratio)


@case(n=20, answer="4", quick=True)
@growth(
    "n", [125, 250, 500, 1000], family="privacy of randomized response with the paper's sets", answer="4", quick=[125]
)
def restricted_privacy_of_randomized_response(n: int) -> str:
    model = randomized_response(taut.bits(n), lam="1/5")
    bound = model.privacy(inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n))
    return str(bound.max_ratio)


@case(n=8, answer="0.503316", quick=True)
@case(n=100, answer="0.005696")
def restricted_accuracy_of_count(n: int) -> str:
    alpha = -(-n // 10)
    model = rr_count(taut.bits(n), lam="1/5")
    sets = {"accuracy_set": rr_count_accuracy_set(n), "inference_set": rr_count_inference_set(n, alpha)}
    return f"{float(model.accuracy(sum, alpha, **sets).probability):.6f}"
