"""When an output is close to a target, decided by calling the user's functions: for sets of given inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from taut.channel.channel import Channel
from taut.errors import InvalidInput
from taut.numbers import number

__all__ = ["close_outputs", "distance_bound"]


def distance_bound(alpha: Any) -> Any:
    """alpha as an exact number, or a refusal."""
    bound = number(alpha, "alpha")
    if bound < 0:
        raise InvalidInput(f"alpha must not be negative; got {alpha!r}.", value=alpha)
    return bound


def close_outputs(channel: Channel, target: Any, distance: Any, alpha: Any) -> Callable[[Any], list[Any]]:
    """A function that gives, for an input, the possible outputs within alpha of its target."""
    if len(channel.relation.outputs) != 1:
        raise InvalidInput("restricted accuracy needs a mechanism with a single output value.", value=channel.name)
    possible = [channel.y([place]) for place in range(len(channel.relation.outputs[0].values))]

    def close(x: Any) -> list[Any]:
        channel.entries(x)
        if isinstance(target, Mapping) and x not in target:
            raise InvalidInput(f"the target gives no value for the input {x!r}.", value=x)
        wanted = target[x] if isinstance(target, Mapping) else target(x)
        try:
            return [y for y in possible if (abs(y - wanted) if distance is None else distance(y, wanted)) <= alpha]
        except TypeError as problem:
            raise InvalidInput(
                f"the outputs cannot be compared with the target {wanted!r} of x={x!r} ({problem}); give distance=.",
                value=wanted,
            ) from None

    return close
