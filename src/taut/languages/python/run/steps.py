"""Monotone steps from a uniform number to a computed one; each translates comparisons back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.support.exact import Ball, exact, exp

__all__ = ["Affine", "Compared", "Doubles", "Logarithm", "Rounding", "Step", "TooFine", "exactly"]


class TooFine(Exception):
    """A threshold is an irrational number where a whole one is needed."""


@dataclass(frozen=True)
class Compared:
    """The comparison ``number < threshold``, with ``<=`` if not strict, negated if so said."""

    threshold: Any
    strict: bool
    negated: bool = False
    key: Any = None
    """An exact description of a threshold that is a ball: equal keys are equal numbers."""


class Step:
    """A monotone function of one number."""

    rounds = False

    def back(self, asked: Compared) -> Compared:
        """Return the comparison of the argument that is true where this comparison of the value is."""
        raise NotImplementedError

    def forward(self, value: Any) -> Any:
        """Return the value at an exact number."""
        raise NotImplementedError

    def rough(self, value: float) -> float:
        """Return the value at a float, roughly."""
        return float(self.forward(Fraction(value))) if math.isfinite(value) else self._at_infinity(value)

    def _at_infinity(self, value: float) -> float:
        return value


@dataclass(frozen=True)
class Affine(Step):
    """factor * x + shift, exactly."""

    factor: Fraction
    shift: Fraction

    def back(self, asked: Compared) -> Compared:
        inner = (asked.threshold - self.shift) / self.factor
        key = None if asked.key is None else ("affine", self.factor, self.shift, asked.key)
        if self.factor > 0:
            return Compared(inner, asked.strict, asked.negated, key)
        return Compared(inner, not asked.strict, not asked.negated, key)

    def forward(self, value: Any) -> Any:
        return self.factor * value + self.shift

    def _at_infinity(self, value: float) -> float:
        return value if self.factor > 0 else -value


@dataclass(frozen=True)
class Rounding(Step):
    """The whole number below ('floor'), above ('ceil'), towards 0 ('trunc'), or the nearest one, ties to even."""

    kind: str
    rounds = True

    def back(self, asked: Compared) -> Compared:
        if isinstance(asked.threshold, Ball):
            raise TooFine
        threshold = math.ceil(asked.threshold) - 1 if asked.strict else math.floor(asked.threshold)
        # from here on: value <= threshold, a whole number
        if self.kind == "floor" or (self.kind == "trunc" and threshold >= 0):
            return Compared(Fraction(threshold + 1), True, asked.negated)
        if self.kind in ("ceil", "trunc"):
            return Compared(Fraction(threshold), False, asked.negated)
        return Compared(threshold + Fraction(1, 2), threshold % 2 != 0, asked.negated)

    def forward(self, value: Any) -> Any:
        return Fraction(_ROUNDED[self.kind](value))


_ROUNDED: dict[str, Callable[[Any], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "round": round,
}


@dataclass(frozen=True)
class Logarithm(Step):
    """The natural logarithm."""

    def back(self, asked: Compared) -> Compared:
        if isinstance(asked.threshold, Ball):
            raise TooFine
        return Compared(exp(asked.threshold), asked.strict, asked.negated, ("exp", asked.threshold))

    def forward(self, value: Any) -> Any:
        raise TooFine

    def rough(self, value: float) -> float:
        return math.log(value) if value > 0 else -math.inf


@dataclass(frozen=True)
class Doubles(Step):
    """k / 2**53 and operations on doubles after it, each rounded as Python rounds; thresholds are found by counting."""

    operations: tuple[Callable[[float], float], ...] = ()
    increasing: bool = True

    def at(self, k: int) -> float:
        """Return the double that Python computes for a number of 53 bits."""
        value = k / DOUBLES
        for operation in self.operations:
            value = operation(value)
        return value

    def back(self, asked: Compared) -> Compared:
        def holds(k: int) -> bool:
            value = self.at(k)
            return bool(value < asked.threshold if asked.strict else value <= asked.threshold)

        low, high = 0, DOUBLES  # the first k at which the answer is not that at the low end
        first = self.increasing
        while low < high:
            middle = (low + high) // 2
            if holds(middle) == first:
                low = middle + 1
            else:
                high = middle
        return Compared(Fraction(low), True, asked.negated != (not self.increasing))

    def forward(self, value: Any) -> Any:
        return Fraction(self.at(int(value)))

    def rough(self, value: float) -> float:
        return self.at(int(value))


DOUBLES = 2**53
"""Number of different values of a uniform double of the machine."""


def exactly(value: Any, doubles: bool = False) -> Fraction | None:
    """Return a number of the code that is run, as the decimal that is meant or the double; None if not finite."""
    if hasattr(value, "item") and not isinstance(value, (int, float)) and getattr(value, "ndim", 1) == 0:
        value = value.item()
        if type(value).__name__ == "longdouble" and math.isfinite(value):
            return Fraction(*value.as_integer_ratio()) if doubles else Fraction(str(value))
    if isinstance(value, (bool, int, float, Fraction)) and math.isfinite(value):
        return Fraction(value) if doubles else Fraction(exact(float(value) if isinstance(value, float) else value))
    return None
