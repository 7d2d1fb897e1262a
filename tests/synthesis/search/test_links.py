"""Links: what is planned once and taken by powers is what looking at everything finds, and long chains are exact."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.synthesis.search.test_engine import THOROUGH, check_accuracy, check_privacy

import taut
from taut import bits, discrete, flip, ints, mechanism, observe
from taut.mechanisms import randomized_response
from taut.questions.privacy import LargestRatio
from taut.synthesis import Problem, solve
from taut.synthesis.search import links, make_plan, powers

WEIGHTS = (
    st.lists(st.integers(0, 3), min_size=3, max_size=3)
    .filter(any)
    .map(lambda shares: [Fraction(share, sum(shares)) for share in shares])
)
"""The weights of three answers; zeros make ratios infinite, and some answers impossible."""
TABLES = st.lists(WEIGHTS, min_size=2, max_size=2)
"""For both values of an entry, how likely each answer is."""


@pytest.fixture(autouse=True)
def short_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two equal links are a run already."""
    monkeypatch.setattr(links, "_OFTEN", 2)
    monkeypatch.setattr(powers, "_LONG", 2)


@mechanism
def answers(x: Any, tables: Any, kinds: Any) -> Any:
    """Each entry is answered by one of the tables."""
    return [discrete(dict(enumerate(tables[kind][bit]))) for bit, kind in zip(x, kinds, strict=True)]


@mechanism
def believed(x: Any, tables: Any, kinds: Any) -> Any:
    """The same, where an answer of 2 is not believed: nothing with one is observed."""
    given_answers = []
    for bit, kind in zip(x, kinds, strict=True):
        answer = discrete(dict(enumerate(tables[kind][bit])))
        observe(answer != 2)
        given_answers.append(answer)
    return given_answers


@mechanism
def errors(x: Any, tables: Any, kinds: Any) -> Any:
    """Count wrong answers, at most 1: one bit is remembered from entry to entry."""
    wrong = False
    for bit, kind in zip(x, kinds, strict=True):
        answer = discrete(dict(enumerate(tables[kind][bit])))
        wrong = wrong or answer != bit
    return int(wrong)


@THOROUGH
@given(tables=st.lists(TABLES, min_size=1, max_size=2), kinds=st.lists(st.integers(0, 1), min_size=2, max_size=4))
def test_runs_of_equal_links_give_what_enumeration_gives(tables: list[list[list[Fraction]]], kinds: list[int]) -> None:
    kinds = [kind % len(tables) for kind in kinds]
    for shape in (answers, believed):
        model = shape(bits(len(kinds)), tables=tables, kinds=kinds)
        for neighbors in ("one_differ", "all_step", lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) == 2):
            check_privacy(model, neighbors)
    check_privacy(model, [((0,) * len(kinds), (1,) * len(kinds)), ((1,) * len(kinds), (0,) * len(kinds))])


@THOROUGH
@given(tables=st.lists(TABLES, min_size=1, max_size=1), n=st.integers(2, 5))
def test_the_least_and_the_most_mass_pass_through_links(tables: list[list[list[Fraction]]], n: int) -> None:
    model = errors(bits(n), tables=tables, kinds=[0] * n)
    check_accuracy(model, lambda x: 0, 0)


def test_equal_links_are_planned_once_and_taken_at_once() -> None:
    model = randomized_response(bits(40), lam="3/10")
    plan = make_plan(model.relation)
    assert len(plan.links) == 39  # below the last one nothing is read: it is not equal to the others
    assert len({link.kind for link in plan.links.values()}) == 1
    bound = solve(Problem(model.channel(), model.neighbors("one_differ"), LargestRatio()), "search")
    assert bound.max_ratio == Fraction(7, 3) and bound.exact
    assert len(bound.stats["layers"]) < 8


def test_the_factors_of_all_links_count() -> None:
    model = errors(bits(12), tables=[[["9/10", "1/10", 0], ["1/10", "9/10", 0]]], kinds=[0] * 12)
    assert model.accuracy(lambda x: 0, 0, method="search").probability == Fraction(9, 10) ** 12


def test_every_pair_of_a_long_chain_may_differ() -> None:
    @mechanism
    def noisy(x: Any) -> Any:
        return [(value + flip("1/4") + flip("1/4")) % 3 for value in x]

    model = noisy(ints(300, 0, 2))
    one = noisy(ints(1, 0, 2)).privacy("one_differ", method="exhaustive").max_ratio
    assert model.privacy("one_differ", method="search").max_ratio == one
    assert model.privacy(taut.neighbors.AllStep(), method="search").max_ratio == one**300


def test_a_link_in_which_something_else_happens_interrupts_a_run() -> None:
    @mechanism
    def odd_one_out(x: Any) -> Any:
        return [bit ^ flip("1/3" if place == 20 else "1/5") for place, bit in enumerate(x)]

    bound = odd_one_out(bits(41)).privacy(method="search")
    assert bound.max_ratio == 4 and bound.verify()
    assert odd_one_out(bits(41)).privacy("all_step", method="search").max_ratio == 2 * 4**40
