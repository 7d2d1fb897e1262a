"""Commands as programs: they end at their limits inside one call of a C function too, and Ctrl-C prints an interval."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import taut

pytestmark = pytest.mark.skipif(not hasattr(signal, "sigtimedwait"), reason="this system cannot wait for signals")

PASSED = "from taut.interfaces.cli import supervisor; supervisor._write_head(0.0, float('inf'))"
"""The time is over just as the call begins."""
STUCK = """
import os, sys
from taut import *

class Stuck(dict):
    def __getitem__(self, key):
        {before}
        return 7 ** (9 ** 9)  # one call in C, of hours

@mechanism
def noisy(x):
    return [bit ^ flip("1/5") for bit in x]

import taut.model.base
taut.model.base.solve = lambda *_: Stuck()[0]
"""


def started(path: Path, *arguments: str, before: str = "pass") -> subprocess.Popen[str]:
    """The command, on a mechanism whose solver ends in a call of hours."""
    path.write_text(STUCK.format(before=before))
    folder = Path(taut.__file__).parent.parent
    return subprocess.Popen(
        [sys.executable, "-m", "taut", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=path.parent,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


def test_a_call_of_hours_is_ended_with_the_interval_that_holds(tmp_path: Path) -> None:
    made = started(tmp_path / "stuck.py", "delta", "stuck.py:noisy", "x=bits(2)", "--epsilon", "1", before=PASSED)
    out, err = made.communicate(timeout=300)
    assert made.returncode == 4 and not err
    assert "between 0 and 1" in out and "This is an interval" in out


def test_the_same_for_programs(tmp_path: Path) -> None:
    made = started(tmp_path / "stuck.py", "privacy", "stuck.py:noisy", "x=bits(2)", "--json", before=PASSED)
    out, _ = made.communicate(timeout=300)
    found = json.loads(out)
    assert made.returncode == 4
    assert (found["lower"], found["upper"], found["neighbors"]) == ("1", "inf", "one_differ")
    assert found["verification"]["done"] is False and found["stats"]["stopped"] == "time_limit"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_the_command(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C prints what is known, also where the command cannot; other signals end both processes."""
    before = "open('begun', 'w').write(str(os.getpid()))"
    made = started(tmp_path / "stuck.py", "privacy", "stuck.py:noisy", "x=bits(2)", "--time-limit", "0", before=before)
    begun = tmp_path / "begun"
    while not begun.exists() or not begun.read_text():
        assert made.poll() is None
        time.sleep(0.05)
    child = int(begun.read_text())
    assert child != made.pid
    made.send_signal(number)
    out, _ = made.communicate(timeout=300)
    if number == signal.SIGINT:
        assert made.returncode == 130 and "between 1 and infinity" in out
    else:
        assert made.returncode == -number and not out
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_an_answer_has_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "claim.py").write_text("x = 1 +\n")
    for arguments, code in ((["privacy", "rr", "n=2", "lam=1/5"], 0), (["privacy", "claim.py:f", "x=bits(2)"], 2)):
        folder = Path(taut.__file__).parent.parent
        done = subprocess.run(
            [sys.executable, "-m", "taut", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )
        assert done.returncode == code, done.stderr
