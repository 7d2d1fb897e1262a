"""Questions about one model share its loss distributions, and no answer depends on what was asked before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from taut import bits, ints, options, parameter
from taut.mechanisms import above_threshold, histogram, randomized_response, rr_count
from taut.questions.divergence import TotalVariation
from taut.synthesis import auto, facts
from taut.synthesis.pairs import losses
from taut.synthesis.pairs.losses import LossCollection

QUESTIONS: dict[str, Callable[..., Any]] = {
    "delta": lambda model, **how: model.delta(ratio=2, **how),
    "epsilon": lambda model, **how: model.epsilon("1/10", **how),
    "profile": lambda model, **how: model.profile(**how),
    "renyi 2": lambda model, **how: model.renyi(2, **how),
    "renyi 3/2": lambda model, **how: model.renyi("3/2", **how),
    "zcdp": lambda model, **how: model.zcdp(**how),
    "tradeoff": lambda model, **how: model.tradeoff(**how),
    "divergence": lambda model, **how: model.divergence(TotalVariation(), **how),
}


def said(bound: Any) -> dict[str, Any]:
    """What a bound says, without how long it took."""
    return {name: part for name, part in bound.to_dict().items() if name != "stats"} | {"why": bound.stats.get("why")}


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs' walks were begun."""
    begun: list[int] = []
    run = LossCollection.run

    def counted(self: LossCollection) -> Any:
        begun.append(1)
        return run(self)

    monkeypatch.setattr(LossCollection, "run", counted)
    return begun


@pytest.mark.parametrize("method", ["exhaustive", "restricted"])
def test_all_measures_share_one_walk_and_have_the_answers_of_a_fresh_model(method: str, walks: list[int]) -> None:
    expected = {name: ask(rr_count(bits(4), lam="1/5"), method=method) for name, ask in QUESTIONS.items()}
    walks.clear()
    model = rr_count(bits(4), lam="1/5")
    found = {name: ask(model, method=method) for name, ask in QUESTIONS.items()}
    begun = 1 if method == "exhaustive" else 2  # the second names the first of the worst cases
    assert len(walks) == begun and {n: said(b) for n, b in found.items()} == {n: said(b) for n, b in expected.items()}
    assert all(bound.verify() for bound in found.values())


@pytest.mark.parametrize("first", QUESTIONS)
@pytest.mark.parametrize("second", ["profile", "renyi 2", "zcdp"])
def test_how_an_answer_is_found_does_not_depend_on_earlier_questions(
    first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto, "_PER_ENTRY", 1)
    attempts = tuple(
        attempt if attempt.room is None else replace(attempt, room=attempt.room // 512) for attempt in auto._BY_CHANNEL
    )
    monkeypatch.setattr(auto, "_BY_CHANNEL", attempts)  # little room first, more later, as for large mechanisms

    def make() -> Any:
        return above_threshold(ints(2, 0, 2), threshold=1, ratio="1/2", high=2)

    expected, model = QUESTIONS[second](make()), make()
    QUESTIONS[first](model)
    found = QUESTIONS[second](model)
    assert said(found) == said(expected)


def test_relations_weights_and_room_are_told_apart(walks: list[int]) -> None:
    model = histogram(ints(3, 0, 2), k=3, ratio="1/2")
    ways = ["one_differ", "one_step", lambda x, x_prime: sum(x) < sum(x_prime), [((0, 0, 0), (2, 2, 2))]]
    found = [model.renyi(2, neighbors=way, method="exhaustive").moment for way in ways]
    anew = [
        histogram(ints(3, 0, 2), k=3, ratio="1/2").renyi(2, neighbors=way, method="exhaustive").moment for way in ways
    ]
    assert found == anew and len(set(found)) > 1
    other = histogram(ints(3, 0, 2), k=3, ratio="1/3")
    assert other.renyi(2, neighbors="one_differ", method="exhaustive").moment != found[0]
    walks.clear()
    with options(max_beliefs=10**5):
        assert model.renyi(2, neighbors="one_differ", method="exhaustive").moment == found[0]
    assert len(walks) == 1


def test_what_is_kept_is_bounded_and_goes_with_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = randomized_response(bits(2), lam="1/5")
    for room in range(1000, 1020):
        with options(max_beliefs=room):
            model.profile(method="exhaustive")
    assert len(model._known) == facts._MOST
    monkeypatch.setattr(losses, "_MOST_ATOMS", 0)
    with options(max_beliefs=999):
        assert model.profile(method="exhaustive").corners == randomized_response(bits(2), lam="1/5").profile().corners
    kept = weakref.ref(model._known)
    del model
    gc.collect()
    assert kept() is None


def test_closed_forms_share_them_too(walks: list[int]) -> None:
    model = rr_count(bits(3), lam=parameter("lam", 0, "1/2"))
    walks.clear()
    model.renyi(2, method="exhaustive")
    model.delta(ratio=2, method="exhaustive")
    assert len(walks) == 1


def test_a_pair_that_several_bounds_share_is_replayed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = rr_count(bits(3), lam="1/5")
    asked: list[Any] = []
    replayed = type(model).replayed

    def counted(self: Any, x: Any, y: Any) -> Any:
        asked.append((x, y))
        return replayed(self, x, y)

    monkeypatch.setattr(type(model), "replayed", counted)
    bounds = [model.renyi(order) for order in (2, 3, 4)]
    assert all(bound.verify() for bound in bounds)
    assert len(asked) == len(set(asked)) > 0
