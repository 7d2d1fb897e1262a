"""Find, from fingerprints, how outputs must move for a permutation of the inputs to be a symmetry.

For every output literal, the count of the runs in which it occurs is a polynomial in the weights of the inputs. A
symmetry takes literals to literals with the same polynomial, so the values of these polynomials at a random point,
before and after the inputs are permuted, say what goes where. What is found is a proposal, verified by other means.
"""

from __future__ import annotations

from taut.synthesis.symmetry.fingerprint import Fingerprint
from taut.synthesis.symmetry.permutation import IDENTITY, Coordinate, Image, Permutation

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
