"""Possible values of terms."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from taut.program.operations import UNDEFINED, Operation, operation
from taut.program.terms import Terms
from taut.program.values import GATHERED, IntegerRange, Values, image

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


def test_a_value_that_is_replaced_is_not_possible():
    """As that of runs that are not followed, which no operation on the result has to fear."""
    terms = Terms()
    coin = terms.coin(0, (0, 1, 2))
    kept = terms.ite(terms.apply("eq", coin, terms.const(2)), terms.const(0), coin)
    assert kept.values == {0, 1}


WHOLE = st.one_of(
    st.builds(lambda low, size: IntegerRange(low, low + size), st.integers(-9, 9), st.integers(0, 400)),
    st.frozensets(st.integers(-9, 9), min_size=1, max_size=3),
)
PARTS = st.one_of(WHOLE, st.frozensets(st.sampled_from([Fraction(1, 2), "a", True, 3]), min_size=1, max_size=2))


@settings(max_examples=150)
@given(one=WHOLE, other=PARTS)
def test_the_values_of_a_sum_hold_all_sums_and_no_failure_is_missed_or_invented(one: Values, other: Values) -> None:
    add = operation("add")
    for parts in ((one, other), (other, one)):
        values, failure = image(add, parts)
        results = [add(a, b) for a in parts[0] for b in parts[1]]  # type: ignore[union-attr]
        assert all(result in values for result in results if result is not UNDEFINED)
        assert (failure is None) == (UNDEFINED not in results)
        if isinstance(values, IntegerRange):
            assert values == IntegerRange(min(results), max(results))
