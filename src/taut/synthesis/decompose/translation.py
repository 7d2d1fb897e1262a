"""Translation: noise that is the same around every centre, so that only the difference of two centres matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.diagrams.compile.linear import all_parts, is_linear
from taut.program import UNDEFINED, Apply, Coin, CoinVariable, Const, Input, Program, Select, Term, Terms
from taut.program.enumerator import evaluate
from taut.program.noise import Noise, Shifted
from taut.program.program import children, substituted
from taut.questions.loss import Atom
from taut.support.exact import ends
from taut.support.limits import checkpoints
from taut.support.process import cached_property

__all__ = [
    "Processed",
    "Translation",
    "adds_noise",
    "geometric_atoms",
    "processed",
    "translation_of",
    "translation_of_sum",
]

_FEW = 1 << 12


@dataclass(frozen=True, eq=False)
class Translation:
    """A cell that draws noise around a centre, clamped to an interval in which all centres lie.

    ``centers`` has the centre for each value of its statistic, which is ``slope`` times that plus a constant.
    """

    noise: Noise
    low: int
    high: int
    centers: Mapping[Any, int]
    slope: int

    @property
    def wide(self) -> bool:
        """True if there are too many pairs of centres to enumerate in a moment."""
        return len(self.centers) * (self.high - self.low) > _FEW

    @property
    def geometric(self) -> bool:
        """True if the loss of two centres depends on their difference alone, whatever the interval."""
        return self.noise.ratio is not None

    def concentrated(self, distance: int) -> Fraction | None:
        """Return rho of two centres at a distance, by the theorem on discrete Gaussian noise; None for other noise."""
        if self.noise.variance is None:
            return None
        return Fraction(distance**2) / (2 * Fraction(ends(self.noise.variance)[0]))

    def widest(self, distance: int) -> tuple[Any, Any]:
        """Return two rows at a distance, of which every two rows of centres at that distance are a function."""
        least, most = min(self.centers.values()), max(self.centers.values())
        ends = self.low - most, self.high - least
        return self.noise.row(0, *ends), self.noise.row(distance, *ends)

    def up_to(self, outcome: int, center: int) -> Fraction:
        """Return the probability of all outcomes up to one, around a centre, where the noise is geometric."""
        r = self.noise.ratio
        assert r is not None
        if outcome < self.low:
            return Fraction(0)
        if outcome >= self.high:
            return Fraction(1)
        distance = outcome - center
        found = self._tails.get(distance)
        if found is None:
            below = distance < 0
            tail = r ** (-distance if below else distance + 1) / (1 + r)
            found = self._tails[distance] = Fraction(tail if below else 1 - tail)
        return found

    @cached_property
    def _tails(self) -> dict[int, Fraction]:
        return {}


def translation_of(rows: Mapping[Any, CoinVariable]) -> Translation | None:
    """Return the noise that all rows have in common; None if there is none."""
    weights = [coin.weights for coin in rows.values()]
    first = weights[0] if weights else None
    if not isinstance(first, Shifted):
        return None
    place = (first.noise.key, first.low, first.high)
    centers: dict[Any, int] = {}
    for key, own in zip(rows, weights, strict=True):
        if not isinstance(own, Shifted) or (own.noise.key, own.low, own.high) != place:
            return None
        if not own.low <= own.center <= own.high:
            return None
        centers[key] = own.center
    slope = _slope(centers)
    return None if slope is None else Translation(first.noise, first.low, first.high, centers, slope)


class _Line(Mapping[Any, int]):
    """The centre ``slope`` times k plus a constant for each integer k of a range."""

    def __init__(self, keys: range, slope: int, constant: int) -> None:
        self._keys, self._slope, self._constant = keys, slope, constant

    def __getitem__(self, key: Any) -> int:
        if key not in self._keys:
            raise KeyError(key)
        return self._slope * int(key) + self._constant

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def translation_of_sum(program: Program) -> Translation | None:
    """Return the noise of a program that adds a coin to its one input and clamps the sum; None for others."""
    values = program.inputs[0].values if len(program.inputs) == 1 else ()
    upper, term = _end(program.output, "min")
    lower, term = _end(term, "max")
    if lower is None or upper is None or not values or not is_linear(term):
        return None
    if any(type(value) is not int for value in checkpoints(values, 4096)):
        return None
    slope, constant, coins = 0, 0, []
    for factor, part in all_parts(term):
        if isinstance(part, Const):
            constant += factor * part.value
        elif isinstance(part, Input):
            slope += factor
        elif isinstance(part, Coin) and factor == 1:
            coins.append(program.coins[part.index].weights)
        else:
            return None
    if len(coins) != 1 or not isinstance(coins[0], Shifted) or coins[0].noise.ratio is None:
        return None
    keys, own = range(min(values), max(values) + 1), coins[0]  # values of one entry are in the entry's order
    centers = _Line(keys, slope, constant + own.center)
    ends = [slope * key + constant for key in (keys[0], keys[-1])]
    if len(keys) != len(values) or max(ends) + own.low > lower or min(ends) + own.high < upper:
        return None  # the coin's own ends are seen
    if not lower <= min(ends) + own.center <= max(ends) + own.center <= upper:
        return None
    return Translation(own.noise, lower, upper, centers, slope)


def adds_noise(term: Term, coins: Sequence[CoinVariable]) -> bool:
    """Return True if a term adds noise to another term and clamps the sum, as noise around many centres is read."""
    for name in ("min", "max"):
        constant, term = _end(term, name)
        if constant is None:
            return False
    if not isinstance(term, Apply) or term.operation.name != "add" or len(term.args) != 2:
        return False
    noise = term.args[1]
    return isinstance(noise, Coin) and isinstance(coins[noise.index].weights, Shifted)


def _end(term: Term, name: str) -> tuple[int | None, Term]:
    """Return the constant of a maximum or minimum of two, and its other argument."""
    if isinstance(term, Apply) and term.operation.name == name and len(term.args) == 2:
        for constant, other in (term.args, term.args[::-1]):
            if isinstance(constant, Const) and type(constant.value) is int:
                return constant.value, other
    return None, term


def _slope(centers: Mapping[int, int]) -> int | None:
    """Return the whole number a, if every key k of integers has the centre a k + b; else None."""
    if not all(type(key) is int for key in centers):
        return None
    (key, center), *rest = centers.items()
    if not rest:
        return 0
    slope, remainder = divmod(rest[0][1] - center, rest[0][0] - key)
    if remainder or any(own - center != slope * (place - key) for place, own in rest):
        return None
    return slope


@dataclass(frozen=True, eq=False)
class Processed:
    """A function of geometric noise around a centre: ``images`` has its values from the low end on."""

    noise: Translation
    images: tuple[Any, ...]

    @cached_property
    def runs(self) -> list[tuple[Any, int, int]]:
        """Consecutive outcomes with one value: the value, the first outcome, and the last."""
        found: list[tuple[Any, int, int]] = []
        for outcome, image in enumerate(self.images, self.noise.low):
            if found and found[-1][0] == image:
                found[-1] = (image, found[-1][1], outcome)
            else:
                found.append((image, outcome, outcome))
        return found

    @cached_property
    def _reaching(self) -> list[int]:
        """For each outcome, the last outcome that shares its value with an earlier one."""
        ends: dict[Any, tuple[int, int]] = {}
        for image, first, last in self.runs:
            known = ends.setdefault(image, (first, last))
            ends[image] = (known[0], last)
        most, reaching = self.noise.low - 1, []
        starts = {first: last for first, last in ends.values() if first < last}
        for outcome in range(self.noise.low, self.noise.high + 1):
            reaching.append(most)
            most = max(most, starts.get(outcome, most))
        return reaching

    def tells_all(self, center: int, other: int) -> bool:
        """Return True if the outcomes that the function merges lie on one side of both centres."""
        least, most = sorted((center, other))
        return self._reaching[most - self.noise.low] <= least

    def row(self, center: int) -> dict[Any, Any]:
        """Return the distribution around a centre."""
        found = dict[Any, Any]()
        for image, first, last in self.runs:
            mass = self.noise.up_to(last, center) - self.noise.up_to(first - 1, center)
            found[image] = found[image] + mass if image in found else mass
        return found

    @cached_property
    def _joined(self) -> dict[Any, list[tuple[Any, int, int]]]:
        """The runs of each value."""
        found: dict[Any, list[tuple[Any, int, int]]] = {}
        for run in self.runs:
            found.setdefault(run[0], []).append(run)
        return found

    @cached_property
    def _several(self) -> list[tuple[int, int, Any]]:
        """The first and the last outcome of each value that has several."""
        ends = [(runs[0][1], runs[-1][2], key) for key, runs in self._joined.items()]
        return [(first, last, key) for first, last, key in ends if first < last]

    def shares(self, center: int, other: int) -> Iterator[tuple[Any, Fraction, Fraction]]:
        """Yield values with their masses around two centres: all that are beyond one of the centres as one value.

        All outcomes beyond a centre have one ratio, so values that have no others are told apart by nothing.
        """
        least, most = sorted((center, other))
        between = {self._image(outcome) for outcome in range(least + 1, most)}
        between.update(key for first, last, key in self._several if first < most and last > least)
        sums = [[self.noise.up_to(least, c), 1 - self.noise.up_to(most - 1, c)] for c in (center, other)]
        for key in between:
            masses = []
            for c, beyond in zip((center, other), sums, strict=True):
                mass = Fraction(0)
                for _, first, last in self._joined[key]:
                    cuts = [
                        self.noise.up_to(end, c) for end in (first - 1, min(last, least), max(first, most) - 1, last)
                    ]
                    mass += cuts[3] - cuts[0]
                    beyond[0] -= max(cuts[1] - cuts[0], Fraction(0))
                    beyond[1] -= max(cuts[3] - cuts[2], Fraction(0))
                masses.append(mass)
            yield self._joined[key][0][0], masses[0], masses[1]
        for side, outcomes in enumerate((range(least, self.noise.low - 1, -1), range(most, self.noise.high + 1))):
            if sums[0][side]:
                image = next(image for image in map(self._image, outcomes) if image not in between)
                yield image, sums[0][side], sums[1][side]

    def pattern(self, center: int, other: int) -> Any:
        """Return a key that only pairs of centres with equal losses share: what the function joins, as seen from the
        first centre.
        """
        least, most = sorted((center, other))
        known = self._patterns.get((least, most))
        if known is None:
            between = {self._image(outcome) for outcome in range(least + 1, most)}
            between.update(key for first, last, key in self._several if first < most and last > least)
            joined = [
                tuple([self._seen(first, last, least) for _, first, last in self._joined[key]]) for key in between
            ]
            known = self._patterns[least, most] = tuple(sorted(joined, key=repr))
        return other - center, known

    def _seen(self, first: int, last: int, center: int) -> tuple[int | str, int | str]:
        """Return the distances of consecutive outcomes from a centre; without an end where all beyond is clamped."""
        noise = self.noise
        return "low" if first == noise.low else first - center, "high" if last == noise.high else last - center

    @cached_property
    def _patterns(self) -> dict[tuple[int, int], Any]:
        return {}

    def _image(self, outcome: int) -> Any:
        return self.images[outcome - self.noise.low]


def processed(program: Program, most: int) -> Processed | None:
    """Return a program as a function of geometric noise around its input; None if it is none, or is too large."""
    drawn = drawn_noise(program.output, program.coins)
    if drawn is None or len(program.inputs) != 1:
        return None
    if isinstance(drawn, Select):
        if not isinstance(drawn.index, Input):
            return None
        coins = [program.coins[one.index] for one in drawn.items]  # type: ignore[attr-defined]
        noise = translation_of(dict(zip(drawn.keys, coins, strict=True)))
    else:
        noise = translation_of_sum(replace(program, output=drawn))
    if noise is None or not isinstance(noise.noise.ratio, Fraction) or not noise.noise.ratio:
        return None
    outcomes = range(noise.low, noise.high + 1)
    if len(outcomes) > most:
        return None
    terms = Terms()
    (output,) = substituted(terms, [program.output], [], program.coins, {}, {drawn: terms.input(0, outcomes)})
    images = tuple([evaluate(output, (outcome,), {}) for outcome in checkpoints(outcomes, 256)])
    defined = all(image is not UNDEFINED and not isinstance(image, tuple) for image in images)
    return Processed(noise, images) if defined else None


def drawn_noise(root: Term, coins: Sequence[CoinVariable]) -> Term | None:
    """Return the one term of noise around a centre of which a term is a function; None if it reads anything else."""
    found: dict[Term, None] = {}
    stack, seen = [root], {root}
    while stack:
        term = stack.pop()
        if adds_noise(term, coins) or (isinstance(term, Select) and all(type(one) is Coin for one in term.items)):
            found[term] = None
        elif isinstance(term, (Input, Coin)):
            return None
        else:
            more = [child for child in children(term) if child not in seen]
            seen.update(more)
            stack += more
    return next(iter(found)) if len(found) == 1 else None


def geometric_atoms(r: Any, distance: int) -> tuple[Atom, ...]:
    """Return the loss of two centres at a distance under geometric noise of ratio r, the smallest ratio first."""
    if distance == 0:
        return (Atom(Fraction(1), Fraction(1), Fraction(1)),)
    peak, tail, d = (1 - r) / (1 + r), 1 / (1 + r), abs(distance)
    atoms = [Atom(r**d, tail * r**d, tail)]
    atoms += [Atom(r ** (d - 2 * k), peak * r ** (d - k), peak * r**k) for k in range(1, d) if d - 2 * k >= 0]
    atoms += [Atom(1 / r ** (2 * k - d), peak * r ** (d - k), peak * r**k) for k in range(1, d) if d - 2 * k < 0]
    atoms.append(Atom(1 / r**d, tail, tail * r**d))
    return tuple(atoms)
