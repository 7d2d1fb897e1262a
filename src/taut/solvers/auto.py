"""Which solver answers: the one that was named, or the first that is likely to be cheap enough, and why."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from taut.errors import InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge, WorkersGone
from taut.limits import exceeded, grace, limits, memory_limited, remaining
from taut.measures import PairMeasure
from taut.numbers import large
from taut.results import Bound
from taut.solvers.all_pairs import AllPairs
from taut.solvers.by_search import BySearch
from taut.solvers.by_symmetry import MOST_ORBITS, BySymmetry
from taut.solvers.by_terms import ByTerms
from taut.solvers.exhaustive import Exhaustive
from taut.solvers.pair_orbits import PairOrbits
from taut.solvers.problem import Budget, Problem, Solver
from taut.solvers.shared_losses import worst_of_losses
from taut.solvers.sums import bound_of_sum
from taut.solvers.unfinished import GRACE, unfinished
from taut.solvers.worst_pair import WorstPair

__all__ = ["METHODS", "solve", "solvers_of", "value_classes"]

_FEW = 1 << 20
"""Cases that are looked at in a moment; then they are, and counted, which a search does not do."""
_SHORT, _FEW_OF_SHORT = 2, 1 << 26
"""Inputs of so few entries share no prefixes: a search would look at all pairs too, one by one."""
_LISTED = 1 << 30
_MANY_PAIRS = 1 << 19
"""With more related pairs than that no solver looks at all cases, so that nothing is lost by not counting them, and the
terms are asked first; also where the channel is compiled already, so that an answer never depends on earlier ones."""
_FIRST_GROUPS, _FEW_GROUPS, _FEW_ORBITS = 1 << 11, 1 << 16, 1 << 14
_WIDTH = 1 << 13
"""Pairs of prefixes that a search for the worst pair keeps per entry before something else is tried."""
_CELLS = 1 << 24
"""Up to so many pairs of input and output, all of them are looked at, which is quicker than to look for symmetries."""

_EXHAUSTIVE, _SEARCH, _SYMMETRY = Exhaustive(), BySearch(), BySymmetry()
_ALL_PAIRS, _PAIR_ORBITS, _WORST_PAIR = AllPairs(), PairOrbits(), WorstPair()
_PER_ENTRY = 16
_FIRST_PAIRS, _NARROW_SEARCH = AllPairs(), WorstPair(widest=_WIDTH)
METHODS: Mapping[str, tuple[Solver, ...]] = {
    "search": (_SEARCH, _WORST_PAIR),
    "exhaustive": (_EXHAUSTIVE, _ALL_PAIRS),
    "restricted": (_SYMMETRY, _PAIR_ORBITS),
}
"""The solvers by the names that users give, for measures of single outputs and of pairs; 'auto' chooses among them."""


@dataclass(frozen=True)
class _Attempt:
    """A solver, the most that it may cost, and why it is taken then."""

    solver: Solver
    most: float
    why: str
    share: float = 1
    """The share of the time that is left."""
    room: int | None = None
    """Beliefs that it may hold, if fewer than the budget allows: there is more to try."""
    of_short: float = 0
    """The most that it may cost, if more, where inputs have one entry or two."""

    def affordable(self, cost: int | None, entries: int) -> bool:
        """Whether it may be tried; a solver that cannot tell its cost always is."""
        return cost is None or cost <= max(self.most, self.of_short if entries <= _SHORT else 0)

    def within(self, budget: Budget, entries: int) -> Budget:
        """What the solver may use; what grows with the number of entries only, as counts do, is not stopped early."""
        if self.room is None:
            return budget
        most = min(max(self.room, _PER_ENTRY * entries), budget.max_beliefs)
        return replace(budget, max_beliefs=most, in_pieces=False)


_ATTEMPTS = (
    _Attempt(
        _EXHAUSTIVE,
        _FEW,
        "there are at most {cost} {cases}, few enough to look at all and to count the worst",
        0.5,
        of_short=_FEW_OF_SHORT,
    ),
    _Attempt(_SEARCH, 0, "there are up to {all} {cases}, too many to look at all; a search needs no list"),
    _Attempt(_SYMMETRY, _FEW, "the symmetries leave {cost} of {all} {cases}"),
    _Attempt(_EXHAUSTIVE, _LISTED, "there are at most {cost} {cases} to look at"),
    _Attempt(_FIRST_PAIRS, 0, "of {all} {cases} few differ before all entries are read", 0.5, room=_FIRST_GROUPS),
    _Attempt(_NARROW_SEARCH, 0, "there are up to {all} {cases}, too many to look at all; a search needs no list", 0.7),
    _Attempt(_ALL_PAIRS, 0, "of {all} {cases} few differ before all entries are read", 0.5, room=_FEW_GROUPS),
    _Attempt(_PAIR_ORBITS, _FEW_ORBITS, "the symmetries leave {cost} of {all} {cases}"),
)
"""What 'auto' tries, in this order; a solver that cannot tell its cost is always tried."""


def solve(problem: Problem, method: str | Solver = "auto", budget: Budget | None = None) -> Bound:
    """The bound that a problem asks for.

    Parameters
    ----------
    problem
        A channel, a neighbour relation and a measure.
    method
        A solver or the name of one; 'auto' asks them all: everything is looked at where that is little, else the terms
        are asked, which need no channel (those of sums also by 'search'), else a search is made, and where that passes
        its room what the symmetries leave, or everything after all. The result's ``stats["why"]`` says which and why.
    budget
        Time, room, and whom to tell of progress.

    Raises
    ------
    ImpossibleEvidence
        What the mechanism observes has probability 0 at some input.
    NoNeighbors
        The relation relates no two inputs of the domain.
    TooLarge
        There is too much to look at, and no interval either; OutOfTime or OutOfMemory where a limit was passed.
    """
    room, terms = budget or Budget(), ByTerms(problem)
    bound = terms.answer(more_than=_MANY_PAIRS) if method == "auto" else None
    if bound is None:
        bound = bound_of_sum(problem, method, _FEW)
    if bound is None:
        bound = _by_channel(problem, method, room)
        if isinstance(method, str):  # else it is about given cases only
            bound = terms.narrow(bound)
    return bound if problem.neighbors is None else replace(bound, neighbors=problem.neighbors.name)


def _by_channel(problem: Problem, method: str | Solver, budget: Budget) -> Bound:
    """The bound from the channel; an interval where that could not be compiled in time, or for lack of memory."""
    start = time.perf_counter()
    try:
        problem.channel  # noqa: B018  (which compiles it)
    except (OutOfTime, OutOfMemory) as error:
        if not isinstance(method, str):
            raise
        return _unfinished(problem, error, "while the diagram was being compiled")
    built = time.perf_counter() - start
    if method == "auto":
        bound = _first_that_ends(problem, budget)
    else:
        bound = _named(problem, _served(problem, method), budget)
    seconds = round(built + bound.stats.get("build_seconds", 0.0), 6)
    return replace(bound, stats={**bound.stats, "build_seconds": seconds})


def _served(problem: Problem, method: str | Solver) -> Solver:
    """The solver of this name that serves a problem; if there is none, one that says why not."""
    solvers = solvers_of(method)
    last = -1 if isinstance(problem.measure, PairMeasure) else 0
    return next((solver for solver in solvers if solver.refuses(problem) is None), solvers[last])


def _named(problem: Problem, solver: Solver, budget: Budget) -> Bound:
    """The bound that one solver gives; where time or memory ended before, an interval."""
    refusal = solver.refuses(problem)
    if refusal is not None:
        raise refusal
    try:
        return _run(solver, problem, budget)
    except (OutOfTime, OutOfMemory, WorkersGone) as error:
        if not any(solver in solvers for solvers in METHODS.values()):
            raise  # it looks at given cases only, and so has nothing to say about all
        return _unfinished(problem, error, f"with method='{solver.name}'")


def solvers_of(method: str | Solver) -> tuple[Solver, ...]:
    """The solvers that a user means: one per kind of measure."""
    if not isinstance(method, str):
        return (method,)
    if method not in METHODS:
        raise InvalidInput(f"method={method!r}: there are auto, {', '.join(METHODS)}.", value=method)
    return METHODS[method]


def value_classes(problem: Problem, budget: Budget, top: int | None = None) -> list[Any]:
    """The different values of all cases (at least the ``top`` worst), the worst first, with their counts and witnesses.

    All cases are looked at; if they are too many, one of each orbit of the symmetries.
    """
    channel = problem.channel
    few = channel.inputs * (1 if problem.neighbors is None else channel.outputs) <= _CELLS
    if not few and _SYMMETRY.refuses(problem) is None and _SYMMETRY.cost(problem) <= MOST_ORBITS:
        return _SYMMETRY.classes(problem, budget)
    return _EXHAUSTIVE.classes(problem, budget, top=top)


def _first_that_ends(problem: Problem, budget: Budget) -> Bound:
    """Try solvers until one ends with more than an interval that room has stopped."""
    try:
        problem.automaton  # noqa: B018  (costs are counted by it)
    except TautError:
        first: Solver = _SEARCH if _SEARCH.refuses(problem) is None else _ALL_PAIRS
        return _run(first, problem, budget)  # which looks at the evidence first, as every solver does
    names = {"cases": problem.measure.cases, "all": large(problem.cases)}
    tried: set[int] = set()
    failed = ""
    interval: Bound | None = None
    error: TooLarge | WorkersGone | None = None
    for attempt in _ATTEMPTS:
        solver = attempt.solver
        if id(solver) in tried or solver.refuses(problem) is not None:
            continue
        try:
            with limits(seconds=None if attempt.share == 1 or math.isinf(remaining()) else attempt.share * remaining()):
                cost = solver.cost(problem)
                if not attempt.affordable(cost, len(problem.space.values)):
                    continue
                tried.add(id(solver))
                bound = _run(solver, problem, attempt.within(budget, len(problem.space.values)))
        except TooLarge as too_large:
            error, failed = exceeded() or too_large, failed or f"method='{solver.name}' is too large, and "
            if exceeded() is not None:
                break
        except WorkersGone as lost:
            error, failed = lost, "the cluster was lost, and "
            break
        else:
            stopped = str(bound.stats.get("stopped"))
            in_part = attempt.share < 1 and stopped == "time_limit" and exceeded() is None
            if stopped == "time_limit" and not in_part and interval is not None and interval.method == "search":
                break
            if not stopped.startswith("max_beliefs") and not in_part:
                return _because(bound, failed + attempt.why.format(cost=cost, **names))
            passed = "the search" if solver.name == "search" else f"method='{solver.name}'"
            failed = f"{passed} {'took its share of the time' if in_part else f'passed {stopped}'}, and "
            if interval is None or interval.method != "search":  # the interval of a search is the narrowest
                interval = bound
    if interval is not None:
        return _because(interval, f"{failed}there are too many {names['cases']} to look at all: this is an interval")
    if isinstance(error, (OutOfTime, OutOfMemory, WorkersGone)):
        return _unfinished(problem, error, "before any method had an answer")
    if error is not None:
        raise error
    return _EXHAUSTIVE.solve(problem, budget)


def _run(solver: Solver, problem: Problem, budget: Budget) -> Bound:
    """What a solver finds; loss distributions that another question has had collected are not collected again."""
    with memory_limited():
        if isinstance(solver, (AllPairs, PairOrbits)):
            return worst_of_losses(solver, problem, budget)
        return solver.solve(problem, budget)


def _unfinished(problem: Problem, error: TooLarge | WorkersGone, doing: str) -> Bound:
    """The interval of a problem that no solver had an answer to in time."""
    if problem.measure.extremes is None:
        raise error  # nothing is known without a solver, so no time is spent on it
    with grace(GRACE):
        automaton = problem.automaton
    return unfinished(problem.measure, problem.space, automaton, problem.distribution, error, doing)


def _because(bound: Bound, why: str) -> Bound:
    return replace(bound, stats={**bound.stats, "why": why})
