"""Questions have the same answer whichever workers do their pieces: numbers, counts, worst cases, intervals."""

import math
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.parallel.executors import Flaky, Reversed

import taut
from taut import Model, bits, categories, discrete, exp, flip, ints, local_workers, mechanism
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.questions.pair_measure import Divergence
from taut.support.parallel.local import LocalWorkers

pytestmark = pytest.mark.slow
CUT = {"taut.synthesis.exhaustive.pieces.CELLS": 64, "taut.synthesis.exhaustive.pieces.TABLE": 8}


class Colour(Enum):
    """Values that only this module knows."""

    RED = "red"
    BLUE = "blue"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CUT.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setattr("taut.synthesis.symmetry.solver._SENT", 2)
    monkeypatch.setattr("taut.synthesis.pairs.orbits._TOGETHER", 3)
    monkeypatch.setattr("taut.synthesis.pairs.all_pairs._WORTHWHILE", 1)


@pytest.fixture(scope="module")
def processes() -> Iterator[LocalWorkers]:
    with local_workers(2) as pool:
        yield pool


def parts(answer: Any) -> Any:
    """Return the fields of an answer without its duration and its model."""
    if isinstance(answer, list):
        return [(one.value, one.count, one.witness) for one in answer]
    left_out = ("stats", "replay", "keep", "view", "history", "question")
    values = {field.name: getattr(answer, field.name) for field in fields(answer) if field.name not in left_out}
    return {name: getattr(value, "lines", getattr(value, "corners", value)) for name, value in values.items()}


def gap(output: Any, wanted: Any) -> Any:
    return abs(output - wanted)


class Halved(Divergence):
    """A measure that no worker knows."""

    def phi(self, p: Any, q: Any) -> Any:
        return abs(p - q) / 2


QUESTIONS: dict[str, Any] = {
    "privacy": lambda model, **how: model.privacy(method="exhaustive", **how),
    "privacy, orbits": lambda model, **how: model.privacy(method="restricted", **how),
    "privacy, auto": lambda model, **how: model.privacy(**how),
    "worst pairs": lambda model, **how: model.worst_pairs(3, **how),
    "delta": lambda model, **how: model.delta(1, method="exhaustive", **how),
    "delta, orbits": lambda model, **how: model.delta(1, method="restricted", **how),
    "profile": lambda model, **how: model.profile(method="exhaustive", **how),
    "profile, orbits": lambda model, **how: model.profile(method="restricted", **how),
    "renyi": lambda model, **how: model.renyi(2, method="exhaustive", **how),
    "tradeoff": lambda model, **how: model.tradeoff(method="exhaustive", **how),
    "own measure": lambda model, **how: model.divergence(Halved(), method="exhaustive", **how),
}
ESTIMATES: dict[str, Any] = {
    "accuracy": lambda model, **how: model.accuracy(lambda x: sum(x), 1, distance=gap, method="exhaustive", **how),
    "accuracy, orbits": lambda model, **how: model.accuracy(lambda x: sum(x), 1, method="restricted", **how),
    "worst inputs": lambda model, **how: model.worst_inputs(lambda x: sum(x), 1, 3, **how),
    "error": lambda model, **how: model.error(sum, method="exhaustive", **how).mean,
    "variance": lambda model, **how: model.error(sum, method="exhaustive", **how).variance,
}
EXECUTORS: dict[str, Any] = {"reversed": Reversed, "flaky": Flaky, "threads": lambda: ThreadPoolExecutor(2)}


def compare(model: Model, questions: dict[str, Any], executor: Executor) -> None:
    for name, ask in questions.items():
        assert parts(ask(model, executor=executor)) == parts(ask(model)), name


@pytest.mark.parametrize("kind", EXECUTORS)
def test_every_question_has_one_answer(kind: str) -> None:
    with EXECUTORS[kind]() as executor:
        compare(above_threshold(ints(2, 0, 2), threshold=1, ratio="1/2", high=2), QUESTIONS, executor)
        compare(rr_count(bits(4), lam="1/5"), {**QUESTIONS, **ESTIMATES}, executor)


def test_every_question_by_processes(processes: LocalWorkers) -> None:
    compare(rr_count(bits(5), lam="1/5"), {**QUESTIONS, **ESTIMATES}, processes)
    compare(randomized_response(bits(3), lam=exp("-1")), QUESTIONS, processes)


