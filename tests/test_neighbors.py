"""Neighbour relations: the automaton, the list of neighbours and the blocks all say the same as the definition."""

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.brute import all_step, one_differ, one_step

from taut import InvalidNeighbors, NoNeighbors, bits, categories, flip, ints, mechanism
from taut.neighbors import AllStep, Block, Custom, Entrywise, OneDiffer, OneStep, Pairs, neighbors_of

DEFINITIONS = [(OneDiffer(), one_differ), (OneStep(), one_step), (AllStep(), all_step)]
every_relation = pytest.mark.parametrize(
    ("relation", "definition"), DEFINITIONS, ids=[relation.name for relation, _ in DEFINITIONS]
)

numbers = st.one_of(st.integers(-2, 4), st.sampled_from([Fraction(1, 2), Fraction(5, 2), Fraction(-1, 3)]))
contiguous = st.builds(lambda low, size: list(range(low, low + size)), st.integers(-2, 2), st.integers(1, 4))
choices = st.one_of(contiguous, st.lists(numbers, min_size=1, max_size=4, unique=True))
domains = st.lists(choices, min_size=0, max_size=3)
Domains = Sequence[Sequence[Any]]


def pairs_of(block: Block, values: Domains) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """The pairs of databases that a block stands for."""
    columns = []
    for (own, other), options in zip(block, values, strict=True):
        if isinstance(own, slice):
            assert isinstance(other, slice)
            columns.append(list(zip(options[own], options[other], strict=True)))
        else:
            assert isinstance(other, int)
            columns.append([(options[own], options[other])])
    return [(tuple(a for a, _ in row), tuple(b for _, b in row)) for row in itertools.product(*columns)]


@every_relation
@given(values=domains)
@settings(max_examples=50, deadline=None)
def test_the_automaton_is_the_definition(relation: Entrywise, definition: Any, values: Domains) -> None:
    for x, other in itertools.product(itertools.product(*values), repeat=2):
        assert relation.related(x, other) == definition(x, other)
        state: int | None = relation.start
        for a, b in zip(x, other, strict=True):
            state = None if state is None else relation.step(state, a, b)
        assert (state is not None and relation.accepting(state)) == definition(x, other)


@every_relation
@given(values=domains)
@settings(max_examples=50, deadline=None)
def test_neighbours_are_listed_in_the_order_of_the_domain(
    relation: Entrywise, definition: Any, values: Domains
) -> None:
    databases = list(itertools.product(*values))
    for x in databases:
        assert list(relation.neighbors(x, values)) == [other for other in databases if definition(x, other)]


@every_relation
@given(values=domains)
@settings(max_examples=50, deadline=None)
def test_blocks_have_every_related_pair_once(relation: Entrywise, definition: Any, values: Domains) -> None:
    found = Counter(pair for block in relation.blocks(values) for pair in pairs_of(block, values))
    databases = list(itertools.product(*values))
    related = [(x, other) for x, other in itertools.product(databases, repeat=2) if definition(x, other)]
    assert found == Counter(related)


@given(values=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True), max_size=3))
@settings(max_examples=60, deadline=None)
def test_one_differ_needs_no_numbers(values: Domains) -> None:
    relation = OneDiffer()
    found = Counter(pair for block in relation.blocks(values) for pair in pairs_of(block, values))
    databases = list(itertools.product(*values))
    assert found == Counter(pair for pair in itertools.product(databases, repeat=2) if one_differ(*pair))
    for x in databases:
        assert list(relation.neighbors(x, values)) == [other for other in databases if one_differ(x, other)]


@pytest.mark.parametrize("relation", [OneDiffer(), OneStep(), AllStep()])
def test_no_database_is_its_own_neighbour(relation: Entrywise) -> None:
    for x in itertools.product(range(3), repeat=3):
        assert not relation.related(x, x) and x not in list(relation.neighbors(x, [range(3)] * 3))


@pytest.mark.parametrize("relation", [OneDiffer(), OneStep(), AllStep()])
def test_neighbours_of_large_databases_are_listed_lazily(relation: Entrywise) -> None:
    x = (0,) * 60
    listed = relation.neighbors(x, [(0, 1)] * 60)
    some = list(itertools.islice(listed, 5))
    assert len(set(some)) == 5 and all(relation.related(x, other) for other in some)


