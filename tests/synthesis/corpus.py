"""The cases of the corpus whose tables brute force can afford."""

from fractions import Fraction
from typing import Any

from tests.corpus import central, expected, language, local, sampling, selection, sparse_vector
from tests.corpus.case import Case
from tests.oracle.native import native_distribution

__all__ = ["CASES", "NUMERIC", "VECTORS"]

FAMILIES = (local, central, sampling, sparse_vector, selection, language, expected)
SLOW = {"tree_counter"}  # five seconds of plain Python
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES if case.name not in SLOW]
LENGTHS_VARY = {"comprehension_nested", "helper_shapes", "append_while_iterating_copy", "guarded_division"}
"""Cases that return lists on their first input, and on others lists of another length or none."""


def _outputs(case: Case) -> list[Any]:
    """What a case returns on its first input; every process that collects tests asks for this, so not on all inputs."""
    _, arguments = next(case.inputs())
    try:
        return list(native_distribution(case.mechanism, arguments))
    except ZeroDivisionError:
        return [None]


def _flat(outputs: list[Any]) -> bool:
    """Return True for tuples of one length, without lists inside."""
    if not all(isinstance(y, tuple) for y in outputs):
        return False
    return len({len(y) for y in outputs}) == 1 and not any(isinstance(part, tuple) for y in outputs for part in y)


_FIRST = [(case, _outputs(case)) for case in CASES]
NUMERIC = [case for case, outputs in _FIRST if all(isinstance(y, int | Fraction) for y in outputs)]
"""Cases that return numbers."""
VECTORS = [case for case, outputs in _FIRST if _flat(outputs) and case.name not in LENGTHS_VARY]
"""Cases that return flat lists of one length."""
