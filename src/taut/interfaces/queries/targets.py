"""Targets and distances that have a name on the command line; each is read like a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from taut.model import helper

__all__ = ["DISTANCES", "TARGETS"]


@helper
def mean(x: Any) -> Any:
    """The mean of the entries, exactly."""
    return sum(x) * Fraction(1, len(x))


@helper
def majority(x: Any) -> Any:
    """Return True if more than half of the entries are ones."""
    return 2 * sum(x) > len(x)


@helper
def argmax(x: Any) -> Any:
    """The position of the first largest entry."""
    return list(x).index(max(x))


@helper
def identity(x: Any) -> Any:
    """The database itself."""
    return list(x)


@helper
def hamming(output: Any, wanted: Any) -> Any:
    """Return the number of places in which two lists differ."""
    return sum(a != b for a, b in zip(output, wanted, strict=True))


@helper
def different(output: Any, wanted: Any) -> Any:
    """0 where the output is the target, else 1."""
    return 0 if output == wanted else 1


@helper
def largest(output: Any, wanted: Any) -> Any:
    """The largest absolute difference in any place."""
    return max(abs(a - b) for a, b in zip(output, wanted, strict=True))


TARGETS: dict[str, Callable[..., Any]] = {
    "sum": sum,
    "mean": mean,
    "max": max,
    "min": min,
    "majority": majority,
    "argmax": argmax,
    "identity": identity,
}
DISTANCES: dict[str, Callable[..., Any] | None] = {
    "absolute": None,
    "hamming": hamming,
    "largest": largest,
    "different": different,
}
