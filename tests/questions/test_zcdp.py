"""Zero-concentrated privacy by its definition: no order of any pair is above it, and the order it names attains it."""

import random
from fractions import Fraction
from typing import Any

import flint
import pytest
from tests.questions.test_divergences import tabulated

from taut import bits, discrete_gaussian, mechanism
from taut.questions.pair_measure import arb_of
from taut.questions.zcdp import ZeroConcentrated
from taut.support.exact import Ball
from taut.synthesis import Budget
from taut.synthesis.decompose import Decomposition

ORDERS = [Fraction(1), Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(7), Fraction(40)]
WIDE = flint.arb(1, flint.arb(10) ** -30)


def share(loss: Any, order: Fraction) -> Any:
    """The Rényi divergence over its order, as a ball; at order 1 its limit, the Kullback-Leibler divergence."""
    pairs = [(arb_of(atom.mass), arb_of(atom.mass_prime)) for atom in loss.atoms if atom.mass]
    if order == 1:
        return sum((p * (p / q).log() for p, q in pairs), flint.arb(0))
    a = Ball(order).arb
    return sum((q * (a * (p / q).log()).exp() for p, q in pairs), flint.arb(0)).log() / (a * (a - 1))


def test_no_order_is_above_it_and_the_one_it_names_attains_it() -> None:
    draw, named = random.Random(3), set()
    for _ in range(25):
        # rare outputs with large ratios: the largest share is at orders above 1
        table = [[draw.choice([1, 2, 30, 900]) for _ in range(3)] for _ in range(2)]
        model = tabulated(table)
        found = model.zcdp()
        with flint.ctx.workdps(60):
            attained = share(model.loss(found.witness.x, found.witness.x_prime), found.order or Fraction(1))
            assert not Ball(found.lower).arb > attained * WIDE
            for x, z in [(0, 1), (1, 0)]:
                for order in ORDERS:
                    assert not share(model.loss(x, z), order) > Ball(found.upper).arb * WIDE
        assert found.lower <= found.upper <= found.lower * (1 + Fraction(1, 10**8)) + Fraction(1, 10**50)
        named.add(found.order)
    assert len(named) > 5


@mechanism
def gaussian_count(x: Any, variance: Any) -> Any:
    return discrete_gaussian(sum(x), variance, 0, len(x))


@pytest.mark.parametrize(("n", "variance"), [(3, "1/2"), (5, 2), (6, 9)])
def test_clamped_gaussian_noise_is_within_the_theorem_and_its_interval_holds_every_order(n: int, variance: Any) -> None:
    model = gaussian_count(bits(n), variance=variance)
    slow = model.zcdp(method="exhaustive")
    found = Decomposition().solve(model._problem(model.neighbors(None), ZeroConcentrated()), Budget())
    assert found.lower <= slow.upper and slow.lower <= found.upper <= 1 / (2 * Fraction(variance))
    assert slow.upper <= found.upper * (1 + Fraction(1, 10**8))
    loss = model.loss(found.witness.x, found.witness.x_prime)
    with flint.ctx.workdps(60):
        for order in ORDERS:
            assert not share(loss, order) > Ball(found.upper).arb * WIDE


def test_without_time_to_narrow_it_the_interval_still_holds_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [[1, 2, 900], [30, 1, 2]]
    narrow = tabulated(table).zcdp()
    monkeypatch.setattr("taut.questions.zcdp._MOST_WORK", 0)
    wide = tabulated(table).zcdp()
    assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper and not wide.narrow
    assert "<= rho <=" in str(wide) and wide.complete and wide.verify()


def test_many_centres_far_from_the_ends_have_the_rho_of_the_theorem() -> None:
    found = gaussian_count(bits(300), variance=4).zcdp()
    assert Fraction(1, 8) == found.upper and found.lower >= Fraction(1, 8) * (1 - Fraction(1, 10**9))
