"""The figure of several divergences: a bar for each, with its worst pair beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from taut.numbers import INFINITY
from taut.pictures import OTHER, OURS, entitle, literal, one_panel
from taut.results.divergence import DivergenceBound, RenyiBound, ZcdpBound
from taut.results.lying_bars import lying_bars
from taut.results.text import telling, vector_text

__all__ = ["several_figure"]


def several_figure(bounds: Mapping[str, DivergenceBound], title: str | None = None) -> Figure:
    """Bars in the order of the bounds: of a Rényi moment its divergence, of zCDP rho, else the value itself."""
    figure, axes = one_panel(8.4, 1.5 + 0.5 * len(bounds))
    rows = [(f"{name}\n{_pair(bound)}", _value(bound), _words(bound)) for name, bound in bounds.items()]
    renyi = any(isinstance(bound, RenyiBound) for bound in bounds.values())
    neighbors = next(iter(bounds.values())).neighbors
    about = "" if neighbors is None else f", {literal(neighbors)} neighbours"
    head, across = ("Rényi divergence", "divergence") if renyi else ("Divergences", "value")
    colors = [OTHER if isinstance(bound, ZcdpBound) else OURS for bound in bounds.values()]
    lying_bars(axes, rows, colors, title=head + about, across=across)
    if title is not None:
        entitle(figure, title)
    return figure


def _value(bound: DivergenceBound) -> Any:
    if isinstance(bound, ZcdpBound):
        return bound.rho
    return bound.divergence if isinstance(bound, RenyiBound) else bound.value


def _words(bound: DivergenceBound) -> str:
    value = _value(bound)
    if value == INFINITY:
        return "∞"
    sign = "" if bound.complete else "at most "
    return f"{sign}{'ρ = ' if isinstance(bound, ZcdpBound) else ''}{telling(value, 5)}"


def _pair(bound: DivergenceBound) -> str:
    witness = bound.witness
    if witness is None:
        return ""
    return f"x = {literal(vector_text(witness.x), 26)},  x' = {literal(vector_text(witness.x_prime), 26)}"
