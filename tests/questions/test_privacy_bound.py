"""Privacy bounds as values: epsilon rounded up, and what is printed, shown in notebooks and written as JSON."""

import json
import math
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.mechanisms import reports

import taut
from taut import Ball, InvalidNumber, WrongArguments, bits, categories, exp, flip, integer, mechanism
from taut.mechanisms import randomized_response
from taut.questions.privacy import PrivacyBound
from taut.questions.ratio import epsilon_ends, epsilon_equals
from taut.questions.text import between, shown


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
@settings(max_examples=36, deadline=None)
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
    assert "e^eps = " in str(bound) and "e^eps = " in bound._repr_html_()
    assert json.loads(json.dumps(bound.to_dict()))["max_ratio"] == str(10**400 - 1)


def test_the_dictionary_is_the_contract_and_goes_into_json() -> None:
    found = json.loads(json.dumps(randomized_response(bits(2), lam="1/4").privacy().to_dict()))
    assert found["max_ratio"] == found["lower"] == found["upper"] == "3" and found["exact"] is True
    assert found["witness"] == {"x": [0, 0], "x_prime": [1, 0], "y": [0, 0]}
    assert found["method"] == "exhaustive" and found["count"] == 16 and found["stats"]["inputs"] == 4
    fraction = json.loads(json.dumps(reports(bits(1), yes=["1/3", "1/5"]).privacy().to_dict()))
    assert fraction["max_ratio"] == "5/3"
    infinite = json.loads(json.dumps(randomized_response(bits(1), lam=0).privacy().to_dict()))
    assert infinite["max_ratio"] == "inf" and infinite["epsilon"] is None and infinite["infinite"] is True
    assert found["infinite"] is False and found["neighbors"] == "one_differ"


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


@given(
    ratio=st.fractions(1, 50, max_denominator=10**20).filter(lambda ratio: ratio > 1),
    numerator=st.integers(-(10**9), 10**9),
)
@settings(max_examples=36, deadline=None)
def test_a_claimed_epsilon_is_decided_exactly(ratio: Fraction, numerator: int) -> None:
    bound = PrivacyBound(ratio, ratio, "given", {})
    lower, upper = logarithm_bounds(ratio)
    assert bound.holds(lower) is False and bound.holds(upper) is True
    near = abs(upper + Fraction(numerator, 10**40))
    assert bound.holds(near) is (near >= upper)
    assert bound.holds(str(near)) is bound.holds(near)
    assert bound.holds(bound.epsilon) is True and bound.holds(math.log(ratio.numerator) * 2 + 9) is True
    for value in (bound.epsilon, math.nextafter(bound.epsilon, 0), math.nextafter(bound.epsilon, math.inf)):
        rounds_to_it = float(lower) == value or float(upper) == value
        assert bound.holds(value) is (rounds_to_it or Fraction(value) >= upper)
    assert bound.holds(ratio=ratio) is True and bound.holds(ratio=ratio - Fraction(1, 10**60)) is False


def test_claims_about_intervals_infinity_and_one() -> None:
    interval = PrivacyBound(Fraction(2), Fraction(3), "search", {})
    assert [interval.holds(claim) for claim in (0, math.log(2), "0.7", math.log(3), 2, math.inf)] == [
        False, None, None, True, True, True
    ]  # fmt: skip
    assert [interval.holds(ratio=claim) for claim in (1, 2, 2.5, 3, "3.1", math.inf)] == [
        False, None, None, True, True, True
    ]  # fmt: skip
    infinite = PrivacyBound(math.inf, math.inf, "search", {})
    assert infinite.holds(10**9) is False and infinite.holds(math.inf) is True and infinite.holds(ratio=10) is False
    constant = PrivacyBound(Fraction(1), Fraction(1), "search", {})
    assert constant.holds(0) is constant.holds(0.0) is constant.holds(ratio=1) is constant.holds("1e-400") is True
    assert PrivacyBound(1 + Fraction(1, 10**400), 1 + Fraction(1, 10**400), "search", {}).holds(0.0) is False
    ball = PrivacyBound(exp("1/2"), exp("1/2"), "search", {})
    assert (ball.holds(0.5), ball.holds("0.5"), ball.holds("0.6"), ball.holds("0.4")) == (True, True, True, False)
    assert ball.holds(ratio=exp(1)) is True and ball.holds(ratio=exp("1/2")) is True
    nested = PrivacyBound(exp(exp(-1)), exp(exp(-1)), "search", {})
    assert nested.holds(ratio=exp(exp(-1))) is None and nested.holds("0.4") is True


