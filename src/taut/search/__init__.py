"""Bounds without enumeration: beliefs over the cuts of a relation, merged, closed, bounded, and met in the middle."""

from taut.search.automaton import Pairing, alone, pairing_of
from taut.search.engine import Found, LayerStats, Progress, Search
from taut.search.explain import explain
from taut.search.layer import Question, Track
from taut.search.plan import Plan, make_plan
from taut.search.witness import Path, triple, value_of

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
