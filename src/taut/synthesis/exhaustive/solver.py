"""Enumeration of every case: all inputs or related pairs, and all outputs, with classes of values and their counts."""

from __future__ import annotations

import functools
import itertools
import math
import time
from typing import Any

from taut.inference.channel import Channel
from taut.neighbors import single_inputs
from taut.questions.accuracy import InputMeasure
from taut.questions.bound import Bound, Interval
from taut.questions.measure import Measure, OutputMeasure
from taut.support.errors import OutOfMemory, OutOfTime, TautError, TooLarge, WorkersGone
from taut.support.exact import large
from taut.support.limits import reason_of, remaining
from taut.support.parallel.executors import current_executor, width
from taut.support.parallel.pieces import mapped
from taut.synthesis.exhaustive import (
    AllCases,
    AllInputs,
    Cut,
    Found,
    add,
    look_at,
    look_at_inputs,
    merge,
    merged_cases,
    require_all_evidence,
    worst_first,
    worst_value,
)
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.unfinished import ended, from_some
from taut.synthesis.walk import CaseOrder

__all__ = ["Exhaustive"]

_LOOKED_AT = 1 << 32
"""Number of cases up to which each is evaluated; beyond, cases with equal futures are counted together."""
_BY_ONE = 1 << 40
"""Number of cases that take one process about an hour; more are begun only under a time limit."""
_FINE = 1 << 14
"""Probabilities of a piece, if they are likely to be all different."""
_MOST_OUTPUTS = 1 << 26


class Exhaustive:
    """Compares all cases in tables of probabilities; equal probabilities share a number and are compared once.

    Cases are cut into pieces, which an executor may evaluate. The answer does not depend on the workers: values and
    counts of pieces are merged, and of equally bad cases the first one by ``CaseOrder`` is shown. Stopped after some
    pieces, the answer is the interval that these leave.
    """

    name = "exhaustive"
    needs_channel = True

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name, InputMeasure)

    def cost(self, problem: Problem) -> int | None:
        return problem.cases

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        channel, measure = problem.channel, problem.measure
        stats: dict[str, Any] = {
            "nodes": channel.relation.arrays.size,
            "inputs": channel.inputs,
            "probabilities": channel.inputs * (1 if _one_output(measure) else channel.outputs),
        }
        worst = self._classes(problem, budget, stats, 1, some=measure.extremes is not None)[0]
        if "stopped" in stats:
            return from_some(measure, worst.value, worst.witness, self.name, stats)
        return measure.bound(
            worst.value, worst.value, method=self.name, stats=stats, witness=worst.witness, count=worst.count
        )

    def classes(
        self, problem: Problem, budget: Budget, stats: dict[str, Any] | None = None, top: int | None = None
    ) -> list[Any]:
        """Return the different values of all cases, the worst first, each with its exact count; at least the ``top``
        worst.

        Figures of the work are written to ``stats``.
        """
        return self._classes(problem, budget, {} if stats is None else stats, top, some=False)

    def _classes(
        self, problem: Problem, budget: Budget, about: dict[str, Any], top: int | None, some: bool
    ) -> list[Any]:
        """Return the same; with ``some``, finished pieces are enough, and ``about`` records why there are no more."""
        channel, measure = problem.channel, problem.measure
        if channel.conditioned:
            require_all_evidence(channel, budget.max_beliefs)
        if isinstance(measure, InputMeasure):
            return _input_classes(channel, measure, budget, about)
        assert isinstance(measure, OutputMeasure)
        watched = measure.fixed_outputs(channel)
        if watched is None:
            first = measure.witness([channel.x([0] * len(channel.values))], None)
            return measure.classes([(channel.zero, channel.inputs, lambda: first)])
        if problem.automaton.empty:
            raise problem.without_neighbors()
        outputs = [len(output.values) for output in channel.relation.outputs]
        order = problem.order(outputs)
        found: Found | None = None
        if problem.cases > _LOOKED_AT:
            found = _counted_together(problem, measure, order, watched, budget, about)
        if found is None:
            _require_time(problem)
            found = _looked_at(problem, measure, order, watched, budget, about, top, some)
        return worst_first(found, measure, functools.partial(_witness, measure, channel, order))


def _one_output(measure: Measure) -> bool:
    """Return True if every case is about one and the same output."""
    return measure.runs == 1 and isinstance(measure, OutputMeasure)


def _looked_at(
    problem: Problem,
    measure: OutputMeasure,
    order: CaseOrder,
    watched: Any,
    budget: Budget,
    about: dict[str, Any],
    top: int | None,
    some: bool,
) -> Found:
    """Return the values of all cases, piece by piece; stopped, of those that were looked at, if ``some`` are enough."""
    cut = Cut.of(order.sizes, order.outputs, watched, measure.runs)
    try:
        return _in_pieces(problem, measure, order, cut, budget, about, top, some)
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        cut = _fine(order, watched, measure, budget)
        return _in_pieces(problem, measure, order, cut, budget, about, top, some)


def _fine(order: CaseOrder, watched: Any, measure: OutputMeasure, budget: Budget) -> Cut:
    """Return a partition into pieces that stays within the limit even if all beliefs differ."""
    return Cut.of(order.sizes, order.outputs, watched, measure.runs, min(_FINE, budget.max_beliefs))


