"""Solvers: a problem is a channel, a neighbour relation and a measure; a solver turns it into a bound."""

from taut.synthesis.auto import METHODS, solve, solvers_of, value_classes
from taut.synthesis.facts import Known
from taut.synthesis.pairs.worst_pair import AdaptiveInputs
from taut.synthesis.problem import Budget, Problem, Solver, Uncompiled
from taut.synthesis.sets.solver import BySets

__all__ = [
    "METHODS",
    "AdaptiveInputs",
    "Budget",
    "BySets",
    "Known",
    "Problem",
    "Solver",
    "Uncompiled",
    "solve",
    "solvers_of",
    "value_classes",
]
