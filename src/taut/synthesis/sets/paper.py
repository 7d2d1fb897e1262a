"""The sets of the paper, for randomized response and its count, for any number of clients."""

from __future__ import annotations

import itertools

from taut.synthesis.sets.given import AccuracySet, InferenceSet, PrivacySet

__all__ = [
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]


def rr_inference_set(n: int) -> InferenceSet:
    """All inputs 1..10..0 with the output 0..0: one pair for each number of flips."""
    return InferenceSet((_ones(i, n), _ones(0, n)) for i in range(n + 1))


def rr_privacy_set(n: int) -> PrivacySet:
    """Neighbouring inputs 1..10..0, both ways, with the output 0..0: 2n triples."""
    up = [(_ones(i, n), _ones(i + 1, n), _ones(0, n)) for i in range(n)]
    return PrivacySet([*up, *[(b, a, y) for a, b, y in up]])


def rr_single_input_set(n: int) -> InferenceSet:
    """The input 0..0 with all outputs: the one solver run of the paper's restricted rows."""
    return InferenceSet((_ones(0, n), y) for y in itertools.product((0, 1), repeat=n))


def rr_count_accuracy_set(n: int) -> AccuracySet:
    """The inputs 1..10..0."""
    return AccuracySet(_ones(i, n) for i in range(n + 1))


def rr_count_inference_set(n: int, alpha: int) -> InferenceSet:
    """The inputs 1..10..0 with all counts within alpha of their number of ones."""
    return InferenceSet((_ones(i, n), j) for i in range(n + 1) for j in range(max(0, i - alpha), min(n, i + alpha) + 1))


def _ones(i: int, n: int) -> tuple[int, ...]:
    return (1,) * i + (0,) * (n - i)
