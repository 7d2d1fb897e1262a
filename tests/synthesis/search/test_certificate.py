"""A search that is stopped, by time, by room or by hand, gives a true interval: the witness attains its end of it."""

import itertools
import math
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.synthesis.search.test_engine import (
    early_stop,
    evidence_walk,
    hidden_walk,
    is_it,
    late_state,
    model_of,
    outcome,
)

import taut
from taut import (
    INFINITY,
    Ball,
    ImpossibleEvidence,
    Model,
    TautError,
    bits,
    flip,
    geometric,
    integer,
    ints,
    mechanism,
    observe,
)
from taut.synthesis.search import bounding, engine
from taut.synthesis.search.certificate import Certificate

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "12"))
ROOMS = (1, 2, 3, 5, 8, 20, 60)
LIMITS = (1e-9, 1e-3, 5e-3)
ROW = tuple(Fraction(k, 6) for k in (1, 2, 3))


def ends(value: Any) -> tuple[Any, Any]:
    return (value.lower, value.upper) if isinstance(value, Ball) else (value, value)


def check(bound: Any, expected: Any, note: Any) -> None:
    """The interval holds the answer, and the witness attains its end."""
    least, most = ends(expected)
    assert ends(bound.lower)[0] <= most and ends(bound.upper)[1] >= least, (note, bound, expected)
    assert bound.verify(), (note, bound)
    stopped = bound.stats.get("stopped") is not None
    assert bound.exact or stopped, (note, bound)


def stopping_at(call: int) -> Callable[[Any], None]:
    """A callback that is interrupted when it is called for the given time."""
    calls = itertools.count(1)

    def tell(_: Any) -> None:
        if next(calls) == call:
            raise KeyboardInterrupt

    return tell


def stops(seed: int) -> Iterator[tuple[dict[str, int], dict[str, Any]]]:
    """Ways to stop: options, and arguments."""
    chance = random.Random(seed)
    yield {"max_beliefs": chance.choice(ROOMS)}, {}
    yield {}, {"time_limit": chance.choice(LIMITS)}
    yield {}, {"progress": stopping_at(chance.choice((1, 2, 3, 5, 8)))}


def check_stopped(model: Model, neighbors: Any, seed: int) -> None:
    expected = outcome(lambda: model.privacy(neighbors, method="exhaustive"))
    for options, arguments in stops(seed):
        with taut.options(**options):
            fresh = Model(model.program)
        found = outcome(lambda m=fresh, a=arguments: m.privacy(neighbors, method="search", **a))
        if isinstance(expected, type):
            # evidence that is impossible somewhere may be found only by looking further
            assert found is expected or expected is ImpossibleEvidence, (options, arguments, found)
        else:
            assert not isinstance(found, type), (options, arguments, found)
            check(found, expected.max_ratio, (options, arguments))


def check_stopped_accuracy(model: Model, target: Any, distance: Any, seed: int) -> None:
    for best in (False, True):
        asked = {"alpha": 0, "distance": distance, "best": best}
        expected = outcome(lambda a=asked: model.accuracy(target, method="exhaustive", **a))
        for options, arguments in stops(seed):
            with taut.options(**options):
                fresh = Model(model.program, model._reading)
            found = outcome(lambda m=fresh, a={**asked, **arguments}: m.accuracy(target, method="search", **a))
            if isinstance(expected, type):
                assert found is expected or expected is ImpossibleEvidence or found is taut.OutOfTime
            elif found is taut.OutOfTime:
                assert "time_limit" in arguments  # which may end before the target is read
            else:
                assert not isinstance(found, type), (options, arguments, found)
                check(found, expected.probability, (options, arguments, best))


# -- random weights on hidden states ---------------------------------------------------------------------------------

