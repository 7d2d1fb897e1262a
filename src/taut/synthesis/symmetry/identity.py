"""Decide if a permutation is a symmetry of a mechanism, by its meaning, not by the text of its program."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction

from taut.diagrams.compile import Relation
from taut.synthesis.symmetry.exact_identity import ExactIdentity
from taut.synthesis.symmetry.fingerprint import Fingerprint
from taut.synthesis.symmetry.permutation import Permutation
from taut.synthesis.symmetry.weights import error_of

__all__ = ["IdentityTest", "Verdict", "method_of", "power_of_two"]

_TOLERANCE = Fraction(1, 1 << 100)
"""The probability below which a single test may err."""
_SINGLE_WORK = 400_000
_EXACT_WORK = 8_000_000
"""Limits on the steps of exact comparison, for one permutation and for all tested on a relation."""


@dataclass(frozen=True)
class Verdict:
    """A decision if a permutation is a symmetry; ``exact`` if exact arithmetic made it.

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
    """Tests permutations on one relation, with random weights drawn once.

    Evidence: what is compared are the joint masses of evidence and output. If they are invariant then so is the mass of
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
    """A power of two that is not below a probability, as text."""
    if not probability:
        return "0"
    exponent = math.floor(math.log2(probability.denominator) - math.log2(probability.numerator) - 1e-9)
    return f"2^-{exponent}"
