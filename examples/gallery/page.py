"""The verdict table of the gallery, as Markdown: every claim of these files with the exact number beside it.

Run: python examples/gallery/page.py
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from taut.interfaces.queries.functions import load_functions
from taut.questions.ratio import RATIO, brief_epsilon
from taut.support.exact import Ball, decimal
from taut.verification.claims import Verdict, claims_of

HERE = Path(__file__).parent
FILES = ("sparse_vector", "noisy_max", "selection", "rappor", "attribution", "keys", "counters")


def number(value: Any) -> str:
    """A number that fits into a table."""
    if value == float("inf"):
        return "infinity"
    text = str(value)
    if isinstance(value, Ball) or len(text) > 16:
        return decimal(value, 8) + "..."
    return text if "/" not in text else f"{text} = {decimal(value, 6)}"


def exact(verdict: Verdict) -> str:
    """The exact number of a verdict, epsilon first."""
    if verdict.measure == RATIO:
        return brief_epsilon(verdict.value, verdict.value)
    return f"{verdict.measure} = {number(verdict.value)}"


def arguments(claim: Any) -> str:
    """The arguments of a claim that tell it from the others of its mechanism."""
    given = [str(value) for value in claim.args] + [f"{name}={value}" for name, value in claim.arguments.items()]
    return ", ".join(text if len(text) < 24 else text.partition("=")[0] for text in given)


def where(verdict: Verdict) -> str:
    """The counterexample of a claim that fails."""
    if verdict.counterexample is None:
        return ""
    found = verdict.counterexample
    event = [str(y) for y in found.outputs() or []]
    shown = ", ".join(event[:2]) + (", ..." if len(event) > 2 else "")
    at = f"x={found.x}" if found.x_prime is None else f"x={found.x}, x'={found.x_prime}"
    return f"{at}, {{{shown}}}".replace("False", "F").replace("True", "T").replace("|", "\\|")


def table(name: str) -> list[str]:
    """The part of one file."""
    functions = load_functions(str(HERE / f"{name}.py"))
    lines = [f"### [{name}](../examples/gallery/{name}.py)", ""]
    lines += ["| Mechanism | On | Claim | Exact | Verdict | Counterexample |", "|---|---|---|---|---|---|"]
    notes = []
    for mechanism in functions.values():
        claims = claims_of(mechanism)
        if claims:
            notes.append(f"- `{mechanism.function.__name__}`: {inspect.getdoc(mechanism).partition(chr(10))[0]}")
        for claim in claims:
            verdict = claim.check(mechanism)
            cells = [mechanism.function.__name__, arguments(claim), verdict.claim]
            cells += [exact(verdict), f"**{verdict.status}**", where(verdict)]
            lines.append("| " + " | ".join(cells) + " |")
    return [*lines, "", *notes, ""]


if __name__ == "__main__":
    print("\n".join(line for name in FILES for line in table(name)))
