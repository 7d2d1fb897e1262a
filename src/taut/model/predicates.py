"""Neighbour relations that users define by a predicate, read like a mechanism."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from taut.diagrams.compile import Oracle
from taut.domains import InputSpace
from taut.languages.python.scripted import NoDraws, ScriptEnds, scripted
from taut.languages.python.tracing import trace_predicate
from taut.neighbors import Neighbors, Predicate, neighbors_of
from taut.support.errors import InvalidNeighbors, Misreading, OutOfMemory, OutOfTime, RealRandomness, TautError
from taut.support.options import Options

__all__ = ["relation_for"]


def relation_for(given: Any, space: InputSpace, options: Options) -> Neighbors:
    """The relation that a user gives, on the inputs of a space.

    A predicate f(x, x_prime) is read like a mechanism, in exact numbers, and compiled; what cannot be
    read stays a predicate that is asked, pair by pair. Which databases are neighbours must not be random.

    Raises
    ------
    RealRandomness
        The predicate uses real randomness, or the clock.
    """
    relation = neighbors_of(given)

    def read(function: Callable[[Any, Any], Any]) -> Neighbors | None:
        from taut.diagrams.compile.predicate import CompiledPredicate

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
        except TautError:
            return unread

    return relation.compiled(read)


def _never_random(function: Callable[[Any, Any], Any], name: str) -> Callable[[Any, Any], Any]:
    """The same predicate, which may not draw."""

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