@pytest.mark.parametrize("given", [{}, {"epsilon": 1, "ratio": 2}])
def test_a_claim_is_one_number(given: dict[str, Any]) -> None:
    with pytest.raises(WrongArguments, match="give epsilon, or ratio="):
        PrivacyBound(Fraction(2), Fraction(2), "search", {}).holds(**given)


@pytest.mark.parametrize("given", [-1, -0.5, "-1/2", math.nan, "two", None.__class__])
def test_a_claim_is_a_number_and_not_negative(given: Any) -> None:
    with pytest.raises(InvalidNumber):
        PrivacyBound(Fraction(2), Fraction(2), "search", {}).holds(given)


def test_balls_and_long_fractions_are_not_called_exact_digits() -> None:
    ball = str(reports(bits(1), yes=[exp("-1"), exp("-2")]).privacy())
    assert "exactly" not in ball and "eps = 1 (e^eps = 2.718281828..., certainly within " in ball
    assert "(e^eps = about 1e+40, an exact integer of 40 digits)" in str(
        randomized_response(bits(1), lam="1e-40").privacy()
    )


@given(st.fractions(min_value=0).filter(lambda value: value > 0))
@settings(max_examples=60, deadline=None)
def test_a_radius_is_never_shown_smaller(value: Fraction) -> None:
    small = value / 10**60
    ball = Ball(Fraction(1)) + Ball(flint.arb(0, 1)) * small
    within = shown(ball).partition("certainly within ")[2].rstrip(")")
    assert ball.radius <= Fraction(within) <= 11 * ball.radius


def test_the_text_of_a_bound() -> None:
    text = str(randomized_response(bits(2), lam="1/5").privacy())
    assert (
        "eps = 1.38629 (e^eps = 4 exactly) for one_differ neighbours" in text
        and "x=(0, 0), x'=(1, 0), y=(0, 0)" in text
        and "found by enumeration" in text
    )
    assert "5/3 = 1.666666667..." in str(reports(bits(1), yes=["1/3", "1/5"]).privacy())
    assert "infinity" in str(randomized_response(bits(1), lam=0).privacy())
    page = randomized_response(bits(2), lam="1/5").privacy()._repr_html_()
    assert page.startswith("<table>") and "1.38629 (e^eps = 4 exactly)" in page


def test_html_is_escaped() -> None:
    @mechanism
    def tagged(x: Any) -> Any:
        return "<b>" if flip("1/3") and x[0] else "&"

    assert "<b>" not in tagged(bits(1)).privacy()._repr_html_()


def test_epsilon_shows_on_which_side_of_a_claim_it_is() -> None:
    model = randomized_response(bits(2), lam="1/5")
    assert "eps = 1.386294 (" in str(taut.check(model, epsilon="1.38629"))
    assert "eps = 1.38629 (" in str(taut.check(model, epsilon="1.3863"))
    assert "eps = 1.38629 (" in str(taut.check(model, epsilon=math.log(4)))
    ends = epsilon_ends(Fraction(2), Fraction(3))
    assert Fraction(ends[0]) < Fraction(math.log(2)) and Fraction(ends[1]) > Fraction(math.log(3))


def test_a_narrow_interval_is_one_number() -> None:
    low = Fraction(1999999999999, 10**12) + Fraction(1, 3**200)
    assert between(low, low + Fraction(1, 10**20)) == "2 - 1e-12... (certainly within 5e-21)"
    assert "between" not in epsilon_equals(low, low + Fraction(1, 10**20))
    assert epsilon_equals(low, Fraction(3)).count("digits") == 0
