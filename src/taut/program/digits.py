"""Limits for the digits of numbers that a program computes, checked before one long call of Python's arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from taut.support.exact import large

__all__ = ["comb", "factorial", "perm", "power", "power_modulo", "require_bits", "shift_left", "within"]

_MOST_BITS = 1_000_000
_MOST_WORK = 10_000_000
"""Limit for the bits of an exponent times those of the modulus."""


def require_bits(bits: float, what: str) -> None:
    """Refuse a number of so many bits if they are too many."""
    if bits > _MOST_BITS:
        raise OverflowError(f"{what} has more than a million bits")


def within(value: Any) -> Any:
    """Return a result of arithmetic; refuse one with too many bits, since every later operation would take longer."""
    if isinstance(value, int):
        require_bits(value.bit_length(), "a number here")
    elif isinstance(value, Fraction):
        require_bits(max(value.numerator.bit_length(), value.denominator.bit_length()), "a number here")
    return value


def power(base: Any, exponent: Any) -> Any:
    """Return ``base ** exponent``."""
    if isinstance(base, (int, Fraction)) and isinstance(exponent, (int, Fraction)) and exponent.denominator == 1:
        bits = max([part.bit_length() for part in (base.numerator, base.denominator) if abs(part) > 1], default=0)
        require_bits(bits * abs(exponent.numerator), f"a power with exponent {large(exponent.numerator)}")
    return base**exponent


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    """Return ``pow(base, exponent, modulus)``."""
    whole = isinstance(exponent, int) and isinstance(modulus, int)
    if whole and exponent.bit_length() * modulus.bit_length() > _MOST_WORK:
        raise OverflowError("the exponent and the modulus of a power have too many bits together")
    return pow(base, exponent, modulus)


def shift_left(value: Any, count: Any) -> Any:
    """Return ``value << count``."""
    if isinstance(count, int) and count > _MOST_BITS:
        raise OverflowError("shift by more than a million bits")
    return within(value << count)


def factorial(n: Any, /) -> Any:
    """Return ``math.factorial(n)``."""
    if isinstance(n, int):
        require_bits(n * n.bit_length() / 2, f"the factorial of {large(n)}")
    return math.factorial(n)


def perm(n: Any, k: Any = None, /) -> Any:
    """Return ``math.perm(n, k)``."""
    if isinstance(n, int) and (k is None or isinstance(k, int)):
        factors = n if k is None else k if k <= n else 0
        require_bits(factors * n.bit_length() / 2, f"the number of arrangements of {large(n)}")
    return math.perm(n, k)


def comb(n: Any, k: Any, /) -> Any:
    """Return ``math.comb(n, k)``."""
    if isinstance(n, int) and isinstance(k, int):
        require_bits(min(k, n - k) * n.bit_length() / 2, f"the number of choices among {large(n)}")
    return math.comb(n, k)
