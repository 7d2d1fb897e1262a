"""Bounds by the belief search: certified intervals, exact where the search ends by itself."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import flint

from taut.inference.channel import Channel
from taut.neighbors import PairAutomaton, single_inputs
from taut.questions.bound import Bound, Interval
from taut.questions.measure import OutputMeasure
from taut.support.errors import TautError
from taut.support.exact import INFINITY, Ball, in_precision
from taut.support.process import collector_paused
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.search import (
    Plan,
    Progress,
    Search,
    SearchQuestion,
    SearchResult,
    Track,
    explain,
    input_path,
    make_plan,
    triple,
    value_of,
)
from taut.synthesis.search.witness import Path

__all__ = ["BySearch"]

_MOST_LAYERS = 200
"""Layers that are listed; of more, some in regular distances."""


class BySearch:
    """Beliefs and functionals merged, pruned and met in the middle; no list of inputs is made."""

    name = "search"
    needs_channel = True

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name)

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """Return the bound, or the interval reached at the time limit, ``max_beliefs`` or Ctrl-C.

        Raises
        ------
        ImpossibleEvidence
            What the mechanism observes has probability 0 at some input.
        NoNeighbors
            The relation relates no two inputs of the domain.
        """
        start = time.perf_counter()
        channel, measure = problem.channel, problem.measure
        assert isinstance(measure, OutputMeasure)
        with collector_paused(), in_precision():
            evidence = _require_evidence(channel, budget) if channel.conditioned else None
            plan = _plan(channel, measure)
            if plan is None:
                nodes = {"nodes": channel.relation.arrays.size}
                first = measure.witness([channel.x([0] * len(channel.values))], None)
                return measure.bound(channel.zero, channel.zero, method=self.name, stats=nodes, witness=first)
            automaton = _automaton(problem, plan)
            tracks = [Track(run, False, power) for run, power in enumerate(measure.exponents)]
            factor = plan.factor ** sum(measure.exponents)
            if channel.conditioned:
                tracks += [Track(run, True, -power) for run, power in enumerate(measure.exponents)]
                factor = Fraction(1)
            question = SearchQuestion(plan, automaton, tuple(tracks), measure.largest)
            report = _reporter(problem, budget, question, factor)
            result = Search(question, budget.max_beliefs, report).run()
            *runs, outputs = triple(question, result.path)
            if evidence is not None:
                for x in runs[: measure.runs]:
                    _require_mass(channel, evidence, x)
            y = channel.y(outputs)
            witness = measure.witness([channel.x(x) for x in runs[: measure.runs]], y)
            attained, limit = _number(result.value) * factor, _number(result.bound) * factor
        stats = _stats(question, result, time.perf_counter() - start)
        account = functools.partial(explain, question, result)
        bound = measure.bound(attained, limit, method=self.name, stats=stats, witness=witness, account=account)
        return bound if result.stopped is None else _at_least_trivial(problem, bound)


def _at_least_trivial(problem: Problem, bound: Bound) -> Bound:
    """An interval whose attained end is no better than what every mechanism attains.

    Where x and x' may be exchanged, a case with a ratio below 1 has one above 1 the other way round.
    """
    measure = problem.measure
    if measure.extremes is None or measure.runs < 2 or not measure.worse(measure.extremes[0], bound.attained):
        return bound
    if not problem.automaton.symmetric:
        return replace(bound, lower=measure.extremes[0], witnessed=False)
    x, x_prime, y = (getattr(bound.witness, part.name) for part in fields(bound.witness))
    lower = INFINITY if bound.lower == 0 else 1 / bound.lower
    upper = max(lower, bound.upper) if lower == INFINITY else bound.upper
    witness = measure.witness([x_prime, x], y)
    return measure.bound(lower, upper, method=bound.method, stats=bound.stats, witness=witness, account=bound.account)


def _plan(channel: Channel, measure: OutputMeasure) -> Plan | None:
    """Plan the search through the relation; return None if the outputs that count never occur."""
    watched = measure.fixed_outputs(channel)
    if watched is None:
        return None
    plan = make_plan(channel.relation, fixed=watched, evidence=channel.conditioned)
    return plan if plan.cuts[0] else None


def _automaton(problem: Problem, plan: Plan) -> PairAutomaton:
    """The pairs of inputs that are related (for one run, all inputs), in the order in which the plan reads entries."""
    order = [plan.steps[step].index for step in plan.inputs]
    if problem.neighbors is None:
        return single_inputs(problem.channel.sizes, order)
    automaton = problem.neighbors.automaton(problem.channel.space, order)
    if automaton.empty:
        raise problem.without_neighbors()
    return automaton


def _require_evidence(channel: Channel, budget: Budget) -> SearchQuestion | None:
    """Refuse a mechanism whose evidence is impossible for some input, and name one.

    Returns None; or, if the time or the room was not enough to look for such inputs, the question that is left open.
    """
    plan = make_plan(channel.relation, evidence=True)
    order = [plan.steps[step].index for step in plan.inputs]
    question = SearchQuestion(plan, single_inputs(channel.sizes, order), (Track(0, True, 1),), False)
    if not plan.cuts[0]:
        raise channel.impossible(channel.x([0] * len(channel.values)))
    result = Search(question, budget.max_beliefs).run()
    if result.value == 0:
        raise channel.impossible(channel.x(triple(question, result.path)[0]))
    if result.stopped == "interrupted":
        raise KeyboardInterrupt
    return question if result.stopped is not None and result.bound == 0 else None


def _require_mass(channel: Channel, evidence: SearchQuestion, x: Sequence[int]) -> None:
    """Refuse one input whose evidence is impossible."""
    if value_of(evidence, input_path(evidence, x)) == 0:
        raise channel.impossible(channel.x(x))


def _number(value: Any) -> Any:
    """Convert a number of the search into one of results."""
    if value is None or value == math.inf:
        return INFINITY
    if isinstance(value, flint.fmpq):
        return Fraction(int(value.p), int(value.q))
    return Ball(value) if isinstance(value, flint.arb) else Fraction(value)


def _reporter(
    problem: Problem, budget: Budget, question: SearchQuestion, factor: Any
) -> Callable[[Progress], None] | None:
    """A function that reports and keeps the interval of a search, or None."""
    channel, measure, give, reached = problem.channel, problem.measure, budget.progress, budget.reached
    if give is None and reached is None:
        return None

    def located(path: Path) -> Any:
        *runs, outputs = triple(question, path)
        return measure.witness([channel.x(x) for x in runs[: measure.runs]], channel.y(outputs))

    def tell(progress: Progress) -> None:
        value = None if progress.value is None else _number(progress.value) * factor
        bound = None if progress.bound is None else _number(progress.bound) * factor
        lower, upper = (value, bound) if measure.largest else (bound, value)
        if give is not None:
            give(Interval(progress.done, progress.total, lower, upper))
        if reached is not None and not channel.conditioned:  # whose evidence is checked at the end
            if progress.path is not None:
                reached.attain(value, functools.partial(located, progress.path))
            if bound is not None:
                reached.limit(bound)

    return tell


def _stats(question: SearchQuestion, result: SearchResult, seconds: float) -> Mapping[str, Any]:
    plan = question.plan
    return {
        "nodes": plan.relation.arrays.size,
        "steps": len(plan.steps),
        "widest_cut": max(sum(len(block) for block in cut) for cut in plan.cuts),
        "items": sum(layer.made for layer in result.layers),
        "items_after_merging": sum(layer.merged for layer in result.layers),
        "items_after_pruning": sum(layer.kept for layer in result.layers),
        "largest_layer": max((layer.kept for layer in result.layers), default=0),
        "met_at_step": result.decided_at,
        "stopped": result.stopped,
        "search_seconds": round(seconds, 6),
        "layers": [
            {
                "step": layer.cut,
                "side": layer.side,
                "made": layer.made,
                "merged": layer.merged,
                "kept": layer.kept,
                "beliefs": layer.beliefs,
                "open_bound": layer.bound,
            }
            for layer in result.layers[:: max(1, -(-len(result.layers) // _MOST_LAYERS))]
        ],
    }
