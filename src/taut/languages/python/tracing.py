"""Reading of a mechanism: from a Python function and its arguments to a program, or to one real run."""

from __future__ import annotations

import ast
import contextlib
import inspect
import itertools
import math
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from taut.languages.python.calls import code_of
from taut.languages.python.ends import WindowUnfit
from taut.languages.python.failures import ListChanged, PathEnds, TooManyRuns
from taut.languages.python.floats import GivenNumber, plain_argument
from taut.languages.python.randomness import Rejected
from taut.languages.python.reader import Reader
from taut.languages.python.reading import Ask, Asked, Reading, check, reading, wider, with_all_marks
from taut.languages.python.run.needs import may_draw
from taut.languages.python.scripted import active_script
from taut.languages.python.source import is_generator, yield_in
from taut.languages.python.validation.functions import validate_predicate
from taut.languages.python.values import Code, Formed, ListBox, Symbolic, is_foreign
from taut.program import CoinVariable, Const, Ends, InputVariable, Program, Term, Terms, evaluate
from taut.program.domains import Domain
from taut.program.placeholders import plain_output
from taut.support.errors import (
    EndlessLoop,
    ImpossibleEvidence,
    MechanismError,
    RealRandomness,
    SourceUnavailable,
    TautError,
    TooLarge,
    UnsupportedSyntax,
    UnsupportedValue,
    WrongArguments,
    meant,
)
from taut.support.exact import exact, fraction_of_text
from taut.support.options import Options
from taut.support.process import collector_paused

__all__ = ["bind_arguments", "run_once", "trace", "trace_predicate"]

_RETRIES = 1_000_000
_READINGS = 200


def refuse_unknown(function: Callable[..., Any], keywords: Iterable[str]) -> None:
    """Raise WrongArguments for a keyword that a function has no parameter for."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for keyword in keywords:
        if keyword not in parameters:
            raise WrongArguments(
                f"{function.__name__}: no argument '{keyword}'; its arguments are ({', '.join(parameters)})."
                f"{meant(keyword, parameters)}",
                value=keyword,
            )


def bind_arguments(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a mechanism by name; numbers given as text or floats become Fractions."""
    name = function.__name__
    parameters = inspect.signature(function).parameters
    wanted = ", ".join(parameters)
    refuse_unknown(function, keywords)
    try:
        bound = inspect.signature(function).bind(*args, **keywords)
    except TypeError as problem:
        missing = str(problem).removeprefix("missing a required argument: ")
        if missing != str(problem):
            hint = ""
            if wanted.startswith("self") and args:
                hint = f" It is a method: write mechanism({function.__qualname__.split('.')[0]}(...).{name})."
            raise WrongArguments(
                f"{name}: {missing} is not given and has no default; its arguments are ({wanted}).{hint}",
                value=keywords,
            ) from None
        raise WrongArguments(f"{name}: {problem}; its arguments are ({wanted}).", value=keywords) from None
    bound.apply_defaults()
    return {key: _gathered(parameters[key], value) for key, value in bound.arguments.items()}


def trace(
    function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any], ask: Ask, options: Options
) -> Reading:
    """Read a mechanism whose databases are given as domains; what cannot be read as a whole is run as a whole.

    Guarantee:
        For every input the program has the distribution of the function, run with real coins.
    """
    made = TracedFunction(function, args, keywords, ask, options).read_or_run()
    output = made.raw.output
    if isinstance(output, Const) and output.value is None and not _returns(function):
        problem = UnsupportedValue(
            f"'{function.__name__}' returns nothing on any path; its last line may lack 'return'.", value=None
        )
        raise problem if made.whole else problem.at(made.reader.place)
    return made


_FEW_RUNS = 20_000
"""Runs beyond which reading, with the expressions that draw run alone, is tried first."""
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
"""Errors of reading after which a mechanism with real draws is run; if Python fails too, its error is shown."""
_WITHOUT_DRAWS = (UnsupportedSyntax, UnsupportedValue, SourceUnavailable)
"""Those after which any mechanism is run; if that fails as well, the reader's refusal is raised."""


