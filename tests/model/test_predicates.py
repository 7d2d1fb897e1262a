"""Predicates on databases must not be random, whether they are read or asked pair by pair."""

from __future__ import annotations

import itertools
import random
import time
from typing import Any

import pytest

import taut
from taut import bits, flip, integer, ints
from taut.diagrams.compile.predicate import CompiledPredicate
from taut.mechanisms import rr_count
from taut.model.arguments import relation_for
from taut.program.domains import InputSpace
from taut.support.options import Options


class Unreadable:
    def __call__(self, x: Any, x_prime: Any) -> Any:
        return flip("1/2")


@pytest.mark.parametrize("predicate", [lambda x, x_prime: flip("1/2"), Unreadable()])
@pytest.mark.parametrize("method", ["auto", "search", "exhaustive"])
def test_a_predicate_that_draws_is_refused(method: str, predicate: Any) -> None:
    with pytest.raises(taut.InvalidNeighbors, match="draws a coin; which databases are neighbours must not be random"):
        rr_count(bits(2), lam="1/5").privacy(predicate, method=method)


@pytest.mark.parametrize("predicate", [lambda x, y: random.random() < 0.5, lambda x, y: time.time() > 0])
def test_real_randomness_and_the_clock_are_refused(predicate: Any) -> None:
    with pytest.raises(taut.RealRandomness):
        rr_count(bits(2), lam="1/5").privacy(predicate)


def test_an_error_has_a_line_of_the_predicate_and_none_of_ours() -> None:
    with pytest.raises(
        taut.InvalidNeighbors, match=r"IndexError: tuple index out of range \(.*test_predicates.py:\d+\)"
    ):
        rr_count(bits(2), lam="1/5").privacy(lambda x, x_prime: x[9])
    with pytest.raises(taut.InvalidNeighbors, match="takes 1 positional argument but 2 were given at x="):
        rr_count(bits(2), lam="1/5").privacy(lambda x: True)


def _one_of_either(x: Any, x_prime: Any) -> bool:
    differing = sum(a != b for a, b in zip(x[0], x_prime[0], strict=True))
    return differing + (abs(x[1] - x_prime[1]) == 1) == 1


def _of_sums(x: Any, x_prime: Any) -> bool:
    return sum(x[0]) + x[1] < sum(x_prime[0]) + 2 * x_prime[1]


@pytest.mark.parametrize("predicate", [_one_of_either, _of_sums])
@pytest.mark.parametrize("domains", [(bits(2), integer(0, 2)), (ints(2, 0, 2).optional(), integer(1, 2))])
def test_a_predicate_on_several_databases_is_compiled(predicate: Any, domains: Any) -> None:
    space = InputSpace(domains)
    if None in domains[0].values and predicate is _of_sums:  # absent entries have no sum
        with pytest.raises(taut.InvalidNeighbors, match="unsupported operand"):
            relation_for(predicate, space, Options()).automaton(space)
        return
    relation = relation_for(predicate, space, Options())
    assert isinstance(relation, CompiledPredicate)
    inputs = [space.database(entries) for entries in itertools.product(*space.values)]
    for order in (None, [2, 0, 1]):
        automaton = relation.automaton(space, order)
        for x, x_prime in itertools.product(inputs, repeat=2):
            expected = x != x_prime and predicate(x, x_prime)
            assert automaton.related(space.positions(x), space.positions(x_prime)) == expected
