"""Numbers that are said to be rounded up are not below the value, in every text of an answer."""

import random
import re
from fractions import Fraction

from taut import bits
from taut.mechanisms import randomized_response
from taut.questions.renyi import Renyi
from taut.questions.text import rounded_up
from taut.questions.zcdp import Zcdp


def test_no_digits_make_a_number_smaller() -> None:
    draw = random.Random(1)
    for _ in range(200):
        value, digits = draw.random() * 10.0 ** draw.randrange(-9, 9), draw.randrange(1, 12)
        assert Fraction(rounded_up(value, digits)) >= Fraction(value)
        limit = value * (1 + 10.0 ** -draw.randrange(3, 12))
        assert Fraction(value) <= Fraction(rounded_up(value, below=limit)) <= Fraction(limit)


def test_texts_of_divergences_are_upper_bounds() -> None:
    for lam in ("1/5", "1/7", "3/11", "2/5"):
        model = randomized_response(bits(2), lam=lam)
        bound = model.renyi(2)
        for text in (str(bound), " ".join(map(" ".join, Renyi(2).rows(bound)))):
            said = re.findall(r"divergence (\d+\.\d+)", text)
            assert said and all(float(one) >= bound.divergence for one in said)
        assert Fraction(Renyi(2).headline(bound).text) >= Fraction(bound.divergence)
        rho = model.zcdp()
        for text in (str(rho), dict(Zcdp().rows(rho))["rho"]):
            assert float(re.findall(r"(\d+\.\d+), rounded up", text)[0]) >= rho.rho
