"""All cases of a problem: an order among them, how they are cut into pieces, and how a piece is counted."""

from taut.solvers.enumeration.classes import Found, add, merge, worst_first, worst_value
from taut.solvers.enumeration.cut import Cut
from taut.solvers.enumeration.evidence import require_all_evidence
from taut.solvers.enumeration.inputs import AllInputs, look_at_inputs
from taut.solvers.enumeration.merged import merged_cases
from taut.solvers.enumeration.order import CaseOrder
from taut.solvers.enumeration.pieces import AllCases, look_at

__all__ = [
    "AllCases",
    "AllInputs",
    "CaseOrder",
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
