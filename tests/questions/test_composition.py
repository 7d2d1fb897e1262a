"""Composition without listing ratios: intervals of the grid and of the integral hold the truth, and are narrow."""

import math
import random
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import INFINITY, TooLarge
from taut.composition.certified import CertifiedComposition
from taut.composition.curve import Curve, lines_of
from taut.composition.grid import GridComposition, TooCoarse, lattice_of
from taut.composition.integral import IntegralComposition, TooManyTerms, sieve
from taut.composition.products import Part, composed_atoms
from taut.support.exact import in_precision

Atoms = list[tuple[Any, Fraction, Fraction]]


def atoms_of(pairs: list[tuple[int, int]]) -> Atoms:
    """A pair of distributions from two lists of weights; the largest ratio first."""
    own, other = sum(p for p, _ in pairs), sum(q for _, q in pairs)
    merged: dict[Any, tuple[Fraction, Fraction]] = {}
    for p, q in pairs:
        ratio = Fraction(p * other, q * own) if q else INFINITY
        before = merged.get(ratio, (Fraction(0), Fraction(0)))
        merged[ratio] = (before[0] + Fraction(p, own), before[1] + Fraction(q, other))
    return [(ratio, *merged[ratio]) for ratio in sorted(merged, reverse=True)]


def truth(parts: list[Part], gammas: list[Fraction]) -> list[Fraction]:
    exact = composed_atoms(parts)
    assert exact is not None
    masses = [(_rational(p), _rational(q)) for _, p, q in exact]
    found = []
    for gamma in gammas:
        bound = _rational(gamma)
        # one denominator for all, or the sum would be reduced again and again
        terms = [p - bound * q for p, q in masses if p > bound * q]
        scale = math.lcm(*[int(term.q) for term in terms], 1)
        found.append(Fraction(sum(int(term.p) * (scale // int(term.q)) for term in terms), scale))
    return found


def _rational(value: Fraction) -> Any:
    return flint.fmpq(value.numerator, value.denominator)


def power_of_e(power: float) -> Fraction:
    with in_precision():
        return Fraction(int(flint.arb(power + 64 * math.log(2)).exp().mid().floor().unique_fmpz()), 1 << 64)


IRREGULAR = atoms_of([(7, 3), (5, 4), (3, 5), (2, 7), (11, 13)])
LOPSIDED = atoms_of([(700, 31), (53, 401), (300, 501)])
LEAKING = atoms_of([(600, 23), (70, 400), (330, 511), (1, 0), (0, 7)])
MANY = atoms_of([(613, 72), (410, 155), (97, 8), (333, 291), (250, 401), (77, 310), (19, 222), (511, 498), (140, 365)])
WIDE = [
    [(LOPSIDED, 70)],
    [(LEAKING, 60)],
    [(atoms_of([(97, 13), (21, 89)]), 40), (atoms_of([(83, 7), (11, 91)]), 50)],
    [(atoms_of([(97, 13), (21, 89), (1, 0)]), 30), (LOPSIDED, 2), (atoms_of([(83, 7), (11, 91)]), 25)],
]
"""Compositions that can be listed, with losses that vary a lot."""


@pytest.mark.parametrize("runs", [6, 9])
def test_a_grid_holds_the_truth(runs: int) -> None:
    exact = composed_atoms([(IRREGULAR, runs)])
    assert exact is not None
    curve, grid = Curve(lines_of(exact)), GridComposition([(IRREGULAR, runs)], cells=1 << 17)
    for gamma in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(40)):
        low, high = grid.interval(gamma)
        assert low <= curve(gamma) <= high and high - low <= curve(gamma) * Fraction(1, 10**6)


weights = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), min_size=1, max_size=4).filter(
    lambda pairs: any(p and q for p, q in pairs)
)


@settings(deadline=None, max_examples=24)
@given(one=weights, two=weights, runs=st.integers(1, 4), points=st.lists(st.fractions(0, 12), min_size=1, max_size=4))
def test_a_grid_holds_the_truth_of_random_pairs(
    one: list[tuple[int, int]], two: list[tuple[int, int]], runs: int, points: list[Fraction]
) -> None:
    parts: list[Part] = [(atoms_of(one), runs), (atoms_of(two), 1)]
    grid = GridComposition(parts, cells=1 << 12)
    positive = [gamma for gamma in points if gamma > 0]
    for gamma, expected in zip(positive, truth(parts, positive), strict=True):
        low, high = grid.interval(gamma)
        assert low <= expected <= high <= low + Fraction(1, 10**5)


@pytest.mark.parametrize("parts", WIDE, ids=["three", "infinite", "mixed", "mixed and infinite"])
@pytest.mark.parametrize("width", [2.0**-3, 2.0**-6])
def test_an_integral_holds_the_truth(parts: list[Part], width: float) -> None:
    integral = IntegralComposition(parts, width=width)
    mean, variance = integral._mean(0.0)
    seen = 0
    points = [power_of_e(max(0.1, mean + place * math.sqrt(variance))) for place in (-2, -1, 0, 0.5, 1, 2, 3)]
    for gamma, expected in zip(points, truth(parts, points), strict=True):
        try:
            low, high = integral.interval(gamma)
        except TooManyTerms:
            continue
        seen += 1
        assert low <= expected <= high
        assert high - low <= Fraction(width) * expected
    assert seen >= 5


@pytest.mark.parametrize("seed", range(6))
def test_an_integral_holds_the_truth_of_random_pairs(seed: int) -> None:
    chance = random.Random(seed)

    def pair(size: int) -> Atoms:
        return atoms_of([(chance.randint(1, 999), chance.randint(1, 999)) for _ in range(size)])

    parts: list[Part] = [(pair(2), chance.randint(20, 60)), (pair(3), chance.randint(1, 8))]
    integral = IntegralComposition(parts, width=2.0**-4)
    mean, variance = integral._mean(0.0)
    points = [power_of_e(mean + place * math.sqrt(variance)) for place in (-1.5, 0.3, 1.7, 2.9)]
    for gamma, expected in zip(points, truth(parts, points), strict=True):
        try:
            low, high = integral.interval(gamma)
        except TooManyTerms:  # the loss varies too little
            continue
        assert low <= expected <= high


@given(x=st.floats(0.2, 5.0), width=st.floats(0.001, 0.5), factor=st.floats(1.05, 4))
def test_the_sandwich(x: float, width: float, factor: float) -> None:
    """(1 + b) D_w - b D_v <= D <= D_w for one output, with the closed form of the smoothed value."""

    def smoothed(w: float) -> float:
        upper = (-math.log(x) + w * w / 2) / w
        return _normal(upper) - x * _normal(upper - w)

    powers = [math.erf(one / math.sqrt(8)) for one in (width, width * factor)]
    b = powers[0] / (powers[1] - powers[0])
    near, far, plain = smoothed(width), smoothed(width * factor), max(0.0, 1 - x)
    assert (1 + b) * near - b * far - 1e-12 * (1 + b) <= plain <= near + 1e-12


def _normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def test_what_the_sieve_drops_is_small() -> None:
    """Every dropped place has |M(c + i t) / M(c)| below the bound, evaluated directly."""
    integral = IntegralComposition([(IRREGULAR, 900), (LOPSIDED, 600)])
    c, spacing, points = 0.125, 0.01, 200_000
    found = sieve(integral.laws, c, spacing, points, points)
    assert found is not None and sieve(integral.laws, c, spacing, points, len(found) - 1) is None
    kept = set(found)
    assert 0 in kept and len(kept) < points / 10
    dropped = [place for place in range(0, points, 97) if place not in kept]
    assert len(dropped) > 1000
    for place in dropped:
        size = 0.0
        for losses, masses, count in zip(*integral.floats, strict=True):
            tilted = masses * 2.718281828459045 ** (c * losses)
            total = abs(sum(tilted * 2.718281828459045 ** (1j * spacing * place * losses))) / sum(tilted)
            size += count * math.log2(total)
        assert size <= -56 + max(0.0, 2 * math.log2(spacing * place)) + 1e-6
    near = max(kept & set(range(1000)))
    assert near > 1, "the main lobe is kept"


def test_many_runs_are_precise_at_every_delta() -> None:
    composition = CertifiedComposition([(MANY, 1500)])
    for delta in (Fraction(1, 100), Fraction(1, 10**6), Fraction(1, 10**30)):
        low, high = (composition.ratio(delta, side) for side in (0, 1))
        assert low < high <= low * (1 + Fraction(1, 10**6))
        least, most = composition.interval(high)
        assert 0 < least < most <= delta and most <= least * (1 + Fraction(1, 10**7))
        assert composition.interval(low)[0] > delta


def test_order_does_not_matter() -> None:
    parts: list[Part] = [(MANY, 700), (LEAKING, 100), (LOPSIDED, 200)]
    one, two = CertifiedComposition(parts), CertifiedComposition(parts[::-1])
    for power in (900.0, 1100.0):
        (low, high), (least, most) = (each.interval(power_of_e(power)) for each in (one, two))
        assert max(low, least) <= min(high, most)
        assert high - low <= low / 10**6


def test_both_ways_agree_where_nothing_can_be_listed() -> None:
    integral, grid = IntegralComposition([(MANY, 600)]), GridComposition([(MANY, 600)], cells=1 << 16)
    for power in (350.0, 450.0):
        (low, high), (least, most) = (each.interval(power_of_e(power)) for each in (integral, grid))
        assert max(low, least) <= min(high, most)


def test_delta_that_cannot_be_reached_and_delta_that_always_is() -> None:
    composition = CertifiedComposition([(LEAKING, 300), (MANY, 600)])
    leaked = 1 - Fraction(1000, 1001) ** 300
    assert [composition.ratio(leaked - Fraction(1, 10**9), side) for side in (0, 1)] == [INFINITY, INFINITY]
    low, high = (composition.ratio(leaked + Fraction(1, 10**9), side) for side in (0, 1))
    assert 1 < low < high < low * (1 + Fraction(1, 10**6))
    assert [composition.ratio(Fraction(1), side) for side in (0, 1)] == [1, 1]
    assert composition.interval(high**10)[0] >= leaked
    everything = max(ratio for ratio, _, _ in LEAKING if ratio != INFINITY) ** 300 * MANY[0][0] ** 600
    assert composition.interval(everything * 2) == (leaked, leaked)
    assert [composition.ratio(leaked, side) for side in (0, 1)] == [everything, everything]
    nothing_finite: list[Part] = [([(INFINITY, Fraction(1), Fraction(0)), (Fraction(0), Fraction(0), Fraction(1))], 2)]
    assert CertifiedComposition(nothing_finite).interval(Fraction(7)) == (1, 1)


@pytest.mark.slow
def test_losses_on_a_lattice() -> None:
    """Randomized response so often that a list is too long; the truth is a sum of binomials, as balls."""
    atoms, runs = atoms_of([(4, 1), (1, 4)]), 20_000
    gamma = Fraction(4) ** 12_000 * Fraction(3, 2)
    composition = CertifiedComposition([(atoms, runs)])
    low, high = composition.interval(gamma)
    with flint.ctx.workprec(400):
        total, bound = flint.arb(0), flint.arb(flint.fmpz(4)) ** 12_000 * 3 / 2
        for wins in range(16_001, runs + 1):
            mass = flint.arb(flint.fmpz.bin_uiui(runs, wins)) * flint.arb(4) ** wins / flint.arb(5) ** runs
            total += mass * (1 - bound / flint.arb(4) ** (2 * wins - runs))
        assert float(total) == pytest.approx(float(low), rel=1e-9)
        assert flint.arb(flint.fmpq(low.numerator, low.denominator)) < total + flint.arb(10) ** -60
        assert total < flint.arb(flint.fmpq(high.numerator, high.denominator)) + flint.arb(10) ** -60


@pytest.mark.parametrize("parts", [*WIDE, [(IRREGULAR, 9)], [(MANY, 4)]])
def test_a_grid_too_coarse_for_its_runs_says_so_or_holds_the_truth(parts: list[Part]) -> None:
    gammas = [Fraction(1), Fraction(3), Fraction(40), power_of_e(30.0), power_of_e(100.0)]
    exact = truth(parts, gammas)
    for cells in (2, 8, 32, 128):
        try:
            grid = GridComposition(parts, cells=cells)
        except TooCoarse:
            continue
        for gamma, delta in zip(gammas, exact, strict=True):
            low, high = grid.interval(gamma)
            assert low <= delta <= high


@pytest.mark.parametrize("runs", [10**7, 10**12, 10**23])
def test_any_number_of_runs_is_answered_or_refused(runs: int) -> None:
    composed = CertifiedComposition([(LOPSIDED, runs)])
    low, high = composed.interval(Fraction(2))
    assert 0 <= low <= high <= 1 and low > Fraction(99, 100)
    for delta in (Fraction(0), Fraction(1, 10)):
        with pytest.raises(TooLarge, match="digits, too many to be written down"):
            composed.ratio(delta, 1)
    with pytest.raises(TooLarge, match="Compose fewer runs"):
        CertifiedComposition([(LEAKING, runs)])


@pytest.mark.parametrize("seed", range(6))
def test_atoms_that_are_left_out_are_accounted_for(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With atoms left out at 1/64 and coarse masses, intervals still hold the truth; so does a mass of leaks."""
    draw = random.Random(seed)
    weights = [(draw.choice([1, 2, 300, 4000]), draw.randint(1, 3000)) for _ in range(7)]
    parts: list[Part] = [(atoms_of([*weights, *([(draw.choice([1, 90]), 0)] if seed % 2 else [])]), 3)]
    exact = CertifiedComposition(parts)
    monkeypatch.setattr("taut.composition.certified._UNLIKELY", (4,))
    monkeypatch.setattr("taut.composition.certified._FEW", 1)
    monkeypatch.setattr("taut.composition.certified._SHORT", 20)
    monkeypatch.setattr("taut.composition.certified._SHARP", Fraction(2))
    few = CertifiedComposition(parts)
    assert few._lost > 0
    gammas = [Fraction(1), Fraction(3, 2), Fraction(4), Fraction(30)]
    for gamma, whole in zip(gammas, truth(parts, gammas), strict=True):
        for one in (exact, few):
            low, high = one.interval(gamma)
            assert low <= whole <= high
    curve = Curve(lines_of(composed_atoms(parts) or []))
    for delta in (Fraction(1, 3), Fraction(1, 20)):
        assert few.ratio(delta, 0) <= max(1, curve.inverse(delta)) <= few.ratio(delta, 1)


def test_losses_off_a_lattice_are_not_taken_for_one() -> None:
    import numpy as np

    steps = np.arange(-4.0, 5.0)
    even, runs = np.ones(9), [50]
    assert lattice_of([steps / 7], [even], runs) is not None
    found = lattice_of([steps / 7, 3 * steps / 14 + 0.1], [even, even], [50, 20])
    assert found is not None and abs(found[0] - 1 / 14) < 1e-12
    off = steps / 7
    off[3] += 1e-6
    assert lattice_of([off], [even], runs) is None
    assert lattice_of([steps / 7, steps * math.sqrt(2)], [even, even], [50, 20]) is None
