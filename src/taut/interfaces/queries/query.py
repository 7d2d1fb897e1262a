"""The words after a command: a mechanism, and the values of its arguments."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.interfaces.queries.functions import is_file, load_function
from taut.interfaces.queries.literals import parse_choices, parse_value
from taut.languages.python.floats import GivenNumber
from taut.languages.python.tracing import refuse_unknown
from taut.mechanisms import MOST, Entry, Wrapper, resolve
from taut.model import Mechanism, Model, mechanism
from taut.program.domains import Domain
from taut.questions.text import text_of
from taut.support.algebra.expression import Expression
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import Ball
from taut.verification.claims import Claim, claims_of

if TYPE_CHECKING:
    from taut.parameters.model import ParametricModel

__all__ = ["Query", "query_of", "read_query", "read_settings", "read_sweep"]


@dataclass(frozen=True)
class Query:
    """A mechanism with the arguments that were typed."""

    name: str
    mechanism: Mechanism
    entry: Entry | None
    given: Mapping[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments by name, databases as domains."""
        if self.entry is None:
            wanted = list(inspect.signature(self.mechanism.function).parameters)
            needed = bool(wanted) or self.mechanism.language != "dice"
            if needed and not any(isinstance(value, Domain) for value in self.given.values()):
                refuse_unknown(self.mechanism.function, self.given)
                example = f"'{wanted[0]}=bits(4)'" if wanted else "'x=bits(4)'"
                raise InvalidInput(f"{self.name}: no database is given; write one as a domain, like {example}.")
            return {key: GivenNumber(value) if type(value) is Fraction else value for key, value in self.given.items()}
        given = dict(self.given)
        n = given.pop("n", None)
        if n is not None and (isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= MOST):
            raise InvalidInput(f"{self.name}: n must be a whole number from 0 to {MOST}; got {n}.", value=n)
        arguments = self.entry.arguments(n, **given)
        if not isinstance(arguments["x"], Domain):
            raise InvalidInput(
                f"{self.name}: x must be a domain, like 'x=bits(4)'; got {_shown(arguments['x'])}.",
                value=arguments["x"],
            )
        return arguments

    @property
    def neighbors(self) -> Any:
        """Return the neighbour relation that the mechanism declares."""
        tried = {} if self.entry is None else self.entry.parameters
        return self.mechanism.neighbors_with({**tried, **self.given})

    @property
    def label(self) -> str:
        """Return the mechanism and its arguments as a call."""
        return f"{self.mechanism.function.__name__}({self._settings()})"

    def label_without(self, parameter: str) -> str:
        """Return the label without one parameter; n is part of every database."""
        return f"{self.mechanism.function.__name__}({self._settings(parameter)})"

    def _settings(self, without: str | None = None) -> str:
        return ", ".join(f"{name}={_shown(value)}" for name, value in self._arguments_without(without).items())

    def _arguments_without(self, parameter: str | None) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.arguments.items()
            if name != parameter and not (parameter == "n" and isinstance(value, Domain))
        }

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(value.size for value in self.arguments.values() if isinstance(value, Domain))

    def model(self) -> Model:
        """Return the mechanism on its domain; a parameter left free is refused."""
        model = self._made()
        if not isinstance(model, Model):
            names = ", ".join(one.name for one in model.parameters)
            raise InvalidInput(
                f"{self.name}: {names} is left free, which this command does not know; ask 'taut formula' or "
                "'taut calibrate', or give a number.",
                value=names,
            )
        return model

    def parametric_model(self) -> ParametricModel:
        """Return the mechanism on its domain, with a parameter left free."""
        model = self._made()
        if isinstance(model, Model):
            raise InvalidInput(
                f"{self.name}: no parameter is left free; give an interval in place of a number, like lam=0..1/2.",
                value=self.name,
            )
        return model

    def _made(self) -> Model | ParametricModel:
        try:
            model: Model | ParametricModel = self.mechanism(**self.arguments)
        except TautError as problem:
            if self.entry is not None and problem.place is not None and not self._runs_a_file():
                # a line of ours says nothing to who typed the values
                problem.message, problem.place = f"{self.name}: {problem.message}", None
            raise
        return model

    def _runs_a_file(self) -> bool:
        """Return True if a wrapper runs something of the user's own."""
        return isinstance(self.mechanism, Wrapper) and callable(self.given.get(self.mechanism.inner))

    def to_dict(self, without: str | None = None) -> dict[str, Any]:
        """Return the question in full: mechanism, arguments as text and databases; or without one parameter.

        ``n`` is part of every database.
        """
        return described(self.name, self._arguments_without(without))

    def can_be_sent(self, far: bool) -> bool:
        """Return True if another process, or with ``far`` another machine, finds the mechanism by its name."""
        if self.entry is not None:
            return not self._runs_a_file()
        return not far and (is_file(self.name) or ".dice" in self.name)

    def with_value(self, name: str, value: Any) -> Query:
        return replace(self, given={**self.given, name: value})


