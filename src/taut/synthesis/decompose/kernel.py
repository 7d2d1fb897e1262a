"""Kernels: the distribution of a cell for each value of its statistics, and the loss between two values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import compile_program
from taut.inference.channel import Channel
from taut.inference.fold import require_total
from taut.program import UNDEFINED, Coin, Const, Input, Program, Select
from taut.program.enumerator import enumerate_outcomes, evaluate
from taut.program.program import reachable
from taut.questions.loss import Atom
from taut.support.errors import TooLarge
from taut.support.exact import INFINITY, Ball, ends, largest, quotient
from taut.support.limits import checkpoint, checkpoints
from taut.support.options import active
from taut.support.process import cached_property
from taut.synthesis.decompose.directions import Directions, directions_of
from taut.synthesis.decompose.draws import OneDraw, one_draw, total
from taut.synthesis.decompose.translation import (
    Processed,
    Translation,
    geometric_atoms,
    processed,
    translation_of,
    translation_of_sum,
)

__all__ = ["MOST_COMPILED", "Kernel", "Loss", "Row"]

_MOST_OUTCOMES = 1 << 16
MOST_COMPILED = 1 << 9
"""Limit for the values of statistics for which diagrams are compiled."""
_FEW_RUNS = 1 << 8
"""Number of runs up to which enumeration is quicker than a diagram."""
_SLACK = 1e-9
"""Margin above the rounding errors of a logarithm."""


@dataclass(frozen=True, eq=False)
class Row:
    """A distribution: outcomes and their weights."""

    outcomes: Sequence[Any]
    weights: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Loss:
    """The loss distribution of two distributions: its atoms, the smallest ratio first.

    ``number`` is the same for equal atoms; ``output`` has the largest ratio.
    """

    number: int
    atoms: tuple[Atom, ...]
    output: Any
    above: tuple[Atom, ...] | None = None
    """Atoms of a wider pair, of which this pair and all others at its distance are functions."""
    rho: Fraction | None = None
    """An upper limit of rho, where a theorem gives one; None elsewhere."""

    @property
    def ratio(self) -> Any:
        """The largest ratio of an output that the first distribution has."""
        return self.atoms[-1].ratio


class Kernel:
    """The distribution of a cell for every value of its statistics; equal cells share one kernel.

    Losses are found once for each pair of values, and numbered so that equal ones have one number.
    """

    def __init__(self, number: int, program: Program) -> None:
        self.number, self.program = number, program
        self._rows: dict[tuple[Any, ...], Row] = {}
        self._losses: dict[tuple[tuple[Any, ...], tuple[Any, ...]], Loss] = {}
        self._numbers: dict[Any, Loss] = {}
        self._quotients: dict[tuple[int, int], Any] = {}
        self._compiled = 0
        self._codes: dict[tuple[Any, ...], npt.NDArray[np.int32]] = {}
        self._columns: dict[Any, int] = {}
        self._weights: dict[int, int] = {}
        self._distinct: dict[Any, int] = {}

    def require_few(self, values: int) -> None:
        """Refuse more values of the statistics than can be compiled, where coins with many runs are looked at."""
        if values > MOST_COMPILED and self._several and self._directions is None:
            raise TooLarge("too many values of statistics need a diagram each.", value=values)

    @cached_property
    def _several(self) -> bool:
        """True if coins with many runs are looked at together, at the first or the last value of every statistic."""
        for place in (0, -1):
            values = tuple([variable.values[place] for variable in self.program.inputs])
            fixed = self.program.fix(values[0] if len(values) == 1 else values) if values else self.program
            used = [
                len(fixed.coins[term.index].outcomes) for term in reachable([fixed.output]) if isinstance(term, Coin)
            ]
            if len(used) > 1 and math.prod(used) > _FEW_RUNS:
                return True
        return False

    def row(self, values: tuple[Any, ...]) -> Row:
        """Return the distribution of the output where the statistics have these values."""
        found = self._rows.get(values)
        if found is None:
            checkpoint()
            if self.processed is not None:
                masses = self.processed.row(self.processed.noise.centers[values[0]])
                found = Row(tuple(masses), tuple(masses.values()))
            else:
                found = self._chosen(values) or self._computed(values)
            self._rows[values] = found
        return found

    def _rows_of(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> tuple[Row, Row]:
        """Return two rows, or what is told by them: outcomes of one ratio may be one."""
        if self.processed is None:
            return self.row(values), self.row(others)
        centers = self.processed.noise.centers
        shares = list(self.processed.shares(centers[values[0]], centers[others[0]]))
        outcomes, own, other = zip(*shares, strict=True)
        return Row(outcomes, own), Row(outcomes, other)

    def likeness(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> Any:
        """Return a key that only pairs of values with equal losses share: the counts of their pairs of weights."""
        found = self.translation
        if found is not None and found.geometric:
            return abs(found.centers[others[0]] - found.centers[values[0]])
        distance = self._unjoined(values, others)
        if distance is not None:
            return abs(distance)
        if self.processed is not None:
            return self.processed.pattern(*[self.processed.noise.centers[side[0]] for side in (values, others)])
        own, other = self._coded(values), self._coded(others)
        width = max(len(own), len(other))
        codes = np.zeros(width, np.int64)
        codes[: len(own)] = own.astype(np.int64) << 32
        codes[: len(other)] += other
        codes.sort()
        return codes[np.searchsorted(codes, 1) :].tobytes()

    def _coded(self, values: tuple[Any, ...]) -> npt.NDArray[np.int32]:
        """Return the row of some values as numbers of weights, 0 for none, in the order of all outcomes met so far."""
        found = self._codes.get(values)
        if found is None:
            row, columns, numbers = self.row(values), self._columns, self._weights
            weights = [(columns.setdefault(y, len(columns)), w) for y, w in zip(row.outcomes, row.weights, strict=True)]
            found = np.zeros(len(columns), np.int32)
            for column, weight in weights:
                number = numbers.get(id(weight))
                if number is None:
                    self._kept.append(weight)  # so that nothing else has its number
                    if isinstance(weight, Ball) or weight != 0:
                        number = self._distinct.setdefault(weight, len(self._distinct) + 1)
                    numbers[id(weight)] = number = number or 0
                found[column] = number
            self._codes[values] = found
        return found

    def loss(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> Loss:
        """Return the loss between two values of the statistics."""
        found = self._losses.get((values, others))
        if found is None:
            checkpoint()
            found = self._translated(values, others) or self.compared(*self._rows_of(values, others))
            if self.translation is not None:
                centers = self.translation.centers
                found = replace(found, rho=self.translation.concentrated(centers[others[0]] - centers[values[0]]))
            self._losses[values, others] = found
        return found

    # -- translation -------------------------------------------------------------------------------------------------

    @cached_property
    def translation(self) -> Translation | None:
        """The noise that the cell draws around a centre, if that is what it does."""
        output, coins = self.program.output, self.program.coins
        added = translation_of_sum(self.program)
        if added is not None:
            return added
        if not isinstance(output, Select) or any(type(item) is not Coin for item in output.items):
            return None
        rows = {k: coins[item.index] for k, item in zip(output.keys, output.items, strict=True)}  # type: ignore[attr-defined]
        if isinstance(output.index, Input):
            return translation_of(rows)
        if len(self.program.inputs) != 1 or any(isinstance(term, Coin) for term in reachable([output.index])):
            return None
        values = self.program.inputs[0].values  # the centre is a function of the statistic
        chosen = {value: evaluate(output.index, (value,), {}) for value in checkpoints(values, 256)}
        if not all(center in rows for center in chosen.values()):
            return None
        return translation_of({value: rows[center] for value, center in chosen.items()})

    @cached_property
    def processed(self) -> Processed | None:
        """The function of geometric noise around a centre that the cell returns, if that is what it does."""
        return None if self.translation is not None else processed(self.program, _MOST_OUTCOMES)

    def _unjoined(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> int | None:
        """Return the distance of two centres at which a function of the noise reveals as much as the noise itself."""
        found = self.processed
        if found is None:
            return None
        own, other = (found.noise.centers[side[0]] for side in (values, others))
        return other - own if found.tells_all(own, other) else None

    @property
    def exactly_translated(self) -> bool:
        """True unless the cell draws noise whose clamping matters, in which case not all losses are computed."""
        return self.translation is None or self.translation.geometric

    def _translated(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> Loss | None:
        """Return the loss of two centres of geometric noise, which depends on their difference alone."""
        found, function = self.translation, self.processed
        if found is None or not found.geometric:
            distance = self._unjoined(values, others)
            if distance is None:
                return None
            assert function is not None
            found = function.noise
        else:
            distance = found.centers[others[0]] - found.centers[values[0]]
        known = self._by_distance.get(abs(distance))
        if known is None:
            known = self._by_distance[abs(distance)] = geometric_atoms(found.noise.ratio, distance)
        center = found.centers[values[0]]
        return self._registered(known, center if function is None else function.images[center - found.low])

    def widest(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> Loss:
        """Return the loss of two centres, with that of the widest interval, which no pair at this distance exceeds."""
        found, own = self.translation, self.loss(values, others)
        assert found is not None
        if found.geometric:
            return own
        distance = found.centers[others[0]] - found.centers[values[0]]
        if distance not in self._by_distance:
            rows = [Row(*row) for row in found.widest(distance)]
            self._by_distance[distance] = self.compared(*rows).atoms
        return replace(own, above=self._by_distance[distance])

    @cached_property
    def _by_distance(self) -> dict[int, tuple[Atom, ...]]:
        return {}

    def best(self, values: tuple[Any, ...], others: tuple[Any, ...]) -> Loss:
        """Return the largest ratio of an output alone, as the only atom of a loss."""
        found = self._translated(values, others)
        if found is not None:
            return found
        outcomes, weights, weights_prime = _aligned(*self._rows_of(values, others))
        ratios = [self._quotient(a, b) for a, b in zip(weights, weights_prime, strict=True)]
        logs = self._logs
        about = [-math.inf if ratio is None else logs[id(ratio)] for ratio in ratios]
        top = max(about)
        near = (
            [place for place, log in enumerate(about) if log >= top - _SLACK * (1 + abs(top))] if top < math.inf else []
        )
        candidates = {id(ratios[place]): place for place in near} if near else {0: about.index(top)}
        best = largest([ratios[place] for place in candidates.values()])
        shown = max(candidates.values(), key=lambda place: sum(ends(ratios[place])))
        return self._registered((Atom(best, None, None),), outcomes[shown])

    def _quotient(self, a: Any, b: Any) -> Any:
        """Return the ratio of two weights, found once."""
        pair = (id(a), id(b))
        ratio = self._quotients.get(pair, self._quotients)
        if ratio is self._quotients:
            ratio = quotient(a, b)
            self._kept.append((a, b, ratio))  # so that nothing else has their numbers
            if ratio is not None:
                self._logs[id(ratio)] = _log(ratio)
            self._quotients[pair] = ratio  # the last, so that an interruption leaves no number without its parts
        return ratio

    # -- rows --------------------------------------------------------------------------------------------------------

    @cached_property
    def _table(self) -> dict[Any, Row] | None:
        """The row that each value of a single statistic chooses, where the cell returns a draw from it."""
        output, coins = self.program.output, self.program.coins
        if not (isinstance(output, Select) and isinstance(output.index, Input)):
            return None
        if not all(isinstance(item, (Coin, Const)) for item in output.items):
            return None
        table: dict[Any, Row] = {}
        for key, item in zip(output.keys, output.items, strict=True):
            if isinstance(item, Coin):
                row = Row(coins[item.index].outcomes, coins[item.index].weights)
            else:
                assert isinstance(item, Const)
                row = Row((item.value,), (Fraction(1),))
            table.setdefault(key, row)
        return table

    def _chosen(self, values: tuple[Any, ...]) -> Row | None:
        return None if self._table is None or len(values) != 1 else self._table.get(values[0])

    def _computed(self, values: tuple[Any, ...]) -> Row:
        """Return the distribution of the program for these values, from the terms or from a diagram."""
        classes = self._directions
        if classes is not None:
            shares = zip(classes.outputs, classes.masses[values], strict=True)
            masses: dict[Any, Any] = {output: mass for output, mass in shares if mass}
            require_total(self.program.name, masses.values())
            return Row(tuple(masses), tuple(masses.values()))
        x = values[0] if len(values) == 1 else values
        drawn = None if self._one_draw is None else self._one_draw.row(x)
        if drawn is not None:
            require_total(self.program.name, drawn.values())
            return Row(tuple(drawn), tuple(drawn.values()))
        fixed = self.program.fix(x)
        used = [term for term in reachable([fixed.output]) if isinstance(term, Coin)]
        if len(used) <= 1:
            coin = fixed.coins[used[0].index] if used else None
            masses = {}
            outcomes = [(None, Fraction(1))] if coin is None else zip(coin.outcomes, coin.weights, strict=True)
            for outcome, weight in checkpoints(outcomes, 256):
                value = evaluate(fixed.output, (), {used[0].index: outcome} if used else {})
                if value is UNDEFINED or (isinstance(value, tuple) and UNDEFINED in value):
                    raise TooLarge("a statistic has a value at which nothing is defined.", value=values)
                masses[value] = masses[value] + weight if value in masses else weight
        elif math.prod([len(fixed.coins[term.index].outcomes) for term in used]) <= _FEW_RUNS:
            masses = enumerate_outcomes(fixed, ())
        else:
            self._compiled += 1
            if self._compiled > MOST_COMPILED:
                raise TooLarge("too many values of statistics need a diagram each.", value=self._compiled)
            masses = Channel(compile_program(fixed, active()), ()).distribution((), "auto", _MOST_OUTCOMES)
        require_total(self.program.name, masses.values())
        return Row(tuple(masses), tuple(masses.values()))

    @cached_property
    def _one_draw(self) -> OneDraw | None:
        return one_draw(self.program)

    @cached_property
    def _directions(self) -> Directions | None:
        """Classes of outputs with equal likelihood ratios, where items are independent given few shared coins.

        They stand for the outputs at all values of the statistics or at none, since a class at one value and an output
        at another are not compared.
        """
        if math.prod([len(coin.outcomes) for coin in self.program.coins]) <= _FEW_RUNS:
            return None  # all values are enumerated in a moment
        return directions_of(self.program)

    # -- losses ------------------------------------------------------------------------------------------------------

    def compared(self, own: Row, other: Row) -> Loss:
        """Return the loss of two rows."""
        groups: dict[Any, list[int]] = {}
        outcomes, weights, weights_prime = _aligned(own, other)
        for place, (a, b) in enumerate(zip(weights, weights_prime, strict=True)):
            ratio = self._quotient(a, b)
            if ratio is not None:
                groups.setdefault(ratio, []).append(place)
        return self._numbered(groups, weights, weights_prime, outcomes)

    @cached_property
    def _logs(self) -> dict[int, float]:
        """Approximate logarithms of ratios, by which the largest are found."""
        return {}

    @cached_property
    def _kept(self) -> list[Any]:
        return []

    def _numbered(
        self,
        groups: dict[Any, list[int]],
        weights: Sequence[Any],
        weights_prime: Sequence[Any],
        outcomes: Sequence[Any],
    ) -> Loss:
        sums = [
            (ratio, *[total([row[p] for p in places]) for row in (weights, weights_prime)], places[0])
            for ratio, places in groups.items()
        ]
        sums.sort(key=lambda one: one[0] if one[0] == INFINITY else getattr(one[0], "mid", one[0]))
        return self._registered(tuple([Atom(*one[:3]) for one in sums]), outcomes[sums[-1][3]])

    def _registered(self, atoms: tuple[Atom, ...], output: Any) -> Loss:
        """Return the loss with these atoms; equal losses have one number."""
        found = self._numbers.get(atoms)
        if found is None:
            if atoms[0].mass is not None:
                require_total(self.program.name, [atom.mass for atom in atoms])
                require_total(self.program.name, [atom.mass_prime for atom in atoms])
            found = self._numbers[atoms] = Loss(len(self._numbers), atoms, output)
        return replace(found, output=output)


def _aligned(own: Row, other: Row) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Return the outcomes of two rows, and the weights of each in both."""
    if own.outcomes is other.outcomes or own.outcomes == other.outcomes:
        return own.outcomes, own.weights, other.weights
    first, second = (dict(zip(row.outcomes, row.weights, strict=True)) for row in (own, other))
    outcomes = list(dict.fromkeys([*own.outcomes, *other.outcomes]))
    return outcomes, [first.get(y, 0) for y in outcomes], [second.get(y, 0) for y in outcomes]


def _log(ratio: Any) -> float:
    """Return the approximate logarithm of a ratio."""
    if isinstance(ratio, Ball):
        return float(ratio.arb.log().mid()) if ratio.arb > 0 else -math.inf
    if ratio == 0 or ratio == INFINITY:
        return math.inf if ratio else -math.inf
    return math.log(ratio.numerator) - math.log(ratio.denominator)
