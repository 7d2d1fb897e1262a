"""What is answered before anything is compiled does not depend on other questions, nor on how busy the machine is."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.synthesis.decompose.test_together import median
from tests.synthesis.mechanisms import asked_from

from taut import bits, flip, integer, ints, mechanism, uniform
from taut.mechanisms import randomized_response
from taut.neighbors import neighbors_of
from taut.questions.privacy import LargestRatio
from taut.support import limits
from taut.synthesis import solve


@mechanism
def shared(x: Any) -> Any:
    """One draw that is used as it is and together with an input."""
    coin = flip("1/3")
    return (coin, coin ^ (x[0] == 1), uniform(0, 1))


@mechanism
def rounded(x: Any, k: int) -> Any:
    """A coin whose weight depends on the input."""
    return flip(Fraction(1 + x % k, k + 3))


def test_a_busy_machine_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_from(0, monkeypatch)
    model = median(ints(3, 0, 3), high=3)
    with monkeypatch.context() as busy:
        busy.setattr(limits, "clock", itertools.count(0, 100).__next__)
        bound = model.privacy("all_step")
    with monkeypatch.context() as slow:
        slow.setattr(limits, "cpu_clock", itertools.count(0, 100).__next__)
        other = median(ints(3, 0, 3), high=3).privacy("all_step")
    assert bound.method == "decomposition" != other.method and bound.max_ratio == other.max_ratio


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "size": lambda model: model.size,
    "one input": lambda model: model.distribution(model.space.at([0] * len(model.space.values))),
    "another method": lambda model: model.privacy(method="search"),
    "delta": lambda model: model.delta(ratio=2),
    "symmetries": lambda model: model.symmetries(),
    "privacy": lambda model: model.privacy(),
}
MODELS: dict[str, Callable[[], Any]] = {
    "one entry": lambda: rounded(integer(0, 19), k=5),
    "median": lambda: median(ints(3, 0, 3), high=3),
    "shared coin": lambda: shared(ints(3, 0, 2)),
    "few cases": lambda: randomized_response(bits(3), lam="1/5"),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("first", QUESTIONS)
def test_an_answer_does_not_depend_on_what_was_asked_before(
    name: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_from(100, monkeypatch)
    fresh, used = MODELS[name](), MODELS[name]()
    expected = fresh.privacy()
    QUESTIONS[first](used)
    found = used.privacy()
    assert found == expected and found.method == expected.method and found.stats["why"] == expected.stats["why"]
    assert (found.method == "decomposition") == (name != "few cases")


def test_an_answer_from_the_terms_needs_no_channel() -> None:
    def refused(*_: Any) -> Any:
        raise AssertionError("nothing is compiled with inputs left free")

    model = rounded(integer(0, 799), k=5)
    bound = model.compiled_by(refused).privacy()
    assert bound.method == "decomposition" and bound.max_ratio == model.privacy(method="exhaustive").max_ratio


def test_a_problem_is_pickled_with_its_channel() -> None:
    problem = median(ints(2, 0, 2), high=2)._problem(neighbors_of("one_differ"), LargestRatio())
    again = pickle.loads(pickle.dumps(problem))
    assert solve(again).max_ratio == solve(problem).max_ratio
