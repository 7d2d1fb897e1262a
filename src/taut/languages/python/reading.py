"""Reading of a mechanism: from a Python function and its arguments to a program, or to one real run."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import itertools
import math
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from taut.domains import Domain, as_tuples
from taut.languages.python.calls import code_of
from taut.languages.python.drawlog import Draw
from taut.languages.python.draws import Questions
from taut.languages.python.ends import Unfit, with_marks
from taut.languages.python.failures import ListChanged, PathEnds
from taut.languages.python.given_numbers import GivenNumber
from taut.languages.python.goals import apply_distance, apply_target
from taut.languages.python.randomness import Rejected
from taut.languages.python.reader import Reader
from taut.languages.python.run.calls import Formed
from taut.languages.python.run.needs import may_draw
from taut.languages.python.run.results import plain_argument
from taut.languages.python.run.tree import TooManyRuns
from taut.languages.python.scopes import is_generator, yield_in
from taut.languages.python.scripted import active_script
from taut.languages.python.validation.functions import TargetDistance, validate_goal, validate_predicate
from taut.languages.python.values import Code, ListBox
from taut.program import CoinVariable, Ends, InputVariable, Program, Term, Terms, evaluate, pointwise
from taut.program.outputs import plain_output
from taut.support.errors import (
    EndlessLoop,
    ImpossibleEvidence,
    InvalidInput,
    MechanismError,
    RealRandomness,
    SourceUnavailable,
    TautError,
    TooLarge,
    UnsupportedSyntax,
    UnsupportedValue,
    WrongArguments,
)
from taut.support.exact import exact, fraction_of_text
from taut.support.garbage import collector_paused
from taut.support.options import Options
from taut.support.spelling import meant

__all__ = ["Reading", "bind_arguments", "run_once", "trace", "trace_predicate"]

Ask = Callable[[list[InputVariable], list[CoinVariable]], Questions]
_RETRIES = 1_000_000
_FRAMES = 100_000
_READINGS = 200


@dataclass(frozen=True)
class Reading:
    """The result of reading a mechanism: its program, and the values from which more terms can be made."""

    program: Program
    """The program, with marks in its output for what noise without ends has beyond its window."""
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
    """The program as it was read, noise without ends clamped to a window; None if it is the same."""
    ask: Ask | None = None
    """Makes an oracle, for terms of noise without ends that is clamped to a wider window."""

    @property
    def raw(self) -> Program:
        """The program as it was read."""
        return self.program if self.plain is None else self.plain

    @property
    def draws(self) -> Sequence[Draw]:
        """Return every draw of the reading, in order."""
        return self.reader.draws.log

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
            goal = TargetDistance(target, distance, alpha)
            for gap in gaps[-1:]:
                validate_goal(self._exact(), replace(program, output=gap), goal, "gap", self.level)
            validate_goal(self._exact(), program, goal, "close", self.level)

        return self._read(close, target, judge)

    def gap(self, target: Any, distance: Any) -> Program:
        """Return the program of the distance between output and target."""
        return self._read(
            lambda reader: reader.finished(self._gap(reader, target, distance)),
            target,
            lambda read: validate_goal(self._exact(), read, TargetDistance(target, distance), "gap", self.level),
        )

    def aim(self, target: Any) -> Program:
        """Return the program of the target itself, without evidence."""
        return self._read(
            lambda reader: reader.output(reader.tuples(self._aim(reader, target))),
            target,
            lambda read: validate_goal(self._exact(), read, TargetDistance(target), "value", self.level),
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
            asked = _Asked(self.reader.questions if window == self.reader.window else self._oracle(reader, coins))
            reader.questions = asked
            with reading():
                try:
                    output = make(reader)
                except PathEnds:
                    output = reader.worlds.terms.false
                except TautError as problem:
                    raise problem.at(reader.place) from None
                evidence = reader.worlds.evidence if observed else self.raw.terms.true
                program = replace(self.raw, coins=tuple(coins), output=output, evidence=evidence)
                _check(replace(program, evidence=reader.worlds.evidence), reader)
            judge(program)
            try:
                return _with_marks(program, reader, asked)
            except Unfit as unfit:
                if unfit.cut:
                    raise InvalidInput(
                        f"'{self.raw.name}': this question asks more of noise without ends than what it is beyond a "
                        "bound; give the noise low and high.",
                        value=target,
                    ) from None
                window = _wider(window, unfit)
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
                f"the target gives values for {len(table)} of the {self.raw.size} inputs only.",
                value=target,
            )
        joint = terms.apply(pointwise(_row), *inputs)
        values = [as_tuples(value) for value in table.values()]
        term = terms.select(joint, list(table), [terms.const(value) for value in values])
        return reader.tuples(reader.draws.opened(term, list(dict.fromkeys(values))))


def _row(*entries: Any) -> tuple[Any, ...]:
    return entries


def bind_arguments(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a mechanism by name; numbers given as text or floats become Fractions."""
    name = function.__name__
    parameters = inspect.signature(function).parameters
    wanted = ", ".join(parameters)
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        for keyword in keywords:
            if keyword not in parameters:
                raise WrongArguments(
                    f"{name}: no argument '{keyword}'; its arguments are ({wanted}).{meant(keyword, parameters)}",
                    value=keyword,
                )
    try:
        bound = inspect.signature(function).bind(*args, **keywords)
    except TypeError as problem:
        missing = str(problem).removeprefix("missing a required argument: ")
        if missing != str(problem):
            kind, _, method = function.__qualname__.rpartition(".")
            if missing == "'self'" and kind:
                raise WrongArguments(
                    f"{name} is a method, and belongs to an object: make one, as in '{kind}(...).{method}'.", value=name
                ) from None
            raise WrongArguments(
                f"{name}: {missing} is not given and has no default; its arguments are ({wanted}).", value=keywords
            ) from None
        raise WrongArguments(f"{name}: {problem}; its arguments are ({wanted}).", value=keywords) from None
    bound.apply_defaults()
    return {key: _gathered(parameters[key], value) for key, value in bound.arguments.items()}


