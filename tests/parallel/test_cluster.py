"""A Dask cluster of this machine: the same answers, also if a worker is killed half way."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.parallel.test_questions import ESTIMATES, QUESTIONS, compare, parts, small_pieces

from taut import InvalidOption, bits, cluster
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.parallel.executors import is_far, width

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed; taut[cluster] brings it")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # what Dask warns of while a worker is killed is not ours
]
__all__ = ["small_pieces"]


@pytest.fixture(scope="module")
def local_cluster() -> Iterator[Any]:
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as made:
        yield made


@pytest.fixture
def executor(local_cluster: Any) -> Iterator[Any]:
    with cluster(local_cluster.scheduler_address) as made:
        yield made


def test_every_question_by_a_cluster(executor: Any) -> None:
    assert width(executor) == 2 and is_far(executor)
    compare(rr_count(bits(4), lam="1/5"), {**QUESTIONS, **ESTIMATES}, executor)
    compare(above_threshold(ints_of(2), threshold=1, ratio="1/2", high=2), QUESTIONS, executor)


def ints_of(high: int) -> Any:
    from taut import ints

    return ints(2, 0, high)


def test_a_worker_that_is_killed_half_way(local_cluster: Any, executor: Any) -> None:
    model = randomized_response(bits(5), lam="1/5")
    expected = model.privacy(method="exhaustive")
    killed: list[int] = []

    def kill(now: Any) -> None:
        if now.done * 2 > now.total and not killed:
            killed.append(next(iter(local_cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    bound = model.privacy(method="exhaustive", executor=executor, progress=kill)
    assert killed and parts(bound) == parts(expected)


def test_the_command_line(local_cluster: Any, tmp_path: Path) -> None:
    question = ["privacy", "rr", "n=6", "lam=1/5", "--method", "exhaustive", "--json"]
    answers = []
    for more in ([], ["--cluster", local_cluster.scheduler_address], ["--workers", "2"]):
        command = [sys.executable, "-m", "taut", *question, *more]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
        answer = json.loads(done.stdout)
        answers.append({key: answer[key] for key in ("max_ratio", "count", "witness", "exact", "method")})
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    "address", ["", "nonsense", "tcp://", "http://127.0.0.1:1", "tcp://127.0.0.1:many", "inproc://x"]
)
def test_no_address(address: str) -> None:
    with pytest.raises(InvalidOption, match="no Dask scheduler answers there"), cluster(address):
        pass


@pytest.mark.parametrize("greeting", [None, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_nobody_there_or_somebody_else(greeting: bytes | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens, somebody who says nothing, or who says something that is none of Dask's words."""
    monkeypatch.setattr("taut.parallel.cluster._PATIENCE", 0.2)
    with socket.socket() as held, contextlib.ExitStack() as callers:
        held.bind(("127.0.0.1", 0))
        if greeting is not None:
            held.listen()
            threading.Thread(target=_greet, args=(held, greeting, callers), daemon=True).start()
        address = f"tcp://127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(InvalidOption, match="no Dask scheduler answers there"), cluster(address):
            pass


def _greet(held: socket.socket, greeting: bytes, callers: contextlib.ExitStack) -> None:
    for _ in range(2):  # the first one only asks whether anybody is there
        caller = callers.enter_context(held.accept()[0])
        with contextlib.suppress(OSError):
            caller.sendall(greeting)


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as empty:
        monkeypatch.setattr("taut.parallel.cluster._require_scheduler", lambda address: None)
        monkeypatch.setattr("distributed.Client.wait_for_workers", _none_come)
        with pytest.raises(InvalidOption, match="no workers"), cluster(empty.scheduler_address):
            pass


def _none_come(client: Any, count: int, timeout: float) -> None:
    raise TimeoutError
