"""The commands that ask questions: one for each registered question, made from its fields."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from taut.interfaces.cli.answers import announce, draw, finish, keep, say_verified, text_of_part
from taut.interfaces.cli.common import (
    AsJson,
    DistanceOption,
    Explain,
    Method,
    NeighborsOption,
    Plot,
    Save,
    Settings,
    Style,
    Target,
    TargetFunction,
    TimeLimit,
    app,
    asked,
    check_outputs,
    closing_interval,
    keyword,
    signed,
    with_memory,
    with_workers,
)
from taut.interfaces.cli.output import INTERVAL
from taut.interfaces.cli.supervisor import MORE_TIME, SECONDS, budget, is_supervised, leave
from taut.interfaces.queries.query import Query, read_query
from taut.interfaces.queries.questions import check_method, questions_of_texts, relation_of
from taut.interfaces.reports.checks import Verified, verified
from taut.interfaces.reports.formats import json_text
from taut.interfaces.reports.text import answer_parts, text_table, verification_text
from taut.model import Model
from taut.questions.bound import Interval
from taut.questions.field import Field
from taut.questions.question import Question
from taut.questions.registry import named
from taut.support.errors import InvalidInput, TooLarge
from taut.support.limits import clock

__all__ = ["add_command", "add_commands"]

_BETWEEN = 0.5
"""Seconds between two intervals that are left as last words."""
_OPTION = "field_"
"""Prefix of parameters that are fields, so that they may have the names of options that all commands have."""


_ADDED: dict[str, type[Question[Any]]] = {}


def add_commands(names: Iterable[str]) -> None:
    """Add the commands of these questions; one that was added before stays."""
    for name in names:
        kind = named(name)
        if _ADDED.get(name) is not kind:
            _ADDED[name] = kind
            add_command(kind)


def add_command(kind: type[Question[Any]]) -> None:
    """Add the command of a question."""

    typed = [one for one in kind.fields if one.kind != "python"]
    options: list[tuple[str, Any, Any]] = [(f"{_OPTION}{one.name}", *_option(one)) for one in typed]
    if kind.companion is not None:
        other = kind.companion.name
        words = f"Also {_uncapitalized(kind.companion.help())}"
        options.append(("companion", Annotated[bool, typer.Option(f"--{other}", help=words)], False))
    if not kind.about_target:
        options.append(("neighbors", NeighborsOption, None))
    options += [("method", Method, "auto"), ("time_limit", TimeLimit, SECONDS), ("explain", Explain, False)]
    options += [("plot", Plot, None), ("style", Style, "light")]
    if kind.layout is not None:
        options.append(("save", Save, None))
    options.append(("as_json", AsJson, False))
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter("target", positional, annotation=Target),
        inspect.Parameter("settings", positional, default=None, annotation=Settings),
        *[keyword(name, annotation, default) for name, annotation, default in options],
    ]

    @signed(parameters)
    def command(target: str, settings: list[str] | None = None, **given: Any) -> None:
        fields = {name.removeprefix(_OPTION): given.pop(name) for name in list(given) if name.startswith(_OPTION)}
        _Asking(kind, fields, **given).run(target, settings or [])

    command.__name__, command.__doc__ = kind.name, kind.help()
    app.command(kind.name)(with_memory(with_workers(command)))


def _uncapitalized(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _tell_all(hearers: Sequence[Callable[[Interval], None]], now: Interval) -> None:
    for hear in hearers:
        hear(now)


def _option(field: Field) -> tuple[Any, Any]:
    """Return the type of the option of a field, and its default."""
    name = f"--{field.name.replace('_', '-')}"
    if field.kind == "target":
        return TargetFunction, field.usual or inspect.Parameter.empty
    if field.kind == "distance":
        return DistanceOption, field.usual or inspect.Parameter.empty
    if field.kind == "flag":
        return Annotated[bool, typer.Option(name, help=field.help)], False
    if field.kind == "texts":
        return Annotated[list[str] | None, typer.Option(name, help=field.help, show_default=False)], None
    if field.usual or isinstance(field.default, int):
        return Annotated[str, typer.Option(name, help=field.help)], field.usual or str(field.default)
    if field.required:
        return Annotated[str, typer.Option(name, help=field.help, show_default=False)], inspect.Parameter.empty
    return Annotated[str | None, typer.Option(name, help=field.help, show_default=False)], None


class _Asking:
    """One command as it was typed."""

    def __init__(
        self,
        kind: type[Question[Any]],
        fields: Mapping[str, Any],
        *,
        method: str,
        time_limit: float,
        explain: bool,
        plot: Path | None,
        style: str,
        as_json: bool,
        neighbors: str | None = None,
        companion: bool = False,
        save: Path | None = None,
    ) -> None:
        self.kind, self.fields, self.companion = kind, fields, companion
        self.neighbors, self.method, self.time_limit = neighbors, method, time_limit
        self.explain, self.plot, self.style, self.save, self.as_json = explain, plot, style, save, as_json

    def run(self, target: str, settings: list[str]) -> None:
        """Ask, and print the answer."""
        with budget(self.time_limit):
            questions = questions_of_texts(self.kind, self.fields)
            if self.companion and self.kind.companion is not None:
                questions.append(self.kind.companion())
            check_outputs(self.plot, self.save, style=self.style)
            check_method(self.method)
            if self.save is not None and len(questions) > 1:
                raise InvalidInput(f"--save keeps one answer; these are {len(questions)}.", value=str(self.save))
            for why in [question.unsaved() for question in questions] if self.save is not None else []:
                if why is not None:
                    raise InvalidInput(f"--save {self.save}: {why}", value=str(self.save))
            query = read_query(target, settings)
            if self.kind.listed_field() is None and len(questions) == 1:
                self._answer(query, query.model(), questions[0])
            else:
                self._answers(query, query.model(), questions)

    def _bounds(
        self, query: Query, model: Model, questions: list[Question[Any]]
    ) -> tuple[list[Any], list[TooLarge | InvalidInput]]:
        """Return the answers; of the default questions, also refusals, except for the first question."""
        many = self.kind.listed_field()
        usual = many is not None and self.fields[many.name] == many.usual
        how: dict[str, Any] = {"method": self.method}
        if not self.kind.about_target:
            how["neighbors"] = relation_of(query, self.neighbors)
        bounds: list[Any] = []
        refused: list[TooLarge | InvalidInput] = []
        with closing_interval(query.name) as tell:
            for question in questions:
                try:
                    hearers: list[Callable[[Interval], None]] = []
                    if tell is not None:
                        hearers.append(functools.partial(_told, tell, question))
                    left = self._leaving(query, model, questions, bounds)
                    if left is not None:
                        hearers.append(left)
                    progress = functools.partial(_tell_all, hearers) if hearers else self.plot is not None
                    bounds.append(model.ask(question, **how, progress=progress))
                except (TooLarge, InvalidInput) as problem:
                    if not bounds or not usual or not isinstance(question, self.kind):
                        raise
                    bounds.append(None)
                    refused.append(problem)
        return bounds, refused

    def _answer(self, query: Query, model: Model, question: Question[Any]) -> None:
        """Print one answer as soon as it is known, then additional results; draw, save and verify it."""
        (bound,), _ = self._bounds(query, model, [question])
        explained = bound.explain() if self.explain else None
        self._leave_answer(query, question, bound)
        announce([*answer_parts(query.label, question, bound), explained], self.as_json)
        draw(bound, self.plot, self.style, query.label, self.as_json)
        keep(bound, self.save, self.as_json)
        besides = question.besides(model, bound)
        replayable = question.replayable(bound)
        check = verified(replayable)
        if besides is not None:
            shown: RenderableType = besides[1] if isinstance(besides[1], str) else text_table(besides[1])
            announce([shown], self.as_json)
        if self.as_json:
            more = {**self._asked(query), "verification": check.to_dict(), **(besides[0] if besides else {})}
            explanation = {"explanation": explained} if explained is not None else {}
            typer.echo(json_text({**question.record(bound), **more, **explanation}))
        say_verified({"": check}, self.as_json)
        finish([replayable], [check], self.as_json)

    def _leaving(
        self, query: Query, model: Model, questions: Sequence[Question[Any]], bounds: Sequence[Any]
    ) -> Callable[[Interval], None] | None:
        """Leave last words, spoken if this process has to be ended: the answers so far, and intervals that hold anyway.

        Return a function that leaves a narrower interval for the question that is asked next; None if there is nothing
        to leave.
        """
        if not is_supervised():
            return None
        left = [self._unknown(query, model, question) for question in questions[len(bounds) :]]
        if not left or any(bound is None for bound in left):
            return None

        def leave_these(now: Any) -> None:
            found = zip(questions, [*bounds, now, *left[1:]], strict=True)
            self._leave(query, [(question, bound) for question, bound in found if bound is not None])

        leave_these(left[0])
        if not isinstance(left[0].lower, (int, Fraction)):
            return None  # a curve, which no two numbers make narrower
        measure = questions[len(bounds)].to_measure()
        last, ends = clock(), (left[0].lower, left[0].upper)

        def leave_narrower(now: Interval) -> None:
            nonlocal last, ends
            if type(now.measure) is not type(measure) or now.measure != measure or model.__dict__.get("remainder", 1):
                return  # the ends are other numbers than those of the answer
            found = tuple(old if new is None else new for old, new in zip(ends, (now.lower, now.upper), strict=True))
            if found != ends and clock() > last + _BETWEEN:
                last, ends = clock(), found
                stats = {**left[0].stats, "why": "a limit was passed; the search had come so far"}
                leave_these(replace(left[0], lower=found[0], upper=found[1], stats=stats))

        return leave_narrower

    def _unknown(self, query: Query, model: Model, question: Question[Any]) -> Any:
        """Return the interval that holds for every mechanism, as an answer to a question; None if there is none."""
        if type(question).to_measure is Question.to_measure:
            return None
        stats = {"stopped": "time_limit", "why": "a limit was passed before any method had an answer"}
        bound = question.to_measure().unknown(method="none", stats=stats)
        if bound is None:
            return None
        related = (
            {} if self.kind.about_target else {"neighbors": model.neighbors(relation_of(query, self.neighbors)).name}
        )
        return replace(bound, question=question, **related)

    def _leave(self, query: Query, found: Sequence[tuple[Question[Any], Any]]) -> None:
        """Hand the supervisor intervals to print at the time limit, with the exit code of an interval."""
        if self.as_json:
            check = Verified(None, "time", self.time_limit).to_dict()
            records = [(question, {**question.record(bound), "verification": check}) for question, bound in found]
            alone = len(found) == 1 and self.kind.listed_field() is None
            record = {**records[0][1], **self._asked(query)} if alone else self._records(query, found[0][1], records)
            leave(f"{json_text(record)}\n", code=INTERVAL)
            return
        if len(found) == 1:
            parts: Sequence[RenderableType | None] = answer_parts(query.label, *found[0])
        else:
            named = {question.short: bound for question, bound in found}
            parts = [text_table(self.kind.compared(query.label, list(named.values())))]
        told = [text_of_part(part) for part in parts if part is not None]
        leave("".join(f"{line}\n" for line in [*told, f"This is an interval. {MORE_TIME}"]), code=INTERVAL)

    def _leave_answer(self, query: Query, question: Question[Any], bound: Any) -> None:
        """Hand the supervisor what is left to print at the time limit after the answer: that it was not verified."""
        if not is_supervised():
            return
        check = Verified(None, "time", self.time_limit)
        code = 0 if bound.complete else INTERVAL
        if self.as_json:
            record = {**question.record(bound), **self._asked(query), "verification": check.to_dict()}
            leave(f"{json_text(record)}\n", code=code)
            return
        more = [] if bound.complete else [f"This is an interval. {MORE_TIME}"]
        lines = [verification_text(None, check.reason, check.seconds), *more]
        leave("".join(f"{line}\n" for line in lines), code=code)

    def _answers(self, query: Query, model: Model, questions: list[Question[Any]]) -> None:
        """Print several answers in one table, draw, save and verify them."""
        bounds, refused = self._bounds(query, model, questions)
        found = [(question, bound) for question, bound in zip(questions, bounds, strict=True) if bound is not None]
        missing = [question for question, bound in zip(questions, bounds, strict=True) if bound is None]
        named = {question.short: bound for question, bound in found}
        explained = [bound.explain() for bound in named.values()] if self.explain else []
        sentences = [f"{question.short}: {why}" for question, why in zip(missing, refused, strict=True)]
        table = text_table(self.kind.compared(query.label, list(named.values())))
        announce([table, *explained, *sentences], self.as_json)
        draw(self.kind.drawn(named), self.plot, self.style, query.label, self.as_json)
        keep(found[0][1], self.save, self.as_json)
        checks = {name: verified(bound) for name, bound in named.items()}
        if self.as_json:
            records = [(q, {**q.record(bound), "verification": checks[q.short].to_dict()}) for q, bound in found]
            records += [(q, {"refused": str(why)}) for q, why in zip(missing, refused, strict=True)]
            typer.echo(json_text(self._records(query, found[0][1], records)))
        say_verified(checks, self.as_json)
        finish(named.values(), checks.values(), self.as_json)
        if any(isinstance(problem, TooLarge) for problem in refused):
            raise typer.Exit(INTERVAL)

    def _records(
        self, query: Query, first: Any, records: Sequence[tuple[Question[Any], dict[str, Any]]]
    ) -> dict[str, Any]:
        """Return several answers for programs, with what was asked."""
        related = {} if self.kind.about_target else {"neighbors": first.neighbors}
        own = self.kind.recorded(
            [(question, record) for question, record in records if isinstance(question, self.kind)]
        )
        others = {question.name: record for question, record in records if not isinstance(question, self.kind)}
        return {**self._asked(query), **related, **own, **others}

    def _asked(self, query: Query) -> dict[str, Any]:
        """Return the question for programs: the mechanism with its arguments, and the functions that have names."""
        functions = {one.name: self.fields[one.name] for one in self.kind.fields if one.kind in ("target", "distance")}
        return {**asked(query), **functions}


def _told(tell: Callable[[Interval], None], question: Question[Any], now: Interval) -> None:
    tell(question.certified(now))
