"""Bounds without enumeration: beliefs over the cuts of a relation, merged, closed, bounded, and met in the middle.

The proofs are in docs/search.md. `question` says what is asked, `engine` is the loop; `frontier` and `step`
are the layers it goes through; `closing`, `bounding` and `hull` the passes that drop items; `revealed` and
`extremes` the bounds they use; `meet` joins both sides; `beam` finds a first witness; `certificate` is the interval at
any moment, `witness` the case that attains it, `explain` an account in words.
"""

from taut.solvers.search.engine import LayerStats, Progress, Search, SearchResult
from taut.solvers.search.explain import explain
from taut.solvers.search.plan import Plan, make_plan
from taut.solvers.search.question import Question, Track
from taut.solvers.search.witness import input_path, triple, value_of

__all__ = [
    "LayerStats",
    "Plan",
    "Progress",
    "Question",
    "Search",
    "SearchResult",
    "Track",
    "explain",
    "input_path",
    "make_plan",
    "triple",
    "value_of",
]
