"""The probability that independent continuous numbers satisfy linear inequalities, to any number of digits.

One number after the other is integrated out, as in Fourier-Motzkin elimination: between a bound below and a bound above
the integral of its density is a difference of antiderivatives at the bounds, which are functions of one other number
each. docs/continuous.md has the proof.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint

from taut.support.algebra.pieces import Calculus, Finer, Law, Pieces, denominators, support
from taut.support.algebra.polynomial import to_flint
from taut.support.limits import checkpoint

__all__ = ["Entangled", "Inequality", "chance", "feasible", "needed"]

Inequality = tuple[tuple[tuple[int, Fraction], ...], Fraction]
"""Factors of numbers by their places, in order of places, and the bound that the sum is at most."""
_BITS = (448, 896, 1792, 3584, 7168, 14336, 28672)
_RELATIVE = 280
"""Bits to which a probability is known, relative to it."""
_MOST_SPLITS = 20_000
_MOST_INEQUALITIES = 3000
_MOST_KEPT = 300_000
"""Terms of functions that a calculus keeps for the next probability."""


class Entangled(Exception):
    """Raised where the inequalities are too many, or of a kind, for which no probability is computed."""


def chance(laws: Sequence[Law], inequalities: Sequence[Inequality]) -> Any:
    """Return the probability that all inequalities hold, as a ball of Flint's; exactly 0 if they cannot hold.

    Guarantee:
        The ball contains the probability; it is the exact number 0, or its radius is below 2^-280 times its middle.

    Raises:
        Entangled: an inequality has three different numbers, no two of which occur in the same proportion
            everywhere, or the inequalities are too many.
    """
    merged, rest = _merged(laws, inequalities)
    if any(len(factors) > 2 for factors, _ in rest):
        raise Entangled("a comparison involves more than two noise variables that occur elsewhere in other proportions")
    unit = math.lcm(1, *map(denominators, merged))
    possible = False
    for bits in _BITS:
        while True:
            calculus = _calculus(bits, unit)
            try:
                with calculus.precision():
                    value = _Integration(calculus, merged).value(rest)
                break
            except Finer as finer:
                unit *= finer.factor
        with calculus.precision():
            if value.is_exact() and value == 0:
                return value
            if not value.contains(0) and value.rad() < value.mid() * flint.arb(2) ** -_RELATIVE:
                return value
        if not possible and value.contains(0):
            if not feasible(merged, rest):
                return flint.arb(0)
            possible = True
    raise Entangled("the probability of the comparisons is too small to be told from 0")


@functools.lru_cache(maxsize=3)
def _fresh(bits: int, unit: int) -> list[Calculus]:
    return [Calculus(bits, unit)]


def _calculus(bits: int, unit: int) -> Calculus:
    """Return the calculus with these parameters, a new one when it holds too much."""
    held = _fresh(bits, unit)
    if held[0].size > _MOST_KEPT:
        held[0] = Calculus(bits, unit)
    return held[0]


# -- numbers that occur together ---------------------------------------------------------------------------------------


def _merged(laws: Sequence[Law], inequalities: Sequence[Inequality]) -> tuple[list[Law], list[Inequality]]:
    """Put one number in the place of several that occur in the same proportion in all inequalities."""
    columns: dict[int, dict[int, Fraction]] = {}
    for row, (factors, _) in enumerate(inequalities):
        for place, factor in factors:
            columns.setdefault(place, {})[row] = factor
    groups: dict[Any, list[tuple[int, Fraction]]] = {}
    for place, column in sorted(columns.items()):
        lead = next(iter(column.values()))
        shape = tuple([(row, factor / lead) for row, factor in column.items()])
        groups.setdefault(shape, []).append((place, lead))
    made: list[Law] = []
    rows: list[list[tuple[int, Fraction]]] = [[] for _ in inequalities]
    for shape, members in groups.items():
        place, scale = len(made), Fraction(1)
        if len(members) == 1:
            made.append(laws[members[0][0]])
            scale = members[0][1]
        else:
            made.append(("sum", tuple(sorted([(factor, laws[index]) for index, factor in members], key=repr))))
        for row, factor in shape:
            rows[row].append((place, factor * scale))
    return made, [(tuple(sorted(row)), bound) for row, (_, bound) in zip(rows, inequalities, strict=True)]


# -- elimination -------------------------------------------------------------------------------------------------------


class _State:
    """The numbers not yet integrated out: their factors of the integrand, their ends, inequalities between pairs."""

    def __init__(self, factors: dict[int, tuple[int, ...]]) -> None:
        self.factors = factors
        self.ends: dict[int, tuple[Any, Any]] = {}
        self.pairs: dict[tuple[int, int, Any], Any] = {}
        """The least bound of x + slope y, or -x + slope y (see _key), by the numbers and the slope."""

    def copy(self) -> _State:
        made = _State(dict(self.factors))
        made.ends, made.pairs = dict(self.ends), dict(self.pairs)
        return made

    def require(self, factors: Sequence[tuple[int, Any]], bound: Any) -> bool:
        """Add an inequality; returns False if it cannot hold."""
        if not factors:
            return bool(bound > 0)
        if len(factors) == 1:
            (place, factor) = factors[0]
            low, high = self.ends.get(place, (None, None))
            end = bound / factor
            if factor > 0:
                high = end if high is None else min(high, end)
            else:
                low = end if low is None else max(low, end)
            self.ends[place] = low, high
            return low is None or high is None or bool(low < high)
        (x, a), (y, b) = sorted(factors)
        size = a if a > 0 else -a
        key = (x if a > 0 else ~x, y, _pair(b / size))
        known = self.pairs.get(key)
        bound = bound / size
        self.pairs[key] = bound if known is None else min(known, bound)
        return True

    def take(self, place: int) -> tuple[list[Any], list[Any]]:
        """Remove the inequalities of a number; returns its bounds above and below as (number, factor, shift)."""
        above: list[Any] = []
        below: list[Any] = []
        for key in [key for key in self.pairs if place in (key[1], key[0] if key[0] >= 0 else ~key[0])]:
            bound = self.pairs.pop(key)
            x, a = (key[0], flint.fmpq(1)) if key[0] >= 0 else (~key[0], flint.fmpq(-1))
            y, b = key[1], flint.fmpq(*key[2])
            other, own, factor = (y, a, b) if x == place else (x, b, a)
            (above if own > 0 else below).append((other, -factor / own, bound / own))
        return above, below

    def neighbors(self) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {place: set() for place in self.factors}
        for x, y, _ in self.pairs:
            x = x if x >= 0 else ~x
            found[x].add(y)
            found[y].add(x)
        return found


class _Integration:
    """Integrates numbers out until a probability is left."""

    def __init__(self, calculus: Calculus, laws: Sequence[Law]) -> None:
        self.calculus = calculus
        self.laws = laws
        self._splits = 0
        self._by_number: dict[int, Pieces] = {}

    def value(self, inequalities: Sequence[Inequality]) -> Any:
        state = _State({place: (self._noted(self.calculus.density(law)),) for place, law in enumerate(self.laws)})
        for factors, bound in inequalities:
            if not state.require([(place, to_flint(factor)) for place, factor in factors], to_flint(bound)):
                return flint.arb(0)
        return self._left(state)

    def _noted(self, f: Pieces) -> int:
        self._by_number[f.number] = f
        return f.number

    def _left(self, state: _State) -> Any:
        """Return the integral over all numbers that are left."""
        self._splits += 1
        if self._splits > _MOST_SPLITS:
            raise Entangled("the comparisons between noise variables are too many and too entangled")
        result = flint.arb(1)
        while state.factors:
            checkpoint()
            neighbors = state.neighbors()
            place = min(neighbors, key=lambda one: (len(neighbors[one]), one))
            density = self._product(state.factors.pop(place))
            low, high = state.ends.pop(place, (None, None))
            if low is not None or high is not None:
                key = "within", density.number, _pair(low), _pair(high)
                density = self.calculus.known(key, functools.partial(self.calculus.within, density, low, high))
            self._noted(density)
            if not neighbors[place]:
                result = result * self.calculus.total(density)
                if result.is_exact() and result == 0:
                    return result
                continue
            above, below = state.take(place)
            if len(neighbors[place]) == 1:
                (other,) = neighbors[place]
                message = self._message(density, [line[1:] for line in above], [line[1:] for line in below])
                _multiply(state, other, self._noted(message))
                continue
            return result * self._split(state, density, above, below)
        return result

    def _product(self, numbers: tuple[int, ...]) -> Pieces:
        """Return the product of functions; products of the first ones are kept as well."""
        found = self._by_number[numbers[0]]
        for place in range(1, len(numbers)):
            make = functools.partial(self.calculus.product, found, self._by_number[numbers[place]])
            found = self.calculus.known(("product", numbers[: place + 1]), make)
        self._noted(found)
        return found

    def _message(self, density: Pieces, above: list[Any], below: list[Any]) -> Pieces:
        """Return the integral of a function between bounds, as a function of the number that the bounds depend on."""
        spelled = tuple([tuple(sorted([(_pair(a), _pair(b)) for a, b in lines])) for lines in (above, below)])
        key = ("message", density.number, *spelled)
        return self.calculus.known(key, lambda: self._between(density, above, below))

    def _between(self, density: Pieces, above: list[Any], below: list[Any]) -> Pieces:
        calculus = self.calculus
        if len(above) == 1 and not below:
            return calculus.moved(calculus.below(density), *above[0])
        if len(below) == 1 and not above:
            return calculus.moved(calculus.above(density), *below[0])
        lines = [*above, *below]
        cuts = sorted({(b - d) / (c - a) for (a, b), (c, d) in itertools.combinations(lines, 2) if a != c})
        places = [cuts[0] - 1, *[(p + q) / 2 for p, q in itertools.pairwise(cuts)], cuts[-1] + 1] if cuts else [0]
        total: Pieces | None = None
        top: Any
        bottom: Any
        for low, high, middle in zip((None, *cuts), (*cuts, None), places, strict=True):
            top = min(above, key=lambda line: line[0] * middle + line[1], default=None)
            bottom = max(below, key=lambda line: line[0] * middle + line[1], default=None)
            if top is None or bottom is None:
                one = calculus.below(density) if bottom is None else calculus.above(density)
                factor, shift = top if bottom is None else bottom
                part = calculus.moved(one, factor, shift)
            elif top[0] * middle + top[1] <= bottom[0] * middle + bottom[1]:
                continue
            else:
                whole = calculus.below(density)
                lower = calculus.moved(whole, *bottom)
                minus = calculus.product(lower, Pieces([], [{(0, 0): flint.arb(-1)}]))
                part = calculus.sum(calculus.moved(whole, *top), minus)
            part = calculus.within(part, low, high)
            total = part if total is None else calculus.sum(total, part)
        return Pieces([], [{}]) if total is None else total

    def _split(self, state: _State, density: Pieces, above: list[Any], below: list[Any]) -> Any:
        """Return the integral where bounds depend on several numbers: apart for each that may be the closest.

        The integral between the bounds is G(least bound above) - G(greatest below), G being an antiderivative, where
        all bounds below are below all bounds above, and 0 elsewhere.
        """
        total = flint.arb(0)
        signs = [*[(line, 1) for line in above], *[(line, -1 if above else 1) for line in below]]
        for own, sign in signs:
            made = state.copy()
            lower = all(_ordered(made, own, line) for line in above if line is not own)
            if lower and all(_ordered(made, line, own) for line in below if line is not own):
                message = self._message(density, [own[1:]], []) if above else self._message(density, [], [own[1:]])
                _multiply(made, own[0], self._noted(message))
                total = total + sign * self._left(made)
        return total


def _multiply(state: _State, place: int, number: int) -> None:
    state.factors[place] = tuple(sorted((*state.factors[place], number)))


def _ordered(state: _State, low: Any, high: Any) -> bool:
    """Require that one bound is at most another; returns False if it cannot be."""
    (x, a, b), (y, c, d) = low, high
    if x != y:
        return state.require([(x, a), (y, -c)], d - b)
    return state.require([(x, a - c)] if a != c else [], d - b)


def _pair(value: Any) -> Any:
    return None if value is None else (int(value.p), int(value.q))


# -- what can hold at all ----------------------------------------------------------------------------------------------


def feasible(laws: Sequence[Law], inequalities: Sequence[Inequality]) -> bool:
    """Return True if the inequalities hold with positive probability: with '<' in place of '<=' at some numbers.

    Raises:
        Entangled: there are too many inequalities to tell.
    """
    rows: dict[Any, Fraction] = {}
    used = {place for factors, _ in inequalities for place, _ in factors}
    ends = [(place, end, sign) for place in used for end, sign in zip(support(laws[place]), (-1, 1), strict=True)]
    bounded = [(((place, Fraction(sign)),), sign * end) for place, end, sign in ends if end is not None]
    for factors, bound in [*inequalities, *bounded]:
        if not _note(rows, dict(factors), bound):
            return False
    while used:
        place = min(used, key=lambda one: _made_by(rows, one))
        used.discard(place)
        above: list[Any] = []
        below: list[Any] = []
        rest: dict[Any, Fraction] = {}
        for factors, bound in rows.items():
            own = dict(factors)
            factor = own.pop(place, None)
            if factor is None:
                rest[factors] = bound
            else:
                size = abs(factor)
                scaled = {other: f / size for other, f in own.items()}, bound / size
                (above if factor > 0 else below).append(scaled)
        rows = rest
        for (f, b), (g, c) in itertools.product(above, below):
            both = {other: f.get(other, Fraction(0)) + g.get(other, Fraction(0)) for other in {**f, **g}}
            if not _note(rows, both, b + c):
                return False
        if len(rows) > _MOST_INEQUALITIES:
            raise Entangled("the comparisons between noise variables are too many and too entangled")
    return True


def needed(laws: Sequence[Law], inequalities: Sequence[Inequality]) -> tuple[Inequality, ...]:
    """Return the inequalities without those that follow from the others."""
    kept = list(inequalities)
    for one in inequalities:
        rest = [other for other in kept if other is not one]
        factors, bound = one
        if not feasible(laws, [*rest, (tuple([(place, -factor) for place, factor in factors]), -bound)]):
            kept = rest
    return tuple(kept)


def _note(rows: dict[Any, Fraction], factors: dict[int, Fraction], bound: Fraction) -> bool:
    """Add a strict inequality in a standard form; returns False if it says 0 < 0 or worse."""
    items = sorted([(place, factor) for place, factor in factors.items() if factor])
    if not items:
        return bound > 0
    size = abs(items[0][1])
    key = tuple([(place, factor / size) for place, factor in items])
    rows[key] = min(bound / size, rows.get(key, bound / size))
    return True


def _made_by(rows: dict[Any, Fraction], place: int) -> int:
    signs: list[bool] = [factor > 0 for factors in rows for other, factor in factors if other == place]
    return sum(signs) * (len(signs) - sum(signs))
