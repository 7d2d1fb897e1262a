"""Bounds by the belief search: certified intervals, exact where the search ends by itself."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from taut.bounds.results import AccuracyBound, AccuracyWitness, PrivacyBound, Witness
from taut.channel.channel import Channel
from taut.errors import ImpossibleEvidence, NoNeighbors
from taut.garbage import collector_paused
from taut.neighbors import Neighbors, single_inputs
from taut.numbers import INFINITY, Ball, in_precision
from taut.solvers.search import (
    Plan,
    Progress,
    Question,
    Search,
    SearchResult,
    Track,
    explain,
    input_path,
    make_plan,
    triple,
    value_of,
)

__all__ = ["Interval", "searched_accuracy", "searched_privacy"]

_MOST_LAYERS = 200
"""Layers that are listed; of more, some in regular distances."""
Report = Callable[["Interval"], None]


@dataclass(frozen=True)
class Interval:
    """How far a search is: steps done, steps in all, and the certified interval so far (None: not known yet)."""

    done: int
    total: int
    lower: Any
    upper: Any


def searched_privacy(
    channel: Channel,
    neighbors: Neighbors,
    deadline: float | None = None,
    report: Report | None = None,
) -> PrivacyBound:
    """The bound by search.

    Raises:
        NoNeighbors: the relation relates no two inputs of the domain.
        ImpossibleEvidence: what the mechanism observes has probability 0 at some input.
    """
    start = time.perf_counter()
    with collector_paused(), in_precision():
        plan = make_plan(channel.relation, evidence=channel.conditioned)
        order = [plan.steps[place].index for place in plan.inputs]
        pairing = neighbors.automaton(channel.space, order)
        if pairing.empty:
            raise NoNeighbors(
                f"neighbors='{neighbors.name}' relates no two inputs of '{channel.name}'.", value=neighbors
            )
        tracks: tuple[Track, ...] = (Track(0, False, 1), Track(1, False, -1))
        evidence = None
        if channel.conditioned:
            evidence = _require_evidence(channel, plan, deadline)
            tracks = (*tracks, Track(0, True, -1), Track(1, True, 1))
        question = Question(plan, pairing, tracks, True)
        found = Search(question, channel.max_beliefs, deadline, _reporter(report, Fraction(1), largest=True)).run()
        x, x_prime, outputs = triple(question, found.path)
        if evidence is not None:
            _require_mass(channel, evidence, x)
            _require_mass(channel, evidence, x_prime)
        witness = Witness(channel.x(x), channel.x(x_prime), channel.y(outputs))
        lower, upper = _number(found.value), _number(found.bound)
    stats = _stats(question, found, time.perf_counter() - start)
    account = functools.partial(explain, question, found)
    return PrivacyBound(lower, upper, "search", stats, None, account=account, witness=witness)


def searched_accuracy(
    channel: Channel,
    alpha: Any,
    deadline: float | None = None,
    report: Report | None = None,
    *,
    best: bool = False,
) -> AccuracyBound:
    """The smallest probability of coming close, by search (or the largest, for the best case)."""
    start = time.perf_counter()
    (output,) = channel.relation.outputs
    with collector_paused(), in_precision():
        evidence = None
        if channel.conditioned:
            evidence = _require_evidence(channel, make_plan(channel.relation, evidence=True), deadline)
        if True not in output.values or len(output.values) == 1:
            return _certainly(channel, Fraction(int(True in output.values)), alpha, best=best)
        close = output.values.index(True)
        plan = make_plan(channel.relation, fixed={0: close}, evidence=channel.conditioned)
        if not plan.cuts[0]:
            return _certainly(channel, Fraction(0), alpha, best=best)
        order = [plan.steps[place].index for place in plan.inputs]
        pairing = single_inputs(channel.sizes, order)
        tracks: tuple[Track, ...] = (Track(0, False, 1),)
        factor = plan.factor
        if channel.conditioned:
            tracks = (*tracks, Track(0, True, -1))
            factor = Fraction(1)
        question = Question(plan, pairing, tracks, best)
        found = Search(question, channel.max_beliefs, deadline, _reporter(report, factor, largest=best)).run()
        x, _, _ = triple(question, found.path)
        if evidence is not None:
            _require_mass(channel, evidence, x)
        attained, bound = _number(found.value) * factor, _number(found.bound) * factor
        if bound == INFINITY or (bound.lower if isinstance(bound, Ball) else bound) > 1:
            bound = Fraction(1)  # the best numerator over the least evidence need not be a probability
    lower, upper = (attained, bound) if best else (bound, attained)
    stats = _stats(question, found, time.perf_counter() - start)
    account = functools.partial(explain, question, found)
    witness = AccuracyWitness(channel.x(x))
    return AccuracyBound(lower, upper, "search", stats, None, account=account, alpha=alpha, witness=witness, best=best)


def _certainly(channel: Channel, probability: Fraction, alpha: Any, *, best: bool) -> AccuracyBound:
    """The bound of an event that is the same for all inputs."""
    first = AccuracyWitness(channel.x([0] * len(channel.values)))
    stats = {"nodes": channel.relation.arrays.size}
    return AccuracyBound(probability, probability, "search", stats, None, alpha=alpha, witness=first, best=best)


def _require_evidence(channel: Channel, plan: Plan, deadline: float | None) -> Question | None:
    """Refuse a mechanism whose evidence is impossible for some input, and name one.

    Returns:
        None; or, if the time or the room was not enough to look for such inputs, the question that is left open.

    Raises:
        ImpossibleEvidence: there is such an input.
    """
    order = [plan.steps[place].index for place in plan.inputs]
    question = Question(plan, single_inputs(channel.sizes, order), (Track(0, True, 1),), False)
    if not plan.cuts[0]:
        raise _impossible(channel, [0] * len(channel.values))
    found = Search(question, channel.max_beliefs, deadline).run()
    if found.value == 0:
        raise _impossible(channel, triple(question, found.path)[0])
    if found.stopped == "interrupted":
        raise KeyboardInterrupt
    return question if found.stopped is not None and found.bound == 0 else None


def _require_mass(channel: Channel, evidence: Question, x: Sequence[int]) -> None:
    """Refuse one input whose evidence is impossible."""
    if value_of(evidence, input_path(evidence, x)) == 0:
        raise _impossible(channel, x)


def _impossible(channel: Channel, positions: Sequence[int]) -> ImpossibleEvidence:
    x = channel.x(positions)
    return ImpossibleEvidence(
        f"'{channel.name}': what it observes has probability 0 at x={x!r}, so it has no distribution there.", value=x
    )


def _number(value: Any) -> Any:
    """What the search computes with, as the numbers of results."""
    if value is None or value == INFINITY:
        return INFINITY
    if isinstance(value, flint.fmpq):
        return Fraction(int(value.p), int(value.q))
    return Ball(value) if isinstance(value, flint.arb) else Fraction(value)


def _reporter(report: Report | None, factor: Any, *, largest: bool) -> Callable[[Progress], None] | None:
    if report is None:
        return None
    give = report

    def tell(progress: Progress) -> None:
        value = None if progress.value is None else _number(progress.value) * factor
        bound = None if progress.bound is None else _number(progress.bound) * factor
        lower, upper = (value, bound) if largest else (bound, value)
        give(Interval(progress.done, progress.total, lower, upper))

    return tell


def _stats(question: Question, found: SearchResult, seconds: float) -> Mapping[str, Any]:
    plan = question.plan
    return {
        "nodes": plan.relation.arrays.size,
        "steps": len(plan.steps),
        "widest_cut": max(sum(len(block) for block in cut) for cut in plan.cuts),
        "items": sum(layer.made for layer in found.layers),
        "items_after_merging": sum(layer.merged for layer in found.layers),
        "items_after_pruning": sum(layer.kept for layer in found.layers),
        "largest_layer": max((layer.kept for layer in found.layers), default=0),
        "met_at_step": found.decided_at,
        "stopped": found.stopped,
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
            for layer in found.layers[:: max(1, -(-len(found.layers) // _MOST_LAYERS))]
        ],
    }
