"""Account of a search in words; symmetries are named only where they were checked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from taut.synthesis.search.engine import LayerStats, SearchResult
from taut.synthesis.search.kernel import stage_kernel
from taut.synthesis.search.pool import log_of
from taut.synthesis.search.question import SearchQuestion
from taut.synthesis.search.witness import triple

__all__ = ["explain"]

_MOST_ROWS = 12
_MOST_NODES = 64
_MOST_VALUES = 16
_MOST_STAGES = 200


def explain(question: SearchQuestion, result: SearchResult) -> str:
    """A page about a search: how it went, where its worst case lies, and what the merging rests on."""
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
    """The largest layers, in the order in which they were made."""
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
    """Runs of inputs whose order does not matter: neighbours in the order of reading, each exchange checked."""
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
    """The masses behind two stages, by the outputs of the first, those of the second, and the block reached."""
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
    """Outputs by value, without settlements, which stay undecided."""
    plan = question.plan
    steps = [step for step in plan.steps[start:stop] if step.kind in ("output", "settle")]
    return tuple(
        plan.relation.outputs[step.index].values[choice]
        for step, choice in zip(steps, outputs, strict=False)
        if step.kind == "output"
    )
