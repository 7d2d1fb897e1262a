"""Which databases are neighbours must not be random, whether the predicate can be read or is asked pair by pair."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

import taut
from taut import bits, flip
from taut.mechanisms import rr_count


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
