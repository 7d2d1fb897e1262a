"""Running the command in this process, for tests."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from taut import cli

__all__ = ["Ran", "in_folder"]


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def in_folder(
    folder: Path, mine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """What runs the command in a folder that holds a user's file ``mine.py``."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    (folder / "mine.py").write_text(mine)

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["taut", *arguments])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return Ran(end.value.code, printed.out, printed.err)

    return call
