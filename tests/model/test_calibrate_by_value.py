"""Calibration by bisection: the value returned is certified, whatever the shape of the bound."""

import itertools
from fractions import Fraction
from typing import Any

import pytest

from taut import (
    InvalidInput,
    OutOfTime,
    TooLarge,
    WrongArguments,
    bits,
    calibrate,
    discrete_gaussian,
    flip,
    geometric,
    mechanism,
)
from taut.mechanisms import geometric_count, rr_count
from taut.parameters import by_value
from taut.questions.privacy import Privacy


@mechanism
def gaussian(x: Any, variance: Any) -> Any:
    return discrete_gaussian(sum(x), variance, 0, len(x))


@mechanism
def windows(x: Any, k: Any, ratio: Any) -> Any:
    return [geometric(sum(x[i : i + k]), ratio, 0, k) for i in range(len(x) - k + 1)]


@mechanism
def jumping(x: Any, k: Any) -> Any:
    """More private for odd k than for even ones."""
    return [bit ^ flip("1/3" if sum(1 for _ in range(k)) % 2 else "1/100") for bit in x]


@mechanism
def hostile(x: Any, rate: Any) -> Any:
    """Private in the middle of the interval only."""
    return x[0] ^ flip(rate if 0.25 < rate < 0.75 else "1/100")


def test_a_whole_number_is_the_best_of_all() -> None:
    found = calibrate(windows, bits(6), k=(1, 5), ratio="1/2", epsilon="1.5")
    ratios = {k: windows(bits(6), k=k, ratio="1/2").privacy().max_ratio for k in range(1, 6)}
    assert found.complete and found.exact and found and not found.relied_on
    assert {int(value): ends[0][1] for value, ends in found.tried.items()} == ratios
    good = [k for k, ratio in ratios.items() if ratio <= Fraction("4.48")]
    assert found.best in good and found.beyond in set(ratios) - set(good)
    assert "All values were tried" in str(found)


@pytest.mark.parametrize(
    ("runs", "budget"), [(1, {"epsilon": 1}), (3, {"epsilon": 2}), (4, {"epsilon": 1, "delta": "1/100"})]
)
def test_the_value_meets_the_budget_and_the_next_does_not(runs: int, budget: dict[str, Any]) -> None:
    found = calibrate(rr_count, bits(4), lam=("1/100", "1/2"), compose=runs, **budget)
    assert found.best is not None and found.beyond is not None and found.beyond < found.best
    assert found.best - found.beyond <= found.best / 500

    def met(lam: Fraction) -> bool:
        profile = rr_count(bits(4), lam=lam).profile().compose(runs)
        return bool(profile.delta_interval(budget["epsilon"])[1] <= Fraction(budget.get("delta", 0)))

    assert met(found.best) and not met(found.beyond)
    assert "not proved" in found.relied_on and not found.exact


def test_noise_with_variances() -> None:
    found = calibrate(gaussian, bits(100), variance=(5, 20), zcdp="1/10", compose=2)
    assert found.best is not None and 2 * gaussian(bits(100), variance=found.best).zcdp().upper <= Fraction(1, 10)
    assert found.beyond is not None and Fraction(99, 10) < found.beyond < found.best <= Fraction(1001, 100)
    assert found.met[found.best] and not found.met[found.beyond]
    assert calibrate(gaussian, bits(100), variance=(12, 20), zcdp="1/10", compose=2).best == 12
    renyi = calibrate(gaussian, bits(100), variance=(5, 20), renyi=(2, "1/5"), compose=2)
    assert renyi.best is not None and 2 * gaussian(bits(100), variance=renyi.best).renyi(2).divergence <= 0.2 + 1e-12


def test_hostile_shapes_are_certified_at_the_value_returned() -> None:
    found = calibrate(jumping, bits(1), k=(1, 21), epsilon=1)
    assert found.best is not None and found.best % 2 == 1
    assert jumping(bits(1), k=int(found.best)).privacy().epsilon <= 1
    inner = calibrate(hostile, bits(1), rate=("1/100", "99/100"), epsilon=1)
    assert inner.best is not None and Fraction(1, 4) < inner.best < Fraction(3, 4)
    assert hostile(bits(1), rate=inner.best).privacy().epsilon <= 1
    for one in (found, inner):
        values = sorted(one.met)
        if sum(one.met[a] != one.met[b] for a, b in itertools.pairwise(values)) > 1:
            assert "better values" in one.relied_on


def test_nothing_is_enough_and_everything_is() -> None:
    none = calibrate(geometric_count, x=bits(3), ratio=("1/100", "1/50"), epsilon="1/10")
    assert not none and none.best is None and "no value" in str(none) and none.to_dict()["feasible"] is False
    every = calibrate(geometric_count, x=bits(3), ratio=("1/2", "9/10"), epsilon=3)
    assert every.beyond is None and every.best == Fraction(1, 2)


def test_wrong_arguments() -> None:
    with pytest.raises(WrongArguments, match="exactly one parameter"):
        calibrate(gaussian, bits(3), variance=4, epsilon=1)
    with pytest.raises(WrongArguments, match="give a budget"):
        calibrate(gaussian, bits(3), variance=(1, 4))
    with pytest.raises(WrongArguments, match="there is no 'colour'"):
        calibrate(gaussian, bits(3), variance=(1, 4), colour=1)
    for wrong in (0, True, "2"):
        with pytest.raises(InvalidInput, match="whole number of runs"):
            calibrate(gaussian, bits(3), variance=(1, 4), epsilon=1, compose=wrong)
    with pytest.raises(InvalidInput, match="lower one first"):
        calibrate(gaussian, bits(3), variance=(4, 1), epsilon=1)


def test_a_search_that_is_stopped_returns_a_value_that_meets_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []
    asked = by_value._Search._asked

    def until_late(search: Any, value: Fraction) -> Any:
        tried.append(value)
        if len(tried) > 4:
            raise OutOfTime("late")
        return asked(search, value)

    monkeypatch.setattr(by_value._Search, "_asked", until_late)
    found = calibrate(rr_count, bits(4), lam=("1/100", "1/2"), epsilon=1)
    assert found.best is not None and rr_count(bits(4), lam=found.best).privacy().epsilon <= 1
    assert found.stopped == "time_limit" and "stopped" in found.relied_on and not found.exact
    assert found.to_dict()["stopped"] == "time_limit"
    with pytest.raises(OutOfTime):
        calibrate(rr_count, bits(4), lam=("1/100", "1/50"), epsilon=1)


def test_a_value_at_which_nothing_is_known_does_not_meet_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(question: Any, model: Any, *_: Any) -> Any:
        raise TooLarge("too large", value=0)

    monkeypatch.setattr(Privacy, "repeated", refused)
    assert calibrate(rr_count, bits(2), lam=("1/10", "1/2"), epsilon=5).best is None
