"""``taut --help`` and commands that there are not: said at once, and what is said is true."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import typer

from taut.interfaces import cli
from taut.interfaces.cli.commands import commands, help_text


def test_the_help_has_every_command_with_the_words_of_its_own_help() -> None:
    from taut.interfaces.cli.common import app

    cli.load_commands()
    group: Any = typer.main.get_command(app)
    own = {name: " ".join(command.help.split("\n\n")[0].split()) for name, command in group.commands.items()}
    assert {name: own.get(name) for name in commands()} == commands()


def test_no_line_of_the_help_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, help_text().splitlines())) <= 80


@pytest.mark.parametrize(
    ("given", "meant"), [("privcy", "'privacy'"), ("Acuracy", "'accuracy'"), ("calibarte", "'calibrate'")]
)
def test_a_misspelled_command_is_suggested(given: str, meant: str, run: Any) -> None:
    done = run(given, "rr", "n=2")
    assert done.code == 2 and f"No such command '{given}'. Did you mean {meant}" in done.err


def test_a_command_like_none_is_refused_without_a_guess(run: Any) -> None:
    done = run("xyzzy")
    assert done.code == 2 and done.err == "taut: No such command 'xyzzy'. See 'taut --help'.\n"


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["privcy"]])
def test_what_needs_no_command_loads_none(arguments: list[str]) -> None:
    code = (
        "import contextlib, io, sys, taut.interfaces.cli\n"
        f"sys.argv = ['taut', *{arguments!r}]\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    taut.interfaces.cli.main()\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded & {'typer', 'rich', 'numpy', 'lark'}), 'taut.mechanisms' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
