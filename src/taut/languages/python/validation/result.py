"""The result of a validation: the number of runs that agreed, and the branches that Python has taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Branch", "Validation"]

_MOST_TOLD = 3


@dataclass(frozen=True)
class Branch:
    """A side of a condition that no run has taken although the reading allows it.

    Attributes
    ----------
    file : str
        The file of the source.
    line : int
        The line of the condition.
    condition : str
        The condition as it is written.
    side : bool
        Whether the condition is true on this side.
    probability : Fraction, Ball or None
        The probability of this side in the reading, on the input where it was looked for; None if it is not known.
    """

    file: str
    line: int
    condition: str
    side: bool
    probability: Any = None

    def __str__(self) -> str:
        which = f"line {self.line}: the branch where {self.condition} is {str(self.side).lower()} was not reached"
        if self.probability is None:
            return f"{which} by Python; whether it can be is not known"
        return f"{which} by Python, though the reading says it has probability {self.probability}"

    def to_dict(self) -> dict[str, Any]:
        """Return the branch as JSON data; the probability is text, such as '3/1000'."""
        known = None if self.probability is None else str(self.probability)
        return {
            "file": self.file,
            "line": self.line,
            "condition": self.condition,
            "side": self.side,
            "probability": known,
        }


@dataclass(frozen=True)
class Validation:
    """The runs and branches that were compared when a mechanism was read.

    Attributes
    ----------
    runs : int
        Runs of the function by Python, each compared with the reading.
    inputs : int
        Different inputs among them.
    conclusive_inputs : int
        Inputs for which every sequence of coin outcomes was run.
    conclusive : bool
        Whether that is so for every input of the domain: then the reading is right, not only probably so.
    seconds : float
        What it took.
    reason : str
        Why nothing was compared, if nothing was.
    branches : int
        Branches of the source: both sides of each condition, without those that are known to be impossible.
    unreached : tuple of Branch
        Those among them that no run by Python has taken.
    """

    runs: int = 0
    inputs: int = 0
    conclusive_inputs: int = 0
    conclusive: bool = False
    seconds: float = 0.0
    reason: str = ""
    branches: int = 0
    unreached: tuple[Branch, ...] = ()

    @property
    def reached(self) -> int:
        """Return the number of branches that some run has taken."""
        return self.branches - len(self.unreached)

    def __str__(self) -> str:
        if not self.runs:
            return f"not validated: {self.reason}"
        kind = "conclusive" if self.conclusive else "sampled"
        told = f"{kind}: {self.runs} runs by Python on {self.inputs} inputs agree"
        if not self.branches:
            return told
        if not self.unreached:
            return f"{told}; all {self.branches} branches reached by Python"
        told = f"{told}; {self.reached} of {self.branches} branches reached by Python"
        more = len(self.unreached) - _MOST_TOLD
        parts = [told, *map(str, self.unreached[:_MOST_TOLD]), *([f"and {more} more branches"] if more > 0 else [])]
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the validation as JSON data."""
        return {
            "runs": self.runs,
            "inputs": self.inputs,
            "conclusive_inputs": self.conclusive_inputs,
            "conclusive": self.conclusive,
            "seconds": self.seconds,
            "reason": self.reason,
            "branches": self.branches,
            "reached": self.reached,
            "unreached": [branch.to_dict() for branch in self.unreached],
        }
