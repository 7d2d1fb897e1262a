"""What a picture of a bound needs besides the bound: given by a model, and asked when something is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from taut.results.loss import LossDistribution

__all__ = ["Moment", "View"]


class Moment(NamedTuple):
    """The certified interval of a search at some time after its beginning; an end is None while it is not known."""

    seconds: float
    lower: Any
    upper: Any


@dataclass(frozen=True)
class View:
    """The distributions behind a witness; each raises TooLarge where there is too much of it to draw."""

    distribution: Callable[[Any], Mapping[Any, Any]]
    """Of the output on an input."""
    loss: Callable[[Any, Any], LossDistribution] | None = None
    """Of the quotients of two inputs, without a list of outputs."""
    distances: Callable[[Any], Mapping[Any, Any]] | None = None
    """Of the distance to the target on an input, for bounds on accuracy and error."""
    aim: Callable[[Any], Any] | None = None
    """The target's value at an input, where the distance is that of numbers."""
