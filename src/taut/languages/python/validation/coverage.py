"""Coverage: the sides of source conditions that Python has taken, compared with the reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from taut.languages.python.draws import Questions
from taut.languages.python.logs import BranchDecisions, Site
from taut.languages.python.scripted import PlainFunction, Position, ScriptedResult, ScriptEnds
from taut.languages.python.validation.observed import Condition, Observed, Side
from taut.languages.python.validation.playback import Playback
from taut.languages.python.validation.result import Branch, agree
from taut.program import UNDEFINED, Const, Evaluation, Ite, Program, Term, Terms
from taut.program.program import reachable

__all__ = ["Aim", "Coverage", "Nearest", "told_branches"]


Entries = tuple[Any, ...]


@dataclass(frozen=True)
class Nearest:
    """The run nearest to a side of a condition that did not take it."""

    distance: Any
    entries: Entries
    outcomes: tuple[Any, ...]


class Coverage:
    """Runs of an instrumented copy of the function that reports the sides it takes.

    The copy only guides the search: runs of the original function are compared with the reading. If the copy behaves
    differently from the function, its reports are no longer used.
    """

    def __init__(self, plain: PlainFunction, terms: Terms, decisions: Mapping[Site, Sequence[BranchDecisions]]) -> None:
        self.observed = Observed()
        self._plain = PlainFunction(self.observed.copy(plain.function), plain.arguments)
        self._terms = terms
        self._decisions = decisions
        self.runs = 0
        self.faithful = True
        self.sampling = True
        """True if only samples are run, so that distances to missing sides matter."""
        self._complete = False
        self.reached: set[Side] = set()
        self._checked: set[Side] = set()
        """Sides for which a run has been compared with the reading."""
        self.nearest: dict[Side, Nearest] = {}
        self.varying: set[Side] = set()
        """Sides whose distance differs between runs."""
        self._numbers: dict[Site, int] = {}
        for number, condition in self.observed.conditions.items():
            if condition.decided:
                self._numbers.setdefault(condition.site, number)

    @property
    def conditions(self) -> Iterator[tuple[int, Condition]]:
        """Yield the conditions of the source with their numbers, each once."""
        for number in self._numbers.values():
            yield number, self.observed.conditions[number]

    def sides(self) -> list[Side]:
        """Return both sides of every condition of the source."""
        return [(number, side) for number, _ in self.conditions for side in (True, False)]

    def tests(self, side: Side) -> list[tuple[Term, Term]] | None:
        """Return, for a side, the guards and tests that were read for it; None if unknown."""
        readings = self._readings(side)
        return None if not readings else list(dict.fromkeys(pair for tests in readings for pair in tests))

    def _readings(self, side: Side) -> list[list[tuple[Term, Term]]]:
        """Return, for a side, a list of guards and tests for each complete record of the reading."""
        known = self._decisions.get(self.observed.conditions[side[0]].site, [])
        negate = self._terms.negate
        return [
            [(guard, test if side[1] else negate(test)) for guard, test in decisions.read]
            for decisions in known
            if decisions.complete
        ]

    def open(self, certain: bool = False) -> bool:
        """Return True if a side has not been taken; ``certain`` ignores sides that the reading rules out."""
        return any(
            side not in self.reached and not (certain and self._constant(side))
            for number in self._numbers.values()
            for side in ((number, True), (number, False))
        )

    def _constant(self, side: Side) -> bool:
        return any(all(test is self._terms.false for _, test in tests) for tests in self._readings(side))

    def wants(self, runs: int) -> bool:
        """Return True if repeating a run is worthwhile: sides are missing, or their distances are unknown.

        After ``_MANY_RUNS`` runs, sides that the reading rules out no longer count as missing.
        """
        if not self.faithful:
            return False
        if len(self._checked) < len(self.reached):
            return True
        if self._complete:
            return False
        if self.sampling and runs <= _MANY_RUNS:
            return bool(self._numbers)
        self._complete = not self.open(certain=runs > _MANY_RUNS)
        return not self._complete

    def watch(self, x: Any, entries: Entries, script: Playback, result: ScriptedResult) -> Side | None:
        """Repeat a compared run on the copy; return a side that it took against the reading, or None."""
        sides = self._repeat(x, script, result)
        if sides is None:
            return None
        outcomes = tuple([outcome for _, _, outcome in script.shown])
        self.learn(sides, entries, outcomes)
        for side in [side for side, distance in sides.items() if not distance and side not in self._checked]:
            self._checked.add(side)
            if script.adapted and not self._read(side, entries, script.evaluation.coins):
                return side
        return None

    def learn(self, sides: Mapping[Side, Any], entries: Entries, outcomes: tuple[Any, ...]) -> list[Side]:
        """Record the sides of a run; return those that no run took before."""
        fresh = []
        for side, distance in sides.items():
            if not distance:
                if side not in self.reached:
                    self.reached.add(side)
                    fresh.append(side)
                continue
            known = self.nearest.get(side)
            if known is None:
                self.nearest[side] = Nearest(distance, entries, outcomes)
            elif distance != known.distance:
                self.varying.add(side)
                if distance < known.distance:
                    self.nearest[side] = Nearest(distance, entries, outcomes)
        return fresh

    def _repeat(self, x: Any, script: Playback, result: ScriptedResult) -> Mapping[Side, Any] | None:
        listed = _KnownScript([outcome for _, _, outcome in script.shown])
        again = self.run(x, listed)
        if not self.faithful or listed.left or not _same(result, again):
            self.faithful = False
            return None
        return self.observed.sides

    def run(self, x: Any, script: Any) -> ScriptedResult:
        """Run the copy; ``observed`` has the sides afterwards."""
        self.runs += 1
        self.observed.start()
        return self._plain.run(x, script)

    def _read(self, side: Side, entries: Entries, coins: Mapping[int, Any]) -> bool:
        """Return True if the reading may take a side, with the entries and coins of a run in which Python took it."""
        if not self.observed.conditions[side[0]].decided:
            return True
        evaluation = Evaluation(entries, coins.__getitem__, {})
        try:
            return all(
                len(tests) > _MOST_TESTS
                or any(_holds(evaluation.value, guard) and _holds(evaluation.value, test) for guard, test in tests)
                for tests in self._readings(side)
            )
        except KeyError:  # it depends on a coin that the run did not need
            return True


_MOST_TESTS = 256
_MANY_RUNS = 32


def _holds(value: Callable[[Term], Any], term: Term) -> bool:
    found = value(term)
    return found is UNDEFINED or bool(found)


def _same(one: ScriptedResult, other: ScriptedResult) -> bool:
    """Return True if two runs ended in the same way."""
    if (one.rejected, one.ended, one.problem is None) != (other.rejected, other.ended, other.problem is None):
        return False
    return one.problem is not None or agree(one.value, other.value)


class _KnownScript:
    """A script of known outcomes, in the order of Python's draws."""

    def __init__(self, outcomes: Sequence[Any]) -> None:
        self._outcomes = outcomes
        self._place = 0

    @property
    def left(self) -> bool:
        return self._place < len(self._outcomes)

    def draw(self, name: str, arguments: tuple[Any, ...], position: Position | None) -> Any:
        if not self.left:
            raise ScriptEnds
        self._place += 1
        return self._outcomes[self._place - 1]


