"""Reading by hand: the tree is the one that the grammar gives, or there is none."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.frontend.dice.test_random_programs import programs

from taut import TautError
from taut.frontend.dice.parse import parse
from taut.frontend.dice.scan import scan
from taut.frontend.dice.source import Source
from taut.frontend.dice.types import Type, Types


def flat(root: Any) -> list[Any]:
    """Everything in a tree, in an order that tells trees apart."""
    found: list[Any] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            found.append(len(node))
            stack += node
        elif dataclasses.is_dataclass(node) and not isinstance(node, Type):
            found.append(type(node))
            stack += [getattr(node, field.name) for field in dataclasses.fields(node)]
        else:
            found.append((type(node), node))
    return found


def same(text: str) -> bool:
    """Whether both read a text, and read the same; the grammar may read, or refuse, what is not read by hand."""
    types = Types(4)
    found = scan(text, types)
    if found is None:
        return False
    assert flat(found) == flat(parse(Source(text, "dice"), types))
    return True


@settings(max_examples=48, deadline=None)
@given(text=programs())
def test_programs_are_read_as_by_the_grammar(text: str) -> None:
    same(text)


PARTS = ["let", "x", "=", "in", "if", "then", "else", "(", ")", "[", "]", ",", ":", "::", "!", "&&", "||", "^", "<=>"]
PARTS += ["+", "-", "*", "/", "<", "<=", "==", "!=", "<<", ">>", "1", "-1", "0.5", ".5", "5.", "1e-1", ".", "true"]
PARTS += ["flip", "flip 1/2", "flip (.5)", "discrete(0.5, 0.5)", "int(2, 1)", "uniform(2, 0, 3)", "binomial(2, 3, 1/2)"]
PARTS += [
    "observe",
    "fst",
    "head",
    "f(x)",
    "f()",
    "iterate(f, x, 3)",
    "// text\n",
    "fun f(x: bool) {",
    "}",
    "bool",
    "$",
]


@settings(max_examples=240, deadline=None)
@given(parts=st.lists(st.sampled_from(PARTS), max_size=14), space=st.sampled_from(["", " ", "\n"]))
def test_whatever_is_read_the_grammar_reads_too(parts: list[str], space: str) -> None:
    same(space.join(parts))


@pytest.mark.parametrize(
    "text",
    [
        "let x = flip 0.3 in x",
        "let x = flip 1/3 in\n// a comment\nlet y = flip(1 / 3) in (x, (y, x && y || !x <=> y))  // the end",
        "fun f(x: bool, n: int(3), p: (bool, int(2)), xs: list(bool)): int(3) { n + int(3, 1) }\n"
        "f(true, int(3,0), (true, int(2,1)), [true])",
        "fun f() { discrete(0.2, 0.3, 0.5) } f() << 1 * f()",
        "[] : list((bool, int(4)))",
        "head [true, false] :: [] : list(bool)",
        "iterate(f, if true then fst (true, false) else snd (true, false), 10)",
        "nth_bit(int(3, 0), uniform(3, 1, 6) - binomial(3, 4, 0.5))",
        "observe flip 5. || let x = .5 in x",
        "fun f(x: bool) { x }",
        "!!a == b < c + d * e :: f ^ g",
    ],
)
def test_ordinary_programs_need_no_grammar(text: str) -> None:
    types = Types(4)
    try:
        parse(Source(text, "dice"), types)
    except TautError:
        assert scan(text, types) is None
    else:
        assert same(text)


def test_depth_and_blanks_cost_nothing() -> None:
    deep = 20_000
    assert same("(" * deep + "true" + ")" * deep)
    assert same("let x = true in\n" * 2_000 + "x")
    assert not same("x" + " " * 100_000 + "$") and not same("x // " * 30_000 + "\n$")
    assert same("f" + " // " * 30_000 + "\n")