def test_all_neighbours_of_a_large_database() -> None:
    x = (0,) * 60
    assert len(list(OneDiffer().neighbors(x, [(0, 1)] * 60))) == 60


def test_bare_numbers_and_several_databases() -> None:
    assert OneDiffer().related(3, 5) and not OneStep().related(3, 5) and OneStep().related(3, 4)
    assert OneDiffer().related(((0, 1), 4), ((0, 1), 7)) and not OneDiffer().related(((0, 1), 4), ((1, 1), 7))
    assert AllStep().related(((0, 1), 4), ((1, 1), 5)) and not AllStep().related(((0, 1), 4), ((1, 1), 6))


def test_entries_that_are_tuples_are_single_entries() -> None:
    assert OneDiffer().related(((0, 0), (0, 0)), ((0, 0), (1, 0)))

    @mechanism
    def first(x: Any) -> Any:
        return x[0] if flip("1/2") else x[1]

    model = first(categories(2, [(0, 0), (1, 1)]))
    triple = (((0, 0), (0, 0)), ((1, 1), (0, 0)), (0, 0))
    assert model.privacy(privacy_set=[triple]).max_ratio == 2


def test_predicates() -> None:
    relation = neighbors_of(lambda x, other: sum(x) <= sum(other))
    assert isinstance(relation, Custom)
    assert relation.related((0, 0), (0, 1)) and not relation.related((0, 1), (0, 0))
    assert not relation.related((0, 1), (0, 1)), "no database is its own neighbour, whatever the predicate says"


def test_listed_pairs() -> None:
    relation = neighbors_of([([0, 0], (0, 1)), ((0, 1), (1, 1))])
    assert isinstance(relation, Pairs)
    assert relation.related((0, 0), [0, 1]) and not relation.related((0, 1), (0, 0)), "pairs are ordered"
    assert isinstance(neighbors_of(pair for pair in [(0, 1)]), Pairs)


def test_relations_by_name_or_given() -> None:
    for name, kind in {"one_differ": OneDiffer, "one_step": OneStep, "all_step": AllStep}.items():
        assert type(neighbors_of(name)) is kind and neighbors_of(name).name == name
    given_ = AllStep()
    assert neighbors_of(given_) is given_


@pytest.mark.parametrize("bad", ["two_differ", "", 5, None, 1.5])
def test_what_is_no_relation_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidNeighbors, match="one_differ") as raised:
        neighbors_of(bad)
    assert raised.value.value == bad


@pytest.mark.parametrize("bad", [[1, 2], ["ab"], [((0, 0),)], [((0,), (1,), (0,))], [((0, 0), (0, 0))], [([0], (0,))]])
def test_what_are_no_pairs_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidNeighbors):
        neighbors_of(bad)


@mechanism
def first_entry(x: Any) -> Any:
    return x[0] if flip("1/2") else x[1]


def test_pairs_outside_the_domain_are_refused() -> None:
    for pair in [((0, 0), (0, 2)), ((0,), (1,)), (0, 1)]:
        with pytest.raises(InvalidNeighbors):
            first_entry(bits(2)).privacy([pair])


@pytest.mark.parametrize("relation", ["one_step", "all_step"])
@pytest.mark.parametrize("values", [["a", "b"], [None, 1], [(0,), (1,)], [frozenset(), frozenset({1})]], ids=str)
def test_steps_need_numbers(relation: str, values: list[Any]) -> None:
    with pytest.raises(InvalidNeighbors, match="numbers"):
        first_entry(categories(2, values)).privacy(relation)


def test_relations_that_relate_nothing() -> None:
    model = first_entry(ints(2, 0, 2))
    relations: list[Any] = [lambda x, other: False, [], lambda x, other: x == other]
    for relation in relations:
        with pytest.raises(NoNeighbors, match="first_entry"):
            model.privacy(relation)
    with pytest.raises(NoNeighbors):
        first_entry(categories(2, [0, 2, 4])).privacy("one_step")
    with pytest.raises(NoNeighbors):
        first_entry(categories(2, [0, 2, 4])).privacy("all_step")
