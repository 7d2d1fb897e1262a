"""Aimed runs: for each side of each condition and each alternative of a value, solve for inputs that lead there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from taut.languages.python.draws import Questions
from taut.languages.python.validation.coverage import Coverage
from taut.languages.python.validation.observed import Side
from taut.languages.python.validation.result import Branch
from taut.program import Const, Evaluation, Ite, Program, Term
from taut.program.program import reachable

__all__ = ["Aim", "told_branches"]

_MOST_WATCHED = 96
_MOST_RECORDS = 4
"""Number of decisions per condition for which a run is sought."""

Compare = Callable[[Mapping[int, Any], Mapping[int, Any]], None]
"""A callback that compares a run with some entries and coins given."""


class Aim:
    """Finds inputs and coins that lead to sides no run has taken, and has the runs compared.

    Parameters
    ----------
    program : Program
        What was read.
    questions : Questions
        Finds runs in which a term is true.
    coverage : Coverage
        Which sides have been taken, and what was read for them.
    """

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
        """Return entries and coins with which the event happens and the evidence holds; False if none, True if
        unknown.
        """
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
