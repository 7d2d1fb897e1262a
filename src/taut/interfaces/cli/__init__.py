"""The command ``taut``."""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import os
import sys
import warnings
from typing import Any, NoReturn

from taut.interfaces.cli.commands import commands, help_text, home_of, unknown_command
from taut.interfaces.cli.output import BAD_INPUT, INTERRUPTED, TOO_LARGE, WRONG, printable, stop
from taut.interfaces.cli.supervisor import end, is_supervised, supervise
from taut.support.errors import DiceWarning, TautError, TooLarge
from taut.support.limits import advised
from taut.support.package import __version__

__all__ = ["load_commands", "main"]

_FIRST_STEPS = """taut computes exact, tight privacy and accuracy bounds of differentially private algorithms.

  taut privacy rr n=8 lam=1/5     the exact eps of a built-in mechanism, with its worst case
  taut play                       the same and more on a page in the browser
  taut list                       the mechanisms that are built in
  taut new mine.py                write a mechanism of your own to start from, with a claim
  taut check mine.py              check what it claims
  taut --help                     all commands"""


_UNLIMITED = ("compare", "explain", "list", "new", "play")
"""Commands without a time limit, or that work in other processes."""


def load_commands(asked: str | None = None) -> None:
    """Load the command that was typed; if it is unknown, load all."""
    known = commands()
    wanted = [asked] if asked in known else list(known)
    for home in dict.fromkeys(home_of(name) for name in wanted):
        module = importlib.import_module(f"taut.interfaces.cli.{home}")
        if home == "asking":
            module.add_commands([name for name in wanted if home_of(name) == home])


def main() -> None:
    """Run the command, and end the process with its exit code."""
    try:
        with advised("with --time-limit 600, in seconds", "with --max-memory 8, in GB"):
            _main(sys._getframe(1).f_globals.get("__name__") == "__main__")
    except SystemExit as found:
        if is_supervised():
            end(found.code if isinstance(found.code, int) else 0)
        raise


def _main(program: bool) -> NoReturn:
    """Run the command; whatever goes wrong is one sentence on stderr and an exit code, never a traceback.

    Exit codes: 0 an answer, 1 a claim that fails, 2 bad input, 3 too large, 4 only an interval, or a part of the answer
    (in a comparison: no answer at all), 130 interrupted; 1 is also a fault of taut itself.
    """
    sys.set_int_max_str_digits(0)  # an exact answer may have more digits than Python prints by default
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # outputs may have letters that the terminal has not
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", DiceWarning)
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            code = _run(sys.argv[1:], program)
    except TooLarge as problem:
        stop(str(problem), TOO_LARGE)
    except TautError as problem:
        stop(str(problem), BAD_INPUT)
    except MemoryError:
        stop("there is not enough memory for this.", TOO_LARGE)
    except KeyboardInterrupt:
        stop("interrupted.", INTERRUPTED)
    except BrokenPipeError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            _fault(problem)
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        stop(f"the output cannot be written: {problem.strerror}.", BAD_INPUT)
    except Exception as problem:
        if type(problem).__name__ == "Abort":
            stop("interrupted.", INTERRUPTED)
        if hasattr(problem, "format_message"):  # a usage error of Click, also where Typer brings its own copy of it
            _usage(problem)
        _fault(problem)
    if code == INTERRUPTED:  # what Typer makes of Ctrl-C inside a command
        stop("interrupted.", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _fault(problem: Exception) -> NoReturn:
    """End the command because of a fault of taut itself; raise the error where its traceback is wanted."""
    if os.environ.get("TAUT_TRACEBACK"):
        raise problem
    stop(f"this is a fault in taut: {type(problem).__name__}: {problem} (TAUT_TRACEBACK=1 shows where).", WRONG)


def _run(arguments: list[str], program: bool) -> Any:
    """Run a command; answer ``--help`` and ``--version`` without loading any.

    As a program of its own, a command runs under a process that ends it at its limits.
    """
    if not arguments:
        return print(_FIRST_STEPS)
    if arguments == ["--version"]:
        return print(f"taut {__version__}")
    if arguments in (["--help"], ["help"]):
        return print(help_text())
    if not arguments[0].startswith("-") and arguments[0] not in commands():
        stop(unknown_command(arguments[0]), BAD_INPUT)
    if arguments in (["list"], ["list", "--json"]):
        from taut.interfaces.cli.listing import print_list

        return print_list(as_json="--json" in arguments)
    if arguments[0] == "run":
        from taut.interfaces.cli.dice_run import read_plainly, run_program

        plain = read_plainly(arguments[1:])
        if plain is not None:
            if program:
                supervise(arguments)
            return run_program(**plain)
    if program and arguments[0] not in _UNLIMITED:
        supervise(arguments)
    load_commands(arguments[0])
    from taut.interfaces.cli.common import app

    return app(prog_name="taut", standalone_mode=False)


def _show_warning(message: Warning | str, *_: Any) -> None:
    print(f"taut: warning: {printable(str(message))}", file=sys.stderr)


def _usage(problem: Any) -> NoReturn:
    """Refuse a command line that cannot be read; without any arguments print the help."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        print(problem.format_message(), file=sys.stderr)
        sys.exit(BAD_INPUT)
    message = problem.format_message().strip()
    message += "" if message.endswith((".", "?")) else "."
    path = problem.ctx.command_path if getattr(problem, "ctx", None) is not None else "taut"
    stop(f"{message} See '{path} --help'.", BAD_INPUT)
