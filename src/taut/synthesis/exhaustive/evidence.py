"""Check that the evidence of a mechanism is possible on every input."""

from __future__ import annotations

import numpy as np

from taut.inference.channel import Channel
from taut.inference.table import exact_table
from taut.neighbors import single_inputs
from taut.support.errors import OutOfMemory, OutOfTime, TooLarge
from taut.support.limits import checkpoint
from taut.synthesis.exhaustive.counted import merged_cases
from taut.synthesis.exhaustive.pieces import TABLE, Cut
from taut.synthesis.walk import CaseOrder

__all__ = ["require_all_evidence"]


def require_all_evidence(channel: Channel, max_beliefs: int) -> None:
    """Refuse a mechanism whose evidence is impossible for some input, and name the first one.

    Raises:
        ImpossibleEvidence: the evidence has probability 0 there.
    """
    if not channel.conditioned:
        return
    if channel.inputs <= TABLE:
        channel.evidence_table(max_beliefs)
        return
    order = CaseOrder(tuple(channel.sizes), tuple(len(output.values) for output in channel.relation.outputs))
    automaton = single_inputs(channel.sizes, channel.reading_order)
    try:
        cases = merged_cases(channel.relation, automaton, order, None, max_beliefs, runs=1, conditioned=False)
        impossible = [first for (mass,), _, first in cases if not mass]
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        _look_at_all(channel, max_beliefs)
        return
    if impossible:
        raise channel.impossible(channel.x(order.case(min(impossible))[0]))


def _look_at_all(channel: Channel, max_beliefs: int) -> None:
    """Check the evidence input by input, in tables of bounded size."""
    for prefix, _ in Cut.of(channel.sizes, (), {}, runs=1):
        checkpoint()
        table = exact_table(channel.relation, max_beliefs, inputs=dict(enumerate(prefix)), sum_outputs=True)
        impossible = [number for number, mass in enumerate(table.values) if not mass]
        places = np.argwhere(np.isin(table.numbers, impossible)) if impossible else np.zeros((0, 0))
        if len(places):
            raise channel.impossible(channel.x([*prefix, *map(int, places[0])]))
