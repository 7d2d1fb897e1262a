"""The algorithms we ship, each written as a user would write it."""

from taut.mechanisms.randomized_response import randomized_response, rr_count
from taut.mechanisms.sparse_vector import above_threshold
from taut.model import Mechanism

__all__ = ["BUILT_IN", "above_threshold", "randomized_response", "rr_count"]

BUILT_IN: dict[str, Mechanism] = {
    "randomized_response": randomized_response,
    "rr_count": rr_count,
    "above_threshold": above_threshold,
}
