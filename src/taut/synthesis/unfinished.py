"""Certified intervals of problems when time or memory ended before a solver had an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.neighbors import PairAutomaton
from taut.program.domains import InputSpace
from taut.questions.bound import Bound
from taut.questions.loss import loss_between
from taut.questions.measure import Measure, OutputMeasure
from taut.questions.pair_measure import PairCase, PairMeasure
from taut.support.errors import NoNeighbors, OutOfMemory, OutOfTime, TooLarge, WorkersGone
from taut.support.limits import checkpoint, grace, reason_of

__all__ = ["GRACE", "ended", "from_some", "limit_passed", "nothing_known", "stopped_by", "unfinished"]

_FEW_OUTCOMES = 4096
"""Limit for the outputs of an input that are listed to find a first case."""
GRACE = 0.7
"""Seconds for looking at a few cases."""
_CASES = 256
_FEW_PAIRS = 8
"""Number of pairs that a measure is evaluated on after a limit was passed."""

Distribution = Callable[[Any, int], Mapping[Any, Any]]


@dataclass
class _Best:
    """The worst case that has been met."""

    value: Any
    inputs: Sequence[Any]
    y: Any


def unfinished(
    measure: Measure,
    space: InputSpace,
    automaton: PairAutomaton,
    distribution: Distribution,
    error: TooLarge | WorkersGone,
    doing: str,
) -> Bound:
    """Return the interval between the worst of a few cases and the measure's own limit.

    Parameters:
        measure, space, automaton: the measure, the inputs, and the pairs of inputs.
        distribution: the distribution of the output on an input; TooLarge where it has more than so many outputs.
        error: the error that ended the work; raised again if the measure has no limit of its own.
        doing: the work that was interrupted, for the reason in ``stats``.

    Raises:
        OutOfTime, OutOfMemory, WorkersGone: no interval is known.
    """
    stats = stopped_by(error, doing)
    pairs: dict[Any, PairCase] = {}
    best: _Best | None = None
    try:
        with grace(GRACE):
            for inputs in _cases(measure, space, automaton):
                if isinstance(measure, PairMeasure):
                    loss = loss_between(*inputs, *[distribution(x, _FEW_OUTCOMES) for x in inputs])
                    pairs.setdefault(loss.atoms, PairCase(loss, 1))
                elif isinstance(measure, OutputMeasure) and measure.extremes is not None:
                    for case in _values(measure, inputs, distribution):
                        if best is None or measure.worse(case.value, best.value):
                            best = case
    except TooLarge:
        pass
    if isinstance(measure, PairMeasure) and pairs:
        with grace(GRACE):
            return measure.worst([*pairs.values()][:_FEW_PAIRS], False, method="a few cases", stats=stats)
    if best is not None:
        return from_some(measure, best.value, measure.witness(best.inputs, best.y), "a few cases", stats)
    return nothing_known(measure, error, stats)


def stopped_by(error: TooLarge | WorkersGone | KeyboardInterrupt, doing: str) -> dict[str, Any]:
    """Return the statistics of a bound that was not finished."""
    told = f"{ended(error)} {doing}; only a few cases were looked at, and no bound on all of them was found"
    return {"stopped": reason_of(error), "why": told}


def nothing_known(
    measure: Measure, error: TooLarge | WorkersGone | KeyboardInterrupt, stats: Mapping[str, Any]
) -> Bound:
    """Return the interval that holds for every mechanism; the error again if the measure has none."""
    found = measure.unknown(method="none", stats=stats)
    if found is None:
        raise error
    return found


def from_some(measure: Measure, value: Any, witness: Any, method: str, stats: Mapping[str, Any]) -> Bound:
    """Return the interval between the worst value of some cases, None if there is none, and the measure's own limit."""
    assert measure.extremes is not None
    least, most = measure.extremes if measure.largest else measure.extremes[::-1]
    if value is None or measure.worse(least, value):
        return replace(measure.bound(least, most, method="none", stats=stats), witnessed=False)
    return measure.bound(value, value if value == most else most, method=method, stats=stats, witness=witness)


def limit_passed(error: TooLarge | KeyboardInterrupt, max_beliefs: int) -> str:
    """Return the limit at which a search stopped; that of beliefs, if the error is of no other."""
    plain = isinstance(error, TooLarge) and not isinstance(error, (OutOfTime, OutOfMemory))
    return f"max_beliefs={max_beliefs}" if plain else reason_of(error)


def ended(error: TooLarge | WorkersGone | KeyboardInterrupt) -> str:
    """Return the reason for a stop, in words."""
    words = {"time_limit": "time ran out", "max_memory": "memory ran out", "interrupted": "this was interrupted"}
    if isinstance(error, WorkersGone):
        return f"the cluster was lost ({error.value})"
    return words[reason_of(error)]


def _cases(measure: Measure, space: InputSpace, automaton: PairAutomaton) -> Iterator[list[Any]]:
    """Yield some inputs or related pairs: the first, the last, then pseudo-random ones with a fixed seed."""
    if automaton.empty:
        raise NoNeighbors("the relation relates no two inputs.", value=automaton)
    source = random.Random(0)
    picks: list[Callable[[int], int]] = [lambda _: 0, lambda count: count - 1]
    for pick in [*picks, *[source.randrange] * _CASES]:
        checkpoint()
        state = automaton.states[0][0]
        sides: list[dict[int, int]] = [{}, {}]
        for entry, layer in zip(automaton.order, automaton.transitions, strict=True):
            ways = layer[state]
            chosen = ways[pick(len(ways))]
            sides[0][entry], sides[1][entry], state = chosen.value, chosen.other, chosen.state
        yield [space.at([side[entry] for entry in sorted(side)]) for side in sides[: measure.runs]]


def _values(measure: OutputMeasure, inputs: Sequence[Any], distribution: Distribution) -> Iterator[_Best]:
    """Yield the cases of some inputs, with their values."""
    runs = [distribution(x, _FEW_OUTCOMES) for x in inputs]
    if measure.runs == 1:
        yield _Best(measure.value(runs[0].get(True, 0)), inputs, None)
        return
    for y in runs[0]:
        yield _Best(measure.value(runs[0][y], runs[1].get(y, 0)), inputs, y)
