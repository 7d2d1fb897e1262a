"""Bounds on sums of independent parts: all inputs, or pairs of neighbours, up to the order of parts that are alike."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.inference.independent_sums import IndependentSum, Part, independent_sum
from taut.neighbors import Entrywise, Neighbors
from taut.neighbors.entrywise import changes_one
from taut.program import UNDEFINED
from taut.questions.accuracy import EventProbability
from taut.questions.bound import Bound
from taut.questions.measure import Measure
from taut.questions.pair_measure import Divergence
from taut.questions.privacy import LargestRatio
from taut.support.errors import InvalidInput, TautError, TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoint, checkpoints
from taut.synthesis.pairs.worst_pair.summand import Summand, summand_of
from taut.synthesis.problem import Budget, Problem

__all__ = ["BySums", "compositions"]

_WORK = 1 << 24
"""Classes of inputs times values of the sum up to which all classes are looked at."""
_LITTLE_WORK = 1 << 18
"""The same for the largest ratio of a function of the sum: a search may have less to remember of a remainder."""
Counts = tuple[tuple[int, ...], ...]
"""For each part how many of its entries have the first of its values, the second, and so on."""


class _Undefined(Exception):
    """The program returns nothing for some value of its sum."""


class BySums:
    """The exact bound of a sum of independent parts, found without a channel.

    For the largest ratio, the probability of an event and divergences of rational values, where neighbours differ
    in one entry.
    """

    name = "search"
    needs_channel = False

    def refuses(self, problem: Problem) -> TautError | None:
        if problem.program is not None and _serves(problem.measure, problem.neighbors) and _sum_of(problem) is not None:
            return None
        return InvalidInput("the output is not a function of a sum of independent parts.", value=problem)

    def cost(self, problem: Problem) -> int | None:
        """The number of cases: those of a class are looked at as one."""
        found = _sum_of(problem)
        assert found is not None
        outputs = problem.neighbors is not None and isinstance(problem.measure, LargestRatio)
        return problem.automaton.count_pairs() * (found.span + 1 if outputs else 1)

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """The bound.

        Raises
        ------
        TooLarge
            There are too many classes, no neighbours, or values of the sum for which nothing is returned.
        """
        measure, neighbors, found = problem.measure, problem.neighbors, _sum_of(problem)
        assert found is not None
        if not _worthwhile(found, measure) or problem.automaton.empty:
            raise TooLarge(f"'{problem.name}' has too many classes of inputs, or no neighbours.")
        walk = _Classes(found)
        try:
            if isinstance(measure, EventProbability):
                return walk.event(measure)
            assert isinstance(neighbors, Entrywise)
            if isinstance(measure, LargestRatio):
                return walk.ratio(measure, neighbors)
            assert isinstance(measure, Divergence)
            return walk.divergence(measure, neighbors)
        except _Undefined:
            raise TooLarge(f"'{problem.name}' returns nothing for some value of its sum.") from None


def _sum_of(problem: Problem) -> IndependentSum | None:
    """The program as a sum of independent parts, if it is one."""
    program = problem.program
    return None if program is None else problem.known.once("independent sum", lambda: independent_sum(program))


def _serves(measure: Measure, neighbors: Neighbors | None) -> bool:
    if isinstance(measure, Divergence):
        return summand_of(measure).exact and changes_one(neighbors)
    if type(measure) is LargestRatio:
        return changes_one(neighbors)
    return type(measure) is EventProbability and neighbors is None


def _worthwhile(found: IndependentSum, measure: Measure) -> bool:
    """Return True if there are few enough classes."""
    searched = isinstance(measure, LargestRatio) and not found.plain
    return _classes(found) * (found.span + 1) <= (_LITTLE_WORK if searched else _WORK)


def _classes(found: IndependentSum) -> int:
    return math.prod(math.comb(count + len(part.rows) - 1, count) for part, count in found.parts.items())


def compositions(parts: int, total: int, *, back: bool = False) -> Iterator[tuple[int, ...]]:
    """All ways to write a total as so many ordered numbers, each time one of them goes down by 1 and one up by 1."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1) if back else range(total + 1):
        for rest in compositions(parts - 1, total - first, back=bool(first % 2) != back):
            yield (first, *rest)


