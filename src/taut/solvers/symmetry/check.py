"""Whether a claimed symmetry of a channel holds; if not, with an input and an output at which it fails."""

from __future__ import annotations

from taut.channel.channel import Channel
from taut.solvers.symmetry.claims import Counterexample, SymmetryCheck, differing_case
from taut.solvers.symmetry.identity import IdentityTest
from taut.solvers.symmetry.permutation import Permutation
from taut.solvers.symmetry.words import described

__all__ = ["check_symmetry"]


def check_symmetry(channel: Channel, permutation: Permutation) -> SymmetryCheck:
    """Whether P(A(g x) = g y) = P(A(x) = y) for all x and y, for one permutation g."""
    verdict = IdentityTest(channel.relation).check(permutation)
    words = described(channel.relation, permutation)
    if verdict:
        return SymmetryCheck(words, True, verdict.exact, verdict.error, verdict.method)
    case = _counterexample(channel, permutation)
    if case.probability == case.probability_moved:
        why = "masses with the evidence differ, though not the conditional probabilities where they do"
        return SymmetryCheck(words, False, False, verdict.error, why)
    return SymmetryCheck(words, False, True, verdict.error, "a counterexample", case)


def _counterexample(channel: Channel, permutation: Permutation) -> Counterexample:
    inputs, outputs = differing_case(channel.relation, permutation)
    moved = permutation.applied("input", inputs), permutation.applied("output", outputs)
    cases = []
    for x, y in ((inputs, outputs), moved):
        database, output = channel.x(x), channel.y(y)
        cases.append((database, output, channel.probability(database, output)))
    return Counterexample(*cases[0], *cases[1])