def trace(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any], ask: Ask, options: Options
) -> Reading:
    """Read a mechanism whose databases are given as domains; what cannot be read as a whole is run as a whole.

    Guarantee:
        For every input the program's distribution is that of running the function with its coins tossed really.
    """
    if _samples_in_a_loop(function, args, keywords):
        with contextlib.suppress(TautError):  # such as too many runs; then it may still be read
            return _run_whole(function, args, keywords, ask, options)
    try:
        return _read(function, args, keywords, ask, options)
    except _RUN_INSTEAD as problem:
        draws = may_draw(function, [*args, *keywords.values()])
        if isinstance(problem, TooLarge) and not (type(problem) is TooLarge and draws):
            raise
        if not isinstance(problem, (UnsupportedSyntax, SourceUnavailable)) and not draws:
            raise
        if isinstance(problem, SourceUnavailable) and _has_changed(function):
            raise
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise
        try:
            return _run_whole(function, args, keywords, ask, options)
        except TautError as other:
            if type(other) in (TooLarge, TooManyRuns) and draws:
                with contextlib.suppress(TautError):  # what is too large to be run is what there is to tell
                    return _read(function, args, keywords, ask, options, inline=True)
            if draws or not isinstance(function, types.FunctionType):
                raise other from None
            raise problem from None


_FEW_INPUTS = 16
_RUN_INSTEAD = (
    UnsupportedSyntax,
    UnsupportedValue,
    RealRandomness,
    SourceUnavailable,
    EndlessLoop,
    TooLarge,
    MechanismError,
)
"""Problems of reading after which a mechanism that draws really is run; if Python fails as well, it tells where."""


def _samples_in_a_loop(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]) -> bool:
    """Return True if a function draws really, has a ``while`` loop, and has few inputs.

    To run it is quicker than to read its loop round by round, and exact if the loop comes back to a state.
    """
    given = [*args, *keywords.values()]
    inputs = math.prod(value.size for value in given if isinstance(value, Domain))
    if inputs > _FEW_INPUTS or not isinstance(function, types.FunctionType) or not may_draw(function, given):
        return False
    try:
        node = code_of(function).source.node
    except TautError:
        return False
    return any(isinstance(one, ast.While) for one in ast.walk(node))


def _returns(node: ast.AST) -> bool:
    """Return True if a function has a ``return`` with a value, or is a lambda; functions inside it do not count."""
    if isinstance(node, ast.Lambda):
        return True
    open_nodes: list[ast.AST] = list(getattr(node, "body", []))
    while open_nodes:
        one = open_nodes.pop()
        if isinstance(one, ast.Return) and one.value is not None:
            return True
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            open_nodes += ast.iter_child_nodes(one)
    return False


