"""Automata, blocks, counts and lists of neighbours say the same as the definitions, in every order of the entries."""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.brute import add_remove, all_step, one_differ, one_step

from taut.neighbors import (
    Entrywise,
    Neighbors,
    PairAutomaton,
    Pairs,
    Predicate,
    Transition,
    neighbors_of,
    single_inputs,
)
from taut.neighbors.blocks import ListedBlock, SlicedBlock, blocks
from taut.program.domains import InputSpace, categories

Definition = Callable[[Any, Any], bool]
DEFINITIONS: dict[str, Definition] = {
    "one_differ": one_differ,
    "one_step": one_step,
    "all_step": all_step,
    "add_remove": add_remove,
}
every_relation = pytest.mark.parametrize("name", DEFINITIONS)
quick = settings(max_examples=15, deadline=None)

numbers = st.one_of(
    st.integers(-2, 4), st.sampled_from([Fraction(1, 2), Fraction(5, 2), 0.1, 1.1, Fraction(21, 10), 0.3])
)
contiguous = st.builds(lambda low, size: list(range(low, low + size)), st.integers(-2, 2), st.integers(1, 4))
choices = st.one_of(contiguous, st.lists(numbers, min_size=1, max_size=4, unique=True))
sizes = st.lists(st.integers(1, 3), min_size=0, max_size=3)


def space_of(values: Sequence[Sequence[Any]], *, absent: bool = False) -> InputSpace:
    """One entry for each list of values; several databases of one entry each, so that entries may differ in kind."""
    domains = [categories(1, some) for some in values]
    return InputSpace(tuple(domain.optional() if absent else domain for domain in domains))


spaces = st.lists(choices, min_size=0, max_size=3)


def positions(space: InputSpace) -> list[tuple[int, ...]]:
    return list(itertools.product(*[range(len(values)) for values in space.values]))


def entries(space: InputSpace, x: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[position] for values, position in zip(space.values, x, strict=True))


def pairs_of(automaton: PairAutomaton, space: InputSpace) -> Counter[Any]:
    """All pairs of an automaton's blocks, both as arrays show them and as ``pair`` finds them."""
    found: Counter[Any] = Counter()
    shape = [len(values) for values in space.values]
    number = np.arange(int(np.prod(shape, dtype=int))).reshape(shape)
    for rows in (1 << 16, 3):
        counted: Counter[Any] = Counter()
        for block in blocks(automaton, rows):
            own, other = number[block.own].ravel(), number[block.other].ravel()
            assert len(own) == len(other) > 0
            for row, (a, b) in enumerate(zip(own, other, strict=True)):
                x, x_prime = (tuple(int(v) for v in np.unravel_index(flat, shape)) for flat in (a, b))
                assert block.pair(row) == (list(x), list(x_prime))
                counted[x, x_prime] += 1
        assert not found or found == counted, "how many rows are listed at once does not matter"
        found = counted
    return found


def check(relation: Neighbors, space: InputSpace, expected: set[tuple[Any, Any]]) -> None:
    """In every order the automaton has the expected pairs, by position, and says all that follows from them."""
    inputs = positions(space)
    asked = relation.related(space)
    for a, b in itertools.product(inputs, repeat=2):
        assert asked(space.at(a), space.at(b)) == ((a, b) in expected)
    for order in itertools.permutations(range(len(space.values))):
        automaton = relation.automaton(space, order)
        assert automaton.order == order
        assert {pair for pair in itertools.product(inputs, repeat=2) if automaton.related(*pair)} == expected
        assert pairs_of(automaton, space) == Counter(expected)
        assert automaton.count_pairs() == len(expected) and automaton.empty == (not expected)
        assert automaton.symmetric == (expected == {(b, a) for a, b in expected})
        swapped = automaton.swapped()
        assert {pair for pair in itertools.product(inputs, repeat=2) if swapped.related(*pair)} == {
            (b, a) for a, b in expected
        }
        for x in inputs:
            own_order = sorted((b for a, b in expected if a == x), key=lambda b: [b[entry] for entry in order])
            assert list(automaton.neighbors(x)) == own_order
        check_states(automaton)
    assert list(relation.automaton(space).order) == list(range(len(space.values)))


