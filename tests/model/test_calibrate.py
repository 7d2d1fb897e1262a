"""Calibration: every value inside meets the budget, every value outside does not, and the best is inside."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taut.parameters.base as parametric
from taut import (
    InvalidInput,
    InvalidNumber,
    InvalidProbability,
    TooLarge,
    WrongArguments,
    bits,
    flip,
    ints,
    mechanism,
    parameter,
)
from taut.mechanisms import k_ary_randomized_response, randomized_response, rr_count
from taut.parameters.figures import drawn

LAM = parameter("lam", 0, "1/2")


def test_randomized_response_for_epsilon_1() -> None:
    found = randomized_response(bits(8), lam=LAM).calibrate(epsilon=1)
    assert found.best == Fraction(7, 26) and 0 < found.best - 1 / (1 + math.e) < 1e-3
    (interval,) = found.intervals
    assert abs(float(interval.low) - 1 / (1 + math.e)) < 1e-15 and interval.high == Fraction(1, 2)
    assert str(found) == "eps <= 1 if 0.2689414214... <= lam <= 1/2; take lam = 7/26"
    assert (
        found.contains("7/26") and not found.contains("1/4") and not found.contains(interval.low - Fraction(1, 10**25))
    )


def test_a_rational_end_belongs_to_the_set() -> None:
    found = randomized_response(bits(2), lam=LAM).calibrate(ratio=4)
    assert found.best == found.intervals[0].low == Fraction(1, 5) and found.intervals[0].includes_low
    assert randomized_response(bits(2), lam=LAM).calibrate(epsilon=0).best == Fraction(1, 2)


def test_two_intervals() -> None:
    model = k_ary_randomized_response(ints(1, 0, 2), k=3, lam=parameter("lam", 0, 1))
    low = model.calibrate(ratio=2)
    assert [(one.low, one.high) for one in low.intervals] == [(Fraction(1, 2), Fraction(4, 5))]
    high = rr_count(bits(3), lam=parameter("lam", 0, 1)).calibrate(accuracy=(sum, 2, "0.99"))
    assert high.intervals and all(high.contains(one.low) for one in high.intervals if isinstance(one.low, Fraction))


BUDGETS: list[dict[str, Any]] = [
    {"epsilon": 1},
    {"ratio": "7/2"},
    {"epsilon": "1/2", "delta": "1/50"},
    {"ratio": 2, "delta": "1/9"},
    {"renyi": (2, "1/2")},
    {"accuracy": (sum, 1, "0.9")},
    {"epsilon": 2, "accuracy": (sum, 1, "3/5")},
    {"epsilon": 1, "accuracy": (sum, 0, "9/10")},
]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@settings(max_examples=8, deadline=None)
@given(value=st.fractions(min_value=0, max_value=Fraction(1, 2), max_denominator=80))
def test_the_set_is_what_single_models_say(budget: dict[str, Any], value: Fraction) -> None:
    model = rr_count(bits(3), lam=LAM)
    found = model.calibrate(**budget)
    ordinary = model.at(value)
    wanted = True
    if "delta" in budget:
        gamma = {"ratio": budget["ratio"]} if "ratio" in budget else {"epsilon": budget["epsilon"]}
        bound = ordinary.delta(**gamma).delta
        wanted = float(bound) <= float(Fraction(budget["delta"]))
    elif "epsilon" in budget or "ratio" in budget:
        limit = math.exp(Fraction(budget["epsilon"])) if "epsilon" in budget else float(Fraction(budget["ratio"]))
        wanted = float(ordinary.privacy().max_ratio) <= limit
    if "renyi" in budget:
        wanted = float(ordinary.renyi(2).moment) <= math.exp(0.5)
    if "accuracy" in budget:
        target, alpha, least = budget["accuracy"]
        wanted = wanted and ordinary.accuracy(target, alpha).probability >= Fraction(least)
    inside = any(one.low <= value <= one.high for one in found.intervals)
    assert found.contains(value) == inside == wanted
    assert found.exact and (found.best is None) == (not found.intervals)
    if found.best is not None:
        assert found.contains(found.best) and any(one.low <= found.best <= one.high for one in found.intervals)


def test_nothing_meets_an_impossible_budget() -> None:
    found = rr_count(bits(3), lam=LAM).calibrate(epsilon=1, accuracy=(sum, 0, "9/10"))
    assert not found and found.best is None and str(found).startswith("no value of lam in 0..1/2 gives eps <= 1")


def test_without_closed_form_it_says_what_it_relies_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parametric, "_MOST_CASES", 1)
    monkeypatch.setattr(parametric, "_MOST_ORBITS", 0)
    found = rr_count(bits(3), lam=LAM).calibrate(epsilon=1, accuracy=(sum, 1, "1/2"))
    assert not found.exact and found.best is not None and 0 < found.best - 1 / (1 + math.e) < 1e-3
    assert "eps does not increase with lam" in str(found) and "1-beta does not increase with lam" in str(found)
    assert found.contains(found.best) and found.best in found.seen and not found.contains("1/4")
    nothing = rr_count(bits(3), lam=LAM).calibrate(epsilon=1, accuracy=(sum, 0, "9/10"))
    assert not nothing and "was found by bisection" in str(nothing)
    with pytest.raises(TooLarge, match="both rises and falls with lam"):
        k_ary_randomized_response(ints(1, 0, 2), k=3, lam=parameter("lam", 0, 1)).calibrate(epsilon=1)


def test_a_bisection_is_drawn_value_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parametric, "_MOST_CASES", 1)
    monkeypatch.setattr(parametric, "_MOST_ORBITS", 0)
    found = rr_count(bits(3), lam=LAM).calibrate(epsilon=1, accuracy=(sum, 1, "1/2"))
    assert [one.label for one in found.tried] == ["e^eps", "1-beta"] and not found.requirements
    ratios, chances = found._figure(None).axes
    for axes, one in zip((ratios, chances), found.tried, strict=True):
        lines = {str(line.get_label()).split(",")[0]: line for line in axes.lines}
        dots = lines["computed"]
        heights = {Fraction(x).limit_denominator(10**9): y for x, y in zip(*dots.get_data(), strict=True)}
        assert heights == {value: drawn(one.label, high) for value, (_, high) in one.ends.items() if high != math.inf}
        assert list(lines["the limit"].get_ydata()) == [drawn(one.label, one.limit)] * 2
    assert math.isclose(drawn("e^eps", Fraction(3)), math.log(3)) and drawn("1-beta", Fraction(3)) == 3
    assert [text.get_text() for text in ratios.texts] == ["∞"], "at lam = 0 every output tells the input"
    nothing = rr_count(bits(3), lam=LAM).calibrate(epsilon=1, accuracy=(sum, 0, "9/10"))
    assert nothing.plot() is not None and not nothing._figure(None).axes[0].patches


@pytest.mark.parametrize(
    ("budget", "kind"),
    [
        ({}, WrongArguments),
        ({"delta": "1/10"}, WrongArguments),
        ({"epsilon": 1, "ratio": 2}, WrongArguments),
        ({"epsilon": -1}, InvalidNumber),
        ({"ratio": "1/2"}, InvalidNumber),
        ({"epsilon": 1, "delta": 2}, InvalidProbability),
        ({"renyi": 3}, WrongArguments),
        ({"renyi": (2, -1)}, InvalidNumber),
        ({"renyi": ("1/2", 1)}, InvalidNumber),
        ({"accuracy": (sum, 3, 2)}, InvalidProbability),
        ({"accuracy": sum}, WrongArguments),
        ({"accuracy": (sum, 3)}, WrongArguments),
        ({"epsilon": 1, "method": "sampled"}, InvalidInput),
    ],
    ids=str,
)
def test_budgets_that_are_refused(budget: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"calibrate|renyi"):
        rr_count(bits(2), lam=LAM).calibrate(**budget)


def test_plots(tmp_path: Any) -> None:
    model = rr_count(bits(4), lam=LAM)
    for number, budget in enumerate([*BUDGETS, {"epsilon": 1, "accuracy": (sum, 1)}]):
        path = tmp_path / f"{number}.png"
        model.calibrate(**budget).plot(path)
        assert path.stat().st_size > 5000


@pytest.mark.parametrize(
    ("low", "high", "budget"),
    [
        ("0", "1/2", {"ratio": 1, "accuracy": (sum, 0)}),
        ("1/4", "1/2", {"ratio": 1, "accuracy": (sum, 0, "1/10")}),
        ("0", "1/2", {"epsilon": 1, "renyi": (2, 1)}),
        ("0", "1/2", {"epsilon": 1, "delta": 0, "renyi": (3, "1/2"), "accuracy": (sum, 1, 1)}),
        ("0", "1/10", {"ratio": "11/10", "accuracy": (sum, 1)}),
    ],
    ids=str,
)
def test_narrow_and_impossible_budgets_are_drawn_too(low: str, high: str, budget: dict[str, Any]) -> None:
    found = rr_count(bits(3), lam=parameter("lam", low, high)).calibrate(**budget)
    assert found.plot() is not None and "<svg" in found._repr_html_()


def test_where_privacy_is_infinite_everywhere_the_requirements_are_drawn() -> None:
    @mechanism
    def told(x: Any, lam: Any) -> Any:
        return x[0], flip(lam)

    found = told(bits(1), lam=LAM).calibrate(epsilon=1, accuracy=(lambda x: 0, 0, "1/2", lambda y, z: y[0]))
    assert not found and len(found._figure(None).axes) == 2
