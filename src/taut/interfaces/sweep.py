"""Sweeps: bounds against a parameter, with one compilation as long as only weights change."""

from __future__ import annotations

import csv
import inspect
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from taut.diagrams.compile import RelationCache
from taut.interfaces.queries.query import Query, query_of
from taut.model import Mechanism
from taut.questions.accuracy import Accuracy
from taut.questions.claimed import runs_of
from taut.questions.delta import Delta
from taut.questions.privacy import Privacy
from taut.questions.question import Question
from taut.questions.registry import registered
from taut.questions.rows import Number
from taut.questions.text import as_typed, brief, text_of
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime, WorkersGone, WrongArguments
from taut.support.exact import INFINITY, Ball, decimal, exact, fraction_of_text, is_number
from taut.support.limits import checkpoint, reason_of
from taut.support.parallel.executors import check_executor, current_executor, is_far, using
from taut.support.parallel.pieces import mapped
from taut.support.pictures.notebook import html_table

__all__ = ["Point", "Sweep", "delta_of", "run_sweep", "sweep"]


@dataclass(frozen=True)
class Point:
    """The bounds at one value of the parameter, by the names of their questions: ``point.privacy``, ``point.delta``.

    The bounds of other questions are None.
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
        """Return headings, and one row per value, for people."""
        headings = [self.parameter, *[number.heading for number in self.numbers(self.points[0])]]
        rows = []
        for point in self.points:
            row = [as_typed(point.value) if isinstance(point.value, Fraction) else str(point.value)]
            rows.append(row + [brief(n.value) if n.exact else decimal(n.value, 6) for n in self.numbers(point)])
        return headings, rows

    def _repr_html_(self) -> str:
        headings, rows = self.table()
        return html_table(headings, rows, len(rows))

    def to_csv(self) -> str:
        """Return one row per value: exact numbers beside decimals."""
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
    """Return the answers to some questions, each of another kind, at every value.

    Once a limit of time or memory has been passed, a cluster was lost, or after Ctrl-C, the sweep ends with the points
    that it has. An executor in force does whole points where workers find the mechanism by its name, as built in or in
    a file; else pieces of each.

    Raises:
        OutOfTime, OutOfMemory, WorkersGone: it has no points.
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
        """Return the bounds at one value; relations are compiled once while only weights change.

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
    """Compute a point in a worker, from the name of the mechanism; return it with the number of compilations.

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
    """Return a number for programs: exactly, and as a decimal."""
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


