"""Verification of symmetries: those that are found, and those that a user claims.

For every output literal, the count of the runs in which it occurs is a polynomial in the weights of the inputs. A
symmetry takes literals to literals with the same polynomial, so the values of these polynomials at a random point,
before and after the inputs are permuted, determine the image of each literal. This gives a proposal, which is verified
by other means.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.diagrams.compile import Relation
from taut.inference.channel import Channel
from taut.support.errors import InvalidSymmetry
from taut.support.exact import Ball
from taut.support.limits import checkpoint
from taut.synthesis.symmetry.fingerprint import Fingerprint
from taut.synthesis.symmetry.identity import IdentityTest, method_of
from taut.synthesis.symmetry.permutation import IDENTITY, Coordinate, Image, Permutation
from taut.synthesis.symmetry.records import description

__all__ = ["Counterexample", "Relabelling", "SymmetryCheck", "Verifier", "check_symmetry"]


Marginals = dict[Coordinate, tuple[int, ...]]


class Relabelling:
    """Proposes output permutations, from a fingerprint that is used for nothing else."""

    def __init__(self, point: Fingerprint) -> None:
        self.point = point
        self.plain: Marginals = self._marginals(IDENTITY)
        self.cost = 2 * point.arrays.size

    def matching(self, inputs: Permutation) -> Permutation | None:
        """Return the outputs moved so as to match a permutation of the inputs; None if nothing matches.

        Where several literals have the same polynomial, those that may stay do.
        """
        moved = self._marginals(inputs)
        free = {variable for variable in self.plain if sorted(moved[variable]) != sorted(self.plain[variable])}
        waiting: dict[tuple[int, ...], list[Coordinate]] = {}
        for variable in sorted(free, reverse=True):
            waiting.setdefault(tuple(sorted(self.plain[variable])), []).append(variable)
        moves: dict[Coordinate, Image] = {}
        for variable, counts in moved.items():
            target = variable
            if variable in free:
                candidates = waiting.get(tuple(sorted(counts)))
                if not candidates:
                    return None
                target = candidates.pop()
            moves[variable] = (target, _matched(counts, self.plain[target]))
        return Permutation({**inputs.moves, **moves})

    def alike(self, variable: Coordinate) -> list[tuple[int, int]]:
        """Return neighbouring values of one output that are equally likely on every input."""
        last: dict[int, int] = {}
        pairs = []
        for value, count in enumerate(self.plain[variable]):
            if count in last:
                pairs.append((last[count], value))
            last[count] = value
        return pairs

    def _marginals(self, inputs: Permutation) -> Marginals:
        """For every output, the counts of its literals, the other outputs being summed."""
        point = self.point
        field, arrays = point.field, point.arrays
        weights = {v: row if v[0] == "input" else (1,) * point.arity[v] for v, row in point.weights.items()}
        diagram = point.weighted({**weights, **point.permuted(inputs, point.weights)})
        below, over, depth = diagram.backward(), diagram.skipped.over, diagram.depth
        partition, children, _ = arrays.lists
        belief = diagram.start
        whole = sum((mass * below[node] for node, mass in belief.items()), field.zero)
        marginals: Marginals = {}
        reached = 0
        for number, level in enumerate(arrays.levels):
            if level.kind != "output":
                continue
            diagram.forward(belief, reached, number)
            reached = number
            counts, looking = [field.zero] * level.arity, field.zero
            for node in [node for node in belief if depth[node] == number]:
                looking += belief[node] * below[node]
                ahead = [over(belief[node] * below[kid], number + 1, depth[kid]) for kid in children[node]]
                for start, stop, place in arrays.partitions[partition[node]].runs():
                    for value in range(start, stop):
                        counts[value] += ahead[place]
            rest = (whole - looking) / level.arity
            marginals["output", level.index] = tuple(int(count + rest) for count in counts)
        return marginals


def _matched(counts: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    """For every count the position of an equal one among others, the same position where possible."""
    free: dict[int, list[int]] = {}
    for position, count in reversed(list(enumerate(others))):
        if counts[position] != count:
            free.setdefault(count, []).append(position)
    return tuple(pos if count == others[pos] else free[count].pop() for pos, count in enumerate(counts))


_RELABEL_WORK = 4_000_000
"""Limit for the nodes visited to determine the permutation of outputs."""
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
        """Return the first guess that is a symmetry, the kind that was right last time before the others.

        If none is, and ``inputs`` is given, try the permutation of outputs that their fingerprints propose.
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


_ATTEMPTS = 16
"""The number of cases tried in search of one whose two probabilities certainly differ."""


@dataclass(frozen=True)
class Counterexample:
    """A case at which a claimed symmetry fails: P(A(x) = y) and P(A(x_moved) = y_moved) certainly differ."""

    x: Any
    y: Any
    probability: Any
    x_moved: Any
    y_moved: Any
    probability_moved: Any

    def __str__(self) -> str:
        return (
            f"P(A({self.x!r}) = {self.y!r}) = {self.probability}, "
            f"but P(A({self.x_moved!r}) = {self.y_moved!r}) = {self.probability_moved}"
        )


