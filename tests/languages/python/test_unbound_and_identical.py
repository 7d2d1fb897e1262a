"""Names without a value in some run are refused, and so are identities that Python leaves open."""

from typing import Any

import pytest

from taut import TautError, UnsupportedValue, bits, flip, mechanism, uniform


@mechanism
def set_in_one_branch(x: Any) -> Any:
    if flip("1/2"):
        y = x[0]
    return y


@mechanism
def set_in_some_branches(x: Any) -> Any:
    if x[0]:
        y = 1
    elif flip("1/3"):
        y = 2
    return flip("1/2") and y


@mechanism
def set_in_a_loop(x: Any) -> Any:
    for bit in x:
        if bit and flip("1/2"):
            found = bit
    return found


@mechanism
def changed_where_it_is_not_set(x: Any) -> Any:
    if flip("1/2"):
        total = 0
    total += x[0]
    return total


@pytest.mark.parametrize(
    "function", [set_in_one_branch, set_in_some_branches, set_in_a_loop, changed_where_it_is_not_set]
)
def test_a_variable_that_has_no_value_in_some_run_is_refused(function: Any) -> None:
    with pytest.raises(TautError, match="may have no value here: it is set in one branch of a random condition only"):
        function(bits(2))


@mechanism
def set_wherever_it_is_used(x: Any) -> Any:
    fair = flip("1/2")
    if fair:
        y = x[0]
    elif x[1]:
        y = 5
    if fair or x[1]:
        return y
    return 7


def test_a_variable_that_has_a_value_in_all_runs_that_use_it_is_read() -> None:
    for x in bits(2):
        outcomes = {x[0]: 0, 5 if x[1] else 7: 0}
        assert set(set_wherever_it_is_used(bits(2)).distribution(x)) == set(outcomes)


@mechanism
def same_object(x: Any, low: Any, high: Any) -> Any:
    number = low if flip("1/2") else high
    return number is (x[0] * (high - low) + low)


@pytest.mark.parametrize(("low", "high"), [(-5, 0), (0, 1), (0, 256), (255, 256), (-5, -4)])
def test_small_integers_are_one_object(low: int, high: int) -> None:
    for x in bits(1):
        assert len(same_object(bits(1), low=low, high=high).distribution(x)) == 2


@pytest.mark.parametrize(("low", "high"), [(-6, 0), (0, 257), (256, 257), (-6, -5), (1000, 1001)])
def test_whether_other_integers_are_one_object_is_refused(low: int, high: int) -> None:
    with pytest.raises(UnsupportedValue, match="depends on how Python stores them; write '=='"):
        same_object(bits(1), low=low, high=high)


@mechanism
def written_at_a_random_place(x: Any, low: Any, high: Any) -> Any:
    y = [5, 6]
    y[uniform(low, high)] = x[0]
    return tuple(y)


@pytest.mark.parametrize(("low", "high"), [(-3, 1), (-2, 2), (1, 2), (-3, -2), (-2, 1), (0, 1)])
def test_a_random_place_outside_a_list_is_not_written(low: int, high: int) -> None:
    if -2 <= low and high < 2:
        assert sum(written_at_a_random_place(bits(1), low=low, high=high).distribution((0,)).values()) == 1
    else:
        with pytest.raises(TautError, match="written at a random place that may lie outside"):
            written_at_a_random_place(bits(1), low=low, high=high)
