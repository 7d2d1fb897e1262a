"""The command as a whole: its help, its exit codes, one sentence for whatever goes wrong, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.interfaces.cli.command import MINE, Ran, failing, process

import taut
from taut.interfaces.cli import listing


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


@pytest.mark.parametrize(
    "words",
    [
        "divergence rr n=2 --measure total_variation,chi_squared",
        "renyi rr n=2 --order 2,3 --zcdp",
        "error rr_count n=2 --statistic mean,variance",
        "epsilon rr n=2 --delta 1/100",
        "profile rr n=2 --compose 2",
        "tradeoff rr n=2",
    ],
)
def test_intervals_can_be_left_before_any_answer(words: str) -> None:
    """A command of its own leaves an interval for each question before it asks the first one."""
    result = process(*words.split())
    assert (result.code, result.err) == (0, "")


def test_a_full_disk_is_named() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("the system has no /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        command = [sys.executable, "-m", "taut", "privacy", "rr", "n=2"]
        environment = {**os.environ, "PYTHONPATH": str(Path(taut.__file__).parent.parent)}
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert ran.returncode == 2 and "the output cannot be written: No space left on device" in ran.stderr


def test_completion_is_offered() -> None:
    result = process("--show-completion", "bash")
    assert "Traceback" not in result.err


def test_no_arguments_print_first_steps(run: Any) -> None:
    result = run()
    assert result.code == 0 and "taut privacy rr" in result.out


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
    monkeypatch.setattr(listing, "described", failing(problem))
    assert run("list") == Ran(code, "", said)


def test_a_fault_of_ours_is_said_to_be_one(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAUT_TRACEBACK", raising=False)
    monkeypatch.setattr(listing, "described", failing(KeyError("x")))
    result = run("list")
    assert result.code == 1 and "fault in taut: KeyError" in result.err and "Traceback" not in result.err
