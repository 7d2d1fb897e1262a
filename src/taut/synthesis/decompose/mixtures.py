"""Mixtures: cells over sums of random contributions, whose distributions are products of polynomials."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import flint

from taut.inference.arrays import values_at
from taut.program import UNDEFINED, Input
from taut.program.enumerator import evaluate
from taut.questions.loss import Atom
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball
from taut.support.limits import checkpoint, checkpoints
from taut.support.process import cached_property
from taut.synthesis.decompose.contributions import Contribution, Contributions
from taut.synthesis.decompose.kernel import Kernel, Row
from taut.synthesis.decompose.noisy_sums import NoisySums, noisy_sums

__all__ = ["MixedLoss", "Mixture"]

Counts = tuple[int, ...]
"""The number of entries that contribute in each way, the last way left out."""
_MOST_OUTPUTS = 1 << 20
_MOST_LOOKED_AT = 1 << 24
_MOST_SYMMETRIC = 5
"""Number of ways to contribute up to which all orders are tried."""
_KEPT = 4


class Mixture:
    """The distribution of a cell, given the number of entries that contribute in each way; equal cells share one.

    ``inner`` is the cell for given values of its sums. As every contribution is independent of the others, the sums
    have the product of their polynomials for a distribution, whose terms ``inner`` turns into outputs.
    """

    translation = None
    exactly_translated = True

    def __init__(self, number: int, inner: Kernel, given: Contributions) -> None:
        self.number, self.inner, self.given = number, inner, given
        self.entries = len(given.tables)
        self.logs: dict[int, Any] = {}
        """Cache of approximate logarithms, by the numbers of losses."""
        self._numbers: dict[Any, int] = {}
        self._recent: list[tuple[Counts, Any]] = []
        self._supports: dict[tuple[Any, ...], list[Any]] = {}
        self._shown: dict[Any, Any] = {}

    # -- what other kernels do ---------------------------------------------------------------------------------------

    def require_few(self, values: int) -> None:
        """Refuse values with too many outputs in total."""
        if values * self._terms_at_most > _MOST_LOOKED_AT:
            raise TooLarge("too many contributions are added up.", value=values)

    @cached_property
    def _terms_at_most(self) -> int:
        """The number of terms of a product, of one sum as many as there are integers between its ends."""
        if self._width > 1:
            share = self.entries // len(self._kinds)
            return len(self._product((share,) * (len(self._kinds) - 1)))
        spans = [[vector[0] for vector, _ in one] for one in self._others]
        every = [vector[0] for kind in self._kinds for vector, _ in kind]
        return 1 + sum([max(one) - min(one) for one in spans]) + self.entries * (max(every) - min(every))

    def row(self, counts: Counts) -> Row:
        """Return the distribution of the output for numbers of entries that contribute in each way."""
        masses = self.masses(counts)
        return Row(tuple(masses), tuple([Fraction(int(mass), self.scale) for mass in masses.values()]))

    def loss(self, own: Counts, primed: Counts) -> MixedLoss:
        """Return the loss between two such values; its atoms are made at first use."""
        key = self.likeness(own, primed)
        return MixedLoss(self._numbers.setdefault(key, len(self._numbers)), self, own, primed)

    best = loss

    def limit(self, own: Counts, primed: Counts) -> Any:
        """Return a ratio that no output exceeds: the largest one between both contributions of the changing entry."""
        (before,), (after,) = (_places(self._whole(a), self._whole(b)) for a, b in ((own, primed), (primed, own)))
        row, other = (dict(self.given.kinds[kind]) for kind in (before, after))
        return max(mass / other[vector] if other.get(vector) else INFINITY for vector, mass in row.items())

    @cached_property
    def noisy(self) -> NoisySums | None:
        """The noise around each of several sums, if that is what the cell returns."""
        return noisy_sums(self.inner.program, self.given) if len(self.given.sums) > 1 else None

    # -- polynomials -------------------------------------------------------------------------------------------------

    @cached_property
    def _noise(self) -> Any:
        """The noise around the one sum that is all the cell draws; None if it does something else."""
        found = self.inner.translation
        if found is None or len(self.given.sums) != 1 or not found.slope:
            return None
        outcomes, weights = found.widest(0)[0]
        if any(isinstance(weight, Ball) for weight in weights):
            raise TooLarge("noise around a random sum has irrational weights.", value=found.noise.key)
        return found, tuple([((int(y),), Fraction(w)) for y, w in zip(outcomes, weights, strict=True) if w])

    @cached_property
    def _slope(self) -> int:
        return 1 if self._noise is None else int(self._noise[0].slope)

    @cached_property
    def _others(self) -> list[Contribution]:
        """The contributions of no entry, noise among them."""
        scaled = [_times(one, self._slope) for one in self.given.others]
        return scaled if self._noise is None else [*scaled, self._noise[1]]

    @cached_property
    def _kinds(self) -> list[Contribution]:
        return [_times(one, self._slope) for one in self.given.kinds]

    @cached_property
    def _width(self) -> int:
        return len(self.given.sums)

    @cached_property
    def _least(self) -> tuple[int, ...]:
        """The least that an entry adds to each sum, whatever its kind."""
        return _least([vector for kind in self._kinds for vector, _ in kind])

    @cached_property
    def _scale(self) -> int:
        """A denominator of all contributions of entries."""
        return math.lcm(*[mass.denominator for kind in self._kinds for _, mass in kind])

    @cached_property
    def _factors(self) -> list[Any]:
        """The polynomial of each way to contribute, times the scale."""
        return [self._polynomial(kind, self._least, self._scale) for kind in self._kinds]

    @cached_property
    def _context(self) -> Any:
        return flint.fmpz_mpoly_ctx.get([("z", self._width)], "lex")

    def _polynomial(self, one: Contribution, least: Sequence[int], scale: int) -> Any:
        terms = {tuple([v - low for v, low in zip(vector, least, strict=True)]): int(m * scale) for vector, m in one}
        if self._width > 1:
            return self._context.from_dict(terms)
        dense = [0] * (1 + max(place for (place,) in terms))
        for (place,), mass in terms.items():
            dense[place] = mass
        return flint.fmpz_poly(dense)

    @cached_property
    def _start(self) -> Any:
        """The product of all contributions of no entry."""
        product = self._polynomial(((((0,) * self._width), Fraction(1)),), (0,) * self._width, 1)
        for one in self._others:
            scale = math.lcm(*[mass.denominator for _, mass in one])
            product *= self._polynomial(one, _least([vector for vector, _ in one]), scale)
        return product

    @cached_property
    def scale(self) -> int:
        """The number by which all masses are multiplied."""
        others = [math.lcm(*[mass.denominator for _, mass in one]) for one in self._others]
        scale: int = math.prod(others) * self._scale**self.entries
        return scale if self._rows_scale is None else scale * self._rows_scale

    @cached_property
    def _origin(self) -> tuple[int, ...]:
        """The sums where all exponents are 0; with noise, what is drawn there."""
        found = [self._slope * one for one in self.given.constant]
        for one in self._others:
            found = [a + b for a, b in zip(found, _least([vector for vector, _ in one]), strict=True)]
        if self._noise is not None:
            translation = self._noise[0]
            key, center = next(iter(translation.centers.items()))
            found = [found[0] + center - self._slope * key]
        return tuple([a + self.entries * b for a, b in zip(found, self._least, strict=True)])

    def _whole(self, counts: Counts) -> Counts:
        """Return the counts with that of the last way."""
        return (*counts, self.entries - sum(counts))

    def _product(self, counts: Counts) -> Any:
        """Return the polynomial of the sums, made from the closest cached one."""
        checkpoint()
        wanted = self._whole(counts)
        candidates = [one for one in self._recent if _distance(one[0], wanted) <= self.entries // 2]
        known, product = min(
            candidates, key=lambda one: _distance(one[0], wanted), default=((0,) * len(wanted), self._start)
        )
        moves = [(b - a, factor) for a, b, factor in zip(known, wanted, self._factors, strict=True) if a != b]
        for more, factor in moves:
            if more > 0:
                product = product * factor**more
        for more, factor in moves:
            if more < 0:
                product = product // factor**-more  # of which it is a multiple
        self._recent = [(wanted, product), *[one for one in self._recent if one[0] != wanted]][:_KEPT]
        return product

    def _terms(self, product: Any) -> tuple[tuple[Any, ...], list[Any]]:
        """Return the exponents of a polynomial, and their coefficients."""
        if self._width > 1:
            return tuple(product.monoms()), product.coeffs()
        masses = product.coeffs()
        places = tuple([place for place, mass in enumerate(masses) if mass])
        return places, masses if len(places) == len(masses) else [masses[place] for place in places]

    def _vectors(self, exponents: Sequence[Any]) -> list[tuple[int, ...]]:
        """Return the values of the sums, or what is drawn, for the exponents of terms."""
        columns = [exponents] if self._width == 1 else zip(*exponents, strict=True)
        moved = [[start + int(one) for one in column] for start, column in zip(self._origin, columns, strict=True)]
        return list(zip(*moved, strict=True))

    def masses(self, counts: Counts) -> dict[Any, Any]:
        """Return the masses of all outputs, for numbers of entries that contribute in each way, times the scale."""
        exponents, masses = self._terms(self._product(counts))
        known = self._supports.get(exponents)
        if known is None:
            known = self._supports[exponents] = self._shown_at(exponents)
        if self._rows_scale is not None:
            return self._mixed(zip(known, masses, strict=True))
        found = dict(zip(known, masses, strict=True))
        if len(found) < len(known):
            found = dict.fromkeys(found, 0)
            for y, mass in zip(known, masses, strict=True):
                found[y] += mass
        return found

    def _shown_at(self, exponents: Sequence[Any]) -> list[Any]:
        """Return the outputs for the exponents of terms; the sums themselves where the cell draws for these."""
        new = [one for one in exponents if one not in self._shown]
        if new:
            vectors = self._vectors(new)
            outputs = vectors if self._rows_scale is not None else self._outputs(vectors)
            self._shown.update(zip(new, outputs, strict=True))
        return [self._shown[one] for one in exponents]

    def _outputs(self, vectors: Sequence[tuple[int, ...]]) -> list[Any]:
        """Return what the cell shows for values of its sums, or for what is drawn."""
        if self._noise is not None:
            return list(map(self._drawn, vectors))
        values = values_at(self.inner.program.output, list(zip(*vectors, strict=True)))
        return list(map(self._value, vectors)) if values is None else values

    def _drawn(self, vector: tuple[int, ...]) -> int:
        found = self._noise[0]
        return int(min(max(vector[0], found.low), found.high))

    def _value(self, vector: tuple[int, ...]) -> Any:
        found = evaluate(self.inner.program.output, vector, {})
        if found is UNDEFINED or (isinstance(found, tuple) and UNDEFINED in found):
            raise TooLarge("a statistic has a value at which nothing is defined.", value=vector)
        return found

    # -- cells that draw something else ------------------------------------------------------------------------------

    @cached_property
    def _rows_scale(self) -> int | None:
        """A denominator of all that the cell draws for given sums; None if it draws nothing, or noise around a sum."""
        if self._noise is not None or not self.inner.program.coins:
            return None
        if not all(coin.kinds <= {Fraction, int} for coin in self.inner.program.coins):
            raise TooLarge("what is drawn for a random sum has irrational weights.", value=self.inner.program)
        sizes = math.prod(high - low + 1 for low, high in self.given.ends)
        outcomes = max(len(coin.outcomes) for coin in self.inner.program.coins)
        if sizes * outcomes > _MOST_OUTPUTS:
            raise TooLarge("too many values of a random sum draw something.", value=sizes)
        return math.lcm(*[weight.denominator for row in self._rows.values() for weight in row.weights])

    @cached_property
    def _rows(self) -> Mapping[tuple[int, ...], Row]:
        """The distribution of the cell for each reachable value of the sums."""
        reached = {tuple([0] * self._width)}
        blocks = [*[(one, 1) for one in self.given.others], *[(None, 1)] * self.entries]
        every = tuple({vector: None for kind in self.given.kinds for vector, _ in kind})
        for one, _ in checkpoints(blocks, 1):
            vectors = every if one is None else [vector for vector, _ in one]
            reached = {tuple(map(sum, zip(a, b, strict=True))) for a in reached for b in vectors}
            if len(reached) > _MOST_OUTPUTS:
                raise TooLarge("too many values of a random sum draw something.", value=len(reached))
        moved = [tuple(map(sum, zip(one, self.given.constant, strict=True))) for one in reached]
        ends = self.given.ends  # entries that contribute in different ways do not reach all of these
        possible = [v for v in moved if all(low <= one <= high for one, (low, high) in zip(v, ends, strict=True))]
        return {vector: self.inner.row(vector) for vector in sorted(possible)}

    def _mixed(self, terms: Iterable[tuple[tuple[int, ...], Any]]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        assert self._rows_scale is not None
        for vector, mass in terms:
            row = self._rows[vector]
            for y, weight in zip(row.outcomes, row.weights, strict=True):
                if weight:
                    more = mass * (weight.numerator * (self._rows_scale // weight.denominator))
                    known = found.get(y)
                    found[y] = more if known is None else known + more
        return found

    # -- contributions that tell less --------------------------------------------------------------------------------

    @cached_property
    def _passes_on(self) -> bool:
        """True if adding to the sums can be simulated from the output, as for the sums and geometric noise."""
        if self._noise is not None:
            return bool(self._noise[0].geometric)
        return self._one_to_one

    @cached_property
    def _one_to_one(self) -> bool:
        """True if the cell returns the sums themselves, perhaps among other things."""
        if self.inner.program.coins:
            return False
        output = self.inner.program.output
        items = getattr(output, "items", (output,))
        returned = {item.index for item in items if isinstance(item, Input)}
        return returned == set(range(len(self.inner.program.inputs)))

    def telling(self, vectors: Sequence[Counts]) -> list[Counts]:
        """Return the ways of contributing, for unchanged entries, that hide the changed one least.

        A contribution that is another one plus independent noise is post-processing of that one.
        """
        if not self._passes_on or len(vectors) < 2:
            return list(vectors)
        kept: list[Counts] = []
        for own in vectors:
            if any(self._hides(own, other) for other in kept):
                continue
            kept = [other for other in kept if not self._hides(other, own)]
            kept.append(own)
        return kept

    def _hides(self, own: Counts, other: Counts) -> bool:
        """Return True if the contribution of one way is that of another plus independent noise."""
        kinds = [self._kinds[vector.index(1) if 1 in vector else len(self._kinds) - 1] for vector in (own, other)]
        more, less = (self._polynomial(kind, _least([v for v, _ in kind]), self._scale) for kind in kinds)
        if self._width > 1:
            context = flint.fmpq_mpoly_ctx.get([("z", self._width)], "lex")
            more, less = (context.from_dict(dict(one.to_dict())) for one in (more, less))
        else:
            more, less = flint.fmpq_poly(more), flint.fmpq_poly(less)
        quotient, remainder = divmod(more, less)
        return bool(remainder == 0) and all(mass >= 0 for mass in quotient.coeffs())

    # -- symmetries --------------------------------------------------------------------------------------------------

    @cached_property
    def _symmetries(self) -> list[tuple[int, ...]]:
        """Permutations of the ways to contribute that a permutation of the outputs undoes.

        Where no vector is an affine function of the others, every exchange of vectors is one of their sums.
        """
        count = len(self._kinds)
        plain = tuple(range(count))
        vectors = sorted({vector for kind in self._kinds for vector, _ in kind})
        if count > _MOST_SYMMETRIC or self._others or not self._one_to_one or not _independent(vectors):
            return [plain]
        kinds = [dict(kind) for kind in self._kinds]
        columns = sorted([tuple([kind.get(vector, 0) for kind in kinds]) for vector in vectors])
        return [
            order
            for order in permutations(range(count))
            if sorted([tuple([column[place] for place in order]) for column in columns]) == columns
        ]

    def likeness(self, own: Counts, primed: Counts) -> Any:
        """Return a key shared by pairs that a permutation of the outputs turns into each other."""
        wholes = self._whole(own), self._whole(primed)
        if len(self._symmetries) == 1:
            return wholes
        return min(tuple([tuple([side[place] for place in order]) for side in wholes]) for order in self._symmetries)


class MixedLoss:
    """The loss between two values of a mixture; its atoms are made at first use."""

    above = None
    rho = None

    def __init__(self, number: int, kernel: Mixture, own: Counts, primed: Counts) -> None:
        self.number, self.kernel, self.own, self.primed = number, kernel, own, primed

    def masses(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the outputs, and their masses on both sides, times the scale."""
        first, second = self.kernel.masses(self.own), self.kernel.masses(self.primed)
        outputs = list(dict.fromkeys([*first, *second]))
        return outputs, [first.get(y, 0) for y in outputs], [second.get(y, 0) for y in outputs]

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms, the smallest ratio first."""
        return self._made[0]

    @property
    def output(self) -> Any:
        """An output with the largest ratio."""
        return self._made[1]

    @property
    def ratio(self) -> Any:
        return self.atoms[-1].ratio

    @cached_property
    def _made(self) -> tuple[tuple[Atom, ...], Any]:
        outputs, own, other = self.masses()
        groups: dict[Any, list[Any]] = {}
        for y, a, b in zip(outputs, own, other, strict=True):
            ratio = Fraction(int(a), int(b)) if b else INFINITY
            known = groups.get(ratio)
            groups[ratio] = [a, b, y] if known is None else [known[0] + a, known[1] + b, known[2]]
        scale = self.kernel.scale
        ordered = sorted(groups.items(), key=lambda one: one[0])
        atoms = [Atom(ratio, Fraction(int(a), scale), Fraction(int(b), scale)) for ratio, (a, b, _) in ordered]
        return tuple(atoms), ordered[-1][1][2]


def _times(one: Contribution, factor: int) -> Contribution:
    return tuple([(tuple([factor * part for part in vector]), mass) for vector, mass in one])


def _least(vectors: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(map(min, zip(*vectors, strict=True)))


def _distance(one: Counts, other: Counts) -> int:
    return sum([abs(a - b) for a, b in zip(one, other, strict=True)])


def _places(one: Counts, other: Counts) -> list[int]:
    """Return the ways of which there are more in one."""
    return [place for place, (a, b) in enumerate(zip(one, other, strict=True)) if a > b]


def _independent(vectors: Sequence[tuple[int, ...]]) -> bool:
    """Return True if no vector is an affine function of the others."""
    rows = [[*vector, 1] for vector in vectors]
    return bool(flint.fmpz_mat(rows).rank() == len(rows))
