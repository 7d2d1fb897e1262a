"""Models with parts that are run, judged by the function itself: Python runs it on whole inputs, draw by draw."""

from __future__ import annotations

import inspect
import random
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.domains import Domain
from taut.languages.python.drawlog import Draw
from taut.languages.python.run.nested import Tables
from taut.languages.python.run.paths import Paths
from taut.languages.python.run.results import plain_argument
from taut.languages.python.run.table import Row, Runner
from taut.languages.python.validation.agreement import agree, canonical, close
from taut.languages.python.validation.inputs import all_inputs, corners, sampled
from taut.languages.python.validation.replay import FunctionReplay
from taut.languages.python.validation.result import Validation
from taut.program import UNFOLLOWED, Ends, Program, replay_distribution
from taut.support.errors import Misreading, TooLarge
from taut.support.exact import surely_above
from taut.support.options import active

__all__ = ["RunReplay", "validate_runs"]

_MOST_RUNS = 2000
_FEW_INPUTS = 16
_SECONDS = 2.0
_PATHS = {"default": (24, 2.0), "thorough": (1000, 60.0)}
"""Runs that are compared one by one where all are too many, and the seconds that this may take."""
_SAMPLES = 8
_COARSER = 1024
"""Times ``max_remainder`` that the judge may leave out where it uses rows of the reading."""
_FEW_COINS, _SOME_COINS = 16, 64
"""Coins of a reading with and without draws in place above which all runs are surely too many to be tried."""


class RunReplay(FunctionReplay):
    """The user's function as a witness of probabilities, run under control of all its draws."""

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        program: Program,
        draws: Sequence[Draw],
        marked: Program | None,
        paths: Paths,
    ) -> None:
        super().__init__(function, arguments, program, draws, marked)
        self._paths = paths

    def _compare(self, x: Any) -> bool:
        """Compare single runs on an input with the reading; return False if they cannot be compared."""
        database = self._program.database(self._program.entries(x))
        if not self._paths.comparable:
            return False
        calls = [(database, _called(self.function, self.arguments, database))] * _SAMPLES
        return self._paths.compare(calls, _SECONDS) > 0

    def _all_runs(self, x: Any, read: Program | None = None) -> list[tuple[Any, Any]] | None:
        key = self._program.entries(x)
        if key not in self._masses:
            database = self._program.database(key)
            row = whole_row(self._plain.function, self._plain.arguments, database, _MOST_RUNS, self._paths.tables)
            self._masses[key] = (
                None
                if row is None or row.remainder
                else [(outcome.value, weight) for outcome, weight in zip(row.outcomes, row.weights, strict=True)]
            )
        return self._masses[key]


def whole_row(
    function: Callable[..., Any], arguments: Mapping[str, Any], x: Any, most: int, tables: Tables | None = None
) -> Row | None:
    """Return the distribution of the function's result on one input by Python; None if that takes too many runs.

    Rows of functions that it calls are taken from ``tables``, as far as they are precise enough for a larger remainder.
    """
    runner = Runner(_called(function, arguments, x), function.__name__, most, keeps_arguments=False, tables=tables)
    with runner.ready():
        try:
            return runner.row((), {}, None if tables is None else _COARSER * active().max_remainder)
        except TooLarge:
            return None


def _called(function: Callable[..., Any], arguments: Mapping[str, Any], x: Any) -> Any:
    domains = {name: value for name, value in arguments.items() if isinstance(value, Domain)}
    databases = dict(zip(domains, [x] if len(domains) == 1 else x, strict=True))
    plain = {key: plain_argument(value) for key, value in {**arguments, **databases}.items()}
    signature = inspect.signature(function)

    def call() -> Any:
        formed = {name: domain.given(plain[name]) for name, domain in domains.items()}  # each run changes its own
        bound = inspect.BoundArguments(signature, {**plain, **formed})
        return function(*bound.args, **bound.kwargs)

    return call


def validate_runs(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    program: Program,
    level: str,
    rows: int,
    whole: bool,
    paths: Paths | None = None,
) -> Validation:
    """Compare the distributions of a model that has parts that are run with those of the whole function.

    A function that was run as a whole has been judged by that. Where it has too many runs, some are sampled and
    compared one by one.

    Raises
    ------
    Misreading
        The distributions differ on some input.
    """
    if level == "off":
        return Validation(reason="validation is switched off")
    if whole:
        return Validation(rows, program.size, program.size, True)
    start = time.process_time()
    runs = inputs = 0
    everything = program.size <= _FEW_INPUTS
    for entries in all_inputs(program.inputs) if everything else corners(program.inputs):
        x = program.database(entries)
        few = len(program.coins) <= (_FEW_COINS if paths is not None and paths.inline else _SOME_COINS)
        row = whole_row(function, arguments, x, _MOST_RUNS, None if paths is None else paths.tables) if few else None
        if row is None or time.process_time() - start > _SECONDS:
            everything = False
            break
        read = replay_distribution(program, x)[0]
        _compare(program.name, x, read, row, program.ends)
        runs, inputs = runs + row.runs, inputs + 1
    seconds = time.process_time() - start
    if not runs and paths is not None and paths.inline and paths.comparable and level in _PATHS:
        most, limit = _PATHS[level]
        known = corners(program.inputs)
        generator = random.Random(0)
        rows_of = [known[i] if i < len(known) else sampled(program.inputs, generator) for i in range(most)]
        databases = [program.database(entries) for entries in rows_of]
        runs = paths.compare([(x, _called(function, arguments, x)) for x in databases], limit)
        return Validation(runs, len(set(rows_of[:runs])), seconds=time.process_time() - start)
    if not runs:
        return Validation(reason="the whole function has too many runs; each part that is run was judged by itself")
    return Validation(runs, inputs, inputs, everything, seconds)


def _compare(name: str, x: Any, read: Mapping[Any, Any], row: Row, ends: Ends | None) -> None:
    """Compare two distributions; masses may differ by the probability of the runs that either does not follow."""
    missing = row.remainder
    total = 1 - row.rejected
    ran: dict[Any, Any] = {}
    for outcome, weight in zip(row.outcomes, row.weights, strict=True):
        key = canonical(outcome.value if ends is None else ends.marked(outcome.value))
        ran[key] = ran.get(key, Fraction(0)) + weight / total
    known = {canonical(y): mass for y, mass in read.items() if y is not UNFOLLOWED}
    unread = read.get(UNFOLLOWED, Fraction(0))
    for y in {**ran, **known}:
        p, q = known.get(y, Fraction(0)), ran.get(y, Fraction(0))
        equal = agree(p, q) or close(float(p), float(q))
        apart = surely_above(p, q + missing) is not False or surely_above(q, p + unread) is not False
        if not equal and apart:
            raise Misreading(
                f"'{name}' does something else than taut has read: at x={x!r} it returns {y!r} with probability "
                f"{float(q):.6g} by Python and {float(p):.6g} by the reading. This is a fault of taut, and no answer "
                "is given; please report it together with the mechanism.",
                value=x,
            )


def uses_runs(draws: Any) -> bool:
    """Return True if some draw of a reading stands for a call that is run."""
    return any(isinstance(draw, Draw) and draw.name == "run" for draw in draws)
