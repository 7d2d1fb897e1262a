"""Bounds against a parameter: one compilation as long as only weights change."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.compile import RelationCache
from taut.errors import OutOfMemory, OutOfTime
from taut.limits import checkpoint, reason_of
from taut.measures import RenyiMoment
from taut.notebook import html_table
from taut.numbers import INFINITY, Ball, decimal
from taut.queries.query import Query
from taut.queries.questions import ask_accuracy, ask_privacy
from taut.results import AccuracyBound, DeltaBound, PrivacyBound, RenyiBound, shown, text_of
from taut.results.profile import ratio_of

__all__ = ["Accuracy", "DeltaAt", "Point", "Sweep", "run_sweep"]


@dataclass(frozen=True)
class Point:
    """The bounds at one value of the parameter; those that were not asked for are None."""

    value: Any
    privacy: PrivacyBound | None = None
    delta: DeltaBound | None = None
    renyi: RenyiBound | None = None
    accuracy: AccuracyBound | None = None


@dataclass(frozen=True)
class _Column:
    """What the tables of a sweep say of one kind of bound."""

    name: str
    headings: Callable[[Any], list[str]]
    """For people, given one of the bounds."""
    cells: Callable[[Any], list[str]]
    fields: tuple[str, ...]
    """For programs."""
    values: Callable[[Any], list[Any]]
    """What stands under the fields; of numbers that are exact, the decimal follows by itself."""


_COLUMNS = (
    _Column(
        "privacy",
        lambda bound: ["e^eps", "epsilon"],
        lambda bound: [shown(bound.max_ratio), decimal(bound.epsilon, 6)],
        ("max_ratio", "max_ratio_decimal", "epsilon"),
        lambda bound: [*_both(bound.max_ratio), _decimal(bound.epsilon)],
    ),
    _Column(
        "delta",
        lambda bound: [f"delta at {bound.place}"],
        lambda bound: [shown(bound.delta)],
        ("delta", "delta_decimal"),
        lambda bound: _both(bound.delta),
    ),
    _Column(
        "renyi",
        lambda bound: [f"moment of order {bound.order}", "divergence"],
        lambda bound: [shown(bound.moment), decimal(bound.divergence, 6)],
        ("moment", "moment_decimal", "divergence"),
        lambda bound: [*_both(bound.moment), _decimal(bound.divergence)],
    ),
    _Column(
        "accuracy",
        lambda bound: ["1-beta"],
        lambda bound: [shown(bound.probability)],
        ("probability", "probability_decimal"),
        lambda bound: _both(bound.probability),
    ),
)


@dataclass(frozen=True)
class Sweep:
    """The bounds at all values of the parameter."""

    title: str
    parameter: str
    points: tuple[Point, ...]
    compilations: int
    stopped: str | None = None
    """Why the last values are missing: 'time_limit' or 'max_memory'; None if none is."""

    @property
    def neighbors(self) -> str | None:
        """The name of the relation that was compared, if privacy was asked for."""
        return next((point.privacy.neighbors for point in self.points if point.privacy is not None), None)

    def to_dict(self) -> dict[str, Any]:
        columns = self._columns
        return {
            "sweep": self.title,
            "parameter": self.parameter,
            "neighbors": self.neighbors,
            "compilations": self.compilations,
            "stopped": self.stopped,
            "points": [
                {self.parameter: point.value, **{c.name: getattr(point, c.name).to_dict() for c in columns}}
                for point in self.points
            ],
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headings, and one row per value, for people."""
        columns = self._columns
        headings = [self.parameter]
        headings += [word for c in columns for word in c.headings(getattr(self.points[0], c.name))]
        rows = []
        for point in self.points:
            row = [shown(point.value) if isinstance(point.value, Fraction) else str(point.value)]
            rows.append(row + [cell for c in columns for cell in c.cells(getattr(point, c.name))])
        return headings, rows

    def _repr_html_(self) -> str:
        headings, rows = self.table()
        return html_table(headings, rows, len(rows))

    def to_csv(self) -> str:
        """One row per value: exact numbers beside decimals."""
        columns = self._columns
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([self.parameter, f"{self.parameter}_decimal", *[name for c in columns for name in c.fields]])
        for point in self.points:
            values = [value for c in columns for value in c.values(getattr(point, c.name))]
            writer.writerow([*_both(point.value), *values])
        return file.getvalue()

    @property
    def _columns(self) -> list[_Column]:
        """What was asked for; of every point, so one tells."""
        return [column for column in _COLUMNS if getattr(self.points[0], column.name) is not None]


