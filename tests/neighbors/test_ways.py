"""Transitions kept as runs are the transitions that they stand for, and relations of wide domains take few runs."""

from __future__ import annotations

import itertools
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut import integer
from taut.model.arguments import relation_for
from taut.neighbors import Predicate, Transition, Ways, neighbors_of
from taut.neighbors.blocks import blocks
from taut.program.domains import InputSpace, categories, ints
from taut.support import limits
from taut.support.errors import OutOfMemory
from taut.support.options import active

SIZE = 6
PLACES = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))
TRANSITIONS = st.dictionaries(PLACES, st.integers(0, 2)).map(lambda d: [(a, b, q) for (a, b), q in d.items()])


@given(TRANSITIONS)
def test_runs_are_the_transitions_in_order(transitions: list[tuple[int, int, int]]) -> None:
    ways = Ways.of(transitions)
    expected = [Transition(*one) for one in sorted(transitions)]
    assert list(ways) == expected and len(ways) == len(expected)
    assert [ways[place] for place in range(-len(expected), len(expected))] == expected * 2
    assert ways[1:4] == expected[1:4]
    assert [tuple(row) for row in ways.table().tolist()] == [tuple(one) for one in expected]
    assert [tuple(row) for table in ways.tables(3) for row in table.tolist()] == [tuple(one) for one in expected]
    assert ways == Ways.of(reversed(transitions)) and hash(ways) == hash(Ways.of(reversed(transitions)))
    assert pickle.loads(pickle.dumps(ways)) == ways
    with pytest.raises(IndexError):
        ways[len(expected)]


@given(TRANSITIONS)
def test_what_runs_tell_is_what_the_transitions_tell(transitions: list[tuple[int, int, int]]) -> None:
    ways, table = Ways.of(transitions), {(a, b): q for a, b, q in transitions}
    for a, b in itertools.product(range(-1, SIZE + 1), repeat=2):
        assert ways.state(a, b) == table.get((a, b))
    for a in range(SIZE):
        assert list(ways.of_value(a)) == [one for one in ways if one.value == a]
    assert ways.counts == {q: sum(one.state == q for one in ways) for q in set(table.values())}
    assert ways.unequal == {one.state for one in ways if one.value != one.other}
    if transitions:
        assert ways.first_unequal == max(ways, key=lambda one: one.value != one.other)
    assert ways.swapped() == Ways.of([(b, a, q) for a, b, q in transitions])
    kept = {0: 1, 1: 1}
    assert ways.renumbered(kept) == Ways.of([(a, b, kept[q]) for a, b, q in transitions if q in kept])
    diagonals = [(shift, value, q) for shift, start, stop, q in ways.diagonals() for value in range(start, stop)]
    assert sorted(diagonals) == sorted((b - a, a, q) for a, b, q in transitions)


@pytest.mark.parametrize("name", ["one_differ", "one_step", "all_step"])
def test_relations_of_wide_domains_take_room_for_their_values_and_not_for_their_pairs(name: str) -> None:
    size = 10_000
    space = InputSpace((integer(0, size - 1),))
    tracemalloc.start()
    try:
        automaton = neighbors_of(name).automaton(space)
        pairs = automaton.count_pairs()
        assert automaton.symmetric and automaton.related([0], [1]) and not automaton.related([7], [7])
        first = next(automaton.neighbors([3]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert first == ((0,) if name == "one_differ" else (2,))
    assert pairs == (size * (size - 1) if name == "one_differ" else 2 * (size - 1))
    assert peak < 3000 * size, "some kilobytes a value; a list of all pairs takes more than a gigabyte"
    block = max(blocks(automaton), key=lambda one: np.arange(size)[one.own].size)
    assert np.arange(size)[block.own].size == size - 1


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=6, unique=True))
def test_numbers_that_are_a_step_apart_are_found_in_any_order_of_the_values(values: list[int]) -> None:
    space = InputSpace((categories(1, values),))
    automaton = neighbors_of("one_step").automaton(space)
    for a, b in itertools.product(range(len(values)), repeat=2):
        assert automaton.related([a], [b]) == (a != b and abs(values[a] - values[b]) <= 1)


def test_listing_more_pairs_than_there_is_memory_for_is_refused_before_it_is_done() -> None:
    wide = Ways.of_runs((value, 0, 10**6, 0) for value in range(10**3))
    assert len(wide) == 10**9
    with limits.limits(memory=10**6), pytest.raises(OutOfMemory):
        wide.table()


def test_compiled_predicates_have_the_pairs_that_python_finds() -> None:
    space = InputSpace((ints(2, 0, 4),))

    def close(x: tuple[int, ...], x_prime: tuple[int, ...]) -> bool:
        return abs(x[0] - x_prime[0]) + abs(x[1] - x_prime[1]) <= 2

    compiled, asked = (one.automaton(space) for one in (relation_for(close, space, active()), Predicate(close)))
    inputs = list(itertools.product(range(5), repeat=2))
    for a, b in itertools.product(inputs, repeat=2):
        assert compiled.related(a, b) == asked.related(a, b) == (a != b and close(a, b))
