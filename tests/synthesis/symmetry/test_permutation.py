"""Permutations form a group that acts on inputs and outputs."""

from hypothesis import given
from hypothesis import strategies as st

from taut.synthesis.symmetry import Permutation


@given(st.permutations(range(4)), st.permutations(range(3)), st.permutations(range(3)))
def test_permutations_form_a_group(entries: list[int], values: list[int], others: list[int]) -> None:
    one = Permutation({("input", i): (("input", entries[i]), tuple(values)) for i in range(4)})
    other = Permutation({("input", i): (("input", i), tuple(others)) for i in range(4)})
    x = [0, 2, 1, 1]
    assert one.then(other).applied("input", x) == other.applied("input", one.applied("input", x))
    assert one.inverse.applied("input", one.applied("input", x)) == x and not one.then(one.inverse)
    assert one.then(other).inverse == other.inverse.then(one.inverse)
