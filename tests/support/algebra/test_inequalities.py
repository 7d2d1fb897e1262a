"""Probabilities of linear inequalities: closed forms, laws, simulation, quadrature and discrete limits."""

import itertools
import math
import random
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy import integrate, stats

from taut.support.algebra.inequalities import Entangled, chance, feasible, needed

BITS = 400


def laplace(scale=1):
    return "laplace", Fraction(scale)


def exponential(scale=1):
    return "exponential", Fraction(scale)


def uniform(low=0, high=1):
    return "uniform", Fraction(low), Fraction(high)


def below(bound, **factors):
    """An inequality like ``below(3, x0=1, x1=-1)``: x0 - x1 <= 3."""
    return tuple(sorted((int(name[1:]), Fraction(factor)) for name, factor in factors.items())), Fraction(bound)


def contrary(inequality):
    factors, bound = inequality
    return tuple((place, -factor) for place, factor in factors), -bound


def e(power):
    return flint.arb(flint.fmpq(Fraction(power).numerator, Fraction(power).denominator)).exp()


def rational(value):
    return flint.arb(flint.fmpq(Fraction(value).numerator, Fraction(value).denominator))


def agrees(value, expected):
    """Two balls overlap, and the first is as narrow as promised."""
    return value.overlaps(expected) and (value == 0 or value.rad() < value.mid() * flint.arb(2) ** -250)


@pytest.fixture(autouse=True)
def precision():
    with flint.ctx.workprec(BITS):
        yield


def test_closed_forms():
    # P(L1 > L2 + t) for scales b: e^(-t/b) (2 + t/b) / 4
    for t, b in ((1, 1), (3, 2), (0, 5), (Fraction(7, 2), Fraction(1, 3))):
        value = chance([laplace(b), laplace(b)], [below(-t, x0=-1, x1=1)])
        assert agrees(value, e(-Fraction(t) / b) * rational(2 + Fraction(t) / b) / 4)
    # and for different scales: (a^2 e^(-t/a) - b^2 e^(-t/b)) / (2 (a^2 - b^2))
    a, b, t = Fraction(2), Fraction(3, 2), Fraction(5, 4)
    value = chance([laplace(a), laplace(b)], [below(-t, x0=-1, x1=1)])
    assert agrees(value, (rational(a * a) * e(-t / a) - rational(b * b) * e(-t / b)) / rational(2 * (a * a - b * b)))
    # the difference of two exponentials is Laplace noise
    assert agrees(chance([exponential(2), exponential(2)], [below(-3, x0=-1, x1=1)]), e(Fraction(-3, 2)) / 2)
    assert agrees(chance([exponential(), exponential(3)], [below(0, x0=1, x1=-1)]), rational(Fraction(3, 4)))
    # sums of uniform numbers (Irwin and Hall)
    for n in (2, 3, 4):
        value = chance([uniform()] * n, [below(1, **{f"x{i}": 1 for i in range(n)})])
        assert agrees(value, rational(Fraction(1, math.factorial(n))))
    # far tails keep all digits
    assert agrees(chance([laplace()], [below(-2000, x0=-1)]), e(-2000) / 2)
    assert agrees(chance([laplace(), laplace()], [below(-2000, x0=-1, x1=1)]), e(-2000) * 2002 / 4)


def test_orders_of_equal_noise_are_equally_likely():
    for law in (laplace(3), exponential(Fraction(1, 2)), uniform(2, 5)):
        chain = [below(0, **{f"x{i}": 1, f"x{i + 1}": -1}) for i in range(4)]
        assert agrees(chance([law] * 5, chain), rational(Fraction(1, 120)))
        star = [below(0, **{f"x{i}": 1, "x7": -1}) for i in range(7)]
        assert agrees(chance([law] * 8, star), rational(Fraction(1, 8)))
        diamond = [below(0, x0=1, x1=-1), below(0, x0=1, x2=-1), below(0, x1=1, x3=-1), below(0, x2=1, x3=-1)]
        assert agrees(chance([law] * 4, diamond), rational(Fraction(2, 24)))


def random_system(rng, widest):
    count = rng.randint(1, 5)
    laws = [
        rng.choice(
            [laplace(rng.choice([1, 2, Fraction(3, 2)])), exponential(rng.choice([1, Fraction(1, 2)])), uniform(-1, 2)]
        )
        for _ in range(count)
    ]
    system = []
    for _ in range(rng.randint(1, count + 2)):
        places = rng.sample(range(count), min(rng.choice([1, 2, 2, 2, widest]), count))
        factors = {f"x{place}": rng.choice([-1, 1, -1, 1, 2, Fraction(-1, 2)]) for place in places}
        system.append(below(Fraction(rng.randint(-2, 5), rng.choice([1, 2])), **factors))
    return laws, system


