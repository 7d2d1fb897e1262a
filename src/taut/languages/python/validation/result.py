"""Equality of a value of the reading and a value of Python.

Everything is compared with ``==``, lists as tuples. Where Python has a float the reading has an exact number, and
Python may have rounded: the two are the same if they differ by at most one part in a thousand million.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.languages.python.distributions import Distribution
from taut.program.operations import typed
from taut.support.errors import Misreading, shortened
from taut.support.exact import Ball, exact

__all__ = [
    "Branch",
    "Validation",
    "agree",
    "canonical",
    "close",
    "equal_distributions",
    "misreading",
    "same_distribution",
    "shown",
]


_TOLERANCE = 1e-9


def shown(value: Any) -> str:
    """Return a value of the reading or of Python for a message."""
    return shortened(str(value) if isinstance(value, Fraction) else repr(value), 120)


def misreading(name: str, x: Any, told: str, what: str = "mechanism") -> Misreading:
    """Return the error for a function that does something else on x than was read; ``told`` says where and what."""
    return Misreading(
        f"'{name}' does something else than taut has read: {told}. This is a fault of taut, and no answer is given; "
        f"please report it together with the {what}.",
        value=x,
    )


def agree(read: Any, ran: Any) -> bool:
    """Return True if the value of the reading is the one that Python computes."""
    try:
        if type(read) is not float and read == ran:
            return True
    except Exception:  # an operand's own comparison may do anything; the parts are compared below
        pass
    if isinstance(read, tuple) and isinstance(ran, tuple):
        return len(read) == len(ran) and all(map(agree, read, ran))
    if _is_number(read) and _is_number(ran):
        return close(read, ran)
    return type(read) is type(ran) and bool(read == ran)


def close(a: Any, b: Any) -> bool:
    """Return True if two numbers are equal, or nearly so with one of them rounded."""
    for number in (a, b):
        if isinstance(number, float) and not math.isfinite(number):
            return bool(a == b)
    if isinstance(a, Ball) or isinstance(b, Ball):
        a, b = float(a), float(b)
    rounded = isinstance(a, float) or isinstance(b, float)
    p, q = exact(a), exact(b)
    return bool(p == q or (rounded and abs(p - q) <= _TOLERANCE * max(abs(p), abs(q))))


def same_distribution(read: Distribution, ran: Distribution, arguments: tuple[Any, ...]) -> bool:
    """Return True if two distributions have the same outcomes (1 is not True here) with the same weights.

    Where floats are among Python's arguments it may have rounded them, so the weights may be nearly the same.
    """
    if equal_distributions(read, ran):
        return True
    rounded = has_floats(arguments)
    expected = dict(zip(map(typed, read[0]), read[1], strict=True))
    found = dict(zip(map(typed, ran[0]), ran[1], strict=True))
    if expected.keys() != found.keys():
        return False
    return all(
        weight == found[outcome]
        or ((rounded or isinstance(weight, Ball)) and close(float(weight), float(found[outcome])))
        for outcome, weight in expected.items()
    )


def equal_distributions(read: Distribution, ran: Distribution) -> bool:
    """Return True if two distributions have the same weights of the same outcomes, of one simple type and order."""
    return read is ran or (read[1] == ran[1] and read[0] == ran[0] and _same_types(read[0], ran[0]))


def has_floats(value: Any) -> bool:
    """Return True if a float or ball, which may be rounded, occurs in the value."""
    if isinstance(value, (float, Ball)):
        return True
    if isinstance(value, Mapping):
        return any(map(has_floats, value.values()))
    return isinstance(value, (list, tuple)) and any(map(has_floats, value))


def canonical(value: Any) -> Any:
    """Return an output with every float as its shortest decimal, so that equal numbers are one key."""
    if isinstance(value, tuple):
        return tuple(map(canonical, value))
    return exact(value) if isinstance(value, float) and math.isfinite(value) else value


def _same_types(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Return True if all outcomes are of one simple type, the same in both."""
    kinds = set(map(type, a))
    return len(kinds) == 1 and kinds <= {bool, int, str} and kinds == set(map(type, b))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Fraction, Ball))


_MOST_TOLD = 3


@dataclass(frozen=True)
class Branch:
    """A side of a condition that no run has taken although the reading allows it.

    Attributes:
        file: the file of the source.
        line: the line of the condition.
        condition: the condition as it is written.
        side: whether the condition is true on this side.
        probability: the probability of this side in the reading, on the input where it was looked for; None if it
            is not known.
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
        return {**vars(self), "probability": None if self.probability is None else str(self.probability)}


@dataclass(frozen=True)
class Validation:
    """The runs and branches that were compared when a mechanism was read.

    Attributes:
        runs: runs of the function by Python, each compared with the reading.
        inputs: different inputs among them.
        conclusive_inputs: inputs for which every sequence of coin outcomes was run.
        conclusive: whether that is so for every input of the domain: then the reading is right, not only probably
            so.
        seconds: what it took.
        reason: why nothing was compared, if nothing was.
        branches: branches of the source: both sides of each condition, without those that are known to be
            impossible.
        unreached: those among them that no run by Python has taken.
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
