"""Search without the reading: runs of Python that take a side of a condition, and runs at its boundary.

The copy of the function tells how far each run is from the other side of a condition. One entry or one draw is changed
at a time, by steps that grow as long as they come nearer (the alternating variable method of search-based testing). A
side that is reached is followed back to the boundary by bisection, and the runs on both sides of it are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from taut.languages.python.scripted import Position, ScriptedResult
from taut.languages.python.validation.coverage import Coverage, Entries
from taut.languages.python.validation.observed import FAR, Side
from taut.languages.python.validation.playback import ANYTHING, DrawLog, place_of
from taut.program import Program

__all__ = ["CoverageSearch", "Trial"]

Point = tuple[int, ...]
"""A run: the index of each entry among its values, then that of each draw among its outcomes."""

_WORK_OF_A_TRIAL = 12
_WORK_OF_A_DRAW = 2
_EXPLORED = 16
"""Base of the step sizes: powers of it are tried."""
_NARROW = 16
"""Number of values up to which samples cover a variable; boundaries are sought for wider ones."""
_MOST_TRIALS = 400
"""Limit of trials for one side of a condition."""


@dataclass(frozen=True)
class Trial:
    """One run of the copy."""

    point: Point
    widths: Point
    entries: Entries
    outcomes: tuple[Any, ...]
    sides: dict[Side, Any]

    def far(self, side: Side) -> Any:
        """Return the distance of the run from a side; 0 if it takes it."""
        return self.sides.get(side, FAR * 10)


class CoverageSearch:
    """Leads the copy of the function to sides of conditions.

    ``spend`` takes the work of a trial and says whether some is left; ``compare`` compares the function itself with the
    reading, on entries and outcomes.
    """

    def __init__(
        self,
        program: Program,
        log: DrawLog,
        coverage: Coverage,
        spend: Callable[[int], bool],
        compare: Callable[[Entries, tuple[Any, ...]], None],
    ) -> None:
        self._program = program
        self._log = log
        self._coverage = coverage
        self._spend = spend
        self._compare = compare
        self._goes_on = True
        self._trials = 0

    def run(self) -> None:
        """Search for sides not taken, then for the boundaries between sides that are."""
        coverage = self._coverage
        tried: set[Side] = set()
        while self._goes_on and coverage.faithful:
            side = next((side for side in self._wanted() if side not in tried), None)
            if side is None:
                break
            tried.add(side)
            self._lead_to(side)
        for side in list(coverage.nearest):
            if not self._goes_on or not coverage.faithful:
                break
            if side in coverage.reached and side not in tried and side in coverage.varying:
                self._lead_to(side, only_wide=True)

    def _wanted(self) -> Iterator[Side]:
        """Yield the sides that no run has taken and whose distance varies."""
        coverage = self._coverage
        for side in list(coverage.nearest):
            if side not in coverage.reached and side in coverage.varying:
                yield side

    def _lead_to(self, side: Side, only_wide: bool = False) -> None:
        seed = self._coverage.nearest[side]
        if seed.distance >= FAR:
            return
        self._trials = 0
        trial = self._seeded(seed.entries, seed.outcomes)
        if trial is None or (only_wide and max(trial.widths, default=0) <= _NARROW):
            return
        while self._goes_on and trial.far(side):
            better = self._improved(side, trial)
            if better is None:
                return
            if not better[0].far(side):
                self._follow_boundary(side, trial, *better)
                return
            trial = better[0]

    def _improved(self, side: Side, trial: Trial) -> tuple[Trial, int] | None:
        """Return a nearer run and the variable in which it differs, or None."""
        variables = sorted(range(len(trial.point)), key=lambda place: (-trial.widths[place], place))
        for variable in variables:
            width = trial.widths[variable]
            step = 1
            while step < width:
                for signed in (step, -step):
                    found = self._moved(trial, variable, signed)
                    if found is not None and found.far(side) < trial.far(side):
                        return self._farther(side, trial, found, variable, signed), variable
                if not self._goes_on or self._trials > _MOST_TRIALS:
                    return None
                step *= _EXPLORED
        return None

    def _farther(self, side: Side, start: Trial, best: Trial, variable: int, step: int) -> Trial:
        """Continue in a direction that reduces the distance: first by linear extrapolation, then by growing steps."""
        gain = start.far(side) - best.far(side)
        if best.far(side) and start.far(side) < FAR:
            found = self._moved(best, variable, step * max(1, int(best.far(side) / gain)))
            if found is not None and found.far(side) < best.far(side):
                best = found
        while best.far(side):
            found = self._moved(best, variable, step)
            if found is None or found.far(side) >= best.far(side):
                break
            best, step = found, step * 2
        return best

    def _follow_boundary(self, side: Side, before: Trial, after: Trial, variable: int) -> None:
        """Bisect between a run that does not take a side and one that does; compare the runs at the boundary."""
        while abs(after.point[variable] - before.point[variable]) > 1:
            middle = (after.point[variable] + before.point[variable]) // 2
            found = self._moved(before, variable, middle - before.point[variable])
            if found is None:
                break
            if found.far(side):
                before = found
            else:
                after = found
        beyond = self._moved(after, variable, after.point[variable] - before.point[variable])
        for trial in (after, before, beyond):
            if trial is not None:
                self._compare(trial.entries, trial.outcomes)

    def _moved(self, trial: Trial, variable: int, step: int) -> Trial | None:
        """Return the run with one variable moved, clamped to its last value; None if nothing changes."""
        place = min(max(trial.point[variable] + step, 0), trial.widths[variable] - 1)
        if place == trial.point[variable]:
            return None
        return self._try((*trial.point[:variable], place, *trial.point[variable + 1 :]))

    def _seeded(self, entries: Entries, outcomes: Sequence[Any]) -> Trial | None:
        places = [values.index(entry) for values, entry in zip(self._values(), entries, strict=True)]
        return self._try(tuple(places), outcomes)

    def _try(self, point: Point, outcomes: Sequence[Any] = ()) -> Trial | None:
        """Run the copy once; None if no work is left, or the copy fails."""
        if not self._goes_on:
            return None
        values = self._values()
        entries = tuple([row[place] for row, place in zip(values, point, strict=False)])
        script = _Steered(self._log, point[len(values) :], outcomes)
        weights = self._log.weights
        result: ScriptedResult = self._coverage.run(self._program.database(entries), script)
        observed = self._coverage.observed
        self._trials += 1
        work = _WORK_OF_A_TRIAL + observed.events // 2 + _WORK_OF_A_DRAW * len(script.outcomes)
        self._goes_on = self._spend(work + (self._log.weights - weights) // _WORK_OF_A_TRIAL)
        if result.problem is not None:
            self._compare(entries, tuple(script.outcomes))
            return None
        widths = (*[len(row) for row in values], *script.widths)
        made = Trial((*point[: len(values)], *script.places), widths, entries, tuple(script.outcomes), observed.sides)
        if self._coverage.learn(made.sides, entries, made.outcomes):
            self._compare(entries, made.outcomes)
        return made

    def _values(self) -> list[Any]:
        return [variable.values for variable in self._program.inputs]


class _Steered:
    """A script that shows outcomes at given indices and records their numbers; further outcomes are in the middle."""

    def __init__(self, log: DrawLog, wanted: Sequence[int], outcomes: Sequence[Any]) -> None:
        self._log = log
        self._wanted = wanted
        self._known = outcomes
        self.places: list[int] = []
        self.widths: list[int] = []
        self.outcomes: list[Any] = []

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        outcomes = self._log.distribution(name, arguments)[0]
        number, width = len(self.places), len(outcomes)
        place = self._wanted[number] if number < len(self._wanted) else None
        if place is None:
            place = place_of(outcomes, self._known[number] if number < len(self._known) else ANYTHING)
        place = width // 2 if place is None else min(place, width - 1)
        self.places.append(place)
        self.widths.append(width)
        self.outcomes.append(outcomes[place])
        return outcomes[place]
