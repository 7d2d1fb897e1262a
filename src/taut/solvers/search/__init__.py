"""Bounds without enumeration: beliefs over the cuts of a relation, merged, closed, bounded, and met in the middle."""

from taut.solvers.search.engine import Found, LayerStats, Progress, Search
from taut.solvers.search.explain import explain
from taut.solvers.search.layer import Question, Track
from taut.solvers.search.plan import Plan, make_plan
from taut.solvers.search.witness import Path, triple, value_of

__all__ = [
    "Found",
    "LayerStats",
    "Path",
    "Plan",
    "Progress",
    "Question",
    "Search",
    "Track",
    "explain",
    "make_plan",
    "triple",
    "value_of",
]
