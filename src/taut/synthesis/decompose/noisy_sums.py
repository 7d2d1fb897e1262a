"""Noise around several random sums: a change is seen best where no other entry is random in the same sums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.program import Coin, Input, Program, Terms, Tuple
from taut.program.program import reachable, substituted
from taut.support.errors import TooLarge
from taut.synthesis.decompose.contributions import Contribution, Contributions
from taut.synthesis.decompose.kernel import Kernel, Row
from taut.synthesis.decompose.translation import Translation

__all__ = ["NoisySums", "noisy_sums"]

_MOST_OUTPUTS = 1 << 14


@dataclass(frozen=True, eq=False)
class NoisySums:
    """Independent geometric noise around each of several sums of random contributions, which is what a cell returns.

    ``items`` has the sum around which each item of the output is drawn.
    """

    given: Contributions
    noises: tuple[Translation, ...]
    items: tuple[int, ...]

    def told(self, before: int, after: int) -> tuple[int, ...]:
        """Return the sums that tell two ways of contributing apart, or are random in one of them; in a fixed order."""
        found = []
        for place in range(len(self.noises)):
            sides = self._added(before, place), self._added(after, place)
            if len(sides[0]) > 1 or sides[0] != sides[1]:
                found.append((*sides, repr(self.noises[place].noise.key), place))
        return tuple([one[-1] for one in sorted(found)])

    def key(self, before: int, after: int) -> Any:
        """Return a key that only changes with equal losses share, where other entries add nothing random."""
        sums = self.told(before, after)
        rows = [
            tuple(
                sorted(
                    [
                        (tuple([v[place] * self.noises[place].slope for place in sums]), m)
                        for v, m in self.given.kinds[way]
                    ]
                )
            )
            for way in (before, after)
        ]
        return tuple([self.noises[place].noise.key for place in sums]), *rows

    def silent(self, way: int, sums: Sequence[int]) -> bool:
        """Return True if a way of contributing adds constants to some sums."""
        return all(len(self._added(way, place)) == 1 for place in sums)

    def rows(self, before: int, after: int, others: Mapping[int, int]) -> tuple[Row, Row]:
        """Return what two ways of contributing tell, with the numbers of others that contribute in silent ways.

        Outcomes with one ratio, such as all from the least sum down, are one.
        """
        sums = self.told(before, after)
        base = list(self.given.constant)
        for way, count in others.items():
            for place in range(len(base)):
                base[place] += count * self.given.kinds[way][0][0][place]
        spans = []
        for place in sums:
            added = [self.noises[place].slope * v[place] for way in (before, after) for v, _ in self.given.kinds[way]]
            spans.append(range(min(added), max(added) + 1))
        if math.prod(map(len, spans)) > _MOST_OUTPUTS:
            raise TooLarge("noise around random sums has too many outcomes.", value=len(spans))
        made: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        for outcome in itertools.product(*spans):
            centers = [noise.centers[value] for noise, value in zip(self.noises, base, strict=True)]
            for place, own in zip(sums, outcome, strict=True):
                centers[place] += own
            made[0].append(tuple([centers[place] for place in self.items]))
            for side, way in enumerate((before, after), 1):
                made[side].append(self._mass(self.given.kinds[way], sums, spans, outcome))
        return Row(made[0], made[1]), Row(made[0], made[2])

    def _mass(self, way: Contribution, sums: Sequence[int], spans: Sequence[range], outcome: Sequence[int]) -> Fraction:
        total = Fraction(0)
        for vector, mass in way:
            for place, span, own in zip(sums, spans, outcome, strict=True):
                mass *= _share(self.noises[place], span, self.noises[place].slope * vector[place], own)
            total += mass
        return total

    def _added(self, way: int, place: int) -> tuple[tuple[int, Fraction], ...]:
        """Return what a way of contributing adds to one sum, with the masses."""
        found: dict[int, Fraction] = {}
        for vector, mass in self.given.kinds[way]:
            found[vector[place]] = found.get(vector[place], Fraction(0)) + mass
        return tuple(sorted(found.items()))


def _share(noise: Translation, span: range, center: int, outcome: int) -> Fraction:
    """Return the mass of an outcome around a centre, clamped to a span."""
    r = noise.noise.ratio
    if len(span) == 1:
        return Fraction(1)
    peak = 1 if outcome in (span[0], span[-1]) else 1 - r
    return Fraction(peak * r ** abs(outcome - center) / (1 + r))


def noisy_sums(inner: Program, given: Contributions) -> NoisySums | None:
    """Return a cell over sums as noise around each of them; None for other cells."""
    output = inner.output
    if not isinstance(output, Tuple) or len(output.items) != len(given.sums) or given.others:
        return None
    noises: dict[int, Translation] = {}
    items, seen = [], set[int]()
    for item in output.items:
        below = reachable([item])
        sums = {term.index for term in below if isinstance(term, Input)}
        coins = {term.index for term in below if isinstance(term, Coin)}
        if len(sums) != 1 or not seen.isdisjoint(coins):
            return None
        seen |= coins
        (place,) = sums
        terms = Terms()
        entries = [terms.input(0, inner.inputs[place].values)] * len(inner.inputs)
        (alone,) = substituted(terms, [item], entries, inner.coins)
        program = replace(
            inner,
            domains=(inner.domains[place],),
            inputs=(inner.inputs[place],),
            output=alone,
            evidence=terms.true,
            terms=terms,
        )
        found = Kernel(0, program).translation
        if found is None or not isinstance(found.noise.ratio, Fraction) or not found.noise.ratio or not found.slope:
            return None
        noises[place] = found
        items.append(place)
    if len(noises) != len(items):
        return None
    return NoisySums(given, tuple([noises[place] for place in range(len(items))]), tuple(items))
