"""Composition of loss distributions: ratios multiply, masses multiply, equal ratios are one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, in_precision

__all__ = ["Mass", "Part", "composed_atoms", "mass_near", "mass_of"]

Atoms = Sequence[tuple[Any, Fraction, Fraction]]
"""(ratio, mass, mass'); ratios 0 and INFINITY included."""
Part = tuple[Atoms, int]
"""The atoms of one pair of distributions, and how often it is run."""
Mass = Callable[[Sequence[Part]], Fraction]
"""Mass under x of all runs of some parts together."""
_MOST_ATOMS = 1 << 14
_MOST_BITS = 1 << 28
_MOST_NUMBERS = 512
_NEAR = 288
_MOST_MASS_BITS = 1 << 24
"""Digits of the mass of all runs; more would take minutes."""


def composed_atoms(parts: Sequence[Part]) -> list[tuple[Any, Fraction, Fraction]] | None:
    """Return the atoms of all runs together, exactly, the largest ratio first; None if they would be too many.

    Ratios are products of powers of a few coprime numbers, so a distribution is a polynomial in as many unknowns,
    with the masses as coefficients: runs are multiplied as polynomials are.
    """
    finite = [[atom for atom in atoms if atom[0] != INFINITY and atom[0] != 0] for atoms, _ in parts]
    numbers = {n for atoms in finite for ratio, _, _ in atoms for n in (ratio.numerator, ratio.denominator)}
    if len(numbers) > _MOST_NUMBERS:
        return None
    base = _coprime(numbers)
    powers = [[_exponents(ratio, base) for ratio, _, _ in atoms] for atoms in finite]
    runs = [count for _, count in parts]
    scales = [math.lcm(*[mass.denominator for _, mass, _ in atoms], 1) for atoms in finite]
    bits = sum(count * (scale - 1).bit_length() for count, scale in zip(runs, scales, strict=True))
    if _most_products(powers, runs) * bits > _MOST_BITS or _most_products(powers, runs) > _MOST_ATOMS:
        return None
    context = flint.fmpz_mpoly_ctx.get(("t", max(1, len(base))), "lex")
    product, scale, shift = context.constant(1), 1, [0] * len(base)
    for atoms, exponents, count, denominator in zip(finite, powers, runs, scales, strict=True):
        lowest = [min(column) for column in zip(*exponents, strict=True)]
        terms: dict[tuple[int, ...], int] = {}
        for (_, mass, _), one in zip(atoms, exponents, strict=True):
            key = tuple(power - low for power, low in zip(one, lowest, strict=True)) or (0,)
            terms[key] = terms.get(key, 0) + mass.numerator * (denominator // mass.denominator)
        product = product * context.from_dict(terms) ** count
        scale *= denominator**count
        shift = [total + count * low for total, low in zip(shift, lowest, strict=True)] if lowest else shift
    composed: list[tuple[Any, Fraction, Fraction]] = []
    for key, coefficient in product.to_dict().items():
        mass, ratio = Fraction(int(coefficient), scale), Fraction(1)
        for number, power, low in zip(base, key, shift, strict=False):
            ratio *= Fraction(number) ** (int(power) + low)
        composed.append((ratio, mass, mass / ratio))
    composed.sort(key=lambda atom: atom[0], reverse=True)
    return [*_rest(parts, 1, INFINITY), *composed, *_rest(parts, 2, Fraction(0))]


def mass_of(parts: Sequence[Part], column: int = 1) -> Fraction:
    """Return the mass of all atoms of all runs together, under x or (column 2) under x'.

    Raises:
        TooLarge: its digits are too many to be written down.
    """
    sums = [(sum((atom[column] for atom in atoms), Fraction(0)), count) for atoms, count in parts]
    if sum(count * (total.denominator - 1).bit_length() for total, count in sums) > _MOST_MASS_BITS:
        runs = sum(count for _, count in parts)
        raise TooLarge(
            f"compose: after {float(runs):.3g} runs the mass of what only one of two inputs can give, or of what was "
            "rounded, has too many digits to be written down. Compose fewer runs.",
            value=runs,
        )
    return math.prod((total**count for total, count in sums), start=Fraction(1))


def _rest(parts: Sequence[Part], column: int, ratio: Any) -> list[tuple[Any, Fraction, Fraction]]:
    """Return the mass at ratio 0 or INFINITY: the whole mass less that of runs with other ratios only."""
    inner = mass_of([([atom for atom in atoms if atom[0] != ratio], count) for atoms, count in parts], column)
    whole = mass_of(parts, column)
    if whole == inner:
        return []
    return [(ratio, whole - inner, Fraction(0)) if column == 1 else (ratio, Fraction(0), whole - inner)]


def mass_near(parts: Sequence[Part]) -> Fraction:
    """Return the mass of all runs, to within 2^-280, for parts whose exact mass has too many digits."""
    with in_precision():
        product = flint.arb(1)
        for atoms, count in parts:
            product *= Ball(sum((mass for _, mass, _ in atoms), Fraction(0))).arb ** count
        mid = Ball(product).mid
    return Fraction(round(mid * (1 << _NEAR)), 1 << _NEAR)


def _coprime(numbers: set[int]) -> list[int]:
    """Return numbers above 1, no two with a common factor, of which all given ones are products of powers."""
    base: list[int] = []
    todo = [number for number in numbers if number > 1]
    while todo:
        number = todo.pop()
        for place, known in enumerate(base):
            common = math.gcd(number, known)
            if common > 1:
                base.pop(place)
                todo += [part for part in (common, number // common, known // common) if part > 1]
                break
        else:
            base.append(number)
    return sorted(base)


def _exponents(ratio: Fraction, base: Sequence[int]) -> tuple[int, ...]:
    found = []
    for number in base:
        power, above, below = 0, ratio.numerator, ratio.denominator
        while above % number == 0:
            above, power = above // number, power + 1
        while below % number == 0:
            below, power = below // number, power - 1
        found.append(power)
    return tuple(found)


def _most_products(powers: Sequence[Sequence[tuple[int, ...]]], runs: Sequence[int]) -> int:
    """Return an upper bound of the number of different products of ratios."""
    chosen = math.prod(
        math.comb(count + len(set(vectors)) - 1, count) if vectors else 1
        for vectors, count in zip(powers, runs, strict=True)
    )
    rows = [vector for vectors in powers for vector in vectors if any(vector)]
    if not rows:
        return 1
    box = 1
    for column in _independent(rows):
        spans = [
            max(v[column] for v in vectors) - min(v[column] for v in vectors) if vectors else 0 for vectors in powers
        ]
        box *= 1 + sum(count * span for count, span in zip(runs, spans, strict=True))
    return min(chosen, box)


def _independent(rows: Sequence[tuple[int, ...]]) -> list[int]:
    """Return columns that determine all others in every sum of the rows."""
    reduced, rank = flint.fmpq_mat(flint.fmpz_mat([list(row) for row in rows])).rref()
    return [next(c for c in range(reduced.ncols()) if reduced[r, c] != 0) for r in range(rank)]
