"""Numbers as they were published: Oakley, Holtzen and Oprea, CSF 2024. Nothing here is computed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ABOVE_THRESHOLD_BDD", "LOWEST_INPUTS", "RR_ROWS", "RrRow"]


@dataclass(frozen=True)
class RrRow:
    """A row of the table of sizes and times of randomized response; None is a time-out or unavailable."""

    tool: str
    sets: str
    n: int
    bdd: int | None
    states: int | None
    transitions: int | None
    runs: int | None
    inference: float | None
    synthesis: float | None
    build: float | None

    @property
    def timed_out(self) -> bool:
        return self.inference is None

    @property
    def seconds(self) -> float | None:
        if self.inference is None or self.synthesis is None or self.build is None:
            return None
        return self.inference + self.synthesis + self.build


_ALL, _ONE = "all inputs and outputs", "one input, all outputs"
BELOW = 0.0
"""Stands for what the paper prints as '< 0.0001'."""

RR_ROWS = (
    RrRow("Storm", _ALL, 2, None, 49, 100, 16, 0.0104, BELOW, 0.0001),
    RrRow("Storm", _ALL, 4, None, 2401, 8488, 256, 0.8877, 0.0007, 0.0005),
    RrRow("Storm", _ALL, 6, None, None, None, None, None, None, None),
    RrRow("Dice", _ALL, 2, 4, None, None, 4, 0.152, 0.0001, 0.0005),
    RrRow("Dice", _ALL, 4, 6, None, None, 16, 0.4128, 0.0011, 0.0015),
    RrRow("Dice", _ALL, 6, 8, None, None, 64, 1.5683, 0.0226, 0.008),
    RrRow("Dice", _ALL, 8, 10, None, None, 256, 8.097, 0.5285, 0.024),
    RrRow("Dice", _ALL, 10, 12, None, None, 1024, 63.1988, 11.016, 0.0917),
    RrRow("Storm", _ONE, 5, None, 16807, 73054, 32, 1.371, 0.0001, 0.0001),
    RrRow("Storm", _ONE, 10, None, None, None, None, None, None, None),
    RrRow("Dice", _ONE, 5, 7, None, None, 1, 0.0239, BELOW, 0.0001),
    RrRow("Dice", _ONE, 10, 12, None, None, 1, 0.0518, 0.0001, 0.0001),
    RrRow("Dice", _ONE, 15, 17, None, None, 1, 1.2864, 0.0001, 0.0001),
    RrRow("Dice", _ONE, 20, 22, None, None, 1, 53.9282, 0.0002, 0.0001),
)

ABOVE_THRESHOLD_BDD = {1: (8, 9, 16, 18, 21), 2: (18, 21, 41, 47, 56), 3: (28, 33, 66, 76, 91)}
"""Nodes that Dice reports for the authors' program, for k = 1, 2, 3 and lists of 2 to 6.

The paper prints only the 91 (k = 3, n = 6); it draws the others as curves without numbers.
"""

LOWEST_INPUTS = (
    ("00000000", "0.9437184"),
    ("11111111", "0.9437184"),
    ("01111111", "0.9723904"),
    ("00000001", "0.9723904"),
)
