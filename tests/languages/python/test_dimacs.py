"""Weighted CNF files: the competition's format, what it leaves open, and files that are broken."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.languages.python.counting import brute_force, count

from taut.diagrams.compile.formula import compile_formula
from taut.languages.formula import parse_dimacs
from taut.program.program import Formula
from taut.support.errors import DimacsError, TautError, TooLarge
from taut.support.options import Options


def read(tmp_path: Path, text: str | bytes, **roles: Any) -> Formula:
    path = tmp_path / "test.cnf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return parse_dimacs(path, **roles)


def test_plain_counting(tmp_path: Path) -> None:
    text = "c six variables, four clauses\np cnf 6 4\n-1 -2 0\n2 3 -2 0\nc a comment\n4 5 0\n4 6 0\n"
    formula = read(tmp_path, text)
    assert formula.name == "test.cnf"
    assert [v.name for v in formula.variables] == ["1", "2", "3", "4", "5", "6"]
    assert count(formula) == brute_force(formula) == 30


def test_the_example_of_the_paper(tmp_path: Path) -> None:
    text = "c t wmc\np cnf 2 1\nc p weight 1 1/3 0\nc p weight -1 2/3 0\nc p weight 2 0.75 0\n1 2 0\n"
    assert count(read(tmp_path, text)) == Fraction(5, 6)


def test_weights_in_every_spelling_and_place(tmp_path: Path) -> None:
    before = "c p weight 1 2.5e-1 0\np cnf 3 1\nc p weight -1 3 0\n"
    after = "1\nc between\n 2\n 3 0\nc p weight 2 7\n c p weight -2 1/2 0"
    formula = read(tmp_path, before + after)
    assert [v.weights for v in formula.variables] == [(Fraction(1, 4), 3), (7, Fraction(1, 2)), (1, 1)]
    assert count(formula) == brute_force(formula)


@pytest.mark.parametrize(("line", "weights"), [("1 0.3", ("0.3", "0.7")), ("-1 1/4", ("3/4", "1/4")), ("1 1", (1, 0))])
def test_a_single_weight_leaves_one_minus_it_for_the_other_literal(tmp_path: Path, line: str, weights: Any) -> None:
    formula = read(tmp_path, f"p cnf 1 0\nc p weight {line} 0\n")
    assert formula.variables[0].weights == tuple(Fraction(weight) for weight in weights)


def test_projection_counts_assignments_of_the_shown(tmp_path: Path) -> None:
    # x xor y: both values of x can be completed, so there are two, not the four models halved
    text = "c t pmc\np cnf 2 2\nc p show 1 0\n1 2 0\n-1 -2 0\n"
    formula = read(tmp_path, text)
    assert formula.hidden == ("2",)
    assert count(formula) == brute_force(formula) == 2


def test_show_lines_add_up_and_hidden_weights_do_not_count(tmp_path: Path) -> None:
    text = "c t pwmc\np cnf 4 1\nc p show 1 0\nc p show 2 0\nc p weight 1 1/3 0\nc p weight 3 5 0\n1 2 3 0\n"
    formula = read(tmp_path, text)
    assert formula.hidden == ("3", "4")
    assert count(formula) == brute_force(formula) == 2
    assert read(tmp_path, text.replace("c p weight 3 5 0\n", ""), inputs=[3], outputs=["4"]).hidden == ()


def test_showing_nothing_asks_for_satisfiability(tmp_path: Path) -> None:
    assert count(read(tmp_path, "p cnf 2 1\nc p show 0\n1 2 0\n")) == 1
    assert count(read(tmp_path, "p cnf 1 2\nc p show 0\n1 0\n-1 0\n")) == 0


def test_inputs_and_outputs_are_numbers(tmp_path: Path) -> None:
    formula = read(tmp_path, "p cnf 3 1\n1 2 3 0\n", inputs=[3], outputs=["1"])
    assert [(v.name, v.kind) for v in formula.variables] == [("3", "input"), ("1", "output"), ("2", "coin")]
    assert count(formula, {"3": 0, "1": 0}) == 1


def test_end_marks_empty_lines_and_foreign_comments(tmp_path: Path) -> None:
    comments = b"\n\nc caf\xe9\ncomment\nc\nc p\nc ind 1 0\nc t is a letter\n"
    assert count(read(tmp_path, comments + b"p  cnf\t2 1\n\n 1 -2 0 \n%\n0\n\n")) == 3
    assert count(read(tmp_path, "p cnf 2 1\r\n1 2 0\r\n")) == 3


def test_empty_clauses_and_no_clauses(tmp_path: Path) -> None:
    assert count(read(tmp_path, "p cnf 2 1\n0\n")) == 0
    assert count(read(tmp_path, "p cnf 3 0\n")) == 8
    assert count(read(tmp_path, "p cnf 0 0\n")) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no line 'p cnf"),
        ("1 2 0\n", r"test.cnf:1: expected 'p cnf.*'1 2 0'"),
        ("p cnf 2\n", r":1: the header must read.*'p cnf 2'"),
        ("p wcnf 2 1\n", "header"),
        ("p cnf -2 1\n", "header"),
        ("p cnf 2 1\np cnf 2 1\n", ":2: there must be one"),
        ("p cnf 2 1\n1 3 0\n", r":2: a literal must lie between -2 and 2; got '3'"),
        ("p cnf 2 1\n1 -3 0\n", "got '-3'"),
        (f"p cnf 2 1\n1 {'9' * 5000} 0\n", ":2: expected a literal"),
        ("p cnf 2 1\n1 x 0\n", ":2: expected a literal, a whole number; got 'x'"),
        ("p cnf 2 1\n1 1.5 0\n", "got '1.5'"),
        ("p cnf 2 2\n1 2 0\n", "promises 2 clauses, but the file has 1"),
        ("p cnf 2 1\n1 2 0\n-1 0\n", "promises 1 clauses, but the file has 2"),
        ("p cnf 2 1\n1 2\n", "not ended by 0; got '1 2'"),
        ("p cnf 2 0\nw 1 0.5\n", "c p weight LITERAL"),
        ("p cnf 2 0\nc p weight 1 x 0\n", ":2: a weight must be a number.*'x'"),
        ("p cnf 2 0\nc p weight 1 1/0 0\n", "'1/0'"),
        ("p cnf 2 0\nc p weight 1 nan 0\n", "'nan'"),
        ("p cnf 2 0\nc p weight 1 -1/2 0\n", ":2: a weight must not be negative; got '-1/2'"),
        ("p cnf 2 0\nc p weight 1 0\n", "expected 'c p weight"),
        ("p cnf 2 0\nc p weight\n", "expected 'c p weight"),
        ("p cnf 2 0\nc p weight 0 1 0\n", "0 is not a literal"),
        ("p cnf 2 0\nc p weight 3 1 0\n", "between -2 and 2; got '3'"),
        ("p cnf 2 0\nc p weight 1 1/2 0\nc p weight 1 1/3 0\n", ":3: literal 1 already has the weight 1/2; got '1/3'"),
        ("p cnf 2 0\nc p weight 1 2 0\n", "write a line 'c p weight -1 WEIGHT 0'"),
        ("p cnf 2 0\nc p show -1 0\n", "expected 'c p show"),
        ("p cnf 2 0\nc p show 5 0\n", "got '5'"),
        ("p cnf 2 0\nc p gweight 3 0\n", "only 'weight' and 'show'"),
        ("c t mc\np cnf 2 0\nc p weight 1 1/2 0\n", "'c t mc' has no 'weight'"),
        ("c t wmc\np cnf 2 0\nc p show 1 0\n", "'c t wmc' has no 'show'"),
        ("c t xyz\np cnf 2 0\n", "must be one of mc, wmc"),
        ("c t mc\nc t wmc\np cnf 2 0\n", ":2: the file already said 'c t mc'"),
        (b"\x7fELF\x00\x01\x02\xff\xfe\x00", ":1: expected 'p cnf"),
        (b"p cnf 2 1\n1 \x00\xff 0\n", ":2: expected a literal"),
    ],
)
def test_broken_files_are_refused_with_the_line_and_the_text(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(DimacsError, match=words) as caught:
        read(tmp_path, text)
    assert "test.cnf" in str(caught.value)


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ({"inputs": [3]}, "'3' does not occur.*1, 2"),
        ({"outputs": ["x"]}, "'x' does not occur"),
        ({"inputs": [1], "outputs": ["1"]}, "cannot be an input and an output"),
        ({"inputs": [1, 1]}, "twice"),
        ({"inputs": 1}, "expected a list"),
        ({"inputs": [True]}, "True is not a name"),
        ({"inputs": [2]}, "variable 2 is an input and has a weight"),
    ],
)
def test_wrong_roles_are_refused(tmp_path: Path, roles: dict[str, Any], words: str) -> None:
    with pytest.raises(DimacsError, match=words):
        read(tmp_path, "p cnf 2 1\nc p weight 2 1/2 0\n1 2 0\n", **roles)


@pytest.mark.parametrize("path", ["/nowhere/at/all.cnf", "/tmp", "/dev/null", "bad\0name", 3.5, ""])
def test_what_is_no_file_is_refused(path: Any) -> None:
    with pytest.raises(DimacsError):
        parse_dimacs(path)


@pytest.mark.parametrize("header", ["p cnf 50001 0", "p cnf 999999999999999999 0", "p cnf 3 999999999999"])
def test_what_is_too_large_is_refused_at_once(tmp_path: Path, header: str) -> None:
    with pytest.raises(TooLarge, match="at most"):
        read(tmp_path, header + "\n")


def test_fifty_thousand_variables_in_a_chain(tmp_path: Path) -> None:
    n = 50_000
    text = f"p cnf {n} {n - 1}\n" + "".join(f"-{i} {i + 1} 0\n" for i in range(1, n))
    formula = read(tmp_path, text)
    assert compile_formula(formula, Options()).arrays.nodes == 2 * n - 2


def refusal(path: Path) -> str | None:
    try:
        parse_dimacs(path)
    except TautError as problem:
        return str(problem)
    return None


@settings(deadline=None)
@given(noise=st.binary(max_size=60))
def test_garbage_never_crashes(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    path = tmp_path_factory.mktemp("noise") / "noise.cnf"
    for start in (b"", b"p cnf 3 1\n1 -2 ", b"p cnf 3 0\nc p weight "):
        path.write_bytes(start + noise)
        problem = refusal(path)
        assert problem is None or "noise.cnf" in problem


@settings(deadline=None)
@given(
    cnf=st.lists(st.lists(st.sampled_from([v for v in range(-6, 7) if v]), max_size=4), max_size=10),
    shown=st.none() | st.sets(st.integers(1, 6)),
    weights=st.dictionaries(st.sampled_from([v for v in range(-6, 7) if v]), st.fractions(0, 1, max_denominator=9)),
)
def test_counts_agree_with_brute_force(
    tmp_path_factory: pytest.TempPathFactory,
    cnf: list[list[int]],
    shown: set[int] | None,
    weights: dict[int, Fraction],
) -> None:
    lines = [f"p cnf 6 {len(cnf)}", *(f"c p weight {lit} {weight} 0" for lit, weight in weights.items())]
    if shown is not None:
        lines.append("c p show " + " ".join(map(str, [*sorted(shown), 0])))
    lines += [" ".join(map(str, [*clause, 0])) for clause in cnf]
    path = tmp_path_factory.mktemp("cnf") / "random.cnf"
    path.write_text("\n".join(lines))
    formula = parse_dimacs(path)
    assert count(formula) == brute_force(formula)
