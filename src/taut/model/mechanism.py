"""The decorators that make mechanisms and helpers of plain Python functions."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

from taut.domains import Domain
from taut.errors import WrongArguments
from taut.frontend.python import MARK
from taut.options import active, working

__all__ = ["Mechanism", "helper", "mechanism"]

_LONGEST_READING = 600.0
"""Seconds for reading a mechanism, whatever else is allowed."""


class Mechanism:
    """A randomized algorithm written as a plain Python function.

    Called with a domain in place of its database it gives a Model; called with data it runs once, with real randomness.
    """

    language = "python"
    neighbors: str | None = None
    """The neighbour relation that the mechanism was made for, if it declares one."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if not callable(function):
            raise WrongArguments(f"@mechanism decorates a function; got {function!r}.", value=function)
        functools.update_wrapper(self, function)
        setattr(self, MARK, function)
        self.function = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from taut.compile import Oracle  # all that reads and computes, which a decorator does not need
        from taut.frontend.python.trace import run_once, trace
        from taut.frontend.python.validation import FunctionReplay, validate
        from taut.model.model import Model

        if not any(isinstance(value, Domain) for value in [*args, *keywords.values()]):
            return run_once(self.function, args, keywords)
        limits = active()

        def ask(inputs: Any, coins: Any) -> Oracle:
            return Oracle(inputs, coins, limits.max_nodes)

        start = time.perf_counter()
        with working(time_limit=_LONGEST_READING):
            reading = trace(self.function, args, keywords, ask, limits)
            model = Model(reading.program, reading)
            model.validation = validate(
                self.function,
                reading.arguments,
                reading.program,
                reading.draws,
                limits.validate,
                time.perf_counter() - start,
            )
        model.function = FunctionReplay(self.function, reading.arguments, reading.program, reading.draws)
        return model

    @property
    def source(self) -> str:
        """The text that the mechanism was read from."""
        return inspect.getsource(self.function)

    def __repr__(self) -> str:
        return f"<Mechanism {self.function.__name__}>"


def mechanism(function: Callable[..., Any]) -> Mechanism:
    """Make a mechanism of a plain Python function.

    >>> from taut import bits, flip
    >>> @mechanism
    ... def noisy(x, lam):
    ...     return [bit ^ flip(lam) for bit in x]
    >>> noisy(bits(2), lam="1/5").probability((0, 1), (0, 1))
    Fraction(16, 25)
    """
    return Mechanism(function)


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that mechanisms call and that branches on random values; it stays an ordinary function."""
    setattr(function, MARK, function)
    return function