def check_states(automaton: PairAutomaton) -> None:
    """Every state lies on an accepting path, no two states of a layer are equivalent, and their flags are true."""
    depth = len(automaton.order)
    before: list[dict[int, bool]] = [dict.fromkeys(automaton.states[0], True)]
    for level in range(depth):
        reached: dict[int, bool] = {}
        for state in automaton.states[level]:
            ways = automaton.transitions[level][state]
            assert ways and list(ways) == sorted(ways) and len({way[:2] for way in ways}) == len(ways)
            for way in ways:
                same = before[-1][state] and way.value == way.other
                reached[way.state] = reached.get(way.state, True) and same
        before.append(reached)
        assert sorted(reached) == list(automaton.states[level + 1])
    assert [frozenset(q for q, same in layer.items() if same) for layer in before] == list(automaton.same_before)
    language: list[dict[int, Any]] = [dict.fromkeys(automaton.states[-1], frozenset({()}))]
    for level in reversed(range(depth)):
        language.append(
            {
                q: frozenset(
                    ((way.value, way.other), *rest)
                    for way in automaton.transitions[level][q]
                    for rest in language[-1][way.state]
                )
                for q in automaton.states[level]
            }
        )
    for level, here in enumerate(reversed(language)):
        assert len(set(here.values())) == len(here), "the automaton is minimal"
        equal = {q for q, words in here.items() if all(a == b for word in words for a, b in word)}
        assert equal == automaton.same_after[level]


@every_relation
@given(values=spaces)
@quick
def test_named_relations_are_their_definitions(name: str, values: Sequence[Sequence[Any]]) -> None:
    space = space_of(values, absent=name == "add_remove")
    inputs = positions(space)
    definition = DEFINITIONS[name]
    exact = {x: tuple(None if v is None else Fraction(str(v)) for v in entries(space, x)) for x in inputs}
    expected = {(a, b) for a, b in itertools.product(inputs, repeat=2) if definition(exact[a], exact[b])}
    relation = neighbors_of(name)
    check(relation, space, expected)
    assert relation.automaton(space).symmetric


@given(values=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True), max_size=3))
@quick
def test_one_differ_needs_no_numbers_and_entries_may_become_absent(values: Sequence[Sequence[Any]]) -> None:
    for absent in (False, True):
        space = space_of(values, absent=absent)
        inputs = positions(space)
        expected = {(a, b) for a, b in itertools.product(inputs, repeat=2) if one_differ(a, b)}
        check(neighbors_of("one_differ"), space, expected)


@given(sizes=sizes, data=st.data())
@quick
def test_any_set_of_pairs_listed_or_by_a_predicate(sizes: list[int], data: st.DataObject) -> None:
    space = space_of([range(size) for size in sizes])
    inputs = positions(space)
    ordered = [(a, b) for a, b in itertools.product(inputs, repeat=2) if a != b]
    chosen = data.draw(st.lists(st.sampled_from(ordered), unique=True)) if ordered else []
    as_given = [(space.at(a), space.at(b)) for a, b in chosen]
    check(Pairs(as_given), space, set(chosen))
    check(Predicate(lambda x, other: (x, other) in as_given), space, set(chosen))


