"""A mechanism that has been read: its program, and questions that read more functions (targets, distances)."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from taut.languages.python.calls import code_of, is_library
from taut.languages.python.draws import Questions
from taut.languages.python.ends import WindowUnfit, with_marks
from taut.languages.python.failures import PathEnds
from taut.languages.python.logs import Account, Draw
from taut.languages.python.reader import Reader
from taut.languages.python.validation.functions import TargetDistance, validate_target
from taut.program import CoinVariable, InputVariable, Program, Select, Term, Tuple, evaluate, pointwise
from taut.program.domains import as_tuples
from taut.support.errors import InvalidInput, TautError, TooLarge, WrongArguments
from taut.support.options import Options
from taut.support.process import collector_paused

__all__ = ["Ask", "Asked", "Reading", "check", "reading", "reading_of", "wider", "with_all_marks"]

Ask = Callable[[list[InputVariable], list[CoinVariable]], Questions]
_FRAMES = 100_000


@dataclass(frozen=True)
class Reading:
    """The result of reading a mechanism: its program, and the values from which more terms can be made."""

    program: Program
    """The program, with marks in its output for what unbounded noise has beyond its window."""
    reader: Reader
    value: Any
    x: Any
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The arguments of the function by name, as its body gets them; a Domain for each database."""
    level: str = "default"
    """Level of the comparison with the functions themselves (the option 'validate')."""
    whole: bool = False
    """True if nothing was read and the function itself was run on every input."""
    plain: Program | None = None
    """The program as it was read, unbounded noise clamped to a window; None if it is the same."""
    ask: Ask | None = None
    """Makes an oracle for terms with unbounded noise in a wider window."""

    @property
    def raw(self) -> Program:
        """The program as it was read."""
        return self.program if self.plain is None else self.plain

    @property
    def draws(self) -> Sequence[Draw]:
        """Return every draw of the reading, in order."""
        return self.reader.draws.log

    @property
    def account(self) -> Account:
        """Return the functions that were read, and those that were run."""
        return Account(() if self.whole else (self.raw.name,), self.reader.run_calls)

    @property
    def followed(self) -> bool:
        """Return True if all runs are followed to their end."""
        return self.reader.worlds.followed is self.raw.terms.true

    def event(self, target: Any, distance: Any, alpha: Any) -> Program:
        """Return the program of the event that the output is within alpha of the target (inclusive).

        ``target`` is a function of the database, or a mapping from inputs to values; ``distance`` a function of the
        output and the target's value, by default their absolute difference. Numbers are exact: nothing is rounded.
        """

        gaps: list[Term] = []

        def close(reader: Reader) -> Term:
            gap = self._gap(reader, target, distance)
            if self.level != "off":
                gaps.append(reader.finished(gap))
            within = reader.operators.truth(reader.comparisons.compare("le", gap, reader.tuples(alpha)))
            return reader.worlds.terms.all(reader.worlds.followed, within)

        def judge(program: Program) -> None:
            wanted = TargetDistance(target, distance, alpha)
            for gap in gaps[-1:]:
                validate_target(self._exact(), replace(program, output=gap), wanted, "gap", self.level)
            validate_target(self._exact(), program, wanted, "close", self.level)

        return self._read(close, target, judge)

    def gap(self, target: Any, distance: Any) -> Program:
        """Return the program of the distance between output and target."""
        return self._read(
            lambda reader: reader.finished(self._gap(reader, target, distance)),
            target,
            lambda read: validate_target(self._exact(), read, TargetDistance(target, distance), "gap", self.level),
        )

    def aim(self, target: Any) -> Program:
        """Return the program of the target itself, without evidence."""
        return self._read(
            lambda reader: reader.output(reader.tuples(self._aim(reader, target))),
            target,
            lambda read: validate_target(self._exact(), read, TargetDistance(target), "value", self.level),
            observed=False,
        )

    def within(self, target: Any, distance: Any, alpha: Any) -> Callable[[Any, Any], bool]:
        """Return a function that tells whether a known output y is within alpha of the target at a known input x.

        It computes as the reading does, in exact numbers, and raises what the user's functions would.
        """
        reader = self.reader.fork()

        @functools.lru_cache(maxsize=1)
        def aim(x: Any) -> Any:
            if isinstance(target, Mapping):
                return reader.tuples(reader.import_value(target[x]))
            return reader.tuples(apply_target(reader, target, reader.tuples(reader.import_value(x))))

        def close(x: Any, y: Any) -> bool:
            output = reader.tuples(reader.import_value(y))
            if distance is None:
                gap = reader.operators.unary("abs", reader.operators.binary("sub", output, aim(x)))
            else:
                gap = apply_distance(reader, distance, output, aim(x))
            truth = reader.operators.truth(reader.comparisons.compare("le", gap, reader.tuples(alpha)))
            return bool(evaluate(truth, (), {}))

        def asked(x: Any, y: Any) -> bool:
            with reading():
                try:
                    return close(x, y)
                except PathEnds:
                    raise reader.worlds.obligations[-1][1] from None

        return asked

    def _exact(self) -> Program:
        """Return the program with outputs in the form that targets and distances get, for validation."""
        if not self.reader.worlds.fractions:
            return self.raw
        reader = self.reader.fork()
        with reading():
            return replace(self.raw, output=reader.marked(reader.output(reader.tuples(self.value), shown=True)))

    def _read(
        self, make: Callable[[Reader], Term], target: Any, judge: Callable[[Program], None], observed: bool = True
    ) -> Program:
        """Return the program with another output, made by a separate reader and judged before it gets its marks."""
        coins = list(self.raw.coins)
        window = self.reader.window
        while True:
            reader = self.reader.fork()
            reader.window = window
            asked = Asked(self.reader.questions if window == self.reader.window else self._oracle(reader, coins))
            reader.questions = asked
            with reading():
                try:
                    output = make(reader)
                except PathEnds:
                    output = reader.worlds.terms.false
                except TautError as problem:
                    raise problem.at(reader.error_place) from None
                evidence = reader.worlds.evidence if observed else self.raw.terms.true
                program = replace(self.raw, coins=tuple(coins), output=output, evidence=evidence)
                check(replace(program, evidence=reader.worlds.evidence), reader)
            judge(program)
            try:
                return with_all_marks(program, reader, asked)
            except WindowUnfit as unfit:
                if unfit.cut:
                    raise InvalidInput(
                        f"'{self.raw.name}': this question asks more of unbounded noise than what it is beyond a "
                        "bound; give the noise low and high.",
                        value=target,
                    ) from None
                window = wider(window, unfit)
                for index, coin in self.reader.draws.open.items():
                    outcomes, weights = coin.row(window)
                    coins[index] = replace(coins[index], outcomes=outcomes, weights=weights)

    def _oracle(self, reader: Reader, coins: list[CoinVariable]) -> Questions:
        assert self.ask is not None
        reader.coins[:] = coins
        return self.ask(reader.inputs, reader.coins)

    def _gap(self, reader: Reader, target: Any, distance: Any) -> Any:
        output, aim = reader.tuples(self.value), reader.tuples(self._aim(reader, target))
        if distance is None:
            return reader.operators.unary("abs", reader.operators.binary("sub", output, aim))
        return apply_distance(reader, distance, output, aim)

    def _aim(self, reader: Reader, target: Any) -> Any:
        if isinstance(target, Mapping):
            return self._looked_up(reader, target)
        return apply_target(reader, target, reader.tuples(self.x))

    def _looked_up(self, reader: Reader, target: Mapping[Any, Any]) -> Any:
        """Return the value of a mapping at the input."""
        terms = reader.worlds.terms
        inputs = [terms.input(i, variable.values) for i, variable in enumerate(self.raw.inputs)]
        table = {self.raw.entries(x): value for x, value in target.items()}
        if len(table) < self.raw.size:
            raise InvalidInput(
                f"the target gives values for {len(table)} of the {self.raw.size} inputs only.", value=target
            )
        joint = terms.apply(pointwise(_row), *inputs)
        values = [as_tuples(value) for value in table.values()]
        term = terms.select(joint, list(table), [terms.const(value) for value in values])
        return reader.tuples(reader.draws.opened(term, list(dict.fromkeys(values))))


