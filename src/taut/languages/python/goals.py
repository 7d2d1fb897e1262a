"""Targets and distances: user functions that are read like mechanisms; errors name the function."""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, Any

from taut.languages.python.calls import code_of, is_library
from taut.support.errors import InvalidInput, TautError, TooLarge, WrongArguments

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["apply_distance", "apply_target"]


def apply_target(reader: Reader, target: Any, x: Any) -> Any:
    """Return the value of a target at a database.

    Raises:
        TautError: the target is not a function of one argument, or fails; the place is a line of the target.
    """
    return _applied(reader, "target", "the database", target, [x])


def apply_distance(reader: Reader, distance: Any, y: Any, aim: Any) -> Any:
    """Return the distance of an output from a value of the target.

    Raises:
        TautError: the distance is not a function of two arguments, or fails; the place is a line of the distance.
    """
    return _applied(reader, "distance", "an output and a value of the target", distance, [y, aim])


def _applied(reader: Reader, role: str, wanted: str, function: Any, args: list[Any]) -> Any:
    """Read a plain function like a mechanism, so that it may branch; errors name the function."""
    if not callable(function):
        other = ", or a mapping from inputs to values" if role == "target" else ""
        raise InvalidInput(f"the {role} must be a function of {wanted}{other}; got {function!r}.", value=function)
    subject = _named(role, function)
    is_read = isinstance(function, types.FunctionType) and not is_library(function)
    if is_read:
        _check_arguments(subject, wanted, function, len(args))
    before, known = reader.subject, len(reader.worlds.obligations)
    reader.subject = subject
    try:
        if is_read:
            return reader.calls.call_code(code_of(function), args, {})
        return reader.calls.call(function, args, {})
    except TautError as problem:
        _tell(problem, subject)
        raise
    finally:
        reader.subject = before
        for _, failure in reader.worlds.obligations[known:]:
            _tell(failure, subject)


def _tell(problem: TautError, subject: str) -> None:
    if subject not in problem.message and not isinstance(problem, TooLarge):
        problem.message = f"in {subject}: {problem.message}"


def _named(role: str, function: Any) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return f"the {role}" if name == "<lambda>" else f"the {role} '{name}'"


def _check_arguments(subject: str, wanted: str, function: types.FunctionType, count: int) -> None:
    signature = inspect.signature(function)
    try:
        signature.bind(*range(count))
    except TypeError:
        source = code_of(function).source
        raise WrongArguments(
            f"{subject} is called with {wanted}, so it must take {count} argument{'s' if count > 1 else ''}; "
            f"it takes {signature}.",
            value=function,
            place=source.place(source.node),
        ) from None
