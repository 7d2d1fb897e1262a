"""Solvers: a problem is a channel, a neighbour relation and a measure; a solver turns it into a bound."""

from typing import TYPE_CHECKING

from taut.support.package import attach
from taut.synthesis.auto import METHODS, solve, solvers_of, value_classes
from taut.synthesis.facts import Known
from taut.synthesis.problem import Budget, Problem, Solver, Uncompiled

if TYPE_CHECKING:
    from taut.synthesis.pairs.worst_pair import AdaptiveInputs
    from taut.synthesis.sets import BySets

# The same names again, imported when they are needed.
__getattr__ = attach(
    __name__, {"taut.synthesis.pairs.worst_pair": ["AdaptiveInputs"], "taut.synthesis.sets": ["BySets"]}
)

__all__ = ["METHODS", "AdaptiveInputs", "Budget", "BySets", "Known", "Problem", "Solver", "Uncompiled", "solve"]
__all__ += ["solvers_of", "value_classes"]