def test_a_pool_of_the_standard_library() -> None:
    import multiprocessing

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        compare(rr_count(bits(4), lam="1/5"), QUESTIONS, pool)


@mechanism
def coloured(x: Any) -> Any:
    return [colour if flip("2/3") else discrete({Colour.RED: "1/2", Colour.BLUE: "1/2"}) for colour in x]


def test_values_of_the_users_own_are_not_sent(processes: LocalWorkers) -> None:
    """No worker can find a class of a test: entries, outcomes and outputs travel as positions."""
    Colour.__module__ = "nowhere"
    model = coloured(categories(3, [Colour.RED, Colour.BLUE]))
    compare(model, QUESTIONS, processes)
    assert model.privacy(method="exhaustive", executor=processes).witness.x == (Colour.RED,) * 3


def test_a_parameter_left_free(processes: LocalWorkers) -> None:
    model = randomized_response(bits(3), lam=taut.parameter("lam", 0, "1/2"))
    expected = model.privacy(method="exhaustive")
    with taut.options(executor=processes):
        assert str(model.privacy(method="exhaustive")) == str(expected)


def test_conditioned_channels(processes: LocalWorkers) -> None:
    from tests.synthesis.mechanisms import untruthful

    compare(untruthful(bits(3), lam="1/5"), QUESTIONS, processes)


def test_a_worker_that_is_killed_loses_nothing(processes: LocalWorkers) -> None:
    model = randomized_response(bits(6), lam="1/5")
    expected = model.privacy(method="exhaustive")
    killed: list[int] = []

    def kill(now: Any) -> None:
        if now.done * 2 > now.total and not killed:
            pool = processes._pool
            assert pool is not None
            killed.append(next(iter(pool._processes)))
            os.kill(killed[0], signal.SIGKILL)

    bound = model.privacy(method="exhaustive", executor=processes, progress=kill)
    assert killed and parts(bound) == parts(expected)
    assert killed[0] not in processes._started()._processes


def test_an_interruption_ends_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C arrives while pieces are being done: the answer says so, and no process is left."""
    model = randomized_response(bits(6), lam="1/5")
    pids: list[int] = []

    def interrupt(now: Any) -> None:
        assert workers._pool is not None
        pids.extend(workers._pool._processes)
        raise KeyboardInterrupt

    with local_workers(2) as workers:
        bound = model.privacy(method="exhaustive", executor=workers, progress=interrupt)
    assert pids and not any(map(_alive, pids))
    assert bound.stats["stopped"] == "interrupted" and 1 <= bound.lower <= 4 and bound.upper == math.inf


def test_after_a_time_limit_there_is_an_interval_and_nothing_goes_on(processes: LocalWorkers) -> None:
    model = randomized_response(bits(6), lam="1/5")
    end = time.perf_counter() + 1

    def wait(now: Any) -> None:
        time.sleep(max(0.0, end - time.perf_counter() + 0.01))

    bound = model.privacy(method="exhaustive", executor=processes, progress=wait, time_limit=1)
    assert not bound.exact and bound.lower <= 4 <= bound.upper and bound.stats["stopped"] == "time_limit"
    assert processes._pool is None
    assert model.privacy(method="exhaustive", executor=processes).max_ratio == 4


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


weights = st.lists(st.integers(0, 4), min_size=2, max_size=3).filter(any)


@given(st.lists(st.tuples(weights, weights), min_size=1, max_size=3), st.integers(0, 2))
@settings(max_examples=8, deadline=None)
def test_random_programs(tables: Any, kind: int) -> None:
    """Each entry draws from one of two tables; the answer is a list, its sum, or its largest item."""
    shares = [[[f"{w}/{sum(row)}" for w in row] for row in pair] for pair in tables]

    @mechanism
    def drawn(x: Any) -> Any:
        items = [discrete(shares[i][1]) if bit else discrete(shares[i][0]) for i, bit in enumerate(x)]
        return items if kind == 0 else sum(items) if kind == 1 else max(items)

    model = drawn(bits(len(tables)))
    for executor in (Reversed(2), Flaky()):
        compare(model, QUESTIONS, executor)