class _Classes:
    """The classes of inputs of a sum: they differ in how many entries of each part have each value."""

    def __init__(self, found: IndependentSum) -> None:
        self.found = found
        self.started = time.perf_counter()
        self.looked_at = 0
        self._values: dict[int, Any] = {}

    def event(self, measure: EventProbability) -> Bound:
        """The input with the least (or the most) probability that the program returns True."""
        best: tuple[int, Counts] | None = None
        for counts, product in self._products(self.found.parts):
            mass = sum(mass for place, mass in _masses(product) if self._value(place) == 1)
            if best is None or (mass > best[0] if measure.largest else mass < best[0]):
                best = (mass, counts)
        assert best is not None
        value = Fraction(best[0], self.found.scale)
        witness = measure.witness([self._input(best[1])], None)
        return measure.bound(value, value, method="search", stats=self._stats(), witness=witness)

    def divergence(self, measure: Divergence, neighbors: Entrywise) -> Bound:
        """The pair of neighbours with the largest divergence."""
        summand = summand_of(measure)
        worst: Any = None
        for part, entry in self._readers():
            for counts, product in self._products(self._without(entry)):
                for change in self._changes(entry, neighbors):
                    value = self._summed(summand, *[product * part.polynomials[place] for place in change])
                    if worst is None or value == INFINITY or value > worst[0]:
                        worst = (value, counts, entry, change)
                    if value == INFINITY:
                        return self._worst(measure, *worst)
        return self._worst(measure, *worst)

    def ratio(self, measure: LargestRatio, neighbors: Entrywise) -> Bound:
        """The pair of neighbours and the output with the largest ratio.

        No sum tells two values of an entry apart better than its own part does, so a pair that reaches the largest
        ratio of a part's rows is the worst by that part.
        """
        worst: tuple[int, int, Any] | None = None
        asked = [(part, entry, change) for part, entry in self._readers() for change in self._changes(entry, neighbors)]
        limits = [_largest_quotient(part.rows[change[0]], part.rows[change[1]]) for part, _, change in asked]
        for (part, entry, change), limit in sorted(zip(asked, limits, strict=True), key=lambda one: -one[1]):
            if worst is not None and _reaches(worst, limit):
                break
            for counts, product in self._products(self._without(entry)):
                pair = [product * part.polynomials[place] for place in change]
                for (mass, mass_prime), y in self._joint(*pair):
                    if worst is None or mass * worst[1] > worst[0] * mass_prime:
                        worst = (mass, mass_prime, (counts, entry, change, y))
                assert worst is not None
                if _reaches(worst, limit):
                    break
        assert worst is not None
        counts, entry, change, y = worst[2]
        value = Fraction(worst[0], worst[1]) if worst[1] else INFINITY
        witness = measure.witness([self._input(counts, (entry, place)) for place in change], self._value(y))
        return measure.bound(value, value, method="search", stats=self._stats(), witness=witness)

    def _worst(self, measure: Divergence, total: Any, counts: Counts, entry: int, change: tuple[int, int]) -> Bound:
        value = total if total == INFINITY else Fraction(int(total.p), int(total.q) * self.found.scale)
        witness = measure.witness([self._input(counts, (entry, place)) for place in change], None)
        return measure.bound(value, value, method="search", stats=self._stats(), witness=witness)

    def _without(self, entry: int) -> dict[Part, int]:
        """Return the multiplicity of each part without the one that reads an entry.

        An entry that nothing reads takes none away, though some part may be like the one that adds nothing.
        """
        own = self.found.part_of[entry]
        return {other: count - (other == own) for other, count in self.found.parts.items()}

    # -- classes -------------------------------------------------------------------------------------------------

    def _products(self, parts: Mapping[Part, int]) -> Iterator[tuple[Counts, Any]]:
        """All classes, each with the product of its polynomials, made from that of the class before it."""
        rows = [part.polynomials for part in parts]
        last: Counts = tuple((0,) * len(row) for row in rows)
        product = flint.fmpz_poly([1])
        for counts in _snake([(len(part.rows), count) for part, count in parts.items()]):
            checkpoint()
            changes = [
                (polynomial, now - before)
                for row, numbers, earlier in zip(rows, counts, last, strict=True)
                for polynomial, now, before in zip(row, numbers, earlier, strict=True)
                if now != before
            ]
            for polynomial, more in changes:
                if more > 0:
                    product *= polynomial**more
            for polynomial, more in changes:
                if more < 0:
                    product //= polynomial**-more  # of which it is a multiple
            last = counts
            self.looked_at += 1
            yield counts, product

    def _readers(self) -> Iterator[tuple[Part, int]]:
        """For each part, and values that entries can have, the first entry that it reads.

        Entries that nothing reads are read by a part that adds nothing.
        """
        seen: set[Any] = set()
        for entry, (part, variable) in enumerate(zip(self.found.part_of, self.found.program.inputs, strict=True)):
            if (part, variable.values) not in seen:
                seen.add((part, variable.values))
                yield part or Part(((1,),) * len(variable.values), 0, 1), entry

    def _changes(self, entry: int, neighbors: Entrywise) -> Iterator[tuple[int, int]]:
        """By which values an entry may be replaced: pairs of positions."""
        for place, start, stop in neighbors.changed(self.found.program.inputs[entry].values):
            yield from checkpoints((place, other) for other in range(start, stop))

    def _input(self, counts: Counts, changed: tuple[int, int] | None = None) -> Any:
        """An input of a class; ``changed`` is an entry that is not counted, with the position of its value."""
        program = self.found.program
        left = {
            part: [place for place, count in enumerate(row) for _ in range(count)]
            for part, row in zip(self.found.parts, counts, strict=True)
        }
        places = []
        for entry, part in enumerate(self.found.part_of):
            if changed is not None and entry == changed[0]:
                places.append(changed[1])
            else:
                places.append(0 if part is None else left[part].pop())
        return program.space.at(places)

    # -- values --------------------------------------------------------------------------------------------------

    def _summed(self, summand: Summand, product: Any, product_prime: Any) -> Any:
        """The divergence of two distributions, times the scale."""
        total = flint.fmpq(0)
        for (a, b), _ in self._joint(product, product_prime):
            part = summand.above(a, b)
            if part is None:
                return INFINITY
            total += part
        return total

    def _joint(self, product: Any, product_prime: Any) -> list[tuple[tuple[int, int], int]]:
        """The masses of each output in two distributions, times the scale, with a place of the sum that leads to it."""
        length = max(product.degree(), product_prime.degree()) + 1
        masses = [((int(product[place]), int(product_prime[place])), place) for place in range(length)]
        if not self.found.plain:
            joined: dict[Any, tuple[tuple[int, int], int]] = {}
            for (a, b), place in masses:
                if a or b:
                    value = self._value(place)
                    known, first = joined.get(value, ((0, 0), place))
                    joined[value] = ((known[0] + a, known[1] + b), first)
            masses = list(joined.values())
        return [one for one in masses if any(one[0])]

    def _value(self, place: int) -> Any:
        if place not in self._values:
            self._values[place] = self.found.value(self.found.least + place)
            if self._values[place] is UNDEFINED:
                raise _Undefined
        return self._values[place]

    def _stats(self) -> dict[str, Any]:
        return {
            "parts": sum(self.found.parts.values()),
            "different_parts": len(self.found.parts),
            "classes": self.looked_at,
            "stopped": None,
            "why": "the output depends on a sum of independent parts, so only how many entries have each value matters",
            "search_seconds": round(time.perf_counter() - self.started, 6),
        }


def _largest_quotient(row: Sequence[int], other: Sequence[int]) -> Any:
    """The largest ratio of the probabilities of one outcome."""
    return max(Fraction(a, b) if b else INFINITY for a, b in zip(row, other, strict=True) if a)


def _reaches(worst: tuple[int, int, Any], limit: Any) -> bool:
    """Return True if a ratio, of two masses, is as large as any can be."""
    if limit == INFINITY:
        return worst[1] == 0
    return worst[1] == 0 or Fraction(worst[0], worst[1]) >= limit


def _snake(parts: Sequence[tuple[int, int]]) -> Iterator[Counts]:
    """All combinations of compositions; from one to the next, one entry of one part has another value."""
    if not parts:
        yield ()
        return
    *others, (values, total) = parts
    last = list(compositions(values, total))
    for number, first in enumerate(_snake(others)):
        for own in reversed(last) if number % 2 else last:
            yield (*first, own)


def _masses(product: Any) -> Iterator[tuple[int, int]]:
    return ((place, int(mass)) for place, mass in enumerate(product.coeffs()) if mass)
