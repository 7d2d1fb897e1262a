"""Calls that are run once for each value of their arguments; each is one draw with the arguments as parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.floats import plain_argument, rounded
from taut.languages.python.logs import Draw, RunCall
from taut.languages.python.run.inline import is_inline
from taut.languages.python.run.table import Outcome, Row, Runner
from taut.languages.python.values import Alternatives, DictBox, Formed, ListBox, Symbolic, has_symbolic
from taut.program import UNFOLLOWED, Term
from taut.program.operations import typed
from taut.support.errors import MechanismError, TautError, TooLarge, UnsupportedValue
from taut.support.exact import ends, large, surely_zero
from taut.support.options import active

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["MadeDraw", "Runs"]

_MOST_VALUES = 20_000


class _Rejected:
    """The outcome that stands for runs in which an observation failed."""

    def __repr__(self) -> str:
        return "REJECTED"


REJECTED = _Rejected()


@dataclass(frozen=True)
class _Dict:
    keys: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True)
class MadeDraw:
    """A draw that stands for a call that is run, with the data to run it again."""

    draw: Draw
    runner: Runner
    cases: Mapping[Any, tuple[list[Any], dict[str, Any]]]
    """Arguments and keywords for each value of the draw's index."""
    codes: Mapping[Any, Any]
    """The outcomes of its coins by the keys of results."""
    followed: bool
    """True if every run is followed to its end."""

    def code(self, end: Any) -> Any:
        """Return the outcome of the draw's coin for the end of a run; None if the draw does not have it."""
        return self.codes.get(end.key[0]) if isinstance(end, Outcome) else REJECTED


@dataclass
class _Callee:
    runner: Runner
    rows: dict[Any, Row]


