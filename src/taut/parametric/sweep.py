"""Bounds against a parameter: one compilation as long as only weights change."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.compile import RelationCache
from taut.errors import OutOfMemory, OutOfTime
from taut.limits import checkpoint, reason_of
from taut.notebook import html_table
from taut.numbers import INFINITY, Ball, decimal
from taut.queries.query import Query
from taut.queries.questions import ask_accuracy, ask_privacy
from taut.results import AccuracyBound, PrivacyBound, shown, text_of

__all__ = ["Accuracy", "Point", "Sweep", "run_sweep"]


@dataclass(frozen=True)
class Point:
    """The bounds at one value of the parameter; those that were not asked for are None."""

    value: Any
    privacy: PrivacyBound | None
    accuracy: AccuracyBound | None


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
        points = []
        for point in self.points:
            row: dict[str, Any] = {self.parameter: point.value}
            if point.privacy is not None:
                row["privacy"] = point.privacy.to_dict()
            if point.accuracy is not None:
                row["accuracy"] = point.accuracy.to_dict()
            points.append(row)
        return {
            "sweep": self.title,
            "parameter": self.parameter,
            "neighbors": self.neighbors,
            "compilations": self.compilations,
            "stopped": self.stopped,
            "points": points,
        }

    def _repr_html_(self) -> str:
        private = any(point.privacy is not None for point in self.points)
        accurate = any(point.accuracy is not None for point in self.points)
        rows = []
        for point in self.points:
            row = [shown(point.value) if isinstance(point.value, Fraction) else str(point.value)]
            row += [] if point.privacy is None else [shown(point.privacy.max_ratio), decimal(point.privacy.epsilon)]
            rows.append(row + ([] if point.accuracy is None else [shown(point.accuracy.probability)]))
        headings = [self.parameter, *(["e^eps", "epsilon"] if private else []), *(["1-beta"] if accurate else [])]
        return html_table(headings, rows, len(rows))

    def to_csv(self) -> str:
        """One row a value: exact numbers beside decimals."""
        private = any(point.privacy is not None for point in self.points)
        accurate = any(point.accuracy is not None for point in self.points)
        head = [self.parameter, f"{self.parameter}_decimal"]
        head += ["max_ratio", "max_ratio_decimal", "epsilon"] if private else []
        head += ["probability", "probability_decimal"] if accurate else []
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for point in self.points:
            row = [_exact(point.value), _decimal(point.value)]
            if point.privacy is not None:
                ratio = point.privacy.max_ratio
                row += [_exact(ratio), _decimal(ratio), _decimal(point.privacy.epsilon)]
            if point.accuracy is not None:
                row += [_exact(point.accuracy.probability), _decimal(point.accuracy.probability)]
            writer.writerow(row)
        return file.getvalue()


@dataclass(frozen=True)
class Accuracy:
    """The accuracy that is asked for."""

    target: Any
    alpha: Any
    distance: Any


def run_sweep(
    query: Query,
    parameter: str,
    values: Sequence[Any],
    *,
    neighbors: Any | None,
    accuracy: Accuracy | None,
    method: str = "auto",
    step: Callable[[], None] = lambda: None,
) -> Sweep:
    """The bounds at every value; ``neighbors`` None leaves privacy out, ``accuracy`` None accuracy.

    Once a limit of time or memory has been passed, the sweep ends with the points that it has.

    Raises
    ------
    OutOfTime, OutOfMemory
        It has none.
    """
    points: list[Point] = []
    relations = RelationCache()
    stopped = None
    for value in values:
        try:
            checkpoint()
            one = query.with_value(parameter, value)
            model = one.model().compiled_by(relations)
            private = accurate = None
            if neighbors is not None:
                private = ask_privacy(one, neighbors, method=method if accuracy is None else "auto", model=model)
            if accuracy is not None:
                aim, alpha, far = accuracy.target, accuracy.alpha, accuracy.distance
                accurate = ask_accuracy(one, aim, alpha, far, method=method, model=model)
        except (OutOfTime, OutOfMemory) as error:
            if not points:
                raise
            stopped = reason_of(error)
            break
        points.append(Point(value, private, accurate))
        step()
    return Sweep(query.label_without(parameter), parameter, tuple(points), relations.compilations, stopped)


def _exact(value: Any) -> str:
    return repr(float(value)) if isinstance(value, Ball) else str(text_of(value))


def _decimal(value: Any) -> str:
    if isinstance(value, (bool, str)) or value is None:
        return str(value)
    return "inf" if value == INFINITY else f"{float(value):.12g}"
