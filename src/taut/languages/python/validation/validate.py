"""Translation validation: a reading is compared with the function, run by Python with the reading's coins."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.languages.python.draws import Questions
from taut.languages.python.logs import BranchLog, Draw
from taut.languages.python.scripted import PlainFunction, ScriptedResult, quietly
from taut.languages.python.validation.choices import (
    EFFORTS,
    AllSequences,
    Chooser,
    Effort,
    Sampled,
    all_inputs,
    corners,
    sampled,
    swept,
)
from taut.languages.python.validation.coverage import Aim, Coverage, told_branches
from taut.languages.python.validation.exactly import exact_copy
from taut.languages.python.validation.playback import DrawLog, Playback
from taut.languages.python.validation.result import Validation, agree, canonical, misreading, shown
from taut.languages.python.validation.search import CoverageSearch
from taut.program import Program
from taut.support.errors import RoundedFloat
from taut.support.limits import exceeded
from taut.support.process import collector_paused

__all__ = ["compare_at", "validate"]


_FEWEST_RUNS = 4
_WORK_OF_A_RUN = 25
_WORK_OF_A_DRAW = 6
_WEIGHTS_A_UNIT = 16
_WORK_OF_A_REPETITION = 8
_FEW_INPUTS = 64
_FIRST_SAMPLES = 32
"""Number of samples before directed runs; samples cover most branches."""


def validate(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    program: Program,
    draws: Sequence[Draw],
    level: str = "default",
    reading_seconds: float = 0.0,
    branches: BranchLog | None = None,
    questions: Questions | None = None,
) -> Validation:
    """Compare a reading with its function.

    ``level`` is "off", "default" or "thorough". After a long reading more is compared, and a comparison that takes much
    longer than the reading is cut short. ``questions`` finds inputs and coins that lead to a branch.

    Raises:
        Misreading: in some run Python and the reading differ: in a draw, in what is returned, in whether the
            observations hold, in the side of a condition that is taken, or because the function raises an
            exception.
        RoundedFloat: they differ, but only because Python rounds floats: the same run in exact arithmetic agrees.
    """
    if level == "off":
        return Validation(reason="validation is switched off")
    plain = PlainFunction(function, arguments)
    comparison = _ValidationRuns(plain, program, draws, EFFORTS[level], reading_seconds)
    coverage = Coverage(plain, program.terms, {} if branches is None else branches.by_site())
    comparison.coverage = coverage
    comparison.aim = Aim(program, questions, coverage) if questions is not None else None
    with quietly(), collector_paused():
        return comparison.run()


def compare_at(plain: PlainFunction, program: Program, draws: Sequence[Draw], x: Any, runs: int) -> None:
    """Compare a reading with its function on one input, in ``runs`` random runs.

    Raises:
        Misreading, RoundedFloat: as for ``validate``.
    """
    comparison = _ValidationRuns(plain, program, draws, EFFORTS["default"], 0.0)
    entries = program.entries(x)
    with quietly(), collector_paused():
        for run in range(runs):
            if run >= _FEWEST_RUNS and comparison.work_left <= 0:
                break
            comparison.compare(entries, Sampled(comparison.random))


class _ValidationRuns:
    """The runs of one validation, and the work spent."""

    def __init__(
        self, plain: PlainFunction, program: Program, draws: Sequence[Draw], effort: Effort, reading_seconds: float
    ) -> None:
        self.plain = plain
        self.program = program
        self.log = DrawLog(program, draws)
        self.effort = effort
        self.work_left = max(effort.least, effort.share * len(program.terms), effort.speed * _rounded(reading_seconds))
        self.started = time.perf_counter()
        self.longest = effort.seconds * reading_seconds + 1
        self.runs = 0
        self.inputs: set[Any] = set()
        self.exact: PlainFunction | None = None
        self.spellings: dict[Any, Any] = {}
        self.random = random.Random(0)
        self.coverage: Coverage | None = None
        self.aim: Aim | None = None
        self.aimed_runs = 0
        self.aimed_work: float = effort.aimed

    def run(self) -> Validation:
        """Run every sequence on every input if they are few; else samples, then every sequence on some inputs."""
        budget = self.work_left
        first = AllSequences()
        adapted = self.compare(corners(self.program.inputs)[0], first)
        cases = first.product * self.program.size
        few = cases <= self.effort.runs and cases * (budget - self.work_left) <= budget
        if few and self.coverage is not None:
            self.coverage.sampling = False
        if not few:
            self._aimed()
        while not few and (self.work_left > budget // 2 or self.runs < _FEWEST_RUNS) and not self._exhausted():
            self._sample()
        finished = int(self._other_sequences(corners(self.program.inputs)[0], first, adapted))
        for entries in self._inputs():
            if self._exhausted():
                break
            choices = AllSequences()
            finished += self._other_sequences(entries, choices, self.compare(entries, choices))
        everything = finished == self.program.size
        while not everything and not self._exhausted():
            self._sample()
        branches, unreached = told_branches(self.coverage, self.aim, everything)
        seconds = time.perf_counter() - self.started
        return Validation(
            self.runs, len(self.inputs), finished, everything, seconds, branches=branches, unreached=unreached
        )

    # -- aimed runs ----------------------------------------------------------------------------------------------

    def _aimed(self) -> None:
        """Run some samples, then directed runs: by the reading, by Python, by each outcome."""
        coverage = self.coverage
        if coverage is None:
            return
        while self.runs < _FIRST_SAMPLES and not self._exhausted():
            self._sample()
        if self.aim is not None:
            self.aim.run(self._compare_coins, self._spend)
        if coverage.faithful:
            CoverageSearch(self.program, self.log, coverage, self._spend, self._compare_outcomes).run()
        for row, coins in swept(self.program, self.effort.sweep, self.random):
            if not self._spend(0):
                break
            self._compare_coins(dict(enumerate(row)), coins)

    def _compare_coins(self, entries: Mapping[int, Any], coins: Mapping[int, Any]) -> None:
        """Compare a run with some entries and coins given; the others are first values or random."""
        row = [entries.get(place, variable.values[0]) for place, variable in enumerate(self.program.inputs)]
        self._as_aimed(lambda: self.compare(tuple(row), Sampled(self.random), decided=coins))

    def _compare_outcomes(self, entries: tuple[Any, ...], outcomes: tuple[Any, ...]) -> None:
        """Compare a run in which Python draws these outcomes."""
        self._as_aimed(lambda: self.compare(entries, Sampled(self.random), wanted=outcomes))

    def _as_aimed(self, compare: Callable[[], bool]) -> None:
        """Compare a run and count its work as directed."""
        before = self.work_left
        compare()
        self.aimed_runs += 1
        self.aimed_work -= before - self.work_left
        self.work_left = before

    def _spend(self, work: int) -> bool:
        """Count the work of directed runs; return True if some is left."""
        self.aimed_work -= work
        return self.aimed_work > 0 and not self._late()

    def _sample(self) -> None:
        """Compare one run: the last corner first, then random inputs and outcomes."""
        entries = corners(self.program.inputs)[-1] if self.runs == 1 else sampled(self.program.inputs, self.random)
        self.compare(entries, Sampled(self.random))

    def _inputs(self) -> Iterator[tuple[Any, ...]]:
        """Yield the inputs to run on all sequences: all inputs if there are few, else some."""
        known = corners(self.program.inputs)
        yield from known[1:]
        if self.program.size <= _FEW_INPUTS:
            yield from [entries for entries in all_inputs(self.program.inputs) if entries not in known]
        else:
            yield from [sampled(self.program.inputs, self.random) for _ in range(4)]

    def _exhausted(self) -> bool:
        if self.runs < _FEWEST_RUNS:
            return False
        return self.work_left <= 0 or self.runs - self.aimed_runs >= self.effort.runs or self._late()

    def _late(self) -> bool:
        return time.perf_counter() - self.started > self.longest or exceeded() is not None

    def _other_sequences(self, entries: tuple[Any, ...], choices: AllSequences, adapted: bool) -> bool:
        """Run all other outcome sequences of an input if they are few; return True if all were run."""
        if choices.product > self.effort.sequences:
            return False
        for _ in range(self.effort.sequences):
            if not choices.advance():
                return adapted
            if self._exhausted():
                return False
            adapted = self.compare(entries, choices) and adapted
        return False

    def compare(
        self,
        entries: tuple[Any, ...],
        chooser: Chooser,
        decided: Mapping[int, Any] | None = None,
        wanted: Sequence[Any] = (),
    ) -> bool:
        """Compare one run; return True if each coin was undecided when Python drew it."""
        x = self.program.database(entries)
        script = Playback(self.log, entries, chooser, decided, wanted)
        weights = self.log.weights
        result = self.plain.run(x, script)
        self.runs += 1
        if len(self.inputs) < _MOST_COUNTED:
            self.inputs.add(entries)
        self.work_left -= _WORK_OF_A_RUN + script.evaluation.work + _WORK_OF_A_DRAW * len(script.shown)
        self.work_left -= (self.log.weights - weights) // _WEIGHTS_A_UNIT
        told = self._told(script, result)
        branch = self._branch_told(x, entries, script, result) if told is None else None
        if told is None and branch is None:
            return script.adapted
        if branch is None and self._only_rounded(entries, script):
            raise RoundedFloat(
                f"'{self.program.name}' depends on how floats are rounded: {self._where(x, script)}, {told}, which "
                "computes exactly. Write fractions in place of floats and of '/': Fraction(1, 10) for 0.1, Fraction(a, "
                "b) for a / b.",
                value=x,
            ) from result.problem
        told = f"{self._where(x, script)}, {told or branch}"
        raise misreading(self.program.name, x, told) from result.problem

    def _branch_told(self, x: Any, entries: tuple[Any, ...], script: Playback, result: ScriptedResult) -> str | None:
        """Describe the difference between the sides that a run took and the reading; None if they agree."""
        if self.aim is not None:
            self.aim.watch(script.evaluation)
        coverage = self.coverage
        if coverage is None or not coverage.wants(self.runs):
            return None
        side = coverage.watch(x, entries, script, result)
        self.work_left -= coverage.observed.events // 2 + _WORK_OF_A_REPETITION
        if side is None:
            return None
        condition = coverage.observed.conditions[side[0]]
        return (
            f"{condition.text} in line {condition.site[1]} is {str(side[1]).lower()} in Python, "
            "which the reading says it is not"
        )

    def _only_rounded(self, entries: tuple[Any, ...], script: Playback) -> bool:
        """Return True if the same run in exact arithmetic agrees with the reading."""
        if self.exact is None:
            self.exact = PlainFunction(exact_copy(self.plain.function), self.plain.arguments)
        again = Playback(self.log, entries, AllSequences(), script.evaluation.coins)
        return self._told(again, self.exact.run(self.program.database(entries), again)) is None

    def _told(self, script: Playback, result: ScriptedResult) -> str | None:
        """Describe the difference between a run and the reading; None if they agree."""
        evaluate = script.evaluation.value
        if result.ended:
            assert script.lacking is not None
            name, arguments, position = script.lacking
            where = f" at {position[0]}:{position[1]}" if position is not None else ""
            drawn = f"{name}({', '.join(map(shown, arguments))})"
            return f"Python draws {drawn}{where}, a draw that the reading does not have"
        holds = evaluate(self.program.evidence)
        if result.rejected != (holds is False):
            said = "fails" if result.rejected else "holds"
            return f"what is observed {said} in Python, but not in the reading"
        if result.rejected:
            return None
        read = evaluate(self.program.output)
        if result.problem is not None:
            kind = type(result.problem).__name__
            return f"Python raises {kind}: {result.problem}, but the reading returns {shown(read)}"
        if not agree(read, result.value):
            return f"Python returns {shown(result.value)}, but the reading says {shown(read)}"
        if _has_fractions(read):
            known = self.spellings.setdefault(canonical(read), read)
            if known != read:
                return f"one number is two outputs in the reading, {shown(known)} and {shown(read)}"
        return None

    def _where(self, x: Any, script: Playback) -> str:
        """Describe the input and the coins of a run."""
        coins = ", ".join(
            f"{name}{f' in line {position[1]}' if position else ''} gives {shown(outcome)}"
            for name, position, outcome in script.shown[:_MOST_SHOWN]
        )
        more = len(script.shown) - _MOST_SHOWN
        if more > 0:
            coins += f", and {more} more"
        return f"at x={shown(x)}, where {coins or 'nothing is drawn'}"


_MOST_COUNTED = 100_000
_MOST_SHOWN = 12


def _rounded(seconds: float) -> float:
    """Round a time down to a power of two, and a short one to 0, so that it rarely varies."""
    return 2.0 ** math.floor(math.log2(seconds)) if seconds >= 0.25 else 0.0


def _has_fractions(value: Any) -> bool:
    return isinstance(value, (float, Fraction)) or (type(value) is tuple and any(map(_has_fractions, value)))
