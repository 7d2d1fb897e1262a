"""Bounding: items that cannot become better than the best value are dropped (Theorems 4, 5 and 7)."""

from __future__ import annotations

from dataclasses import replace

from taut.solvers.search.certificate import Certificate
from taut.solvers.search.frontier import Frontier, Layer
from taut.solvers.search.question import Question

__all__ = ["Bounding"]


class Bounding:
    """The pass that compares limits with the best value, once there are limits; the rest gives the layer its bound.

    A bound is compared with a value that is attained, never with another bound.
    """

    def __init__(self, question: Question, certificate: Certificate) -> None:
        self.certificate = certificate
        self.sign = 1.0 if question.largest else -1.0

    def pruned(self, frontier: Frontier) -> Layer:
        layer, limits = frontier.layer, self.certificate.limits
        if limits is None:
            return layer
        found = {key: limits.of(layer, key, group, down=frontier.down) for key, group in layer.groups.items()}
        known = {key: self.sign * logs for key, logs in found.items() if logs is not None}
        if len(known) < len(found):
            return layer
        best = self.certificate.logarithm
        open_items = {key: logs > best for key, logs in known.items()}
        bound = max([best, *(float(logs[open_items[key]].max(initial=best)) for key, logs in known.items())])
        self.certificate.close_layer(bound)
        if not all(mask.all() for mask in open_items.values()):
            layer = layer.kept(lambda key, group: open_items[key])
        return replace(layer, bound=bound)
