"""Bounds as functions of a parameter: the largest of finitely many rational functions, one per case.

Every case is looked at, as by ``exhaustive``; its value is a rational function of the parameter. What is the largest
on an interval is decided by ``taut.support.algebra.envelope``. Single values of the parameter at which a probability
vanishes need a look of their own: a triple whose output has become impossible for both inputs does not count there,
and one whose output has become impossible for x' alone makes the bound infinite.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from taut.inference.channel import Channel
from taut.parameters.piecewise import FreeParameter, Piece, PointValue
from taut.questions.pair_measure import PairCase
from taut.support.algebra.envelope import Candidate, Stretch, envelope, extreme_at, poles, raw, zeros
from taut.support.algebra.rational import RationalFunction
from taut.support.algebra.roots import Place, between, sign_at, sorted_places
from taut.support.errors import ImpossibleEvidence
from taut.support.limits import checkpoints

__all__ = [
    "Pieces",
    "all_evidence",
    "delta_pieces",
    "probability_pieces",
    "ratio_pieces",
    "require_evidence",
    "sum_pieces",
]

Pieces = tuple[tuple[Piece, ...], tuple[PointValue, ...]]


MassPair = tuple[Any, Any, Callable[[], Any]]
"""The probabilities (p, q) of an output on two inputs, with a function that finds a witness."""


def ratio_pieces(
    cases: Sequence[MassPair], parameter: FreeParameter, others: Callable[[], Sequence[MassPair]] = tuple
) -> Pieces:
    """Return the largest ratio p / q over pairs of probabilities (p, q), each with its witness.

    At values of the parameter where the outputs of all cases are impossible, ``others`` gives more cases.
    """
    zero_places = functools.cache(lambda mass: tuple(zeros(mass, parameter.low, parameter.high)))
    candidates = [Candidate(_quotient(p, q), locate) for p, q, locate in cases if p or q]
    stretches = envelope(candidates, parameter.low, parameter.high)
    masses = {mass for p, q, _ in cases for mass in (p, q)}
    places = sorted_places(place for mass in masses if mass for place in zero_places(mass))

    def alive(place: Place, among: Sequence[MassPair]) -> list[Candidate]:
        found = []
        for p, q, locate in among:
            gone, gone_prime = not p or place in zero_places(p), not q or place in zero_places(q)
            if not gone:
                found.append(Candidate(math.inf if gone_prime else _quotient(p, q), locate))
            elif not gone_prime:
                found.append(Candidate(p * 0, locate))
        return found

    points = [(place, extreme_at(alive(place, cases) or alive(place, others()), place)) for place in places]
    return _finished(parameter, stretches, points)


def probability_pieces(
    cases: Iterable[tuple[Any, Callable[[], Any]]], parameter: FreeParameter, *, largest: bool
) -> Pieces:
    """Return the smallest (or the largest) of some probabilities."""
    candidates = [Candidate(value, locate) for value, locate in cases]
    return _finished(parameter, envelope(candidates, parameter.low, parameter.high, largest=largest), [])


def sum_pieces(
    cases: Sequence[PairCase],
    phi: Callable[[Any, Any], Any],
    parameter: FreeParameter,
    locate: Callable[[PairCase], Any],
) -> Pieces:
    """Return the largest sum of a rational phi(p, q) over the atoms of a pair."""

    def total(atoms: Iterable[tuple[Any, Any]], gone: Callable[[Any], bool]) -> Any:
        found: Any = Fraction(0)
        for atom in atoms:
            p, q = (Fraction(0) if gone(mass) else mass for mass in atom)
            part = phi(p, q) if p or q else Fraction(0)
            if isinstance(part, float) and part == math.inf:
                return math.inf
            found = found + part
        return found

    pairs = [([(atom.mass, atom.mass_prime) for atom in case.loss.atoms], case) for case in cases]
    candidates = [
        Candidate(total(atoms, lambda mass: not mass), functools.partial(locate, case)) for atoms, case in pairs
    ]
    stretches = envelope(candidates, parameter.low, parameter.high)
    zero_places = functools.cache(lambda mass: tuple(zeros(mass, parameter.low, parameter.high)))
    masses = {mass for atoms, _ in pairs for atom in atoms for mass in atom if mass}

    def there(place: Place) -> list[Candidate]:
        def gone(mass: Any) -> bool:
            return not mass or place in zero_places(mass)

        return [Candidate(total(atoms, gone), functools.partial(locate, case)) for atoms, case in pairs]

    places = sorted_places(place for mass in masses for place in zero_places(mass))
    points = [(place, extreme_at(there(place), place)) for place in places]
    return _finished(parameter, stretches, points)


def delta_pieces(
    cases: Sequence[PairCase], gamma: Fraction, parameter: FreeParameter, locate: Callable[[PairCase], Any]
) -> Pieces:
    """Return the largest sum of max(0, p - gamma q) over the atoms of a pair.

    Where an atom begins or ceases to count is a root of p - gamma q. Between two neighbouring roots of all atoms, each
    pair has one rational function.
    """
    low, high = parameter.low, parameter.high
    pairs = [([atom.mass - gamma * atom.mass_prime for atom in case.loss.atoms], case) for case in cases]
    parts = {part for atoms, _ in pairs for part in atoms if part}
    inner = sorted_places(place for part in checkpoints(parts, 64) for place in zeros(part, low, high))
    borders = [low, *[place for place in inner if low < place < high], high]
    stretches: list[Stretch] = []
    for start, end in checkpoints(list(itertools.pairwise(borders)), 1):
        middle = between(start, end)
        positive = {part for part in parts if _value(part, middle) > 0}
        candidates = [
            Candidate(sum((part for part in atoms if part in positive), Fraction(0)), functools.partial(locate, case))
            for atoms, case in pairs
        ]
        stretches += envelope([_as_function(one, parameter) for one in candidates], start, end)
    return _finished(parameter, stretches, [])


def all_evidence(channel: Channel, max_beliefs: int) -> list[tuple[Any, Any]]:
    """Return the different masses of the evidence over all inputs, each with an input."""
    table = channel.evidence_table(max_beliefs)
    first = ((mass, np.argwhere(table.numbers == number)[:1].tolist()) for number, mass in enumerate(table.values))
    return [(mass, channel.x(at[0])) for mass, at in first if at]


def require_evidence(name: str, evidence: Iterable[tuple[Any, Any]], parameter: FreeParameter) -> None:
    """Refuse a mechanism whose evidence is impossible for some input at some value of the parameter."""
    for mass, x in evidence:
        places = zeros(mass, parameter.low, parameter.high)
        if places:
            raise ImpossibleEvidence(
                f"'{name}': what it observes has probability 0 at x={x!r} if {parameter.name} = "
                f"{places[0]}; choose an interval without it.",
                value=places[0],
            )


def _finished(
    parameter: FreeParameter, stretches: Sequence[Stretch], points: Iterable[tuple[Place, Candidate]]
) -> Pieces:
    """Return pieces and points with witnesses; points are marked if they differ from the pieces around."""
    pieces: list[Piece] = []
    for stretch in stretches:
        candidate = _as_function(stretch.candidate, parameter)
        if pieces and pieces[-1].value == candidate.value:
            last = pieces.pop()
            pieces.append(Piece(parameter.name, last.low, stretch.high, last.value, last.witness))
        else:
            pieces.append(Piece(parameter.name, stretch.low, stretch.high, candidate.value, candidate.owner()))
    singles = []
    for place, candidate in points:
        around = next(piece for piece in pieces if piece.low <= place <= piece.high)
        shown, apart = _as_function(candidate, parameter), not _equal_at(around.value, candidate.value, place)
        singles.append(PointValue(place, shown.value, shown.owner(), apart))
    return tuple(pieces), tuple(singles)


def _quotient(p: Any, q: Any) -> Any:
    return math.inf if not q else p / q


def _as_function(candidate: Candidate, parameter: FreeParameter) -> Candidate:
    """Return the candidate with its value as a function, even if it is constant."""
    if candidate.value == math.inf or isinstance(candidate.value, RationalFunction):
        return candidate
    return Candidate(RationalFunction.unknown(parameter.name) * 0 + candidate.value, candidate.owner)


def _equal_at(a: Any, b: Any, place: Place) -> bool:
    """Return True if two functions have the same value at a place; a pole is infinity."""
    infinite = [value == math.inf or place in poles(value, place, place) for value in (a, b)]
    if any(infinite):
        return all(infinite)
    difference = a - b
    return not difference or sign_at(raw(difference.numerator), place) == 0


def _value(function: Any, point: Fraction) -> Any:
    return function(point) if isinstance(function, RationalFunction) else function
