"""When an output is close to a target, decided for one input and output after the other: for sets of given inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from taut.channel.channel import Channel
from taut.errors import InvalidInput, TautError
from taut.frontend.python.trace import Reading
from taut.model.misfit import misfit
from taut.numbers import number

__all__ = ["close_outputs", "distance_bound"]


def distance_bound(alpha: Any) -> Any:
    """alpha as an exact number, or a refusal."""
    bound = number(alpha, "alpha")
    if bound < 0:
        raise InvalidInput(f"alpha must not be negative; got {alpha!r}.", value=alpha)
    return bound


def close_outputs(
    channel: Channel, reading: Reading, target: Any, distance: Any, alpha: Any
) -> Callable[[Any], list[Any]]:
    """A function that gives, for an input, the possible outputs within alpha of its target, decided exactly."""
    if len(channel.relation.outputs) != 1:
        raise InvalidInput("restricted accuracy needs a mechanism with a single output value.", value=channel.name)
    possible = [channel.y([position]) for position in range(len(channel.relation.outputs[0].values))]
    within = reading.within(target, distance, alpha)

    def close(x: Any) -> list[Any]:
        channel.entries(x)
        if isinstance(target, Mapping) and x not in target:
            raise InvalidInput(f"the target gives no value for the input {x!r}.", value=x)
        try:
            return [y for y in possible if within(x, y)]
        except TautError as problem:
            if isinstance(target, Mapping):
                raise InvalidInput(
                    f"the outputs cannot be compared with the target of x={x!r} ({problem.message}); give distance=.",
                    value=x,
                ) from None
            raise misfit(reading.program, reading, target, distance, problem) from None

    return close