def sweep(
    mechanism: Mechanism,
    /,
    *args: Any,
    over: str | None = None,
    neighbors: Any = None,
    target: Any = None,
    alpha: Any = None,
    distance: Any = None,
    delta_at: Any = None,
    method: str = "auto",
    compose: int = 1,
    executor: Executor | None = None,
    **parameters: Any,
) -> Sweep:
    """Return the bounds of a mechanism at every value of one parameter; as long as only weights change, it is compiled
    once.

    Parameters
    ----------
    mechanism
        A mechanism.
    *args, **parameters
        Its arguments, databases as domains. One of them is given as a list of values: lam=["0.1", "0.2"], or a list of
        domains in place of the database.
    over
        The name of the swept argument, if several are lists.
    neighbors, method, executor
        As for ``Model.privacy``.
    compose
        The number of runs that each answer is about, but for accuracy, which each run has of its own.
    target, alpha, distance
        As for ``Model.accuracy``; without alpha there is no accuracy.
    delta_at
        Also delta at this epsilon, 1 or "1/2", or at e^epsilon given exactly, "ratio=3/2"; as ``Model.delta``.
    **parameters
        The name of another question, unless the mechanism has a parameter of this name, also asks that:
        ``epsilon="1e-6"`` with what it is asked with, several values as a tuple, ``zcdp=()`` where there is none.

    Returns
    -------
    Sweep
        ``points``, each with its ``value`` and the bounds by the names of their questions, such as ``privacy`` and
        ``accuracy``, None if not asked for. A notebook shows it as a table; ``taut.plot`` draws it, ``to_csv()`` and
        ``to_dict()`` are for other programs.

    Raises
    ------
    WrongArguments
        None of the arguments, or more than one, is a list of values.
    InvalidNumber
        Epsilon is negative, its ratio below 1, or another number is out of its range.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import rr_count
    >>> swept = sweep(rr_count, bits(4), lam=["1/10", "1/5", "2/5"], target=sum, alpha=1)
    >>> for point in swept.points:
    ...     print(point.value, point.privacy.max_ratio, point.accuracy.probability)
    1/10 9 9477/10000
    1/5 4 512/625
    2/5 3/2 297/625
    >>> swept = sweep(rr_count, bits(4), lam=["1/10", "1/5"], delta_at="ratio=2", epsilon="1/10")
    >>> [(str(point.delta.delta), str(point.epsilon.max_ratio)) for point in swept.points]
    [('5103/10000', '5561/729'), ('128/625', '387/128')]
    """
    if not isinstance(mechanism, Mechanism):
        raise WrongArguments(f"sweep: expected a mechanism first; got {mechanism!r}.", value=mechanism)
    if (alpha is None) != (target is None):
        given, missing = ("target", "alpha") if alpha is None else ("alpha", "target")
        raise WrongArguments(f"sweep: {given} is given without {missing}; accuracy needs both.", value=alpha)
    name = mechanism.function.__name__
    questions: list[Question[Any]] = [Privacy()]
    if delta_at is not None:
        questions.append(delta_of(delta_at))
    own = inspect.signature(mechanism.function).parameters
    anything = any(one.kind is one.VAR_KEYWORD for one in own.values())  # such a word may be the mechanism's
    for word in [word for word in parameters if word in registered() and word not in own and not anything]:
        given = parameters.pop(word)
        kind: Any = registered()[word]
        questions.append(kind(*given) if isinstance(given, tuple) else kind(given))
    if alpha is not None:
        questions.append(Accuracy(target, alpha, distance=distance))
    try:
        bound = inspect.signature(mechanism.function).bind(*args, **parameters)
    except TypeError as problem:
        raise WrongArguments(f"sweep: {name}: {problem}.", value=parameters) from None
    arguments = {**{key: value for key, value in bound.arguments.items() if key not in _gathers(bound)}, **bound.kwargs}
    parameter = _swept(name, arguments, over)
    values = [_value(value) for value in arguments[parameter]]
    query = Query(name, mechanism, None, {**arguments, parameter: values[0]})
    relation = query.neighbors if neighbors is None else neighbors
    check_executor(executor, "sweep: executor", InvalidInput)
    with using(executor):
        return run_sweep(
            query, parameter, values, neighbors=relation, questions=questions, method=method, compose=compose
        )


def delta_of(given: Any) -> Delta:
    """Return the question of delta at a number or a text: 1 or "1/2" is an epsilon, "ratio=3/2" is e^epsilon exactly.

    Raises:
        InvalidNumber: epsilon is negative, or the ratio below 1.
    """
    text = given.replace(" ", "") if isinstance(given, str) else ""
    return Delta(ratio=text.removeprefix("ratio=")) if text.startswith("ratio=") else Delta(given)


def _gathers(bound: inspect.BoundArguments) -> list[str]:
    """Return the names of the ``**`` parameters of a mechanism."""
    return [name for name, spec in bound.signature.parameters.items() if spec.kind is spec.VAR_KEYWORD]


def _value(value: Any) -> Any:
    """Return a value that is swept: numbers exactly, however they are written, so that they have a place on an axis."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, str):
        parsed = fraction_of_text(plain)
        return plain if parsed is None else parsed
    return exact(plain) if isinstance(plain, float) else plain


def _swept(name: str, arguments: dict[str, Any], over: str | None) -> str:
    """Return the name of the argument that is a list of values."""
    lists = [key for key, value in arguments.items() if isinstance(value, Sequence) and not isinstance(value, str)]
    lists += [key for key, value in arguments.items() if hasattr(value, "tolist") and not is_number(value)]
    if over is not None:
        if over not in lists or not len(arguments[over]):
            raise InvalidInput(f"sweep: over={over!r} is not a list of values of {name}.", value=over)
        return over
    lists = [key for key in lists if len(arguments[key])]
    if len(lists) != 1:
        found = f"these are {', '.join(lists)}; say which with over=" if lists else "there is none"
        raise WrongArguments(f"sweep: give a list of values for one argument of {name}; {found}.", value=lists)
    return lists[0]
