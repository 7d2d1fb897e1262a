"""The check that masses sum to 1, or with evidence to at most 1."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

from taut.support.errors import internal_fault
from taut.support.exact import Ball

__all__ = ["require_total"]

_PRIME = (1 << 61) - 1


def require_total(name: str, masses: Collection[Any], *, conditioned: bool = False) -> None:
    """Raise InternalFault unless masses sum to 1; if ``conditioned``, to at most 1, since runs without the evidence are
    missing.

    Fractions are summed modulo a prime, so that no denominator grows: a wrong sum that looks right there is one of
    2^61. Balls must leave 1 possible, and floats are not checked.
    """
    kinds = set(map(type, masses))
    if float in kinds:
        return
    if kinds <= {Fraction, int} and not conditioned:
        right = _residue(masses) == 1
    else:
        total = sum(masses)
        if isinstance(total, Ball):
            right = total.lower <= 1 if conditioned else total.contains(1)
        elif isinstance(total, (Fraction, int)):
            right = total <= 1 if conditioned else total == 1
        else:  # a function of parameters
            right = conditioned or total == 1
    if not right:
        raise internal_fault(f"'{name}': the probabilities of all outputs do not sum to 1.", value=name)


def _residue(masses: Collection[Any]) -> int:
    """Return the sum modulo the prime, or exactly if a denominator vanishes there."""
    inverses: dict[int, int] = {}
    total = 0
    for mass in masses:
        below = mass.denominator
        inverse = inverses.get(below)
        if inverse is None:
            if below % _PRIME == 0:
                return int(sum(masses) == 1)
            inverse = inverses[below] = pow(below, -1, _PRIME)
        total += mass.numerator * inverse
    return total % _PRIME
