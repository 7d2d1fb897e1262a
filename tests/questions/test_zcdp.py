"""Zero-concentrated privacy by its definition: no order of any pair is above it, and the order it names attains it."""

import random
from fractions import Fraction
from typing import Any

import flint
from tests.questions.test_divergences import tabulated

from taut.support.exact import Ball

ORDERS = [Fraction(1), Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(7), Fraction(40)]
WIDE = flint.arb(1, flint.arb(10) ** -30)


def share(loss: Any, order: Fraction) -> Any:
    """The Rényi divergence over its order, as a ball; at order 1 its limit, the Kullback-Leibler divergence."""
    pairs = [(Ball(atom.mass).arb, Ball(atom.mass_prime).arb) for atom in loss.atoms if atom.mass]
    if order == 1:
        return sum((p * (p / q).log() for p, q in pairs), flint.arb(0))
    a = Ball(order).arb
    return sum((q * (a * (p / q).log()).exp() for p, q in pairs), flint.arb(0)).log() / (a * (a - 1))


def test_no_order_is_above_it_and_the_one_it_names_attains_it() -> None:
    draw, named = random.Random(3), set()
    for _ in range(25):
        # rare outputs with large quotients: the largest share is at orders above 1
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