@dataclass(frozen=True, eq=False)
class TracedFunction:
    """A mechanism that is to be read or run: its function, its arguments, and the limits."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    ask: Ask
    options: Options

    @property
    def given(self) -> list[Any]:
        """The arguments, however they are given."""
        return [*self.args, *self.keywords.values()]

    def read_or_run(self) -> Reading:
        """Read the mechanism, or run it where it draws in a loop or cannot be read."""
        if self._samples_in_a_loop():
            with contextlib.suppress(TautError):  # such as too many runs; then it may still be read
                return self.run()
        try:
            return self.read()
        except _RUN_INSTEAD as met:
            draws = may_draw(self.function, self.given)
            if not self._may_be_run(met, draws):
                raise
            problem = met
        if isinstance(problem, TooManyRuns):  # of one call, such as one of NumPy's that draws many numbers
            with contextlib.suppress(TautError):
                return self.read(inline=True)
            raise problem
        # outside of the handler, since the function may ask for the exception that is being handled
        try:
            return self._run_or_read_inline() if draws else self.run()
        except TautError as other:
            if draws or not isinstance(self.function, types.FunctionType):
                raise other from None
            if isinstance(problem, (UnsupportedSyntax, UnsupportedValue)) and other.message not in problem.message:
                problem.message += f" Nor can the function be run as a whole: {other.message}"
            raise problem from None

    def _may_be_run(self, problem: TautError, draws: bool) -> bool:
        """Return True if a function that cannot be read for this reason may be run instead."""
        if isinstance(problem, TooLarge) and not (type(problem) in (TooLarge, TooManyRuns) and draws):
            return False
        if not draws and (not isinstance(problem, _WITHOUT_DRAWS) or getattr(problem, "stands", False)):
            return False
        if isinstance(problem, SourceUnavailable) and _has_changed(self.function):
            return False
        return not inspect.iscoroutinefunction(self.function) and not inspect.isgeneratorfunction(self.function)

    def _samples_in_a_loop(self) -> bool:
        """Return True if the function draws really, has a ``while`` loop, and has few inputs.

        Running it is quicker than reading its loop round by round, and exact if the loop returns to a state.
        """
        inputs = math.prod(value.size for value in self.given if isinstance(value, Domain))
        if inputs > _FEW_INPUTS or not isinstance(self.function, (types.FunctionType, types.MethodType)):
            return False
        if not may_draw(self.function, self.given):
            return False
        try:
            node = code_of(getattr(self.function, "__func__", self.function)).source.node
        except TautError:
            return False
        return any(isinstance(one, ast.While) for one in ast.walk(node))

    def _run_or_read_inline(self) -> Reading:
        """Run a function that draws; where runs are many, read it first with the expressions that draw run alone."""
        try:
            return self.run(_FEW_RUNS)
        except (TooLarge, TooManyRuns) as large:
            if type(large) not in (TooLarge, TooManyRuns):
                raise
            problem = large
        try:
            return self.read(inline=True)
        except TautError as refusal:
            unread = str(refusal)
        if not isinstance(problem, TooManyRuns) or problem.hopeless:
            problem.message += f" It is not read because of {unread}"
            raise problem
        return self.run()

    def run(self, most_runs: int | None = None) -> Reading:
        """Return a mechanism that is run on every input; its program has one draw, whose parameters are the entries."""
        bound = inspect.signature(self.function).bind(*self.args, **self.keywords)
        explicit = set(bound.arguments)
        bound.apply_defaults()
        terms, inputs, coins = Terms(), list[InputVariable](), list[CoinVariable]()
        asked = self.ask(inputs, coins)
        reader = Reader(code_of(_nothing), terms, inputs, coins, asked, self.options.max_rounds)
        reader.bare = True
        reader.runs.most_runs = most_runs
        given = {
            name: plain_argument(_parameter(value) if isinstance(value, str) else value)
            for name, value in bound.arguments.items()
        }
        values = {
            name: _database(reader, name, value) if isinstance(value, Domain) else value
            for name, value in given.items()
        }
        handed = {name: _handed(given[name], values[name]) for name in values if name in explicit}
        shaped = inspect.BoundArguments(inspect.signature(self.function), handed)
        with reading():
            try:
                value = reader.runs.call(self.function, shaped.args, dict(shaped.kwargs), whole=True)
            except PathEnds:
                raise reader.worlds.obligations[-1][1] from None
            program = self._checked(reader, given, reader.finished(value))
        return Reading(program, reader, value, _databases(given, values), given, self.options.validate, True)

    def read(self, inline: bool = False) -> Reading:
        """Return a mechanism that is read, statement by statement; again, where a first reading assumed too much.

        With ``inline``, expressions that draw real random numbers are run separately. Unbounded noise may need a wider
        window, and lists of random length may have to be kept whole.
        """
        window, cut, thins = (0, 0), frozenset[int](), True
        for _ in range(_READINGS):
            try:
                return self._read_within(window, cut, thins, inline)
            except ListChanged:
                thins = False
            except WindowUnfit as unfit:
                cut |= unfit.cut
                if not unfit.cut:
                    window = wider(window, unfit)
        name = self.function.__name__
        raise TooLarge(f"'{name}': no ends are found for its unbounded noise; give low and high.", value=self.function)

    def _read_within(self, window: tuple[int, int], cut: frozenset[int], thins: bool, inline: bool) -> Reading:
        """Read a mechanism once, with unbounded noise clamped to a window.

        WindowUnfit is raised where the window does not do, and ListChanged where a list is changed that is kept item by
        item, as lists of random length are with ``thins``.
        """
        arguments = bind_arguments(self.function, self.args, self.keywords)
        terms, inputs, coins = Terms(), list[InputVariable](), list[CoinVariable]()
        body = getattr(self.function, "__taut_method__", self.function)
        code = code_of(getattr(body, "__func__", body))
        given = {**_owner(body), **arguments}
        _same_names(code, given)
        asked, rounds = Asked(self.ask(inputs, coins)), self.options.max_rounds
        reader = Reader(code, terms, inputs, coins, asked, rounds, window=window, cut=cut, inline=inline)
        reader.worlds.thins = thins
        own = given.keys() - inspect.signature(self.function).bind(*self.args, **self.keywords).arguments.keys()
        values = {
            name: _database(reader, name, value)
            if isinstance(value, Domain)
            else (reader.import_outside if name in own or _may_remember(value) else reader.import_value)(value)
            for name, value in given.items()
        }
        if is_generator(code.source.node):
            place = code.source.place(yield_in(code.source.node))
            words = "a mechanism with 'yield' is a generator; return a list."
            raise UnsupportedSyntax(words, value="yield", place=place)
        with reading():
            try:
                handed = {name: _read_form(reader, given[name], value) for name, value in values.items()}
                value = _call(reader, handed)
                reader.node = reader.returned
                output = reader.finished(value)
            except PathEnds:
                value, output = None, reader.marked(terms.const(None))
            except TautError as problem:
                raise problem.at(reader.error_place) from None
            program = self._checked(reader, arguments, output)
        marked = with_all_marks(program, reader, asked)
        return Reading(
            marked,
            reader,
            value,
            _databases(arguments, values),
            arguments,
            self.options.validate,
            plain=None if marked is program else replace(program, ends=Ends(window)),
            ask=self.ask,
        )

    def _checked(self, reader: Reader, given: Mapping[str, Any], output: Term) -> Program:
        """Return the program of an output, none of whose runs fails, or refuse it."""
        domains = tuple(value for value in given.values() if isinstance(value, Domain))
        inputs, coins, worlds = tuple(reader.inputs), tuple(reader.coins), reader.worlds
        program = Program(self.function.__name__, domains, inputs, coins, output, worlds.evidence, worlds.terms)
        _refuse_observed_remainder(program, reader)
        check(program, reader)
        return program


def _databases(given: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    """Return the entries of the one database, or those of each of several."""
    found = [values[name] for name, argument in given.items() if isinstance(argument, Domain)]
    return found[0] if len(found) == 1 else tuple(found)


def _has_changed(function: Any) -> bool:
    """Return True if a function whose source was refused has a source file, which then has changed."""
    return isinstance(function, types.FunctionType) and os.path.exists(function.__code__.co_filename)


def _nothing() -> None:
    """Stands for the source of a mechanism that is run."""


def _returns(function: Callable[..., Any]) -> bool:
    """Return True if a function has a ``return`` with a value, is a lambda, or has no source to tell."""
    body = getattr(function, "__taut_method__", function)
    try:
        node = code_of(getattr(body, "__func__", body)).source.node
    except TautError:
        return True
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


def _may_remember(value: Any) -> bool:
    """Return True for an object with methods, which may remember from run to run what is done with it."""
    return is_foreign(value) and not isinstance(value, (tuple, frozenset, range, Iterator))


def run_once(function: Callable[..., Any], args: tuple[Any, ...], keywords: Mapping[str, Any]) -> Any:
    """Run once with real randomness; repeat while observations fail. A scripted run just calls the function."""
    if active_script() is not None or not isinstance(function, types.FunctionType):
        return function(*args, **keywords)
    arguments = bind_arguments(function, args, keywords)
    for _ in range(_RETRIES):
        reader = Reader(code_of(function), Terms(), [], [], _NO_QUESTIONS, _RETRIES, real=True)
        values = {name: reader.import_value(value) for name, value in arguments.items()}
        with reading():
            try:
                return plain_output(evaluate(reader.output(_call(reader, values)), (), {}))
            except Rejected:
                continue
            except TautError as problem:
                raise problem.at(reader.error_place) from None
    raise ImpossibleEvidence(f"{function.__name__}: the evidence failed in {_RETRIES} runs.", value=arguments)


def _owner(function: Any) -> dict[str, Any]:
    """Return the object that a bound method belongs to, by the name of the first parameter."""
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
    with collector_paused():
        return _entries(reader, name, domain)


def _entries(reader: Reader, name: str, domain: Domain) -> Any:
    first = len(reader.inputs)
    labels = [name] if domain.bare else [f"{name}[{position}]" for position in range(domain.n)]
    reader.inputs += map(InputVariable, labels, itertools.repeat(domain.values))
    rows = reader.worlds.terms.inputs(range(first, first + domain.n), domain.values)
    plain = all(type(value) is int for value in domain.values)
    entries = list(map(Symbolic, rows)) if plain else [_entry(reader, term, domain) for term in rows]
    return entries[0] if domain.bare else tuple(entries)


def _handed(domain: Any, value: Any) -> Any:
    """Return a database in the form that a function gets when it is run."""
    if not isinstance(domain, Domain) or not domain.form:
        return value
    return Formed((value,) if domain.bare else value, domain.form)


def _read_form(reader: Reader, domain: Any, value: Any) -> Any:
    """Return a database in the form that a function gets when it is read."""
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
    """Refuse evidence in a program with runs that are not followed, since their observations are unknown."""
    if program.conditioned and reader.worlds.followed is not program.terms.true:
        raise EndlessLoop(
            f"'{program.name}' observes something, and has runs that are not followed to their end (loops that can go "
            "on, unbounded noise); what those observe is not known. Leave the observation out, or give the noise "
            "ends.",
            value=program.name,
        )


_NO_QUESTIONS: Any = types.SimpleNamespace(possible=lambda event: True, surely_impossible=lambda event: False)
"""The questions of a real run, in which nothing is random."""
