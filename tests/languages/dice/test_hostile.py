"""Hostile files: an answer, a refusal, or a clean 'too large', never a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.languages.dice.test_corpus import Ask, ask

__all__ = ["ask"]

DEEP = 5_000
TOWER = "fun f0(x: bool) { x ^ flip 0.5 } " + "".join(
    f"fun f{n}(x: bool) {{ f{n - 1}(x) ^ f{n - 1}(!x) }} " for n in range(1, 40)
)
FILES: dict[str, tuple[str, int]] = {
    "parentheses": ("(" * DEEP + "true" + ")" * DEEP, 0),
    "open parentheses": ("(" * DEEP, 2),
    "negations": ("!" * DEEP + "true", 0),
    "bindings": ("let x = flip 0.5 in " * 2_000 + "x", 0),
    "branches": ("if flip 0.5 then true else " * 2_000 + "false", 0),
    "conjunctions": (" && ".join(["true"] * DEEP), 0),
    "pairs to the right": ("(true," * 21_000 + "true" + ")" * 21_000, 3),
    "pairs to the left": ("(" * 200 + "true" + ",true)" * 200, 3),
    "lists in lists": ("[" * DEEP + "true" + "]" * DEEP, 3),
    "types of lists": ("fun f(x: " + "list(" * DEEP + "bool" + ")" * DEEP + ") { true } true", 3),
    "types of pairs": ("fun f(x: " + "(bool," * 21_000 + "bool" + ")" * 21_000 + ") { true } true", 3),
    "wide literal": ("int(1000000, 5)", 3),
    "wide type": ("fun f(x: int(99999999999)) { true } true", 3),
    "long literal": ("int(8, " + "9" * 5_000 + ")", 3),
    "long decimal": ("flip 0." + "3" * 5_000, 3),
    "large power": ("flip 1e-999999999", 3),
    "small probability": ("flip 1e-900", 0),
    "large probability": ("flip 1e900", 2),
    "rounds": ("fun f(x: bool) { x ^ flip 0.5 } iterate(f, true, 1000000000)", 3),
    "tower": (TOWER + "f39(true)", 3),
    "binomial": ("binomial(40, 1000000000, 0.5)", 3),
    "binomial, long fractions": ("binomial(9, 200, 0.123456789)", 0),
    "weights": ("discrete(" + ",".join(["0.001"] * 1_000) + ")", 0),
    "weights without a common denominator": (
        "discrete(" + ",".join(f"1/{n}" for n in range(100_000, 130_000)) + ")",
        3,
    ),
    "outputs": ("(flip 0.5," * 999 + "true" + ")" * 999, 3),
    "names": ("let " + "x" * 100_000 + " = true in y", 2),
    "nul": ("flip 0.5 \x00", 2),
    "escape": ("flip \x1b[31m0.5", 2),
    "other digits": ("flip \uff10.5", 2),
    "form feed": ("true\f", 2),
    "byte order mark": ("\ufefftrue", 0),
    "other line ends": ("let x = true in // yes\r\nx\r\n", 0),
    "words only": ("let let let", 2),
}


@pytest.mark.parametrize("name", FILES)
def test_an_answer_or_a_clean_refusal(name: str, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.languages.dice.lower._MOST_STEPS", 50_000)
    monkeypatch.setattr("taut.languages.dice.integers._MOST_COINS", 5_000)
    text, expected = FILES[name]
    Path("p.dice").write_text(text, encoding="utf-8", newline="")
    code, out, err = ask("run", "p.dice")
    assert code == expected, err
    assert "Traceback" not in err and "fault" not in err
    assert (out == "") == (code != 0)
    assert all(len(line) < 600 for line in err.splitlines())


def test_bytes_that_are_no_text(ask: Ask) -> None:
    Path("p.dice").write_bytes(b"// \xff\xfe\ntrue && \xff")
    code, out, err = ask("run", "p.dice")
    assert (code, out) == (2, "") and err.startswith("taut: p.dice:2:9: ")


@pytest.mark.parametrize("name", ["missing.dice", ".", "/dev/null", "p\x00.dice"])
def test_what_is_no_file(name: str, ask: Ask) -> None:
    code, out, err = ask("run", name)
    assert (code, out) == (2, "") and err.startswith("taut: ")


def test_nodes_and_seconds_are_limited(ask: Ask) -> None:
    Path("p.dice").write_text("uniform(20,0,1048576) * uniform(20,0,1048576) == int(20,12345)")
    code, _, err = ask("run", "p.dice", "--max-nodes", "1000")
    assert code == 3 and "max_nodes=1000" in err
    code, _, err = ask("run", "p.dice", "--time-limit", "0.5")
    assert code == 3 and "0.5 seconds" in err
    assert ask("run", "p.dice", "--time-limit", "-1")[0] == 2


@pytest.mark.parametrize(
    "options",
    [["--recursion-limit", "0"], ["--max-list-length", "0"], ["--table", "no"], ["--recursion-limit", "99999999"]],
)
def test_options_that_make_no_sense(options: list[str], ask: Ask) -> None:
    Path("p.dice").write_text("true")
    code, out, err = ask("run", "p.dice", *options)
    assert (code, out) == (2, "") and err.startswith("taut: ")
