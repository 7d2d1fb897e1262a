"""Which way to a bound is the cheaper one."""

from __future__ import annotations

from taut.bounds.results import Bound
from taut.infer.channel import Channel
from taut.neighbors import Entrywise, Neighbors

__all__ = ["can_list", "few_cases", "gave_up"]

_FEW = 1 << 20
_LISTED = 1 << 22


def few_cases(channel: Channel, neighbors: Neighbors | None = None) -> bool:
    """Whether all cases can be looked at in a moment; then they are, and counted: a search does not count them."""
    cases = channel.inputs
    if neighbors is not None:
        changes = sum(len(values) - 1 for values in channel.values)
        cases *= channel.outputs * (changes if isinstance(neighbors, Entrywise) else channel.inputs)
    return cases <= _FEW


def can_list(channel: Channel) -> bool:
    """Whether it is worth trying to look at all inputs after a search was too large."""
    return channel.inputs * channel.outputs <= _LISTED


def gave_up(bound: Bound) -> bool:
    """Whether a search ended for lack of room, not of time or patience."""
    return str(bound.stats.get("stopped") or "").startswith("max_beliefs")
