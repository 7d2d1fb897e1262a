"""Models with parts that are run, judged by the function itself: Python runs it on whole inputs, draw by draw."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from taut.domains import Domain
from taut.languages.python.drawlog import Draw
from taut.languages.python.run.results import plain_argument
from taut.languages.python.run.table import Row, Runner
from taut.languages.python.validation.agreement import agree, canonical, close
from taut.languages.python.validation.inputs import all_inputs, corners
from taut.languages.python.validation.replay import FunctionReplay
from taut.languages.python.validation.result import Validation
from taut.program import UNFOLLOWED, Program, replay_distribution
from taut.support.errors import Misreading, TooLarge
from taut.support.exact import surely_above

__all__ = ["RunReplay", "validate_runs"]

_MOST_RUNS = 2000
_FEW_INPUTS = 16
_SECONDS = 2.0


class RunReplay(FunctionReplay):
    """The user's function as a witness of probabilities, run under control of all its draws."""

    def _all_runs(self, x: Any) -> list[tuple[Any, Any]] | None:
        key = self._program.entries(x)
        if key not in self._masses:
            row = whole_row(self._plain.function, self._plain.arguments, self._program.database(key), _MOST_RUNS)
            self._masses[key] = (
                None
                if row is None
                else [(outcome.value, weight) for outcome, weight in zip(row.outcomes, row.weights, strict=True)]
            )
        return self._masses[key]


def whole_row(function: Callable[..., Any], arguments: Mapping[str, Any], x: Any, most: int) -> Row | None:
    """The distribution of the function's result on one input by Python; None if that takes too many runs."""
    names = [name for name, value in arguments.items() if isinstance(value, Domain)]
    databases = dict(zip(names, [x] if len(names) == 1 else x, strict=True))
    runner = Runner(_called(function, arguments, databases), function.__name__, most, keeps_arguments=False)
    with runner.ready():
        try:
            return runner.row((), {})
        except TooLarge:
            return None


def _called(function: Callable[..., Any], arguments: Mapping[str, Any], databases: Mapping[str, Any]) -> Any:
    values = {key: plain_argument(value) for key, value in {**arguments, **databases}.items()}
    bound = inspect.BoundArguments(inspect.signature(function), values)
    given, named = bound.args, bound.kwargs

    def call() -> Any:
        return function(*given, **named)

    return call


def validate_runs(
    function: Callable[..., Any], arguments: Mapping[str, Any], program: Program, level: str, rows: int, whole: bool
) -> Validation:
    """Compare the distributions of a model that has parts that are run with those of the whole function.

    A function that was run as a whole has been judged by that.

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
        row = whole_row(function, arguments, x, _MOST_RUNS) if _is_small(program) else None
        if row is None or time.process_time() - start > _SECONDS:
            everything = False
            break
        read = replay_distribution(program, x)[0]
        _compare(program.name, x, read, row)
        runs, inputs = runs + row.runs, inputs + 1
    seconds = time.process_time() - start
    if not runs:
        return Validation(reason="the whole function has too many runs; each part that is run was judged by itself")
    return Validation(runs, inputs, inputs, everything, seconds)


def _is_small(program: Program) -> bool:
    return len(program.coins) <= 64


def _compare(name: str, x: Any, read: Mapping[Any, Any], row: Row) -> None:
    """Compare two distributions; masses may differ by the probability of the runs that either does not follow."""
    missing = row.remainder
    total = 1 - row.rejected
    ran: dict[Any, Any] = {}
    for outcome, weight in zip(row.outcomes, row.weights, strict=True):
        key = canonical(outcome.value)
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
