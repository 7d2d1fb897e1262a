"""The corpus of Dice programs: their answers, their refusals, and the same from a second reader."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from tests.corpus.dice import CASES, REFUSED
from tests.languages.dice.direct import run_directly

from taut import DiceError, ImpossibleEvidence, dice
from taut.interfaces import cli

Ask = Callable[..., tuple[int, str, str]]


def listed(text: str) -> list[tuple[str, Fraction]]:
    rows = [row.rpartition(" ") for row in text.split("; ")]
    return [(value, Fraction(probability)) for value, _, probability in rows]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ask:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, printed.out, printed.err

    return call


def test_the_corpus_is_large_and_has_no_repetitions() -> None:
    assert len({program for program, _ in CASES}) == len(CASES) >= 120


@pytest.mark.parametrize(("program", "expected"), CASES)
def test_answers(program: str, expected: str, ask: Ask) -> None:
    Path("p.dice").write_bytes(program.encode("utf-8", errors="surrogateescape"))
    code, out, _ = ask("run", "p.dice", "--json")
    found = json.loads(out)
    assert code == 0
    assert [(row["value"], Fraction(row["probability"])) for row in found["distribution"]] == listed(expected)
    truth, evidence = ({}, 0) if "uniform(32" in program or "uniform(20" in program else run_directly(program)
    if truth:
        assert truth == dict(listed(expected))
        assert Fraction(found["evidence"]) == evidence


@pytest.mark.filterwarnings("ignore::taut.DiceWarning")
@pytest.mark.parametrize(("program", "place"), REFUSED)
def test_refusals_name_the_place(program: str, place: str, ask: Ask) -> None:
    Path("p.dice").write_text(program, encoding="utf-8", newline="")
    code, out, err = ask("run", "p.dice")
    assert (code, out) == (2, "")
    assert err.startswith(f"taut: p.dice:{place}: "), err
    assert err.count("\n") == 3 and err.splitlines()[2].strip() == "^"
    with pytest.raises((DiceError, ImpossibleEvidence)):
        dice(f"{program}\n").joint()