@dataclass(frozen=True)
class SymmetryCheck:
    """The outcome of checking a claimed symmetry; it is true if the claim holds.

    Attributes:
        claim: the permutation, in words.
        holds: whether it is a symmetry.
        exact: whether exact arithmetic decided. If not, and ``holds``, then the claim is wrong with a probability
            of at most ``error``; if not, and not ``holds``, then the claim is neither accepted nor refuted.
        error: an upper bound of the probability of an error.
        method: how the answer was found, or why there is none.
        counterexample: an input and an output at which a refuted claim fails.
    """

    claim: str
    holds: bool
    exact: bool
    error: Fraction
    method: str
    counterexample: Counterexample | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        if self.holds:
            return f"{self.claim}: a symmetry, by {self.method}"
        if self.counterexample is None:
            return f"{self.claim}: {self.method}"
        return f"{self.claim}: not a symmetry, {self.counterexample}"

    def demand(self) -> None:
        """Refuse a claim that does not hold.

        Raises:
            InvalidSymmetry: if the claim is refuted or not decided; the counterexample, if there is one, is the
                error's ``value``.
        """
        if not self.holds:
            raise InvalidSymmetry(f"{self}.", value=self.counterexample)


def check_symmetry(channel: Channel, permutation: Permutation) -> SymmetryCheck:
    """Decide whether P(A(g x) = g y) = P(A(x) = y) for all x and y, for one permutation g.

    Guarantee:
        A claim that is refuted has a counterexample whose probabilities certainly differ: other numbers, or balls that
        do not overlap. If no such case is found the claim is not decided.
    """
    relation = channel.relation
    claim = description(relation, permutation)
    test = IdentityTest(relation)
    verdict = test.check(permutation)
    if verdict:
        return SymmetryCheck(claim, True, verdict.exact, verdict.error, method_of(verdict.exact, verdict.error))
    for x, y in itertools.islice(_differing_cases(relation, permutation), _ATTEMPTS):
        sides = []
        for inputs, outputs in ((x, y), (permutation.applied("input", x), permutation.applied("output", y))):
            side = (channel.x(inputs), channel.y(outputs))
            sides.append((*side, channel.probability(*side)))
        case = Counterexample(*sides[0], *sides[1])
        if _differ(case.probability, case.probability_moved):
            return SymmetryCheck(claim, False, True, Fraction(0), "a counterexample", case)
    why = (
        "masses with the evidence differ, but no case was found in which the conditional probabilities do"
        if test.rational
        else "it does not follow from the formulas, and no case was found in which the two balls do not overlap"
    )
    return SymmetryCheck(claim, False, False, Fraction(0), f"not decided: {why}")


def _differ(one: Any, other: Any) -> bool:
    difference = one - other
    return not difference.contains(0) if isinstance(difference, Ball) else bool(difference)


def _differing_cases(relation: Relation, permutation: Permutation) -> Iterator[tuple[list[int], list[int]]]:
    """Yield inputs and outputs, by positions, whose mass differs from that of the case they are moved to, without end.

    For weights with exp, a mass is a formula in which each of them is an unknown, and the two formulas differ. The
    first case has small positions, the others are random; cases may repeat.
    """
    source = random.SystemRandom()
    point = Fingerprint(relation, source)
    while point.moved(permutation) == point.count:
        point = Fingerprint(relation, source)
    back = permutation.inverse
    order: dict[Coordinate, Sequence[int]] = {one: range(arity) for one, arity in point.arity.items()}
    while True:
        case = _differing_case(point, permutation, order)
        x = [case["input", i] for i in range(len(relation.inputs))]
        y = [case["output", j] for j in range(len(relation.outputs))]
        yield back.applied("input", x), back.applied("output", y)
        order = {one: source.sample(range(arity), arity) for one, arity in point.arity.items()}


def _differing_case(
    point: Fingerprint, permutation: Permutation, order: Mapping[Coordinate, Sequence[int]]
) -> dict[Coordinate, int]:
    """Return a position for each coordinate, so that the counts before and after the move differ.

    Coordinates are decided one after the other, or several at once if that succeeds; some value always keeps the counts
    different, as they are sums over values. Once all are decided, the counts are single masses.
    """
    weights = dict(point.weights)
    case: dict[Coordinate, int] = {}
    stack = [list(point.arity)]
    while stack:
        some = stack.pop()
        for rank in range(2 if len(some) > 1 else point.arity[some[0]]):
            chosen = {one: order[one][min(rank, point.arity[one] - 1)] for one in some}
            literals = {one: [int(value == chosen[one]) for value in range(point.arity[one])] for one in some}
            trial = {**weights, **literals}
            if point.moved(permutation, trial) != point.moved(IDENTITY, trial):
                weights = trial
                case.update(chosen)
                break
        else:
            stack += [some[len(some) // 2 :], some[: len(some) // 2]]
    return case
