"""Tests that a permutation leaves all probabilities as they are: exactly, or by random fingerprints.

A word is a choice of all inputs and outputs. It takes the relation to a belief b, and the moved word to a belief b';
the permutation is a symmetry exactly if the final masses agree for every word. They depend linearly on the pair
(b, b'), so it is enough to follow a basis of the pairs that words can reach, which is never longer than the two cuts
are wide. (Schützenberger 1961 and Tzeng 1992 decide the equivalence of weighted automata in this way.)
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from taut.diagrams import Decision
from taut.diagrams.compile import Relation
from taut.inference.beliefs import Beliefs
from taut.support.algebra.polynomial import factor_of
from taut.support.limits import checkpoint
from taut.synthesis.symmetry.fingerprint import Fingerprint, error_of
from taut.synthesis.symmetry.permutation import Coordinate, Permutation

__all__ = ["ExactIdentity", "IdentityTest", "Segment", "Verdict", "method_of", "power_of_two", "segments_of"]


Pair = dict[tuple[int, int], Any]
"""A pair of beliefs as one vector: mass by (run, node)."""
_MOST_CHOICES = 1 << 12


@dataclass(frozen=True)
class Segment:
    """A decision that a permutation maps to itself, or several that it mixes, and the coins up to the next one."""

    start: int
    stop: int
    variables: tuple[Coordinate, ...]


def segments_of(relation: Relation, permutation: Permutation, first: int, last: int) -> list[Segment]:
    """Return levels ``first`` to ``last`` and later coins, in segments as short as the permutation allows."""
    levels = relation.arrays.levels
    level_of = {(levels[n].kind, levels[n].index): n for n in range(first, last + 1) if levels[n].kind != "coin"}
    reach: dict[int, int] = {}
    for variable, (target, _) in permutation.moves.items():
        if variable in level_of and target in level_of:
            low, high = sorted((level_of[variable], level_of[target]))
            reach[low] = max(reach.get(low, 0), high + 1)
    segments, start = [], first
    while start <= last:
        number, stop = start, start + 1
        while number < stop:
            stop = max(stop, reach.get(number, 0))
            number += 1
            while number == stop < len(levels) and levels[stop].kind == "coin":
                stop += 1
                number += 1
        names = tuple((level.kind, level.index) for level in levels[start:stop] if level.kind != "coin")
        segments.append(Segment(start, stop, names))
        start = stop
    return segments


class _TooMuch(Exception):
    """The exact test would take too long."""


class ExactIdentity:
    """Decides symmetries of one relation whose weights are rational, or rational functions of parameters."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.beliefs = Beliefs(relation)
        self.levels = relation.arrays.levels
        self.arity: dict[Coordinate, int] = {(level.kind, level.index): level.arity for level in self.levels}
        self.level_of: dict[Coordinate, int] = {
            (level.kind, level.index): number for number, level in enumerate(self.levels) if level.kind != "coin"
        }
        self.depth = np.array(self.beliefs.depth)
        arrays = relation.arrays
        self.highest = np.full(arrays.nodes + 2, len(self.levels))
        """The level of the highest parent."""
        np.minimum.at(self.highest, arrays.child, np.repeat(self.depth[: arrays.nodes], np.diff(arrays.first)))
        self.highest[arrays.root] = -1

    def decide(self, permutation: Permutation, work: int) -> tuple[bool | None, int]:
        """Return whether a permutation is a symmetry (None after ``work`` steps), and the steps it took.

        First only the levels that it changes are compared, from every node at which they can begin. That is quick, and
        enough for most symmetries; if it fails, all levels are followed from the root, and the answer is definite.
        """
        levels = [self.level_of[variable] for variable in permutation.moves if variable in self.level_of]
        if any((v in self.level_of) != (target in self.level_of) for v, (target, _) in permutation.moves.items()):
            return None, 0  # an input that is looked at changes places with one that is not
        if not levels:
            return True, 0
        first, last = min(levels), max(levels)
        run = _Run(self, permutation, work)
        root = self.relation.arrays.root
        try:
            units: list[Pair] = [{(0, node): 1, (1, node): 1} for node in self.cut(first)]
            if run.agree(run.followed(units, segments_of(self.relation, permutation, first, last))):
                return True, work - run.work
            everything = segments_of(self.relation, permutation, 0, len(self.levels) - 1)
            pairs = run.followed([{(0, root): 1, (1, root): 1}], everything)
            return run.agree(pairs), work - run.work
        except _TooMuch:
            return None, work - run.work

    def cut(self, level: int) -> list[int]:
        """Return the nodes at which the levels from a given one on can begin."""
        nodes = np.flatnonzero((self.depth >= level) & (self.highest < level)).tolist()
        return [node for node in nodes if node != self.relation.arrays.false]


