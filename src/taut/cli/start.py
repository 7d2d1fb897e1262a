"""``taut`` alone, ``taut new`` and ``taut explain``: first steps, a file to start from, a saved result in sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.cli.common import app, tell_written
from taut.errors import InvalidInput
from taut.files import check_writable, write_file

_STARTER = '''"""{title}: a mechanism to start from. Change it, and ask again:

    taut privacy {file}:{name} 'x=bits(4)' lam=1/5      the exact e^eps, with its worst case
    taut check {file}                                   whether it keeps what it claims
    taut accuracy {file}:{name} 'x=bits(4)' lam=1/5 --alpha 1      how close it comes to the true sum
    taut delta {file}:{name} 'x=bits(4)' lam=1/5 --epsilon 1       approximate differential privacy
"""

import taut
from taut import bits, flip, mechanism


# A claim is checked exactly, by `taut check {file}` and by pytest. It names the database (all inputs of
# four bits), the parameters, and what is claimed: here that e^eps is at most 4.
@taut.claim(x=bits(4), lam="1/5", ratio=4)
@mechanism
def {name}(x, lam):
    """The number of ones, after each client has flipped its bit with probability lam."""
    # Plain Python: loops, branches, lists. Randomness comes from taut: flip, uniform, binomial,
    # geometric (discrete Laplace noise), discrete, exponential. Numbers such as "1/5" are exact.
    reported = [bit ^ flip(lam) for bit in x]
    return sum(reported)


if __name__ == "__main__":
    model = {name}(bits(4), lam="1/5")
    print(model.privacy())
    print(model.accuracy(sum, 1))
'''


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
    write_file(path, _STARTER.format(title=path.stem.replace("_", " ").capitalize(), file=path, name=path.stem))
    tell_written(path)
    typer.echo(f"Next: taut check {path}")


@app.command()
def explain(
    path: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A file that --save or bound.save(path) wrote.")],
) -> None:
    """Say in sentences what a saved result says, without computing anything."""
    from taut.model.saved import load_result
    from taut.reports.sentences import sentences

    typer.echo("\n".join(sentences(load_result(path))))
