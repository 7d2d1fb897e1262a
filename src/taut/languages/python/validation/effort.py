"""Levels of validation effort."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EFFORTS", "Effort"]


@dataclass(frozen=True)
class Effort:
    """The amount of validation, in units of about one evaluated term, so that it does not depend on the clock."""

    least: int
    """Minimal work, however quickly the mechanism was read."""
    share: int
    """Work per term of the reading."""
    speed: int
    """Work per second of a long reading; seconds are rounded down to a power of two."""
    runs: int
    """Limit for the number of runs."""
    sequences: int
    """Number of outcome sequences up to which an input is run on all of them."""
    aimed: int
    """Work for aimed runs: at branches not taken, at boundaries, at each outcome of a draw."""
    sweep: int
    """Limit for runs that sweep the values of wide draws and entries."""
    seconds: float
    """Time limit of the comparison per second of reading, plus one second."""


EFFORTS = {
    "default": Effort(
        least=20_000, share=3, speed=50_000, runs=400, sequences=128, aimed=20_000, sweep=600, seconds=0.5
    ),
    "thorough": Effort(
        least=1_000_000,
        share=200,
        speed=4_000_000,
        runs=20_000,
        sequences=4096,
        aimed=4_000_000,
        sweep=100_000,
        seconds=20.0,
    ),
}
