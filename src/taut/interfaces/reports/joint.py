"""The answer to a Dice program: for people, for programs, and in Dice's own layout."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import flint

from taut.languages.dice import count_rows, rows
from taut.model.dice_program import DiceProgram, Joint
from taut.support.algebra.polynomial import to_flint
from taut.support.errors import TooLarge
from taut.support.exact import large

__all__ = [
    "dice_lines",
    "dice_size_lines",
    "evidence_line",
    "fraction_text",
    "hum",
    "joint_dict",
    "joint_lines",
    "nine_decimals",
]

_MOST_ROWS = 1 << 20
_SHORT = 100
_DECIMALS = 10**9


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
