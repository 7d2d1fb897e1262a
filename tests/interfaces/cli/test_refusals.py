"""Bad input of every command: one sentence on stderr, an exit code, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["privcy"], "No such command 'privcy'"),
        (["--loud"], "No such option: --loud"),
        (["list", "--jsn"], "No such option: --jsn"),
        (["list", "too", "many"], "unexpected extra argument"),
        (["privacy"], "Missing argument 'TARGET'"),
        (["privacy", "rr", "--method"], "--method"),
        (["show", "nosuch"], "'nosuch' is not a built-in mechanism"),
        (["show"], "Missing argument"),
        (["privacy", "r"], "short for several"),
        (["privacy", "rr", "n=-1"], "whole number"),
        (["privacy", "rr", "n=1/2"], "got 1/2"),
        (["privacy", "rr", "n=many"], "got many"),
        (["privacy", "rr", "n=true"], "got True"),
        (["privacy", "rr", "n=0"], "relates no two inputs"),
        (["privacy", "rr", "lam=2"], "got 2"),
        (["privacy", "rr", "lam=-1/5"], "got -1/5"),
        (["privacy", "rr", "lam=0.1.2"], "lam must be a probability, a number from 0 to 1; got '0.1.2'"),
        (["privacy", "rr", "lam=1/0"], "lam must be a probability, a number from 0 to 1; got '1/0'"),
        (["privacy", "rr", "lam="], "a value is missing"),
        (["privacy", "rr", "lam"], "write name=value"),
        (["privacy", "rr", "=3"], "write name=value"),
        (["privacy", "rr", "lam=1/5", "lam=1/4"], "given twice"),
        (["privacy", "rr", "lamb=1/5"], "no argument 'lamb'"),
        (["privacy", "rr", "x=[0,1]"], "must be a domain"),
        (["privacy", "rr", "x=bits(2)", "n=2"], "not both"),
        (["privacy", "rr", "x=bits(2"], "')' is missing"),
        (["privacy", "rr", "x=bots(2)"], "no 'bots(...)'"),
        (["privacy", "rr", "x=ints(2,3,1)"], "low must not be above high"),
        (["privacy", "rr", "--neighbors", "friends"], "one_differ, one_step, all_step, add_remove"),
        (["privacy", "rr", "n=2", "--neighbors", "add_remove"], "Write bits(2).optional()"),
        (["privacy", "rr", "n=2", "--neighbors", "mine.py:broken"], "ZeroDivisionError"),
        (["privacy", "rr", "n=2", "--neighbors", "mine.py:broken"], "x=(0, 0), x'=(0, 1)"),
        (["privacy", "rr", "--neighbors", "mine.py:NUMBER"], "not a predicate"),
        (["privacy", "rr", "--method", "magic"], "auto, search, exhaustive, restricted"),
        (["symmetries", "rr", "--neighbors", "nonsense"], "one_differ, one_step, all_step"),
        (["symmetries", "nonsense"], "nonsense"),
        (["privacy", "mine.py"], "which function"),
        (["privacy", "none.py:f"], "no file 'none.py'"),
        (["privacy", "mine.py:nope"], "has no 'nope'; its functions are svt, plain"),
        (["privacy", "mine.py:NUMBER"], "neither a mechanism nor a function"),
        (["privacy", "mine.py:plain", "p=1/2"], "no database is given"),
        (["privacy", "mine.py:plain", "q=1/2"], "plain: no argument 'q'; its arguments are"),
        (["privacy", "rr", "--time-limit", "-1"], "--time-limit must lie between 0 and"),
        (["epsilon", "rr", "--delta", ""], "epsilon: delta needs a value"),
        (["renyi", "rr", "--order", ""], "--order '': write values with commas"),
        (["renyi", "rr", "--order", "x"], "renyi: order: 'x' is not a number"),
        (["formula", "rr", "n=2", "lam=0..2"], "got 0..2"),
        (["calibrate", "rr", "n=2", "lam=0..1/2"], "give a budget, such as --epsilon 1"),
        (["calibrate", "rr", "n=2", "lam=0..1/2", "--renyi", "2"], "--renyi 2: write ORDER,LIMIT"),
        (["compare", "rr", "n=3"], "leave n out; --sizes"),
        (["loss", "rr", "n=2", "--x", "0", "--x-prime", "1"], "it has 1 entry, not 2"),
        (["privacy", "mine.py:plain", "x=bits(99999999999)", "p=1/3"], "at most 10000000 entries can be read"),
        (["privacy", "rr", "n=2", "--style", "pink"], "the style of a plot is"),
        (["new", "class.py"], "'class' is a keyword of Python; choose another name"),
        (["new", "random.py"], "'random' would hide the module of that name"),
        (["new", "taut.py"], "'taut' would hide the module"),
        (["privacy", "mine.py:plain", "x=bits(2)"], "'p' is not given and has no default"),
        (["privacy", "mine.py:plain", "x=bits(2)", "p=3"], "got 3"),
        (["privacy", "mine.py:impossible", "x=bits(1)"], "probability 0 at x=(0,)"),
        (["privacy", "broken.py:f"], "broken.py:2: the file cannot be run; SyntaxError"),
        (["privacy", "failing.py:f"], "failing.py:3: the file cannot be run; ZeroDivisionError"),
        (["privacy", "leaving.py:f"], "the file cannot be run; SystemExit"),
        (["accuracy", "rr_count"], "Missing option '--alpha'"),
        (["accuracy", "rr_count", "--alpha", "x"], "'x' is not a number"),
        (["accuracy", "rr_count", "--alpha", "-1"], "must not be negative; got '-1'"),
        (["accuracy", "rr_count", "--alpha", "1", "--target", "mode"], "there are sum, mean"),
        (["accuracy", "rr_count", "--alpha", "1", "--target", "mine.py:NUMBER"], "is not a function"),
        (["accuracy", "rr_count", "--alpha", "1", "--distance", "far"], "there are absolute"),
        (["accuracy", "rr_count", "--alpha", "1", "--top", "-1"], "--top"),
        (["accuracy", "rr_count", "--alpha", "1", "--top", "two"], "a whole number of at least 0; got two"),
        (["accuracy", "rr", "n=2", "--alpha", "1"], "--target identity --distance hamming"),
        (["accuracy", "rr", "n=2", "--alpha", "1", "--target", "identity"], "they have no difference"),
        (["accuracy", "histogram", "--alpha", "1", "--distance", "largest"], "'largest' cannot compare them"),
        (["accuracy", "rr_count", "--alpha", "1", "--distance", "hamming"], "'hamming' cannot compare them"),
        (
            ["accuracy", "rr_count", "n=0", "--alpha", "1", "--target", "mean"],
            "the target 'mean' cannot be had on bits(0)",
        ),
        (
            ["accuracy", "rr_count", "--alpha", "1", "--target", "identity"],
            "returns a number (such as 0), the target a list",
        ),
        (["privacy", "k_ary", "k=1"], "k must be a whole number from 2 to 100000; got 1"),
        (["privacy", "svt", "c=0"], "c must be a whole number from 1 to 100000; got 0"),
        (["privacy", "svt", "c=1/2"], "c must be a whole number from 1 to 100000; got 1/2"),
        (
            ["privacy", "above", "ratio=2"],
            "taut: above_threshold: ratio must be a number from 0 to 1, 1 itself excluded; got 2",
        ),
        (["privacy", ""], "no mechanism is named"),
        (["privacy", "mine.py:", "x=bits(2)"], "write which function of the file is meant"),
        (["privacy", "rr", "--neighbors", "one_diff"], "predicates f(x, x_prime) given as file.py:name"),
        (["sweep", "rr", "lam=0.1:0.5"], "the step is missing; write low:high:step, such as lam=0.1:0.5:0.04"),
        (["draw", "rr", "--out", "nodir/x.svg"], "there is no folder 'nodir'; make it first"),
        (["sweep", "rr", "lam=0.1,0.2", "--plot", "nodir/x.svg"], "there is no folder 'nodir'; make it first"),
        (["worst", "rr", "--top", "0"], "at least 1; got 0"),
        (["sweep", "rr", "n=2"], "exactly one range"),
        (["sweep", "rr", "n=1,2", "lam=0.1:0.2:0.1"], "these are 2: n, lam"),
        (["sweep", "rr", "lam=0.1:0.2:0"], "a step above 0"),
        (["sweep", "rr", "lam=a:b"], "a range is low:high:step"),
        (["sweep", "rr", "lam=0.5:1.5:0.5"], "got 3/2"),
        (["sweep", "rr", "lam=0.1,0.2", "--accuracy-only"], "needs --alpha"),
        (["sweep", "rr", "lam=0.1,0.2", "--plot", "a.jpg"], "allowed are .png"),
        (["sweep", "rr", "lam=0.1,0.2", "--plot", "none/a.png"], "cannot write 'none/a.png'"),
        (["sweep", "rr", "lam=0.1,0.2", "--csv", "."], "it is a directory"),
        (["draw", "rr"], "Missing option '--out'"),
        (["draw", "rr", "--out", "a.txt"], "allowed are .svg"),
        (["draw", "rr", "--out", "none/a.svg"], "cannot write"),
        (["paper"], "Missing option '--out'"),
        (["paper", "--out", "mine.py"], "cannot write 'mine.py'"),
        (["paper", "--out", "mine.py/results"], "cannot write"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_sentence(run: Any, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "broken.py").write_text("\ndef broken(:\n")
    (tmp_path / "failing.py").write_text("def f(x):\n    return x\nf(1 / 0)\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(7)\n")
    before = sorted(tmp_path.iterdir())
    result = run(*arguments)
    lines = [line for line in result.err.splitlines() if line != "this file talks"]
    assert (result.code, result.out) == (2, "")
    assert len(lines) == 1 and lines[0].startswith("taut: ") and said in lines[0]
    assert sorted(tmp_path.iterdir()) == before, "nothing half-written is left behind"


@pytest.mark.parametrize(
    "arguments",
    [
        ["worst", "above", "n=40", "--time-limit", "2"],
        ["draw", "rr", "n=300", "--out", "a.svg"],
    ],
    ids=" ".join,
)
def test_too_large_has_its_own_code(run: Any, tmp_path: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (3, "")
    assert result.err.count("\n") == 1 and len(result.err) < 400
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


USERS = """
def target(x):
    return {"a": 1}["b"] + sum(x)

