"""Neighbour relations that users define by a predicate, read like a mechanism."""

from __future__ import annotations

import functools
from typing import Any

from taut.compile import Oracle
from taut.compile.predicate import CompiledPredicate
from taut.domains import Domain
from taut.errors import TautError
from taut.frontend.python.trace import trace_predicate
from taut.ir import Program
from taut.neighbors import Custom, Neighbors, neighbors_of
from taut.options import Options

__all__ = ["relation_of"]


def relation_of(given: Any, domain: Any, options: Options) -> Neighbors:
    """The relation that a user names, defines or lists; a predicate on one database is read when that is needed."""
    relation = neighbors_of(given)
    if not isinstance(relation, Custom) or not isinstance(domain, Domain):
        return relation
    predicate = relation.predicate

    def read() -> Program | None:
        try:
            return trace_predicate(predicate, domain, lambda i, c: Oracle(i, c, options.max_nodes), options)
        except TautError:
            return None  # it can still be asked, pair by pair

    return CompiledPredicate(relation.name, functools.cache(read), relation.related, options.max_nodes)
