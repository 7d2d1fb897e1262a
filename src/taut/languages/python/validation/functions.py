"""Validation of targets, distances and predicates: their readings compared with calling them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.languages.python.floats import Float, rounded
from taut.languages.python.scripted import NoDraws, Rejection, ScriptEnds, quietly, scripted
from taut.languages.python.validation.choices import Sampled, corners, sampled
from taut.languages.python.validation.exactly import FractionFloat, exact_copy
from taut.languages.python.validation.result import agree, misreading, shown
from taut.program import UNDEFINED, UNFOLLOWED, Evaluation, Program, Tables
from taut.program.domains import as_tuples
from taut.support.errors import Misreading

__all__ = ["TargetDistance", "validate_predicate", "validate_target"]

_RUNS = {"off": 0, "default": 20, "thorough": 2000}
_WORK = {"off": 0, "default": 5_000, "thorough": 1_000_000}
_FEWEST = 3


@dataclass(frozen=True)
class TargetDistance:
    """A target for outputs, with a distance from it."""

    target: Any
    distance: Any = None
    alpha: Any = None

    def value(self, x: Any, y: Any) -> Any:
        """Return the target's value at an input."""
        return as_tuples(self.target[x] if isinstance(self.target, Mapping) else self.target(x))

    def gap(self, x: Any, y: Any) -> Any:
        """Return the distance of an output from the target."""
        aim = self.value(x, y)
        return abs(y - aim) if self.distance is None else self.distance(y, aim)

    def close(self, x: Any, y: Any) -> Any:
        """Return True if the distance is at most alpha."""
        return bool(self.gap(x, y) <= self.alpha)

    def exactly(self) -> TargetDistance:
        """Return the target distance with functions that compute exactly."""
        return replace(self, target=exact_copy(self.target), distance=exact_copy(self.distance))


def validate_target(mechanism: Program, read: Program, wanted: TargetDistance, asked: str, level: str) -> None:
    """Compare the program read for a target distance with calls of its functions on inputs and outputs.

    Outputs of ``mechanism`` are given to the distance; ``asked`` is the method of the target distance that the program
    ``read`` computes: "value", "gap" or "close". How much is tried depends on ``level``.

    Raises:
        Misreading: calling the functions gives something else.
    """
    question = wanted.target if asked == "value" or wanted.distance is None else wanted.distance
    _compare(_Asked(_name(question), read, mechanism, wanted, asked), level)


def validate_predicate(function: Callable[..., Any], read: Program, split: Callable[[Any], Any], level: str) -> None:
    """Compare the reading of a predicate f(x, x_prime) with calls; ``split`` makes x and x_prime of the entries."""

    _compare(_Asked(_name(function), read, None, _Predicate(function), "holds", split), level)


@dataclass(frozen=True)
class _Predicate:
    function: Callable[..., Any]

    def holds(self, x: Any, y: Any) -> Any:
        return bool(self.function(*x))

    def exactly(self) -> _Predicate:
        return _Predicate(exact_copy(self.function))


def _precise(output: Any) -> Any:
    """Return an output for exact code, with floats as exact numbers."""
    if isinstance(output, tuple):
        return tuple([_precise(item) for item in output])
    exact = output.exact if isinstance(output, Float) else None
    return FractionFloat(exact) if isinstance(exact, Fraction) else rounded(output)


@dataclass(frozen=True)
class _Asked:
    """A function that was read, with the calls that its reading is compared with."""

    name: str
    read: Program
    mechanism: Program | None
    functions: Any
    method: str
    split: Callable[[Any], Any] | None = None

    def input(self, entries: tuple[Any, ...]) -> Any:
        if self.split is not None:
            return self.split(entries)
        assert self.mechanism is not None
        return self.mechanism.database(entries)


def _compare(asked: _Asked, level: str) -> None:
    generator = random.Random(0)
    tables: Tables = {}
    variables, coins = asked.read.inputs, asked.read.coins
    inputs = corners(variables)
    work = 0
    exact = None
    with quietly():
        for run in range(_RUNS[level]):
            if run >= _FEWEST and work > _WORK[level]:
                return
            entries = inputs[run] if run < len(inputs) else sampled(variables, generator)
            chooser = Sampled(generator)
            evaluation = Evaluation(
                entries,
                lambda coin, chooser=chooser: coins[coin].outcomes[chooser.choose(len(coins[coin].outcomes))],  # type: ignore[misc]
                tables,
            )
            if evaluation.value(asked.read.evidence) is not True:
                continue
            y = None if asked.mechanism is None else evaluation.value(asked.mechanism.output)
            read = evaluation.value(asked.read.output)
            work += evaluation.work
            if y is UNDEFINED or y is UNFOLLOWED:
                continue
            x = asked.input(entries)
            ran = _answer(asked.functions, asked.method, x, rounded(y))
            if agree(read, ran):
                continue
            exact = exact or asked.functions.exactly()
            if not agree(read, _answer(exact, asked.method, x, _precise(y))):
                raise _difference(asked, x, rounded(y), read, ran)


class _Raised:
    """A marker in place of a value: the function raised an exception."""

    def __init__(self, problem: BaseException) -> None:
        self.problem = problem

    def __repr__(self) -> str:
        return f"{type(self.problem).__name__}: {self.problem}"


def _answer(functions: Any, method: str, x: Any, y: Any) -> Any:
    with scripted(NoDraws()):
        try:
            return as_tuples(getattr(functions, method)(x, y))
        except (Exception, Rejection, ScriptEnds) as problem:
            return _Raised(problem)


def _difference(asked: _Asked, x: Any, y: Any, read: Any, ran: Any) -> Misreading:
    where = f"(x, x')={shown(x)}" if asked.split is not None else f"x={shown(x)}"
    if asked.method in ("gap", "close"):
        where += f" and y={shown(y)}"
    told = f"at {where} Python gives {shown(ran)}, but the reading says {shown(read)}"
    return misreading(asked.name, x, told, "function")


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", "the target"))