def described(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mechanism with its arguments as text and its databases, as plain data."""
    return {
        "mechanism": name,
        "arguments": {key: _plain(value) for key, value in arguments.items() if not isinstance(value, Domain)},
        "domain": {key: str(value) for key, value in arguments.items() if isinstance(value, Domain)},
    }


def read_query(target: str, settings: Iterable[str]) -> Query:
    """Return the mechanism that a target names, with its ``name=value`` settings.

    Raises:
        InvalidInput: there is no such mechanism, or a setting is no ``name=value``.
    """
    return query_of(target, read_settings(settings))


def read_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return the values of ``name=value`` settings.

    Raises:
        InvalidInput: a setting is no ``name=value``.
    """
    return {name: parse_value(text, name) for name, text in _pairs(settings)}


def read_sweep(target: str, settings: Iterable[str]) -> tuple[Query, str, list[Any]]:
    """Read a query in which one setting is a range or a comma list; return also its name and values."""
    given: dict[str, Any] = {}
    swept: dict[str, list[Any]] = {}
    for name, text in _pairs(settings):
        choices = parse_choices(text, name)
        if choices is None:
            given[name] = parse_value(text, name)
        else:
            swept[name] = choices
    if len(swept) != 1:
        ranges = f"these are {len(swept)}: {', '.join(swept)}" if swept else "there is none"
        raise InvalidInput(f"a sweep needs exactly one range, such as lam=0.05:0.5:0.05 or n=2,4,8; {ranges}.")
    ((name, values),) = swept.items()
    return query_of(target, {**given, name: values[0]}), name, values


def query_of(target: str, given: Mapping[str, Any]) -> Query:
    """Return the mechanism that a target names, with its arguments."""
    if target.endswith(".dice") or ".dice:" in target:
        from taut.model import load_dice  # the grammar of Dice and its parser, which nothing else needs

        return Query(target, load_dice(target), None, given)
    if not is_file(target):
        entry = resolve(target)
        return Query(entry.name, entry.mechanism, entry, {**given, **_loaded(entry, given)})
    function = load_function(target)
    _require_object(target, function)
    if not isinstance(function, Mechanism) and not callable(function):
        raise InvalidInput(f"{target} is neither a mechanism nor a function, but {function!r}.", value=target)
    made = function if isinstance(function, Mechanism) else mechanism(function)
    return Query(target, made, None, _with_claimed(made, claims_of(function), given))


def _require_object(target: str, function: Any) -> None:
    """Refuse a class, or a method of a class, with the object to write in its place."""
    path, _, name = target.rpartition(":")
    if isinstance(function, type):
        methods = [key for key, value in vars(function).items() if inspect.isfunction(value) and key[0] != "_"]
        among = f"; its methods are {', '.join(methods)}" if methods else ""
        shown = f"{path}:{name}(...).{methods[0] if methods else 'method'}"
        raise InvalidInput(f"{target} is a class. Name a method of an object, such as '{shown}'{among}.", value=target)
    owner, _, method = getattr(function, "__qualname__", "").rpartition(".")
    bare = inspect.isfunction(function) and bool(owner) and name == f"{owner}.{method}"
    if bare and next(iter(inspect.signature(function).parameters), None) == "self":
        shown = f"{path}:{owner}(...).{method}"
        raise InvalidInput(
            f"{target} is a method without an object. Write one with its arguments: '{shown}'.", value=target
        )


def _with_claimed(made: Mechanism, claims: Sequence[Claim], given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that were typed; where no database is among them, with those of the first claim."""
    if any(isinstance(value, Domain) for value in given.values()):
        return given
    known = inspect.signature(made.function).parameters
    for claim in claims:
        if claim.databases and all(name in known for name in given):
            return {**claim.bound_to(made, given), **given}
    return given


def _loaded(entry: Entry, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mechanism of a user's file that a wrapper is to run."""
    inner = given.get(entry.mechanism.inner) if isinstance(entry.mechanism, Wrapper) else None
    if not isinstance(entry.mechanism, Wrapper) or not isinstance(inner, str) or not is_file(inner):
        return {}
    return {entry.mechanism.inner: load_function(inner)}


def _pairs(settings: Iterable[str]) -> Iterator[tuple[str, str]]:
    seen = set()
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InvalidInput(f"'{setting}' is not a setting; write name=value, like lam=1/5.", value=setting)
        name = name.strip()
        if name in seen:
            raise InvalidInput(f"{name} is given twice.", value=setting)
        seen.add(name)
        yield name, text


def _plain(value: Any) -> Any:
    """Return an argument as plain data; fractions as 'p/q', a ball by its middle and radius."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return text_of(value) if isinstance(value, (Fraction, Ball)) else _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, Expression):
        return "..".join(map(str, value.box[str(value)]))
    if isinstance(value, Ball):
        return f"{float(value):.6g}"
    return str(getattr(value, "__name__", value)) if callable(value) else str(value)
