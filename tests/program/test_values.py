"""Possible values of terms."""

from taut.program.operations import Operation
from taut.program.values import GATHERED, image

BITS = (frozenset({0, 1}),) * 8


def test_entries_that_are_gathered_are_combined_once():
    combined = []

    def gather(*values):
        combined.append(values)
        return values

    values, failure = image(Operation(GATHERED, gather), BITS)
    assert failure is None
    assert len(combined) == len(values) == 2**8


def test_functions_that_tell_true_from_1_are_asked_about_both():
    values, _ = image(Operation("shown", lambda value: str(value)), (frozenset({0, 1}),))
    assert values == {"0", "1", "False", "True"}
