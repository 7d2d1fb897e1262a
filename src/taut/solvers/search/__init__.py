"""Bounds without enumeration: beliefs over the cuts of a relation, merged, closed, bounded, and met in the middle."""

from taut.solvers.search.automaton import Pairing, alone, pairing_of
from taut.solvers.search.engine import Found, LayerStats, Progress, Search
from taut.solvers.search.explain import explain
from taut.solvers.search.layer import Question, Track
from taut.solvers.search.plan import Plan, make_plan
from taut.solvers.search.witness import Path, triple, value_of

__all__ = [
    "Found",
    "LayerStats",
    "Pairing",
    "Path",
    "Plan",
    "Progress",
    "Question",
    "Search",
    "Track",
    "alone",
    "explain",
    "make_plan",
    "pairing_of",
    "triple",
    "value_of",
]
