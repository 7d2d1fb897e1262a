"""Symmetries of a mechanism: found, verified, and used to look at one case per orbit."""

from taut.solvers.symmetry.claims import Counterexample, SymmetryCheck, check_symmetry
from taut.solvers.symmetry.discover import find_symmetries
from taut.solvers.symmetry.group import SymmetryCost, SymmetryGroup
from taut.solvers.symmetry.identity import IdentityTest
from taut.solvers.symmetry.notation import read_permutation
from taut.solvers.symmetry.orbits import Orbit, Orbits
from taut.solvers.symmetry.permutation import Permutation

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
