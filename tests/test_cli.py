"""The command line: answers on stdout, refusals in one sentence on stderr, exit codes, and never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.command import Ran, in_folder

import taut
from taut import cli
from taut.mechanisms import BUILT_IN
from taut.search import engine as search_engine

MINE = '''
from taut import flip, geometric, mechanism, observe

print("this file talks")
NUMBER = 3

@mechanism
def svt(x, ratio):
    """Mine."""
    threshold = geometric(2, ratio, 0, 3)
    return [geometric(value, ratio, 0, 3) >= threshold for value in x]

def plain(x, p):
    return [value ^ flip(p) for value in x]

def total(x, p):
    return sum(plain_bit ^ flip(p) for plain_bit in x)

def named(x, p):
    return x[0] if flip(p) else "none"

def up(x, x_prime):
    return sum(x_prime) - sum(x) == 1

def doubled(x):
    return 2 * sum(x)

def half(output, wanted):
    return abs(output - wanted) * 2

def impossible(x):
    observe(x[0] == 1)
    return flip("1/2")
'''


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Run the command in this process, in a folder of its own that holds a user's file."""
    return in_folder(tmp_path, MINE, monkeypatch, capsys)


def process(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run the command in a process of its own, as a user does."""
    command = [sys.executable, "-W", "error", "-m", "taut", *arguments]
    source = str(Path(taut.__file__).parent.parent)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": source},
    )
    return Ran(done.returncode, done.stdout, done.stderr)


# ------------------------------------------------------------------------------------------------- the whole process


def test_version() -> None:
    assert process("--version") == Ran(0, f"taut {taut.__version__}\n", "")


def test_help_names_the_commands() -> None:
    result = process("--help")
    assert result.code == 0
    for command in ("list", "show", "privacy", "accuracy", "worst", "sweep", "draw", "paper", "export", "compare"):
        assert f"  {command} " in result.out


@pytest.mark.parametrize(
    "command", ["list", "show", "privacy", "accuracy", "worst", "sweep", "draw", "paper", "export", "compare"]
)
def test_every_command_has_help(command: str, run: Any) -> None:
    result = run(command, "--help")
    assert (result.code, result.err) == (0, "")
    assert "--json" in result.out


def test_an_answer_and_a_refusal_in_a_process(tmp_path: Path) -> None:
    assert json.loads(process("privacy", "rr", "n=3", "--json").out)["max_ratio"] == "4"
    result = process("privacy", "rr", "lam=6/5")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1 and "got 6/5" in result.err
    (tmp_path / "mine.py").write_text(MINE)
    result = process("privacy", "mine.py:plain", "x=bits(2)", "p=1/4", "--json", cwd=tmp_path)
    assert json.loads(result.out)["max_ratio"] == "3"
    assert result.err == "this file talks\n"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"], "a user's file leaves nothing behind"


def test_completion_is_offered() -> None:
    result = process("--show-completion", "bash")
    assert "Traceback" not in result.err


# ------------------------------------------------------------------------------------------------------ list and show


def test_list_shows_every_mechanism_with_its_arguments(run: Any) -> None:
    result = run("list")
    assert (result.code, result.err) == (0, "")
    for name in BUILT_IN:
        assert name in result.out
    assert "flipped with probability" in " ".join(result.out.split())


def test_list_json_can_be_called_from(run: Any) -> None:
    result = run("list", "--json")
    rows = {row["name"]: row for row in json.loads(result.out)}
    assert list(rows) == list(BUILT_IN)
    assert rows["randomized_response"]["arguments"] == [
        {"name": "x", "required": True},
        {"name": "lam", "required": True, "tried_with": "1/5"},
    ]
    assert {"name": "strict", "required": False, "default": False} in rows["above_threshold"]["arguments"]
    assert all(row["summary"].endswith(".") and row["reference"] for row in rows.values())


def test_show(run: Any) -> None:
    result = run("show", "rr")
    assert result.code == 0
    for words in ("randomized_response", "Warner 1965", "bits(4)", "bit ^ flip(lam)", "one_differ"):
        assert words in result.out
    data = json.loads(run("show", "above", "--json").out)
    assert "geometric(threshold" in data["source"] and data["neighbors"] == "all_step"
    assert "Mine." in run("show", "mine.py:svt").out


# ---------------------------------------------------------------------------------------------------------- privacy


def test_privacy_json_is_the_contract(run: Any) -> None:
    data = json.loads(run("privacy", "randomized_response", "n=8", "lam=1/5", "--json").out)
    assert data["max_ratio"] == data["lower"] == data["upper"] == "4"
    assert data["exact"] is True and data["method"] == "exhaustive"
    assert data["epsilon"] == 1.3862943611198908
    assert data["witness"] == {"x": [0] * 8, "x_prime": [1, *[0] * 7], "y": [0] * 8}
    assert data["count"] == 262144 and data["stats"]["nodes"] == 42


def test_privacy_for_people(run: Any) -> None:
    result = run("privacy", "rr", "n=8")
    assert (result.code, result.err) == (0, "")
    for words in ("4, exactly", "1.3862943611198908", "(1, 0, 0, 0, 0, 0, 0, 0)", "262 144", "verified:"):
        assert words in result.out
    assert "yes (enumerator)" in result.out


def test_infinity_is_an_answer(run: Any) -> None:
    data = run("privacy", "rr", "lam=0", "--json")
    assert data.code == 0
    assert json.loads(data.out)["max_ratio"] == json.loads(data.out)["epsilon"] == "inf"
    assert "infinity: not private" in run("privacy", "rr", "lam=0").out


def test_large_databases_are_searched_or_use_the_papers_sets_and_say_so(run: Any) -> None:
    for more, method in (((), "search: "), (("--method", "restricted"), "restricted to the paper's sets")):
        result = run("privacy", "rr", "n=40", *more)
        assert result.code == 0
        for words in ("0^40", "1 0^39", method, "function, sampled"):
            assert words in result.out
    assert json.loads(run("privacy", "rr", "n=4", "--method", "restricted", "--json").out)["method"] == "restricted"


SEARCHED = ("privacy", "above", "x=ints(8,0,3)", "ratio=1/2", "--neighbors", "one_differ", "--method", "search")


def test_a_search_is_explained(run: Any) -> None:
    assert "does not matter" in run(*SEARCHED, "--explain").out
    data = json.loads(run(*SEARCHED, "--explain", "--json").out)
    assert data["exact"] and data["method"] == "search" and "steps were taken from the top" in data["explanation"]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_search_out_of_time_prints_its_interval(run: Any, more: tuple[str, ...]) -> None:
    result = run(*SEARCHED, "--time-limit", "1e-9", *more)
    assert (result.code, result.err) == (0, "")
    assert "time_limit" in result.out and ('"exact": false' if more else "between") in result.out


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_interrupted_search_prints_its_interval(
    run: Any, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_engine, "step_up", _failing(KeyboardInterrupt()))
    result = run(*SEARCHED, *more)
    assert result.code == 130 and "interrupted" in result.err
    assert ('"exact": false' if more else "between") in result.out


def test_neighbours_are_those_of_the_mechanism_or_given(run: Any) -> None:
    def ratio(*more: str) -> str:
        return str(json.loads(run("privacy", "above", "n=3", "threshold=2", *more, "--json").out)["max_ratio"])

    assert ratio() == ratio("--neighbors", "all_step") == "8"
    assert ratio("--neighbors", "one_differ") == "347/52"
    assert ratio("--neighbors", "one_step") == "2"


def test_files_of_users(run: Any) -> None:
    data = json.loads(run("privacy", "mine.py:svt", "x=ints(2,0,3)", "ratio=1/2", "--json").out)
    assert Fraction(data["max_ratio"]) > 1
    assert json.loads(run("privacy", "mine.py:plain", "x=bits(2)", "p=0.2", "--json").out)["max_ratio"] == "4"
    data = run("privacy", "mine.py:plain", "x=bits(2)", "p=0.2", "--neighbors", "mine.py:up")
    assert data.code == 0 and "mine.py:up" in data.out
    data = json.loads(run("privacy", "mine.py:named", "x=categories(1,[a,b])", "p=1/3", "--json").out)
    assert data["max_ratio"] == "inf" and data["witness"]["y"] == "a"


def test_exp_gives_balls(run: Any) -> None:
    data = json.loads(run("privacy", "above", "n=2", "ratio=exp(-5)", "--json").out)
    assert data["max_ratio"]["radius"] < 1e-60
    assert "±" in run("privacy", "above", "n=2", "ratio=exp(-5)").out


# ------------------------------------------------------------------------------------------------ accuracy and worst


def test_accuracy(run: Any) -> None:
    data = json.loads(run("accuracy", "rr_count", "n=8", "lam=1/5", "--alpha", "3", "--top", "2", "--json").out)
    assert Fraction(data["probability"]) == Fraction("0.9437184")
    assert [one["count"] for one in data["worst_inputs"]] == [2, 16]
    result = run("accuracy", "rr_count", "n=8", "--alpha", "3", "--top", "4")
    assert "73728/78125 = 0.9437184, exactly" in result.out and "112" in result.out
    assert "worst_inputs" not in json.loads(run("accuracy", "rr_count", "n=4", "--alpha", "1", "--json").out)


def test_targets_and_distances(run: Any) -> None:
    def probability(*arguments: str) -> Fraction:
        return Fraction(json.loads(run("accuracy", *arguments, "--json").out)["probability"])

    assert probability("rr", "n=3", "--alpha", "1", "--target", "identity", "--distance", "hamming") == Fraction(
        112, 125
    )
    assert probability("rr", "n=3", "--alpha", "0", "--target", "identity", "--distance", "largest") == Fraction(
        64, 125
    )
    assert probability("rr_majority", "n=3", "--alpha", "0", "--target", "majority") == Fraction(88, 125)
    assert probability("mine.py:total", "x=bits(2)", "p=1/5", "--alpha", "1") == Fraction(24, 25)
    assert probability("rr_count", "n=1", "lam=1/5", "--alpha", "0", "--target", "mine.py:doubled") == 0
    assert probability("rr_count", "n=2", "--alpha", "2", "--distance", "mine.py:half") == Fraction(24, 25)
    for target in ("mean", "max", "min"):
        assert 0 < probability("geometric", "n=3", "--alpha", "1", "--target", target) < 1
    assert 0 < probability("report", "n=2", "--alpha", "0", "--target", "argmax", "--distance", "different") < 1


def test_worst(run: Any) -> None:
    rows = json.loads(run("worst", "rr_count", "n=8", "--alpha", "3", "--json").out)
    assert [row["count"] for row in rows] == [2, 16, 56, 112]
    rows = json.loads(run("worst", "rr", "n=2", "--top", "9", "--json").out)
    assert [(row["ratio"], row["count"]) for row in rows] == [("4", 16), ("1/4", 16)]
    assert "Worst pairs" in run("worst", "rr", "n=2", "lam=0").out
    assert "Worst inputs" in run("worst", "rr_count", "n=2", "--alpha", "1").out


# --------------------------------------------------------------------------------------------------- sweep and draw


def test_sweep(run: Any, tmp_path: Path) -> None:
    files = ["--plot", "out.png", "--csv", "out.csv"]
    result = run("sweep", "rr_count", "n=8", "lam=0.05:0.5:0.05", "--alpha", "3", *files)
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert len(rows) == 11
    assert rows[4] == "1/5,0.2,4,4,1.38629436112,73728/78125,0.9437184"
    assert {path.name for path in tmp_path.iterdir()} == {"mine.py", "out.png", "out.csv"}
    data = json.loads(run("sweep", "rr", "n=3", "lam=0,1/4,1/2", "--json").out)
    assert [point["privacy"]["max_ratio"] for point in data["points"]] == ["inf", "3", "1"]
    data = json.loads(run("sweep", "rr_count", "n=30,31", "--alpha", "2", "--accuracy-only", "--json").out)
    assert all(point["accuracy"]["method"] == "search" for point in data["points"])


def test_draw(run: Any, tmp_path: Path) -> None:
    result = run("draw", "rr", "n=3", "--out", "a.svg")
    assert (result.code, result.err) == (0, "")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    assert json.loads(run("draw", "rr", "n=2", "--out", "a.dot", "--json").out)["nodes"] == 12


# ------------------------------------------------------------------------------------------------------------ paper


def test_paper_quick(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    folder.mkdir(parents=True)
    (folder / "report.md").write_text("old")
    result = run("paper", "--out", str(folder), "--quick", "--json")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert sorted(path.name for path in folder.iterdir()) == data["files"]
    assert all(check["agrees"] for check in data["checks"])
    assert (folder / "report.md").read_text() != "old"


def test_an_interrupted_paper_leaves_nothing(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("taut.report.paper.reproduce", stop)
    assert run("paper", "--out", "results/deep", "--quick").code == 130
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


# ------------------------------------------------------------------------------------------------------ wrong things


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["privcy"], "No such command 'privcy'"),
        (["--loud"], "No such option: --loud"),
        (["list", "--jsn"], "No such option: --jsn"),
        (["list", "too", "many"], "unexpected extra argument"),
        (["privacy"], "Missing argument 'TARGET'"),
        (["privacy", "rr", "--method"], "--method"),
        (["show", "nosuch"], "'nosuch' is no built-in mechanism"),
        (["show"], "Missing argument"),
        (["privacy", "r"], "short for several"),
        (["privacy", "rr", "n=-1"], "whole number"),
        (["privacy", "rr", "n=1/2"], "got 1/2"),
        (["privacy", "rr", "n=many"], "got many"),
        (["privacy", "rr", "n=true"], "got True"),
        (["privacy", "rr", "n=0"], "relates no two inputs"),
        (["privacy", "rr", "lam=2"], "got 2"),
        (["privacy", "rr", "lam=-1/5"], "got -1/5"),
        (["privacy", "rr", "lam=0.1.2"], "not a number"),
        (["privacy", "rr", "lam=1/0"], "not a number"),
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
        (["privacy", "rr", "--neighbors", "friends"], "one_differ, one_step, all_step"),
        (["privacy", "rr", "--neighbors", "mine.py:NUMBER"], "no predicate"),
        (["privacy", "rr", "--method", "magic"], "auto, search, exhaustive, restricted"),
        (["symmetries", "rr", "--neighbors", "nonsense"], "one_differ, one_step, all_step"),
        (["symmetries", "nonsense"], "nonsense"),
        (["privacy", "mine.py"], "which function"),
        (["privacy", "none.py:f"], "no file 'none.py'"),
        (["privacy", "mine.py:nope"], "has no 'nope'; there are svt, plain"),
        (["privacy", "mine.py:NUMBER"], "no mechanism and no function"),
        (["privacy", "mine.py:plain", "p=1/2"], "no database is given"),
        (["privacy", "mine.py:plain", "x=bits(2)"], "missing a required argument: 'p'"),
        (["privacy", "mine.py:plain", "x=bits(2)", "p=3"], "got 3"),
        (["privacy", "mine.py:impossible", "x=bits(1)"], "probability 0 at x=(0,)"),
        (["privacy", "broken.py:f"], "broken.py:2: the file cannot be run; SyntaxError"),
        (["privacy", "failing.py:f"], "failing.py:3: the file cannot be run; ZeroDivisionError"),
        (["privacy", "leaving.py:f"], "the file cannot be run; SystemExit"),
        (["accuracy", "rr_count"], "Missing option '--alpha'"),
        (["accuracy", "rr_count", "--alpha", "x"], "'x' is not a number"),
        (["accuracy", "rr_count", "--alpha", "-1"], "must not be negative; got -1"),
        (["accuracy", "rr_count", "--alpha", "1", "--target", "mode"], "there are sum, mean"),
        (["accuracy", "rr_count", "--alpha", "1", "--target", "mine.py:NUMBER"], "is no function"),
        (["accuracy", "rr_count", "--alpha", "1", "--distance", "far"], "there are absolute"),
        (["accuracy", "rr_count", "--alpha", "1", "--top", "-1"], "--top"),
        (["accuracy", "rr_count", "--alpha", "1", "--top", "two"], "valid integer"),
        (["accuracy", "rr", "n=2", "--alpha", "1"], "unsupported operands"),
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
        ["privacy", "rr", "n=30", "--method", "exhaustive"],
        ["privacy", "rr_count", "n=100000", "--method", "exhaustive"],
        ["privacy", "rr", "n=9000", "--method", "restricted"],
        ["accuracy", "geometric", "n=40", "--alpha", "1", "--method", "exhaustive"],
        ["worst", "above", "n=40"],
        ["draw", "rr", "n=300", "--out", "a.svg"],
        ["sweep", "rr_count", "n=4,40", "--method", "exhaustive"],
    ],
    ids=" ".join,
)
def test_too_large_has_its_own_code(run: Any, tmp_path: Path, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.code, result.out) == (3, "")
    assert result.err.count("\n") == 1 and len(result.err) < 400
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_no_arguments_print_the_help(run: Any) -> None:
    result = run()
    assert result.code == 2
    assert "privacy" in result.out + result.err


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (taut.InvalidDomain("bits(-1): too few.", value=-1), 2, "taut: bits(-1): too few.\n"),
        (taut.SourceUnavailable("no source.", value=None), 2, "taut: no source.\n"),
        (taut.TooLarge("too many rows.", value=9), 3, "taut: too many rows.\n"),
        (taut.DiagramTooLarge("too many nodes.", value=9), 3, "taut: too many nodes.\n"),
        (MemoryError(), 3, "taut: there is not enough memory for this.\n"),
        (KeyboardInterrupt(), 130, "taut: interrupted.\n"),
    ],
)
def test_an_error_is_one_sentence(
    run: Any, problem: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.catalog, "_described", _failing(problem))
    assert run("list") == Ran(code, "", said)


def test_a_fault_of_ours_is_said_to_be_one(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAUT_TRACEBACK", raising=False)
    monkeypatch.setattr(cli.catalog, "_described", _failing(KeyError("x")))
    result = run("list")
    assert result.code == 1 and "fault in taut: KeyError" in result.err and "Traceback" not in result.err


def _failing(problem: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise problem

    return fail


def test_symmetries_are_told(run: Any) -> None:
    shown = run("symmetries", "rr", "n=60", "lam=1/5").out
    for words in ("entries 0..59 may be permuted together with their outputs", "1 of about 2^60 inputs", "120 triples"):
        assert words in " ".join(shown.split())
    told = json.loads(run("symmetries", "rr_count", "n=6", "--json").out)
    assert told["exact"] is True and told["representatives"] == "7" and told["classes"] == [[0, 1, 2, 3, 4, 5]]
    restricted = json.loads(run("privacy", "exponential", "--method", "restricted", "--json").out)
    exhaustive = json.loads(run("privacy", "exponential", "--json").out)
    assert restricted["max_ratio"] == exhaustive["max_ratio"] and restricted["count"] == exhaustive["count"]
