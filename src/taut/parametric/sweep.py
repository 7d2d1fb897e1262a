"""Bounds against a parameter: one compilation as long as only weights change."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.compile import RelationCache
from taut.errors import OutOfMemory, OutOfTime, WorkersGone
from taut.limits import checkpoint, reason_of
from taut.measures import RenyiMoment
from taut.notebook import html_table
from taut.numbers import INFINITY, Ball, decimal
from taut.parallel.executors import current_executor, is_far
from taut.parallel.pieces import mapped
from taut.queries.query import Query, query_of
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
    """Why the last values are missing: 'time_limit', 'max_memory' or 'workers_gone'; None if none is."""

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
    Once a limit of time or memory has been passed, a cluster was lost, or after Ctrl-C, the sweep ends with the points
    that it has. An executor in force does whole points where workers find the mechanism by its name, as built in or in
    a file; else pieces of each.

    Raises
    ------
    OutOfTime, OutOfMemory, WorkersGone
        It has none.
    """
    order = None if renyi is None else RenyiMoment(renyi).order
    asked = Asked(parameter, neighbors, accuracy, delta, order, method)
    done: dict[int, Point] = {}
    relations = RelationCache()
    compilations: dict[int, int] = {}
    stopped = None
    executor = current_executor()
    try:
        if executor is not None and query.can_be_sent(far=is_far(executor)):
            shared = (query.name, dict(query.given), asked)
            for number, (point, compiled) in mapped(_found, shared, values, len(values)):
                done[number], compilations[number] = point, compiled
                step()
        else:
            for number, value in enumerate(values):
                checkpoint()
                done[number] = asked.point(query, value, relations)
                step()
    except (OutOfTime, OutOfMemory, WorkersGone, KeyboardInterrupt) as error:
        if not done:
            raise
        stopped = reason_of(error)
    points = tuple(done[number] for number in sorted(done))
    compiled_in_all = relations.compilations + sum(compilations.values())
    return Sweep(query.label_without(parameter), parameter, points, compiled_in_all, stopped)


@dataclass(frozen=True)
class Asked:
    """What is asked at every value of a parameter."""

    parameter: str
    neighbors: Any | None
    accuracy: Accuracy | None
    delta: DeltaAt | None
    order: Any
    method: str

    def point(self, query: Query, value: Any, relations: RelationCache) -> Point:
        """The bounds at one value; relations are compiled once while only weights change."""
        own = self.method if self.accuracy is None else "auto"
        one = query.with_value(self.parameter, value)
        model = one.model().compiled_by(relations)
        point = Point(value)
        if self.neighbors is not None:
            point = replace(point, privacy=ask_privacy(one, self.neighbors, method=own, model=model))
            if self.delta is not None:
                at = self.delta
                point = replace(point, delta=model.delta(at.epsilon, self.neighbors, own, ratio=at.ratio))
            if self.order is not None:
                point = replace(point, renyi=model.renyi(self.order, self.neighbors, own))
        if self.accuracy is not None:
            aim, alpha, far = self.accuracy.target, self.accuracy.alpha, self.accuracy.distance
            point = replace(point, accuracy=ask_accuracy(one, aim, alpha, far, method=self.method, model=model))
        return point


def _found(shared: tuple[str, Mapping[str, Any], Asked], value: Any) -> tuple[Point, int]:
    """A point as a worker finds it, from the name of the mechanism; and how much was compiled for it.

    Its bounds are numbers and worst cases only: how to replay them stays where the mechanism is.
    """
    name, given, asked = shared
    relations = RelationCache()
    point = asked.point(query_of(name, given), value, relations)
    bounds = {column.name: getattr(point, column.name) for column in _COLUMNS}
    plain = {
        kind: None if bound is None else replace(bound, replay=None, keep=None, view=None)
        for kind, bound in bounds.items()
    }
    return replace(point, **plain), relations.compilations


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
