"""Variable orders: every one is complete, keeps the coins of a draw together, and changes sizes only."""

import itertools
from typing import Any

import pytest

import taut
from taut import Model, bits, flip, geometric, ints, mechanism, uniform
from taut.diagrams.compile import compile_program
from taut.diagrams.compile.order import candidate_orders, estimate, interleaved_order, program_order
from taut.diagrams.compile.shape import shape_of, slots_of
from taut.program import Coin, Input, Term
from taut.program.program import reachable
from taut.support.options import ORDERS, Options


@mechanism
def response(x):
    return [bit ^ flip("1/5") for bit in x]


@mechanism
def coins_first(x):
    noise = [flip("1/5") for _ in x]
    return [bit ^ flipped for bit, flipped in zip(x, noise, strict=True)]


@mechanism
def above_threshold(x):
    threshold = geometric(2, "1/2", 0, 3)
    for i, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= threshold:
            return i
    return len(x)


@mechanism
def by_parameter(x):
    a = uniform(0, x[0])
    b = uniform(0, x[1] + a)
    return a, b


@mechanism
def nothing_random(x):
    return x[0]


@mechanism
def nothing_at_all(x):
    return 7


MODELS = [
    response(bits(4)),
    coins_first(bits(4)),
    above_threshold(ints(2, 0, 3)),
    by_parameter(ints(2, 0, 2)),
    nothing_random(bits(2)),
    nothing_at_all(bits(2)),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


def roots_of(model: Model) -> list[Term]:
    program = model.program
    return [*slots_of(program.terms, program.output, shape_of(program.output)), program.evidence]


@every_model
def test_candidates_order_all_variables_once(model: Model) -> None:
    roots = roots_of(model)
    variables = {term for term in reachable(roots) if isinstance(term, (Input, Coin))}
    orders = candidate_orders(roots, model.program.coins)
    assert orders and set(orders) <= {"program", "interleaved"}
    for order in orders.values():
        assert len(order) == len(variables) and set(order) == variables


@every_model
def test_coins_of_one_draw_stand_together(model: Model) -> None:
    roots = roots_of(model)
    for order in candidate_orders(roots, model.program.coins).values():
        draws = [model.program.coins[term.index].draw for term in order if isinstance(term, Coin)]
        assert len(list(itertools.groupby(draws))) == len(set(draws))


@every_model
def test_another_order_comes_first_only_if_the_estimate_promises_it(model: Model) -> None:
    roots = roots_of(model)
    terms = reachable(roots)
    orders = candidate_orders(roots, model.program.coins)
    costs = {name: estimate(roots, terms, order) for name, order in orders.items()}
    first = next(iter(orders))
    assert first == "program" or costs[first] < costs["program"]


@every_model
def test_program_order_follows_the_tosses(model: Model) -> None:
    order = program_order(reachable(roots_of(model)), model.program.coins)
    draws = [model.program.coins[term.index].draw for term in order if isinstance(term, Coin)]
    assert draws == sorted(draws)


def test_interleaved_follows_the_outputs() -> None:
    model = coins_first(bits(3))
    roots = roots_of(model)
    order = interleaved_order(roots, reachable(roots), model.program.coins)
    pairs = [{type(a), type(b)} for a, b in itertools.batched(order, 2)] if hasattr(itertools, "batched") else None
    assert pairs is None or all(pair == {Input, Coin} for pair in pairs)
    assert [term.index for term in order if isinstance(term, Input)] == [0, 1, 2]


def test_an_input_stands_just_before_the_coin_that_meets_it() -> None:
    order = program_order(reachable(roots_of(response(bits(3)))), response(bits(3)).program.coins)
    assert [type(term) for term in order] == [Input, Coin] * 3


def test_auto_takes_the_narrow_order() -> None:
    """With all coins tossed before, following the outputs keeps every level at one or two nodes."""
    relation = compile_program(coins_first(bits(12)).program, Options())
    assert relation.arrays.size < 12 * 6


@every_model
def test_all_orders_answer_alike(model: Model) -> None:
    expected: dict[Any, Any] = {x: model.distribution(x) for x in model.domain}
    sizes = {}
    for order in ORDERS:
        with taut.options(order=order):
            other = Model(model.program)
            sizes[order] = other.size
            assert {x: other.distribution(x) for x in model.domain} == expected
    assert sizes["search"] <= min(sizes.values())


def test_outputs_stand_right_below_what_decides_them() -> None:
    relation = compile_program(response(bits(3)).program, Options())
    assert [level.kind for level in relation.arrays.levels] == ["input", "coin", "output"] * 3
