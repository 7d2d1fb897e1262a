"""The decorators that make mechanisms and helpers of plain functions, and the allowed values of parameters."""

from __future__ import annotations

import copy
import functools
import inspect
import time
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, overload

from taut.languages.python import MARK
from taut.neighbors import DEFAULT, neighbors_of
from taut.program.domains import Domain
from taut.support.algebra.expression import Expression, Undecided, expressions
from taut.support.algebra.rational import RationalFunction
from taut.support.errors import InvalidInput, InvalidProbability, TautError, WrongArguments, shortened
from taut.support.exact import Ball, ends, exact, fraction_of_text, is_number
from taut.support.options import active, reading_seconds, worked

if TYPE_CHECKING:
    from taut.program import Program

__all__ = [
    "BOOLEAN",
    "PROBABILITY",
    "RATIO",
    "Mechanism",
    "Range",
    "above",
    "at_least",
    "helper",
    "mechanism",
    "optional",
    "whole",
]


@dataclass(frozen=True)
class Range:
    """The values that a parameter may have.

    Attributes:
        words: the allowed values as text that follows "must be"; other parameters are written in braces.
        read: a function from the value and all parameters to the value that the mechanism gets; None for a
            forbidden value.
        error: the type of the error for a forbidden value.
    """

    words: str
    read: Callable[[Any, Mapping[str, Any]], tuple[Any] | None]
    error: type[TautError] = InvalidInput

    def checked(self, mechanism: str, name: str, given: Mapping[str, Any]) -> Any:
        """Return the value of a parameter, converted to the type that the mechanism expects.

        Raises:
            TautError: the value is not allowed. The message names mechanism, parameter, value and what is allowed.
        """
        value = given[name]
        wanted = self.read(value, given)
        if wanted is None:
            allowed = self.words.format_map(given)
            raise self.error(f"{mechanism}: {name} must be {allowed}; got {_text(value)}.", value=value)
        return wanted[0]


def whole(least: int, most: int | str) -> Range:
    """Allow whole numbers from ``least`` to a number or another parameter; the mechanism gets ints."""
    words = f"a whole number from {least} to {most}" + (f"={{{most}}}" if isinstance(most, str) else "")

    def read(value: Any, given: Mapping[str, Any]) -> tuple[Any] | None:
        exactly = None if isinstance(value, bool) else _number(value)
        if not isinstance(exactly, Fraction) or exactly.denominator != 1:
            return None
        last = _number(given[most] if isinstance(most, str) else most)
        return (int(exactly),) if isinstance(last, Fraction) and least <= exactly <= last else None

    return Range(words, read)


def above(end: int) -> Range:
    """Allow numbers above an end."""
    return _numbers(f"a number above {end}", lambda low, _: low > end)


def at_least(least: int) -> Range:
    """Allow numbers of at least ``least``."""
    return _numbers(f"a number of at least {least}", lambda low, _: low >= least)


def optional(allowed: Range) -> Range:
    """Allow None beside the values that ``allowed`` accepts."""
    return Range(
        f"{allowed.words}, or None", lambda value, given: (None,) if value is None else allowed.read(value, given)
    )


def _numbers(words: str, test: Callable[[Any, Any], bool], error: type[TautError] = InvalidInput) -> Range:
    def read(value: Any, given: Mapping[str, Any]) -> tuple[Any] | None:
        if isinstance(value, Expression):
            return (value,) if _everywhere(test, value) else None
        exactly = _number(value)
        return (value,) if exactly is not None and test(*ends(exactly)) else None

    return Range(words, read, error)


def _everywhere(test: Callable[[Any, Any], bool], value: Expression) -> bool:
    """Return True if all values of a parameter left free pass a test."""
    try:
        return test(value, value)
    except Undecided:
        return False


def _number(value: Any) -> Fraction | Ball | None:
    """Return a value as an exact number; None if it is not a finite one."""
    if isinstance(value, str):
        return fraction_of_text(value)
    if isinstance(value, Ball):
        return value
    if not is_number(value) or abs(value) == float("inf") or value != value:
        return None
    return Fraction(exact(value))


def _text(value: Any) -> str:
    if isinstance(value, Expression) and str(value) in value.box:
        return "..".join(map(str, value.box[str(value)]))
    text = str(value) if isinstance(value, (Fraction, Ball, Domain)) else repr(value)
    return shortened(text)


PROBABILITY = _numbers(
    "a probability, a number from 0 to 1", lambda low, high: low >= 0 and high <= 1, InvalidProbability
)
RATIO = _numbers("a number from 0 to 1, 1 itself excluded", lambda low, high: low >= 0 and high < 1)
BOOLEAN = Range("True or False", lambda value, _: (bool(value),) if value in (True, False) else None)