@dataclass(frozen=True)
class Accuracy:
    """The accuracy that is asked for."""

    target: Any
    alpha: Any
    distance: Any


@dataclass(frozen=True)
class DeltaAt:
    """The epsilon, or the ratio e^epsilon, at which delta is asked for."""

    epsilon: Any = None
    ratio: Any = None

    @classmethod
    def read(cls, given: Any) -> DeltaAt:
        """What is given as a number or a text: 1 or "1/2" is an epsilon, "ratio=3/2" is e^epsilon exactly.

        Raises
        ------
        InvalidNumber
            Epsilon is negative, or the ratio below 1.
        """
        text = given.replace(" ", "") if isinstance(given, str) else ""
        at = cls(ratio=text.removeprefix("ratio=")) if text.startswith("ratio=") else cls(epsilon=given)
        ratio_of(at.epsilon, at.ratio)
        return at


def run_sweep(
    query: Query,
    parameter: str,
    values: Sequence[Any],
    *,
    neighbors: Any | None,
    accuracy: Accuracy | None,
    delta: DeltaAt | None = None,
    renyi: Any = None,
    method: str = "auto",
    step: Callable[[], None] = lambda: None,
) -> Sweep:
    """The bounds at every value; ``neighbors`` None leaves privacy out, ``accuracy`` None accuracy.

    Delta at an epsilon and the Rényi moment of an order, ``renyi``, are asked for besides e^epsilon if they are given.
    Once a limit of time or memory has been passed, the sweep ends with the points that it has.

    Raises
    ------
    OutOfTime, OutOfMemory
        It has none.
    """
    order = None if renyi is None else RenyiMoment(renyi).order
    own = method if accuracy is None else "auto"
    points: list[Point] = []
    relations = RelationCache()
    stopped = None
    for value in values:
        try:
            checkpoint()
            one = query.with_value(parameter, value)
            model = one.model().compiled_by(relations)
            point = Point(value)
            if neighbors is not None:
                point = replace(point, privacy=ask_privacy(one, neighbors, method=own, model=model))
                if delta is not None:
                    point = replace(point, delta=model.delta(delta.epsilon, neighbors, own, ratio=delta.ratio))
                if order is not None:
                    point = replace(point, renyi=model.renyi(order, neighbors, own))
            if accuracy is not None:
                aim, alpha, far = accuracy.target, accuracy.alpha, accuracy.distance
                point = replace(point, accuracy=ask_accuracy(one, aim, alpha, far, method=method, model=model))
        except (OutOfTime, OutOfMemory) as error:
            if not points:
                raise
            stopped = reason_of(error)
            break
        points.append(point)
        step()
    return Sweep(query.label_without(parameter), parameter, tuple(points), relations.compilations, stopped)


def _both(value: Any) -> list[str]:
    """A number for programs: exactly, and as a decimal."""
    return [repr(float(value)) if isinstance(value, Ball) else str(text_of(value)), _decimal(value)]


def _decimal(value: Any) -> str:
    if isinstance(value, (bool, str)) or value is None:
        return str(value)
    if value == INFINITY:
        return "inf"
    try:
        return f"{float(value):.12g}"
    except OverflowError:
        return decimal(value, 12)
