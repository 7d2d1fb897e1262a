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
from taut.interfaces.cli import supervisor

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


def test_a_report_that_is_ended_has_the_sections_that_were_written(tmp_path: Path) -> None:
    made = started(tmp_path / "stuck.py", "report", "stuck.py:noisy", "x=bits(2)", "--out", "r.html", before=PASSED)
    out, err = made.communicate(timeout=300)
    assert made.returncode == 4 and not err
    assert "wrote r.html" in out and "not answered: diagram" in out and "not answered: mechanism" not in out
    text = (tmp_path / "r.html").read_text()
    assert "bit ^ flip" in text and "Not answered: a limit was passed" in text
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".py") in (
        ["r.html"],
        ["__pycache__", "r.html"],
    )


def test_several_questions_leave_a_table(tmp_path: Path) -> None:
    made = started(
        tmp_path / "stuck.py", "renyi", "stuck.py:noisy", "x=bits(2)", "--order", "2,4", "--json", before=PASSED
    )
    out, _ = made.communicate(timeout=300)
    found = json.loads(out)
    assert made.returncode == 4 and len(found["orders"]) == 2
    assert all(one["upper"] == "inf" for one in found["orders"])


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        (["privacy", "rr"], float("inf")),
        (["privacy", "rr", "--time-limit", "3"], 3),
        (["privacy", "rr", "--time-limit=2.5", "n=3"], 2.5),
        (["privacy", "--time-limit", "0"], float("inf")),
        (["privacy", "--time-limit", "soon"], float("inf")),
        (["privacy", "--time-limit"], float("inf")),
    ],
)
def test_the_limit_that_was_typed_is_known_before_the_command_is_loaded(typed: list[str], seconds: float) -> None:
    assert supervisor._typed_limit(typed) == seconds


REPORTED = """
import os, sys
from fractions import Fraction
from taut import *
from taut.questions.bound import Interval
from taut.questions.delta import HockeyStick
from taut.questions.privacy import LargestRatio
from taut.questions.renyi import RenyiMoment

@mechanism
def noisy(x):
    return [bit ^ flip("1/5") for bit in x]

import taut.model.base
import taut.interfaces.cli.asking as asking
asking._BETWEEN = -1

def solve(problem, solver, budget):
    if type(problem.measure) in ({measures}):
        budget.progress(Interval(1, 2, Fraction(1, 10) + ({least}), Fraction(1, 2) + ({least})))
    from taut.interfaces.cli import supervisor; supervisor._write_head(0.0, float("inf"))
    return 7 ** (9 ** 9)

taut.model.base.solve = solve
"""


@pytest.mark.parametrize(
    ("question", "measures", "ends"),
    [
        (["privacy"], "LargestRatio,", ("11/10", "3/2")),
        (["delta", "--ratio", "2"], "HockeyStick,", ("1/10", "1/2")),
        (["zcdp"], "RenyiMoment,", ("0", "inf")),
        (["profile"], "HockeyStick, LargestRatio", None),
    ],
)
def test_the_narrowest_interval_so_far_is_printed_if_its_ends_are_numbers_of_the_answer(
    tmp_path: Path, question: list[str], measures: str, ends: tuple[str, str] | None
) -> None:
    least = 1 if question == ["privacy"] else 0
    (tmp_path / "told.py").write_text(REPORTED.format(measures=measures, least=least))
    folder = Path(taut.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-m", "taut", question[0], "told.py:noisy", "x=bits(2)", *question[1:], "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )
    assert done.returncode in (3, 4) and "fault" not in done.stderr, done.stderr
    if ends is not None and done.returncode == 4:
        found = json.loads(done.stdout)
        assert (str(found["lower"]), str(found["upper"])) == ends
    assert ends is None or done.returncode == 4
