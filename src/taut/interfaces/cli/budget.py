"""The time of a command: one limit for reading, computing and verifying, and what is said when it ends."""

from __future__ import annotations

from typing import Annotated

import typer

from taut.interfaces.cli.seconds import SECONDS, budget
from taut.interfaces.reports.verified import Verified, verified

__all__ = ["CLUSTER_LOST", "MORE_TIME", "SECONDS", "TimeLimit", "Verified", "budget", "verified"]

MORE_TIME = "Give it more time with --time-limit 600, in seconds; 0 is no limit."
CLUSTER_LOST = "The cluster was lost before all was done: start it again, or ask without --cluster."

TimeLimit = Annotated[
    float,
    typer.Option(help="Seconds for everything, reading and verifying included; 0 for no limit.", show_default="60"),
]