@given(data=st.data(), depth=st.integers(0, 3), size=st.integers(1, 3))
@quick
def test_random_layers(data: st.DataObject, depth: int, size: int) -> None:
    """An automaton with useless states, dead ends and states that are alike accepts what its layers do."""
    layers = []
    for _ in range(depth):
        layer = {}
        for state in range(3):
            cells = data.draw(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=size * size, max_size=size * size))
            places = itertools.product(range(size), repeat=2)
            layer[state] = [Transition(a, b, q) for (a, b), q in zip(places, cells, strict=True) if q is not None]
        layers.append(layer)
    accepting = data.draw(st.sets(st.integers(0, 2)))
    space = space_of([range(size)] * depth)
    expected = set()
    for a, b in itertools.product(positions(space), repeat=2):
        state: int | None = 0
        for layer, pair in zip(layers, zip(a, b, strict=True), strict=True):
            moves = {way[:2]: way.state for way in layer[state]} if state is not None else {}
            state = moves.get(pair)
        if state in accepting:
            expected.add((a, b))
    automaton = PairAutomaton.of(range(depth), layers, 0, accepting)
    assert {p for p in itertools.product(positions(space), repeat=2) if automaton.related(*p)} == expected
    assert automaton.count_pairs() == len(expected)
    assert automaton.symmetric == (expected == {(b, a) for a, b in expected})
    check_states(automaton)
    if depth:
        assert pairs_of(automaton, space) == Counter(expected)


@given(sizes=sizes)
@quick
def test_single_inputs(sizes: list[int]) -> None:
    for order in itertools.permutations(range(len(sizes))):
        automaton = single_inputs(sizes, order)
        inputs = positions(space_of([range(size) for size in sizes]))
        assert automaton.sides == 1 and automaton.count_pairs() == len(inputs)
        assert all(automaton.related(x, x) for x in inputs)
        check_states(automaton)


@quick
@given(st.lists(st.integers(-3, 9), min_size=1, max_size=5, unique=True), st.sampled_from(["one_differ", "one_step"]))
def test_changes_of_an_entry_are_those_of_the_definition(values: list[int], name: str) -> None:
    """No range of positions is empty, so that a single range tells that something is related."""
    relation = neighbors_of(name)
    assert isinstance(relation, Entrywise)
    ranges = list(relation.changed(values))
    assert all(start < stop for _, start, stop in ranges)
    found = Counter((place, other) for place, start, stop in ranges for other in range(start, stop))
    pairs = itertools.permutations(range(len(values)), 2)
    assert found == Counter((p, q) for p, q in pairs if DEFINITIONS[name]((values[p],), (values[q],)))


# -- blocks ------------------------------------------------------------------------------------------------------


def count_blocks(name: str, space: InputSpace) -> tuple[int, set[type]]:
    made = list(blocks(neighbors_of(name).automaton(space)))
    return len(made), {type(block) for block in made}


def test_there_are_few_blocks() -> None:
    """One per entry and difference of positions; for all_step one per choice of a direction for every entry."""
    space = InputSpace((categories(5, range(10)),))
    assert count_blocks("one_differ", space) == (5 * 18, {SlicedBlock})
    assert count_blocks("one_step", space) == (5 * 2, {SlicedBlock})
    assert count_blocks("all_step", space) == (3**5 - 1, {SlicedBlock})
    assert count_blocks("add_remove", InputSpace((categories(5, range(10)).optional(),))) == (5 * 20, {SlicedBlock})


def test_many_small_blocks_are_lists() -> None:
    """All 4^8 - 2^8 pairs of eight bits would be 3^8 - 1 blocks of ten pairs each."""
    assert count_blocks("all_step", InputSpace((categories(8, (0, 1)),))) == (1, {ListedBlock})


def test_pairs_are_counted_however_many() -> None:
    space = InputSpace((categories(300, range(6)),))
    counts = {
        name: neighbors_of(name).automaton(space).count_pairs() for name in ("one_differ", "one_step", "all_step")
    }
    assert counts == {"one_differ": 300 * 30 * 6**299, "one_step": 300 * 10 * 6**299, "all_step": 16**300 - 6**300}


@every_relation
def test_neighbours_of_large_databases_are_listed_lazily(name: str) -> None:
    space = InputSpace((categories(60, (0, 1)).optional() if name == "add_remove" else categories(60, (0, 1)),))
    automaton = neighbors_of(name).automaton(space)
    x = (0,) * 60
    some = list(itertools.islice(automaton.neighbors(x), 5))
    assert some == sorted(set(some)) and all(automaton.related(x, other) for other in some)
    if name != "all_step":
        assert len(list(automaton.neighbors(x))) == 60