def _run_whole(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any], ask: Ask, options: Options
) -> Reading:
    """A mechanism that is run on every input; its program has one draw, whose parameters are the entries."""
    bound = inspect.signature(function).bind(*args, **keywords)
    bound.apply_defaults()
    terms, inputs, coins = Terms(), list[InputVariable](), list[CoinVariable]()
    reader = Reader(code_of(_nothing), terms, inputs, coins, ask(inputs, coins), options.max_rounds)
    given = {
        name: plain_argument(_parameter(value) if isinstance(value, str) else value)
        for name, value in bound.arguments.items()
    }
    values = {
        name: _database(reader, name, value) if isinstance(value, Domain) else value for name, value in given.items()
    }
    domains = tuple(value for value in given.values() if isinstance(value, Domain))
    handed = {name: _handed(given[name], value) for name, value in values.items()}
    shaped = inspect.BoundArguments(inspect.signature(function), handed)
    with reading():
        try:
            value = reader.runs.call(function, shaped.args, dict(shaped.kwargs), whole=True)
        except PathEnds:
            raise reader.worlds.obligations[-1][1] from None
        output = reader.finished(value)
        program = Program(
            function.__name__, domains, tuple(inputs), tuple(coins), output, reader.worlds.evidence, terms
        )
        _refuse_observed_remainder(program, reader)
        _check(program, reader)
    databases = [values[name] for name, argument in given.items() if isinstance(argument, Domain)]
    return Reading(
        program, reader, value, databases[0] if len(databases) == 1 else tuple(databases), given, options.validate, True
    )


def _has_changed(function: Any) -> bool:
    """Return True if a function whose source was refused has a source file, which then has changed."""
    return isinstance(function, types.FunctionType) and os.path.exists(function.__code__.co_filename)


def _nothing() -> None:
    """Stands for the source of a mechanism that is run."""


def _read(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    ask: Ask,
    options: Options,
    inline: bool = False,
) -> Reading:
    """A mechanism that is read, statement by statement; again, where a first reading assumed too much.

    With ``inline`` expressions that draw really are run apart. Noise without ends may need a wider window, and lists of
    random length may have to be kept whole.
    """
    window, cut, thins = (0, 0), frozenset[int](), True
    for _ in range(_READINGS):
        try:
            return _read_within(function, args, keywords, ask, options, window, cut, thins, inline)
        except ListChanged:
            thins = False
        except Unfit as unfit:
            cut |= unfit.cut
            if not unfit.cut:
                window = _wider(window, unfit)
    raise TooLarge(
        f"'{function.__name__}': no ends are found for its noise without ends; give low and high.", value=function
    )


def _wider(window: tuple[int, int], unfit: Unfit) -> tuple[int, int]:
    """A window that an unfit one is not; from the third on each end that moves goes twice as far."""
    if window == (0, 0):
        return unfit.low, unfit.high
    low, high = window
    width = high - low
    return (
        low if unfit.low >= low else min(unfit.low, low - width),
        high if unfit.high <= high else max(unfit.high, high + width),
    )


def _read_within(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    ask: Ask,
    options: Options,
    window: tuple[int, int],
    cut: frozenset[int],
    thins: bool,
    inline: bool,
) -> Reading:
    """Read a mechanism once, with noise without ends clamped to a window.

    Unfit is raised where the window does not do, and ListChanged where a list is changed that is kept item by item, as
    lists of random length are with ``thins``.
    """
    arguments = bind_arguments(function, args, keywords)
    terms = Terms()
    inputs: list[InputVariable] = []
    coins: list[CoinVariable] = []
    body = getattr(function, "__taut_method__", function)
    code = code_of(getattr(body, "__func__", body))
    given = {**_owner(body), **arguments}
    _same_names(code, given)
    asked = _Asked(ask(inputs, coins))
    reader = Reader(code, terms, inputs, coins, asked, options.max_rounds, window=window, cut=cut, inline=inline)
    reader.worlds.thins = thins
    values = {
        name: _database(reader, name, value) if isinstance(value, Domain) else reader.import_value(value)
        for name, value in given.items()
    }
    domains = tuple(value for value in arguments.values() if isinstance(value, Domain))
    if is_generator(code.source.node):
        place = code.source.place(yield_in(code.source.node))
        raise UnsupportedSyntax("a mechanism with 'yield' is a generator; return a list.", value="yield", place=place)
    with reading():
        try:
            handed = {name: _read_form(reader, given[name], value) for name, value in values.items()}
            value = _call(reader, handed)
            reader.node = reader.returned
            output = reader.finished(value)
            if value is None and not _returns(code.source.node):
                raise UnsupportedValue(
                    f"'{function.__name__}' returns nothing on any path; its last line may lack 'return'.", value=None
                )
        except PathEnds:
            value, output = None, reader.marked(terms.const(None))
        except TautError as problem:
            raise problem.at(reader.place) from None
        program = Program(
            function.__name__, domains, tuple(inputs), tuple(coins), output, reader.worlds.evidence, terms
        )
        _refuse_observed_remainder(program, reader)
        _check(program, reader)
    databases = [values[name] for name, argument in arguments.items() if isinstance(argument, Domain)]
    marked = _with_marks(program, reader, asked)
    return Reading(
        marked,
        reader,
        value,
        databases[0] if len(databases) == 1 else tuple(databases),
        arguments,
        options.validate,
        plain=None if marked is program else replace(program, ends=Ends(window)),
        ask=ask,
    )