def test_simulation_agrees():
    rng, normal = random.Random(11), np.random.default_rng(12)
    count, compared = 100_000, 0
    for _ in range(60):
        laws, system = random_system(rng, 3)
        try:
            value = float(chance(laws, system).mid())
        except Entangled:
            continue
        columns = [
            normal.laplace(0, float(law[1]), count)
            if law[0] == "laplace"
            else normal.exponential(float(law[1]), count)
            if law[0] == "exponential"
            else normal.uniform(float(law[1]), float(law[2]), count)
            for law in laws
        ]
        held = np.ones(count, dtype=bool)
        for factors, bound in system:
            held &= sum(float(factor) * columns[place] for place, factor in factors) <= float(bound)
        assert abs(held.mean() - value) <= 5 * math.sqrt(value * (1 - value) / count) + 1e-6, (laws, system)
        compared += 1
    assert compared > 40


def test_contraries_add_up_whatever_the_graph():
    rng = random.Random(13)
    cyclic = 0
    for _ in range(40):
        laws, system = random_system(rng, 2)
        whole = [chance(laws, system[1:]), chance(laws, system), chance(laws, [contrary(system[0]), *system[1:]])]
        assert whole[0].overlaps(whole[1] + whole[2])
        for value, held in zip(whole, (system[1:], system, [contrary(system[0]), *system[1:]]), strict=True):
            assert (value == 0) == (not feasible(laws, held))
            assert agrees(chance(laws, needed(laws, held)), value) or value == 0
        cyclic += len([1 for factors, _ in system if len(factors) == 2]) >= len(laws) > 1
    assert cyclic > 10


def test_all_sides_of_a_triangle_add_up_to_one():
    laws = [laplace(), laplace(2), exponential()]
    sides = [below(1, x0=1, x1=-1), below(Fraction(1, 2), x1=1, x2=-1), below(-1, x2=1, x0=-1)]
    total = sum(
        (
            chance(laws, [side if kept else contrary(side) for side, kept in zip(sides, choice, strict=True)])
            for choice in itertools.product((True, False), repeat=3)
        ),
        start=flint.arb(0),
    )
    assert total.contains(1) and total.rad() < flint.arb(2) ** -250


def test_quadrature_agrees():
    """A hub, such as the noise of a threshold, between noise of another scale around several centres."""
    centers = [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(3), Fraction(2)]
    system = [
        below(center, x0=1, **{f"x{i}": -1}) if above else below(-center, x0=-1, **{f"x{i}": 1})
        for i, (center, above) in enumerate(zip(centers, (1, 0, 1, 0, 0), strict=True), 1)
    ]
    hub, leaf = stats.laplace(scale=2), stats.laplace(scale=4)

    def density(t):
        product = hub.pdf(t)
        for center, above in zip(centers, (1, 0, 1, 0, 0), strict=True):
            product *= leaf.sf(t - float(center)) if above else leaf.cdf(t - float(center))
        return product

    expected, _ = integrate.quad(density, -150, 150, points=[0, 1, -0.5, 3, 2], limit=500)
    assert math.isclose(float(chance([laplace(2), *[laplace(4)] * 5], system).mid()), expected, rel_tol=1e-9)


def test_discrete_noise_on_a_fine_grid_tends_to_it():
    """P(G1 > G2 + n) for geometric noise with ratio e^(-1/n) tends to P(L1 > L2 + 1)."""
    value = float(chance([laplace(), laplace()], [below(-1, x0=-1, x1=1)]).mid())
    gaps = []
    for n in (50, 100, 200):
        ratio, reach = math.exp(-1 / n), 40 * n
        weights = np.array([ratio ** abs(z) for z in range(-reach, reach + 1)])
        weights /= weights.sum()
        tails = weights[::-1].cumsum()[::-1]
        gaps.append(value - (weights[: -n - 1] * tails[n + 1 :]).sum())
    assert 0 < gaps[2] < 0.51 * gaps[1] < 0.3 * gaps[0] < 0.01


def test_three_numbers_in_other_proportions_are_refused():
    laws = [laplace()] * 3
    together = below(0, x0=1, x1=1, x2=-1)
    assert agrees(chance(laws, [together]), rational(Fraction(1, 2)))
    with pytest.raises(Entangled):
        chance(laws, [together, below(0, x0=1, x1=-1)])
