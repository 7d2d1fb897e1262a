"""Inference by the relation: one path of beliefs through a diagram."""

from __future__ import annotations

from typing import Any

from taut.inference.engine import EnginePlan, InferenceQuery

__all__ = ["ByRelation"]


class ByRelation:
    """The masses of outputs off a diagram, which serves every mechanism."""

    name = "relation"

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        why = "the relation is compiled already" if asked.ready else "the relation serves every mechanism"
        return EnginePlan(0 if asked.ready else None, lambda nodes: _masses(asked, nodes), why)


def _masses(asked: InferenceQuery, nodes: int | None) -> dict[Any, Any]:
    channel, x = asked.channel(nodes)
    return channel.masses_at(x, asked.semiring, asked.options.max_outcomes)
