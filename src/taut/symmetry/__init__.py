"""Inference, privacy and accuracy sets: which cases are enough to look at, and whether that is true."""

from taut.symmetry.paper import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)
from taut.symmetry.sets import AccuracySet, InferenceSet, PrivacySet, SetCheck

__all__ = [
    "AccuracySet",
    "InferenceSet",
    "PrivacySet",
    "SetCheck",
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]
