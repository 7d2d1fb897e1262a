"""Running the command, for tests: in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import taut

__all__ = ["MINE", "Ran", "failing", "process"]

MINE = '''
from taut import flip, geometric, mechanism, observe

print("this file talks")
NUMBER = 3

@mechanism
def svt(x, ratio):
    """Mine."""
    threshold = geometric(2, ratio, 0, 3)
    return [geometric(value, ratio, 0, 3) >= threshold for value in x]

def plain(x, p):
    return [value ^ flip(p) for value in x]

def noisy(x, p="1/4"):
    return [bit ^ flip(p) for bit in x]

def total(x, p):
    return sum(plain_bit ^ flip(p) for plain_bit in x)

def named(x, p):
    return x[0] if flip(p) else "none"

def up(x, x_prime):
    return sum(x_prime) - sum(x) == 1

def doubled(x):
    return 2 * sum(x)

def half(output, wanted):
    return abs(output - wanted) * 2

def impossible(x):
    observe(x[0] == 1)
    return flip("1/2")

@mechanism
def present(x, ratio):
    return geometric(len([entry for entry in x if entry is not None]), ratio, 0, len(x))

def broken(x, x_prime):
    return 1 / sum(x) > 0
'''


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def process(*arguments: str, cwd: Path | None = None) -> Ran:
    """Run the command in a process of its own, as a user does."""
    command = [sys.executable, "-W", "error", "-m", "taut", *arguments]
    source = str(Path(taut.__file__).parent.parent)
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": source},
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def failing(problem: BaseException) -> Any:
    """What raises a problem however it is called."""

    def fail(*_: object) -> None:
        raise problem

    return fail
