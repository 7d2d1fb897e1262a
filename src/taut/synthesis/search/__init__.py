"""Bounds without enumeration: beliefs over the cuts of a relation, merged, closed, bounded, and met in the middle.

The proofs are in docs/search.md. `question` says what is asked, `engine` is the loop; `frontier` and `step` are the
layers it goes through; `closing` and `bounding` the passes that drop items; `revealed` the bounds they use; `meet`
joins both sides; `certificate` is the interval at any moment, `witness` the case that attains it; `solver` makes the
bound, and an account in words.
"""

from taut.synthesis.search.engine import LayerStats, Progress, Search, SearchResult
from taut.synthesis.search.plan import Plan, make_plan
from taut.synthesis.search.question import SearchQuestion, Track
from taut.synthesis.search.witness import input_path, triple, value_of

__all__ = [
    "LayerStats",
    "Plan",
    "Progress",
    "Search",
    "SearchQuestion",
    "SearchResult",
    "Track",
    "input_path",
    "make_plan",
    "triple",
    "value_of",
]
