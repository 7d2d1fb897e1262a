"""The figure of worst pairs or worst inputs: a bar per different value, with a witness and how many share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from matplotlib.figure import Figure

from taut.questions.text import telling, vector_text
from taut.support.exact import INFINITY
from taut.support.pictures.bars import Bar, Row, bars
from taut.support.pictures.style import OURS, THEIRS, chart, entitle, literal

__all__ = ["classes_figure"]

_MOST = 20
_NAMES = {
    ("x", "x_prime", "y"): ("Worst pairs", "$P[A(x)=y]\\,/\\,P[A(x')=y]$", "triple"),
    ("x", "x_prime"): ("Worst pairs", "value", "pair"),
    ("x",): ("Worst inputs", "$1-\\beta$", "input"),
}


def classes_figure(classes: Sequence[Any], title: str | None = None) -> Figure:
    """Draw bars, the worst on top; of many classes the first twenty are drawn, which is said."""
    drawn = list(classes[:_MOST])
    parts = tuple(part.name for part in fields(drawn[0].witness))
    name, value, noun = _NAMES.get(parts, ("Worst cases", "value", "case"))
    more = "" if len(classes) <= _MOST else f", {_MOST} of {len(classes)} different values"
    figure, axes = chart(f"{name}{more}", value, "", 8.4, 1.5 + 0.44 * max(len(drawn), 2))
    colors = [THEIRS, *[OURS] * (len(drawn) - 1)]
    rows = zip(drawn, colors, strict=True)
    bars(axes, [Row(_case(one.witness, parts), [Bar(one.value, color, _words(one, noun))]) for one, color in rows])
    return entitle(figure, title)


def _case(witness: Any, parts: Sequence[str]) -> str:
    """Return the words beside a bar; the last part has a line of its own where all on one would be long."""
    words = [
        f"{part.replace('_prime', chr(39))} = {literal(vector_text(getattr(witness, part)), 30)}" for part in parts
    ]
    if len(words) > 1 and sum(map(len, words)) > 44:
        return ",  ".join(words[:-1]) + f",\n{words[-1]}"
    return ",  ".join(words)


def _words(one: Any, noun: str) -> str:
    many = f"{one.count:,}".replace(",", " ") if one.count < 10**12 else f"{one.count:.1e}"
    value = "∞" if one.value == INFINITY else telling(one.value, 5)
    return f"{value}   ({many} {noun}{'' if one.count == 1 else 's'})"
