"""The protocol of inference: how likely each output is on one input, and what an engine would spend to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from taut.program import Program
from taut.support.options import Options

if TYPE_CHECKING:
    from taut.inference.channel import Channel

__all__ = ["Engine", "EnginePlan", "InferenceQuery"]


@dataclass(frozen=True)
class InferenceQuery:
    """One input of a mechanism, whose distribution is asked for.

    Parameters
    ----------
    name, x
        The mechanism, and the input.
    program
        Its terms; None where there are none, or where other than exact numbers are asked for.
    options
        The limits in force.
    channel
        A channel, compiled with at most so many nodes if that is not None, and the input in it that x is.
    ready
        Whether that channel is compiled already.
    semiring
        The numbers to compute with, by the name that ``Channel`` gives them.
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
    is not known before it is tried. ``masses`` may use at most so many nodes, if that is not None; they are not divided
    by the evidence.
    """

    cost: int | None
    masses: Callable[[int | None], dict[Any, Any]]
    why: str


class Engine(Protocol):
    """A way to the distribution of the output on one input."""

    name: str

    def plan(self, asked: InferenceQuery, *, thorough: bool = False) -> EnginePlan | None:
        """Return the plan of the engine; None if it cannot answer the question.

        Planning is about as quick as reading the program was; if ``thorough``, it takes as long as it has to.
        """
