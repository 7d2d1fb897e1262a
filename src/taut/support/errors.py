"""Errors that users meet, each with the value that it is about, and suggestions for misspelt names."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "DiagramTooLarge",
    "DiceError",
    "DiceFileError",
    "DiceSyntaxError",
    "DiceTypeError",
    "DiceWarning",
    "DimacsError",
    "DimacsFileError",
    "EndlessLoop",
    "FormulaError",
    "ImpossibleEvidence",
    "InternalFault",
    "InvalidDistribution",
    "InvalidDomain",
    "InvalidInput",
    "InvalidNeighbors",
    "InvalidNumber",
    "InvalidOption",
    "InvalidProbability",
    "InvalidSet",
    "InvalidSymmetry",
    "MechanismError",
    "Misreading",
    "NoNeighbors",
    "NotADistribution",
    "OutOfMemory",
    "OutOfTime",
    "Place",
    "RealRandomness",
    "RoundedFloat",
    "SourceChanged",
    "SourceUnavailable",
    "TautError",
    "TooLarge",
    "ToolFailed",
    "ToolMissing",
    "UnsupportedSyntax",
    "UnsupportedValue",
    "WorkersGone",
    "WorkersLost",
    "WrongArguments",
    "internal_fault",
    "meant",
    "meant_file",
]


@dataclass(frozen=True)
class Place:
    """A position in a user's source: file, line from 1, column from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class TautError(Exception):
    """The root of all errors that taut raises on purpose; ``value`` is the offending value, ``place`` its position if
    known.
    """

    def __init__(self, message: str, *, value: Any = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.value = value
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place is not None else self.message

    def at(self, place: Place | None) -> TautError:
        """Return this error with a place; one that it has stays, since the innermost place is the most useful."""
        if self.place is None:
            self.place = place
        return self


class InvalidNumber(TautError, ValueError):
    """A value that is not an exact finite number."""


class InvalidProbability(InvalidNumber):
    """A probability outside [0, 1]."""


class InvalidDistribution(TautError, ValueError):
    """Weights that are no distribution, or a distribution with impossible parameters."""


class InvalidDomain(TautError, ValueError):
    """A domain that has no entries, or repeats some."""


class InvalidInput(TautError, ValueError):
    """Something invalid given to a question, such as a database that is not an input of the model."""


class InvalidNeighbors(TautError, ValueError):
    """Something that is not a neighbour relation on the domain."""


class InvalidSet(TautError, ValueError):
    """An inference, privacy or accuracy set that does not meet its obligations."""


class InvalidSymmetry(TautError, ValueError):
    """A claim that is not a permutation, or not a symmetry of the mechanism."""


class NoNeighbors(TautError, ValueError):
    """A relation that relates no two databases of the domain."""


class InvalidOption(TautError, ValueError):
    """An unknown option, or a value it does not take."""


class WrongArguments(TautError, TypeError):
    """A mechanism called with the wrong arguments."""


class UnsupportedSyntax(TautError, SyntaxError):
    """A piece of Python that cannot be read as part of a mechanism."""


class UnsupportedValue(TautError, TypeError):
    """An operation that has no exact meaning on a random value."""


class RealRandomness(TautError, RuntimeError):
    """Real randomness, the clock or the outside world inside a mechanism."""


class SourceChanged(TautError, ValueError):
    """A mechanism is not what it was when a result was saved."""


class SourceUnavailable(TautError, OSError):
    """The source text of a function cannot be had."""


class EndlessLoop(TautError, RecursionError):
    """A loop or recursion that does not end after finitely many rounds."""


class MechanismError(TautError, RuntimeError):
    """The mechanism itself fails, for an input and coin outcomes that are possible."""


class Misreading(TautError, RuntimeError):
    """Python runs a mechanism differently than it was read: a bug of taut, found before any answer was given."""


class InternalFault(TautError, RuntimeError):
    """Results of taut contradict each other: a bug of taut, found before any answer was given."""


class RoundedFloat(TautError, ArithmeticError):
    """A mechanism behaves differently with Python's rounded floats than with exact numbers."""


class ImpossibleEvidence(TautError, ValueError):
    """The evidence has probability zero for an input."""


class NotADistribution(TautError, ValueError):
    """The outputs of a hand-written formula do not sum to one for an input."""


class TooLarge(TautError, MemoryError):
    """An answer with too many rows to be listed or drawn."""


class ToolMissing(TautError, ImportError):
    """Another tool that is asked for is not installed."""


class ToolFailed(TautError, RuntimeError):
    """Another tool refused what it was given, or gave no answer."""


class WorkersLost(TautError, RuntimeError):
    """Workers were lost again and again over the same piece of work, or cannot do it."""


class WorkersGone(WorkersLost):
    """The scheduler of a cluster, or all of its workers, disappeared, so that no work can be done."""


class OutOfTime(TooLarge, TimeoutError):
    """A question that was not answered within its time limit, and about which nothing can be said yet."""


class OutOfMemory(TooLarge):
    """A question that would need more memory than its limit."""


class DiagramTooLarge(TooLarge):
    """A diagram that passed ``max_nodes``."""


class FormulaError(TautError, ValueError):
    """A formula that cannot be read."""


class DimacsError(TautError, ValueError):
    """A DIMACS file that is not in the format."""


class DimacsFileError(DimacsError, OSError):
    """A DIMACS file that does not exist or cannot be opened."""


class DiceError(TautError, ValueError):
    """A Dice program with an invalid value: a probability above 1, or a literal that does not fit its width."""


class DiceSyntaxError(DiceError, SyntaxError):
    """A text that is not a Dice program."""


class DiceTypeError(DiceError, TypeError):
    """A Dice program with a type error or an undefined name."""


class DiceFileError(DiceError, OSError):
    """A Dice file that does not exist or cannot be opened."""


class DiceWarning(UserWarning):
    """A Dice program whose meaning may not be the one that its author intended."""


def impossible_evidence(name: str, x: Any) -> ImpossibleEvidence:
    """Return the error for an input at which what a mechanism observes is impossible."""
    return ImpossibleEvidence(
        f"'{name}': what it observes has probability 0 at x={x!r}, so it has no distribution there.", value=x
    )


def internal_fault(contradiction: str, value: Any = None) -> InternalFault:
    """Return the error for results that contradict each other; ``contradiction`` is a sentence."""
    return InternalFault(
        f"{contradiction} This is a fault of taut, and no answer is given; please report it together with the "
        "mechanism.",
        value=value,
    )


# Tracebacks name errors by the import that users write: ``taut.InvalidInput``.
for _error in [value for value in globals().values() if isinstance(value, type) and issubclass(value, Exception)]:
    if _error.__module__ == __name__:
        _error.__module__ = "taut"


def shortened(text: str, most: int = 60) -> str:
    """Return at most ``most`` characters of a text, dots in place of the rest."""
    return text if len(text) <= most else text[: most - 3] + "..."


_MOST = 3


def meant(given: object, known: Iterable[str]) -> str:
    """Return a question with the known names closest to ``given``, for the end of an error message; empty if none is
    close.

    >>> meant("lamda", ["x", "lam"]), meant("RR", ["rr", "rr_count"]), meant("xyz", ["lam"])
    (" Did you mean 'lam'?", " Did you mean 'rr'?", '')
    """
    names = list(dict.fromkeys(known))
    word = str(given).casefold()
    by_folded = {name.casefold(): name for name in reversed(names)}
    if word in by_folded:
        return f" Did you mean '{by_folded[word]}'?"
    similar = difflib.get_close_matches(word, by_folded, _MOST)
    return f" Did you mean {' or '.join(repr(by_folded[one]) for one in similar)}?" if similar else ""


def meant_file(path: str | os.PathLike[str]) -> str:
    """Return the same suggestion for a file that does not exist: files in its folder with the same suffix."""
    wanted = Path(path)
    try:
        found = {other.stem: str(other) for other in wanted.parent.iterdir() if other.suffix == wanted.suffix}
    except OSError:
        return ""
    similar = difflib.get_close_matches(wanted.stem, found, _MOST)
    return f" Did you mean {' or '.join(repr(found[one]) for one in similar)}?" if similar else ""
