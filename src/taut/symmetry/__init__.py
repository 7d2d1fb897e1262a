"""Inference, privacy and accuracy sets: which cases are enough to look at, why, and whether that is true."""

from taut.symmetry.claims import Counterexample, SymmetryCheck, claimed, differing_case
from taut.symmetry.discover import find_symmetries
from taut.symmetry.group import SymmetryCost, SymmetryGroup
from taut.symmetry.identity import IdentityTest
from taut.symmetry.orbits import Orbit, Orbits
from taut.symmetry.paper import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)
from taut.symmetry.permutation import Permutation
from taut.symmetry.sets import AccuracySet, InferenceSet, PrivacySet, SetCheck
from taut.symmetry.words import described

__all__ = [
    "AccuracySet",
    "Counterexample",
    "IdentityTest",
    "InferenceSet",
    "Orbit",
    "Orbits",
    "Permutation",
    "PrivacySet",
    "SetCheck",
    "SymmetryCheck",
    "SymmetryCost",
    "SymmetryGroup",
    "claimed",
    "described",
    "differing_case",
    "find_symmetries",
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]
