"""Symmetries of a mechanism: found, verified, and used to look at one case per orbit."""

from taut.solvers.symmetry.claims import Counterexample, SymmetryCheck, claimed, differing_case
from taut.solvers.symmetry.description import description
from taut.solvers.symmetry.discover import find_symmetries
from taut.solvers.symmetry.group import SymmetryCost, SymmetryGroup
from taut.solvers.symmetry.identity import IdentityTest
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
    "claimed",
    "description",
    "differing_case",
    "find_symmetries",
]
