"""Solvers: a problem is a channel, a neighbour relation and a measure; a solver turns it into a bound."""

from taut.solvers.auto import METHODS, solve, solvers_of, value_classes
from taut.solvers.by_sets import BySets
from taut.solvers.problem import Budget, Problem, Solver, Uncompiled
from taut.solvers.worst_pair import AdaptiveInputs

__all__ = [
    "METHODS",
    "AdaptiveInputs",
    "Budget",
    "BySets",
    "Problem",
    "Solver",
    "Uncompiled",
    "solve",
    "solvers_of",
    "value_classes",
]
