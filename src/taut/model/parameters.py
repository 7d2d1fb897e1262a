"""Allowed values of a parameter of a mechanism: in words, and checked before the mechanism sees them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.domains import Domain
from taut.support.algebra.expression import Expression, Undecided
from taut.support.errors import InvalidInput, InvalidProbability, TautError
from taut.support.exact import Ball, ends, exact, fraction_of_text, is_number

__all__ = ["BOOLEAN", "PROBABILITY", "RATIO", "Range", "above", "at_least", "optional", "whole"]

_SHOWN = 60


@dataclass(frozen=True)
class Range:
    """The values that a parameter may have.

    Attributes
    ----------
    words
        What is allowed, as it stands after "must be"; other parameters are written in braces.
    read
        The value as the mechanism wants it, given the value and all parameters; None where it is not allowed.
    error
        What is raised then.
    """

    words: str
    read: Callable[[Any, Mapping[str, Any]], tuple[Any] | None]
    error: type[TautError] = InvalidInput

    def checked(self, mechanism: str, name: str, given: Mapping[str, Any]) -> Any:
        """The value of a parameter as the mechanism wants it.

        Raises
        ------
        TautError
            The value is not allowed. The message names mechanism, parameter, value and what is allowed.
        """
        value = given[name]
        wanted = self.read(value, given)
        if wanted is None:
            allowed = self.words.format_map(given)
            raise self.error(f"{mechanism}: {name} must be {allowed}; got {_text(value)}.", value=value)
        return wanted[0]


def whole(least: int, most: int | str) -> Range:
    """Whole numbers between two ends, the second a number or the name of another parameter; the mechanism gets ints."""
    words = f"a whole number from {least} to {most}" + (f"={{{most}}}" if isinstance(most, str) else "")

    def read(value: Any, given: Mapping[str, Any]) -> tuple[Any] | None:
        exactly = None if isinstance(value, bool) else _number(value)
        if not isinstance(exactly, Fraction) or exactly.denominator != 1:
            return None
        last = _number(given[most] if isinstance(most, str) else most)
        return (int(exactly),) if isinstance(last, Fraction) and least <= exactly <= last else None

    return Range(words, read)


def above(end: int) -> Range:
    """Numbers above an end."""
    return _numbers(f"a number above {end}", lambda low, _: low > end)


def at_least(least: int) -> Range:
    """Numbers from an end on."""
    return _numbers(f"a number of at least {least}", lambda low, _: low >= least)


def optional(allowed: Range) -> Range:
    """Read None, and everything else by another reader."""
    return Range(
        f"{allowed.words}, or None", lambda value, given: (None,) if value is None else allowed.read(value, given)
    )


def _numbers(words: str, test: Callable[[Any, Any], bool], error: type[TautError] = InvalidInput) -> Range:
    def read(value: Any, given: Mapping[str, Any]) -> tuple[Any] | None:
        if isinstance(value, Expression):
            return (value,) if _everywhere(test, value) else None
        exactly = _number(value)
        return (value,) if exactly is not None and test(*ends(exactly)) else None

    return Range(words, read, error)


def _everywhere(test: Callable[[Any, Any], bool], value: Expression) -> bool:
    """Return True if all values of a parameter left free pass a test."""
    try:
        return test(value, value)
    except Undecided:
        return False


def _number(value: Any) -> Fraction | Ball | None:
    """A value as an exact number; None if it is not a finite one."""
    if isinstance(value, str):
        return fraction_of_text(value)
    if isinstance(value, Ball):
        return value
    if not is_number(value) or abs(value) == float("inf") or value != value:
        return None
    return Fraction(exact(value))


def _text(value: Any) -> str:
    text = str(value) if isinstance(value, (Fraction, Ball, Domain)) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


PROBABILITY = _numbers(
    "a probability, a number from 0 to 1", lambda low, high: low >= 0 and high <= 1, InvalidProbability
)
RATIO = _numbers("a number from 0 to 1, 1 itself excluded", lambda low, high: low >= 0 and high < 1)
BOOLEAN = Range("True or False", lambda value, _: (bool(value),) if value in (True, False) else None)
