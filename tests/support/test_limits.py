"""Limits of time and memory: what is raised, where it is noticed, and what is said when an answer is cut short.

No test looks at the real clock: time is a number of looks at a clock that goes on by one second at each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import taut
from taut import INFINITY, bits, flip, ints, mechanism, observe, options
from taut.interfaces.queries.query import read_query
from taut.interfaces.sweep import run_sweep
from taut.mechanisms import above_threshold, geometric_count, k_ary_randomized_response, randomized_response
from taut.mechanisms.catalog import resolve
from taut.questions.bound import Bound
from taut.questions.privacy import Privacy
from taut.support import limits
from taut.support.errors import InvalidInput, InvalidOption, OutOfMemory, OutOfTime, TooLarge


class Clock:
    """A clock that goes on by one second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(limits, "clock", made)
    monkeypatch.setattr(limits, "_GRACE", 10**6)  # as many looks as each grace allows
    return made


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The memory of the process, as long as a test says so."""
    held = [1000]
    monkeypatch.setattr(limits, "resident_memory", lambda: held[0])
    return held


# -- the mechanism -------------------------------------------------------------------------------------------------


def test_without_limits_nothing_is_raised() -> None:
    limits.checkpoint()
    limits.require_room(10**15)
    assert limits.remaining() == INFINITY and limits.exceeded() is None


def test_a_passed_deadline_is_raised_again_if_somebody_swallows_it(clock: Clock) -> None:
    with limits.limits(seconds=3):
        for _ in range(5):
            try:
                limits.checkpoint()
            except OutOfTime:
                break
        for _ in range(3):
            with pytest.raises(OutOfTime, match="3 seconds"):
                limits.checkpoint()
    limits.checkpoint()


def test_time_at_work_has_a_clock_of_its_own(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    worked = [5.0]
    monkeypatch.setattr(limits, "cpu_clock", lambda: worked[0])
    with limits.limits(cpu_seconds=3), limits.limits(seconds=10**6, cpu_seconds=4):
        clock.now += 10**5
        limits.checkpoint()
        clock.now, worked[0] = clock.now + 4, worked[0] + 3
        with pytest.raises(OutOfTime, match="3 seconds"):
            limits.checkpoint()
        with limits.grace(1):
            limits.checkpoint()


def test_a_grace_after_time_at_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """All periods of grace after a time limit end together, also if no other limit is in force."""
    worked = [5.0]
    monkeypatch.setattr(limits, "cpu_clock", lambda: worked[0])
    with limits.limits(cpu_seconds=3):
        worked[0] += 3
        for _ in range(2):
            with limits.grace(10):
                limits.checkpoint()
                worked[0] += limits._GRACE / 2
        with limits.grace(10), pytest.raises(OutOfTime, match="3 seconds"):
            limits.checkpoint()


def test_inner_limits_are_never_looser(clock: Clock, memory: list[int]) -> None:
    with limits.limits(seconds=100, memory=50), limits.limits(seconds=1000, memory=500):
        assert limits.remaining() < 100
        memory[0] += 51
        with pytest.raises(OutOfMemory):
            limits.checkpoint()
    with limits.limits(seconds=1000), limits.limits(seconds=2):
        assert limits.remaining() < 2


def test_a_grace_comes_after_a_limit_and_ends(clock: Clock, memory: list[int]) -> None:
    with limits.limits(seconds=1, memory=100):
        memory[0] += 200
        assert limits.exceeded() is not None
        with limits.grace(10):
            limits.checkpoint()
            memory[0] += 100
            assert isinstance([limits.exceeded() for _ in range(20)][-1], OutOfTime)


@pytest.mark.parametrize(("earlier", "left"), [(1, 9), (4, 6), (8, 2.5), (10.2, 0.3), (30, -19.5)])
def test_time_spent_before_a_limit_counts(monkeypatch: pytest.MonkeyPatch, earlier: float, left: float) -> None:
    """Half of the limit is left, as long as the work then ends within half a second of it; all grace ends as before."""
    monkeypatch.setattr(limits, "clock", lambda: 100.0)
    with limits.limits(seconds=10):
        before = limits.ends()[0]
        limits.count_from(earlier)
        assert limits.remaining() == pytest.approx(left)
        assert limits.ends()[0] == pytest.approx(max(before - earlier, left + limits._LATE))


def test_memory_counts_from_where_the_work_began(memory: list[int]) -> None:
    memory[0] = 10**12
    with limits.limits(memory=1000):
        limits.checkpoint()
        limits.require_room(1000)
        with pytest.raises(OutOfMemory, match="max_memory"):
            limits.require_room(1001)


def test_iteration_looks_at_the_clock_now_and_then(clock: Clock) -> None:
    with limits.limits(seconds=1000):
        before = clock.now
        assert list(limits.checkpoints(range(100), every=10)) == list(range(100))
        assert 10 <= clock.now - before <= 12


@pytest.mark.parametrize("seconds", [0, -1, "x", True, float("nan")])
def test_limits_are_positive_numbers_of_seconds(seconds: Any) -> None:
    with pytest.raises(InvalidOption, match="seconds"), options(time_limit=seconds):
        pass
    with pytest.raises(InvalidInput, match="seconds"):
        randomized_response(bits(2), lam="1/5").privacy(time_limit=seconds)


def test_a_model_does_not_keep_the_time_limit_of_the_block_in_which_it_was_made() -> None:
    with options(time_limit=1e9, max_memory=10**12):
        model = randomized_response(bits(2), lam="1/5")
        assert model.options.time_limit == 1e9
    assert model.options.time_limit is None and model.options.max_memory == 10**12


# -- every question ------------------------------------------------------------------------------------------------


@mechanism
def conditioned(x: Any) -> Any:
    seen = [value ^ flip("1/3") for value in x]
    observe(seen[0] or flip("1/2"))
    return sum(seen)


MODELS: dict[str, Callable[[], Any]] = {
    "randomized response": lambda: randomized_response(bits(4), lam="1/5"),
    "above threshold": lambda: above_threshold(ints(3, 0, 2), threshold=1, ratio="1/2", high=2),
    "a count": lambda: geometric_count(bits(5), ratio="1/2"),
    "three values": lambda: k_ary_randomized_response(ints(3, 0, 2), lam="1/4", k=3),
    "evidence": lambda: conditioned(bits(3)),
}
ONE_WAY = [((0, 0, 0), (0, 0, 1)), ((0, 1, 0), (1, 1, 0))]
LIMITS = (0.5, 3, 12, 40, 120, 300, 1000)


def truth(name: str, best: bool = False) -> tuple[Any, Any]:
    model = MODELS[name]()
    return model.privacy().max_ratio, model.accuracy(sum, 1, distance=_distance, best=best).probability


def _distance(output: Any, wanted: Any) -> Any:
    return abs((sum(output) if isinstance(output, tuple) else output) - wanted)


@pytest.mark.parametrize("method", ["auto", "search", "exhaustive", "restricted"])
@pytest.mark.parametrize("name", list(MODELS))
def test_bounds_out_of_time_are_certified_intervals(clock: Clock, name: str, method: str) -> None:
    ratio, probability = truth(name)
    for seconds in LIMITS:
        before = clock.now
        bound = MODELS[name]().privacy(method=method, time_limit=seconds)
        assert 1 <= bound.lower <= ratio <= bound.upper
        assert bound.exact or (bound.stats["stopped"] == "time_limit" and bound.verify())
        try:
            bound = MODELS[name]().accuracy(sum, 1, distance=_distance, method=method, time_limit=seconds)
        except OutOfTime:  # while the target was being read
            continue
        assert 0 <= bound.lower <= probability <= bound.upper <= 1
        assert bound.exact or (bound.stats["stopped"] == "time_limit" and bound.verify())
        assert "None" not in str(bound) and isinstance(bound.to_dict(), dict)
        assert clock.now > before


def test_a_relation_that_goes_one_way_has_intervals_from_1(clock: Clock) -> None:
    for seconds in LIMITS:
        model = randomized_response(bits(3), lam="1/5")
        bound = model.privacy(ONE_WAY, method="search", time_limit=seconds)
        assert 1 <= bound.lower <= 4 <= bound.upper and bound.verify()


def test_a_stopped_search_exchanges_neighbours_rather_than_show_less_than_1(monkeypatch: pytest.MonkeyPatch) -> None:
    from taut.synthesis.search import engine

    def stop(*_: Any) -> None:
        raise OutOfTime("now")

    for name in ("step_up", "step_down", "quick_witness"):
        monkeypatch.setattr(engine, name, stop)
    for make in MODELS.values():
        bound = make().privacy(method="search")
        assert bound.lower >= 1 and bound.witnessed and bound.verify()


QUESTIONS: dict[str, Callable[[], Any]] = {
    "reading": lambda: MODELS["above threshold"](),
    "distribution": lambda: _made("above threshold").distribution((0, 1, 2)),
    "probability": lambda: _made("a count").probability((0, 1, 0, 1, 0), 2),
    "inference": lambda: _made("a count").inference([((0, 1, 0, 1, 0), 2)]),
    "batch": lambda: _made("a count").batch([((0, 1, 0, 1, 0), 2)]),
    "worst_pairs": lambda: _made("three values").worst_pairs(),
    "worst_inputs": lambda: _made("a count").worst_inputs(sum, 0),
    "symmetries": lambda: _made("randomized response").symmetries(),
    "inference_set": lambda: _made("randomized response").inference_set(),
    "accuracies": lambda: _made("a count").accuracies([(0, 1, 0, 1, 0)], sum, 1),
    "bdd_size": lambda: _made("a count").fix((0, 1, 0, 1, 0)).bdd_size,
    "dice": lambda: taut.dice("let a = flip 0.3 in let b = flip 0.8 in (a, b)").joint(),
    "error": lambda: _made("a count").error(sum).mean,
    "variance": lambda: _made("a count").error(sum).variance,
    "quantile": lambda: _made("a count").error(sum).quantile("1/2"),
    "sets": lambda: _made("randomized response").privacy(privacy_set=[((0,) * 4, (1, 0, 0, 0), (0,) * 4)]),
    "sweep": lambda: run_sweep(
        read_query("rr", ["n=3"]),
        "lam",
        [Fraction(1, 3), Fraction(1, 5)],
        neighbors="one_differ",
        questions=[Privacy()],
    ),
    "verify": lambda: _bound().verify(),
}
_KEPT: dict[str, Any] = {}


def _made(name: str) -> Any:
    """A model that was read without limits, and is compiled within them."""
    if name not in _KEPT:
        _KEPT[name] = MODELS[name]()
    model = _KEPT[name]
    return model.compiled_by(model._compile)


def _bound() -> Bound:
    return _KEPT.setdefault("bound", MODELS["above threshold"]().privacy())


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_question_ends_soon_after_its_time(clock: Clock, name: str) -> None:
    answer = QUESTIONS[name]()  # also what it needs is made here, without limits
    assert answer is not None
    with pytest.raises(OutOfTime, match="Allow more time"), options(time_limit=0.5):
        QUESTIONS[name]()
    before = clock.now
    with options(time_limit=10**9):
        QUESTIONS[name]()
    assert clock.now - before >= 3, "the clock is looked at"


@pytest.mark.parametrize("name", ["reading", "distribution", "worst_pairs", "symmetries", "dice"])
def test_every_question_ends_when_memory_does(memory: list[int], monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    QUESTIONS[name]()
    monkeypatch.setattr(limits, "resident_memory", itertools.count(0, 10**10).__next__)
    with pytest.raises(OutOfMemory, match="max_memory"):
        QUESTIONS[name]()


def test_bounds_out_of_memory_are_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Clock()
    model = MODELS["above threshold"]()
    monkeypatch.setattr(limits, "clock", ticks)
    monkeypatch.setattr(limits, "resident_memory", itertools.count(0, 10**10).__next__)
    bound = model.privacy()
    assert bound.lower >= 1 and not bound.exact and bound.stats["stopped"] == "max_memory"


def test_a_sweep_keeps_the_points_that_it_has(clock: Clock) -> None:
    query = read_query("rr", ["n=2"])
    values = [Fraction(1, n) for n in range(3, 40)]
    with options(time_limit=400):
        swept = run_sweep(query, "lam", values, neighbors="one_differ", questions=[Privacy()])
    assert swept.stopped == "time_limit" and 0 < len(swept.points) < len(values)
    assert swept.points[0].privacy is not None and swept.points[0].privacy.max_ratio == 2


# -- reading -------------------------------------------------------------------------------------------------------


def doubling(n: Any) -> Any:
    return 1 if n == 0 else doubling(n - 1) + doubling(n - 1)


@mechanism
def recursive(x: Any) -> Any:
    return doubling(40) + x[0]


@mechanism
def long_text(x: Any) -> Any:
    return len("ab" * 10**10) + x[0]


@mechanism
def random_text(x: Any) -> Any:
    return ("a" * (x[0] * 10**10))[0:1]


@mechanism
def long_list(x: Any) -> Any:
    return len([0] * 10**10) + x[0]


@mechanism
def broken_off(x: Any) -> Any:
    for i in range(10**9):
        if i > x[0]:
            return i
    return -1


@mechanism
def far_range(x: Any) -> Any:
    return x[0] in range(10**9)


@mechanism
def weighted_sum(x: Any) -> Any:
    return sum(bit * (i**3 * 7919 + i * 104729 + 13) for i, bit in enumerate(x)) % 1000003


def test_a_recursion_without_end_in_sight_ends_with_the_time(clock: Clock) -> None:
    with pytest.raises(OutOfTime, match=r"test_limits.py:.*seconds"), options(time_limit=2000):
        recursive(bits(1))


@pytest.mark.parametrize("function", [long_text, random_text, long_list])
def test_what_alone_would_fill_the_memory_is_not_made(function: Any) -> None:
    with pytest.raises(TooLarge, match=r"would have [12]0000000000 (characters|items); at most 10000000 are followed"):
        function(bits(1))


def test_long_ranges_cost_nothing() -> None:
    assert broken_off(bits(1)).distribution((1,)) == {2: 1}
    assert far_range(bits(1)).distribution((1,)) == {True: 1}


def test_a_large_diagram_ends_with_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    model = weighted_sum(bits(24))
    start = limits.resident_memory()
    looks = iter(range(10**9))
    monkeypatch.setattr(limits, "clock", Clock())
    monkeypatch.setattr(limits, "resident_memory", lambda: start + 10**8 * next(looks))
    with pytest.raises(OutOfMemory, match="4 GB"):
        model.relation  # noqa: B018


def test_many_coins_in_a_row_are_searched_without_the_product_of_their_denominators() -> None:
    bound = geometric_count(bits(40), ratio="1/2").privacy(method="search")
    assert bound.exact and bound.max_ratio == 2


def test_the_catalog_is_read_within_limits(clock: Clock) -> None:
    entry = resolve("rr")
    with pytest.raises(OutOfTime), options(time_limit=0.5):
        entry.model(3)
