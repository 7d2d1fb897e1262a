"""Small mechanisms of many kinds, and their probabilities from the enumerator."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from taut import Model, bits, categories, discrete, flip, geometric, integer, ints, mechanism, observe, uniform
from taut.mechanisms import (
    above_threshold,
    exponential_mechanism,
    histogram,
    k_ary_randomized_response,
    permute_and_flip,
    prefix_sums,
    randomized_response,
    report_noisy_max,
    rr_count,
    sparse_vector,
    subset_selection,
    symmetric_unary_encoding,
)
from taut.program import enumerate_outcomes
from taut.questions.privacy import LargestRatio
from taut.synthesis import Budget, Problem
from taut.synthesis.symmetry import Permutation
from taut.synthesis.symmetry.solver import BySymmetry


@mechanism
def planted(x: Any, lam: Any, mu: Any, odd: Any) -> Any:
    """Randomized response in which one client has another lambda."""
    return [bit ^ flip(mu if i == odd else lam) for i, bit in enumerate(x)]


@mechanism
def backwards(x: Any, lam: Any) -> Any:
    """Randomized response, the answers given in the opposite order."""
    return [bit ^ flip(lam) for bit in x][::-1]


@mechanism
def noise_only(x: Any) -> Any:
    """Only the first entry matters, and the second output is pure noise."""
    return [x[0] ^ flip("1/3"), uniform(0, 2)]


@mechanism
def products(x: Any, z: Any) -> Any:
    """Records spread over two databases."""
    return sum(a * b for a, b in zip(x, z, strict=True)) + flip("1/3")


@mechanism
def mixed(x: Any, z: Any) -> Any:
    return geometric(sum(x) + z[0], "1/2", 0, 3)


@mechanism
def told_lies(x: Any, lam: Any) -> Any:
    """Randomized response of which we know that it lied to somebody."""
    coins = [flip(lam) for _ in x]
    observe(any(coins))
    return [bit ^ coin for bit, coin in zip(x, coins, strict=True)]


@mechanism
def top_two(x: Any) -> Any:
    """Two different indices, at random or by size."""
    first = discrete({0: "1/3", 1: "1/3", 2: "1/3"})
    second = (first + 1 + flip("1/2")) % 3
    return [first, second] if x[first] >= x[second] else [second, first]


@mechanism
def pairs_of_entries(x: Any) -> Any:
    """Blocks of two entries matter together."""
    return (x[0] and not x[1]) + (x[2] and not x[3]) + flip("1/4")


@mechanism
def letters(x: Any) -> Any:
    return [discrete({v: "1/2" if v == entry else "1/4" for v in ("a", "b", "c")}) for entry in x]


@mechanism
def constant(x: Any) -> Any:
    return 7


SMALL: dict[str, Model] = {
    "rr": randomized_response(bits(3), lam="1/5"),
    "rr_count": rr_count(bits(4), lam="1/5"),
    "fair": randomized_response(bits(3), lam="1/2"),
    "backwards": backwards(bits(3), lam="1/5"),
    "planted": planted(bits(4), "1/3", "1/4", 2),
    "noise_only": noise_only(bits(3)),
    "products": products(bits(2), bits(2)),
    "mixed": mixed(bits(2), ints(1, 0, 2)),
    "told_lies": told_lies(bits(3), "1/3"),
    "top_two": top_two(ints(3, 0, 1)),
    "pairs": pairs_of_entries(bits(4)),
    "letters": letters(categories(2, ["a", "b", "c"])),
    "constant": constant(ints(2, 0, 2)),
    "integer": mechanism(lambda x: geometric(x, "1/2", 0, 4))(integer(0, 4)),
    "k_ary": k_ary_randomized_response(ints(2, 0, 2), k=3, lam="1/3"),
    "unary": symmetric_unary_encoding(ints(2, 0, 2), k=3, lam="1/4"),
    "histogram": histogram(ints(3, 0, 1), k=2, ratio="1/2"),
    "noisy_max": report_noisy_max(ints(3, 0, 1), ratio="1/2", high=1),
    "exponential": exponential_mechanism(ints(3, 0, 2), base=2),
    "permute_and_flip": permute_and_flip(ints(3, 0, 1), base=2),
    "above": above_threshold(ints(3, 0, 1), threshold=1, ratio="1/2", high=1),
    "sparse": sparse_vector(ints(3, 0, 1), threshold=1, ratio="1/2", high=1, c=1),
    "prefix": prefix_sums(bits(3), ratio="1/2"),
    "subsets": subset_selection(ints(2, 0, 2), k=3, omega=2, base=3),
}
every_small = pytest.mark.parametrize("name", SMALL)


def positions(model: Model) -> list[tuple[int, ...]]:
    return list(itertools.product(*[range(len(variable.values)) for variable in model.relation.inputs]))


def outputs(model: Model) -> list[tuple[int, ...]]:
    return list(itertools.product(*[range(len(variable.values)) for variable in model.relation.outputs]))


def truth(model: Model) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction]:
    """All probabilities, by positions, from the enumerator."""
    table = {}
    for x in positions(model):
        entries = [v.values[position] for v, position in zip(model.relation.inputs, x, strict=True)]
        row = enumerate_outcomes(model.program, model.program.database(entries))
        codes = {tuple(model.relation.encode(y) or ()): p for y, p in row.items()}
        for y in outputs(model):
            table[x, y] = codes.get(y, Fraction(0))
    return table


def holds(model: Model, permutation: Permutation, table: Any = None) -> bool:
    table = table or truth(model)
    return all(
        table[tuple(permutation.applied("input", x)), tuple(permutation.applied("output", y))] == p
        for (x, y), p in table.items()
    )


def orbit_classes(model: Model, neighbors: Any) -> list[Any]:
    """The different ratios with their counts, from one triple per orbit."""
    return BySymmetry().classes(Problem(model.channel(), model.neighbors(neighbors), LargestRatio()), Budget())
