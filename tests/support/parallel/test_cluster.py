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
from tests.support.parallel.test_questions import ESTIMATES, QUESTIONS, compare, parts, small_pieces

from taut import InvalidOption, bits, cluster
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.support.parallel.executors import is_far, width

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


HOST = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    print(cluster.scheduler_address, flush=True)
    while not cluster.scheduler.tasks:
        time.sleep(0.01)
    print("busy", flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def doomed_cluster(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A cluster whose scheduler is another process, which says when it has been given something to do."""
    script = tmp_path / "host.py"
    script.write_text(HOST)
    options: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL, **options) as host:
        try:
            assert host.stdout is not None
            yield host, host.stdout.readline().strip()
        finally:
            host.kill()


def test_a_scheduler_that_is_killed_half_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.support.parallel.executors._SILENT", 0.5)
    monkeypatch.setattr("taut.synthesis.auto._FOR_ENDS", ())  # no other solver is asked for the ends
    with doomed_cluster(tmp_path) as (host, address), cluster(address) as executor:
        bound = randomized_response(bits(8), lam="1/5").privacy(
            method="exhaustive", executor=executor, progress=lambda now: host.kill()
        )
        assert bound.stats["stopped"] == "workers_gone" and "the cluster was lost" in bound.stats["why"]
        assert not bound.exact and bound.lower <= 4 <= bound.upper and bound.verify()


def test_workers_that_all_go_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taut.support.parallel.executors._EMPTY", 0.5)
    monkeypatch.setattr("taut.synthesis.auto._FOR_ENDS", ())
    settings = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as made, cluster(made.scheduler_address) as executor:
        bound = randomized_response(bits(8), lam="1/5").privacy(
            method="exhaustive", executor=executor, progress=lambda now: made.scale(0)
        )
    assert bound.stats["stopped"] == "workers_gone" and "no workers" in bound.stats["why"]
    assert not bound.exact and bound.lower <= 4 <= bound.upper


def test_the_command_line_when_the_scheduler_is_killed(tmp_path: Path) -> None:
    """An interval, one sentence, and no word from Dask."""
    words = "from taut.support.parallel import executors; executors._SILENT = 0.5; "
    words += "from taut.synthesis import auto; auto._FOR_ENDS = (); from taut.interfaces.cli import main; main()"
    question = ["privacy", "rr", "n=14", "lam=1/5", "--method", "exhaustive", "--time-limit", "0"]
    with doomed_cluster(tmp_path) as (host, address):
        command = [sys.executable, "-c", words, *question, "--cluster", address]
        asked = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert host.stdout is not None and host.stdout.readline() == "busy\n"
        host.kill()
        out, errors = asked.communicate()
    assert asked.returncode == 4 and errors == ""
    assert "and infinity" in out and out.count("This is an interval.") == 1


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
    """Addresses where nothing listens, where a server is silent, and where it does not speak Dask's protocol."""
    monkeypatch.setattr("taut.support.parallel.cluster._PATIENCE", 0.2)
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
        monkeypatch.setattr("taut.support.parallel.cluster._require_scheduler", lambda address: None)
        monkeypatch.setattr("distributed.Client.wait_for_workers", _none_come)
        with pytest.raises(InvalidOption, match="no workers"), cluster(empty.scheduler_address):
            pass


def _none_come(client: Any, count: int, timeout: float) -> None:
    raise TimeoutError
