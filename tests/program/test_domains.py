"""Domains list their databases, know their size without listing, and refuse what is not a database."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import Domain, InvalidDomain, InvalidInput, bits, categories, integer, ints

SMALL = st.one_of(
    st.builds(bits, st.integers(0, 3)),
    st.builds(
        lambda n, low, width: ints(n, low, low + width), st.integers(0, 2), st.integers(-3, 3), st.integers(0, 3)
    ),
    st.builds(lambda low, width: integer(low, low + width), st.integers(-3, 3), st.integers(0, 3)),
    st.builds(categories, st.integers(0, 2), st.lists(st.sampled_from("abcd"), min_size=1, unique=True)),
)


@settings(max_examples=60, deadline=None)
@given(domain=SMALL)
def test_a_domain_lists_each_of_its_databases_once(domain: Domain) -> None:
    listed = list(domain)
    assert len(listed) == len(set(listed)) == domain.size
    assert all(x in domain for x in listed)
    for x in listed:
        entries = domain.entries(x)
        assert len(entries) == domain.n and (entries[0] if domain.bare else entries) == x


def test_sizes_may_be_astronomical() -> None:
    assert bits(1000).size == 2**1000
    assert ints(50, 0, 9).size == 10**50
    assert (0,) * 1000 in bits(1000)


def test_entries_are_given_in_the_domains_own_spelling() -> None:
    assert [type(entry) for entry in bits(2).entries([True, 0.0])] == [int, int]
    assert categories(1, [(1, 2), "b"]).entries([(1, 2)]) == ((1, 2),)
    assert integer(0, 3).entries(2) == (2,)
    assert [1, 0] in bits(2) and "10" not in bits(2)


@pytest.mark.parametrize(
    ("domain", "x", "said"),
    [
        (bits(2), (0, 2), "2 at position 1 is not one of 0, 1"),
        (bits(2), (0,), "1 entry, not 2"),
        (bits(2), 3, "expected 2 entries"),
        (bits(2), "01", "expected 2 entries"),
        (bits(1), ([],), r"\[\] at position 0"),
        (ints(1, 0, 99), (100,), r"0, 1, \.\.\., 99"),
        (integer(0, 3), 4, "4 is not one of 0, 1, 2, 3"),
        (integer(0, 3), (1,), r"\(1,\)"),
        (categories(1, ["a"]), ("b",), "'b' at position 0"),
    ],
)
def test_what_is_no_database_is_refused(domain: Domain, x: Any, said: str) -> None:
    assert x not in domain
    with pytest.raises(InvalidInput, match=said) as caught:
        domain.entries(x)
    assert caught.value.value == x and isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "make",
    [
        lambda: bits(-1),
        lambda: bits(1.5),
        lambda: bits(True),
        lambda: bits("2"),
        lambda: ints(1, 3, 2),
        lambda: ints(1, 0.5, 2),
        lambda: ints(1, 0, 10**9),
        lambda: integer(2, 1),
        lambda: integer(0, "3"),
        lambda: categories(1, []),
        lambda: categories(1, ["a", "a"]),
        lambda: categories(1, [1, True]),
        lambda: categories(1, [[1]]),
        lambda: categories(1, 3),
    ],
)
def test_impossible_domains_are_refused(make: Any) -> None:
    with pytest.raises(InvalidDomain):
        make()


def test_domains_are_values() -> None:
    assert bits(2) == bits(2) and hash(bits(2)) == hash(bits(2)) and bits(2) != bits(3)
    assert str(ints(3, 0, 4)) == "ints(3, 0, 4)" and str(integer(0, 4)) == "integer(0, 4)"
