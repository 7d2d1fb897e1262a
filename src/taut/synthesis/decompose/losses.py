"""Products of losses of independent cells, and merging of tiny atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from taut.questions.loss import Atom
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball
from taut.support.limits import checkpoints
from taut.synthesis.decompose.kernel import Loss

__all__ = ["coarse", "product_of"]

_MOST_ATOMS = 1 << 18


def product_of(parts: Sequence[tuple[Atom, ...]]) -> tuple[Atom, ...]:
    """Return the atoms of the product of independent pairs of distributions, the smallest ratio first."""
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


_TINY = Fraction(1, 1 << 2000)
_TINY_BALL = Ball(_TINY).arb
_FEW = 64


def coarse(loss: Loss) -> Loss:
    """Merge the many tiny atoms of a loss: into one output for a lower bound, into fully revealing outputs for an upper
    one.

    Profiles and trade-off curves are made of rational ends of balls, and those of a ball around e^-100000 have as many
    digits. Merging outputs is post-processing, which increases no measure of pairs. An output that only one of the two
    inputs can give reveals everything, so it is safe to treat tiny atoms as such outputs, and adds at most their mass
    to any delta.
    """
    beyond = loss.atoms if loss.above is None else loss.above
    if sum(map(_tiny, beyond)) < _FEW:
        return loss
    return replace(loss, atoms=_merged(loss.atoms), above=_revealed(beyond))


def _tiny(atom: Atom) -> bool:
    return all(isinstance(mass, Ball) and mass.arb < _TINY_BALL for mass in atom[1:])


def _merged(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """Return the tiny atoms above 1 as one output, and those below 1."""
    kept = [atom for atom in atoms if not _tiny(atom)]
    for high in (False, True):
        group = [atom for atom in atoms if _tiny(atom) and _above_one(atom) is high]
        if group:
            mass, mass_prime = (_sum([atom[column] for atom in group]) for column in (1, 2))
            kept.insert(len(kept) if high else 0, Atom(mass / mass_prime, mass, mass_prime))
    return tuple(kept)


def _revealed(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """Return the tiny atoms as outputs of one input only: their masses under either, rounded up."""
    kept = [atom for atom in atoms if not _tiny(atom)]
    count = len(atoms) - len(kept)
    return (Atom(Fraction(0), Fraction(0), count * _TINY), *kept, Atom(INFINITY, count * _TINY, Fraction(0)))


def _above_one(atom: Atom) -> bool:
    return bool(atom.mass.arb.mid() > atom.mass_prime.arb.mid())


def _sum(values: Sequence[Any]) -> Any:
    return sum(values[1:], values[0])
