"""Selections that are not written as their definition: the same distribution, with polynomially many nodes."""

from fractions import Fraction
from typing import Any

import pytest

import taut
from taut import Domain, flip, ints, mechanism, uniform
from taut.mechanisms import permute_and_flip


@mechanism
def by_definition(x: Any, base: Any) -> Any:
    """Candidates in random order, each accepted with probability base**(score - best score)."""
    best = max(x)
    shrink = Fraction(1) / base
    left = list(range(len(x)))
    while len(left) > 1:
        j = uniform(0, len(left) - 1)
        candidate = left[j]
        if flip(shrink ** (best - x[candidate])):
            return candidate
        left = left[:j] + left[j + 1 :]
    return left[0]


@pytest.mark.parametrize("base", [1, 2, Fraction(7, 3)])
@pytest.mark.parametrize(
    "domain", [ints(1, 0, 2), ints(2, 0, 4), ints(3, -2, 1), ints(4, 0, 2), ints(5, 0, 1)], ids=str
)
def test_permute_and_flip_is_its_definition(domain: Domain, base: Any) -> None:
    model, definition = permute_and_flip(domain, base=base), by_definition(domain, base=base)
    for x in domain:
        assert model.distribution(x) == definition.distribution(x), f"at x={x!r}"


def test_permute_and_flip_with_a_base_left_free() -> None:
    base = taut.parameter("base", 1, 4)
    model, definition = permute_and_flip(ints(3, 0, 1), base=base), by_definition(ints(3, 0, 1), base=base)
    for relation in ("one_differ", "all_step"):
        assert str(model.privacy(relation)) == str(definition.privacy(relation))


def test_permute_and_flip_grows_polynomially() -> None:
    with taut.options(max_nodes=100_000):
        sizes = {n: permute_and_flip(ints(n, 0, 2), base=2).size for n in (6, 12)}
    assert sizes[12] < 16 * sizes[6]
