"""The choice of a solver: the one that was named, or the first that is likely to be cheap enough, and why.

Solvers are imported when they are asked.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.neighbors import Entrywise
from taut.questions.bound import Bound
from taut.questions.measure import Measure
from taut.questions.pair_measure import PairMeasure
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge, WorkersGone
from taut.support.exact import INFINITY, Ball, large
from taut.support.limits import cpu_clock, exceeded, grace, limits, memory_limited, reason_of, remaining
from taut.synthesis.facts import Attained, Fact, Limit, narrowed
from taut.synthesis.first_case import with_first_case
from taut.synthesis.problem import Budget, Problem, Solver
from taut.synthesis.unfinished import GRACE, nothing_known, stopped_by, unfinished

__all__ = ["METHODS", "solve", "solvers_of", "value_classes"]

_FEW = 1 << 20
"""Number of cases up to which all are enumerated and counted, since that takes a moment."""
_SHORT, _FEW_OF_SHORT = 2, 1 << 26
"""Inputs of at most two entries share no prefixes, so a search is no quicker; up to 2^26 cases they are enumerated."""
_LISTED = 1 << 30
_FIRST_GROUPS, _FEW_GROUPS, _FEW_ORBITS = 1 << 11, 1 << 16, 1 << 14
_WIDTH = 1 << 13
"""Limit for the pairs of prefixes per entry in the first search for the worst pair."""
_CELLS = 1 << 24
"""Number of (input, output) pairs up to which enumeration is quicker than finding symmetries."""

_PER_ENTRY = 16


@dataclass(frozen=True)
class _Deferred:
    """A solver by its module in this package, its class and its arguments, imported when it is called for."""

    module: str
    name: str
    arguments: tuple[Any, ...] = ()

    def __call__(self) -> Any:
        return getattr(importlib.import_module(f"taut.synthesis.{self.module}"), self.name)(*self.arguments)


_EXHAUSTIVE, _SYMMETRY = _Deferred("exhaustive.solver", "Exhaustive"), _Deferred("symmetry.solver", "BySymmetry")
_SEARCH, _ALL_PAIRS = _Deferred("search.solver", "BySearch"), _Deferred("pairs.all_pairs", "AllPairs")
_ORBITS = _Deferred("pairs.orbits", "PairOrbits")
METHODS: Mapping[str, tuple[Callable[[], Solver], ...]] = {
    "search": (
        _Deferred("decompose", "Decomposition", (_FEW,)),
        _SEARCH,
        _Deferred("pairs.worst_pair", "WorstPair"),
    ),
    "exhaustive": (_EXHAUSTIVE, _ALL_PAIRS),
    "restricted": (_SYMMETRY, _ORBITS),
}
"""The solvers by the names that users give, for measures of single outputs and of pairs; 'auto' chooses among them."""


@dataclass(frozen=True)
class _Attempt:
    """A solver, the problems that it is tried on, its share of the limits, and the reason to choose it."""

    solver: Callable[[], Solver]
    most: float = math.inf
    """Limit of its cost."""
    why: str = ""
    """The reason; a solver that needs no channel gives its own."""
    share: float = 1
    """Share of the remaining time that it may take."""
    cpu_seconds: float | None = None
    room: int | None = None
    """Limit for its beliefs, below that of the budget, because other solvers can be tried after it."""
    of_short: float = 0
    """A larger limit of the cost, for inputs of one or two entries."""
    again: bool = False
    """True to skip it if a solver of this name was tried before."""
    least: int = 0
    """Cost from which it is tried: less is enumerated, which also counts the worst cases."""
    reads_terms: bool = False
    """True if it needs the terms of the mechanism."""
    entrywise: bool = False
    """True if it serves only relations that say which values of an entry are neighbours."""

    def promises(self, problem: Problem) -> bool:
        """Return True if the solver may serve a problem, by what is known before it is imported."""
        relation = problem.neighbors
        if self.entrywise and not (relation is None or isinstance(relation, Entrywise)):
            return False
        if self.reads_terms and problem.program is None:
            return False
        return not self.least or problem.work >= self.least

    def affordable(self, problem: Problem, cost: int | None) -> bool:
        """Return True if it may be tried; a solver that cannot tell its cost always is."""
        short = len(problem.space.values) <= _SHORT
        return cost is None or self.least <= cost <= max(self.most, self.of_short if short else 0)

    def limited(self) -> contextlib.AbstractContextManager[None]:
        """Return the context in which it is asked: its share of the time, and its seconds of work."""
        seconds = None if self.share == 1 or math.isinf(remaining()) else self.share * remaining()
        return limits(seconds=seconds, cpu_seconds=self.cpu_seconds)

    def within(self, problem: Problem, budget: Budget) -> Budget:
        """Return the budget of the solver; work that grows with the number of entries only is not stopped early."""
        if self.room is None:
            return budget
        most = min(max(self.room, _PER_ENTRY * len(problem.space.values)), budget.max_beliefs)
        return replace(budget, max_beliefs=most, in_pieces=False)


_BY_CELLS = (
    _Attempt(
        _Deferred("decompose", "Decomposition"),
        share=0.5,
        cpu_seconds=60.0,
        least=_FEW + 1,
        reads_terms=True,
    ),
)
"""The solver that 'auto' tries first, before anything is compiled."""
_BY_RELEASE = (replace(_BY_CELLS[0], solver=_Deferred("hubs", "Postprocessing"), share=0.3, cpu_seconds=30.0),)
"""The solver that is tried next, whose interval is kept where it is not exact and no other solver is."""
_FOR_ENDS = tuple([replace(one, cpu_seconds=10.0, least=0) for one in (*_BY_CELLS, *_BY_RELEASE)])
"""The same, to narrow an interval that the solver of a name has returned."""
_BY_HUBS = (
    replace(_BY_CELLS[0], solver=_Deferred("hubs", "ByHubs"), entrywise=True),
    replace(_BY_CELLS[0], solver=_Deferred("hubs", "HubIntervals"), entrywise=True),
    replace(_BY_CELLS[0], solver=_Deferred("hubs", "Together"), entrywise=True),
    replace(_BY_CELLS[0], solver=_Deferred("hubs", "TogetherIntervals"), entrywise=True),
)
"""Solvers that are tried if a search has not ended after ``_SOON`` seconds of work: where one entry changes, and where
all may; for the largest ratio, and for intervals."""
_BY_HUBS_AT_ONCE = (replace(_BY_HUBS[0], cpu_seconds=8.0),)
"""The solver that is tried before a search where a few inputs have taken as long as a search may at first."""
_SOON = 3.0
_SECONDS_FOR_ANSWERS = 15.0
"""CPU seconds within which outputs must be recognized as conditions on answers, for hubs to come before releases."""
_BY_CHANNEL = (
    _Attempt(
        _EXHAUSTIVE,
        _FEW,
        "there are at most {cost} {cases}, few enough to look at all and to count the worst",
        0.5,
        of_short=_FEW_OF_SHORT,
    ),
    _Attempt(_SEARCH, 0, "there are up to {all} {cases}, too many to look at all; a search needs no list"),
    _Attempt(_SYMMETRY, _FEW, "the symmetries leave {cost} of {all} {cases}"),
    _Attempt(_EXHAUSTIVE, _LISTED, "there are at most {cost} {cases} to look at", again=True),
    _Attempt(_ALL_PAIRS, 0, "the {all} {cases} fall into few groups with equal distributions", 0.5, room=_FIRST_GROUPS),
    _Attempt(
        _Deferred("pairs.worst_pair", "WorstPair", (None, _WIDTH)),
        0,
        "there are up to {all} {cases}, too many to look at all; a search needs no list",
        0.7,
    ),
    _Attempt(_ALL_PAIRS, 0, "the {all} {cases} fall into few groups with equal distributions", 0.5, room=_FEW_GROUPS),
    _Attempt(_ORBITS, _FEW_ORBITS, "the symmetries leave {cost} of {all} {cases}"),
)
"""Solvers that 'auto' tries then, in this order; a solver that cannot tell its cost is always tried."""


def solve(problem: Problem, method: str | Solver = "auto", budget: Budget | None = None) -> Bound:
    """Return the bound that a problem asks for.

    Parameters
    ----------
    problem
        A channel, a neighbour relation and a measure.
    method
        A solver or its name. 'auto' enumerates if there are few cases. Otherwise it tries solvers that need no channel
        (decomposition first), then a search, and, if the search passes its limit of beliefs, one case of each orbit of
        the symmetries, or all cases after all. The result's ``stats["why"]`` says which and why.
    budget
        The limits of time and beliefs, and the callback for progress.

    Raises
    ------
    ImpossibleEvidence
        The evidence has probability 0 at some input.
    NoNeighbors
        The relation relates no two inputs of the domain.
    TooLarge
        There are too many cases, and no interval is known; OutOfTime or OutOfMemory where a limit was passed.
    """
    room = budget or Budget()
    if problem.program is not None and not problem.program.conditioned and problem.relates_nothing:
        raise problem.without_neighbors()  # before anything is compiled
    if method == "auto":
        bound = _without_channel(problem, room, _BY_CELLS)
        if bound is None:
            bound = (_searched if _has_answers(problem) else _postprocessed)(problem, room)
    elif isinstance(method, str):
        bound = _named(problem, method, room)
    else:  # which is about given cases only, so that nothing can be said about all
        solver = method
        bound = _compiled(problem, room, lambda *given: _run(_willing(solver, problem), *given), open_ended=False)
    if isinstance(method, str) and not bound.exact and bound.stats.get("stopped") != "interrupted":
        known = None if method == "auto" else _without_channel(problem, room, _FOR_ENDS)
        bound = bound if known is None else narrowed(bound, problem.measure, _facts(known, problem.measure))
    if isinstance(method, str):
        bound = with_first_case(problem, bound, room)
    return bound if problem.neighbors is None else replace(bound, neighbors=problem.neighbors.name)


def _has_answers(problem: Problem) -> bool:
    """Return True if the hubs serve a problem too large to enumerate, and recognize its outputs with little work."""
    with contextlib.suppress(TautError), limits(cpu_seconds=_SECONDS_FOR_ANSWERS):  # an error that matters will be met
        if problem.program is not None and problem.work > _FEW and _hubs_serve(problem):
            _Deferred("hubs", "answers_of", (problem,))()
            return True
    return False


def _postprocessed(problem: Problem, budget: Budget) -> Bound:
    """Return the answer of post-processing if it is exact; else what others find, with ends that are no wider."""
    start = cpu_clock()
    known = _without_channel(problem, budget, _BY_RELEASE)
    if known is None:
        return _searched(problem, budget)
    if known.exact:
        return known
    slow = cpu_clock() - start >= _SOON  # as for a few inputs, so for the diagram of all
    if budget.reached is not None and _is_number(known):
        budget.reached.limit(known.upper)
        if known.witnessed:
            budget.reached.attain(known.attained, lambda: known.witness)
    if slow:
        by_hubs = _without_channel(problem, budget, _BY_HUBS_AT_ONCE)
        if by_hubs is not None and by_hubs.exact:
            return by_hubs
    try:
        found = _searched(problem, budget)
    except TooLarge as error:
        return replace(known, stats={**known.stats, "stopped": reason_of(error)})
    if found.exact:
        return found
    return narrowed(found, problem.measure, _facts(known, problem.measure)) if _is_number(known) else known


def _facts(known: Bound, measure: Measure) -> Iterator[Fact]:
    """Yield the ends of a bound; of a curve, the limit alone."""
    yield Limit(known.upper if measure.largest else known.lower, str(known.stats["why"]))
    if known.witnessed and _is_number(known):
        yield Attained(known.attained, known.witness)


def _searched(problem: Problem, budget: Budget) -> Bound:
    """Return the answer from the channel; if it is not soon exact, ask the hubs too and keep the narrower interval."""
    if not _hubs_serve(problem):
        return _compiled(problem, budget, _by_channel)
    soon = None
    with contextlib.suppress(TooLarge), limits(cpu_seconds=_SOON):
        soon = _compiled(problem, budget, _by_channel)
        if soon.exact or soon.stats.get("stopped") not in ("time_limit", None):
            return soon
    found = _without_channel(problem, budget, _BY_HUBS)
    if found is None:
        return _compiled(problem, budget, _by_channel)
    return soon if soon is not None and _width(soon) < _width(found) else found


def _hubs_serve(problem: Problem) -> bool:
    try:
        return any(one.promises(problem) and one.solver().refuses(problem) is None for one in _BY_HUBS)
    except TautError:  # an error that matters will be met again
        return False


def _width(bound: Bound) -> Any:
    """Return the width of an interval; curves have none, and all get the same number."""
    return bound.upper - bound.lower if _is_number(bound) and bound.upper != INFINITY else INFINITY


def _is_number(bound: Bound) -> bool:
    return isinstance(bound.lower, (int, float, Fraction, Ball))


def _without_channel(problem: Problem, budget: Budget, attempts: tuple[_Attempt, ...]) -> Bound | None:
    """Return the answer of the first solver that needs no channel and has one, or None."""
    for attempt in attempts:
        with contextlib.suppress(TautError), attempt.limited():  # an error that matters will be met again
            if problem.relates_nothing or not attempt.promises(problem):
                continue
            solver = attempt.solver()
            if solver.refuses(problem) is None and attempt.affordable(problem, solver.cost(problem)):
                return solver.solve(problem, budget)
    return None


def _compiled(
    problem: Problem, budget: Budget, answer: Callable[[Problem, Budget], Bound], *, open_ended: bool = True
) -> Bound:
    """Return the answer from the channel; if ``open_ended``, an interval where there was no time or memory to
    compile it.
    """
    start = time.perf_counter()
    try:
        problem.compile()
    except (OutOfTime, OutOfMemory) as error:
        if not open_ended:
            raise
        return _unfinished(problem, error, "while the diagram was being compiled")
    built = time.perf_counter() - start
    bound = answer(problem, budget)
    seconds = round(built + bound.stats.get("build_seconds", 0.0), 6)
    return replace(bound, stats={**bound.stats, "build_seconds": seconds})


def _named(problem: Problem, method: str, budget: Budget) -> Bound:
    """Return the bound by the solvers of one name: one without a channel, else the first that accepts the problem."""
    solvers = solvers_of(method)
    for solver in solvers:
        with contextlib.suppress(TautError):
            if not solver.needs_channel and not problem.relates_nothing and solver.refuses(problem) is None:
                return solver.solve(problem, budget)

    def by_channel(problem: Problem, budget: Budget) -> Bound:
        serving = [solver for solver in solvers if solver.needs_channel]
        last = serving[-1 if isinstance(problem.measure, PairMeasure) else 0]
        solver = next((solver for solver in serving if solver.refuses(problem) is None), last)
        try:
            return _run(_willing(solver, problem), problem, budget)
        except (OutOfTime, OutOfMemory, WorkersGone) as error:
            return _unfinished(problem, error, f"with method='{solver.name}'")

    return _compiled(problem, budget, by_channel)


def _willing(solver: Solver, problem: Problem) -> Solver:
    """Return the solver; raise its error if it refuses the problem."""
    refusal = solver.refuses(problem)
    if refusal is not None:
        raise refusal
    return solver


def solvers_of(method: str | Solver) -> tuple[Solver, ...]:
    """Return the solvers of the method that a user named: one per kind of measure."""
    if not isinstance(method, str):
        return (method,)
    if method not in METHODS:
        raise InvalidInput(f"method={method!r}: there are auto, {', '.join(METHODS)}.", value=method)
    return tuple([solver() for solver in METHODS[method]])


def value_classes(problem: Problem, budget: Budget, top: int | None = None) -> list[Any]:
    """Return the different values of all cases (at least the ``top`` worst), the worst first, with their counts and
    witnesses.

    All cases are enumerated or, if they are too many, one of each orbit of the symmetries.
    """
    channel = problem.channel
    if channel.inputs * (1 if problem.neighbors is None else channel.outputs) > _CELLS:
        from taut.synthesis.symmetry.solver import MOST_ORBITS, BySymmetry

        symmetry = BySymmetry()
        if symmetry.refuses(problem) is None and symmetry.cost(problem) <= MOST_ORBITS:
            return symmetry.classes(problem, budget)
    from taut.synthesis.exhaustive.solver import Exhaustive

    return Exhaustive().classes(problem, budget, top=top)


def _by_channel(problem: Problem, budget: Budget) -> Bound:
    """Try solvers until one is not stopped by its limit of beliefs."""
    try:
        problem.automaton  # noqa: B018  (costs are counted by it)
    except TautError:
        made = (one.solver() for one in _BY_CHANNEL[1:])
        first = next(solver for solver in made if solver.refuses(problem) is None)
        return _run(first, problem, budget)  # which looks at the evidence first, as every solver does
    names = {"cases": problem.measure.cases, "all": large(problem.cases)}
    tried: set[str] = set()
    failed = ""
    interval: Bound | None = None
    error: TooLarge | WorkersGone | None = None
    for attempt in _BY_CHANNEL:
        solver = attempt.solver()
        if (attempt.again and solver.name in tried) or solver.refuses(problem) is not None:
            continue
        try:
            with attempt.limited():
                cost = solver.cost(problem)
                if not attempt.affordable(problem, cost):
                    continue
                tried.add(solver.name)
                bound = _run(solver, problem, attempt.within(problem, budget))
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
    return _run(_EXHAUSTIVE(), problem, budget)


def _run(solver: Solver, problem: Problem, budget: Budget) -> Bound:
    with memory_limited():
        return solver.solve(problem, budget)


def _unfinished(problem: Problem, error: TooLarge | WorkersGone, doing: str) -> Bound:
    """Return the interval for a problem that no solver answered in time."""
    try:
        with grace(GRACE):
            automaton = problem.automaton
    except (OutOfTime, OutOfMemory):
        if problem.unrelated:
            raise
        return nothing_known(problem.measure, error, stopped_by(error, doing))
    return unfinished(problem.measure, problem.space, automaton, problem.distribution, error, doing)


def _because(bound: Bound, why: str) -> Bound:
    return replace(bound, stats={**bound.stats, "why": why})
