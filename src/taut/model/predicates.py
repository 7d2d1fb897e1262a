"""Neighbour relations that users define by a predicate, read like a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from taut.compile import Oracle
from taut.compile.predicate import CompiledPredicate
from taut.domains import InputSpace
from taut.errors import Misreading, TautError
from taut.frontend.python.trace import trace_predicate
from taut.neighbors import Neighbors, neighbors_of
from taut.options import Options

__all__ = ["relation_for"]


def relation_for(given: Any, space: InputSpace, options: Options) -> Neighbors:
    """The relation that a user gives, on the inputs of a space.

    A predicate f(x, x_prime) on one database is read like a mechanism, in exact numbers, and compiled; what cannot be
    read stays a predicate that is asked, pair by pair.
    """
    relation = neighbors_of(given)

    def read(function: Callable[[Any, Any], Any]) -> Neighbors | None:
        if len(space.domains) != 1:
            return None
        try:
            domain = space.domains[0]
            traced = trace_predicate(function, domain, lambda i, c: Oracle(i, c, options.max_nodes), options)
            return CompiledPredicate(relation.name, traced, relation, options.max_nodes)
        except Misreading:
            raise
        except TautError:
            return None

    return relation.compiled(read)
