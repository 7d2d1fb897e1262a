"""The format of a trap."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from taut import Domain, bits, mechanism

__all__ = ["TRAPS", "Trap", "refused", "trap"]


@dataclass(frozen=True)
class Trap:
    """A mechanism on a small domain; ``refusal`` is what its refusal must say, None if it is followed."""

    mechanism: Any
    domain: Domain
    refusal: str | None = None


TRAPS: dict[str, Trap] = {}


def trap(function: Callable[..., Any]) -> Callable[..., Any]:
    """A mechanism that must be read as Python runs it."""
    TRAPS[f"{function.__module__.split('.')[-1]}.{function.__name__}"] = Trap(mechanism(function), bits(2))
    return function


def refused(sentence: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A mechanism that must be refused, with these words."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        TRAPS[f"{function.__module__.split('.')[-1]}.{function.__name__}"] = Trap(
            mechanism(function), bits(2), sentence
        )
        return function

    return enter
