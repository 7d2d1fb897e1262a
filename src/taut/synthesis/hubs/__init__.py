"""Hubs: outputs that are conditions on each draw alone, once the value of one shared draw is given."""

from taut.synthesis.hubs.solver import ByHubs, HubIntervals

__all__ = ["ByHubs", "HubIntervals"]
