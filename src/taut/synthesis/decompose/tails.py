"""Tails: outputs so unlikely that their digits would cost more than they tell, put together on either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from taut.questions.loss import Atom
from taut.support.exact import INFINITY, Ball
from taut.synthesis.decompose.kernel import Loss

__all__ = ["coarse"]

_TINY = Fraction(1, 1 << 2000)
_TINY_BALL = Ball(_TINY).arb
_FEW = 64


def coarse(loss: Loss) -> Loss:
    """A loss whose many tiny atoms are put together: below, as if they were one output; above, as if they told all.

    Profiles and trade-off curves are made of rational ends of balls, and those of a ball around e^-100000 have as many
    digits. To put outputs together is a function of the output, which no measure of pairs rates higher. An output that
    only one of the two inputs can give tells all there is to tell, so to say this of tiny ones is safe, and adds no
    more than their mass to any delta.
    """
    beyond = loss.atoms if loss.above is None else loss.above
    if sum(map(_tiny, beyond)) < _FEW:
        return loss
    return replace(loss, atoms=_merged(loss.atoms), above=_revealed(beyond))


def _tiny(atom: Atom) -> bool:
    return all(isinstance(mass, Ball) and mass.arb < _TINY_BALL for mass in atom[1:])


def _merged(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """The tiny atoms above 1 as one output, and those below 1."""
    kept = [atom for atom in atoms if not _tiny(atom)]
    for high in (False, True):
        group = [atom for atom in atoms if _tiny(atom) and _above_one(atom) is high]
        if group:
            mass, mass_prime = (_sum([atom[column] for atom in group]) for column in (1, 2))
            kept.insert(len(kept) if high else 0, Atom(mass / mass_prime, mass, mass_prime))
    return tuple(kept)


def _revealed(atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """The tiny atoms as outputs of one input only: their masses under either, rounded up."""
    kept = [atom for atom in atoms if not _tiny(atom)]
    count = len(atoms) - len(kept)
    return (Atom(Fraction(0), Fraction(0), count * _TINY), *kept, Atom(INFINITY, count * _TINY, Fraction(0)))


def _above_one(atom: Atom) -> bool:
    return bool(atom.mass.arb.mid() > atom.mass_prime.arb.mid())


def _sum(values: Sequence[Any]) -> Any:
    return sum(values[1:], values[0])
