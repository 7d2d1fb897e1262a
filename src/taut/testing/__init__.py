"""For tests: assertions about mechanisms, and Hypothesis strategies for their inputs.

The pytest plugin, which comes with taut, also collects every ``@taut.claim`` of a test file as a test.
"""

from taut.testing.assertions import assert_accurate, assert_private
from taut.testing.strategies import databases, neighbor_pairs

__all__ = ["assert_accurate", "assert_private", "databases", "neighbor_pairs"]
