"""Sets meet lists, dictionaries and views as in Python: what is kept of equal elements, and what is a new set."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

import taut
from taut import bits, helper, mechanism, uniform

SPELLINGS = (1, True, 1.0, Fraction(1), 5)
OPERANDS = ("list", "tuple", "dict", "keys", "set", "frozenset", "alternatives")
METHODS = ("union", "intersection", "difference", "symmetric_difference")
UPDATES = ("update", "intersection_update", "difference_update", "symmetric_difference_update")
OPERATORS = ("|", "&", "-", "^")


@helper
def operand(kind: Any, items: Any) -> Any:
    if kind == "list":
        return list(items)
    if kind == "tuple":
        return tuple(items)
    if kind == "dict":
        return dict.fromkeys(items)
    if kind == "keys":
        return dict.fromkeys(items).keys()
    if kind == "set":
        return set(items)
    if kind == "frozenset":
        return frozenset(items)
    return list(items) if items[0] == 5 else set(items)


@helper
def told(s: Any) -> Any:
    return str(sorted(s))


@helper
def by_method(own: Any, name: Any, other: Any) -> Any:
    s = set(own)
    if name == "union":
        return told(s.union(other))
    if name == "intersection":
        return told(s.intersection(other)) + told(s.intersection(other, (1, 2, 3)))
    if name == "difference":
        return told(s.difference(other))
    if name == "symmetric_difference":
        return told(s.symmetric_difference(other))
    if name == "update":
        s.update(other)
    elif name == "intersection_update":
        s.intersection_update(other)
    elif name == "difference_update":
        s.difference_update(other)
    else:
        s.symmetric_difference_update(other)
    return told(s)


@helper
def by_operator(a: Any, name: Any, b: Any) -> Any:
    c = a
    if name == "|":
        made = a | b
        c |= b
    elif name == "&":
        made = a & b
        c &= b
    elif name == "-":
        made = a - b
        c -= b
    else:
        made = a ^ b
        c ^= b
    return told(made) + told(a) + told(c) + str(isinstance(made, frozenset))


@mechanism
def of_methods(x: Any, kind: Any, name: Any, more: Any) -> Any:
    v = SPELLINGS[uniform(0, 4)]
    return by_method([1, 2], name, operand(kind, [v, *more])) + by_method([v, 2], name, operand(kind, [True, *more]))


@mechanism
def of_operators(x: Any, kind: Any, name: Any, more: Any) -> Any:
    v = SPELLINGS[uniform(0, 4)]
    keys = operand("keys", [v, 2])
    return by_operator(operand(kind, [True, *more]), name, keys)


@pytest.mark.parametrize(("kind", "name"), list(itertools.product(OPERANDS, [*METHODS, *UPDATES])))
def test_methods_take_whatever_has_items(kind: str, name: str) -> None:
    for more in ((), (7,), (2, 8, 9)):
        expected: dict[str, Fraction] = {}
        for v in SPELLINGS:
            y = by_method([1, 2], name, operand(kind, [v, *more])) + by_method(
                [v, 2], name, operand(kind, [True, *more])
            )
            expected[y] = expected.get(y, Fraction(0)) + Fraction(1, 5)
        with taut.options(validate="off"):
            assert of_methods(bits(1), kind=kind, name=name, more=more).distribution((0,)) == expected


@pytest.mark.parametrize(("kind", "name"), list(itertools.product(["set", "frozenset", "tuple"], OPERATORS)))
def test_a_view_and_an_operator_make_a_new_set(kind: str, name: str) -> None:
    for more in ((), (7,), (2, 8, 9)):
        expected: dict[str, Fraction] = {}
        for v in SPELLINGS:
            y = by_operator(operand(kind, [True, *more]), name, operand("keys", [v, 2]))
            expected[y] = expected.get(y, Fraction(0)) + Fraction(1, 5)
        with taut.options(validate="off"):
            assert of_operators(bits(1), kind=kind, name=name, more=more).distribution((0,)) == expected


def test_sorting_keeps_the_items_that_there_were_before_the_key_changed_them() -> None:
    @mechanism
    def changed(x: Any) -> Any:
        items = [3, 1, 2]
        place = uniform(0, 2)

        def key(item: Any) -> Any:
            items[place] = 7
            items.append(item)
            return item

        return sorted(items, key=key), items[place], len(items)

    with taut.options(validate="off"):
        assert changed(bits(1)).distribution((0,)) == {((1, 2, 3), 7, 6): 1}
