"""Closed forms: a bound as a function of a parameter that was left free, piece by piece, with exact borders."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.questions.drawn import Drawn, Unsaved
from taut.questions.ratio import RATIO
from taut.questions.text import found_by, plain_case, text_of
from taut.support.algebra.envelope import poles, value_at
from taut.support.algebra.rational import RationalFunction, as_fraction
from taut.support.algebra.roots import Place, Root, place_text
from taut.support.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FreeParameter", "Piece", "PiecewiseBound", "PointValue"]

_LONG = 240


@dataclass(frozen=True)
class FreeParameter:
    """A parameter that was left free, and the closed interval of its values."""

    name: str
    low: Fraction
    high: Fraction

    def value(self, given: Any) -> Fraction:
        """Return the exact value given for the parameter; refuse one outside its interval."""
        found = as_fraction(given, self.name)
        if not self.low <= found <= self.high:
            raise InvalidInput(
                f"{self.name} = {found} lies outside {self.low}..{self.high}, the interval of the parameter.",
                value=given,
            )
        return found

    def __str__(self) -> str:
        return f"{self.low} <= {self.name} <= {self.high}"


@dataclass(frozen=True)
class Piece:
    """An interval of the parameter on which one case is the worst: its value as a function, and the case.

    ``low`` and ``high`` are Fractions, or Roots of polynomials: ``interval(width)`` isolates one as narrowly as asked.
    """

    parameter: str
    low: Place
    high: Place
    value: Any
    """A RationalFunction, or infinity."""
    witness: Any

    @property
    def poles(self) -> list[Place]:
        """Places on the closed interval at which the value is infinite, if it is not everywhere."""
        return poles(self.value, self.low, self.high)

    def latex(self) -> str:
        """Return the value as LaTeX writes it."""
        return r"\infty" if self.value == math.inf else self.value.latex()


@dataclass(frozen=True)
class PointValue:
    """A single value of the parameter at which some probability vanishes, with the bound and the worst case there."""

    place: Place
    value: Any
    """The bound there: a function to be taken at the place, or infinity."""
    witness: Any
    apart: bool
    """True if the bound there differs from that of the pieces around it."""


@dataclass(frozen=True)
class PiecewiseBound(Drawn, Unsaved):
    """A bound as a function of a parameter.

    Guarantee:
        If ``exact``, the bound at every value of the parameter is that of ``at``: all cases were compared. If not, the
        witnesses attain what ``at`` gives, and that is known to be the bound only at the values in ``proved_at``.
    """

    label: str
    """Name of the bounded quantity: e^eps, 1-beta, delta, a moment."""
    parameter: FreeParameter
    pieces: tuple[Piece, ...]
    special: tuple[PointValue, ...]
    """Places at which a probability vanishes, so that another case than that of the piece may be the worst."""
    method: str
    stats: Mapping[str, Any]
    largest: bool = True
    exact: bool = True
    proved_at: tuple[Fraction, ...] = ()
    neighbors: str | None = None
    mechanism: str = field(default="", compare=False)

    @property
    def points(self) -> tuple[PointValue, ...]:
        """Single values of the parameter at which the bound differs from the pieces around them."""
        return tuple(single for single in self.special if single.apart)

    def at(self, value: Any) -> Any:
        """Return the bound at a value of the parameter: a Fraction, or infinity.

        Raises:
            InvalidInput: the value lies outside the interval of the parameter.
        """
        point = self.parameter.value(value)
        return value_at(self.part_at(point).value, point)

    __call__ = at

    def witness_at(self, value: Any) -> Any:
        """Return the worst case at a value of the parameter."""
        return self.part_at(self.parameter.value(value)).witness

    def part_at(self, place: Place) -> Piece | PointValue:
        """Return the part that holds at a place: the point by itself, or the piece that it lies on."""
        for single in self.special:
            if single.place == place:
                return single
        return next(piece for piece in self.pieces if piece.low <= place <= piece.high)

    # -- text ------------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        lines = [self._line(piece) for piece in self.pieces]
        name = self.parameter.name
        lines += [
            f"{self.said(_short(_number(single.value, single.place)))} at {name} = {place_text(single.place)} only, "
            f"at {_case(single.witness)}"
            for single in self.points
        ]
        end = f"{self.neighbors} neighbours, " if self.neighbors else ""
        if self.exact:
            end += found_by(self.method)
        else:
            proved = ", ".join(map(str, self.proved_at)) or "no value"
            end += f"attained; proved {'maximal' if self.largest else 'minimal'} at {name} = {proved} only"
        label = "eps" if self.label == RATIO else self.label
        if len(lines) == 1:
            return f"{label} = {lines[0]}; {end}"
        return "\n".join([f"{label} =", *[f"  {line}" for line in lines], end])

    def said(self, formula: str) -> str:
        """Return a formula of the bound for people: for e^epsilon, its logarithm."""
        if self.label != RATIO or formula in ("1", "infinity"):
            return "0" if self.label == RATIO and formula == "1" else formula
        return f"ln({formula})"

    def _line(self, piece: Piece) -> str:
        name, singles = self.parameter.name, [single.place for single in self.points]
        infinite = [pole for pole in piece.poles if pole not in singles]
        without = [*infinite, *singles]
        low = "<" if piece.low in without else "<="
        high = "<" if piece.high in without else "<="
        formula = self.said(_short(_shown(piece.value)))
        text = f"{formula} for {place_text(piece.low)} {low} {name} {high} {place_text(piece.high)}"
        inside = [place for place in singles if piece.low < place < piece.high]
        if inside:
            text += f" other than {', '.join(map(place_text, inside))}"
        if infinite:
            text += f" (infinite at {', '.join(map(place_text, infinite))})"
        return f"{text}, at {_case(piece.witness)}"

    def latex(self) -> str:
        """Return the bound as LaTeX writes it: one expression, or cases."""
        from taut.support.algebra.rational import name_latex

        name = name_latex(self.parameter.name)
        if len(self.pieces) == 1 and not self.points:
            return self.pieces[0].latex()
        rows = [
            rf"{piece.latex()} & \text{{for }} {_place_latex(piece.low)} \le {name} \le {_place_latex(piece.high)}"
            for piece in self.pieces
        ]
        rows = [
            rf"{_place_latex(_number(single.value, single.place))} & \text{{at }} {name} = {_place_latex(single.place)}"
            for single in self.points
        ] + rows
        return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>{self._inline_picture()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data: functions and fractions as text, root borders with their polynomial."""
        return {
            "quantity": self.label,
            "parameter": self.parameter.name,
            "low": str(self.parameter.low),
            "high": str(self.parameter.high),
            "exact": self.exact,
            "proved_at": [str(value) for value in self.proved_at],
            "method": self.method,
            "neighbors": self.neighbors,
            "pieces": [
                {
                    "low": place_dict(piece.low),
                    "high": place_dict(piece.high),
                    "value": text_of(piece.value),
                    "latex": piece.latex(),
                    "infinite_at": [place_dict(pole) for pole in piece.poles],
                    "witness": plain_case(piece.witness),
                }
                for piece in self.pieces
            ],
            "points": [
                {
                    "at": place_dict(single.place),
                    "value": text_of(_number(single.value, single.place)),
                    "witness": plain_case(single.witness),
                }
                for single in self.points
            ],
            "stats": dict(self.stats),
        }

    _pictured = "bound"

    def _figure(self, title: str | None) -> Figure:
        from taut.parameters.figures import bound_figure

        return bound_figure(self, title)


