"""Other tools as separate programs: their output, CPU time and memory."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Finished", "run_tool"]

_LAUNCHER = Path(__file__).parent / "launcher.py"
_running: dict[int, subprocess.Popen[str]] = {}
"""The launcher of each process by process id; a forked process starts its own."""


@dataclass(frozen=True)
class Finished:
    """A program that has ended: its output and resources; CPU time and memory are None if unknown."""

    code: int
    out: str
    err: str
    seconds: float
    cpu_seconds: float | None = None
    megabytes: float | None = None


def run_tool(command: Sequence[str]) -> Finished:
    """Run a program to its end.

    Its peak memory is not below that of the small process that starts it, some 10 MB.

    Raises:
        OSError: it cannot be started.
    """
    if not hasattr(os, "posix_spawnp"):  # Windows
        start = time.perf_counter()
        run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        return Finished(run.returncode, run.stdout, run.stderr, time.perf_counter() - start)
    launcher = _launcher()
    assert launcher.stdin is not None and launcher.stdout is not None
    with tempfile.TemporaryDirectory(prefix="taut-") as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        try:
            launcher.stdin.write(json.dumps([str(out), str(err), list(command)]) + "\n")
            launcher.stdin.flush()
            told = json.loads(launcher.stdout.readline() or '"it was ended from outside"')
        except BaseException:  # an answer that nobody waits for must not be taken for the next one's
            _end(_running.pop(os.getpid()))
            raise
        if isinstance(told, str):
            raise OSError(None, told)
        code, cpu, peak, seconds = told
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in (out, err)]
    return Finished(code, texts[0], texts[1], seconds, cpu, peak / (1 << 20))


def _launcher() -> subprocess.Popen[str]:
    """Return the launcher, started at first use."""
    known = _running.get(os.getpid())
    if known is None or known.poll() is not None:
        known = _running[os.getpid()] = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_LAUNCHER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        atexit.register(_end, known)
    return known


def _end(launcher: subprocess.Popen[str]) -> None:
    launcher.kill()
    launcher.wait()
    for pipe in (launcher.stdin, launcher.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
