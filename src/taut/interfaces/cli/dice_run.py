"""The command ``taut run`` and its answer: for people, for programs, in Dice's layout.

It is done without Typer, which takes longer to load than most programs to run.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from fractions import Fraction
from json import dumps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import flint

from taut.interfaces.cli.supervisor import SECONDS, budget
from taut.languages.dice import count_rows, rows
from taut.model.dice_program import DiceProgram, Joint, open_dice
from taut.support.algebra.polynomial import to_flint
from taut.support.errors import DiceFileError, DiceWarning, InvalidInput, TooLarge
from taut.support.exact import large
from taut.support.options import options, worked

__all__ = ["MOST_NODES", "OPTIONS", "read_plainly", "run_program"]

MOST_NODES = 2_000_000
_TABLES = ("exact", "dice")
_MOST_ROWS = 1 << 20
_SHORT = 100
_DECIMALS = 10**9


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


def joint_lines(model: DiceProgram, joint: Joint) -> Iterator[str]:
    """Yield the possible values with exact and decimal probabilities, then the probability of the evidence.

    Fractions of more than a hundred digits are left to JSON.
    """
    table = [("value", "probability", "decimal")]
    for value, probability in joint.distribution.items():
        exact = fraction_text(probability)
        table.append((model.text(value), exact if len(exact) <= _SHORT else "(long)", hum(probability)))
    widths = [max(len(row[column]) for row in table) for column in range(2)]
    for value, exact, decimal in table:
        yield f"{value:<{widths[0]}}  {exact:<{widths[1]}}  {decimal}"
    if any(row[1] == "(long)" for row in table):
        yield f"(fractions of over {_SHORT} digits are printed by --json)"
    if joint.evidence != 1:
        yield evidence_line(joint)


def evidence_line(joint: Joint) -> str:
    """Return the probability of what was observed, exactly if that is short, and as a decimal."""
    exact = fraction_text(joint.evidence)
    return f"evidence: {f'{exact} = ' if 1 < len(exact) <= _SHORT else ''}{hum(joint.evidence)}"


def dice_lines(model: DiceProgram, joint: Joint) -> Iterator[str]:
    """Yield Dice's own table: all values of the type, impossible ones too, with nine decimals."""
    yield _banner("Joint Distribution")
    yield "Value\tProbability\t"
    for value, probability in all_rows(model, joint):
        yield f"{model.text(value)}\t{nine_decimals(probability)}\t"
    yield ""


def dice_size_lines(size: int) -> Iterator[str]:
    """Yield the size of the diagram, as Dice prints it."""
    yield _banner("Final compiled BDD size")
    yield str(size)
    yield ""


def joint_dict(model: DiceProgram, joint: Joint, every: bool) -> dict[str, Any]:
    """Return the answer as plain data; with ``every`` the impossible values too."""
    listed = all_rows(model, joint) if every else joint.distribution.items()
    return {
        "distribution": [
            {"value": model.text(value), "probability": fraction_text(probability)} for value, probability in listed
        ],
        "evidence": fraction_text(joint.evidence),
        "lost": fraction_text(joint.lost),
    }


def all_rows(model: DiceProgram, joint: Joint) -> Iterator[tuple[Any, Fraction]]:
    """Return all values of the result's type in Dice's order, with their probabilities.

    Raises:
        TooLarge: there are more than 2^20.
    """
    count = count_rows(model.lowered.result)
    if count > _MOST_ROWS:
        raise TooLarge(
            f"Dice's table has a row for each of the {large(count)} values of {model.lowered.result}; at most "
            f"{_MOST_ROWS} are printed. Without --table dice only the possible ones are.",
            value=count,
        )
    return ((value, joint.distribution.get(value, Fraction(0))) for value in rows(model.lowered.result))


def nine_decimals(probability: Fraction) -> str:
    """Return a probability rounded to nine decimals, without zeros at its end, as Dice prints it.

    >>> nine_decimals(Fraction(1, 3)), nine_decimals(Fraction(1, 2)), nine_decimals(Fraction(1, 10**10))
    ('0.333333333', '0.5', '0')
    """
    above, below = probability.numerator, probability.denominator
    whole, rest = divmod((2 * _DECIMALS * above + below) // (2 * below), _DECIMALS)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def fraction_text(value: Fraction) -> str:
    """Format a fraction as p/q with all its digits."""
    above = str(flint.fmpz(value.numerator))
    return above if value.denominator == 1 else f"{above}/{flint.fmpz(value.denominator)}"


def hum(value: Fraction) -> str:
    """Format a probability with ten significant digits, however small."""
    if value == 0 or float(value) > 1e-300:
        return f"{float(value):.10g}"
    with flint.ctx.workprec(256):
        text: str = flint.arb(to_flint(value)).str(10, radius=False)
        return text


def _banner(title: str) -> str:
    return f"================[ {title} ]================"


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
