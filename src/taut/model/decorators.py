"""The decorators that make mechanisms and helpers of plain Python functions."""

from __future__ import annotations

import functools
import inspect
import time
import types
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, overload

from taut.domains import Domain
from taut.languages.python import MARK
from taut.model.parameters import Range
from taut.neighbors import DEFAULT, neighbors_of
from taut.support.errors import InvalidInput, WrongArguments
from taut.support.options import active, reading_seconds, worked

__all__ = ["Mechanism", "helper", "mechanism"]


class Mechanism:
    """A randomized algorithm written as a plain Python function.

    Called with a domain in place of its database it gives a Model; called with data it runs once, with real randomness.
    """

    language = "python"
    neighbors: Any
    """The neighbour relation that is meant where a question names none."""
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

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from taut.diagrams.compile import Oracle  # all that reads and computes, which a decorator does not need
        from taut.languages.python.reading import bind_arguments, run_once, trace
        from taut.languages.python.run.judge import Paths, RunReplay, uses_runs, validate_runs
        from taut.languages.python.scripted import active_script
        from taut.languages.python.validation import FunctionReplay, validate
        from taut.model.model import Model
        from taut.parameters.free import free_parameters, parametric_model

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
            if free_parameters(reading.program, reading.arguments):
                return parametric_model(self, reading, *given)
            model = Model(reading.program, reading, self.neighbors)
            runs = reading.reader.runs
            model.reading = runs.account(() if reading.whole else (self.function.__name__,))
            if uses_runs(reading.draws) or not reading.followed:
                paths = Paths(reading.raw, reading.draws, runs.made)
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
        """The relation that is meant where a question names none, for these arguments."""
        return self.neighbors

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name, each as the mechanism wants it.

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
        """The text that the mechanism was read from."""
        return inspect.getsource(self.function)

    def __repr__(self) -> str:
        return f"<Mechanism {self.function.__name__}>"


def _as_function(value: Callable[..., Any]) -> Callable[..., Any]:
    """An object that can be called, as a function of the same arguments."""

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
        The method of an object is given, which cannot be marked: mark the function in its class.
    """
    if isinstance(function, types.MethodType):
        raise InvalidInput(
            f"'{function.__name__}' is the method of an object; write @taut.helper above it in its class, or leave it "
            "out: mechanisms read methods without it.",
            value=function,
        )
    setattr(function, MARK, function)
    return function