MODELS = [
    hidden_walk(ints(3, 0, 1), start=ROW, move=(ROW,) * 6, show=((Fraction(1, 3), Fraction(2, 3)),) * 3),
    early_stop(ints(3, 0, 1), start=ROW, move=(ROW,) * 6, stop=(Fraction(1, 3),) * 3),
    late_state(ints(2, 0, 2), start=ROW, move=(ROW,) * 9),
    evidence_walk(ints(2, 0, 1), start=ROW, move=(ROW,) * 6, keep=(Fraction(1, 3),) * 3),
]
EXACT: list[Any] = [Fraction(k) for k in (0, 0, 1, 1, 2, 10**9, 10**9 + 1)] + [Fraction(1, 10**200)]
BALLS: list[Any] = [Fraction(0), Fraction(1), *(taut.exp(power) for power in ("-100", "-1", "1", "3"))]


def weighted(model: Model, weights: list[Any], seed: int) -> Model:
    """The same program with coins whose weights are drawn at random."""
    chance = random.Random(seed)
    coins = []
    for coin in model.program.coins:
        drawn = [chance.choice(weights) for _ in coin.outcomes]
        drawn = drawn if any(weight != 0 for weight in drawn) else [Fraction(1)] * len(drawn)
        total = sum(drawn[1:], start=drawn[0])
        coins.append(replace(coin, weights=tuple(w if w == 0 else w / total for w in drawn)))
    return Model(replace(model.program, coins=tuple(coins)), model._reading)


@pytest.mark.parametrize("large", [-1, 2_000])
@pytest.mark.parametrize("weights", [EXACT, BALLS], ids=["exact", "balls"])
def test_random_weights(weights: list[Any], large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_LARGE", large)
    listed = [((0, 0, 1), (1, 1, 0)), ((0, 1, 1), (0, 1, 0))]
    for seed in range(EXAMPLES):
        chosen = MODELS[seed % len(MODELS)]
        relations = ["one_differ", "all_step", *([listed] if seed % len(MODELS) < 2 else [])]
        check_stopped(weighted(chosen, weights, seed), relations[seed % len(relations)], seed)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="TAUT_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(
    program=programs(without=frozenset({"text", "types"})),
    neighbors=st.sampled_from(["one_differ", "all_step"]),
    seed=st.integers(0, 1000),
)
def test_random_programs(program: GeneratedProgram, neighbors: str, seed: int) -> None:
    with loaded(program) as case:
        try:
            model = model_of(case)
        except TautError:
            return
        check_stopped(model, neighbors, seed)
        check_stopped_accuracy(model, lambda *databases: 0, is_it, seed)


# -- planted cases ---------------------------------------------------------------------------------------------------


@mechanism
def first_above(x, ratio, high):
    bar = geometric(high // 2, ratio, 0, high)
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, high) >= bar:
            return i
    return len(x)


@mechanism
def leaks(x, lam):
    return [bit ^ flip(lam) for bit in x[:-1]] + [x[-1]]


@mechanism
def majority(x, lam, keep):
    noisy = [bit ^ flip(lam) for bit in x]
    observe(noisy[0] or flip(keep))
    return 2 * sum(noisy) > len(x)


@pytest.mark.parametrize("limit", LIMITS)
def test_limits_that_are_too_short_for_anything(limit: float) -> None:
    for model in (
        first_above(ints(10, 0, 7), ratio="1/2", high=7),
        first_above(ints(10, 0, 7), ratio=taut.exp("-1"), high=7),
        leaks(bits(16), lam="1/5"),
        majority(bits(16), lam=taut.exp("-2"), keep="1/3"),
    ):
        bound = model.privacy("all_step", method="search", time_limit=limit)
        assert bound.verify() and ends(bound.lower)[0] <= ends(bound.upper)[1]
    for best in (False, True):
        model = majority(bits(16), lam="1/5", keep="1/3")
        try:
            found = model.accuracy(lambda x: 2 * sum(x) > len(x), 0, method="search", time_limit=limit, best=best)
        except taut.OutOfTime:  # before the target was read
            continue
        assert found.verify() and 0 <= found.lower <= found.upper <= 1


