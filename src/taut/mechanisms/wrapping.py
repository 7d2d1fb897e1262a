"""Mechanisms that run another one: its choice, parameters, database and neighbours."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from taut.domains import Domain
from taut.mechanisms.catalog import CATALOG, Entry, resolve
from taut.model import Mechanism
from taut.model.parameters import Range
from taut.support.errors import InvalidInput, TautError, WrongArguments

__all__ = ["Wrapper", "WrapperEntry", "wrapper"]

Prepare = Callable[[dict[str, Any], Entry | None], dict[str, Any]]
"""A function that prepares the arguments for the body; it also gets the entry of a built-in inner mechanism."""


class Wrapper(Mechanism):
    """A mechanism with another mechanism as an argument: a mechanism, a function, or the name of a built-in one.

    What it does not take itself it hands on to that one by name. Models compare the neighbours that the inner mechanism
    is made for.
    """

    def __init__(self, function: Callable[..., Any], inner: str, prepare: Prepare) -> None:
        super().__init__(function)
        self.inner = inner
        self.prepare = prepare

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        from taut.languages.python.scripted import active_script

        if active_script() is not None:  # a part of another mechanism, which is read as it stands
            return self.function(*args, **keywords)
        given = self._flat(args, keywords)
        plain = Mechanism(self.function, self.neighbors_with(given))
        return plain(**self.prepared(given))

    def prepared(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments for the body, with the inner mechanism as a callable."""
        arguments = self.checked(self._flat((), given))
        entry, inner = self.wrapped(arguments[self.inner])
        arguments[self.inner] = inner
        own = inspect.signature(self.function).parameters
        handed = {name: value for name, value in arguments.items() if name not in own}
        self._fits(inner, handed)
        return self.prepare(arguments, entry)

    def checked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by name, its own and those of the inner mechanism, each checked."""
        own = inspect.signature(self.function).parameters
        _, inner = self.wrapped(given[self.inner])
        handed = {name: value for name, value in given.items() if name not in own}
        return {**super().checked(given), **inner.checked(handed)}

    def neighbors_with(self, arguments: Mapping[str, Any]) -> Any:
        """Return the neighbour relation of the inner mechanism."""
        return self.wrapped(arguments[self.inner])[1].neighbors

    def _flat(self, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments by name, including those for the inner mechanism."""
        from taut.languages.python.tracing import bind_arguments

        bound = bind_arguments(self.function, args, keywords)
        (gathered,) = [p.name for p in inspect.signature(self.function).parameters.values() if p.kind is p.VAR_KEYWORD]
        return {**{name: value for name, value in bound.items() if name != gathered}, **bound[gathered]}

    def wrapped(self, given: Any) -> tuple[Entry | None, Mechanism]:
        """Return the inner mechanism, with its entry if it is built-in; a plain function becomes a mechanism."""
        name = self.function.__name__
        if isinstance(given, str):
            entry: Entry | None = resolve(given)
        else:
            entry = next((known for known in CATALOG.values() if known.mechanism is given), None)
        if isinstance(entry, WrapperEntry):
            raise InvalidInput(
                f"{name}: {self.inner}={entry.name} takes a mechanism itself; write a function that calls it with all "
                "its arguments, and give that.",
                value=given,
            )
        if entry is not None:
            return entry, entry.mechanism
        if isinstance(given, Mechanism):
            return None, given
        if not callable(given):
            raise WrongArguments(
                f"{name}: {self.inner} must be a mechanism, a function, or the name of a built-in mechanism; got "
                f"{given!r}.",
                value=given,
            )
        return None, Mechanism(given)

    def _fits(self, inner: Mechanism, handed: Mapping[str, Any]) -> None:
        """Refuse unknown or missing parameters of the inner mechanism."""
        from taut.languages.python.tracing import bind_arguments

        try:
            bind_arguments(inner.function, (None,), handed)
        except TautError as problem:
            problem.message = f"{self.function.__name__}: {problem.message}"
            raise


@dataclass(frozen=True)
class WrapperEntry(Entry):
    """A wrapper with a default inner mechanism, which provides the database and further parameters."""

    @property
    def wrapper(self) -> Wrapper:
        assert isinstance(self.mechanism, Wrapper)
        return self.mechanism

    def domain(self, n: int, **given: Any) -> Domain:
        chosen = {**self.parameters, **given}
        inner, _ = self.wrapper.wrapped(chosen[self.wrapper.inner])
        if inner is not None:
            return inner.domain(n, **given)
        x = chosen.get("x")
        if isinstance(x, Domain):
            return x
        raise InvalidInput(
            f"{self.name}: with {self.wrapper.inner} of your own, write the database as a domain, like 'x=bits(4)'.",
            value=chosen[self.wrapper.inner],
        )

    def arguments(self, n: int | None = None, **given: Any) -> dict[str, Any]:
        inner, _ = self.wrapper.wrapped(given.get(self.wrapper.inner, self.parameters[self.wrapper.inner]))
        if inner is not None:
            given = {**inner.parameters, **given}
            n = inner.default_n if n is None and "x" not in given else n
        return super().arguments(n, **given)


def wrapper(
    inner: str,
    *,
    prepare: Prepare = lambda arguments, _: arguments,
    allowed: Mapping[str, Range] | None = None,
    **tried: Any,
) -> Callable[[Mechanism], Wrapper]:
    """Register a mechanism that runs another one; the decorator stands above ``@mechanism``.

    Parameters
    ----------
    inner
        The argument that is the inner mechanism; ``**parameters`` of the function are handed on to it.
    prepare
        What is done with the arguments before the body sees them.
    allowed
        What its own parameters may be.
    **tried
        What it is tried with: the inner mechanism, by name, and a value for every other required argument.
    """

    def register(mechanism: Mechanism) -> Wrapper:
        made = Wrapper(mechanism.function, inner, prepare)
        made.allowed = allowed or {}
        entry = WrapperEntry(made, lambda: None, tried, resolve(tried[inner]).default_n)  # type: ignore[arg-type, return-value]
        CATALOG[entry.name] = entry
        return made

    return register
