"""Proposals become symmetries here, and only if they are verified; what that may cost is limited."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from taut.diagrams.compile import Relation
from taut.support.limits import checkpoint
from taut.synthesis.symmetry.fingerprint import Fingerprint
from taut.synthesis.symmetry.identity import IdentityTest
from taut.synthesis.symmetry.permutation import Permutation
from taut.synthesis.symmetry.relabel import Relabelling

__all__ = ["Verifier"]

_RELABEL_WORK = 4_000_000
"""The largest number of nodes visited to find out how outputs must move."""
_MOST_TESTS = 4_000


class Verifier:
    """Verifies proposals about one relation.

    ``exact`` holds the symmetries that were verified, and whether exactly; ``complete`` is False once a limit was
    reached and something was not tried.
    """

    def __init__(self, relation: Relation) -> None:
        self.test = IdentityTest(relation)
        # proposals are read off a point of their own: those that verify are drawn independently of them
        self.relabelling = Relabelling(Fingerprint(relation, random.SystemRandom()))
        self.exact: dict[Permutation, bool] = {}
        self.complete = True
        self._work = _RELABEL_WORK
        self._last = 0

    @property
    def error(self) -> Fraction:
        """The probability that any of the symmetries is not one: at most that of all tests together."""
        return self.test.error * self.test.tests

    def first(self, guesses: Sequence[Permutation], inputs: Permutation | None = None) -> Permutation | None:
        """The first guess that is a symmetry, the kind that was right last time before the others.

        If none is, and ``inputs`` is given, then what the fingerprints of the outputs propose to go with it.
        """
        for number in sorted(range(len(guesses)), key=lambda number: number != self._last):
            if self._holds(guesses[number]):
                self._last = number
                return guesses[number]
        if inputs is None:
            return None
        if self._work < self.relabelling.cost:
            self.complete = False
            return None
        self._work -= self.relabelling.cost
        proposal = self.relabelling.matching(inputs)
        return proposal if proposal is not None and proposal not in guesses and self._holds(proposal) else None

    def _holds(self, permutation: Permutation) -> bool:
        if self.test.tests >= _MOST_TESTS:
            self.complete = False
            return False
        checkpoint()
        verdict = self.test.check(permutation)
        if verdict:
            self.exact[permutation] = verdict.exact
        return bool(verdict)
