"""Bounds by the belief search: certified intervals, exact where the search ends by itself, with an account in words."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from taut.synthesis.search.engine import LayerStats, Progress, Search, SearchResult
from taut.synthesis.search.frontier import log_of
from taut.synthesis.search.plan import Plan, make_plan
from taut.synthesis.search.question import SearchQuestion, Track, stage_kernel
from taut.synthesis.search.witness import Path, input_path, triple, value_of

__all__ = ["BySearch", "explain"]


_MOST_LAYERS = 200
"""Number of layers that are listed; of more, some at regular distances."""


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

        Raises:
            ImpossibleEvidence: the evidence has probability 0 at some input.
            NoNeighbors: the relation relates no two inputs of the domain.
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
    """Return an interval whose attained end is not worse than the trivial one of every mechanism.

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
    """Return the related pairs of inputs (for one run, all inputs), in the order in which entries are read."""
    order = [plan.steps[step].index for step in plan.inputs]
    if problem.neighbors is None:
        return single_inputs(problem.channel.sizes, order)
    automaton = problem.neighbors.automaton(problem.channel.space, order)
    if automaton.empty:
        raise problem.without_neighbors()
    return automaton


def _require_evidence(channel: Channel, budget: Budget) -> SearchQuestion | None:
    """Refuse a mechanism whose evidence is impossible for some input, and name one.

    Returns None; or, if a limit ended the search for such inputs, the question that is left open.
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
    """Return a function that reports and keeps the interval of a search, or None."""
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


_MOST_ROWS = 12
_MOST_NODES = 64
_MOST_VALUES = 16
_MOST_STAGES = 200


def explain(question: SearchQuestion, result: SearchResult) -> str:
    """Return a page about a search: its course, its worst case, and the symmetries behind its merging."""
    return "\n".join([*_course(question, result), *_case(question, result), *_symmetries(question)])


def _course(question: SearchQuestion, result: SearchResult) -> Iterator[str]:
    plan = question.plan
    inputs = len(plan.inputs)
    steps = len(plan.steps)
    down = max((layer.cut for layer in result.layers if layer.side == "down"), default=0)
    up = steps - min((layer.cut for layer in result.layers if layer.side == "up"), default=steps)
    what = "pairs of prefixes" if question.pairs else "prefixes"
    yield (
        f"{steps} steps, {inputs} of them inputs, over cuts of at most "
        f"{max(sum(map(len, cut)) for cut in plan.cuts)} nodes."
    )
    if result.stopped is None:
        yield f"{down} steps were taken from the top and {up} from the bottom; that was all there is."
    else:
        yield f"Stopped by {result.stopped} after {down} steps from the top and {up} from the bottom."
    made, merged, kept = (sum(getattr(layer, key) for layer in result.layers) for key in ("made", "merged", "kept"))
    yield f"{made} {what} and suffixes were met, {merged} after merging, {kept} after closing and pruning."
    rows = _chosen(result.layers)
    units = 0.0 if question.pairs or question.conditioned else log_of(plan.factor)
    if rows:
        yield ""
        yield f"{'step':>6} {'side':>5} {'met':>9} {'merged':>9} {'kept':>9} {'beliefs':>9}   open bound"
    for layer in rows:
        bound = "" if layer.bound is None else _exponential(layer.bound + units)
        yield (
            f"{layer.cut:>6} {layer.side:>5} {layer.made:>9} {layer.merged:>9} {layer.kept:>9} "
            f"{layer.beliefs:>9}   {bound}".rstrip()
        )
    if rows:
        yield ""


def _exponential(power: float) -> str:
    return f"{math.exp(power):.10g}" if abs(power) < 700 else f"e^{power:.10g}"


def _chosen(layers: Sequence[LayerStats]) -> list[LayerStats]:
    """Return the largest layers, in the order in which they were made."""
    if len(layers) <= _MOST_ROWS:
        return list(layers)
    bar = sorted((layer.made for layer in layers), reverse=True)[_MOST_ROWS - 1]
    return [layer for layer in layers if layer.made >= bar][:_MOST_ROWS]


def _case(question: SearchQuestion, result: SearchResult) -> Iterator[str]:
    plan = question.plan
    names = [variable.name for variable in plan.relation.inputs]
    if question.pairs:
        x, x_prime, _ = triple(question, result.path)
        differ = [name for name, own, other in zip(names, x, x_prime, strict=True) if own != other]
        yield f"The worst pair that it met differs in {_listing(differ)}."
    read = question.inputs_above[result.decided_at]
    if read == 0:
        yield "Its value was decided before any input was read."
    else:
        last = plan.steps[plan.inputs[read - 1]].index
        yield f"Its value was decided behind {names[last]}, the input read as number {read} of {len(plan.inputs)}."


def _listing(names: Sequence[str]) -> str:
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _symmetries(question: SearchQuestion) -> Iterator[str]:
    """Yield runs of inputs whose order does not matter; each exchange of two inputs in a row is checked."""
    plan = question.plan
    names = [plan.relation.inputs[plan.steps[index].index].name for index in plan.inputs]
    if len(names) > _MOST_STAGES:
        return
    swaps = [_exchange(question, number) for number in range(len(names) - 1)]
    start = 0
    while start < len(swaps):
        kind = swaps[start]
        stop = start
        while stop < len(swaps) and swaps[stop] == kind:
            stop += 1
        if kind is not None:
            span = f"{names[start]} to {names[stop]}" if stop > start + 1 else f"{names[start]} and {names[stop]}"
            yield f"The order of {span} does not matter{kind}."
        start = stop


def _exchange(question: SearchQuestion, number: int) -> str | None:
    """Return True if two inputs read one after the other can be exchanged, and under which condition, in words."""
    plan = question.plan
    starts = [*plan.inputs, len(plan.steps)]
    first, second, stop = starts[number], starts[number + 1], starts[number + 2]
    values = [plan.relation.inputs[plan.steps[index].index].values for index in (first, second)]
    cut = plan.cuts[first]
    if values[0] != values[1] or len(values[0]) > _MOST_VALUES or sum(map(len, cut)) > _MOST_NODES:
        return None
    for block, nodes in enumerate(cut):
        for node in range(len(nodes)):
            for a in range(len(values[0])):
                for b in range(a + 1, len(values[0])):
                    there = _both(question, first, second, stop, block, node, a, b)
                    back = _both(question, first, second, stop, block, node, b, a)
                    if there is None or back is None:
                        return None
                    if there != {(two, one, after): mass for (one, two, after), mass in back.items()}:
                        return None
    kinds = {step.kind for step in plan.steps[first:stop]}
    if "output" in kinds:
        return ", each together with its output"
    return ", as long as the output is not settled there" if "settle" in kinds else ""


def _both(
    question: SearchQuestion, first: int, second: int, stop: int, block: int, node: int, a: int, b: int
) -> dict[tuple[object, object, int], object] | None:
    """Return the masses behind two stages, by the outputs of the first, those of the second, and the block reached."""
    plan = question.plan
    masses: dict[tuple[object, object, int], object] = {}
    one = stage_kernel(plan, first, second, block, {node: 1}, a)
    if one is None:
        return None
    for outputs, (where, belief) in one.items():
        if where < 0:
            continue
        two = stage_kernel(plan, second, stop, where, belief, b)
        if two is None:
            return None
        for others, (after, mass) in two.items():
            if after >= 0:
                key = (_unsettled(question, first, second, outputs), _unsettled(question, second, stop, others), after)
                masses[key] = mass
    return masses


def _unsettled(question: SearchQuestion, start: int, stop: int, outputs: tuple[int, ...]) -> tuple[object, ...]:
    """Return outputs by value, without settlements, which stay undecided."""
    plan = question.plan
    steps = [step for step in plan.steps[start:stop] if step.kind in ("output", "settle")]
    return tuple(
        plan.relation.outputs[step.index].values[choice]
        for step, choice in zip(steps, outputs, strict=False)
        if step.kind == "output"
    )
