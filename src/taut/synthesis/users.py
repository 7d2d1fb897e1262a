"""Symmetries and sets as users import them: permutations that change no probability, and cases that then suffice."""

from taut.synthesis.sets import (
    AccuracySet,
    InferenceSet,
    PrivacySet,
    SetCheck,
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)
from taut.synthesis.symmetry import Counterexample, Permutation, SymmetryCheck, SymmetryCost, SymmetryGroup

__all__ = [
    "AccuracySet",
    "Counterexample",
    "InferenceSet",
    "Permutation",
    "PrivacySet",
    "SetCheck",
    "SymmetryCheck",
    "SymmetryCost",
    "SymmetryGroup",
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]