def distance(output, wanted):
    raise RuntimeError("far")

def predicate(x, other):
    return x[7] == other[7]

def mechanism(x):
    return [1][5] + sum(x)

def several(x):
    return [0, 1]
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["accuracy", "rr_count", "--alpha", "1", "--target", "users.py:target"], "users.py:3"),
        (["accuracy", "rr_count", "--alpha", "1", "--distance", "users.py:distance"], "users.py:6"),
        (["privacy", "rr", "--neighbors", "users.py:predicate"], "users.py:9"),
        (["privacy", "users.py:mechanism", "x=bits(2)"], "users.py:12"),
        (["privacy", "broken.py:f", "x=bits(2)"], "broken.py:1"),
        (["privacy", "fails.py:f", "x=bits(2)"], "fails.py:2"),
        (["privacy", "zeros.py:f", "x=bits(2)"], "zeros.py: the file cannot be run"),
        (["privacy", "folder.py:f", "x=bits(2)"], "'folder.py' is a folder"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_an_error_of_the_user_has_the_line_of_the_user(
    run: Any, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "users.py").write_text(USERS)
    (tmp_path / "broken.py").write_text("def f(x:\n    return x\n")
    (tmp_path / "fails.py").write_text("x = 0\ny = 1 / x\n")
    (tmp_path / "zeros.py").write_bytes(b"x = 1\n\0")
    (tmp_path / "folder.py").mkdir()
    result = run(*arguments)
    assert result.code == 2 and said in result.err and "fault" not in result.err and not result.out
    assert len(result.err.splitlines()) == 1
