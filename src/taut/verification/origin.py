"""Origin of a model: the text of its mechanism and of all that it calls, to replay a result years later."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.model.decorators import Mechanism
from taut.model.dice import DiceModel
from taut.model.model import Model
from taut.support.errors import InvalidInput
from taut.support.files import read_file

__all__ = ["Origin", "fingerprint", "function_named", "origin_of", "sources_of", "text_hash"]

_MOST_BYTES = 16 << 20
"""Limit for the bytes of a source file."""
_PLAIN = (bool, int, float, str, bytes, type(None))


@dataclass(frozen=True)
class Origin:
    """The mechanism of a model: name, file, source text and arguments."""

    language: str
    name: str
    """The function's name; empty for a whole Dice program."""
    file: Path | None
    """The file it stands in; None for a built-in mechanism."""
    sources: Mapping[str, str]
    """The text of the function first, then of all functions and constants that it uses, by name."""
    arguments: Mapping[str, Any]


def origin_of(model: Model) -> Origin:
    """Return the origin of a model.

    Raises:
        InvalidInput: the model is not that of a mechanism: a formula, or a mechanism on one fixed input.
    """
    if isinstance(model, DiceModel):
        text, called = model.file.source.text, model.called
        path = Path(model.file.source.name)
        return Origin("dice", called or "", path, {path.name: text}, model.arguments)
    if model.function is None:
        raise InvalidInput("save: only results of mechanisms can be saved, not those of formulas or fixed inputs.")
    function = model.function.function
    own = function.__module__ == "taut" or function.__module__.startswith("taut.")
    file = None if own else Path(inspect.getsourcefile(function) or "")
    return Origin("python", function.__qualname__, file, sources_of(function), model.function.arguments)


def sources_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the source texts of a function and of all functions that it can reach.

    These are the functions and the plain constants that it uses by name, directly or not; what belongs to taut or to
    an installed library is taken as it is.
    """
    found: dict[str, str] = {}
    open_functions = [inspect.unwrap(function)]
    seen: set[int] = set()
    while open_functions:
        current = open_functions.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        found[_free(current.__qualname__, found)] = textwrap.dedent(inspect.getsource(current))
        for name, value in _used(current):
            inner = value.function if isinstance(value, Mechanism) else value
            if inspect.isfunction(inner) and _is_users(inner, function):
                open_functions.append(inspect.unwrap(inner))
            elif _is_constant(value):
                found[_free(name, found)] = repr(value)
    return found


def fingerprint(sources: Mapping[str, str]) -> str:
    """Return a hash of the texts, for comparison; line ends and the space around a text do not count."""
    whole = "\n\x00".join(f"{name}\n{_lines(text)}" for name, text in sources.items())
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


def text_hash(path: Path) -> str | None:
    """Return a hash of the text of a whole file; None if there is no such file, or it is not text."""
    try:
        return fingerprint({"": read_file(path, _MOST_BYTES).decode("utf-8")})
    except (InvalidInput, UnicodeDecodeError):
        return None


def function_named(function: Any) -> tuple[str, str | None]:
    """Return a name and a hash of the text of a function; no hash for what belongs to Python or taut.

    >>> function_named(sum)
    ('builtins.sum', None)
    """
    inner = function.function if isinstance(function, Mechanism) else function
    home = str(getattr(inner, "__module__", ""))
    name = str(getattr(inner, "__qualname__", type(inner).__name__))
    if home == "builtins" or home == "taut" or home.startswith("taut."):
        return f"{home}.{name}", None
    try:
        return name, fingerprint(sources_of(inner))
    except (TypeError, OSError, AttributeError):  # such as an object that can be called, or a function without a file
        return name, None


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def _free(name: str, taken: Mapping[str, str]) -> str:
    return name if name not in taken else _free(f"{name}'", taken)


def _is_users(inner: Any, function: Any) -> bool:
    """Return True if a function may change with the mechanism: not taut's own, unless the mechanism is that too."""
    home = str(inner.__module__)
    if home == function.__module__:
        return True
    file = inspect.getsourcefile(inner) or ""
    return not (home == "taut" or home.startswith("taut.") or "site-packages" in file or "/lib/python" in file)


def _is_constant(value: Any) -> bool:
    from fractions import Fraction

    if isinstance(value, (tuple, list, frozenset, set)):
        return all(_is_constant(item) for item in value)
    if isinstance(value, dict):
        return all(_is_constant(key) and _is_constant(item) for key, item in value.items())
    return isinstance(value, (*_PLAIN, Fraction))


def _used(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of the names that a function reads from its module and from the functions around it."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not set yet
            continue
    for name in dict.fromkeys(_names(code)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
