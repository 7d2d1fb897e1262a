"""Refusals: failures of a path with Python's own types, calls that do not fit, and values too large to be walked."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import string
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from taut.languages.python.values import Alternatives, Cases, DictBox, DictEntry, ListBox, RecordValue
from taut.program.operations import MOST_ITEMS, require_items, require_text
from taut.program.placeholders import Opaque
from taut.support.errors import MechanismError, TautError, TooLarge, UnsupportedValue, meant
from taut.support.exact import large
from taut.support.limits import checkpoint

__all__ = [
    "DEAD",
    "Dead",
    "ListChanged",
    "PathEnds",
    "TooManyRuns",
    "count_parts",
    "failure_like",
    "format_in_bounds",
    "refused_value",
    "require_arrangements",
    "require_format",
    "require_parts",
    "require_text_method",
    "wrong_call",
]


def refused_value(message: str, value: Any = None) -> UnsupportedValue:
    """Return a refusal after which the code is not run either: it is wrong, or Python would answer by accident."""
    error = UnsupportedValue(message, value=value)
    error.stands = True  # type: ignore[attr-defined]
    return error


class ListChanged(Exception):
    """Raised where a list with uncertain items is changed, other than by appending, during a loop over it."""


class TooManyRuns(TooLarge):
    """Raised for a function with more runs than ``max_runs``."""

    hopeless = False
    """True if there are surely many more."""


class PathEnds(Exception):
    """Raised to end the current path, because it is impossible or fails (then it must prove impossible)."""


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


_EXACT = 1000
"""Number of items up to which counts of arrangements are exact; beyond, they exceed every limit."""
_PADDING = {"ljust", "rjust", "center", "zfill"}


def require_parts(*values: Any) -> None:
    """Refuse values with too many parts to walk, such as pairs nested sixty levels deep over one shared pair.

    Walks, comparisons and conversions of values visit a shared part once for each of its occurrences.
    """
    for value in values:
        if isinstance(value, _NESTED):
            count = count_parts(value)
            if count > MOST_ITEMS:
                raise TooLarge(
                    f"a value here has {large(count)} parts, counted as often as they occur in it; at most "
                    f"{MOST_ITEMS} are followed. Nest it less deeply.",
                    value=count,
                )


def count_parts(value: Any) -> int:
    """Count the parts of a nested value with multiplicity; each object is visited once."""
    known: dict[int, int] = {}
    stack = [value]
    while stack:
        item = stack[-1]
        if id(item) in known and known[id(item)] >= 0:
            stack.pop()
            continue
        inner = _inner(item)
        if id(item) not in known:
            if not len(known) % 4096:
                checkpoint()
            known[id(item)] = -1  # being counted: what contains itself is met again here, and counts nothing then
            stack += [part for part in inner if isinstance(part, _NESTED) and id(part) not in known]
        else:
            known[id(item)] = 1 + sum(max(0, known[id(part)]) if isinstance(part, _NESTED) else 1 for part in inner)
            stack.pop()
    return known[id(value)]


def require_arrangements(
    function: Callable[..., Any], rows: Sequence[Sequence[Any]], repeat: Any = 1, r: Any = None
) -> None:
    """Refuse a product, combinations or permutations with too many items.

    Arguments that these functions do not take are left to them.
    """
    sizes = [len(row) for row in rows]
    if any(number is not None and (not isinstance(number, int) or number < 0) for number in (r, repeat)):
        return
    if function is itertools.product:
        width, count = len(sizes) * repeat, _power(math.prod(sizes), repeat)
    else:
        width = sizes[0] if r is None else r
        count = _chosen(function, sizes[0], width)
    name = f"itertools.{function.__name__}(...)"
    require_items(count, name)
    require_items(count * width, f"{name}, all of its tuples together,")


def _chosen(function: Callable[..., Any], size: int, width: int) -> int:
    """Return the number of arrangements; for very many items, a lower bound."""
    if function is itertools.combinations_with_replacement:
        size += max(0, width - 1)
    if function is itertools.permutations:
        return math.perm(size, width) if width <= _EXACT else math.perm(size, _EXACT) if width <= size else 0
    width = min(width, size - width)
    return 0 if width < 0 else math.comb(size, min(width, _EXACT))


def require_format(style: str) -> None:
    """Refuse a format whose width or precision makes the text too long."""
    for number in re.findall(r"\d+", style):
        require_text(int(number) if len(number) < 20 else 10 ** (len(number) - 1))


def format_in_bounds(value: Any, style: Any = "") -> str:
    """Format a value as Python does; refuse texts that are too long."""
    if isinstance(style, str):
        require_format(style)
    return format(value, style)


format_in_bounds.__name__ = "format"


def require_text_method(text: Any, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> None:
    """Refuse a call of a string method with a result that is too long."""
    numbers = [int(arg) for arg in args if isinstance(arg, int)]
    if not isinstance(text, (str, bytes)):
        return
    if name in _PADDING:
        require_text(max(numbers, default=0))
    elif name == "expandtabs":
        sizes = [*numbers, *[size for size in keywords.values() if isinstance(size, int)]]
        tab = "\t" if isinstance(text, str) else b"\t"
        require_text(len(text) + text.count(tab) * max(sizes, default=8))  # type: ignore[arg-type]
    elif name == "replace" and len(args) > 1 and isinstance(args[1], type(text)):
        require_text(len(text) + (len(text) + 1) * len(args[1]))
    elif name == "__mod__":
        _require_percent(text, args[0])
    elif name == "format" and isinstance(text, str):
        try:
            _Widths().vformat(text, args, keywords)
        except TooLarge:
            raise
        except Exception:  # the call itself tells what is wrong
            return


class _Widths(string.Formatter):
    """Checks all format fields of a text without making the text."""

    def format_field(self, value: Any, format_spec: str) -> str:
        require_format(format_spec)
        # what fills a format is a number or a short text
        return format(value, format_spec) if isinstance(value, (int, str)) and not format_spec else ""


def _require_percent(form: str | bytes, values: Any) -> None:
    text = form if isinstance(form, str) else form.decode("latin-1")
    given = values if isinstance(values, tuple) else (values,)
    for style in re.findall(r"%(?:\([^)]*\))?([^a-zA-Z%]*)", text):
        require_format(style)
        if "*" in style:
            require_text(max([abs(value) for value in given if isinstance(value, int)], default=0))


def _power(base: int, exponent: int) -> int:
    """Return a power; beyond all limits, some number that is beyond them too."""
    if base <= 1:
        return base if exponent else 1
    return int(base**exponent) if exponent * base.bit_length() < 1000 else MOST_ITEMS**100


def _inner(value: Any) -> Iterable[Any]:
    """Return the parts of a value."""
    if isinstance(value, RecordValue):
        return value.values
    if isinstance(value, Alternatives):
        return [option for _, option in value.options]
    if isinstance(value, (ListBox, DictBox)):
        value = value.content
    if isinstance(value, Cases):
        return [item for _, items in value.options for item in items]
    if isinstance(value, dict):
        return [item.value if isinstance(item, DictEntry) else item for item in value.values()]
    return value if isinstance(value, (list, tuple)) else ()


_NESTED = (tuple, list, dict, ListBox, DictBox, Alternatives, RecordValue, Cases)
