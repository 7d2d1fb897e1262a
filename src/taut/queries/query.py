"""What is typed after a command: which mechanism, and the values of its arguments."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from taut.domains import Domain
from taut.errors import InvalidInput, TautError
from taut.mechanisms import Entry, resolve
from taut.model import DiceMechanism, Mechanism, Model, load_dice, mechanism
from taut.numbers import Ball
from taut.queries.literals import parse_choices, parse_value

__all__ = ["Query", "load_function", "named_function", "read_query", "read_sweep"]

_MOST_ENTRIES = 100_000


@dataclass(frozen=True)
class Query:
    """A mechanism with the arguments that were typed."""

    name: str
    mechanism: Mechanism
    entry: Entry | None
    given: Mapping[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments by name, databases as domains."""
        if self.entry is None:
            found = dict(self.given)
            wanted = list(inspect.signature(self.mechanism.function).parameters)
            needed = bool(wanted) or not isinstance(self.mechanism, DiceMechanism)
            if needed and not any(isinstance(value, Domain) for value in found.values()):
                example = f"'{wanted[0]}=bits(4)'" if wanted else "'x=bits(4)'"
                raise InvalidInput(f"{self.name}: no database is given; write one as a domain, like {example}.")
            return found
        given = dict(self.given)
        n = given.pop("n", None)
        if n is not None and (isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= _MOST_ENTRIES):
            raise InvalidInput(f"{self.name}: n must be a whole number from 0 to {_MOST_ENTRIES}; got {n}.", value=n)
        found = self.entry.arguments(n, **given)
        for database in self.entry.domain(0, **found):
            if not isinstance(found[database], Domain):
                raise InvalidInput(
                    f"{self.name}: {database} must be a domain, like '{database}=bits(4)'; got {found[database]!r}.",
                    value=found[database],
                )
        return found

    @property
    def neighbors(self) -> str:
        """The relation that the mechanism was made for."""
        return self.mechanism.neighbors or "one_differ"

    @property
    def label(self) -> str:
        """The mechanism and its arguments, as one would write them."""
        return f"{self.mechanism.function.__name__}({self._settings()})"

    def label_without(self, parameter: str) -> str:
        """The same, without one parameter; n is part of every database."""
        return f"{self.mechanism.function.__name__}({self._settings(parameter)})"

    def _settings(self, without: str | None = None) -> str:
        return ", ".join(
            f"{name}={_shown(value)}"
            for name, value in self.arguments.items()
            if name != without and not (without == "n" and isinstance(value, Domain))
        )

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        total = 1
        for value in self.arguments.values():
            total *= value.size if isinstance(value, Domain) else 1
        return total

    def model(self) -> Model:
        """The mechanism on its domain."""
        model: Model = self.mechanism(**self.arguments)
        return model

    def with_value(self, name: str, value: Any) -> Query:
        return replace(self, given={**self.given, name: value})


def read_query(target: str, settings: Iterable[str]) -> Query:
    """The mechanism that a target names, with its ``name=value`` settings.

    Raises:
        InvalidInput: there is no such mechanism, or a setting is no ``name=value``.
    """
    return _query(target, {name: parse_value(text, name) for name, text in _pairs(settings)})


def read_sweep(target: str, settings: Iterable[str]) -> tuple[Query, str, list[Any]]:
    """The same, where one setting is a range or a comma list: also its name and its values."""
    given: dict[str, Any] = {}
    swept: dict[str, list[Any]] = {}
    for name, text in _pairs(settings):
        choices = parse_choices(text, name)
        if choices is None:
            given[name] = parse_value(text, name)
        else:
            swept[name] = choices
    if len(swept) != 1:
        found = f"these are {len(swept)}: {', '.join(swept)}" if swept else "there is none"
        raise InvalidInput(f"a sweep needs exactly one range, such as lam=0.05:0.5:0.05 or n=2,4,8; {found}.")
    ((name, values),) = swept.items()
    return _query(target, {**given, name: values[0]}), name, values


def load_function(target: str) -> Any:
    """The object that ``file.py:name`` names.

    Raises:
        InvalidInput: there is no such file, it fails when it is run, or the name is not in it.
    """
    path, _, name = target.rpartition(":")
    if not path:
        raise InvalidInput(f"'{target}': write which function of the file is meant, like {target}:name.", value=target)
    module = _module(Path(path))
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if _own(value, module)]
        known = f"there are {', '.join(own)}" if own else "there is no function in it"
        raise InvalidInput(f"{path} has no '{name}'; {known}.", value=target)
    return getattr(module, name)


def named_function(given: str, known: Mapping[str, Any], what: str) -> Any:
    """A function that has a name of its own here, or that ``file.py:name`` names."""
    if given in known:
        return known[given]
    if not _is_file(given):
        raise InvalidInput(
            f"{what} '{given}': there are {', '.join(known)}, and functions given as file.py:name.", value=given
        )
    function = load_function(given)
    if not callable(function):
        raise InvalidInput(f"{what} {given} is no function, but {function!r}.", value=given)
    return function


def _query(target: str, given: dict[str, Any]) -> Query:
    if target.endswith(".dice") or ".dice:" in target:
        return Query(target, load_dice(target), None, given)
    if not _is_file(target):
        entry = resolve(target)
        return Query(entry.name, entry.mechanism, entry, given)
    found = load_function(target)
    if not isinstance(found, Mechanism) and not inspect.isfunction(found):
        raise InvalidInput(f"{target} is no mechanism and no function, but {found!r}.", value=target)
    return Query(target, found if isinstance(found, Mechanism) else mechanism(found), None, given)


def _is_file(target: str) -> bool:
    return target.endswith(".py") or ".py:" in target


def _pairs(settings: Iterable[str]) -> Iterator[tuple[str, str]]:
    seen = set()
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InvalidInput(f"'{setting}' is no setting; write name=value, like lam=1/5.", value=setting)
        name = name.strip()
        if name in seen:
            raise InvalidInput(f"{name} is given twice.", value=setting)
        seen.add(name)
        yield name, text


def _module(path: Path) -> ModuleType:
    """Run a user's file as a module; what it prints goes to stderr, and it leaves no compiled file behind."""
    if not path.is_file():
        raise InvalidInput(f"there is no file '{path}'.", value=str(path))
    name = f"_taut_{path.stem}_{abs(hash(path.resolve()))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _as_a_script(path.resolve().parent):
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as problem:
            del sys.modules[name]
            if isinstance(problem, TautError):
                raise
            raise InvalidInput(f"{_where(path, problem)}: {_sentence(problem)}", value=str(path)) from None
    return module


@contextlib.contextmanager
def _as_a_script(folder: Path) -> Iterator[None]:
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(folder))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.dont_write_bytecode = written
        with contextlib.suppress(ValueError):
            sys.path.remove(str(folder))


def _where(path: Path, problem: BaseException) -> str:
    """The file, and the last line of it that was being run."""
    if isinstance(problem, SyntaxError):
        return f"{path}:{problem.lineno}"
    lines, trace = [], problem.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"{path}:{lines[-1]}" if lines else str(path)


def _sentence(problem: BaseException) -> str:
    text = " ".join((problem.msg if isinstance(problem, SyntaxError) else str(problem)).split())
    return f"the file cannot be run; {type(problem).__name__}{': ' if text else ''}{text}."


def _shown(value: Any) -> str:
    return f"{float(value):.6g}" if isinstance(value, Ball) else str(value)


def _own(value: Any, module: ModuleType) -> bool:
    function: Callable[..., Any] | Any = value.function if isinstance(value, Mechanism) else value
    return inspect.isfunction(function) and function.__module__ == module.__name__
