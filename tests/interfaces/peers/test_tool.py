"""Programs that are run for an answer: what they print, and what is theirs of time and memory."""

from __future__ import annotations

import sys

import pytest

from taut.interfaces.peers.tool import run_tool


def test_output_errors_and_exit_code() -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    done = run_tool([sys.executable, "-c", script])
    assert (done.code, done.out, done.err) == (3, "out\n", "err\n")
    assert run_tool([sys.executable, "-c", "import sys; sys.stdin.read()"]).code == 0
    assert run_tool([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).code == -9


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(OSError, match="No such file"):
        run_tool(["/nowhere/at/all"])
    assert run_tool([sys.executable, "-c", "pass"]).code == 0


def test_time_and_memory_are_those_of_the_program() -> None:
    """Measure the tool's memory, not that of the process that asks, which may be large."""
    large = bytearray(b"x") * (200 << 20)
    small = run_tool([sys.executable, "-I", "-S", "-c", "pass"])
    busy = run_tool([sys.executable, "-I", "-S", "-c", "kept = bytearray(b'x') * (300 << 20); sum(range(5_000_000))"])
    assert len(large) == 200 << 20
    assert small.megabytes is not None and busy.megabytes is not None
    assert small.megabytes < 100 and 300 < busy.megabytes < 400
    assert small.cpu_seconds is not None and busy.cpu_seconds is not None
    assert 0 < small.cpu_seconds < busy.cpu_seconds and busy.seconds > 0
