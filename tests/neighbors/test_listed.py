"""Relations as users give them: by name, by pairs, by a predicate; and what is refused."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from taut import (
    InvalidDomain,
    InvalidNeighbors,
    NoNeighbors,
    TooLarge,
    bits,
    categories,
    flip,
    integer,
    ints,
    mechanism,
)
from taut.neighbors import AddRemove, AllStep, OneDiffer, OneStep, Pairs, Predicate, neighbors_of, relation_names
from taut.program.domains import InputSpace


def related(given: Any, space: InputSpace, x: Any, other: Any) -> bool:
    return neighbors_of(given).related(space)(x, other)


def test_bare_numbers_and_several_databases() -> None:
    space = InputSpace((integer(0, 9),))
    assert related("one_differ", space, 3, 5) and related("one_step", space, 3, 4)
    assert not related("one_step", space, 3, 5)
    space = InputSpace((bits(2), integer(0, 9)))
    assert related("one_differ", space, ((0, 1), 4), ((0, 1), 7))
    assert not related("one_differ", space, ((0, 1), 4), ((1, 1), 7))
    assert related("all_step", space, ((0, 1), 4), ((1, 1), 5))
    assert not related("all_step", space, ((0, 1), 4), ((1, 1), 6))


def test_entries_that_are_tuples_are_single_entries() -> None:
    space = InputSpace((categories(2, [(0, 0), (1, 1)]),))
    assert related("one_differ", space, ((0, 0), (0, 0)), ((0, 0), (1, 1)))
    triple = (((0, 0), (0, 0)), ((1, 1), (0, 0)), (0, 0))
    assert first_entry(categories(2, [(0, 0), (1, 1)])).privacy(privacy_set=[triple]).max_ratio == 2


def test_predicates() -> None:
    space = InputSpace((bits(2),))
    relation = neighbors_of(lambda x, other: sum(x) <= sum(other))
    assert isinstance(relation, Predicate)
    assert related(relation, space, (0, 0), (0, 1)) and not related(relation, space, (0, 1), (0, 0))
    assert not related(relation, space, (0, 1), (0, 1)), "no database is its own neighbour, whatever the predicate says"


def test_listed_pairs() -> None:
    space = InputSpace((bits(2),))
    relation = neighbors_of([([0, 0], (0, 1)), ((0, 1), (1, 1))])
    assert isinstance(relation, Pairs)
    assert related(relation, space, (0, 0), [0, 1])
    assert not related(relation, space, (0, 1), (0, 0)), "pairs are ordered"
    assert isinstance(neighbors_of(pair for pair in [(0, 1)]), Pairs)


def test_relations_by_name_or_given() -> None:
    kinds = {"one_differ": OneDiffer, "one_step": OneStep, "all_step": AllStep, "add_remove": AddRemove}
    assert relation_names() == ", ".join(kinds)
    for name, kind in kinds.items():
        assert type(neighbors_of(name)) is kind and neighbors_of(name).name == name
    given_ = AllStep()
    assert neighbors_of(given_) is given_


@pytest.mark.parametrize("bad", ["two_differ", "", 5, None, 1.5])
def test_what_is_not_a_relation_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidNeighbors, match="one_differ, one_step, all_step, add_remove") as raised:
        neighbors_of(bad)
    assert raised.value.value == bad


@pytest.mark.parametrize("bad", [[1, 2], ["ab"], [((0, 0),)], [((0,), (1,), (0,))], [((0, 0), (0, 0))], [([0], (0,))]])
def test_what_are_not_pairs_is_refused(bad: Any) -> None:
    with pytest.raises(InvalidNeighbors):
        neighbors_of(bad)


@mechanism
def first_entry(x: Any) -> Any:
    return x[0] if flip("1/2") else x[1]


@mechanism
def alike(x: Any) -> Any:
    """Return, truly with probability 2/3, if the first two entries are equal."""
    return (x[0] == x[1]) ^ flip("1/3")


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
@pytest.mark.parametrize("pair", [((0, 0), (0, 2)), ((0,), (1,)), (0, 1)], ids=str)
def test_pairs_outside_the_domain_are_refused(pair: Any, method: str) -> None:
    with pytest.raises(InvalidNeighbors, match="is not a database of bits"):
        first_entry(bits(2)).privacy([pair], method=method)


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
@pytest.mark.parametrize("relation", ["one_step", "all_step"])
@pytest.mark.parametrize("values", [["a", "b"], [None, 1], [(0,), (1,)], [frozenset(), frozenset({1})]], ids=str)
def test_steps_need_numbers(relation: str, values: list[Any], method: str) -> None:
    with pytest.raises(InvalidNeighbors, match="numbers"):
        first_entry(categories(2, values)).privacy(relation, method=method)


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_relations_that_relate_nothing(method: str) -> None:
    model = first_entry(ints(2, 0, 2))
    relations: list[Any] = [lambda x, other: False, [], lambda x, other: x == other]
    for relation in relations:
        with pytest.raises(NoNeighbors, match="first_entry"):
            model.privacy(relation, method=method)
    for name in ("one_step", "all_step"):
        with pytest.raises(NoNeighbors, match="first_entry"):
            first_entry(categories(2, [0, 2, 4])).privacy(name, method=method)


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_steps_between_typed_decimals_are_exact(method: str) -> None:
    """Floats would say that 1.2 and 2.2 are more than 1 apart."""
    assert 2.2 - 1.2 > 1
    for low, high in [(0.1, 1.1), (0.3, 1.3), (-0.7, 0.3), (1.2, 2.2), (4.35, 5.35), (1.005, 2.005)]:
        model = alike(categories(2, [low, high]))
        for name in ("one_step", "all_step"):
            assert model.privacy(name, method=method).max_ratio == 2, (low, high)
    with pytest.raises(NoNeighbors):
        alike(categories(2, [Fraction(1, 10), Fraction(11, 10) + Fraction(1, 10**30)])).privacy(
            "one_step", method=method
        )


def test_equal_numbers_are_one_category() -> None:
    with pytest.raises(InvalidDomain, match="stands there twice"):
        categories(2, [0.1, Fraction(1, 10)])


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_predicates_are_evaluated_in_exact_numbers_by_every_method(method: str) -> None:
    """In floats a third of 2 and of 1 differ by less than a third."""
    assert 3 / 3 - 2 / 3 != 1 / 3
    model = alike(bits(3))
    bound = model.privacy(lambda x, other: sum(other) / 3 - sum(x) / 3 == 1 / 3, method=method)
    assert bound.max_ratio == 2 and sum(bound.witness.x_prime) - sum(bound.witness.x) == 1
    classes = model.ratio_classes(lambda x, other: sum(other) / 3 - sum(x) / 3 == 1 / 3)
    assert sum(one.count for one in classes) == 2 * (3 + 9 + 3)


@pytest.mark.parametrize("method", ["auto", "exhaustive", "search", "restricted"])
def test_a_predicate_that_raises_is_the_users_mistake(method: str) -> None:
    with pytest.raises(InvalidNeighbors, match=r"ZeroDivisionError.* at x=\(0, 0\), x'=\(0, 1\)"):
        first_entry(bits(2)).privacy(lambda x, other: 1 / sum(x) > 0, method=method)
    with pytest.raises(InvalidNeighbors, match="IndexError"):
        first_entry(bits(2)).privacy(lambda x, other: x[2] == other[2], method=method)


def test_a_predicate_that_cannot_be_read_is_asked_up_to_a_limit() -> None:
    def unread(x: Any, other: Any) -> Any:
        return eval("sum(x) < sum(other)")

    assert first_entry(bits(3)).privacy(unread).max_ratio == float("inf")
    with pytest.raises(TooLarge, match="16777216 times; at most 4000000"):
        first_entry(bits(12)).privacy(unread)


def test_one_predicate_serves_many_domains() -> None:
    """Answers about one domain are not reused for another."""
    relation = Predicate(lambda x, other: sum(x) < sum(other))
    for domain in (bits(2), ints(2, 0, 2), bits(3), bits(2), ints(2, -1, 0)):
        model = first_entry(domain)
        automaton = relation.automaton(model.space)
        for x, other in itertools.product(model.domain, repeat=2):
            related = automaton.related(model.space.positions(x), model.space.positions(other))
            assert related == (sum(x) < sum(other)), (domain, x, other)


@pytest.mark.parametrize("power", [10**9, 10**12])
def test_a_predicate_with_a_number_of_too_many_digits_is_not_evaluated(power: int) -> None:
    model = first_entry(bits(2))
    with pytest.raises(OverflowError, match="more than a million bits"):
        model.privacy(neighbors=lambda x, other: 3**power % 7 == x[0])
    with pytest.raises(OverflowError, match="more than a million bits"):
        model.privacy(neighbors=lambda x, other: (x[0] + 2) ** power % 7 == other[0])
