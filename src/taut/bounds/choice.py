"""Which way to a bound is the cheaper one, and why."""

from __future__ import annotations

from taut.bounds.results import Bound
from taut.channel.channel import Channel
from taut.errors import TooLarge
from taut.neighbors import Neighbors
from taut.numbers import large

__all__ = ["gave_up", "reason"]

_FEW = 1 << 20
"""Cases that are looked at in a moment; then they are, and counted, which a search does not do."""
_LISTED = 1 << 30


def gave_up(bound: Bound) -> bool:
    """Whether a search ended for lack of room, not of time or patience."""
    return str(bound.stats.get("stopped") or "").startswith("max_beliefs")


def reason(channel: Channel, neighbors: Neighbors | None, *, orbits: int | None, failed: str | None) -> tuple[str, str]:
    """The method that 'auto' takes, and why.

    ``failed`` says why a search did not end, if there was one; ``orbits`` how many cases the symmetries leave then.
    """
    cases = _cases(channel, neighbors)
    what = "inputs" if neighbors is None else "triples"
    if cases <= _FEW:
        return "exhaustive", f"there are at most {cases} {what}, few enough to look at all and to count the worst"
    if failed is None:
        return "search", f"there are up to {large(cases)} {what}, too many to look at all; a search needs no list"
    if orbits is not None and orbits <= min(_FEW, cases):
        return "restricted", f"the search {failed}, and the symmetries leave {orbits} of {large(cases)} {what}"
    if cases <= _LISTED and channel.inputs <= 1 << 24:
        return "exhaustive", f"the search {failed}, and there are at most {cases} {what} to look at"
    return "search", f"the search {failed}, and there are too many {what} to look at all: this is an interval"


def _cases(channel: Channel, neighbors: Neighbors | None = None) -> int:
    """What looking at everything would look at: inputs, or triples of two inputs and an output."""
    if neighbors is None:
        return channel.inputs
    try:
        return neighbors.automaton(channel.space).count_pairs() * channel.outputs
    except TooLarge:  # read in the order of a plan, the relation may be small
        return channel.inputs**2 * channel.outputs
