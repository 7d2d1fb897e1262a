"""Bounds against a parameter: one compilation as long as only weights change."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.bounds import AccuracyBound, PrivacyBound
from taut.bounds.results import text_of
from taut.channel.channel import Channel
from taut.compile import Relation, compile_program
from taut.ir import Apply, Coin, Const, Input, Program, Select
from taut.ir.program import children, reachable
from taut.model import Model
from taut.numbers import INFINITY, Ball
from taut.options import Options
from taut.queries.query import Query
from taut.queries.questions import ask_accuracy, ask_privacy

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
            "compilations": self.compilations,
            "points": points,
        }

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
    """The bounds at every value; ``neighbors`` None leaves privacy out, ``accuracy`` None accuracy."""
    points = []
    reuse = _Reuse()
    for value in values:
        one = query.with_value(parameter, value)
        privacy = found = None
        if neighbors is not None:
            privacy = ask_privacy(one, neighbors, method=method if accuracy is None else "auto", model=reuse.model(one))
        if accuracy is not None:
            found = ask_accuracy(
                one, accuracy.target, accuracy.alpha, accuracy.distance, method=method, model=reuse.model(one)
            )
        points.append(Point(value, privacy, found))
        step()
    return Sweep(query.label_without(parameter), parameter, tuple(points), reuse.compilations)


class _Reuse:
    """Relations by the skeletons of their programs: everything but the weights of the coins."""

    def __init__(self) -> None:
        self._known: dict[Any, Relation] = {}
        self.compilations = 0

    def model(self, query: Query) -> Model:
        model = query.model()
        return _Sharing(model.program, model._reading, self)

    def relation(self, program: Program, options: Options) -> Relation:
        skeleton = _skeleton(program)
        known = self._known.get(skeleton)
        if known is None:
            self.compilations += 1
            known = self._known[skeleton] = compile_program(program, options)
        return replace(known, coins=program.coins)


class _Sharing(Model):
    """A model that takes its relations from others with the same skeleton."""

    def __init__(self, program: Program, reading: Any, reuse: _Reuse) -> None:
        super().__init__(program, reading)
        self._reuse = reuse

    @property
    def relation(self) -> Relation:
        if self._relation is None:
            self._relation = self._reuse.relation(self.program, self.options)
        return self._relation

    def _event_channel(self, target: Any, reach: Any, distance: Any) -> Channel:
        return _Sharing(self._event(target, reach, distance), None, self._reuse).channel()


def _skeleton(program: Program) -> Any:
    """A program without its weights, which compilation never looks at, as a value that can be compared."""
    order = reachable([program.output, program.evidence])
    place = {term: number for number, term in enumerate(order)}
    rows: list[Any] = []
    for term in order:
        parts = tuple(place[part] for part in children(term))
        if isinstance(term, Const):
            rows.append(("const", _typed(term.value)))
        elif isinstance(term, (Input, Coin)):
            rows.append((type(term).__name__, term.index))
        elif isinstance(term, Apply):
            rows.append((term.operation, parts))
        else:
            rows.append((type(term).__name__, _typed(term.keys) if isinstance(term, Select) else (), parts))
    variables = tuple((variable.name, _typed(variable.values)) for variable in program.inputs)
    coins = tuple((_typed(coin.outcomes), coin.draw, coin.dice) for coin in program.coins)
    return program.name, program.domains, variables, coins, tuple(rows), place[program.output], place[program.evidence]


def _typed(value: Any) -> Any:
    """A value that tells True from 1."""
    return tuple(map(_typed, value)) if isinstance(value, tuple) else (type(value), value)


def _exact(value: Any) -> str:
    return repr(float(value)) if isinstance(value, Ball) else str(text_of(value))


def _decimal(value: Any) -> str:
    if isinstance(value, (bool, str)) or value is None:
        return str(value)
    return "inf" if value == INFINITY else f"{float(value):.12g}"
