"""How much is compared at each level of validation."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EFFORTS", "Effort"]


@dataclass(frozen=True)
class Effort:
    """How much is compared: in units of work, of which one is about a term evaluated, so the clock does not matter."""

    least: int
    """Work that is done however quickly the mechanism was read."""
    share: int
    """Work for each term that the reading made."""
    speed: int
    """Work for each second of a reading that took long; seconds are rounded down to a power of two."""
    runs: int
    """Runs at most."""
    sequences: int
    """An input with at most so many sequences of outcomes is run on all of them."""
    aimed: int
    """Work for runs that are aimed: at branches that no run has taken, at boundaries, at each outcome of a draw."""
    sweep: int
    """Runs that go through the values of wide draws and entries, at most."""
    seconds: float
    """After so many seconds per second of reading, and one more, the comparison ends."""


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
