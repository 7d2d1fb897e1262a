"""First steps: ``taut new`` writes a mechanism to start from, ``taut play`` opens a page to write mechanisms on."""

from __future__ import annotations

import keyword
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from taut.interfaces.cli.common import Settings, command, names_beginning, tell_written
from taut.interfaces.queries import starter
from taut.support.errors import InvalidInput, ToolMissing
from taut.support.files import check_writable, write_file

_LEAST_MEMORY, _MOST_MEMORY = 0.5, 1024.0


@command("play")
def play(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[TARGET]",
            help="What to open: a built-in mechanism, file.py or file.py:function.",
            autocompletion=names_beginning,
            show_default=False,
        ),
    ] = None,
    settings: Settings = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="The port; by default a free one.", show_default=False)
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open nothing.")] = False,
    memory: Annotated[float, typer.Option(help="Gigabytes that the program of a tab may take.")] = 2.0,
) -> None:
    """Run ``taut play``.

    It needs the extra taut[play], and no network. It listens on this machine only.
    """
    if not _LEAST_MEMORY <= memory <= _MOST_MEMORY:
        raise InvalidInput(
            f"--memory must lie between {_LEAST_MEMORY:g} and {_MOST_MEMORY:g} gigabytes; got {memory:g}.", value=memory
        )
    if os.name != "posix":
        raise InvalidInput("play: programs are kept apart by means of Linux and macOS; on Windows, use WSL.")
    from taut.interfaces.play.programs import open_target

    opening = open_target(target, settings or [])
    try:
        from taut.interfaces.play.app import serve
    except ModuleNotFoundError as problem:
        if (problem.name or "").partition(".")[0] not in ("nicegui", "fastapi", "uvicorn"):
            raise
        raise ToolMissing(
            "play: the page needs NiceGUI, which is not installed; pip install 'taut[play]' installs it."
        ) from None
    serve(opening, port=port, browser=not no_browser, memory=int(memory * 2**30))


@command("new")
def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write; it must not be there yet.")],
) -> None:
    """Run ``taut new``."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidInput(f"new: name a Python file, like svt.py; got '{path}'.", value=str(path))
    if keyword.iskeyword(path.stem) or path.stem in sys.stdlib_module_names or path.stem == "taut":
        what = "is a keyword of Python" if keyword.iskeyword(path.stem) else "would hide the module of that name"
        raise InvalidInput(f"new: '{path.stem}' {what}; choose another name, like svt.py.", value=str(path))
    if path.exists():
        raise InvalidInput(f"new: '{path}' is there already, and is left as it is; choose another name.", value=path)
    check_writable(path)
    write_file(path, starter(str(path), path.stem))
    tell_written(path)
    typer.echo(f"Next: taut check {path}")
