"""Engines of inference: their protocol, the engine that reads a diagram, and the choice of the cheapest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from taut.inference.fold import require_total
from taut.program import Program
from taut.support.errors import DiagramTooLarge
from taut.support.options import Options

if TYPE_CHECKING:
    from taut.inference.channel import Channel

__all__ = ["ByRelation", "Engine", "EnginePlan", "InferenceQuery", "Weighed", "weighed"]


@dataclass(frozen=True)
class InferenceQuery:
    """One input of a mechanism, whose distribution is asked for.

    Parameters:
        name, x: the mechanism, and the input.
        program: its terms; None where there are none, or where other than exact numbers are asked for.
        options: the limits in force.
        channel: returns a compiled channel and the input of it that x is; takes a limit of nodes, or None.
        ready: True if that channel is compiled already.
        semiring: the numbers to compute with, by the name that ``Channel`` gives them.
    """

    name: str
    x: Any
    program: Program | None
    options: Options
    channel: Callable[[int | None], tuple[Channel, Any]]
    ready: bool = False
    semiring: str = "auto"


@dataclass(frozen=True)
class EnginePlan:
    """The plan of an engine: its cost, the masses of all outputs, and the reason to choose it.

    ``cost`` is in nodes of a diagram that take as long, beyond the reading of the program: 0 is surely cheap, None
    is not known before it is tried. ``masses`` takes a limit of nodes, or None; the masses are not divided by the
    evidence.
    """

    cost: int | None
    masses: Callable[[int | None], dict[Any, Any]]
    why: str


class Engine(Protocol):
    """An algorithm for the distribution of the output on one input."""

    name: str

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        """Return the plan of the engine; None if it cannot answer the question.

        Planning is about as quick as reading the program was; if ``thorough``, it takes as long as it has to.
        """


@dataclass(frozen=True)
class Weighed:
    """The masses of all outputs on one input, not divided by the evidence, with the engine and the reason for it."""

    masses: dict[Any, Any]
    engine: str
    why: str


def weighed(asked: InferenceQuery, engines: Sequence[Engine]) -> Weighed:
    """Return the masses by the first engine that is certainly cheap, else by the cheapest.

    An engine that cannot tell its cost is tried within what the cheapest of the others would need. If that does not
    suffice, the others are planned at whatever cost.

    Raises:
        DiagramTooLarge: no engine is within the limits.
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


class ByRelation:
    """The masses of outputs off a diagram, which serves every mechanism."""

    name = "relation"

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        why = "the relation is compiled already" if asked.ready else "the relation serves every mechanism"
        return EnginePlan(0 if asked.ready else None, lambda nodes: _masses(asked, nodes), why)


def _masses(asked: InferenceQuery, nodes: int | None) -> dict[Any, Any]:
    channel, x = asked.channel(nodes)
    return channel.masses_at(x, asked.semiring, asked.options.max_outcomes)
