"""The questions that are asked while a program is read: no possible event is called impossible."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut.diagrams.compile import Oracle
from taut.diagrams.compile import oracle as questions
from taut.diagrams.compile.oracle import SampledRuns
from taut.languages.python.worlds import Facts
from taut.program import UNDEFINED, CoinVariable, InputVariable, Term, Terms, evaluate

_VALUES = (0, 1, 2)
_INPUTS = [InputVariable(f"x{place}", _VALUES) for place in range(2)]
_COINS = [CoinVariable(f"c{place}", _VALUES, (1, 1, 1), place) for place in range(2)]


@st.composite
def conditions(draw: Any, terms: Terms) -> Term:
    """A Boolean term over two inputs and two coins."""
    variables = [terms.input(0, _VALUES), terms.input(1, _VALUES), terms.coin(0, _VALUES), terms.coin(1, _VALUES)]

    def number() -> Term:
        one, two = draw(st.sampled_from(variables)), draw(st.sampled_from([*variables, terms.const(1)]))
        return terms.apply(draw(st.sampled_from(["add", "sub", "max", "floordiv"])), one, two)

    made = [terms.apply(draw(st.sampled_from(["eq", "lt"])), number(), terms.const(draw(st.integers(-1, 3))))]
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["new", "and", "or", "not"]))
        one, two = draw(st.sampled_from(made)), draw(st.sampled_from(made))
        if kind == "new":
            made.append(terms.apply("eq", draw(st.sampled_from(variables)), terms.const(draw(st.integers(0, 3)))))
        else:
            made.append(terms.negate(one) if kind == "not" else terms.apply(kind, one, two))
    return made[-1]


def _ever(term: Term) -> bool:
    """Return True if a Boolean term is true for some entries and outcomes, by enumeration."""
    rows = itertools.product(_VALUES, repeat=4)
    found = (evaluate(term, (a, b), {0: c, 1: d}) for a, b, c, d in rows)
    return any(value is not UNDEFINED and value for value in found)


@given(st.data())
def test_an_event_is_surely_impossible_exactly_if_no_run_has_it(data: st.DataObject) -> None:
    terms = Terms()
    oracle = Oracle(list(_INPUTS), list(_COINS), 10**6)
    for _ in range(3):
        event = data.draw(conditions(terms))
        assert oracle.surely_impossible(event) == (not _ever(event))


@given(st.data(), st.integers(2, 40))
def test_without_room_nothing_possible_is_called_impossible(data: st.DataObject, room: int) -> None:
    terms = Terms()
    oracle = Oracle(list(_INPUTS), list(_COINS), room)
    event = data.draw(conditions(terms))
    if oracle.surely_impossible(event):
        assert not _ever(event)


@given(st.data())
def test_what_sampled_runs_show_happens(data: st.DataObject) -> None:
    terms = Terms()
    runs = SampledRuns(_INPUTS, _COINS)
    event = data.draw(conditions(terms))
    found = runs.find([event])
    if found is not None:
        assert evaluate(event, *found) is True and _ever(event)


def test_a_rare_event_is_found_by_a_walk() -> None:
    terms = Terms()
    coins = [CoinVariable(f"c{place}", tuple(range(30)), (1,) * 30, place) for place in range(3)]
    parts = [terms.apply("eq", terms.coin(place, range(30)), terms.const(7)) for place in range(3)]
    assert SampledRuns([], coins).find(parts) == ([], {0: 7, 1: 7, 2: 7})
    below = terms.apply("lt", terms.coin(0, range(30)), terms.const(5))
    assert SampledRuns([], coins).find([*parts, below]) is None


@given(st.data())
def test_what_the_facts_of_a_world_decide_is_so_in_all_of_its_runs(data: st.DataObject) -> None:
    terms = Terms()
    facts = Facts(terms)
    given_ones = [data.draw(conditions(terms)) for _ in range(2)]
    taken = [facts.add(fact) for fact in given_ones]
    test = data.draw(conditions(terms))
    decided = facts.decide(test)
    if decided is not None:
        other = test if not decided else terms.negate(test)
        assert not _ever(terms.all(*given_ones, other))
    for parts in taken:
        facts.remove(parts)
    assert facts.decide(test) is None


@given(st.data())
def test_a_run_is_one_in_which_the_event_happens(data: Any) -> None:
    event = data.draw(conditions(Terms()))
    oracle = Oracle(_INPUTS, _COINS, 10_000)
    found = oracle.run(event)
    assert (found is not False) == _ever(event) and found is not True
    if not isinstance(found, bool):
        entries, coins = found
        row = [entries.get(place, 0) for place in range(2)]
        assert evaluate(event, row, {place: coins.get(place, 0) for place in range(2)}) is True
        assert oracle.nodes > 0


@given(st.data(), st.tuples(st.sampled_from(_VALUES), st.sampled_from(_VALUES)))
def test_chances_are_sums_over_all_outcomes(data: Any, entries: tuple[int, int]) -> None:
    event = data.draw(conditions(Terms()))
    coins = [replace(coin, weights=(Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))) for coin in _COINS]
    rows = itertools.product(zip(_VALUES, coins[0].weights, strict=True), repeat=2)
    happens = [p * q for (c, p), (d, q) in rows if evaluate(event, entries, {0: c, 1: d}) is True]
    assert Oracle(_INPUTS, coins, 10_000).chance(event, dict(enumerate(entries))) == sum(happens)


@given(st.data())
def test_the_values_of_a_sum_are_those_of_some_run(data: st.DataObject) -> None:
    terms = Terms()
    oracle = Oracle(list(_INPUTS), list(_COINS), 10**6)
    variables = [terms.input(0, _VALUES), terms.input(1, _VALUES), terms.coin(0, _VALUES), terms.coin(1, _VALUES)]
    parts = data.draw(st.lists(st.sampled_from(variables), min_size=1, max_size=4))
    total = terms.const(data.draw(st.integers(-2, 2)))
    for part in parts:
        kind = data.draw(st.sampled_from(["add", "sub", "three", "same", "divided"]))
        if kind == "three":
            part = terms.apply("mul", terms.const(3), part)
        elif kind == "same":
            part = terms.apply("eq", part, terms.const(data.draw(st.integers(0, 3))))
        elif kind == "divided":
            part = terms.apply("floordiv", terms.const(4), part)
        total = terms.apply("sub" if kind == "sub" else "add", total, part)
    runs = itertools.product(_VALUES, repeat=4)
    found = {evaluate(total, (a, b), {0: c, 1: d}) for a, b, c, d in runs} - {UNDEFINED}
    assert sorted(oracle.values(total)) == sorted(found)


@given(st.data())
def test_the_values_of_a_function_of_a_draw_that_a_sum_chooses(data: st.DataObject) -> None:
    terms, rows = Terms(), [(0, 1, 2), (1, 3), (-1, 5, 7)]
    coins = [CoinVariable(f"c{place}", row, (1,) * len(row), place) for place, row in enumerate(rows)]
    made = [terms.coin(place, row) for place, row in enumerate(rows)]
    parts = [terms.input(0, _VALUES), terms.input(1, _VALUES), data.draw(st.sampled_from([terms.const(1), *made[:2]]))]
    total = terms.apply("add", terms.apply("add", parts[0], parts[1]), parts[2])
    keys = sorted(total.values)  # type: ignore[type-var]
    chosen = terms.select(total, keys, [data.draw(st.sampled_from(made)) for _ in keys])
    asked = terms.apply(data.draw(st.sampled_from(["floordiv", "sub"])), terms.const(4), chosen)
    runs = itertools.product(_VALUES, _VALUES, *rows)
    found = {evaluate(asked, (a, b), dict(enumerate(tossed))) for a, b, *tossed in runs} - {UNDEFINED}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(questions, "_FEW_SUMMANDS", 1)
        assert sorted(Oracle(_INPUTS, coins, 10**6).values(asked)) == sorted(found)
