"""Symmetries of a mechanism: found, verified, and used to look at one case per orbit."""

from taut.synthesis.symmetry.claims import Counterexample, SymmetryCheck, check_symmetry
from taut.synthesis.symmetry.discover import find_symmetries
from taut.synthesis.symmetry.group import SymmetryCost, SymmetryGroup
from taut.synthesis.symmetry.identity import IdentityTest
from taut.synthesis.symmetry.orbits import Orbit, Orbits
from taut.synthesis.symmetry.permutation import Permutation, read_permutation

__all__ = [
    "Counterexample",
    "IdentityTest",
    "Orbit",
    "Orbits",
    "Permutation",
    "SymmetryCheck",
    "SymmetryCost",
    "SymmetryGroup",
    "check_symmetry",
    "find_symmetries",
    "read_permutation",
]
