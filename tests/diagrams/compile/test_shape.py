"""Outputs of any shape are spelled as slots and read back."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import bits, discrete, flip, mechanism
from taut.diagrams.compile import compile_program
from taut.diagrams.compile.shape import Leaf, Sequence_, Shape, Varying, shape_of, slots_of
from taut.model import Model
from taut.program import CoinVariable, Program, Term, Terms, enumerate_outcomes
from taut.support.options import Options

QUICK = settings(max_examples=120, deadline=None)
VALUES = st.recursive(
    st.sampled_from([0, 1, True, None, "a", "END", Fraction(1, 2)]),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


def term_of(make: Terms, value: Any) -> Term:
    if isinstance(value, tuple):
        return make.tuple([term_of(make, item) for item in value])
    return make.const(value)


def one_of(values: list[Any]) -> Program:
    """A program that returns one of the values, all with the same probability, through a chain of branches."""
    make = Terms()
    places = tuple(range(len(values)))
    coin = make.coin(0, places)
    output = term_of(make, values[-1])
    for place in reversed(places[:-1]):
        output = make.ite(make.apply("eq", coin, make.const(place)), term_of(make, values[place]), output)
    weights = (Fraction(1, len(values)),) * len(values)
    coins = (CoinVariable("c", places, weights, 0),) if len(values) > 1 else ()
    return Program("one_of", (bits(0),), (), coins, output, make.true, make)


@QUICK
@given(values=st.lists(VALUES, min_size=1, max_size=5))
def test_any_mixture_of_shapes_comes_back(values: list[Any]) -> None:
    program = one_of(values)
    assert Model(program).distribution(()) == enumerate_outcomes(program, ())


@QUICK
@given(values=st.lists(VALUES, min_size=1, max_size=5))
def test_encoding_is_undone_by_decoding(values: list[Any]) -> None:
    program = one_of(values)
    shape = shape_of(program.output)
    assert len(slots_of(program.terms, program.output, shape)) == shape.width
    spelled = {}
    for value in values:
        slots = tuple(shape.encode(value))
        assert len(slots) == shape.width
        assert shape.decode(iter(slots)) == value
        assert spelled.setdefault(slots, value) == value, "two values are spelled alike"


@QUICK
@given(values=st.lists(VALUES, min_size=2, max_size=4), other=VALUES)
def test_what_is_never_returned_has_no_place_or_no_mass(values: list[Any], other: Any) -> None:
    program = one_of(values)
    expected = enumerate_outcomes(program, ()).get(other, 0)
    assert Model(program).probability((), other) == expected


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([1, 2], Leaf()),
        ([(1, 2), (3, 4)], Sequence_((Leaf(), Leaf()))),
        ([(1,), (1, 2)], Varying((Leaf(), Leaf()))),
        ([(1, 2), None], Varying((Leaf(), Leaf()))),
        ([(), (1,)], Varying((Leaf(),))),
        ([((1,), 2), ((1, 1), 2)], Sequence_((Varying((Leaf(), Leaf())), Leaf()))),
    ],
)
def test_shapes(values: list[Any], shape: Shape) -> None:
    assert shape_of(one_of(values).output) == shape


@pytest.mark.parametrize(
    "values",
    [
        [((),), ()],
        [((),), ((1,),), ()],
        [((1, 2),), (1, 2)],
        [(None,), None],
        [((None,),), (None,), None, ()],
        [(((),),), ((),), ()],
        [((0, 0), 1), (0, 0, 1), 0],
        ["END", ("END",), ()],
        [((), 1), (1, ()), ((), ())],
    ],
)
def test_lists_within_lists_are_told_apart(values: list[Any]) -> None:
    program = one_of(values)
    share = Fraction(1, len(values))
    assert Model(program).distribution(()) == dict.fromkeys(values, share)
    assert all(Model(program).probability((), value) == share for value in values)


def test_nothing_that_is_no_output_is_found() -> None:
    relation = compile_program(one_of([(1, 2), (1,), None]), Options())
    for y in (2, (2,), (1, 2, 3), (), ((1, 2),), "no", [1, 2], object()):
        code = relation.encode(y)
        assert code is None or relation.decode(code) == y


@mechanism
def sparse(x):
    answers = []
    for value in x:
        if flip("1/3"):
            answers.append(value)
            if len(answers) == 2:
                return answers
    return answers or None


@mechanism
def named(x):
    if flip("1/4"):
        return "refused", x
    return discrete({"yes": "1/2", "no": "1/2"})


def test_outputs_of_mechanisms() -> None:
    third = Fraction(1, 3)
    assert sparse(bits(2)).distribution((0, 1)) == {
        None: (1 - third) ** 2,
        (0,): third * (1 - third),
        (1,): third * (1 - third),
        (0, 1): third**2,
    }
    assert named(bits(1)).distribution((1,)) == {
        ("refused", (1,)): Fraction(1, 4),
        "yes": Fraction(3, 8),
        "no": Fraction(3, 8),
    }