def _with_marks(program: Program, reader: Reader, asked: _Asked) -> Program:
    """The program with marks for what its noise without ends is beyond a window, if there is any."""
    if not reader.draws.open:
        return program
    decided = [*asked.terms, *[when for when, _ in reader.worlds.obligations]]
    return with_marks(program, reader.draws.open, decided, reader.window, asked.inner.values)


def trace_predicate(function: Callable[..., Any], domains: Sequence[Domain], ask: Ask, options: Options) -> Program:
    """Read a predicate f(x, x_prime) on databases as a Boolean program; with several domains x is a tuple of databases.

    Its inputs are the first entry of x, the first of x_prime, the second of x, and so on: entries that are compared
    stand side by side.

    Raises:
        TautError: the predicate cannot be read, or it is random.
    """
    terms, coins = Terms(), list[CoinVariable]()
    inputs: list[InputVariable] = []
    code = code_of(function)
    reader = Reader(
        code, terms, inputs, coins, ask(inputs, coins), options.max_rounds, exact_numbers=True, may_draw=False
    )
    entries = []
    for number, domain in enumerate(domains):
        place = f"[{number}]" if len(domains) > 1 else ""
        for position in range(domain.n):
            for name in ("x", "x_prime"):
                term = terms.input(len(inputs), domain.values)
                inputs.append(InputVariable(f"{name}{place}[{position}]", domain.values))
                entries.append(_entry(reader, term, domain))
    databases = _both_sides(entries, domains)
    with reading():
        try:
            output = reader.operators.truth(reader.calls.call_code(code, databases, {}))
        except PathEnds:
            raise UnsupportedValue("the predicate never returns.", value=function) from None
        if reader.worlds.evidence is not terms.true:
            raise UnsupportedValue("a predicate on databases must not be random.", value=function)
        program = Program(function.__name__, (), tuple(inputs), (), output, terms.true, terms)
        for when, problem in reader.worlds.obligations:
            if reader.questions.possible(when):
                raise problem

    validate_predicate(function, program, lambda entries: _both_sides(entries, domains), options.validate)
    return program


def _both_sides(entries: Sequence[Any], domains: Sequence[Domain]) -> tuple[Any, Any]:
    """Return two inputs, the entries of which stand in turn, as users write them."""
    sides = []
    for side in (0, 1):
        own, databases = iter(entries[side::2]), list[Any]()
        for domain in domains:
            database = tuple(itertools.islice(own, domain.n))
            databases.append(database[0] if domain.bare else database)
        sides.append(databases[0] if len(databases) == 1 else tuple(databases))
    return sides[0], sides[1]


