"""Dice as a separate program on the path: calls, its table of rounded probabilities, and two peers."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.interfaces.peers.dice.program import DiceExport, dice_program
from taut.interfaces.peers.peer import Peer, Run, input_by_input, one_for_all
from taut.interfaces.peers.tool import Finished, run_tool
from taut.support.errors import ToolFailed, ToolMissing

__all__ = ["DICE", "DICE_JOINT", "FLAGS", "ask_dice", "dice_missing"]

FLAGS = ("-json", "-show-size", "-inline-functions")
"""The flags of the published experiments; the known bug of inlining does not affect exported programs."""
DECIMALS = 9
"""Number of decimals that Dice prints, without trailing zeros; no option gives more."""


def dice_missing() -> str | None:
    """Return the reason why Dice is unavailable and how to install it; None if it is available."""
    if shutil.which("dice") is None:
        return (
            "Dice: there is no 'dice' on the path; build it from github.com/SHoltzen/dice (OCaml and Rust) and put its "
            "executable there."
        )
    return None


def ask_dice(program: DiceExport) -> Run:
    """Return the distribution that Dice prints, rounded to nine decimals; rows of probability 0 are dropped.

    Half a unit of the last decimal is the slack of a probability, for each of the rows that stand for its output.

    Raises:
        ToolMissing: there is no ``dice``.
        ToolFailed: it gives no table.
    """
    missing = dice_missing()
    if missing is not None:
        raise ToolMissing(missing, value="dice")
    with tempfile.TemporaryDirectory(prefix="taut-") as folder:
        path = Path(folder) / "program.dice"
        path.write_text(program.text, encoding="utf-8")
        try:
            run = run_tool([shutil.which("dice") or "dice", str(path), *FLAGS])
        except OSError as problem:
            raise ToolFailed(f"Dice cannot be run: {problem.strerror or problem}.", value="dice") from None
    rows, sizes = _read(run)
    answers: dict[Any, Fraction] = {}
    together: Counter[Any] = Counter()
    for words, share in rows:
        if share:
            y = program.decode([_value(word) for word in words])
            answers[y] = answers.get(y, Fraction(0)) + share
            together[y] += 1
    slack = Fraction(max(together.values(), default=1), 2 * 10**DECIMALS)
    return Run(answers, sizes, run.seconds, run.cpu_seconds, run.megabytes, slack)


def _read(run: Finished) -> tuple[list[tuple[list[str], Fraction]], dict[str, int]]:
    """Return the rows of the joint distribution, parsed value and probability, and the nodes of the BDD."""
    said = " ".join((run.err.strip() or run.out.strip()).split())[:300]
    try:
        sections: dict[str, Any] = {}
        for section in json.loads(run.out):
            sections.update(section)
        _, *table = sections["Joint Distribution"]
        size = sections.get("Final compiled BDD size")
        rows = [(re.findall(r"[^\s(),]+", value), Fraction(share)) for value, share in table]
        return rows, {} if size is None else {"nodes": int(size)}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ToolFailed(f"Dice gave no table (exit code {run.code}): {said}", value=said) from None


def _value(word: str) -> int | bool:
    return word == "true" if word in ("true", "false") else int(word)


DICE = Peer(
    name="dice",
    title="Dice, a program per input",
    language="dice",
    write=lambda program, title: dice_program(program, title).text,
    missing=dice_missing,
    distributions=input_by_input(lambda program: ask_dice(dice_program(program))),
    separate=True,
)
DICE_JOINT = Peer(
    name="dice-joint",
    title="Dice, one program for all inputs",
    language="dice",
    encoding="joint",
    write=lambda program, title: dice_program(program.joint(), title).text,
    missing=dice_missing,
    distributions=one_for_all(lambda program: ask_dice(dice_program(program))),
    methods=("exhaustive",),
    companion_of="dice",
    separate=True,
)
