"""The command ``taut run`` without Typer, which takes longer to load than most programs to run."""

from __future__ import annotations

import sys
import warnings
from json import dumps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from taut.interfaces.cli.supervisor import SECONDS, budget
from taut.interfaces.reports.joint import (
    dice_lines,
    dice_size_lines,
    evidence_line,
    fraction_text,
    hum,
    joint_dict,
    joint_lines,
)
from taut.model.dice_program import DiceProgram, Joint, open_dice
from taut.support.errors import DiceFileError, DiceWarning, InvalidInput
from taut.support.options import options, worked

__all__ = ["MOST_NODES", "OPTIONS", "read_plainly", "run_program"]

MOST_NODES = 2_000_000
_TABLES = ("exact", "dice")
_SHORT = 100


def read_plainly(arguments: list[str]) -> dict[str, Any] | None:
    """Read a command line of a program and fully spelled options with their values.

    Return None for any other: a request for help, abbreviations, mistakes.
    """
    found: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        kind = OPTIONS.get(argument)
        name = argument[2:].replace("-", "_") if kind else "program"
        if name in found or (kind is None and argument.startswith("-")):
            return None
        if kind is bool:
            found[name] = True
        elif kind is None:
            found[name] = Path(argument)
        else:
            try:
                found[name] = kind(next(rest))
            except (ValueError, StopIteration):
                return None
    return found if "program" in found else None


def run_program(
    program: Path,
    *,
    table: Annotated[str, "exact: possible values, fractions; dice: Dice's own table."] = "exact",
    show_size: Annotated[bool, "Also print the size of Dice's diagram."] = False,
    skip_table: Annotated[bool, "No distribution: the evidence, and the size if asked for."] = False,
    recursion_limit: Annotated[int, "Nested calls of a recursive function."] = 10,
    max_list_length: Annotated[int | None, "Items a list holds; by default the recursion limit."] = None,
    strict: Annotated[bool, "Refuse what Dice does quietly: lost runs, weights that do not sum to 1."] = False,
    time_limit: Annotated[float, "Seconds for everything, reading and verifying included; 0 for no limit."] = SECONDS,
    max_nodes: Annotated[int, "Nodes that the diagram may have."] = MOST_NODES,
    json: Annotated[bool, "Print JSON for other programs."] = False,
) -> None:
    """Print the exact joint distribution of a Dice program, or what else was asked for."""
    if table not in _TABLES:
        raise InvalidInput(f"--table '{table}': there are {' and '.join(_TABLES)}.", value=table)
    if ".dice:" in str(program) and not program.exists():
        raise DiceFileError(
            f"'{program}' names a function; 'taut run' runs a whole program, 'taut privacy' and others take functions.",
            value=str(program),
        )

    def work() -> tuple[DiceProgram, Joint, int | None]:
        file = open_dice(program, recursion_limit=recursion_limit, max_list_length=max_list_length, strict=strict)
        model = DiceProgram(file, file.lower(), current)
        model.check_recursion(strict)
        joint = model.without_table() if skip_table else model.joint()
        return model, joint, model.bdd_size() if show_size else None

    with budget(time_limit), options(max_nodes=max_nodes) as current, warnings.catch_warnings():
        warnings.simplefilter("ignore", DiceWarning)
        model, joint, size = worked(work)
    if json:
        answer = joint_dict(model, joint, every=table == "dice")
        if skip_table:
            del answer["distribution"]
        print(dumps(answer if size is None else {**answer, "size": size}, indent=2))
    else:
        if skip_table:
            lines = [] if table == "dice" else [evidence_line(joint)]
        else:
            lines = list(dice_lines(model, joint) if table == "dice" else joint_lines(model, joint))
        if size is not None:
            lines += dice_size_lines(size) if table == "dice" else [f"size: {size} binary nodes"]
        if lines:
            print("\n".join(lines))
    if model.file.warnings:
        print("\n".join(f"taut: warning: {warning}" for warning in model.file.warnings), file=sys.stderr)
    if joint.lost:
        exact = fraction_text(joint.lost)
        shown = f"{exact} = {hum(joint.lost)}" if len(exact) <= _SHORT else hum(joint.lost)
        print(
            f"taut: warning: {program}: runs of probability {shown} pass the recursion limit of {recursion_limit}; "
            "they do not count, as in Dice. Raise --recursion-limit, or refuse such programs with --strict.",
            file=sys.stderr,
        )


def _options() -> dict[str, type]:
    """Return the options with the types of their values; None, where it is allowed, is never typed."""
    hints = {
        name: get_args(hint)[0]
        for name, hint in get_type_hints(run_program, include_extras=True).items()
        if get_args(hint)
    }
    return {f"--{name.replace('_', '-')}": (get_args(kind) or (kind,))[0] for name, kind in hints.items()}


OPTIONS = _options()
"""The options of the command with the types of their values; a bool has none."""
