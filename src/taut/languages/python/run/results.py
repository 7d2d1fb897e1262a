"""Results of runs as values that a program can have, and the account of what was read and what was run."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.languages.python.floats import GivenNumber
from taut.languages.python.run.lazy import LazyNumber
from taut.languages.python.run.tree import ChoiceTree
from taut.program.operations import typed
from taut.support.errors import UnsupportedValue
from taut.support.exact import exact

__all__ = ["Account", "Outcome", "RunCall", "outcome_of", "plain_argument"]


_SCALARS = (bool, int, float, str, bytes, type(None), Fraction)


@dataclass(frozen=True)
class Outcome:
    """A result: its value with tuples in place of lists, and the kinds of containers that it had."""

    key: Any
    value: Any = field(compare=False)
    shape: Any = None
    raw: Any = field(default=None, compare=False)
    """The value as it was returned."""


def outcome_of(tree: ChoiceTree, value: Any) -> Outcome:
    """Return the outcome of a run that returned this value."""
    plain, shape = _plain(tree, value)
    return Outcome((typed(plain), shape), plain, shape, value)


def _plain(tree: ChoiceTree, value: Any) -> tuple[Any, Any]:
    if type(value) is LazyNumber:
        value = value.returned()
    if type(value) in _SCALARS:
        if isinstance(value, float) and value != value:
            tree.refuse(UnsupportedValue(f"'{tree.name}' returns nan, which is no value that two runs can share."))
        return value, None
    kind = type(value)
    if isinstance(value, enum.Enum):
        return value, None
    if kind.__module__ == "numpy":
        if kind.__name__ == "ndarray":
            plain, _ = _plain(tree, value.tolist())
            return plain, "array"
        if hasattr(value, "item"):
            return _plain(tree, value.item())
    if isinstance(value, (list, tuple)):
        parts = [_plain(tree, item) for item in value]
        shapes = tuple([shape for _, shape in parts])
        made = tuple([part for part, _ in parts])
        if kind is not tuple:
            return made, ("list" if kind is list else kind.__name__, shapes if any(shapes) else None)
        return made, shapes if any(shapes) else None
    if isinstance(value, (range, Iterator)) and kind.__module__ in ("builtins", "itertools"):
        return _plain(tree, list(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return _plain(tree, tuple(parts))[0], kind.__name__
    if isinstance(value, (set, frozenset)):
        return _plain(tree, sorted(value, key=repr))[0], "set"
    if isinstance(value, dict):
        return _plain(tree, [(key, value[key]) for key in sorted(value, key=repr)])[0], "dict"
    tree.refuse(
        UnsupportedValue(
            f"'{tree.name}' returns a {kind.__name__}; a mechanism returns numbers, text, None, or lists, tuples and "
            "arrays of these.",
            value=value,
        )
    )
    raise AssertionError


def plain_argument(value: Any) -> Any:
    """Return a parameter as the user passed it: a number that can be written as a decimal is a float again."""
    if type(value) is GivenNumber:
        if value.denominator == 1 or exact(float(value)) == value:
            return float(value)
        return Fraction(value)
    return value


@dataclass(frozen=True)
class RunCall:
    """A function that was run because it cannot be read.

    Attributes
    ----------
    name : str
        The function.
    values : int
        Different values of its arguments.
    runs : int
        Runs, one for each sequence of draws of each of these.
    draws : tuple of str
        What it draws with, and other things worth knowing, such as a seed that is ignored.
    remainder : Fraction or Ball
        The largest probability of runs that were not followed.
    inline : bool
        True for an expression inside of a function that was read: it is run apart, as a draw of its own.
    """

    name: str
    values: int
    runs: int
    draws: tuple[str, ...] = ()
    remainder: Any = 0
    inline: bool = False

    def __str__(self) -> str:
        kind = "drawn in place" if self.inline else "run"
        told = f"{kind}: {self.name}, {_counted(self.values, 'value')}, {_counted(self.runs, 'run')}"
        if self.draws:
            told += f" ({', '.join(self.draws)})"
        if self.remainder:
            told += f"; runs that were not followed have probability at most {float(self.remainder):.3g}"
        return told


@dataclass(frozen=True)
class Account:
    """The functions of a mechanism that were read and those that were run."""

    read: tuple[str, ...] = ()
    run: tuple[RunCall, ...] = field(default=())

    def __str__(self) -> str:
        parts = [f"read: {', '.join(self.read)}"] if self.read else []
        return "\n".join([*parts, *map(str, self.run)])

    def to_dict(self) -> dict[str, Any]:
        """Return the account as JSON has it."""
        return {
            "read": list(self.read),
            "run": [
                {
                    "name": call.name,
                    "values": call.values,
                    "runs": call.runs,
                    "draws": list(call.draws),
                    "remainder": str(call.remainder),
                    "inline": call.inline,
                }
                for call in self.run
            ],
        }


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
