"""choice, permutation and shuffle: in a mechanism their distribution is that of all orders; in real runs they draw."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from tests.oracle.native import native_distribution

from taut import InvalidDistribution, Model, bits, choice, flip, ints, mechanism, permutation, shuffle


@mechanism
def chosen(x):
    return choice(x)


@mechanism
def chosen_word(x):
    return choice(["yes", "no", "no"]) if choice(range(3)) < x[0] else choice("ab")


@mechanism
def shuffled(x):
    order = [*x, 9]
    alias = order
    shuffle(alias)
    return order


@mechanism
def permuted(x):
    kept = list(x)
    return permutation(kept) + kept


@mechanism
def shuffled_reports(x):
    return permutation([bit ^ flip("1/3") for bit in x])


@mechanism
def shuffled_if(x):
    order = [0, 1, 2]
    if flip("1/4") or x[0]:
        shuffle(order)
    return order[0], choice(order[1:])


CASES = [
    (chosen, ints(3, 0, 2)),
    (chosen_word, ints(1, 0, 3)),
    (shuffled, bits(3)),
    (permuted, ints(2, 0, 2)),
    (shuffled_reports, bits(3)),
    (shuffled_if, bits(1)),
]


@pytest.mark.parametrize(("function", "domain"), CASES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_read_as_python_runs_them(function: Any, domain: Any) -> None:
    model = function(domain)
    assert isinstance(model, Model)
    for x in domain:
        assert model.distribution(x) == native_distribution(function, {"x": x})


@pytest.mark.parametrize("items", [(0, 1, 2, 3), (0, 0, 1), (5,), ()])
def test_all_orders_are_equally_likely(items: tuple[int, ...]) -> None:
    @mechanism
    def ordered(x):
        return permutation(items)

    orders = Counter(itertools.permutations(items))
    total = sum(orders.values())
    expected = {order: Fraction(count, total) for order, count in orders.items()}
    assert ordered(bits(1)).distribution((0,)) == expected


def test_real_runs() -> None:
    given = [3, 1, 2]
    assert {choice(given) for _ in range(200)} == {1, 2, 3}
    assert {tuple(permutation(given)) for _ in range(500)} == set(itertools.permutations(given))
    assert given == [3, 1, 2] and shuffle(given) is None and sorted(given) == [1, 2, 3]
    assert sorted(shuffled((4, 5))) == [4, 5, 9]


def test_nothing_to_choose_from() -> None:
    @mechanism
    def empty(x):
        return choice(x[:0])

    with pytest.raises(InvalidDistribution, match="at least one item"):
        empty(bits(1))
