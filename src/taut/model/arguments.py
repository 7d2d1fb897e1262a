"""Arguments of questions, read or refused: a method, given sets, the number of worst cases."""

from __future__ import annotations

from typing import Any

from taut.support.errors import InvalidInput
from taut.support.options import check_seconds
from taut.synthesis import solvers_of

__all__ = ["method_of", "set_of", "top_of"]


def method_of(method: Any, sets_given: bool, time_limit: Any) -> str:
    """The name of the method that is meant, or a refusal of arguments that do not go together."""
    if method != "auto":
        solvers_of(method)
    check_seconds(time_limit, "time_limit", InvalidInput)
    if sets_given and method not in ("auto", "restricted"):
        raise InvalidInput(f"method={method!r} takes no sets; leave them out.", value=method)
    return "restricted" if sets_given else str(method)


def set_of(kind: type[Any], given: Any) -> Any:
    """A set of one kind from the user's list; None stays None."""
    return given if given is None or isinstance(given, kind) else kind(given)


def top_of(top: Any) -> int:
    """Return the number of worst cases that are asked for; refuse one that makes no sense."""
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidInput(f"top must be a whole number of at least 1; got {top!r}.", value=top)
    return top
