"""The cases of the corpus whose tables brute force can afford."""

from tests.corpus import central, expected, language, local, sampling, selection, sparse_vector
from tests.corpus.case import Case

__all__ = ["CASES"]

FAMILIES = (local, central, sampling, sparse_vector, selection, language, expected)
SLOW = {"tree_counter"}  # five seconds of plain Python
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES if case.name not in SLOW]