def _row(*entries: Any) -> tuple[Any, ...]:
    return entries


def wider(window: tuple[int, int], unfit: WindowUnfit) -> tuple[int, int]:
    """Return a window wider than an unfit one; from the third try on, each end that moves goes twice as far."""
    if window == (0, 0):
        return unfit.low, unfit.high
    low, high = window
    width = high - low
    return (
        low if unfit.low >= low else min(unfit.low, low - width),
        high if unfit.high <= high else max(unfit.high, high + width),
    )


def with_all_marks(program: Program, reader: Reader, asked: Asked) -> Program:
    """Return the program with marks for unbounded noise beyond its window, if it has any."""
    if not reader.draws.open:
        return program
    decided = [*asked.terms, *[when for when, _ in reader.worlds.obligations]]
    return with_marks(program, reader.draws.open, decided, reader.window, asked.inner.values)


def check(program: Program, reader: Reader) -> None:
    """Raise the first failure that is possible, with an input at which it occurs."""
    for when, problem in reader.worlds.obligations:
        try:
            possible = reader.questions.possible(when)
        except TooLarge as error:
            raise error.at(problem.place) from None
        if possible:
            known = reader.questions.example(when)
            entries = [known.get(place, variable.values[0]) for place, variable in enumerate(program.inputs)]
            if program.inputs:
                shown = repr(program.database(entries))
                problem.message += f" It happens at x={shown if len(shown) <= 120 else shown[:117] + '...'}."
            raise problem


