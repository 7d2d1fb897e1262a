"""Fields of a question in files with results, the replay of a saved witness, and the sentences about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from taut.questions.field import Field, Numbers
from taut.questions.text import shown, telling, vector_text
from taut.support.exact import INFINITY

__all__ = ["Layout", "Saved", "SavedAnswer", "attained_text", "is_text", "limit_text"]


@dataclass(frozen=True)
class Layout:
    """The parts of a file that are special to a question, besides the fields that have ``saved``."""

    value: Numbers
    """The numbers that both ends of the answer lie between."""
    witness: tuple[str, ...] = ("x", "x_prime")
    """The parts of the witness; ``pairs`` is a list of pairs of inputs."""
    asked: Mapping[str, Numbers] = field(default_factory=dict)
    """Arguments of the question besides its fields."""


class SavedAnswer(Protocol):
    """A result as a file says it."""

    @property
    def neighbors(self) -> str | None: ...
    @property
    def question(self) -> Mapping[str, Any]: ...
    @property
    def witness(self) -> Mapping[str, Any] | None: ...
    @property
    def lower(self) -> Any: ...
    @property
    def upper(self) -> Any: ...
    @property
    def exact(self) -> bool: ...
    @property
    def complete(self) -> bool: ...
    @property
    def attained(self) -> Any: ...
    @property
    def limit(self) -> Any: ...
    @property
    def pairs(self) -> list[tuple[Any, Any]]: ...


class Saved:
    """The part of a question that saving, replaying and explaining use."""

    name: ClassVar[str]
    fields: ClassVar[tuple[Field, ...]]
    layout: ClassVar[Layout | None] = None
    """None if answers are not saved."""
    case: ClassVar[Callable[..., Any]]
    """The class of its witnesses."""

    def unsaved(self) -> str | None:
        """Return why this question's answer is not saved, although others of its kind are; None if it is."""
        return None

    def saved_fields(self, bound: Any) -> dict[str, Any]:
        """Return the arguments of the question as written to a file."""
        return {one.name: getattr(self, one.name) for one in self.fields if one.saved is not None}

    def saved_witness(self, bound: Any) -> dict[str, Any]:
        """Return the case that attains the answer."""
        assert self.layout is not None
        return {part: getattr(bound.witness, part) for part in self.layout.witness}

    def saved_interval(self, bound: Any) -> tuple[Any, Any]:
        """Return both ends of the answer; refuse one that a file cannot have."""
        return bound.lower, bound.upper

    @classmethod
    def attains_upper(cls, asked: Mapping[str, Any]) -> bool:
        """Return whether the witness attains the upper end: the smallest of all values is asked for."""
        return False

    @classmethod
    def check(cls, saved: SavedAnswer) -> str | None:
        """Return the fault of the ends or the witness in a file beyond their shapes, or None."""
        return None

    @classmethod
    def settled(cls, saved: SavedAnswer) -> bool:
        """Return whether the ends are the same but for rounding."""
        return saved.exact

    @classmethod
    def confirmed(cls, saved: SavedAnswer, value: Any) -> bool:
        """Return whether a value that was found again is the one in the file; both are rational or infinite."""
        return bool(value == saved.attained)

    @classmethod
    def again(cls, model: Any, saved: SavedAnswer, **functions: Any) -> tuple[Any, str]:
        """Return the value that the witness of a file attains, found without any diagram, and how."""
        assert saved.witness is not None
        given = {one.name: saved.question[one.name] for one in cls.fields if one.saved is not None}
        asked: Any = cls(**{**given, **functions})
        found: tuple[Any, str] = asked.replayed(model, cls.case(**saved.witness))
        return found

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        """Return the finding as a sentence for a reader who did not ask the question."""
        return f"For {saved.neighbors} neighbours the {cls.name} {is_text(saved)} {limit_text(saved)}."

    @classmethod
    def worst(cls, saved: SavedAnswer) -> str:
        """Return the worst case in a sentence."""
        assert saved.witness is not None
        case = {name: vector_text(value) for name, value in saved.witness.items()}
        pair = f"The worst pair is x={case['x']} and x'={case['x_prime']}"
        return f"{pair}, {cls.reached(saved)}."

    @classmethod
    def reached(cls, saved: SavedAnswer) -> str:
        """Return the value attained by the worst pair, as the end of a sentence."""
        infinite = isinstance(saved.attained, float) and saved.attained == INFINITY
        return "where it is infinite" if infinite else f"with the value {attained_text(saved)}"

    @classmethod
    def valued(cls, value: Any) -> str:
        """Return a value of the answer in words."""
        return shown(value)


def limit_text(saved: SavedAnswer) -> str:
    """Return the value of a saved result; where it is not known exactly, the end that no case passes."""
    return attained_text(saved) if saved.complete else shown(saved.limit)


def attained_text(saved: SavedAnswer) -> str:
    """Return the value of the worst case; one that was rounded is not shown as if all its digits were meant."""
    near = saved.complete and not saved.exact and isinstance(saved.attained, Fraction)
    return f"about {telling(saved.attained)}" if near else shown(saved.attained)


def is_text(saved: SavedAnswer) -> str:
    """Return the verb between the name of a number and its value."""
    return "is" if saved.complete else "is at most"
