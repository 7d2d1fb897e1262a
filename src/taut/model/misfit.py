"""A target or a distance that does not suit the output of a mechanism, said in words about the two."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from taut.languages.python.reading import Reading
from taut.program import Program, evaluate
from taut.support.errors import InvalidInput, TautError, TooLarge
from taut.support.exact import is_number

__all__ = ["misfit", "not_a_number"]

_SHOWN = 60


def misfit(program: Program, reading: Reading, target: Any, distance: Any, problem: TautError) -> TautError:
    """The error to raise where the distance between output and target cannot be read.

    Parameters
    ----------
    program, reading
        The mechanism.
    target, distance
        What the user gave; no distance is the absolute difference.
    problem
        The error that was met.

    Returns
    -------
    TautError
        An error that names output and target, with one value of each, if the functions involved are ours; else
        ``problem``, whose place is a line that the user wrote.
    """
    if isinstance(problem, TooLarge):
        return problem
    try:
        aim = reading.aim(target)
    except TautError as earlier:
        if not _is_ours(target):
            return earlier
        domains = " and ".join(map(str, program.domains))
        return InvalidInput(f"the target '{_name(target)}' cannot be had on {domains}: {earlier.message}", value=target)
    if distance is not None and not _is_ours(distance):
        return problem if problem.place is not None else _compared(reading, target, distance, problem)
    y, wanted = _example(program), _example(aim)
    why = "they have no difference" if distance is None else f"the distance '{_name(distance)}' cannot compare them"
    both = f"'{program.name}' returns {_described(y)}, the target {_described(wanted)}; {why}"
    return InvalidInput(f"{both}. {_advice(y)}", value=wanted)


def not_a_number(distance: Any, gap: Program) -> InvalidInput:
    """The error of a distance that can be had, but is not always a number; ``gap`` is the program that returns it."""
    values = gap.output.values if isinstance(gap.output.values, frozenset) else ()
    far = next((value for value in sorted(values, key=repr) if not is_number(value)), None)
    far = _example(gap) if far is None and None not in values else far
    name = f" '{_name(distance)}'" if distance is not None and _name(distance) != "<lambda>" else ""
    return InvalidInput(f"the distance{name} must return a number; it returns {_described(far)}.", value=far)


def _compared(reading: Reading, target: Any, distance: Any, problem: TautError) -> TautError:
    """The error of a distance of the user's own that alpha cannot be compared with."""
    try:
        return not_a_number(distance, reading.gap(target, distance))
    except TautError:
        return problem


def _advice(y: Any) -> str:
    if isinstance(y, tuple):
        return (
            "Compare lists with lists: with the database itself (--target identity --distance hamming), or with a list "
            "of your own (--target file.py:name --distance largest)."
        )
    if isinstance(y, (int, Fraction)):
        return "Choose a target that is a number, such as --target sum, and --distance absolute."
    return "Choose a target that returns such a value, and --distance different."


def _described(value: Any) -> str:
    text = _text(value)
    if isinstance(value, tuple):
        return f"a list of {len(value)} (such as {text})"
    return f"a number (such as {text})" if isinstance(value, (int, Fraction)) else f"a value such as {text}"


def _text(value: Any) -> str:
    text = repr(value) if not isinstance(value, Fraction) else str(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _example(program: Program) -> Any:
    """Return the output of the program for the first value of each input and of each coin."""
    entries = [variable.values[0] for variable in program.inputs]
    return evaluate(program.output, entries, {number: coin.outcomes[0] for number, coin in enumerate(program.coins)})


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).partition(".")[0] in ("taut", "builtins")


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", function))
