"""Databases whose entries may be absent: the domain, and the relation that adds or removes an entry."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.oracle.native import native_distribution
from tests.synthesis.brute import add_remove, one_differ, quotient

from taut import Domain, InvalidDomain, InvalidNeighbors, bits, categories, geometric, integer, ints, mechanism
from taut.mechanisms import randomized_response


@mechanism
def noisy_count(x: Any, ratio: Any) -> Any:
    """Return the number of present entries with two-sided geometric noise."""
    return geometric(len([entry for entry in x if entry is not None]), ratio, 0, len(x))


@mechanism
def noisy_sum(x: Any, ratio: Any) -> Any:
    return geometric(sum(entry for entry in x if entry is not None), ratio, 0, 2 * len(x))


def ratios(model: Any, function: Any, related: Any) -> Iterator[Any]:
    """All ratios of neighbours, from distributions that Python itself gives."""
    rows = {x: native_distribution(function, {"x": x, "ratio": "1/3"}) for x in model.domain}
    for x, row in rows.items():
        for other in rows:
            if related(x, other):
                yield from (quotient(p, rows[other].get(y, Fraction(0))) for y, p in row.items())


@pytest.mark.parametrize(
    "domain", [bits(3).optional(), ints(2, 0, 2).optional(), categories(3, [1]).optional()], ids=str
)
@pytest.mark.parametrize("function", [noisy_count, noisy_sum], ids=["count", "sum"])
@pytest.mark.parametrize(("name", "related"), [("add_remove", add_remove), ("one_differ", one_differ)])
def test_every_method_gives_the_bound_of_brute_force(domain: Domain, function: Any, name: str, related: Any) -> None:
    model = function(domain, ratio="1/3")
    expected = max(ratios(model, function, related))
    for method in ("exhaustive", "search", "restricted", "auto"):
        bound = model.privacy(name, method=method)
        assert bound.exact and bound.max_ratio == expected and bound.verify(), (method, bound)
        assert related(bound.witness.x, bound.witness.x_prime)


def test_a_noisy_count_has_the_ratio_of_its_noise() -> None:
    for n in (1, 4, 16):
        for method in ("auto", "search", "restricted"):
            assert noisy_count(bits(n).optional(), ratio="1/3").privacy("add_remove", method=method).max_ratio == 3


def test_a_sum_is_as_sensitive_as_its_largest_entry() -> None:
    model = noisy_sum(ints(2, 0, 2).optional(), ratio="1/3")
    assert model.privacy("add_remove").max_ratio == 9
    assert model.privacy("one_differ").max_ratio == 9


def test_optional_domains() -> None:
    domain = bits(2).optional()
    assert domain.size == 9 and len(list(domain)) == 9 and str(domain) == "bits(2).optional()"
    assert list(domain)[:3] == [(0, 0), (0, 1), (0, None)] and (None, None) in domain and (2, None) not in domain
    assert list(integer(3, 4).optional()) == [3, 4, None]
    assert categories(400, "ab").optional().size == 3**400
    assert (None,) not in bits(1)
    with pytest.raises(InvalidDomain, match="already"):
        bits(2).optional().optional()
    with pytest.raises(InvalidDomain, match="already"):
        categories(2, ["a", None]).optional()


def test_entries_that_are_always_there_cannot_be_removed() -> None:
    for method in ("auto", "exhaustive", "search", "restricted"):
        with pytest.raises(InvalidNeighbors, match=r"Write bits\(3\).optional\(\)"):
            randomized_response(bits(3), lam="1/5").privacy("add_remove", method=method)
