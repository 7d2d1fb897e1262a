"""Formulas as text: what they count, how they are read, and how mistakes are told."""

from __future__ import annotations

import itertools
import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.languages.python.counting import brute_force, count, relation_count

from taut.diagrams.compile.formula import compile_formula
from taut.languages.formula import parse_formula
from taut.program.program import Formula
from taut.support.errors import FormulaError, InvalidNumber, InvalidProbability, TooLarge
from taut.support.exact import exp
from taut.support.options import Options

NAMES = ("a", "b", "c", "d", "e")
PYTHON = {
    "<->": lambda p, q: p == q,
    "->": lambda p, q: (not p) or q,
    "|": lambda p, q: p or q,
    "^": lambda p, q: p != q,
    "&": lambda p, q: p and q,
}
SPELLINGS = {
    "<->": ("<->", "<=>", "=="),
    "->": ("->", "=>"),
    "|": ("|", "||", "or", "\\/"),
    "^": ("^", "xor"),
    "&": ("&", "&&", "and", "/\\"),
    "!": ("!", "~", "not "),
}
fractions = st.fractions(min_value=0, max_value=3, max_denominator=7)


def rr(n: int) -> Formula:
    return parse_formula(
        " & ".join(f"(y{i} <-> (x{i} ^ t{i}))" for i in range(n)),
        [f"x{i}" for i in range(n)],
        [f"y{i}" for i in range(n)],
        {f"t{i}": "1/5" for i in range(n)},
    )


