"""The command line: answers on stdout, refusals in one paragraph on stderr, exit codes, and never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import taut
from taut import cli
from taut.mechanisms import BUILT_IN


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as a user does."""
    command = [sys.executable, "-W", "error", "-m", "taut", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def test_version() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"taut {taut.__version__}\n", "")


def test_help_names_the_commands() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert "list" in result.stdout


def test_list_shows_every_mechanism_with_its_arguments() -> None:
    result = run("list")
    assert (result.returncode, result.stderr) == (0, "")
    for name in BUILT_IN:
        assert name in result.stdout
    assert "flipped with probability" in " ".join(result.stdout.split())


def test_list_json_can_be_called_from() -> None:
    result = run("list", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert list(rows) == list(BUILT_IN)
    assert rows["randomized_response"]["arguments"] == [
        {"name": "x", "required": True},
        {"name": "lam", "required": True},
    ]
    assert {"name": "strict", "required": False, "default": False} in rows["above_threshold"]["arguments"]
    assert all(row["summary"].endswith(".") for row in rows.values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["privcy"], "No such command 'privcy'"),
        (["--loud"], "No such option: --loud"),
        (["list", "--jsn"], "No such option: --jsn"),
        (["list", "too", "many"], "unexpected extra argument"),
    ],
)
def test_wrong_use_is_a_usage_error(arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("problem", "code", "said"),
    [
        (taut.InvalidDomain("bits(-1): too few.", value=-1), 2, "taut: bits(-1): too few.\n"),
        (taut.SourceUnavailable("no source.", value=None), 2, "taut: no source.\n"),
        (taut.TooLarge("too many rows.", value=9), 3, "taut: too many rows.\n"),
        (taut.DiagramTooLarge("too many nodes.", value=9), 3, "taut: too many nodes.\n"),
    ],
)
def test_an_error_is_one_sentence(
    problem: taut.TautError,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ends(problem, monkeypatch) == code
    assert capsys.readouterr() == ("", said)


def test_an_interrupt_has_its_own_code(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(KeyboardInterrupt(), monkeypatch) == 130
    assert "Traceback" not in capsys.readouterr().err


def ends(problem: BaseException, monkeypatch: pytest.MonkeyPatch) -> object:
    """The exit code of ``taut list`` when its work ends in this problem."""

    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr(cli, "_described", fail)
    monkeypatch.setattr(sys, "argv", ["taut", "list"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return end.value.code
