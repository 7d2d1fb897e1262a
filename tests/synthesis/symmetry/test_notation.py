"""Permutations as users write them down, and what is refused."""

from typing import Any

import pytest
from tests.synthesis.symmetry.small import SMALL

from taut import InvalidSymmetry


def test_claims_about_values_and_outputs() -> None:
    assert SMALL["rr"].check_symmetry(values={1: {0: 1, 1: 0}}, output_values={1: {0: 1, 1: 0}})
    assert SMALL["rr"].check_symmetry(values={0: 1, 1: 0}, output_values={0: 1, 1: 0})
    assert not SMALL["rr"].check_symmetry(values={0: 1, 1: 0})
    assert SMALL["rr_count"].check_symmetry(values={0: 1, 1: 0}, outputs=lambda y: 4 - y)
    assert SMALL["rr_count"].check_symmetry(values={0: 1, 1: 0}, outputs={0: 4, 1: 3, 3: 1, 4: 0})
    assert SMALL["rr"].check_symmetry(entries=[1, 2, 0], outputs=[1, 2, 0])
    assert SMALL["backwards"].check_symmetry(entries=[1, 2, 0], outputs=[2, 0, 1])
    assert SMALL["told_lies"].check_symmetry(entries=[1, 0, 2], outputs=[1, 0, 2])


@pytest.mark.parametrize(
    "claim",
    [
        {"entries": {0: 1}},
        {"entries": [0, 1]},
        {"entries": 5},
        {"entries": {0: 7, 7: 0}},
        {"values": {0: 1}},
        {"values": {5: 6, 6: 5}},
        {"values": {0: {0: 1}}},
        {"outputs": lambda y: y},
        {"outputs": {0: 9, 9: 0}},
    ],
)
def test_what_is_not_a_permutation_is_refused(claim: Any) -> None:
    with pytest.raises(InvalidSymmetry):
        SMALL["rr"].check_symmetry(**claim)
    with pytest.raises(InvalidSymmetry):
        SMALL["rr_count"].check_symmetry(outputs=5)
