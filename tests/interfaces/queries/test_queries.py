"""Values, ranges and mechanisms as they are typed."""

from __future__ import annotations

from fractions import Fraction

import pytest

import taut
from taut import bits, ints
from taut.interfaces.queries.literals import parse_choices, parse_value
from taut.interfaces.queries.query import read_query
from taut.mechanisms import CATALOG


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("-3", -3),
        ("1/5", Fraction(1, 5)),
        ("0.2", Fraction(1, 5)),
        ("2e-3", Fraction(1, 500)),
        ("true", True),
        ("False", False),
        ("none", None),
        ("word", "word"),
        ("'1/5'", "1/5"),
        ("[]", []),
        ("[1, a, [0.5, true]]", [1, "a", [Fraction(1, 2), True]]),
        ("bits(8)", bits(8)),
        (" ints( 6, 0,3 ) ", ints(6, 0, 3)),
        ("categories(2,[a,b])", taut.categories(2, ["a", "b"])),
        ("integer(0,5)", taut.integer(0, 5)),
        ("bits(4).optional()", bits(4).optional()),
        ("categories(2,[a,b]).optional( )", taut.categories(2, ["a", "b"]).optional()),
    ],
)
def test_values(text: str, value: object) -> None:
    found = parse_value(text, "v")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *["", "[", "[1", "[1 2]", "bits(", "bits()", "bits(1,2)", "rm(1)", "1 2", "(1)", "]", "'a", "categories(2,a)"],
        *["__import__('os')", "[" * 50, "ints(2,3,1)", "bits(-1)", "bits(1/2)"],
        *["bits(2).optional", "bits(2).optional(1)", "bits(2).optional().optional()", "exp(1).optional()"],
        "bits(2).wide()",
    ],
)
def test_values_that_are_refused(text: str) -> None:
    with pytest.raises((taut.InvalidInput, taut.InvalidDomain)):
        parse_value(text, "v")


def test_ranges_are_exact() -> None:
    assert parse_choices("0.05:0.5:0.05", "lam") == [Fraction(place, 20) for place in range(1, 11)]
    assert parse_choices("2:6:2", "n") == [2, 4, 6]
    assert parse_choices("1:3", "n") == [1, 2, 3]
    assert parse_choices("0:1:0.3", "lam") == [0, Fraction(3, 10), Fraction(6, 10), Fraction(9, 10)]
    assert parse_choices("1/3,[a,b],true", "v") == [Fraction(1, 3), ["a", "b"], True]
    assert parse_choices("bits(3)", "x") is None
    assert parse_choices("ints(3,0,1)", "x") is None


@pytest.mark.parametrize("text", ["1:2:0", "1:2:-1", "3:1:1", "a:b:c", "1:2:3:4", ":", "0:1e9:1", "1:1/0:1"])
def test_ranges_that_are_refused(text: str) -> None:
    with pytest.raises(taut.InvalidInput):
        parse_choices(text, "lam")


@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda entry: entry.name)
def test_every_built_in_has_a_query(entry: object) -> None:
    query = read_query(entry.name, [])  # type: ignore[attr-defined]
    assert query.inputs == query.model().domain.size
