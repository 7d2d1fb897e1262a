"""All cases of a problem: an order among them, how they are cut into pieces, and how a piece is counted."""

from taut.synthesis.exhaustive.counted import merged_cases
from taut.synthesis.exhaustive.evidence import require_all_evidence
from taut.synthesis.exhaustive.pieces import AllCases, AllInputs, Cut, look_at, look_at_inputs
from taut.synthesis.exhaustive.tally import Found, add, merge, worst_first, worst_value

__all__ = [
    "AllCases",
    "AllInputs",
    "Cut",
    "Found",
    "add",
    "look_at",
    "look_at_inputs",
    "merge",
    "merged_cases",
    "require_all_evidence",
    "worst_first",
    "worst_value",
]
