"""Bounds against a parameter: one compilation as long as only weights change."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.diagrams.compile import RelationCache
from taut.interfaces.queries.query import Query, query_of
from taut.questions.claimed import runs_of
from taut.questions.question import Question
from taut.questions.registry import registered
from taut.questions.rows import Number
from taut.questions.text import shown, text_of
from taut.support.errors import OutOfMemory, OutOfTime, WorkersGone
from taut.support.exact import INFINITY, Ball, decimal
from taut.support.limits import checkpoint, reason_of
from taut.support.parallel.executors import current_executor, is_far
from taut.support.parallel.pieces import mapped
from taut.support.pictures.notebook import html_table

__all__ = ["Point", "Sweep", "run_sweep"]


@dataclass(frozen=True)
class Point:
    """The bounds at one value of the parameter, by the names of their questions: ``point.privacy``, ``point.delta``.

    What was not asked for is None.
    """

    value: Any
    bounds: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in registered():
            raise AttributeError(f"'Point' object has no attribute '{name}'")
        return self.bounds.get(name)


@dataclass(frozen=True)
class Sweep:
    """The bounds at all values of the parameter."""

    title: str
    parameter: str
    points: tuple[Point, ...]
    compilations: int
    questions: tuple[Question[Any], ...]
    stopped: str | None = None
    """Reason for missing last values: 'time_limit', 'max_memory' or 'workers_gone'; None if none is missing."""

    @property
    def neighbors(self) -> str | None:
        """The name of the relation that was compared, if pairs of neighbours were."""
        return next(
            (bound.neighbors for point in self.points for bound in point.bounds.values() if bound.neighbors), None
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "sweep": self.title,
            "parameter": self.parameter,
            "neighbors": self.neighbors,
            "compilations": self.compilations,
            "stopped": self.stopped,
            "points": [
                {self.parameter: point.value, **{name: bound.to_dict() for name, bound in point.bounds.items()}}
                for point in self.points
            ],
        }

    def numbers(self, point: Point) -> list[Number]:
        """Return all numbers at one value, in the order of the questions."""
        found = [number for one in self.questions for number in one.numbers(point.bounds[one.name])]
        if not any(bound.remainder for one in self.points for bound in one.bounds.values()):
            return found
        lost = max((bound.remainder for bound in point.bounds.values()), default=Fraction(0))
        return [*found, Number("remainder", "not followed", lost)]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headings, and one row per value, for people."""
        headings = [self.parameter, *[number.heading for number in self.numbers(self.points[0])]]
        rows = []
        for point in self.points:
            row = [shown(point.value) if isinstance(point.value, Fraction) else str(point.value)]
            rows.append(row + [shown(n.value) if n.exact else decimal(n.value, 6) for n in self.numbers(point)])
        return headings, rows

    def _repr_html_(self) -> str:
        headings, rows = self.table()
        return html_table(headings, rows, len(rows))

    def to_csv(self) -> str:
        """One row per value: exact numbers beside decimals."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        keys = [
            key for n in self.numbers(self.points[0]) for key in ([n.key, f"{n.key}_decimal"] if n.exact else [n.key])
        ]
        writer.writerow([self.parameter, f"{self.parameter}_decimal", *keys])
        for point in self.points:
            cells = [_both(n.value) if n.exact else [_decimal(n.value)] for n in self.numbers(point)]
            writer.writerow([*_both(point.value), *itertools.chain(*cells)])
        return file.getvalue()


def run_sweep(
    query: Query,
    parameter: str,
    values: Sequence[Any],
    *,
    neighbors: Any,
    questions: Sequence[Question[Any]],
    method: str = "auto",
    compose: int = 1,
    step: Callable[[], None] = lambda: None,
) -> Sweep:
    """The answers to some questions, each of another kind, at every value.

    Once a limit of time or memory has been passed, a cluster was lost, or after Ctrl-C, the sweep ends with the points
    that it has. An executor in force does whole points where workers find the mechanism by its name, as built in or in
    a file; else pieces of each.

    Raises
    ------
    OutOfTime, OutOfMemory, WorkersGone
        It has none.
    """
    plan = SweepPlan(parameter, neighbors, tuple(questions), method, runs_of(compose, "sweep"))
    done: dict[int, Point] = {}
    relations = RelationCache()
    compilations: dict[int, int] = {}
    stopped = None
    executor = current_executor()
    try:
        if executor is not None and query.can_be_sent(far=is_far(executor)):
            shared = (query.name, dict(query.given), plan)
            for number, (point, compiled) in mapped(_found, shared, values, len(values)):
                done[number], compilations[number] = point, compiled
                step()
        else:
            for number, value in enumerate(values):
                checkpoint()
                done[number] = plan.point(query, value, relations)
                step()
    except (OutOfTime, OutOfMemory, WorkersGone, KeyboardInterrupt) as error:
        if not done:
            raise
        stopped = reason_of(error)
    points = tuple(done[number] for number in sorted(done))
    compiled_in_all = relations.compilations + sum(compilations.values())
    title = query.label_without(parameter) + (f", {plan.runs} runs" if plan.runs > 1 else "")
    return Sweep(title, parameter, points, compiled_in_all, plan.questions, stopped)


@dataclass(frozen=True)
class SweepPlan:
    """The questions that are asked at every value of a parameter."""

    parameter: str
    neighbors: Any
    questions: tuple[Question[Any], ...]
    method: str
    runs: int = 1
    """Number of runs that each answer is about, but for accuracy."""

    def point(self, query: Query, value: Any, relations: RelationCache) -> Point:
        """The bounds at one value; relations are compiled once while only weights change.

        A method is meant for accuracy if that is asked for.
        """
        model = query.with_value(self.parameter, value).model().compiled_by(relations)
        aimed = any(question.about_target for question in self.questions)
        bounds = {}
        for question in self.questions:
            method = self.method if question.about_target or not aimed else "auto"
            bounds[question.name] = question.composed(model, self.runs, neighbors=self.neighbors, method=method)
        return Point(value, bounds)


def _found(shared: tuple[str, Mapping[str, Any], SweepPlan], value: Any) -> tuple[Point, int]:
    """A point as a worker finds it, from the name of the mechanism; and how much was compiled for it.

    Its bounds are numbers and worst cases only: how to replay them stays where the mechanism is.
    """
    name, given, plan = shared
    relations = RelationCache()
    point = plan.point(query_of(name, given), value, relations)
    plain = {
        kind: replace(bound, replay=None, keep=None, view=None, question=None) for kind, bound in point.bounds.items()
    }
    return replace(point, bounds=plain), relations.compilations


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
    except TypeError:  # a domain, or a list of numbers
        return str(value)