def run_once(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Run once with real randomness; repeat while observations fail. A scripted run just calls the function."""
    if active_script() is not None or not isinstance(function, types.FunctionType):
        return function(*args, **keywords)
    arguments = bind_arguments(function, args, keywords)
    for _ in range(_RETRIES):
        reader = Reader(code_of(function), Terms(), [], [], _NoQuestions(), _RETRIES, real=True)
        values = {name: reader.import_value(value) for name, value in arguments.items()}
        with reading():
            try:
                return plain_output(evaluate(reader.output(_call(reader, values)), (), {}))
            except Rejected:
                continue
            except TautError as problem:
                raise problem.at(reader.place) from None
    raise ImpossibleEvidence(f"{function.__name__}: the evidence failed in {_RETRIES} runs.", value=arguments)


def _owner(function: Any) -> dict[str, Any]:
    """The object that a bound method belongs to, by the name of the first parameter."""
    if not isinstance(function, types.MethodType):
        return {}
    return {next(iter(inspect.signature(function.__func__).parameters)): function.__self__}


def _same_names(code: Code, arguments: Mapping[str, Any]) -> None:
    """Refuse a wrapper that shows the signature of the function it wraps."""
    spec = code.source.node.args
    named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, *[a for a in (spec.vararg, spec.kwarg) if a is not None]]
    if {argument.arg for argument in named} != set(arguments):
        raise UnsupportedSyntax(f"'{code.name}' is wrapped by another function, so it is not read.", value=code.name)


def _call(reader: Reader, values: dict[str, Any]) -> Any:
    """Call the code with arguments already bound by name."""
    spec = reader.code.source.node.args
    args: list[Any] = [values[argument.arg] for argument in [*spec.posonlyargs, *spec.args]]
    if spec.vararg is not None:
        args += values[spec.vararg.arg]
    keywords = {argument.arg: values[argument.arg] for argument in spec.kwonlyargs}
    if spec.kwarg is not None:
        keywords.update({key: entry.value for key, entry in values[spec.kwarg.arg].content.items()})
    return reader.calls.call_code(reader.code, args, keywords)


def _database(reader: Reader, name: str, domain: Domain) -> Any:
    """Return the entries of a database as random values."""
    entries = []
    for position in range(domain.n):
        label = name if domain.bare else f"{name}[{position}]"
        index = len(reader.inputs)
        reader.inputs.append(InputVariable(label, domain.values))
        term = reader.worlds.terms.input(index, domain.values)
        entries.append(_entry(reader, term, domain))
    return entries[0] if domain.bare else tuple(entries)


def _handed(domain: Any, value: Any) -> Any:
    """Return a database in the form in which a function that is run is given it."""
    if not isinstance(domain, Domain) or not domain.form:
        return value
    return Formed((value,) if domain.bare else value, domain.form)


def _read_form(reader: Reader, domain: Any, value: Any) -> Any:
    """Return a database in the form in which a function that is read is given it."""
    if not isinstance(domain, Domain) or not domain.form:
        return value
    if domain.form == "array":
        raise UnsupportedSyntax(f"arrays such as those of {domain} cannot be read; the function is run on them.")
    return ListBox([value] if domain.bare else list(value), reader.worlds.world)


def _entry(reader: Reader, term: Term, domain: Domain) -> Any:
    if any(isinstance(value, tuple) for value in domain.values):
        return reader.draws.opened(term, domain.values)
    return reader.lifted(term, domain.values)


def _gathered(parameter: inspect.Parameter, value: Any) -> Any:
    """Return an argument as the body gets it; those of *args and **kwargs are converted one by one."""
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple([_parameter(item) for item in value])
    if parameter.kind is parameter.VAR_KEYWORD:
        return {key: _parameter(item) for key, item in value.items()}
    return _parameter(value)


def _parameter(value: Any) -> Any:
    if isinstance(value, float):
        return GivenNumber(exact(value))
    if isinstance(value, str):
        parsed = fraction_of_text(value)
        return value if parsed is None else GivenNumber(parsed)
    return value


def _refuse_observed_remainder(program: Program, reader: Reader) -> None:
    """Refuse evidence in a program some of whose runs are not followed: what they observe is not known."""
    if program.conditioned and reader.worlds.followed is not program.terms.true:
        raise EndlessLoop(
            f"'{program.name}' observes something, and has runs that are not followed to their end (loops that can go "
            "on, noise without ends); what those observe is not known. Leave the observation out, or give the noise "
            "ends.",
            value=program.name,
        )


def _check(program: Program, reader: Reader) -> None:
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


class _Asked:
    """Questions, with a list of the terms that they were about."""

    def __init__(self, inner: Questions) -> None:
        self.inner: Questions = inner.inner if isinstance(inner, _Asked) else inner
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


class _NoQuestions:
    """The questions of a real run, which never asks any."""

    def possible(self, event: Any) -> bool:
        return True

    def surely_impossible(self, event: Any) -> bool:
        return False

    def values(self, term: Any) -> list[Any]:
        return []

    def example(self, event: Any) -> dict[int, Any]:
        return {}

    def run(self, event: Any) -> tuple[dict[int, Any], dict[int, Any]] | bool:
        return True

    def chance(self, event: Any, entries: Mapping[int, Any]) -> Any:
        return None

    def most(self, event: Any) -> Any:
        return None

    @property
    def nodes(self) -> int:
        return 0


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
