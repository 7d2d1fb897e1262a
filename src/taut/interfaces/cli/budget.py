"""The time limit of a command, and the sentences said when it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from taut.interfaces.cli.supervisor import leave, limit
from taut.support.errors import InvalidOption
from taut.support.limits import limits, out_of_time
from taut.support.options import active, options

__all__ = ["CLUSTER_LOST", "MORE_TIME", "SECONDS", "budget"]

MORE_TIME = "Give it more time with --time-limit 600, in seconds; 0 is no limit."
CLUSTER_LOST = "The cluster was lost before all was done: start it again, or ask without --cluster."

SECONDS = 60.0
_LONGEST = 10_000_000


@contextlib.contextmanager
def budget(seconds: float) -> Iterator[None]:
    """The time limit of a command; 0 is no limit."""
    if not 0 <= seconds <= _LONGEST:
        raise InvalidOption(f"--time-limit must lie between 0 and {_LONGEST} seconds; got {seconds:g}.", value=seconds)
    with options(time_limit=seconds or None), limits(memory=active().max_memory):
        limit()
        if seconds:
            leave(err=f"taut: {out_of_time(seconds)}\n")
        yield