@st.composite
def texts(draw: Any, depth: int = 4) -> tuple[str, Any]:
    """A formula with all parentheses, and the same as a Python function of a dictionary."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        atom = draw(st.sampled_from((*NAMES, *NAMES, "true", "false", "1", "0")))
        if atom in NAMES:
            return atom, lambda model: model[atom]
        return atom, lambda model: atom in ("true", "1")
    if draw(st.integers(0, 4)) == 0:
        text, function = draw(texts(depth=depth - 1))
        return draw(st.sampled_from(SPELLINGS["!"])) + text, lambda model: not function(model)
    operator = draw(st.sampled_from(sorted(PYTHON)))
    left, f = draw(texts(depth=depth - 1))
    right, g = draw(texts(depth=depth - 1))
    space = draw(st.sampled_from((" ", "\n", "\t ")))
    text = f"({left}{space}{draw(st.sampled_from(SPELLINGS[operator]))} {right})"
    return text, lambda model: PYTHON[operator](f(model), g(model))


@settings(deadline=None)
@given(sample=texts(), weights=st.lists(st.tuples(fractions, fractions), min_size=5, max_size=5))
def test_the_count_is_the_sum_over_all_models(
    sample: tuple[str, Any], weights: list[tuple[Fraction, Fraction]]
) -> None:
    text, function = sample
    present = [name for name in NAMES if name in parse_names(text)]
    chosen = {name: pair for name, pair in zip(NAMES, weights, strict=True) if name in present}
    formula = parse_formula(text, weights=chosen)
    expected = Fraction(0)
    for values in itertools.product((False, True), repeat=len(present)):
        if function(dict(zip(present, values, strict=True))):
            product = Fraction(1)
            for name, value in zip(present, values, strict=True):
                product *= chosen[name][0 if value else 1]
            expected += product
    assert brute_force(formula) == expected
    for order in ("auto", "program", "interleaved", "search"):
        assert count(formula, order=order) == expected


def parse_names(text: str) -> set[str]:
    return {variable.name for variable in parse_formula(text).variables}


clauses = st.lists(
    st.lists(st.integers(1, 8).flatmap(lambda v: st.sampled_from((v, -v))), min_size=1, max_size=4),
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(cnf=clauses, hidden=st.sets(st.integers(1, 8)), weights=st.lists(fractions, min_size=16, max_size=16))
def test_projection_and_every_order_agree_with_brute_force(
    cnf: list[list[int]], hidden: set[int], weights: list[Fraction]
) -> None:
    text = " & ".join("(" + " | ".join(f"{'!' if v < 0 else ''}v{abs(v)}" for v in c) + ")" for c in cnf)
    present = parse_names(text)
    pairs = {f"v{i + 1}": (weights[2 * i], weights[2 * i + 1]) for i in range(8)}
    full = parse_formula(text, weights={name: pair for name, pair in pairs.items() if name in present})
    away = tuple(f"v{i}" for i in sorted(hidden) if f"v{i}" in present)
    formula = Formula(full.name, full.variables, full.constraint, full.terms, away)
    expected = brute_force(formula)
    for order in ("program", "interleaved", "search"):
        assert count(formula, order=order) == expected


def test_the_example_of_the_paper() -> None:
    assert count(parse_formula("a or b", weights={"a": "1/3", "b": "3/4"})) == Fraction(5, 6)


def test_unweighted_variables_count_one_each() -> None:
    assert count(parse_formula("a | b | c")) == 7
    assert count(parse_formula("a | !a")) == 2
    assert count(parse_formula("a & !a")) == 0
    assert count(parse_formula("true")) == 1
    assert count(parse_formula("0")) == 0


def test_balls_are_weights_too() -> None:
    result = count(parse_formula("a", weights={"a": exp("-5")}))
    assert abs(float(result) - 0.006737946999085467) < 1e-15


def test_randomized_response_by_hand() -> None:
    relation = compile_formula(rr(2), Options())
    assert [v.name for v in relation.inputs] == ["x0", "x1"]
    assert [v.values for v in relation.outputs] == [(0, 1), (0, 1)]
    assert relation.coins[0].outcomes == (False, True)
    assert relation.coins[0].weights == (Fraction(4, 5), Fraction(1, 5))
    assert relation.encode((0, 1)) == [0, 1]
    table = [relation_count(relation, {"x0": a, "x1": b, "y0": 0, "y1": 0}) for a, b in ((0, 0), (1, 0), (1, 1))]
    assert table == [Fraction(16, 25), Fraction(4, 25), Fraction(1, 25)]
    assert [level.kind for level in relation.arrays.levels] == ["input", "coin", "output"] * 2


def test_randomized_response_of_two_hundred_clients_is_small_and_quick() -> None:
    start = time.perf_counter()
    relation = compile_formula(rr(200), Options())
    assert time.perf_counter() - start < 1
    assert relation.arrays.size == 5 * 200 + 2


def test_a_scattered_formula_gets_a_better_order() -> None:
    n = 12
    names = [f"a{i}" for i in range(n)] + [f"b{i}" for i in range(n)]
    text = f"({' | '.join(names)}) & " + " & ".join(f"(a{i} <-> b{i})" for i in range(n))
    orders = ("program", "interleaved", "auto", "search")
    sizes = {order: compile_formula(parse_formula(text), Options(order=order)).arrays.size for order in orders}
    assert sizes["program"] > 2**n
    assert sizes["interleaved"] < 10 * n
    assert sizes["auto"] == sizes["search"] == sizes["interleaved"]


def test_inputs_and_outputs_keep_the_order_in_which_they_are_given() -> None:
    formula = parse_formula("y1 & x1 & t & x2 & y2", inputs=["x2", "x1"], outputs=["y2", "y1"])
    assert [v.name for v in formula.variables] == ["x2", "x1", "y2", "y1", "t"]
    assert [v.kind for v in formula.variables] == ["input", "input", "output", "output", "coin"]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("a -> b | c", "a -> (b | c)"),
        ("a | b ^ c", "a | (b ^ c)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("!a & b", "(!a) & b"),
        ("not a or b and c xor d", "(not a) or ((b and c) xor d)"),
        ("a<->b<->c", "(a <-> b) <-> c"),
        ("a&b\n\t|c", "(a & b) | c"),
        ("a\\/b/\\c", "a | (b & c)"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert repr(parse_formula(text).constraint) == repr(parse_formula(same).constraint)


def test_names_may_begin_with_a_word_that_is_an_operator() -> None:
    names = ["order", "notx", "and1", "xor_", "true.x", "x[1]", "x'", "or'", "falsehood", "_"]
    formula = parse_formula(" | ".join(names))
    assert [v.name for v in formula.variables] == names


@pytest.mark.parametrize(
    "text",
    [
        " & ".join(f"(a{i} | !b{i})" for i in range(5000)),
        "(" * 20_000 + "a" + ")" * 20_000,
        "!" * 20_001 + "a",
        "a -> " * 20_000 + "b",
        "".join(f"(a{i} | " for i in range(5000)) + "b" + ")" * 5000,
        "a ^ " * 20_001 + "b",
    ],
)
def test_long_and_deep_formulas_hit_no_limit(text: str) -> None:
    assert compile_formula(parse_formula(text), Options()).arrays.size > 2


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "empty"),
        (" \n ", 1, 1, "empty"),
        ("a &", 1, 4, "ends here"),
        ("a b", 1, 3, "expected an operator; got b"),
        ("(a", 1, 3, r"or '\)'"),
        ("a)", 1, 2, "expected an operator"),
        ("a & & b", 1, 5, "expected a variable"),
        ("a $ b", 1, 3, r"'\$' cannot stand"),
        ("a = b", 1, 3, "'=' cannot stand"),
        ("a\n& (b\n  | )", 3, 5, "expected a variable"),
        ("2", 1, 1, "'2' cannot stand"),
        ("é", 1, 1, "cannot stand"),
        ("a \x00", 1, 3, "cannot stand"),
    ],
)
def test_mistakes_name_the_place_with_a_caret(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(FormulaError, match=words) as caught:
        parse_formula(text)
    place = caught.value.place
    assert place is not None and (place.file, place.line, place.column) == ("formula", line, column)
    assert str(caught.value).startswith(f"formula:{line}:{column}: ")
    assert str(caught.value).splitlines()[-1] == " " * (4 + column - 1) + "^"


def test_a_mistake_in_a_long_line_shows_what_is_near() -> None:
    with pytest.raises(FormulaError) as caught:
        parse_formula("a & " * 1000 + "$ & b")
    shown, caret = str(caught.value).splitlines()[-2:]
    assert len(shown) < 110 and shown[caret.index("^")] == "$"


def refusal(text: str) -> FormulaError | None:
    try:
        parse_formula(text)
    except FormulaError as problem:
        return problem
    return None


@given(text=st.text(alphabet="ab01&|^!~<=>-()/\\ .x'[]\n$or ntruefalsd", max_size=30))
def test_any_text_is_a_formula_or_a_formula_error(text: str) -> None:
    problem = refusal(text)
    assert problem is None or problem.place is not None


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"inputs": ["z"]}, FormulaError, "inputs: 'z' does not occur.*a, b"),
        ({"outputs": ["z"]}, FormulaError, "outputs: 'z' does not occur.*a, b"),
        ({"weights": {"z": 1}}, FormulaError, "weights: 'z' does not occur.*a, b"),
        ({"inputs": ["a", "a"]}, FormulaError, "inputs: 'a' stands there twice"),
        ({"inputs": ["a"], "outputs": ["a"]}, FormulaError, "'a' cannot be an input and an output"),
        ({"inputs": "a"}, FormulaError, "expected a list"),
        ({"inputs": [3]}, FormulaError, "3 is not a name"),
        ({"inputs": None}, FormulaError, "expected a list"),
        ({"inputs": ["a"], "weights": {"a": "1/2"}}, FormulaError, "'a' is an input"),
        ({"weights": ["a"]}, FormulaError, "expected a dictionary"),
        ({"weights": {"a": "6/5"}}, InvalidProbability, r"weights\['a'\].*6/5"),
        ({"weights": {"a": -1}}, InvalidProbability, "-1"),
        ({"weights": {"a": float("nan")}}, InvalidNumber, "finite"),
        ({"weights": {"a": "much"}}, InvalidNumber, "much"),
        ({"weights": {"a": (1, -2)}}, InvalidNumber, "negative; got -2"),
        ({"weights": {"a": (1, 2, 3)}}, InvalidNumber, "pair"),
        ({"weights": {"a": (1, "x")}}, InvalidNumber, "'x'"),
    ],
)
def test_wrong_names_and_weights_are_refused(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        parse_formula("a & b", **arguments)


def test_a_formula_is_text() -> None:
    with pytest.raises(FormulaError, match="is text"):
        parse_formula(3)  # type: ignore[arg-type]


def test_too_many_variables_are_refused() -> None:
    with pytest.raises(TooLarge, match="50001 variables"):
        parse_formula("|".join(f"a{i}" for i in range(50_001)))
