"""Inference by sums of independent parts: the product of their polynomials."""

from __future__ import annotations

from taut.inference.engine import EnginePlan, InferenceQuery
from taut.inference.independent_sums import distribution_of_sum

__all__ = ["BySumOfParts"]


class BySumOfParts:
    """The exact distribution of a function of one sum of many independent parts."""

    name = "sums"

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        if asked.program is None:
            return None
        found = distribution_of_sum(asked.program, asked.x, asked.options.max_outcomes)
        return (
            None
            if found is None
            else EnginePlan(0, lambda _: found, "the output depends on a sum of independent parts")
        )
