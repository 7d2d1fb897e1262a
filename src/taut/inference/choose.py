"""The choice of an inference engine: each tells what it would cost, and the cheapest answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taut.inference.engine import Engine, EnginePlan, InferenceQuery
from taut.inference.totals import require_total
from taut.support.errors import DiagramTooLarge

__all__ = ["Weighed", "weighed"]


@dataclass(frozen=True)
class Weighed:
    """The masses of all outputs on one input, not divided by the evidence; which engine found them, and why it."""

    masses: dict[Any, Any]
    engine: str
    why: str


def weighed(asked: InferenceQuery, engines: Sequence[Engine]) -> Weighed:
    """The masses by the first engine that is certainly cheap, else by the cheapest.

    An engine that cannot tell its cost is tried within what the cheapest of the others would need. If that does not
    suffice, the others are planned at whatever cost.

    Raises
    ------
    DiagramTooLarge
        No engine is within the limits.
    """
    known: list[tuple[int, Engine, EnginePlan]] = []
    untold: list[tuple[Engine, EnginePlan]] = []
    for engine in engines:
        plan = engine.plan(asked)
        if plan is None:
            continue
        if plan.cost == 0:
            return _by(asked, engine, plan)
        if plan.cost is None:
            untold.append((engine, plan))
        else:
            known.append((plan.cost, engine, plan))
    known.sort(key=lambda one: one[0])
    for engine, plan in untold:
        try:
            return _by(asked, engine, plan, known[0][0] if known else None)
        except DiagramTooLarge:
            others = [(other, other.plan(asked, thorough=True)) for other in engines if other is not engine]
            found = [(other, made) for other, made in others if made is not None] if not known else []
            known = known or [(made.cost or 0, other, made) for other, made in found]
            if not known:
                raise
    _, engine, plan = known[0]
    return _by(asked, engine, plan)


def _by(asked: InferenceQuery, engine: Engine, plan: EnginePlan, nodes: int | None = None) -> Weighed:
    masses = plan.masses(nodes)
    if asked.program is not None:
        require_total(asked.name, masses.values(), conditioned=asked.program.conditioned)
    return Weighed(masses, engine.name, plan.why)
