"""Bounds are values: equal if they say the same, however long it took, and they come back from a pickle."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from taut import InvalidInput, Model, TooLarge, bits, exp, ints, options
from taut.mechanisms import above_threshold, randomized_response, rr_count

QUESTIONS: dict[str, Callable[[], Any]] = {
    "exhaustive": lambda: rr().privacy(),
    "search": lambda: rr().privacy(method="search"),
    "restricted": lambda: rr().privacy(method="restricted"),
    "ball": lambda: rr(exp(-1)).privacy(),
    "infinite": lambda: rr(0).privacy(),
    "stopped": lambda: stopped(),
    "accuracy": lambda: rr_count(bits(4), lam="1/5").accuracy(sum, alpha=1),
    "error": lambda: rr_count(bits(4), lam="1/5").error(sum).variance,
    "delta": lambda: rr().delta(1),
    "epsilon": lambda: rr().epsilon("1/10"),
    "renyi": lambda: rr().renyi(2),
    "zcdp": lambda: rr().zcdp(),
}


def rr(lam: Any = "1/5") -> Model:
    model: Model = randomized_response(bits(3), lam=lam)
    return model


def stopped() -> Any:
    with options(max_beliefs=20):
        bound = above_threshold(ints(6, 0, 3), 2, "1/2", 3).privacy(method="search")
    assert not bound.exact
    return bound


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_question_gives_an_equal_bound(name: str) -> None:
    one, other = QUESTIONS[name](), QUESTIONS[name]()
    assert one == other and hash(one) == hash(other)


def test_what_differs_is_unequal() -> None:
    bounds = [
        QUESTIONS[name]() for name in ("exhaustive", "search", "infinite", "accuracy", "error", "delta", "epsilon")
    ]
    bounds += [rr().privacy("all_step"), rr("1/4").privacy(), randomized_response(bits(2), lam="1/5").privacy()]
    assert len(set(bounds)) == len(bounds)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_pickled_bound_says_what_it_said(name: str) -> None:
    bound = QUESTIONS[name]()
    again = pickle.loads(pickle.dumps(bound))
    assert again == bound and type(again) is type(bound)
    assert (str(again), again.to_dict(), again.explain()) == (str(bound), bound.to_dict(), bound.explain())
    with pytest.raises(InvalidInput, match="pickling leaves the model behind"):
        again.verify()
    assert pickle.loads(pickle.dumps(again)) == bound


def test_a_pickled_event_has_its_outputs() -> None:
    event = rr().delta(1).witness.event
    again = pickle.loads(pickle.dumps(event))
    assert list(again) == list(event) and all(y in again for y in event)
    assert [again(y) for y in rr().domain] == [event(y) for y in rr().domain]


def test_a_pickled_event_of_many_outputs_says_so() -> None:
    bound = randomized_response(bits(16), lam="1/5").delta(1)
    again = pickle.loads(pickle.dumps(bound))
    assert again == bound and repr(again.witness.event) == "<event of many outputs>"
    with pytest.raises(TooLarge, match="ask the model again"):
        _ = (0,) * 16 in again.witness.event


def test_copies_can_be_verified() -> None:
    bound = rr().privacy()
    assert copy.copy(bound).verify() and copy.deepcopy([bound])[0].verify()
