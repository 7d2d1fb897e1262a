"""``taut`` alone, ``taut new`` and ``taut explain``: first steps, a file to start from, a saved result in sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.interfaces.cli.common import command, tell_written
from taut.interfaces.cli.output import printable
from taut.interfaces.queries.starter import starter
from taut.support.errors import InvalidInput
from taut.support.files import check_writable, write_file


@command("new")
def new(
    path: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to write; it must not be there yet.")],
) -> None:
    """Run ``taut new``."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise InvalidInput(f"new: name a Python file, like svt.py; got '{path}'.", value=str(path))
    if path.exists():
        raise InvalidInput(f"new: '{path}' is there already, and is left as it is; choose another name.", value=path)
    check_writable(path)
    write_file(path, starter(str(path), path.stem))
    tell_written(path)
    typer.echo(f"Next: taut check {path}")


@command("explain")
def explain(
    path: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A file that --save or bound.save(path) wrote.")],
) -> None:
    """Run ``taut explain``."""
    from taut.interfaces.reports.sentences import sentences
    from taut.verification.saved.files import load_result

    typer.echo(printable("\n".join(sentences(load_result(path)))))
