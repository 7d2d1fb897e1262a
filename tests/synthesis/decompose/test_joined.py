"""Entries that are used together are exact as one entry of all their combinations."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.decompose.test_laws import MEASURES, check

from taut import bits, flip, geometric, ints, mechanism
from taut.synthesis.decompose.joined import joined_entries

PAIRS = (
    lambda a, b: a and b,
    lambda a, b: a != b,
    lambda a, b: a * b,
    lambda a, b: max(a, b) == 1,
    lambda a, b: 2 if a > b else 0,
)
"""What two entries add together."""
WAYS = ("noise around a sum", "coins inside the sum", "one coin for both", "two sums", "reports", "a bar", "all in one")


@mechanism
def built(a: Any, b: Any, kind: int, way: str) -> Any:
    added = [PAIRS[kind](one, other) for one, other in zip(a, b, strict=True)]
    if way == "noise around a sum":
        return geometric(sum(added) + a[0], "1/2", 0, 2 * len(a) + 2)
    if way == "coins inside the sum":
        return sum(one and flip("1/3") for one in added)
    if way == "one coin for both":
        kept = [flip("1/3") for _ in a]
        return sum(one for one, keep in zip(a, kept, strict=True) if keep) + sum(
            2 * one for one, keep in zip(b, kept, strict=True) if keep
        )
    if way == "two sums":
        return geometric(sum(added), "1/2", 0, 4), geometric(sum(b), "1/3", 0, 4)
    if way == "reports":
        return [(one == 1) ^ flip("1/4") for one in added]
    if way == "a bar":
        return geometric(sum(added), "1/2", 0, 4) > 1
    return (sum(added) > 1) ^ (sum(a) * sum(b) > 2) ^ flip("1/4")


@given(
    st.integers(0, len(PAIRS) - 1),
    st.sampled_from(WAYS),
    st.sampled_from([(2, 2), (3, 2), (2, 3)]),
    st.sampled_from(["one_differ", "one_step", "all_step"]),
    st.sampled_from([MEASURES[:3], MEASURES[3:6], MEASURES[6:]]),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_pairs_of_entries_are_exact(kind: int, way: str, tops: Any, neighbors: str, which: Any) -> None:
    n = 2 if max(tops) == 2 else 1
    model = built(ints(n, 0, tops[0] - 1), ints(n, 0, tops[1] - 1), kind=kind, way=way)
    check(model, neighbors, which)


def test_parts_of_a_sum_that_share_a_coin_are_taken_together() -> None:
    joined = joined_entries(built(bits(3), bits(3), kind=0, way="one coin for both").program)
    assert joined is not None and joined.groups == ((0, 3), (1, 4), (2, 5))


@mechanism
def by_user(x: Any, per: int, k: int) -> Any:
    """Each user has several records and counts once for each value; all its records are in the sample or none."""
    counts = [0] * k
    for start in range(0, len(x), per):
        if flip("1/2"):
            for value in range(k):
                if any(record == value for record in x[start : start + per]):
                    counts[value] += 1
    return [geometric(count, "1/2", 0, len(x)) for count in counts[:1]]


def test_users_with_several_records() -> None:
    assert check(by_user(ints(4, 0, 1), per=2, k=2), "one_differ") > 0
    assert check(by_user(ints(4, 0, 1).optional(), per=2, k=2), "add_remove", MEASURES[:4]) > 0
    bound = by_user(ints(90, 0, 2), per=3, k=3).privacy()
    assert (bound.method, bound.max_ratio) == ("decomposition", Fraction(3, 2))
    assert "30 groups of up to 3" in bound.stats["why"]


def test_two_databases() -> None:
    both = mechanism(lambda a, b: sum((one and other) ^ flip("1/4") for one, other in zip(a, b, strict=True)))
    model = both(bits(60), bits(60))
    bound = model.privacy()
    assert (bound.method, bound.max_ratio) == ("decomposition", 3) and bound.verify()
    one = mechanism(lambda a: sum(bit ^ flip("1/4") for bit in a))(bits(60))
    assert model.delta(ratio="11/10").delta == one.delta(ratio="11/10").delta
    assert model.loss(*(model.delta(ratio=2).witness.x, model.delta(ratio=2).witness.x_prime)).atoms
    assert model.accuracy(lambda x: sum(u and v for u, v in zip(*x, strict=True)), alpha=20).exact


@pytest.mark.parametrize("made", [lambda x: geometric(max(x), "1/2", 0, 1), lambda x: geometric(sum(x), "1/2", 0, 9)])
def test_entries_that_are_not_used_together_stay_apart(made: Any) -> None:
    assert joined_entries(mechanism(made)(bits(20)).program) is None