class Mechanism:
    """A randomized algorithm written as a plain Python function.

    Called with a domain in place of its database it gives a Model; called with data it runs once, with real randomness.
    """

    language = "python"
    neighbors: Any
    """The neighbour relation of questions that name none."""
    allowed: Mapping[str, Range] = MappingProxyType({})
    """Allowed values of parameters, where the mechanism declares them."""

    def __init__(self, function: Callable[..., Any], neighbors: Any = DEFAULT) -> None:
        if not callable(function) or isinstance(function, type):
            raise WrongArguments(f"@mechanism decorates a function; got {function!r}.", value=function)
        if not hasattr(function, "__name__"):
            function = _as_function(function)
        functools.update_wrapper(self, function)
        setattr(self, MARK, function)
        self.function = function
        relation = neighbors_of(neighbors)
        self.neighbors = neighbors if isinstance(neighbors, str) else relation

    def __get__(self, owner: Any, kind: type | None = None) -> Self:
        """Return the mechanism of an object, where the function was written as a method in a class."""
        inside = getattr(self.function, "__qualname__", "").rpartition(".")[0]
        if owner is None or not inside or inside.endswith("<locals>"):
            return self
        bound = copy.copy(self)
        Mechanism.__init__(bound, types.MethodType(self.function, owner), self.neighbors)
        return bound

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from taut.diagrams.compile import Oracle  # all that reads and computes, which a decorator does not need
        from taut.languages.python.logs import uses_runs
        from taut.languages.python.scripted import active_script
        from taut.languages.python.tracing import bind_arguments, run_once, trace
        from taut.languages.python.validation import FunctionReplay, validate
        from taut.model.model import Model

        given = args, keywords
        if self.allowed and active_script() is None:
            args, keywords = (), self.checked(bind_arguments(self.function, args, keywords))
        if not any(isinstance(value, Domain) for value in [*args, *keywords.values()]):
            return run_once(self.function, args, keywords)
        limits = active()

        def ask(inputs: Any, coins: Any) -> Oracle:
            return Oracle(inputs, coins, limits.max_nodes)

        start = time.perf_counter()

        def work() -> Any:
            reading = trace(self.function, args, keywords, ask, limits)
            if _free_parameters(reading.program, reading.arguments):
                from taut.parameters.base import parametric_model

                return parametric_model(self, reading, *given)
            model = Model(reading.program, reading, self.neighbors)
            model.reading = reading.account
            if uses_runs(reading.draws) or not reading.followed:
                from taut.languages.python.run.judge import Paths, RunReplay, validate_runs

                paths = Paths(reading.raw, reading.draws, reading.reader.runs.made)
                rows = sum(call.runs for call in model.reading.run)
                model.validation = validate_runs(
                    self.function, reading.arguments, reading.program, limits.validate, rows, reading.whole, paths
                )
                if reading.followed:
                    model.function = RunReplay(
                        self.function, reading.arguments, reading.raw, reading.draws, reading.program, paths
                    )
                return model
            model.validation = validate(
                self.function,
                reading.arguments,
                reading.raw,
                reading.draws,
                limits.validate,
                time.perf_counter() - start,
                reading.reader.branches,
                reading.reader.questions,
            )
            model.function = FunctionReplay(
                self.function, reading.arguments, reading.raw, reading.draws, reading.program
            )
            return model

        return worked(work, time_limit=reading_seconds())

    def neighbors_with(self, arguments: Mapping[str, Any]) -> Any:
        """Return the neighbour relation of questions that name none, for these arguments."""
        return self.neighbors

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, each converted to the type that the mechanism expects.

        Raises
        ------
        TautError
            A parameter is not what the mechanism allows.
        """
        name = self.function.__name__
        return {
            key: self.allowed[key].checked(name, key, given) if key in self.allowed else value
            for key, value in given.items()
        }

    @property
    def source(self) -> str:
        """Return the source text of the mechanism."""
        return inspect.getsource(self.function)

    def __repr__(self) -> str:
        return f"<Mechanism {self.function.__name__}>"


def _as_function(value: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls an object with the same arguments."""

    def call(*args: Any, **keywords: Any) -> Any:
        return value(*args, **keywords)

    call.__name__ = call.__qualname__ = getattr(getattr(value, "func", value), "__name__", type(value).__name__)
    call.__signature__ = inspect.signature(value)  # type: ignore[attr-defined]
    method = getattr(value, "__call__", None)  # noqa: B004 - the bound method is wanted
    if isinstance(method, types.MethodType):
        call.__taut_method__ = method  # type: ignore[attr-defined]
    return call


@overload
def mechanism(function: Callable[..., Any], *, neighbors: Any = ...) -> Mechanism: ...


@overload
def mechanism(*, neighbors: Any = ...) -> Callable[[Callable[..., Any]], Mechanism]: ...


def mechanism(
    function: Callable[..., Any] | None = None, *, neighbors: Any = DEFAULT
) -> Mechanism | Callable[[Callable[..., Any]], Mechanism]:
    """Make a mechanism of a plain Python function.

    Parameters
    ----------
    function
        Its arguments are one or more databases, and parameters.
    neighbors
        The relation that the mechanism is made for: what its models compare where a question names no other.

    Examples
    --------
    >>> from taut import bits, flip
    >>> @mechanism
    ... def noisy(x, lam):
    ...     return [bit ^ flip(lam) for bit in x]
    >>> noisy(bits(2), lam="1/5").probability((0, 1), (0, 1))
    Fraction(16, 25)

    >>> from taut import geometric, ints
    >>> @mechanism(neighbors="all_step")
    ... def noisy_counts(x):
    ...     return [geometric(count, "1/2", 0, 3) for count in x]
    >>> print(noisy_counts(ints(2, 0, 3)).privacy().neighbors)
    all_step
    """
    if function is None:
        neighbors_of(neighbors)
        return functools.partial(Mechanism, neighbors=neighbors)
    return Mechanism(function, neighbors)


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that mechanisms call and that branches on random values; it stays an ordinary function.

    Raises
    ------
    InvalidInput
        No function is given, or the method of an object, which cannot be marked: mark the function in its class.
    """
    if isinstance(function, types.MethodType):
        raise InvalidInput(
            f"'{function.__name__}' is the method of an object; write @taut.helper above it in its class, or leave it "
            "out: mechanisms read methods without it.",
            value=function,
        )
    if not isinstance(function, types.FunctionType):
        raise InvalidInput(f"@taut.helper marks a function; got {function!r}.", value=function)
    setattr(function, MARK, function)
    return function


def _free_parameters(program: Program, arguments: Mapping[str, Any]) -> bool:
    """Return True if some argument or some weight has free parameters."""
    if any(expressions(value) for value in arguments.values()):
        return True
    return any(RationalFunction in coin.kinds for coin in program.coins)
