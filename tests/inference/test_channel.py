"""Channels: values without callables that answer alike after pickling, and that take other weights uncompiled."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from taut import (
    InvalidInput,
    Model,
    bits,
    categories,
    discrete,
    exp,
    flip,
    formula,
    geometric,
    integer,
    ints,
    mechanism,
    observe,
)
from taut.diagrams.compile import RelationCache
from taut.diagrams.compile.relation import structure
from taut.inference.channel import Channel
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.neighbors import neighbors_of
from taut.questions.accuracy import EventProbability
from taut.questions.privacy import LargestRatio
from taut.synthesis import METHODS, Problem, solve


@mechanism
def seen(x: Any, p: Any) -> Any:
    """Reports, of which some are observed."""
    report = [bit ^ flip(p) for bit in x]
    observe(sum(report) >= 1)
    return report


@mechanism
def two_databases(x: Any, y: Any, p: Any) -> Any:
    return sum(x) + (y if flip(p) else 0)


@mechanism
def random_length(x: Any, p: Any) -> Any:
    """A list, sometimes longer, sometimes with an empty list in it, sometimes no list at all."""
    out: list[Any] = []
    for bit in x:
        if flip(p):
            out.append([bit])
        elif flip(p):
            out.append([])
    return "none" if len(out) == 0 else out


@mechanism
def noisy(x: Any, p: Any) -> Any:
    return [geometric(value, p, 0, 2) for value in x]


def event(model: Model, target: Any, alpha: Any) -> Channel:
    """Return the channel of an accuracy: its output tells if the mechanism came close."""
    return model.closeness(target, None, alpha).channel()


CHANNELS: dict[str, Callable[[], Channel]] = {
    "randomized response": lambda: randomized_response(bits(3), lam="1/5").channel(),
    "above threshold": lambda: above_threshold(ints(2, 0, 2), threshold=1, ratio="1/2", high=2).channel(),
    "conditioned": lambda: seen(bits(2), p="1/3").channel(),
    "exp": lambda: noisy(ints(2, 0, 2), p=exp("-1")).channel(),
    "several databases": lambda: two_databases(bits(2), integer(0, 2), p="1/4").channel(),
    "lists of random length": lambda: random_length(categories(2, ["a", "b"]), p="1/3").channel(),
    "accuracy": lambda: event(rr_count(bits(3), lam="1/5"), sum, 1),
    "accuracy with exp": lambda: event(rr_count(bits(3), lam=exp("-1")), sum, 1),
    "formula": lambda: formula("y <-> (x ^ t)", ["x"], ["y"], {"t": "1/5"}).channel(),
    "one input": lambda: seen(bits(2), p="1/3").fix((0, 1)).channel(),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_a_pickled_channel_answers_alike(name: str) -> None:
    channel = CHANNELS[name]()
    copied = pickle.loads(pickle.dumps(channel))
    first = channel.x([len(values) - 1 for values in channel.values])
    expected = channel.distribution(first, "auto", 10**6)
    assert copied.distribution(first, "auto", 10**6) == expected and len(expected) > 1
    pairs = [(channel.x([0] * len(channel.values)), y) for y in expected]
    assert copied.probabilities(pairs) == channel.probabilities(pairs)
    assert [copied.probability(x, y) for x, y in pairs] == [channel.probability(x, y) for x, y in pairs]
    assert copied.batch(pairs).tolist() == channel.batch(pairs).tolist()
    assert copied.sample(first, 5, seed=1) == channel.sample(first, 5, seed=1)


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("name", [name for name in CHANNELS if name != "one input"])
def test_a_pickled_channel_has_the_same_bound(name: str, method: str) -> None:
    channel = CHANNELS[name]()
    accuracy = name.startswith("accuracy")
    bounds = []
    for one in (channel, pickle.loads(pickle.dumps(channel))):
        neighbors = None if accuracy else neighbors_of("one_differ")
        bounds.append(solve(Problem(one, neighbors, EventProbability() if accuracy else LargestRatio()), method))
    assert bounds[0].upper == bounds[1].upper and bounds[0].witness == bounds[1].witness


WEIGHTED: dict[str, Callable[[Any], Model]] = {
    "randomized response": lambda p: randomized_response(bits(3), lam=p),
    "above threshold": lambda p: above_threshold(ints(2, 0, 2), threshold=1, ratio=p, high=2),
    "conditioned": lambda p: seen(bits(2), p=p),
    "several databases": lambda p: two_databases(bits(2), integer(0, 2), p=p),
    "lists of random length": lambda p: random_length(bits(2), p=p),
    "a certain coin": lambda p: mechanism(lambda x, q: discrete([q, 1 - q]) + x)(integer(0, 1), q=p),
}


@pytest.mark.parametrize("other", ["1/7", "2/3", exp("-2")])
@pytest.mark.parametrize("name", WEIGHTED)
def test_other_weights_are_as_compiling_anew(name: str, other: Any) -> None:
    make = WEIGHTED[name]
    anew = make(other)
    channel = make("1/3").channel().reweighted(anew.program.coins)
    for x in map(channel.x, [[0] * len(channel.values), [len(values) - 1 for values in channel.values]]):
        assert channel.distribution(x, "auto", 10**6) == anew.channel().distribution(x, "auto", 10**6)
    problems = [Problem(one, neighbors_of("one_differ"), LargestRatio()) for one in (channel, anew.channel())]
    assert solve(problems[0]).upper == solve(problems[1]).upper


def test_coins_with_other_outcomes_are_refused() -> None:
    channel = randomized_response(bits(2), lam="1/5").channel()
    for coins in (channel.relation.coins[:1], rr_count(bits(3), lam="1/5").program.coins):
        with pytest.raises(InvalidInput, match="coins"):
            channel.reweighted(coins)


def test_a_relation_is_compiled_once_per_structure() -> None:
    cache = RelationCache()
    values = ["1/5", "1/3", "0.5"]
    bounds = [randomized_response(bits(3), lam=lam).compiled_by(cache).privacy().max_ratio for lam in values]
    assert bounds == [Fraction(4), Fraction(2), Fraction(1)] and cache.compilations == 1
    accuracies = [rr_count(bits(3), lam=lam).compiled_by(cache).accuracy(sum, 1).probability for lam in values]
    assert accuracies == [rr_count(bits(3), lam=lam).accuracy(sum, 1).probability for lam in values]
    assert cache.compilations == 2


def test_the_structure_tells_everything_but_weights() -> None:
    def one(x: Any, p: Any) -> Any:
        return x[0] ^ flip(p)

    def number(x: Any, p: Any) -> Any:
        return 1 if flip(p) else x[0]

    def truth(x: Any, p: Any) -> Any:
        return True if flip(p) else x[0]

    number.__name__ = truth.__name__ = "same"
    read = [mechanism(function)(bits(1), p="1/3").program for function in (number, truth)]
    assert structure(read[0]) != structure(read[1])
    weights = [mechanism(one)(bits(1), p=p).program for p in ("1/3", "1/4")]
    assert structure(weights[0]) == structure(weights[1])
    assert structure(weights[0]) != structure(mechanism(one)(bits(2), p="1/3").program)
