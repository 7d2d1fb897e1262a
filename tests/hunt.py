"""Random programs with fresh seeds until stopped: failures are shrunk and kept as tests.

python -m tests.hunt --seconds 600 --seed 17
"""

import argparse
import collections
import contextlib
import hashlib
import itertools
import random
import resource
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.oracle.found import FOLDER, written
from tests.oracle.generator import GeneratedProgram, write_program
from tests.oracle.judge import Verdict, judge
from tests.oracle.questions import judge_questions
from tests.oracle.shrink import shrunk
from tests.oracle.structured import write_structured_program
from tests.oracle.wide import write_wide_program

from taut.support.parallel.executors import using
from taut.support.parallel.local import local_workers
from taut.support.parallel.pieces import mapped

__all__ = ["program_of_seed"]


def program_of_seed(seed: int) -> GeneratedProgram:
    """The program of a seed; every fourth is of the generator whose programs never raise."""
    if has_structure(seed):
        return write_structured_program(seed)
    number = random.Random(seed).randint
    return write_program(number) if seed % 4 == 3 else write_wide_program(number)


def has_structure(seed: int) -> bool:
    """Return True for every eighth seed: its program decomposes or almost does, and is asked all questions."""
    return seed % 8 == 0


SECONDS_EACH = 20
MEMORY = 4 << 30


class TimeIsUp(BaseException):
    """A program takes too long."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop after so many seconds, where there are signals."""

    def ring(*_: object) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def verdict_on(program: GeneratedProgram, validated: bool, seed: int) -> Verdict:
    """Judge the reading of a program; where it is right and has structure, the answers to all questions too."""
    found = judge(program, validated)
    return judge_questions(program) if found.kind == "right" and has_structure(seed) else found


def judged(validated: bool, seed: int) -> tuple[int, Verdict]:
    """Judge the program of a seed within a time limit."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        with at_most(SECONDS_EACH):
            return seed, verdict_on(program_of_seed(seed), validated, seed)
    except TimeIsUp:
        return seed, Verdict("slow")


def main() -> int:
    parser = argparse.ArgumentParser(description="Look for programs on which taut and plain Python differ.")
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="how long; until it is stopped, if left out"
    )
    parser.add_argument("--seed", type=int, help="the first seed; a fresh one, if left out")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where programs are kept")
    parser.add_argument("--validated", action="store_true", help="with validation on: only what it does not find")
    parser.add_argument("--workers", type=int, default=1, help="how many processes look")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed = random.SystemRandom().randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"first seed {seed}", flush=True)
    stop = time.monotonic() + arguments.seconds
    tally: collections.Counter[str] = collections.Counter()
    try:
        with contextlib.ExitStack() as stack:
            if arguments.workers > 1:
                stack.enter_context(using(stack.enter_context(local_workers(arguments.workers))))
            seeds = itertools.takewhile(lambda _: time.monotonic() < stop, itertools.count(seed))
            for _, (seed, verdict) in mapped(judged, arguments.validated, seeds):
                tally[verdict.kind] += 1
                if verdict.kind == "slow":
                    text = program_of_seed(seed).text
                    print(f"seed {seed}: not done after {SECONDS_EACH} seconds\n{text}", flush=True)
                if verdict.kind in ("wrong", "caught", "crash"):
                    keep(program_of_seed(seed), verdict, seed, arguments.out, arguments.validated)
                if sum(tally.values()) % 200 == 0:
                    print(f"seed {seed}: {dict(tally)}", flush=True)
    except KeyboardInterrupt:
        pass
    print(f"stopped after seed {seed}: {dict(tally)}")
    return 1 if any(tally[kind] for kind in ("wrong", "caught", "crash")) else 0


def keep(program: GeneratedProgram, verdict: Verdict, seed: int, folder: Path, validated: bool) -> None:
    """Make a program small and write it down."""

    def as_bad(smaller: GeneratedProgram) -> bool:
        try:
            with at_most(SECONDS_EACH):
                return verdict_on(smaller, validated, seed).kind == verdict.kind
        except TimeIsUp:
            return False

    small = shrunk(program, as_bad)
    again = verdict_on(small, validated, seed)
    name = f"program_{hashlib.sha256(small.text.encode()).hexdigest()[:10]}.py"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(written(small, again.detail))
    print(f"seed {seed}: {again.kind}, kept as {folder / name}\n{small.text}{again.detail}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
