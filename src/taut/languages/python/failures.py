"""Failures of a path: its end, and errors of the built-in type that Python would raise."""

from __future__ import annotations

from taut.program.placeholders import Opaque
from taut.support.errors import MechanismError, TautError

__all__ = ["DEAD", "Dead", "ListChanged", "PathEnds", "failure_like"]


class ListChanged(Exception):
    """A list whose items are there or not is changed, other than by adding to it, while it is run through."""


class PathEnds(Exception):
    """Raised to end the current path: it fails, which must be impossible, or is known to be impossible."""


class Dead(Opaque):
    """The result of a branch that fails on every path."""


DEAD = Dead()


def failure_like(problem: BaseException, message: str | None = None) -> TautError:
    """Return a MechanismError that is also of the built-in type of ``problem``."""
    text = message or f"{type(problem).__name__}: {problem}"
    for kind, error in _KINDS.items():
        if isinstance(problem, kind):
            return error(text, value=problem)
    return MechanismError(text, value=problem)


def _mechanism_error(kind: type[Exception]) -> type[MechanismError]:
    return type(f"Mechanism{kind.__name__}", (MechanismError, kind), {"__doc__": f"{kind.__name__} in a mechanism."})


_KINDS = {
    kind: _mechanism_error(kind)
    for kind in (
        IndexError,
        KeyError,
        ZeroDivisionError,
        OverflowError,
        UnboundLocalError,
        NameError,
        AttributeError,
        TypeError,
        ValueError,
        ArithmeticError,
        AssertionError,
        RuntimeError,
        StopIteration,
    )
}
