"""The figure of worst pairs or worst inputs: a bar per different value, with a witness and how many share it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from matplotlib.figure import Figure

from taut.numbers import INFINITY, decimal
from taut.pictures import OURS, THEIRS, dress, entitle, literal, one_panel
from taut.results.text import vector_text

__all__ = ["classes_figure"]

_MOST = 20
_NAMES = {
    ("x", "x_prime", "y"): ("Worst pairs", "$P[A(x)=y]\\,/\\,P[A(x')=y]$", "triple"),
    ("x", "x_prime"): ("Worst pairs", "value", "pair"),
    ("x",): ("Worst inputs", "$1-\\beta$", "input"),
}


def classes_figure(classes: Sequence[Any], title: str | None = None) -> Figure:
    """Bars, the worst on top; of many classes the first twenty are drawn, which is said."""
    drawn = list(classes[:_MOST])
    parts = tuple(part.name for part in fields(drawn[0].witness))
    name, value, noun = _NAMES.get(parts, ("Worst cases", "value", "case"))
    figure, axes = one_panel(8.4, 1.5 + 0.44 * max(len(drawn), 2))
    values = [_float(one.value) for one in drawn]
    finite = [number for number in values if math.isfinite(number)]
    positive = [number for number in finite if number > 0]
    log = bool(positive) and max(positive) > 100 * min(positive)
    low = min(positive) / 3 if log else 0.0
    top = max(finite, default=1.0) or 1.0
    beyond = (top * (top / low) ** 0.12 if log else 1.12 * top) if len(finite) < len(values) else top
    for place, (one, number) in enumerate(zip(drawn, values, strict=True)):
        infinite = not math.isfinite(number)
        end = beyond if infinite else number
        axes.barh(
            place,
            end - low,
            0.62,
            left=low,
            color=THEIRS if place == 0 else OURS,
            hatch="////" if infinite else None,
            edgecolor="white",
            linewidth=0,
        )
        many = f"{one.count:,}".replace(",", " ") if one.count < 10**12 else f"{one.count:.1e}"
        words = f"{'∞' if infinite else decimal(one.value, 5)}   ({many} {noun}{'' if one.count == 1 else 's'})"
        axes.annotate(words, (end, place), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5)
    axes.set_yticks(range(len(drawn)), [literal(_case(one.witness, parts), 52) for one in drawn])
    axes.set_ylim(len(drawn) - 0.5 + (len(drawn) == 1) * 0.5, -0.5 - (len(drawn) == 1) * 0.5)
    more = "" if len(classes) <= _MOST else f", {_MOST} of {len(classes)} different values"
    dress(axes, f"{name}{more}", value + (", logarithmic" if log else ""), "")
    if log:
        axes.set_xscale("log")
        axes.set_xlim(low, beyond * (beyond / low) ** 0.35)
    else:
        axes.set_xlim(0, 1.4 * beyond)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", color="#dddddd", linewidth=0.7)
    if title is not None:
        entitle(figure, title)
    return figure


def _case(witness: Any, parts: Sequence[str]) -> str:
    names = {"x": "x", "x_prime": "x'", "y": "y"}
    return ",  ".join(f"{names.get(part, part)} = {_short(vector_text(getattr(witness, part)))}" for part in parts)


def _short(text: str) -> str:
    return text if len(text) <= 22 else f"{text[:12]}...{text[-6:]}"


def _float(value: Any) -> float:
    if value == INFINITY:
        return math.inf
    try:
        return float(value)
    except OverflowError:
        return math.inf
