"""Failures of a path: its end, and errors of the built-in type that Python would raise."""

from __future__ import annotations

import inspect
import types

from taut.program.placeholders import Opaque
from taut.support.errors import MechanismError, TautError, UnsupportedValue
from taut.support.spelling import meant

__all__ = ["DEAD", "Dead", "ListChanged", "PathEnds", "RefusedValue", "failure_like", "wrong_call"]


class RefusedValue(UnsupportedValue):
    """A refusal that stands: Python would answer by accident, or the code is likely a slip, so it is not run either."""


class ListChanged(Exception):
    """A list whose items are there or not is changed, other than by adding to it, while it is run through."""


class PathEnds(Exception):
    """Raised to end the current path: it fails, which must be impossible, or is known to be impossible."""


class Dead(Opaque):
    """The result of a branch that fails on every path."""


DEAD = Dead()


def failure_like(problem: BaseException, message: str | None = None) -> TautError:
    """Return a MechanismError that is also of the built-in type of ``problem``."""
    if isinstance(problem, TautError):
        return problem
    text = message or _said(problem)
    for kind, error in _KINDS.items():
        if isinstance(problem, kind):
            return error(text, value=problem)
    return MechanismError(text, value=problem)


def _said(problem: BaseException) -> str:
    """Return the words of an exception of Python as a sentence."""
    text = str(problem)
    if not text or isinstance(problem, KeyError) or not isinstance(problem, tuple(_KINDS)):
        text = f"{type(problem).__name__}: {text}".removesuffix(": ")
    owner = getattr(problem, "obj", None)
    hint = meant(getattr(problem, "name", ""), dir(owner)) if isinstance(owner, types.ModuleType) else ""
    return text.rstrip(".") + "." + hint


def wrong_call(name: str, signature: inspect.Signature, problem: TypeError, skip: int = 0) -> TautError:
    """Return the error for a call that does not fit a signature, whose first ``skip`` parameters are internal."""
    parameters = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    shape = f"{name}{inspect.Signature(parameters[skip:])}"
    said = str(problem)
    given = said.split("'")[1] if "'" in said else ""
    if said.startswith("missing"):
        text = f"{shape}: '{given}' is not given and has no default."
    elif said.startswith("got an unexpected"):
        text = f"{shape} has no argument '{given}'.{meant(given, list(signature.parameters)[skip:])}"
    elif said.startswith("too many"):
        text = f"{shape} is called with more arguments than it takes."
    else:
        text = f"{shape}: {said}."
    return failure_like(TypeError(), text)


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
