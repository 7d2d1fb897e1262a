"""``taut`` alone, ``taut new`` and ``taut explain``: first steps, a file to start from, a saved result in sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.cli.common import app, tell_written
from taut.cli.output import printable
from taut.errors import InvalidInput
from taut.files import check_writable, write_file
from taut.queries.starter import starter


@app.command()
def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write; it must not be there yet.")],
) -> None:
    """Write a commented mechanism with a claim, to start from."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidInput(f"new: name a Python file, like svt.py; got '{path}'.", value=str(path))
    if path.exists():
        raise InvalidInput(f"new: '{path}' is there already, and is left as it is; choose another name.", value=path)
    check_writable(path)
    write_file(path, starter(str(path), path.stem))
    tell_written(path)
    typer.echo(f"Next: taut check {path}")


@app.command()
def explain(
    path: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A file that --save or bound.save(path) wrote.")],
) -> None:
    """Say in sentences what a saved result says, without computing anything."""
    from taut.model.saved import load_result
    from taut.reports.sentences import sentences

    typer.echo(printable("\n".join(sentences(load_result(path)))))