class _Run:
    """The two runs for one permutation."""

    def __init__(self, test: ExactIdentity, permutation: Permutation, work: int) -> None:
        self.beliefs, self.levels, self.arity, self.level_of = test.beliefs, test.levels, test.arity, test.level_of
        self.permutation, self.work = permutation, work

    def agree(self, pairs: Sequence[Pair]) -> bool:
        """Return True if the two beliefs of every pair are equal."""
        return all(pair.get((1 - side, node), 0) == mass for pair in pairs for (side, node), mass in pair.items())

    def followed(self, pairs: list[Pair], segments: Sequence[Segment]) -> list[Pair]:
        """Return a basis of the pairs to which some segments take the given ones."""
        for segment in segments:
            span = _Span()
            choices = list(self._choices(segment))
            for pair in pairs:
                for choice in choices:
                    both: Pair = {}
                    for side, decisions in enumerate(choice):
                        belief = {node: mass for (which, node), mass in pair.items() if which == side}
                        for number, decision in enumerate(decisions, start=segment.start):
                            self._spend(len(belief))
                            belief = decision.step(number, belief)
                        both.update({(side, node): mass for node, mass in belief.items()})
                    self._spend(span.add(both))
            pairs = span.basis
        return pairs

    def _choices(self, segment: Segment) -> Iterator[tuple[list[Decision[int]], list[Decision[int]]]]:
        """Yield all choices of a segment's variables and of their images: what each of its levels decides."""
        if math.prod(self.arity[variable] for variable in segment.variables) > _MOST_CHOICES:
            raise _TooMuch
        numbers = range(segment.start, segment.stop)
        tossed = [self.beliefs.summed(n) if self.levels[n].kind == "coin" else None for n in numbers]
        names, chosen = segment.variables, self.beliefs.chosen
        moves = [self.permutation.image(name, self.arity[name]) for name in names]
        for values in itertools.product(*[range(self.arity[name]) for name in names]):
            own, moved = list[Any](tossed), list[Any](tossed)
            for name, value, (target, positions) in zip(names, values, moves, strict=True):
                own[self.level_of[name] - segment.start] = chosen(value)
                moved[self.level_of[target] - segment.start] = chosen(positions[value])
            yield own, moved

    def _spend(self, work: int) -> None:
        self.work -= 1 + work
        checkpoint()
        if self.work < 0:
            raise _TooMuch


class _Span:
    """The linear span of vectors of integers or polynomials, by elimination without fractions."""

    def __init__(self) -> None:
        self.pivots: dict[tuple[int, int], Pair] = {}

    @property
    def basis(self) -> list[Pair]:
        return list(self.pivots.values())

    def add(self, vector: Pair) -> int:
        """Extend the span by a vector; return the cost."""
        cost = len(vector)
        vector = {key: mass for key, mass in vector.items() if mass}
        for pivot, known in self.pivots.items():
            here = vector.get(pivot, 0)
            if here:
                cost += len(known) + len(vector)
                there = known[pivot]
                vector = {key: mass * there for key, mass in vector.items()}
                for key, mass in known.items():
                    vector[key] = vector.get(key, 0) - here * mass
                vector = _primitive(vector)
        if vector:
            self.pivots[min(vector)] = _primitive(vector)
        return cost


def _primitive(vector: Pair) -> Pair:
    """Return the vector without zeros and without a common factor."""
    masses = [mass for mass in vector.values() if mass]
    if not masses:
        return {}
    factor = math.gcd(*masses) if all(isinstance(mass, int) for mass in masses) else factor_of(*masses)
    return {key: mass // factor for key, mass in vector.items() if mass}


_TOLERANCE = Fraction(1, 1 << 100)
"""The probability below which a single test may err."""
_SINGLE_WORK = 400_000
_EXACT_WORK = 8_000_000
"""Limits on the steps of exact comparison, for one permutation and for all tested on a relation."""


@dataclass(frozen=True)
class Verdict:
    """The decision whether a permutation is a symmetry; ``exact`` if it was made by exact arithmetic.

    If it holds and is not exact, a permutation that is not a symmetry would have passed with at most the probability
    ``error``. If it does not hold and is not exact, then it does not follow from the formulas in which weights with
    exp are unknowns, or (with parameters left free) could not be proved; it may still hold for the numbers.
    """

    holds: bool
    exact: bool
    error: Fraction

    def __bool__(self) -> bool:
        return self.holds


class IdentityTest:
    """Tester of permutations on one relation, with random weights drawn once.

    With evidence, the joint masses of evidence and output are compared. If they are invariant then so is the mass of
    the evidence, their sum over outputs, and the conditional probabilities, their ratio.
    """

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        source = random.SystemRandom()
        single = error_of(relation)
        self.points = [Fingerprint(relation, source)]
        self.error = single
        while self.error > _TOLERANCE:
            self.points.append(Fingerprint(relation, source))
            self.error *= single
        self.counts = [point.count for point in self.points]
        self.rational = relation.exact
        self._exact: ExactIdentity | None = None
        self._work = _EXACT_WORK
        self.tests = 0

    def check(self, permutation: Permutation) -> Verdict:
        """Decide if a permutation is a symmetry, exactly where that is affordable."""
        self.tests += 1
        # the counts at the random points do not change: always for a symmetry, hardly ever otherwise
        if any(point.moved(permutation) != count for point, count in zip(self.points, self.counts, strict=True)):
            return Verdict(False, self.rational, Fraction(0))
        if self.rational:
            if self._exact is None:
                self._exact = ExactIdentity(self.relation)
            decided, spent = self._exact.decide(permutation, min(_SINGLE_WORK, self._work))
            self._work -= spent
            if decided is not None:
                return Verdict(decided, True, Fraction(0))
            if self.relation.parameters:
                return Verdict(False, False, self.error)  # what is said for all values needs a proof
        return Verdict(True, False, self.error)


def method_of(exact: bool, error: Fraction) -> str:
    """Return the method by which symmetries were verified, as text."""
    if exact:
        return "exact comparison"
    return f"random weights modulo a random prime, wrong with probability below {power_of_two(error)}"


def power_of_two(probability: Fraction) -> str:
    """Return a power of two that is not below a probability, as text."""
    if not probability:
        return "0"
    exponent = math.floor(math.log2(probability.denominator) - math.log2(probability.numerator) - 1e-9)
    return f"2^-{exponent}"
