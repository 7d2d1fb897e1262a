"""Which outputs a permutation of the inputs has to move, if it is to be a symmetry: read off fingerprints.

For every output literal, the count of the runs in which it occurs is a polynomial in the weights of the inputs. A
symmetry takes literals to literals with the same polynomial, so the values of these polynomials at a random point,
before and after the inputs are permuted, say what goes where. What is found is a proposal, verified by other means.
"""

from __future__ import annotations

from taut.solvers.symmetry.fingerprint import Fingerprint
from taut.solvers.symmetry.permutation import IDENTITY, Coordinate, Image, Permutation
from taut.solvers.symmetry.weights import Totals

__all__ = ["Relabelling"]

Marginals = dict[Coordinate, tuple[int, ...]]


class Relabelling:
    """Proposes output permutations, from a fingerprint that is used for nothing else."""

    def __init__(self, point: Fingerprint) -> None:
        self.point = point
        self.plain: Marginals = self._marginals(IDENTITY)
        self.cost = 2 * point.arrays.size

    def matching(self, inputs: Permutation) -> Permutation | None:
        """The outputs moved so as to match a permutation of the inputs; None if nothing matches.

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
        """Neighbouring values of one output that are equally likely on every input."""
        places: dict[int, int] = {}
        found = []
        for value, count in enumerate(self.plain[variable]):
            if count in places:
                found.append((places[count], value))
            places[count] = value
        return found

    def _marginals(self, inputs: Permutation) -> Marginals:
        """For every output, the counts of its literals, the other outputs being summed."""
        point = self.point
        prime, depth, children, partition = point.prime, point.depth, point.children, point.partition
        weights = {variable: (1,) * size for variable, size in point.arity.items() if variable[0] == "output"}
        weights |= {variable: tuple(row) for variable, row in point.weights.items() if variable[0] == "input"}
        weights |= {
            variable: tuple(point.weights[target][value] for value in values)
            for variable, (target, values) in inputs.moves.items()
        }
        rows = point.level_rows(weights)
        over = Totals(rows, prime)
        below = point.backward(rows, over)
        masses = [0] * len(below)
        root = point.arrays.root
        masses[root] = over(0, depth[root])
        whole = masses[root] * below[root] % prime
        found: Marginals = {}
        for number, level in enumerate(point.arrays.levels):
            counts, here = [0] * level.arity, 0
            for node in range(level.start, level.stop):
                mass = masses[node]
                if not mass:
                    continue
                classes = point.classes[partition[node]]
                sums = point.class_sums(partition[node], rows[number])
                values = []
                for share, kid in zip(sums, children[node], strict=True):
                    passed = over(number + 1, depth[kid])
                    masses[kid] = (masses[kid] + mass * share % prime * passed) % prime
                    values.append(below[kid] * passed % prime)
                if level.kind == "output":
                    here += mass * below[node]
                    for value, place in enumerate(classes):
                        counts[value] += mass * values[place]
            if level.kind == "output":
                rest = (whole - here) * pow(level.arity, -1, prime)
                found["output", level.index] = tuple((count + rest) % prime for count in counts)
        return found


def _matched(counts: tuple[int, ...], others: tuple[int, ...]) -> tuple[int, ...]:
    """For every count the place of an equal one among others, the same place where possible."""
    known: dict[int, list[int]] = {}
    for place, count in reversed(list(enumerate(others))):
        if counts[place] != count:
            known.setdefault(count, []).append(place)
    return tuple(place if count == others[place] else known[count].pop() for place, count in enumerate(counts))