@pytest.mark.parametrize("call", range(1, 9))
def test_an_interruption_gives_the_interval_so_far(call: int) -> None:
    model = first_above(ints(5, 0, 3), ratio="1/2", high=3)
    expected = model.privacy("all_step", method="exhaustive").max_ratio
    check(model.privacy("all_step", method="search", progress=stopping_at(call)), expected, call)


@pytest.mark.parametrize("call", [1, 2, 5, 9])
@pytest.mark.parametrize("function", ["step_down", "step_up", "meet", "quick_witness", "limits_of"])
def test_an_interruption_inside(function: str, call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever Ctrl-C strikes, and also if it strikes again while the interval is made."""
    monkeypatch.setattr(engine, "_LARGE", 10)
    module = bounding if function == "limits_of" else engine
    original = getattr(module, function)
    calls = itertools.count(1)

    def interrupted(*given: Any, **named: Any) -> Any:
        if next(calls) >= call:
            raise KeyboardInterrupt
        return original(*given, **named)

    model = first_above(ints(5, 0, 3), ratio="1/2", high=3)
    expected = model.privacy("all_step", method="exhaustive").max_ratio
    monkeypatch.setattr(module, function, interrupted)
    check(model.privacy("all_step", method="search"), expected, (function, call))


def test_the_intervals_on_the_way_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_LARGE", 10)
    model = first_above(ints(5, 0, 3), ratio="1/3", high=3)
    expected = model.privacy("all_step", method="exhaustive").max_ratio
    seen = []
    model.privacy("all_step", method="search", progress=seen.append)
    assert seen
    for interval in seen:
        assert interval.lower is None or interval.lower <= expected
        assert interval.upper is None or interval.upper >= expected


def test_evidence_left_open_is_never_mistaken_for_possible() -> None:
    @mechanism
    def demands(x):
        observe(sum(x) != 7)
        return flip("1/3")

    for room in ROOMS:
        with taut.options(max_beliefs=room):
            model = demands(bits(12))
        try:
            bound = model.privacy(method="search")
        except ImpossibleEvidence:
            continue
        assert bound.lower != INFINITY and sum(bound.witness.x) != 7 != sum(bound.witness.x_prime)
    with pytest.raises(ImpossibleEvidence):
        demands(bits(12)).privacy(method="search")


def test_evidence_that_no_input_has_is_refused() -> None:
    @mechanism
    def never(x):
        observe(x[0] + 2 < flip("1/2"))
        return flip("1/3")

    model = never(bits(2))
    with pytest.raises(ImpossibleEvidence):
        model.privacy(method="search")
    for best in (False, True):
        with pytest.raises(ImpossibleEvidence):
            model.accuracy(lambda x: x[0], 0, method="search", best=best)


@mechanism
def settled_before_the_input(x):
    coin = flip("1/3")
    return [coin, coin][(x + x) % 2 :]


@pytest.mark.parametrize("call", range(1, 7))
def test_what_finishes_before_an_input_is_within_the_interval(call: int) -> None:
    bound = settled_before_the_input(integer(0, 2)).privacy(method="search", progress=stopping_at(call))
    check(bound, Fraction(1), call)


@pytest.mark.parametrize("largest", [True, False])
def test_nothing_is_beyond_the_closest_layer(largest: bool) -> None:
    """Every layer that is completed bounds all values, in whichever order they come."""
    source, sign = random.Random(5), 1 if largest else -1
    for _ in range(20):
        known: Any = Certificate(SimpleNamespace(largest=largest))  # type: ignore[arg-type]
        known.overall = INFINITY if largest else Fraction(1, 10**30)
        bounds = [source.uniform(-3, 9) for _ in range(source.randint(1, 5))]
        for bound in bounds:
            known.close_layer(bound)
        distance = math.log(known.bound) - sign * min(bounds)
        assert 0 <= sign * distance < 1e-8
