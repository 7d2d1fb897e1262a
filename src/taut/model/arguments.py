"""Arguments of questions, read or refused: methods, given sets, relations that users define by a predicate."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from taut.diagrams.compile import Oracle
from taut.diagrams.compile.predicate import CompiledPredicate
from taut.languages.python.scripted import NoDraws, ScriptEnds, scripted
from taut.languages.python.tracing import trace_predicate
from taut.neighbors import Neighbors, Predicate, neighbors_of
from taut.program.domains import InputSpace
from taut.questions.registry import registered
from taut.support.errors import (
    InvalidInput,
    InvalidNeighbors,
    Misreading,
    OutOfMemory,
    OutOfTime,
    RealRandomness,
    TautError,
)
from taut.support.options import Options, check_seconds
from taut.synthesis import solvers_of

__all__ = ["AskedByName", "method_of", "relation_for", "set_of", "top_of"]


class AskedByName:
    """Gives a model a method for each question that was registered besides the built-in ones."""

    def __getattr__(self, name: str) -> Any:
        """Return the method of a question."""
        if name.startswith("_") or name not in registered():
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        kind = registered()[name]

        def asked(*args: Any, **keywords: Any) -> Any:
            own = {one.name for one in kind.fields}
            fields = {key: value for key, value in keywords.items() if key in own}
            return self.ask(kind(*args, **fields), **{key: keywords[key] for key in keywords if key not in own})

        return asked


def method_of(method: Any, sets_given: bool, time_limit: Any) -> str:
    """Return the name of the method; refuse arguments that contradict each other."""
    if method != "auto":
        solvers_of(method)
    check_seconds(time_limit, "time_limit", InvalidInput)
    if sets_given and method not in ("auto", "restricted"):
        raise InvalidInput(f"method={method!r} takes no sets; leave them out.", value=method)
    return "restricted" if sets_given else str(method)


def set_of(kind: type[Any], given: Any) -> Any:
    """Return a set of one kind from the user's list; None stays None."""
    return given if given is None or isinstance(given, kind) else kind(given)


def top_of(top: Any) -> int:
    """Return the number of worst cases that are asked for; refuse one that makes no sense."""
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidInput(f"top must be a whole number of at least 1; got {top!r}.", value=top)
    return top


def relation_for(given: Any, space: InputSpace, options: Options) -> Neighbors:
    """Return the neighbour relation that a user gives, on the inputs of a space.

    A predicate f(x, x_prime) is read like a mechanism, in exact numbers, and compiled; one that cannot be read is
    evaluated pair by pair. Which databases are neighbours must not be random.

    Raises:
        RealRandomness: the predicate uses real randomness, or the clock.
    """
    relation = neighbors_of(given)

    def read(function: Callable[[Any, Any], Any]) -> Neighbors | None:
        unread = Predicate(_never_random(function, relation.name), relation.name)
        try:
            traced = trace_predicate(function, space.domains, lambda i, c: Oracle(i, c, options.max_nodes), options)
            return CompiledPredicate(relation.name, traced, relation, options.max_nodes)
        except (Misreading, OutOfTime, OutOfMemory):
            raise
        except RealRandomness as problem:
            if problem.value not in vars(builtins):  # such as eval, which can be asked, but not read
                raise
            return unread
        except TautError as problem:
            if isinstance(problem, OverflowError):  # Python might be at work on such a number for hours
                raise
            return unread

    return relation.compiled(read)


def _never_random(function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """Return the predicate, changed to refuse draws."""

    def asked(x: Any, x_prime: Any) -> Any:
        try:
            with scripted(NoDraws()):
                return function(x, x_prime)
        except ScriptEnds:
            raise InvalidNeighbors(
                f"neighbors: the predicate '{name}' draws a coin; which databases are neighbours must not be random.",
                value=function,
            ) from None

    return asked