class Runs:
    """Runs what cannot be read, for a reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self._callees: dict[Any, _Callee] = {}
        self.most_runs: int | None = None
        """Runs that a call may take for all values of its arguments together; None for any number."""
        self.made: list[MadeDraw] = []
        """The draws that stand for calls, in order."""

    def call(self, function: Any, args: Sequence[Any], keywords: dict[str, Any], whole: bool = False) -> Any:
        """Return the result of a call; with ``whole`` it is the mechanism itself, and its result stays unconverted."""
        if self.reader.real:
            plain = [plain_argument(self.reader.foreign.exported(arg)) for arg in args]
            named = {key: plain_argument(self.reader.foreign.exported(arg)) for key, arg in keywords.items()}
            return self.reader.import_value(function(*plain, **named))
        names = tuple(keywords)

        def drawn(values: tuple[Any, ...]) -> Any:
            return self._draw(function, values[: len(args)], dict(zip(names, values[len(args) :], strict=True)), whole)

        return self._shaped([*args, *keywords.values()], (), drawn)

    def are_many(self, args: Sequence[Any]) -> bool:
        """Return True if arguments surely have more values together than may be listed."""
        found: dict[Term, None] = {}
        waiting = list(args)
        while waiting:
            value = waiting.pop()
            if isinstance(value, Symbolic):
                found[value.term] = None
            elif isinstance(value, ListBox):
                waiting += value.content if isinstance(value.content, list) else []
            elif isinstance(value, tuple):
                waiting += value
        return math.prod([len(t.values) for t in found if hasattr(t.values, "__len__")]) > _MOST_VALUES

    def calls(self) -> tuple[RunCall, ...]:
        """Return the functions that were run, each with its number of runs."""
        run = []
        for callee in self._callees.values():
            rows = list(callee.rows.values())
            draws = sorted({name for row in rows for name in row.draws})
            most = max([ends(row.remainder)[1] for row in rows], default=Fraction(0))
            inline = is_inline(callee.runner.function)
            runs = sum(row.runs for row in rows)
            run.append(RunCall(callee.runner.name, len(rows), runs, tuple(draws), most, inline))
        return tuple(run)

    # -- arguments -----------------------------------------------------------------------------------------------

    def _shaped(self, items: Sequence[Any], done: tuple[Any, ...], action: Callable[[tuple[Any, ...]], Any]) -> Any:
        """Apply ``action`` to arguments of known container types, once for each combination of types."""
        if not items:
            return action(done)
        first, rest = items[0], items[1:]
        return self._one_shape(first, lambda made: self._shaped(rest, (*done, made), action))

    def _one_shape(self, value: Any, action: Callable[[Any], Any]) -> Any:
        if isinstance(value, Formed):
            return self._shaped(list(value.items), (), lambda made: action(Formed(made, value.form)))
        value = self.worlds.bound(value, "an argument")
        if not has_symbolic(value):
            return action(plain_argument(self.reader.foreign.exported(value)))
        if isinstance(value, Symbolic):
            return action(value)
        if isinstance(value, Alternatives):
            return self.worlds.each(value, lambda option: self._one_shape(option, action))
        if isinstance(value, ListBox):
            return self.reader.sequences.per_length(
                value, lambda items: self._shaped(list(items), (), lambda made: action(Formed(made)))
            )
        if type(value) is tuple:
            return self._shaped(list(value), (), action)
        if isinstance(value, DictBox):
            order = self.reader.dicts.order(value)
            if order is not None and all(value.content[key].present is self.terms.true for key in order):
                keys = tuple([value.content[key].key for key in order])
                shares = [value.content[key].value for key in order]
                return self._shaped(shares, (), lambda made: action(_Dict(keys, made)))
        raise UnsupportedValue("a set, dictionary or object with random parts reached a function that is run.")

    # -- draws ---------------------------------------------------------------------------------------------------

    def _draw(self, function: Any, args: tuple[Any, ...], keywords: dict[str, Any], whole: bool) -> Any:
        found: dict[Term, None] = {}
        _collect((args, tuple(keywords.values())), found)
        terms = list(found)
        callee = self._callee(function, whole)
        name = callee.runner.name
        self._few(terms, name)
        draws = self.reader.draws
        joint, choices = draws._joint(terms) if terms else (None, [()])
        cases = []
        for choice in choices:
            known = dict(zip(terms, choice, strict=True))
            plain = [_filled(arg, known) for arg in args]
            cases.append((choice, plain, {key: _filled(arg, known) for key, arg in keywords.items()}))
        keys, rows = self._rows(callee, cases, joint, len(terms))
        if not self.reader.may_draw and any(len(row.outcomes) > 1 for row in rows):
            raise UnsupportedValue("a target, distance or predicate must not be random itself; it draws a coin.")
        return self._value(callee.runner, joint, keys, rows, cases, whole)

    def _few(self, terms: Sequence[Term], name: str) -> None:
        """Refuse arguments with too many values before they are listed."""
        sizes = [len(term.values) for term in terms if hasattr(term.values, "__len__")]
        most = math.prod(sizes)
        if most > 50 * _MOST_VALUES and len(sizes) == len(terms) and all(hasattr(t, "index") for t in terms):
            raise TooLarge(
                f"'{name}' cannot be read, so it would be run for each of {large(most)} values of its arguments; at "
                f"most {_MOST_VALUES} are listed. A smaller domain, or a function of one entry at a time, would help.",
                value=most,
            )

    def _rows(self, callee: _Callee, cases: Sequence[Any], joint: Any, width: int) -> tuple[list[Any], list[Row]]:
        if len(cases) > _MOST_VALUES:
            raise TooLarge(
                f"'{callee.runner.name}' cannot be read, so it would be run for each of {len(cases)} values of its "
                f"arguments; at most {_MOST_VALUES} are listed. A smaller domain would help.",
                value=len(cases),
            )
        keys, rows, missing = [], [], []
        for case in cases:
            if _key(case) not in callee.rows:
                missing.append(case)
        problems: dict[Any, TautError] = {}
        if missing:
            runs = 0
            with callee.runner.ready():
                for place, case in enumerate(missing):
                    left = None if self.most_runs is None else self.most_runs * (place + 1) // len(missing) - runs
                    try:
                        made = callee.rows[_key(case)] = callee.runner.row(case[1], case[2], max_runs=left)
                        runs += made.runs
                    except TautError as problem:
                        if len(cases) == 1 or not _may_be_impossible(problem):
                            raise
                        problems[_key(case)] = problem
        for case in cases:
            key = case[0][0] if width == 1 else case[0]
            if _key(case) in problems:
                event = self.terms.apply("eq", joint, self.terms.const(key))
                self.worlds.must_not(event, problems[_key(case)])
                continue
            keys.append(key)
            rows.append(callee.rows[_key(case)])
        if not rows:
            self.worlds.fail(next(iter(problems.values())))
        return keys, rows

    def _callee(self, function: Any, whole: bool) -> _Callee:
        owner = getattr(function, "__self__", None)
        inner = getattr(function, "__func__", None)
        key = (id(owner), id(inner)) if inner is not None else id(function)
        if key not in self._callees:
            name = getattr(function, "__name__", None) or type(function).__name__
            if owner is not None and not isinstance(owner, type) and not hasattr(owner, "__path__"):
                kind = type(owner).__name__
                name = name if kind in ("module", "Random") else f"{kind}.{name}"
            most = active().max_runs if self.most_runs is None else min(self.most_runs, active().max_runs)
            self._callees[key] = _Callee(Runner(function, name, most, keeps_arguments=not whole), {})
        return self._callees[key]

    def _value(
        self, runner: Runner, joint: Any, keys: list[Any], rows: list[Row], cases: Sequence[Any], whole: bool
    ) -> Any:
        draws, name = self.reader.draws, runner.name
        number = draws._new_draw()
        values = {outcome.key[0]: outcome.value for row in rows for outcome in row.outcomes}
        codes = _codes(values)
        tosses: dict[int, Any] = {}
        shown: dict[Any, Any] = {}
        for row in rows:
            if id(row) in tosses:
                continue
            outcomes: list[Any] = [codes[outcome.key[0]] for outcome in row.outcomes]
            weights = list(row.weights)
            for mark, mass in ((UNFOLLOWED, row.remainder), (REJECTED, row.rejected)):
                if not surely_zero(mass):
                    outcomes.append(mark)
                    weights.append(mass)
            spelled = (typed(tuple(outcomes)), tuple(weights))
            if spelled not in shown:
                toss = draws._toss(name, (tuple(outcomes), tuple(weights)), number)
                shown[spelled] = toss
            tosses[id(row)] = shown[spelled]
        logged = tuple([(key, tosses[id(row)]) for key, row in zip(keys, rows, strict=True)])
        guard = self.worlds.world.guard
        draws.log.append(Draw("run", self.reader.place, guard, joint, logged or ()))
        followed = all(surely_zero(row.remainder) for row in rows)
        given = {case[0][0] if len(case[0]) == 1 else case[0]: (case[1], case[2]) for case in cases}
        self.made.append(MadeDraw(draws.log[-1], runner, given, codes, followed))
        if not values:
            raise UnsupportedValue(f"'{name}': its observation never holds.", value=name)
        choices = [tosses[id(row)] for row in rows]
        toss = choices[0] if joint is None else self.terms.select(joint, keys, choices)
        return self._opened(toss, list(values.values()), list(codes.values()), rows, whole, name)

    def _opened(self, toss: Term, values: list[Any], codes: list[Any], rows: list[Row], whole: bool, name: str) -> Any:
        """Return the value of the draw for the reader; runs without a result are given up or excluded."""
        draws, terms = self.reader.draws, self.terms
        drawn = toss
        if any(not surely_zero(row.rejected) for row in rows):
            fails = terms.apply("eq", drawn, terms.const(REJECTED))
            happens = terms.any(terms.negate(self.worlds.world.guard), terms.negate(fails))
            self.worlds.evidence = terms.all(self.worlds.evidence, happens)
            toss = terms.ite(fails, terms.const(codes[0]), toss)
        if any(not surely_zero(row.remainder) for row in rows):
            lost = terms.apply("eq", drawn, terms.const(UNFOLLOWED))
            self.worlds.give_up(lost)
            toss = terms.ite(lost, terms.const(codes[0]), toss)
        shapes = {outcome.shape for row in rows for outcome in row.outcomes}
        if len(values) == 1:
            value = self.reader.import_value(values[0])
        elif typed(tuple(codes)) != typed(tuple(values)) or any(isinstance(value, tuple) for value in values):
            value = draws.opened(toss, values, codes)
        else:
            value = self.reader.lifted(toss, values)
        if whole or shapes == {None}:
            return value
        if shapes == {("list", None)}:
            return self.worlds.each(value, lambda items: ListBox(list(items), self.worlds.world))
        raise UnsupportedValue(
            f"'{name}' returns an array, a set, a dictionary or nested lists, which what is read around it cannot use.",
            value=name,
        )


def _codes(values: dict[Any, Any]) -> dict[Any, Any]:
    """Return the outcomes of coins for these results: their places if some are equal but look different."""
    if len(set(values.values())) == len(values):
        return values
    return {key: place for place, key in enumerate(values)}


def _may_be_impossible(problem: TautError) -> bool:
    """Return True if a problem is the failure of a run, whose arguments may never occur together."""
    return isinstance(problem, MechanismError)


def _key(case: Any) -> Any:
    _, args, keywords = case
    return repr((args, keywords)), typed(tuple(_hashable(arg) for arg in [*args, *keywords.values()]))


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple([_hashable(item) for item in value])
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _collect(value: Any, terms: dict[Term, None]) -> None:
    if isinstance(value, Symbolic):
        terms[value.term] = None
    elif isinstance(value, Formed):
        _collect(value.items, terms)
    elif isinstance(value, _Dict):
        _collect(value.values, terms)
    elif type(value) is tuple:
        for item in value:
            _collect(item, terms)


def _filled(value: Any, known: dict[Term, Any]) -> Any:
    """Return an argument with ordinary values in place of random ones."""
    if isinstance(value, Symbolic):
        return rounded(known[value.term])
    if isinstance(value, Formed):
        return value.filled([_filled(item, known) for item in value.items])
    if isinstance(value, _Dict):
        return dict(zip(value.keys, [_filled(item, known) for item in value.values], strict=True))
    if type(value) is tuple:
        return tuple([_filled(item, known) for item in value])
    return value
