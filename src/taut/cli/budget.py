"""The time of a command: one limit for reading, computing and verifying, and what is said when it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Annotated

import typer

from taut.errors import InvalidOption
from taut.options import options
from taut.reports.verified import Verified, verified

__all__ = ["MORE_TIME", "SECONDS", "TimeLimit", "Verified", "budget", "verified"]

SECONDS = 60.0
_LONGEST = 10_000_000
MORE_TIME = "Give it more time with --time-limit 600, in seconds; 0 is no limit."

TimeLimit = Annotated[
    float,
    typer.Option(help="Seconds for everything, reading and verifying included; 0 for no limit.", show_default="60"),
]


@contextlib.contextmanager
def budget(seconds: float) -> Iterator[None]:
    """The time limit of a command; 0 is no limit."""
    if not 0 <= seconds <= _LONGEST:
        raise InvalidOption(f"--time-limit must lie between 0 and {_LONGEST} seconds; got {seconds:g}.", value=seconds)
    with options(time_limit=seconds or None):
        yield
