"""Symmetries of a mechanism, found, verified, and used to look at one case per orbit; and the sets of such cases."""

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
from taut.synthesis.symmetry.claims import Counterexample, SymmetryCheck, check_symmetry
from taut.synthesis.symmetry.discover import find_symmetries
from taut.synthesis.symmetry.group import SymmetryCost, SymmetryGroup
from taut.synthesis.symmetry.identity import IdentityTest
from taut.synthesis.symmetry.orbits import Orbit, Orbits
from taut.synthesis.symmetry.permutation import Permutation, read_permutation

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
    "check_symmetry",
    "find_symmetries",
    "read_permutation",
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]
