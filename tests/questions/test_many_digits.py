"""Bounds whose numbers have more digits than Python converts by default print and are written like all others."""

import json
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from taut import Model, flip, integer, mechanism
from taut.questions.bound import Interval, Moment
from taut.questions.text import represented

LARGE = 10**5000
RARE = Fraction(LARGE // 3, LARGE + 1)


@mechanism
def rare(x):
    return flip(RARE) if x else flip(1 - RARE)


@mechanism
def far(x):
    return (LARGE if flip(RARE) else 0) if x else (LARGE if flip("1/3") else 1)


QUESTIONS: dict[str, Callable[[Model], Any]] = {
    "privacy": lambda model: model.privacy(),
    "delta": lambda model: model.delta(epsilon=1),
    "epsilon": lambda model: model.epsilon(delta="0.1"),
    "profile": lambda model: model.profile(),
    "renyi": lambda model: model.renyi(2),
    "zcdp": lambda model: model.zcdp(),
    "tradeoff": lambda model: model.tradeoff(),
    "divergence": lambda model: model.divergence("total_variation"),
    "accuracy": lambda model: model.accuracy(alpha=1, target=lambda x: x),
    "error": lambda model: model.error(target=lambda x: x),
    "loss": lambda model: model.loss(0, 1),
    "classes": lambda model: model.ratio_classes(),
    "worst pairs": lambda model: model.worst_pairs(),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("made", [rare, far], ids=["probabilities", "outputs"])
def test_an_answer_with_many_digits_prints(made, name):
    assert sys.get_int_max_str_digits() == 4300  # the limit of whoever asks stays as it is
    answer = QUESTIONS[name](made(integer(0, 1)))
    assert str(answer) and repr(answer)
    if hasattr(answer, "to_dict"):
        assert json.loads(json.dumps(answer.to_dict()))
    if hasattr(answer, "explain"):
        assert answer.explain() and answer._repr_html_()
    if getattr(answer, "replay", None) is not None:
        assert answer.verify() and repr(answer.verify())


def test_the_digits_are_all_there():
    found = rare(integer(0, 1)).privacy()
    ratio = found.max_ratio
    digits = f"Fraction({'6' * 4999}8, {'3' * 5000})"
    assert ratio == Fraction(int("6" * 2500) * 10**2500 + int("6" * 2499 + "8"), LARGE // 3)
    assert digits in repr(found)


@pytest.mark.parametrize(
    "made",
    [
        lambda n: n,
        lambda n: -n,
        lambda n: Fraction(-1, n),
        lambda n: (n,),
        lambda n: [n, (3.5, Fraction(n, 3)), True, None],
        lambda n: {"a": [n], n: "b"},
        lambda n: Moment(0.5, Fraction(1, n), None),
        lambda n: Interval(1, 2, Fraction(1, n), {"end": n}),
    ],
)
def test_many_digits_print_as_few_do(made):
    digits = "7" * 4301
    many = represented(made(int(digits[:4000]) * 10**301 + int(digits[4000:])))
    assert many.replace(digits, "7") == repr(made(7))
