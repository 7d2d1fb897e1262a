"""How reading, compiling and answering grow: chains of draws, wide draws, comparisons, vectors of scores."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import taut
from benchmarks.registry import growth
from taut import discrete, flip, geometric, integer, ints, mechanism, uniform
from taut.mechanisms import exponential_mechanism, permute_and_flip, subset_selection


@mechanism
def sum_of_flips(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = total + flip("1/3")
    return total > n // 2


@mechanism
def sum_of_numbers(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = total + uniform(0, 3)
    return total


@mechanism
def sum_modulo_5(x: Any, n: Any) -> Any:
    total = x
    for _ in range(n):
        total = (total + uniform(0, 4)) % 5
    return total


@mechanism
def sum_used_on_the_way(x: Any, n: Any) -> Any:
    total, high = x, 0
    for _ in range(n):
        total = total + uniform(0, 1)
        if total > n // 2:
            high = 1
    return (total, high)


@mechanism
def counted_in_branches(x: Any, n: Any) -> Any:
    total = 0
    for _ in range(n):
        if flip("1/3"):
            total += 1
    return total + x


@mechanism
def equal(x: Any, n: Any) -> Any:
    return uniform(0, n - 1) == uniform(0, n - 1) + x


@mechanism
def largest(x: Any, n: Any) -> Any:
    return max(uniform(0, n - 1), uniform(0, n - 1), x) > n // 2


@mechanism
def near(x: Any, n: Any) -> Any:
    return abs(uniform(0, n - 1) - uniform(0, n - 1)) <= 3 + x


@mechanism
def bits_equal(x: Any, n: Any) -> Any:
    a = b = 0
    for _ in range(n):
        a = 2 * a + flip("1/2")
        b = 2 * b + flip("1/2")
    return a == b + x


@mechanism
def many_weights_named(x: Any, n: Any) -> Any:
    total = n * (n + 1) // 2
    drawn = discrete({i: Fraction(i + 1, total) for i in range(n)})
    return drawn > x


@mechanism
def less_than(x: Any, n: Any) -> Any:
    return uniform(0, n - 1) < uniform(0, n - 1) + x


@mechanism
def bits_less_than(x: Any, n: Any) -> Any:
    a = b = 0
    for _ in range(n):
        a = 2 * a + flip("1/2")
        b = 2 * b + flip("1/2")
    return a < b + x


@mechanism
def many_weights(x: Any, weights: Any) -> Any:
    return (discrete(weights) + x) % 7


CHAINS: dict[str, tuple[Any, list[int], str]] = {
    "sum_of_flips": (sum_of_flips, [100, 200, 400], "2 outputs, sum 1"),
    "sum_of_numbers": (sum_of_numbers, [50, 100, 200], ""),
    "sum_modulo_5": (sum_modulo_5, [400, 800, 1600], "5 outputs, sum 1"),
    "sum_used_on_the_way": (sum_used_on_the_way, [50, 100, 200], ""),
    "counted_in_branches": (counted_in_branches, [50, 100, 200], ""),
    "equal": (equal, [4096, 16_384, 65_536], "2 outputs, sum 1"),
    "largest": (largest, [4096, 16_384, 65_536], "2 outputs, sum 1"),
    "near": (near, [4096, 16_384, 65_536], "2 outputs, sum 1"),
    "bits_equal": (bits_equal, [16, 32, 64], "2 outputs, sum 1"),
    "many_weights_named": (many_weights_named, [25_000, 50_000, 100_000], "2 outputs, sum 1"),
    "less_than": (less_than, [4096, 16_384, 65_536], "2 outputs, sum 1"),
    "bits_less_than": (bits_less_than, [16, 32, 64], "2 outputs, sum 1"),
}


def chains(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, (_, sizes, answer) in CHAINS.items():
        family = f"distribution of {name.replace('_', ' ')}"
        growth("n", sizes, chain=name, family=family, answer=answer or None, quick=sizes[:1], limit=60)(function)
    return function


@chains
def distribution_of_chain(n: int, chain: str) -> str:
    found = CHAINS[chain][0](integer(0, 1), n=n).distribution(1)
    return f"{len(found)} outputs, sum {sum(found.values())}"


@mechanism
def above(x: Any, n: Any) -> Any:
    return geometric(x, "1/2", 0, n - 1) >= n // 2


@growth("n", [512, 1024, 2048, 4096], family="noise around one of n values, compared", answer="2 outputs", limit=60)
def distribution_around_wide_input(n: int) -> str:
    return f"{len(above(integer(0, n - 1), n=n).distribution(n // 2))} outputs"


@growth("n", [25_000, 50_000, 100_000], family="a draw of many weights", answer="7 outputs, sum 1", limit=60)
def distribution_of_many_weights(n: int) -> str:
    total = n * (n + 1) // 2
    found = many_weights(integer(0, 1), weights=[Fraction(i + 1, total) for i in range(n)]).distribution(1)
    return f"{len(found)} outputs, sum {sum(found.values())}"


SCORES: dict[str, tuple[Callable[[int], Any], list[int]]] = {
    "exponential_mechanism": (lambda n: exponential_mechanism(ints(n, 0, 2), base=2), [6, 9, 14]),
    "permute_and_flip": (lambda n: permute_and_flip(ints(n, 0, 2), base=2), [6, 9, 14]),
    "subset_selection": (lambda n: subset_selection(ints(n, 0, 3), k=4, omega=2, base=3), [16, 32, 64, 128]),
}


def score_vectors(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, (_, sizes) in SCORES.items():
        family = f"privacy of {name.replace('_', ' ')} against n"
        growth("n", sizes, scores=name, family=family, quick=sizes[:1], limit=60)(function)
    return function


@score_vectors
def privacy_of_scores(n: int, scores: str) -> str:
    """Ask within 30 seconds; if that is not enough, return what is known instead of a bound."""
    try:
        bound = SCORES[scores][0](n).privacy(time_limit=30)
    except taut.TautError as problem:
        return f"{type(problem).__name__}: {problem}"
    return str(bound.max_ratio) if bound.exact else f"only an interval, up to {float(bound.upper):.6g}"