def _in_pieces(
    problem: Problem,
    measure: OutputMeasure,
    order: CaseOrder,
    cut: Cut,
    budget: Budget,
    about: dict[str, Any],
    top: int | None,
    some: bool,
) -> Found:
    """Return the values of all cases, by one way to cut them."""
    channel = problem.channel
    cases = AllCases(
        channel.relation if current_executor() is None else channel.relation.in_positions(),
        channel.conditioned,
        problem.automaton,
        measure,
        cut,
        order,
        budget.max_beliefs,
        top,
    )
    found: Found = {}
    seconds = [0.0, 0.0]
    done = 0
    try:
        for _, looked in mapped(look_at, cases, cut, cut.count):
            done += 1
            found = merge(found, looked.found, measure, top)
            seconds = [seconds[0] + looked.tables, seconds[1] + looked.comparisons]
            if budget.progress is not None:
                budget.progress(_so_far(measure, found, done, cut.count))
            if budget.reached is not None and some:
                worst = worst_value(found, measure)
                if worst is not None:
                    budget.reached.attain(worst, functools.partial(_witness, measure, channel, order, found[worst][1]))
    except (OutOfTime, OutOfMemory, WorkersGone, KeyboardInterrupt) as error:
        if not some or not found:
            raise
        about["stopped"] = reason_of(error)
        about["why"] = f"{ended(error)} with method='exhaustive' after {done} of {large(cut.count)} pieces"
    if cut.count > 1:
        about["pieces"] = cut.count
    about["inference_seconds"], about["synthesis_seconds"] = (round(one, 6) for one in seconds)
    return found


def _require_time(problem: Problem) -> None:
    """Refuse work of many hours unless a time limit is set."""
    executor = current_executor()
    most = _BY_ONE * (1 if executor is None else width(executor))
    if problem.cases > most and math.isinf(remaining()):
        raise TooLarge(
            f"'{problem.channel.name}' has {large(problem.cases)} {problem.measure.cases}, and they cannot be counted "
            "together; to look at all of them would take hours, or for ever. Use method='search' or 'auto', which look "
            "at few; give a time_limit, after which there is an interval; or make the domain smaller.",
            value=problem.cases,
        )


def _so_far(measure: OutputMeasure, found: Found, done: int, total: int) -> Interval:
    """Return the progress of the work, with the worst value so far where the bound will show it."""
    worst = None if measure.extremes is None else worst_value(found, measure)
    return Interval(done, total, worst, None) if measure.largest else Interval(done, total, None, worst)


def _counted_together(
    problem: Problem, measure: OutputMeasure, order: CaseOrder, watched: Any, budget: Budget, about: dict[str, Any]
) -> Found | None:
    """Return the values of all cases, those with one future counted together; None if too many of them have not."""
    channel, start = problem.channel, time.perf_counter()
    entries = channel.reading_order
    if problem.neighbors is None:
        automaton = single_inputs(channel.sizes, entries)
    else:
        automaton = problem.neighbors.automaton(channel.space, entries)
    found: Found = {}
    try:
        cases = merged_cases(
            channel.relation,
            automaton,
            order,
            watched,
            budget.max_beliefs,
            runs=measure.runs,
            conditioned=channel.conditioned,
        )
        for masses, count, first in cases:
            shares = masses[: measure.runs]
            if channel.conditioned:
                shares = tuple(mass / share for mass, share in zip(shares, masses[measure.runs :], strict=True))
            add(found, measure.value(*shares), count, first)
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        return None
    about["inference_seconds"] = round(time.perf_counter() - start, 6)
    return found


def _witness(measure: OutputMeasure, channel: Channel, order: CaseOrder, number: int) -> Any:
    """Return the case with a number."""
    x, x_prime, y = order.case(number)
    return measure.witness([channel.x(positions) for positions in (x, x_prime)[: measure.runs]], channel.y(y))


def _input_classes(channel: Channel, measure: InputMeasure, budget: Budget, about: dict[str, Any]) -> list[Any]:
    """Return the different values of all inputs, each different distribution looked at once."""
    if channel.outputs > _MOST_OUTPUTS:
        raise TooLarge(
            f"'{channel.name}' has {large(channel.outputs)} outputs, too many to look at whole distributions (at most "
            f"{_MOST_OUTPUTS}).",
            value=channel.outputs,
        )
    start = time.perf_counter()
    relation = channel.relation if current_executor() is None else channel.relation.in_positions()
    inputs = AllInputs(relation, channel.conditioned, budget.max_beliefs)
    outputs = [channel.y(y) for y in itertools.product(*(range(len(o.values)) for o in channel.relation.outputs))]
    rows: dict[tuple[Any, ...], tuple[int, int]] = {}
    for done, (_, looked) in enumerate(mapped(look_at_inputs, inputs, inputs, inputs.count), 1):
        for masses, count, first in looked:
            known = rows.get(masses, (0, first))
            rows[masses] = (known[0] + count, min(known[1], first))
        if budget.progress is not None:
            budget.progress(Interval(done, inputs.count, None, None))
    about["inference_seconds"] = round(time.perf_counter() - start, 6)
    found: Found = {}
    for masses, counted in rows.items():
        distribution = {y: mass for y, mass in zip(outputs, masses, strict=True) if mass}
        add(found, measure.value(distribution), *counted)
    about["synthesis_seconds"] = round(time.perf_counter() - start - about["inference_seconds"], 6)
    return worst_first(found, measure, functools.partial(_input, measure, channel))


def _input(measure: Measure, channel: Channel, position: int) -> Any:
    """Return the input at a position among all inputs."""
    x, _, _ = CaseOrder(tuple(channel.sizes), ()).case(position)
    return measure.witness([channel.x(x)], None)
