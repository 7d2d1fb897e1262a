"""Loops whose state repeats but for variables that are written before they are read again."""

import functools
import math
import random
import sys
import types
from fractions import Fraction

import pytest

import taut
from taut import category, integer, mechanism
from taut.languages.python.run.loops import live_variables, loop_heads

from .test_tables import exactly


def rejecting(most):
    total = 0
    while True:
        candidate = random.randrange(8)
        doubled = 2 * candidate
        if doubled < most:
            return total + doubled


def watching(most):
    last = None
    while True:
        candidate = random.randrange(4)
        if candidate != last and last is not None and candidate < most:
            return last, candidate
        last = candidate if candidate < 2 else None


def caught(most):
    while True:
        try:
            candidate = random.randrange(4)
            if candidate >= most:
                raise ValueError(candidate)
            return candidate
        except ValueError:
            kept = candidate
            if kept == 3:
                return -1


def test_a_candidate_that_was_rejected_is_no_part_of_the_state():
    assert exactly(rejecting, 6) == {value: Fraction(1, 3) for value in (0, 2, 4)}
    (head,) = loop_heads(rejecting.__code__)
    assert live_variables(rejecting.__code__, head) == {"most", "total"}


def test_variables_that_the_next_round_reads_are_live():
    (head,) = loop_heads(watching.__code__)
    assert live_variables(watching.__code__, head) == {"most", "last"}
    found = exactly(watching, 2)
    assert sum(found.values()) == 1
    assert found == {(0, 1): Fraction(1, 2), (1, 0): Fraction(1, 2)}


def test_handlers_of_exceptions_keep_what_they_read_alive():
    assert exactly(caught, 2) == {0: Fraction(1, 3), 1: Fraction(1, 3), -1: Fraction(1, 3)}


def test_a_function_that_can_see_all_its_variables_keeps_them_alive():
    def seeing():
        while True:
            candidate = random.randrange(2)
            if candidate in locals().values():
                return candidate

    (head,) = loop_heads(seeing.__code__)
    assert live_variables(seeing.__code__, head) is None


class Rejects:
    """An object that is called, whose signature stands beside the function that calls it."""

    def __call__(self, most):
        return rejecting(most)


@pytest.mark.parametrize("called", [Rejects(), functools.partial(lambda most: rejecting(most))])
def test_loops_of_objects_that_are_called_return_to_their_state(called):
    model = mechanism(called)(category([6]))
    assert model.remainder == 0
    assert model.distribution(6) == {value: Fraction(1, 3) for value in (0, 2, 4)}


class Walker:
    """Walks in steps that a method draws, in loops inside of each other, some of which change an object."""

    def __init__(self):
        self.seen = 0

    def step(self, most):
        while True:
            step = random.randrange(4)
            if step <= most:
                return step

    def walk(self, rounds):
        met = []
        for most in range(rounds):
            while True:
                first = self.step(most)
                if first != self.step(most + 1):
                    break
            met.append(first)
        return met[-1]


def walked_at_once(rounds):
    """The distribution of the last round of a walk: two steps that differ."""
    low, high = rounds, rounds + 1
    pairs = [(a, b) for a in range(low) for b in range(high) if a != b]
    return {a: Fraction(sum(a == first for first, _ in pairs), len(pairs)) for a in range(low)}


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_loops_around_draws_of_earlier_runs_are_found_again(rounds):
    assert exactly(Walker().walk, rounds) == walked_at_once(rounds)


def test_nothing_is_left_under_watch():
    before = sys.gettrace(), sys.getprofile()
    exactly(Walker().walk, 3)
    assert (sys.gettrace(), sys.getprofile()) == before


def test_code_of_checks_of_types_keeps_no_variables_alive(monkeypatch):
    module = types.ModuleType("typeguard")

    class TypeCheckMemo:
        def __init__(self, names, variables):
            self.names, self.variables = names, variables

    TypeCheckMemo.__module__ = "typeguard"
    module.TypeCheckMemo = TypeCheckMemo
    module.check = lambda value, memo: value
    monkeypatch.setitem(sys.modules, "typeguard", module)

    def checked(most):
        from typeguard import TypeCheckMemo, check

        memo = TypeCheckMemo(globals(), locals())
        while True:
            candidate = random.randrange(8)
            if candidate < most:
                return check(candidate, memo)

    assert exactly(checked, 3) == {value: Fraction(1, 3) for value in range(3)}


def rounded_late(x):
    return min(max(math.floor(-1.75 * random.random()), -4), 12) + x


def test_no_watch_is_left_behind_by_a_result_that_still_draws():
    before = sys.getprofile(), sys.gettrace()
    for randomness in ("ideal", "machine"):
        with taut.options(randomness=randomness):
            assert mechanism(rounded_late)(integer(0, 1)).probability(0, -2) > 0
    assert (sys.getprofile(), sys.gettrace()) == before
