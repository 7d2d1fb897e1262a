"""Functions of a user's file, named as ``file.py:name`` on the command line."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import re
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from taut.model import Mechanism
from taut.support.errors import InvalidInput, OutOfTime, TautError, meant, meant_file
from taut.support.limits import remaining
from taut.support.options import active

__all__ = ["is_file", "load_function", "load_functions", "named_function"]

_AGAIN = 0.1
"""Seconds between repetitions of an alarm."""


def is_file(target: str) -> bool:
    """Return True if a target names something in a Python file or module."""
    return target.endswith(".py") or ".py:" in target or (".dice" not in target and bool(_IN_MODULE.match(target)))


_IN_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]")


def load_function(target: str) -> Any:
    """Return the object that ``file.py:name`` or ``package.module:name`` names; the name may be an expression.

    Raises:
        InvalidInput: there is no such file, it fails when it is run, or the name is not in it.
    """
    path, colon, name = target.partition(".py:")
    path += colon[:-1]
    if not colon:
        path, _, name = target.partition(":") if _IN_MODULE.match(target) else ("", "", target)
    if not path or not name:
        target = target.rstrip(":")
        raise InvalidInput(f"'{target}': write which function of the file is meant, like {target}:name.", value=target)
    module = _module(Path(path)) if colon else _imported(path)
    if not name.isidentifier():
        return _evaluated(name, module, target)
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if _own(value, module)]
        known = f"its functions are {', '.join(own)}" if own else "there is no function in it"
        raise InvalidInput(f"{path} has no '{name}'; {known}.{meant(name, own)}", value=target)
    return getattr(module, name)


def _imported(name: str) -> ModuleType:
    """Return a module that is installed, or stands in the current folder."""
    try:
        with _as_a_script(Path.cwd()):
            return importlib.import_module(name)
    except ImportError as problem:
        raise InvalidInput(f"there is no module '{name}': {problem}.", value=name) from None


def _evaluated(text: str, module: ModuleType, target: str) -> Any:
    """Return the value of an expression in the names of a module, such as ``Class(epsilon=1).method``."""
    try:
        return eval(text, dict(vars(module)))
    except Exception as problem:
        raise InvalidInput(f"{target}: {type(problem).__name__}: {problem}.", value=target) from None


def load_functions(path: str) -> dict[str, Any]:
    """Return the functions and mechanisms that a file defines, by name, in their order.

    Raises:
        InvalidInput: there is no such file, or it fails when it is run.
    """
    module = _module(Path(path))
    return {name: value for name, value in vars(module).items() if _own(value, module)}


def named_function(given: str, known: Mapping[str, Any], what: str) -> Any:
    """Return a function that has a name of its own here, or that ``file.py:name`` names."""
    if given in known:
        return known[given]
    if not is_file(given):
        raise InvalidInput(
            f"{what} '{given}': there are {', '.join(known)}, and functions given as file.py:name."
            f"{meant(given, known)}",
            value=given,
        )
    function = load_function(given)
    if not callable(function):
        raise InvalidInput(f"{what} {given} is not a function, but {function!r}.", value=given)
    return function


def _module(path: Path) -> ModuleType:
    """Run a user's file as a module; what it prints goes to stderr, and it leaves no compiled file behind."""
    if path.is_dir():
        raise InvalidInput(f"'{path}' is a folder, not a file.", value=str(path))
    if not path.is_file():
        raise InvalidInput(f"there is no file '{path}'.{meant_file(path)}", value=str(path))
    name = f"_taut_{path.stem}_{abs(hash(path.resolve()))}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _as_a_script(path.resolve().parent), _in_time(path):
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


@contextlib.contextmanager
def _in_time(path: Path) -> Iterator[None]:
    """Enforce the time limit on the top-level code of a file, by alarms where the system has them.

    Alarms are repeated, since the file may catch the exception.
    """
    seconds = active().time_limit
    alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not alarms or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def passed(*_: Any) -> None:
        raise OutOfTime(
            f"{path}: the lines of the file itself are not done after {seconds:.4g} seconds. Allow more time "
            "(--time-limit), or move what takes long into a function.",
            value=seconds,
        )

    before = signal.signal(signal.SIGALRM, passed)
    signal.setitimer(signal.ITIMER_REAL, max(remaining(), 0.001), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _where(path: Path, problem: BaseException) -> str:
    """Return the file, and the last line of it that was being run."""
    if isinstance(problem, SyntaxError):
        return str(path) if problem.lineno is None else f"{path}:{problem.lineno}"
    lines, trace = [], problem.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f"{path}:{lines[-1]}" if lines else str(path)


def _sentence(problem: BaseException) -> str:
    text = " ".join((problem.msg if isinstance(problem, SyntaxError) else str(problem)).split())
    return f"the file cannot be run; {type(problem).__name__}{': ' if text else ''}{text}."


def _own(value: Any, module: ModuleType) -> bool:
    function = value.function if isinstance(value, Mechanism) else value
    return inspect.isfunction(function) and function.__module__ == module.__name__
