"""Inference, privacy and accuracy sets: which cases are enough to look at, why, and whether that is true."""

from taut.solvers.symmetry.check import check_symmetry
from taut.solvers.symmetry.claims import Counterexample, SymmetryCheck, claimed, differing_case
from taut.solvers.symmetry.discover import find_symmetries
from taut.solvers.symmetry.group import SymmetryCost, SymmetryGroup
from taut.solvers.symmetry.identity import IdentityTest
from taut.solvers.symmetry.orbits import Orbit, Orbits
from taut.solvers.symmetry.paper import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)
from taut.solvers.symmetry.permutation import Permutation
from taut.solvers.symmetry.sets import AccuracySet, InferenceSet, PrivacySet, SetCheck
from taut.solvers.symmetry.words import described

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