class Asked:
    """Questions, with a list of the terms that they were about."""

    def __init__(self, inner: Questions) -> None:
        self.inner: Questions = inner.inner if isinstance(inner, Asked) else inner
        self.terms: dict[Term, None] = {}

    def possible(self, event: Term) -> bool:
        self.terms[event] = None
        return self.inner.possible(event)

    def surely_impossible(self, event: Term) -> bool:
        self.terms[event] = None
        return self.inner.surely_impossible(event)

    def values(self, term: Term) -> list[Any]:
        self.terms[term] = None
        return self.inner.values(term)

    def few_values(self, term: Term, most: int, work: int) -> list[Any] | None:
        self.terms[term] = None
        return self.inner.few_values(term, most, work)

    def example(self, event: Term) -> dict[int, Any]:
        return self.inner.example(event)

    def run(self, event: Term) -> tuple[dict[int, Any], dict[int, Any]] | bool:
        return self.inner.run(event)

    def chance(self, event: Term, entries: Mapping[int, Any]) -> Any:
        return self.inner.chance(event, entries)

    def most(self, event: Term) -> Any:
        self.terms[event] = None
        return self.inner.most(event)

    @property
    def nodes(self) -> int:
        return self.inner.nodes


@contextmanager
def reading() -> Iterator[None]:
    """Raise Python's recursion limit while code is read; the depth of the mechanism is limited separately."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        with collector_paused():
            yield
    except RecursionError as problem:
        if isinstance(problem, TautError):
            raise
        raise TooLarge("the mechanism is nested too deeply to be read; use loops, or fewer nested parts.") from None
    finally:
        sys.setrecursionlimit(before)


def apply_target(reader: Reader, target: Any, x: Any) -> Any:
    """Return the value of a target at a database.

    Raises:
        TautError: the target is not a function of one argument, or fails; the place is a line of the target.
    """
    return _applied(reader, "target", "the database", target, [x])


def apply_distance(reader: Reader, distance: Any, y: Any, aim: Any) -> Any:
    """Return the distance of an output from a value of the target.

    Raises:
        TautError: the distance is not a function of two arguments, or fails; the place is a line of the distance.
    """
    return _applied(reader, "distance", "an output and a value of the target", distance, [y, aim])


def _applied(reader: Reader, role: str, wanted: str, function: Any, args: list[Any]) -> Any:
    """Read a plain function like a mechanism, so that it may branch; errors name the function."""
    if not callable(function):
        other = ", or a mapping from inputs to values" if role == "target" else ""
        raise InvalidInput(f"the {role} must be a function of {wanted}{other}; got {function!r}.", value=function)
    subject = _named(role, function)
    is_read = isinstance(function, types.FunctionType) and not is_library(function)
    if is_read:
        _check_arguments(subject, wanted, function, len(args))
    before, known = reader.subject, len(reader.worlds.obligations)
    reader.subject = subject
    try:
        if is_read:
            return reader.calls.call_code(code_of(function), args, {})
        return reader.calls.call(function, args, {})
    except TautError as problem:
        _tell(problem, subject)
        raise
    finally:
        reader.subject = before
        for _, failure in reader.worlds.obligations[known:]:
            _tell(failure, subject)


def reading_of(program: Program, x: Any, ask: Callable[..., Questions], options: Options) -> Reading:
    """Return a reading of a program with the database ``x``, given as terms or tuples of terms."""
    inputs, coins = list(program.inputs), list(program.coins)
    reader = Reader(code_of(_elsewhere), program.terms, inputs, coins, ask(inputs, coins), options.max_rounds)
    reader.worlds.evidence = program.evidence
    return Reading(program, reader, _value(reader, program.output), _value(reader, x), level=options.validate)


def _elsewhere() -> None:
    """A stand-in for the code of a program that is not written in Python."""


def _value(reader: Reader, term: Term | tuple[Any, ...]) -> Any:
    """Return a term as a value of the interpreter: tuples are opened, different tuples become alternatives."""
    if isinstance(term, tuple):
        return tuple([_value(reader, part) for part in term])
    if isinstance(term, Tuple):
        return tuple([_value(reader, part) for part in term.items])
    if isinstance(term, Select) and any(isinstance(item, Tuple) for item in term.items):
        options = zip(term.keys, term.items, strict=True)
        return reader.worlds.alternatives(
            [
                (reader.worlds.terms.apply("eq", term.index, reader.worlds.terms.const(key)), _value(reader, item))
                for key, item in options
            ]
        )
    return reader.worlds.wrap(term)


def _tell(problem: TautError, subject: str) -> None:
    if subject not in problem.message and not isinstance(problem, TooLarge):
        problem.message = f"in {subject}: {problem.message}"


def _named(role: str, function: Any) -> str:
    name = getattr(function, "__name__", "<lambda>")
    return f"the {role}" if name == "<lambda>" else f"the {role} '{name}'"


def _check_arguments(subject: str, wanted: str, function: types.FunctionType, count: int) -> None:
    signature = inspect.signature(function)
    try:
        signature.bind(*range(count))
    except TypeError:
        source = code_of(function).source
        raise WrongArguments(
            f"{subject} is called with {wanted}, so it must take {count} argument{'s' if count > 1 else ''}; "
            f"it takes {signature}.",
            value=function,
            place=source.place(source.node),
        ) from None
