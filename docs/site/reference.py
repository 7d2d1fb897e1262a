"""The reference pages, made from docstrings and from the command line: nothing here is typed twice."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Any

import typer
from figures import profile_of

import taut
from taut import measures, mechanisms, testing
from taut.interfaces import cli
from taut.interfaces.cli.common import app
from taut.interfaces.queries.query import read_query
from taut.questions import bound, loss, pair_measure, privacy_profile
from taut.questions.drawn import ClassList
from taut.questions.measure import Measure
from taut.questions.question import Question
from taut.questions.registry import registered

PAGES = {
    "commands.md": "Command line",
    "writing.rst": "Writing mechanisms",
    "asking.rst": "Asking",
    "results.rst": "Answers",
    "measures.rst": "The module taut.measures",
    "claims.rst": "Functions for claims and tests",
    "mechanisms.md": "Source of built-in mechanisms",
    "errors.rst": "Errors",
}
"""The pages with their titles."""

_WRITING = [
    *["mechanism", "helper", "Mechanism"],
    *["Domain", "bits", "ints", "integer", "categories"],
    *["flip", "uniform", "discrete", "binomial", "geometric", "discrete_laplace", "discrete_gaussian", "exponential"],
    *["laplace", "exponential_noise"],
    *["choice", "permutation", "shuffle", "observe", "exp"],
]
_CLAIMS = ["claim", "check", "Claim", "Verdict", "Counterexample", "replay"]


def pages() -> dict[str, str]:
    """The text of each reference page, by its name."""
    public = [name for name in taut.__all__ if not name.startswith("_")]
    errors = [name for name in public if _is(name, Exception)]
    found = _answers()
    answers = [name for name in public if getattr(taut, name) in found]
    writing = [name for name in _WRITING if name in public]
    rest = [name for name in public if name not in {*errors, *answers, *writing, *_CLAIMS}]
    asking = sorted(rest, key=lambda name: (name != "Model", inspect.isclass(getattr(taut, name)), name.lower()))
    texts = [
        _commands(),
        _python(taut, writing, "What a mechanism is made of."),
        _python(taut, asking, "What a mechanism can be asked, and with which limits."),
        "Bounds, their witnesses, profiles: what questions return.\n"
        + "".join(_block(value.__module__, value.__name__, value) for value in found)
        + "\n",
        _python(measures, measures.__all__, "What a bound can be a bound of."),
        _python(taut, _CLAIMS, "Guarantees that are checked like code.")
        + _python(testing, testing.__all__, "In tests of your own:"),
        _mechanisms(),
        _python(taut, sorted(errors, key=_depth), "All derive from ``TautError``."),
    ]
    return {
        name: (f"# {title}\n\n" if name.endswith(".md") else f"{title}\n{'=' * len(title)}\n\n") + text
        for (name, title), text in zip(PAGES.items(), texts, strict=True)
    }


def _python(module: Any, names: Iterable[str], summary: str) -> str:
    """A page of reStructuredText that shows the docstrings of these names of a module."""
    blocks = [f"{summary}\n"]
    for name in names:
        value = getattr(module, name)
        if not getattr(value, "__doc__", None):
            continue
        blocks.append(_block(module.__name__, name, value))
    return "".join(blocks) + "\n"


def _block(home: str, name: str, value: Any) -> str:
    """The directive that shows the docstring of one name."""
    kind = "autodata"
    if inspect.isclass(value):
        kind = "autoexception" if issubclass(value, Exception) else "autoclass"
    elif callable(value):
        kind = "autofunction"
    members = "   :members:\n   :inherited-members: tuple, str, dict, list\n" if kind == "autoclass" else ""
    return f"\n.. {kind}:: {home}.{name}\n{members}"


def _answers() -> list[type[Any]]:
    """The classes of what questions return, by name: bounds, witnesses, classes of cases, loss distributions."""
    homes = [sys.modules[kind.__module__] for kind in registered().values()]
    homes += [bound, loss, pair_measure, privacy_profile]
    named = {name: getattr(home, name) for home in homes for name in home.__all__} | {"ClassList": ClassList}
    return [
        value
        for _, value in sorted(named.items())
        if inspect.isclass(value)
        and value.__module__.startswith("taut.")
        and not issubclass(value, (Measure, Question))
    ]


def _mechanisms() -> str:
    """Each built-in mechanism: what it returns, its source, its exact profile."""
    blocks = [
        "Imported from `taut.mechanisms`; `taut show NAME` prints the same source, `taut profile NAME` the profile.\n"
    ]
    for name, entry in mechanisms.CATALOG.items():
        function = inspect.unwrap(getattr(entry.mechanism, "function", entry.mechanism))
        summary = (inspect.getdoc(function) or "").split("\n\n")[0]
        blocks.append(f"\n## {name}\n\n{summary}\n\n````python\n{inspect.getsource(function).rstrip()}\n````\n")
        blocks.append(
            f"\n`{read_query(name, []).label}`: {profile_of(name)}.\n\n![delta against epsilon](profile_{name}.svg)\n"
        )
    return "".join(blocks)


def pictures() -> dict[str, bytes]:
    """The profiles that the page on mechanisms shows."""
    return {f"profile_{name}.svg": profile_of(name).plot()._repr_svg_().encode() for name in mechanisms.CATALOG}


def _commands() -> str:
    """Every command with its arguments and options, as ``taut COMMAND --help`` has them."""
    cli.load_commands()
    group: Any = typer.main.get_command(app)
    root = group.make_context("taut", [], resilient_parsing=True)
    blocks = [inspect.getdoc(cli.main) or "", "\n\n| Command | What it does |\n|---|---|\n"]
    commands = {name: group.get_command(root, name) for name in group.list_commands(root)}
    for name, command in commands.items():
        blocks.append(f"| [`taut {name}`](#taut-{name}) | {_cell((command.help or '').split(chr(10) * 2)[0])} |\n")
    for name, command in commands.items():
        context = command.make_context(f"taut {name}", [], resilient_parsing=True)
        usage = " ".join(command.collect_usage_pieces(context))
        blocks.append(
            f"\n## taut {name}\n\n```text\ntaut {name} {usage}\n```\n\n{inspect.cleandoc(command.help or '')}\n\n"
        )
        rows = [_row(parameter, context) for parameter in command.get_params(context)]
        blocks.append("| Argument or option | |\n|---|---|\n" + "".join(rows))
    return "".join(blocks)


def _row(parameter: Any, context: Any) -> str:
    """One argument or option as a row of a table."""
    name, said = parameter.get_help_record(context) or ("", "")
    return f"| `{_cell(name)}` | {_cell(said)} |\n" if name else ""


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _is(name: str, kind: type, module: Any = taut) -> bool:
    value = getattr(module, name)
    return inspect.isclass(value) and issubclass(value, kind)


def _depth(name: str) -> tuple[int, str]:
    return len(getattr(taut, name).__mro__), name
