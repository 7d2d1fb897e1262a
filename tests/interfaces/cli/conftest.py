"""The command in this process, in a folder of its own that holds a user's file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.cli.command import MINE, Ran

from taut.interfaces import cli


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ran]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "mine.py").write_text(MINE)

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, printed.out, printed.err)

    return call
