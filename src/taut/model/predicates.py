"""Neighbour relations that users define by a predicate, read like a mechanism."""

from __future__ import annotations

from taut.compile import Oracle
from taut.compile.predicate import CompiledPredicate
from taut.errors import Misreading, TautError
from taut.frontend.python.trace import trace_predicate
from taut.ir import Program
from taut.neighbors import Custom, Neighbors
from taut.options import Options

__all__ = ["read_predicate"]


def read_predicate(relation: Neighbors, program: Program, options: Options) -> Neighbors:
    """A predicate f(x, x_prime) as an automaton, if it can be read for two databases of the program's domain.

    What cannot be read stays a predicate that can only be asked, pair by pair.
    """
    if not isinstance(relation, Custom) or len(program.domains) != 1:
        return relation
    try:
        read = trace_predicate(
            relation.predicate, program.domains[0], lambda i, c: Oracle(i, c, options.max_nodes), options
        )
    except Misreading:
        raise
    except TautError:
        return relation
    return CompiledPredicate(relation.name, read, relation.related, options.max_nodes)
