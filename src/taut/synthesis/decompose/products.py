"""Products of loss distributions: quotients multiply, masses multiply, equal quotients are one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.questions.loss import Atom
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball
from taut.support.limits import checkpoints

__all__ = ["product_of"]

_MOST_ATOMS = 1 << 18


def product_of(parts: Sequence[tuple[Atom, ...]]) -> tuple[Atom, ...]:
    """The atoms of independent pairs of distributions together, the smallest quotient first."""
    product = parts[0]
    for part in parts[1:]:
        product = _both(product, part)
    return product


def _both(one: Sequence[Atom], other: Sequence[Atom]) -> tuple[Atom, ...]:
    if len(one) * len(other) > _MOST_ATOMS:
        raise TooLarge("a product of losses has too many atoms.", value=len(one) * len(other))
    if len(one) == 1 and one[0].ratio == 1 and not isinstance(one[0].ratio, Ball):
        return tuple(other)
    if len(other) == 1 and other[0].ratio == 1 and not isinstance(other[0].ratio, Ball):
        return tuple(one)
    sums: dict[Any, tuple[Any, Any]] = {}
    for a in checkpoints(one, 16):
        for b in other:
            mass, mass_prime = a.mass * b.mass, a.mass_prime * b.mass_prime
            if _zero(mass) and _zero(mass_prime):
                continue  # no output: one side lacks a factor, the other side the other
            ratio = _ratio(mass, mass_prime, a.ratio, b.ratio)
            known = sums.get(ratio)
            sums[ratio] = (mass, mass_prime) if known is None else (known[0] + mass, known[1] + mass_prime)
    ordered = sorted(sums, key=lambda ratio: ratio if _infinite(ratio) else getattr(ratio, "mid", ratio))
    return tuple([Atom(ratio, *sums[ratio]) for ratio in ordered])


def _ratio(mass: Any, mass_prime: Any, one: Any, other: Any) -> Any:
    if _zero(mass):
        return Fraction(0)
    return INFINITY if _zero(mass_prime) else one * other


def _zero(value: Any) -> bool:
    return not isinstance(value, Ball) and value == 0


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and value == INFINITY
