"""Growth curves: how seconds depend on a size, fitted by least squares on logarithms, with the error of the slope."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Curve", "Fit", "curves", "fit"]

LEAST = 0.02
"""CPU seconds below which a run says more about the clock than about growth."""


@dataclass(frozen=True)
class Fit:
    """seconds = scale * size^slope, or scale * slope^size; ``error`` is the standard error of the slope.

    The error of two points is unknown, hence infinite.
    """

    kind: str
    slope: float
    error: float
    scale: float
    points: int

    def at(self, size: float) -> float:
        return self.scale * (size**self.slope if self.kind == "power" else self.slope**size)

    def __str__(self) -> str:
        error = f" ± {self.error:.2f}" if math.isfinite(self.error) else ""
        return f"size^({self.slope:.2f}{error})" if self.kind == "power" else f"({self.slope:.2f}{error})^size"


@dataclass(frozen=True)
class Curve:
    """A family of cases: sizes with CPU seconds and megabytes, and what was fitted to those that took long enough."""

    family: str
    tool: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]
    fit: Fit | None


def curves(records: Iterable[Mapping[str, Any]]) -> list[Curve]:
    """The families with at least two sizes that have an answer, in the order of the record."""
    families: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        if record.get("family") and record["status"] == "answer":
            families.setdefault(record["family"], []).append(record)
    found = []
    for family, members in families.items():
        members.sort(key=lambda record: record["size"])
        sizes = tuple(float(record["size"]) for record in members)
        seconds = tuple(float(record["cpu_seconds"]) for record in members)
        if len(sizes) > 1:
            megabytes = tuple(float(record["megabytes"]) for record in members)
            fitted = fit(sizes, seconds, members[0]["growth"])
            found.append(Curve(family, members[0]["tool"], sizes, seconds, megabytes, fitted))
    return found


def fit(sizes: Sequence[float], seconds: Sequence[float], kind: str) -> Fit | None:
    """The least squares line through the logarithms of the points above ``LEAST``; None if there are fewer than two.

    >>> print(fit([1, 2, 4, 8], [1.0, 4.0, 16.0, 64.0], "power"))
    size^(2.00 ± 0.00)
    >>> print(fit([3, 4, 5], [1.0, 4.0, 16.0], "exponential"))
    (4.00 ± 0.00)^size
    """
    points = [(size, second) for size, second in zip(sizes, seconds, strict=True) if second >= LEAST]
    if len(points) < 2:
        return None
    xs = [math.log(size) if kind == "power" else size for size, _ in points]
    ys = [math.log(second) for _, second in points]
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - middle) ** 2 for x in xs)
    slope = sum((x - middle) * (y - height) for x, y in zip(xs, ys, strict=True)) / spread
    start = height - slope * middle
    rest = sum((y - start - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    error = math.sqrt(rest / (len(xs) - 2) / spread) if len(xs) > 2 else math.inf
    if kind == "exponential":  # the slope is the logarithm of the factor for one more
        slope, error = math.exp(slope), math.exp(slope) * error
    return Fit(kind, slope, error, math.exp(start), len(points))