def place_dict(place: Place) -> Any:
    """Return a place as plain data."""
    if not isinstance(place, Root):
        return str(place)
    low, high = place.interval()
    return {"root_of": [int(c) for c in place.polynomial.coeffs()], "low": str(low), "high": str(high)}


def _number(value: Any, place: Place) -> Any:
    """Return a value at a place, as exactly as it can be written."""
    return value_at(value, place)


def _shown(value: Any) -> str:
    if value == math.inf:
        return "infinity"
    if isinstance(value, RationalFunction) and len(str(value)) > _LONG:
        top, bottom = (max(sum(p) for p in part.coefficients()) for part in (value.numerator, value.denominator))
        kind = (
            f"a polynomial of degree {top}" if bottom == 0 else f"a quotient of polynomials of degrees {top}, {bottom}"
        )
        return f"{kind} (.value has it)"
    return str(value)


def _short(value: Any) -> str:
    return "infinity" if value == math.inf else str(value)


def _case(witness: Any) -> str:
    """Return a worst case in words."""
    names = {"x_prime": "x'"}
    parts = [(part.name, getattr(witness, part.name)) for part in fields(witness)] if is_dataclass(witness) else []
    return ", ".join(f"{names.get(name, name)}={value!r}" for name, value in parts if name != "event")


def _place_latex(place: Any) -> str:
    if place == math.inf:
        return r"\infty"
    if isinstance(place, Fraction):
        return str(place.numerator) if place.denominator == 1 else rf"\frac{{{place.numerator}}}{{{place.denominator}}}"
    return f"{float(place):.6g}"