_MOST_WATCHED = 96
_MOST_RECORDS = 4
"""Number of decisions per condition for which a run is sought."""

Compare = Callable[[Mapping[int, Any], Mapping[int, Any]], None]
"""A callback that compares a run with some entries and coins given."""


class Aim:
    """Finds inputs and coins that lead to sides no run has taken, and has the runs compared."""

    def __init__(self, program: Program, questions: Questions, coverage: Coverage) -> None:
        self._program = program
        self._questions = questions
        self._coverage = coverage
        self._watched = self._deciding()
        self.impossible: set[Side] = set()

    def _deciding(self) -> dict[Term, set[bool]]:
        """Return the terms that decide an alternative of the output or a branch, each with the sides not seen yet."""
        terms = [term.test for term in reachable([self._program.output]) if isinstance(term, Ite)]
        for side in self._coverage.sides():
            if side[1]:
                terms += [test for _, test in self._coverage.tests(side) or []]
        kept = [term for term in dict.fromkeys(terms) if not isinstance(term, Const)]
        kept = kept[: _MOST_WATCHED // 2] + kept[_MOST_WATCHED // 2 :][-_MOST_WATCHED // 2 :]
        return {term: {True, False} for term in kept}

    def watch(self, evaluation: Evaluation) -> None:
        """Record the alternatives that a run has taken."""
        done = []
        for term, missing in self._watched.items():
            value = evaluation.seen(term)
            if value is True or value is False:
                missing.discard(value)
                if not missing:
                    done.append(term)
        for term in done:
            del self._watched[term]

    def run(self, compare: Compare, spend: Callable[[int], bool]) -> None:
        """Seek a run for each side that Python has not taken, then for each alternative not seen."""
        for side in self._coverage.sides():
            if side not in self._coverage.reached and not self._lead_to(side, compare, spend):
                return
        for term, missing in list(self._watched.items()):
            for wanted in sorted(missing):
                if wanted in missing and not self._ask(self._test(term, wanted), compare, spend)[0]:
                    return

    def _lead_to(self, side: Side, compare: Compare, spend: Callable[[int], bool]) -> bool:
        """Seek runs that take a side; return True if there is work left."""
        tests = self._coverage.tests(side)
        if tests is None:
            return True
        never = True
        for guard, test in tests if len(tests) <= _MOST_RECORDS else [*tests[:2], *tests[-2:]]:
            goes_on, answer = self._ask(self._program.terms.all(guard, test), compare, spend)
            never = never and answer is False
            if not goes_on or side in self._coverage.reached:
                return goes_on
        if never and len(tests) <= _MOST_RECORDS:
            self.impossible.add(side)
        return True

    def _ask(self, event: Term, compare: Compare, spend: Callable[[int], bool]) -> tuple[bool, Any]:
        before = self._questions.nodes
        answer = self.find(event)
        if not isinstance(answer, bool):
            compare(*answer)
        return spend(self._questions.nodes - before + _WORK_OF_A_QUESTION), answer

    def find(self, event: Term) -> Any:
        """Return entries and coins for an event with the evidence; False if there are none, True if unknown."""
        terms = self._program.terms
        together = terms.all(self._program.evidence, event)
        return False if together is terms.false else self._questions.run(together)

    def chance(self, side: Side) -> tuple[bool, Any]:
        """Return False if a side is impossible, else True and its probability on some input; None if unknown."""
        terms, known = self._program.terms, True
        tests = self._coverage.tests(side) or []
        for guard, test in tests[:_MOST_RECORDS]:
            event = terms.all(guard, test)
            found = self.find(event)
            if not isinstance(found, bool):
                return True, self._questions.chance(event, found[0])
            known = known and found is False
        return not known or len(tests) > _MOST_RECORDS, None

    def _test(self, term: Term, side: bool) -> Term:
        terms = self._program.terms
        return terms.truth(term) if side else terms.negate(terms.truth(term))


_WORK_OF_A_QUESTION = 20


def told_branches(coverage: Coverage | None, aim: Aim | None, conclusive: bool) -> tuple[int, tuple[Branch, ...]]:
    """Return the number of branches, and those that Python has not taken although the reading allows them."""
    if coverage is None or not coverage.faithful:
        return 0, ()
    sides = coverage.sides()
    count = sum(side in coverage.reached for side in sides)
    if conclusive or aim is None:
        return count, ()
    unreached = []
    for side in sides:
        if side in coverage.reached or side in aim.impossible or coverage.tests(side) in (None, []):
            continue
        possible, chance = aim.chance(side)
        if possible:
            condition = coverage.observed.conditions[side[0]]
            file, line = condition.site[:2]
            unreached.append(Branch(file, line, condition.text, side[1], chance))
    return count + len(unreached), tuple(unreached)
