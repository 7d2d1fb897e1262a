"""Privacy bounds as values: epsilon rounded up, and what is printed, shown in notebooks and written as JSON."""

import json
import math
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.mechanisms import reports

from taut import bits, categories, flip, integer, mechanism
from taut.mechanisms import randomized_response


def logarithm_bounds(ratio: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around the logarithm, much closer than floats are."""
    with flint.ctx.workprec(4000):
        ball = (flint.arb(int(ratio.numerator)) / flint.arb(int(ratio.denominator))).log()
        ends = []
        for end in (ball.lower(), ball.upper()):
            mantissa, power = end.man_exp()
            ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(power))
    return ends[0], ends[1]


def is_smallest_float_above(epsilon: float, ratio: Fraction) -> bool:
    lower, upper = logarithm_bounds(ratio)
    return Fraction(epsilon) >= upper and Fraction(math.nextafter(epsilon, -math.inf)) < lower


@pytest.mark.parametrize(
    "lam", ["1/5", "1/3", "1e-9", "1e-300", "0.4999999999999999999", "1/1000003", Fraction(10**40, 2 * 10**40 + 1)]
)
def test_epsilon_is_the_smallest_float_not_below(lam: Any) -> None:
    bound = randomized_response(bits(1), lam=lam).privacy()
    assert is_smallest_float_above(bound.epsilon, bound.max_ratio)


@given(p=st.fractions(0, 1, max_denominator=10**30).filter(lambda p: 0 < p < 1))
@settings(max_examples=60, deadline=None)
def test_epsilon_of_any_ratio_is_rounded_up(p: Fraction) -> None:
    bound = randomized_response(bits(1), lam=p).privacy()
    ratio = max(p / (1 - p), (1 - p) / p)
    assert bound.max_ratio == ratio
    assert bound.epsilon == 0.0 if ratio == 1 else is_smallest_float_above(bound.epsilon, ratio)


def test_epsilon_of_a_ratio_that_is_almost_one() -> None:
    bound = reports(bits(1), yes=[Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**100)]).privacy()
    assert bound.max_ratio > 1 and is_smallest_float_above(bound.epsilon, bound.max_ratio)


def test_ratios_beyond_the_floats_can_be_shown() -> None:
    bound = randomized_response(bits(1), lam="1e-400").privacy()
    assert bound.max_ratio == 10**400 - 1 and is_smallest_float_above(bound.epsilon, bound.max_ratio)
    assert "e^eps = " in str(bound) and "max_ratio" in bound._repr_html_()
    assert json.loads(json.dumps(bound.to_dict()))["max_ratio"] == str(10**400 - 1)


def test_the_dictionary_is_the_contract_and_goes_into_json() -> None:
    found = json.loads(json.dumps(randomized_response(bits(2), lam="1/4").privacy().to_dict()))
    assert found["max_ratio"] == found["lower"] == found["upper"] == "3" and found["exact"] is True
    assert found["witness"] == {"x": [0, 0], "x_prime": [1, 0], "y": [0, 0]}
    assert found["method"] == "exhaustive" and found["count"] == 16 and found["stats"]["inputs"] == 4
    fraction = json.loads(json.dumps(reports(bits(1), yes=["1/3", "1/5"]).privacy().to_dict()))
    assert fraction["max_ratio"] == "5/3"
    infinite = json.loads(json.dumps(randomized_response(bits(1), lam=0).privacy().to_dict()))
    assert infinite["max_ratio"] == infinite["epsilon"] == "inf"


@mechanism
def halves(x: Any) -> Any:
    return [Fraction(bit, 2) if flip("2/3") else None for bit in x], "name"


def test_outputs_and_inputs_of_any_kind_go_into_json() -> None:
    found = json.loads(json.dumps(halves(bits(2)).privacy().to_dict()))
    assert found["max_ratio"] == "inf" and len(found["witness"]["y"]) == 2

    @mechanism
    def biased(x: Any) -> Any:
        return flip(x)

    certain = biased(integer(0, 1)).privacy()
    assert json.loads(json.dumps(certain.to_dict()))["max_ratio"] == "inf"

    @mechanism
    def own_coin(x: Any) -> Any:
        return flip(x[0])

    bound = own_coin(categories(1, [Fraction(1, 3), Fraction(1, 2)])).privacy()
    assert json.loads(json.dumps(bound.to_dict()))["max_ratio"] == "3/2"


def test_the_text_of_a_bound() -> None:
    text = str(randomized_response(bits(2), lam="1/5").privacy())
    assert "e^eps = 4 exactly" in text and "x=(0, 0), x'=(1, 0), y=(0, 0)" in text and "exhaustive" in text
    assert "5/3 = 1.666666667..." in str(reports(bits(1), yes=["1/3", "1/5"]).privacy())
    assert "infinity" in str(randomized_response(bits(1), lam=0).privacy())
    page = randomized_response(bits(2), lam="1/5").privacy()._repr_html_()
    assert page.startswith("<table>") and "max_ratio" in page and "witness x_prime" in page


def test_html_is_escaped() -> None:
    @mechanism
    def tagged(x: Any) -> Any:
        return "<b>" if flip("1/3") and x[0] else "&"

    assert "<b>" not in tagged(bits(1)).privacy()._repr_html_()
