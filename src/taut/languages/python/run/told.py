"""The account of a reading: what was read, and what was run how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Account", "RunCall"]


@dataclass(frozen=True)
class RunCall:
    """A function that was run because it cannot be read.

    Attributes
    ----------
    name : str
        The function.
    values : int
        Different values of its arguments.
    runs : int
        Runs, one for each sequence of draws of each of these.
    draws : tuple of str
        What it draws with, and other things worth knowing, such as a seed that is ignored.
    remainder : Fraction or Ball
        The largest probability of runs that were not followed.
    inline : bool
        True for an expression inside of a function that was read: it is run apart, as a draw of its own.
    """

    name: str
    values: int
    runs: int
    draws: tuple[str, ...] = ()
    remainder: Any = 0
    inline: bool = False

    def __str__(self) -> str:
        kind = "drawn in place" if self.inline else "run"
        told = f"{kind}: {self.name}, {_counted(self.values, 'value')}, {_counted(self.runs, 'run')}"
        if self.draws:
            told += f" ({', '.join(self.draws)})"
        if self.remainder:
            told += f"; runs that were not followed have probability at most {float(self.remainder):.3g}"
        return told


@dataclass(frozen=True)
class Account:
    """The functions of a mechanism that were read and those that were run."""

    read: tuple[str, ...] = ()
    run: tuple[RunCall, ...] = field(default=())

    def __str__(self) -> str:
        parts = [f"read: {', '.join(self.read)}"] if self.read else []
        return "\n".join([*parts, *map(str, self.run)])

    def to_dict(self) -> dict[str, Any]:
        """The account as JSON has it."""
        return {
            "read": list(self.read),
            "run": [
                {
                    "name": call.name,
                    "values": call.values,
                    "runs": call.runs,
                    "draws": list(call.draws),
                    "remainder": str(call.remainder),
                    "inline": call.inline,
                }
                for call in self.run
            ],
        }


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
