"""Reading Dice programs: accepted or refused at the same token as by the grammar in ``grammar.lark``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from tests.corpus.dice import CASES, REFUSED
from tests.languages.dice.test_random_programs import programs

from taut import DiceSyntaxError, TautError
from taut.languages.dice.parse import parse
from taut.languages.dice.values import Types
from taut.languages.source_text import SourceText


@cache
def grammar() -> Lark:
    return Lark(Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8"), parser="lalr", lexer="basic")


def mistake(text: str) -> int | None:
    """The offset of the first token that the grammar refuses."""
    try:
        grammar().parse(text)
    except UnexpectedCharacters as problem:
        return problem.pos_in_stream
    except UnexpectedToken as problem:
        return len(text.rstrip()) if problem.token.type == "$END" else problem.token.start_pos
    return None


def agree(text: str) -> bool:
    """Compare with the grammar; a number that is no number, or too large, is refused where it stands."""
    source, at, found = SourceText(text, "dice"), mistake(text), None
    try:
        parse(source, Types(4))
    except TautError as problem:
        found = problem
    if isinstance(found, DiceSyntaxError) and "is not a number" not in found.message:
        assert found.place is not None and at is not None
        assert (found.place.line, found.place.column) == source.position(at)
    elif found is None:
        assert at is None
    return found is None


@settings(max_examples=48, deadline=None)
@given(text=programs())
def test_programs_are_accepted(text: str) -> None:
    assert agree(text)


@pytest.mark.parametrize("text", [program for program, _ in CASES + REFUSED])
def test_the_corpus(text: str) -> None:
    agree(text)


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
def test_tokens_in_any_order(parts: list[str], space: str) -> None:
    agree(space.join(parts))


@settings(max_examples=120, deadline=None)
@given(data=st.data(), text=st.sampled_from([program for program, _ in CASES]))
def test_programs_with_a_mistake(data: st.DataObject, text: str) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 3, len(text))))
    agree(text[:start] + data.draw(st.sampled_from(["", *PARTS])) + text[end:])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("let x = true", "expected 'in' after 'true', but the program ends."),
        ("let x true", "expected '=' after 'x', but got 'true'."),
        ("let if = true in x", "expected a name after 'let', but got 'if'."),
        ("if flip 1/2 then else x", "expected an expression after 'then', but got 'else'."),
        ("true true", "expected an operator or the end after 'true', but got 'true'."),
        ("(x y)", "expected an operator or '(' or ')' or ',' after 'x', but got 'y'."),
        ("((true)", "expected ')' or ',' after ')', but the program ends."),
        ("fst (true, false))", "expected the end after ')', but got ')'."),
        ("[true) ", "expected ']' or ',' after 'true', but got ')'."),
        ("fun f(1) { true }", "expected a name or ')' after '(', but got '1'."),
        ("fun f(x) { true }", "expected ':' after 'x', but got ')'."),
        ("fun f(x: flip) { true }", "expected a type after ':', but got 'flip'."),
        ("fun f(x: (bool)) { true }", "expected ',' after 'bool', but got ')'."),
        ("fun f(x: bool) x", "expected '{' or ':' after ')', but got 'x'."),
        ("fun f(x: bool) { x x }", "expected an operator or '}' or '(' after 'x', but got 'x'."),
        ("flip x", "expected a number after 'flip', but got 'x'."),
        ("flip 1/x", "expected a whole number after '/', but got 'x'."),
        ("discrete(0.5; 0.5)", "';' cannot stand in a Dice program."),
        ("discrete(0.5 0.5)", "expected ')' or ',' after '0.5', but got '0.5'."),
        ("int(3 // bits\n)", "expected ',' after '3', but got ')'."),
        ("uniform(3,0,1.5)", "expected a whole number after ',', but got '1.5'."),
        ("[]", "expected ':' after ']', but the program ends."),
        ("5", "expected an expression, but got '5'. A number is written int(width, value)."),
        ("x -1", "expected an operator or '(' or the end after 'x', but got '-1'. "
         "A minus that touches a digit belongs to the number."),
        ("flip .", "'.' is not a number; write 0.5, 1/2 or 5e-1."),
        ("flip 1/0", "a fraction must not be divided by 0."),
        ("flip 1e-1001", "'1e-1001': powers of ten go up to 1000."),
        ("int(1025, 1)", "an integer of 1025 bits; at most 1024 are allowed."),
        ("int(0, 1)", "an integer has at least 1 bit; got 0."),
    ],
)  # fmt: skip
def test_messages(text: str, message: str) -> None:
    with pytest.raises(TautError) as caught:
        parse(SourceText(text, "dice"), Types(4))
    assert caught.value.message.partition("\n")[0] == message


def test_comments_may_stand_between_all_tokens() -> None:
    assert agree("int//\n(//\n3//\n,//\n1//\n)==discrete(1//\n/2,//\n1/ //\n2)||flip//\n(//\n.5)")


def test_depth_and_blanks_cost_nothing() -> None:
    deep = 20_000
    assert agree("(" * deep + "true" + ")" * deep)
    assert agree("let x = true in\n" * 2_000 + "x")
    assert agree("[] : " + "list((bool, " * deep + "bool" + "))" * deep)
    assert not agree("x" + " " * 100_000 + "$") and not agree("x // " * 30_000 + "\n$")
    assert agree("f" + " // " * 30_000 + "\n")
