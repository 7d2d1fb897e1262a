"""Neighbour relations that users define by a predicate, read like a mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from taut.compile import Oracle
from taut.compile.predicate import CompiledPredicate
from taut.domains import Domain
from taut.errors import TautError
from taut.frontend.python.trace import trace_predicate
from taut.neighbors import Custom, Layered, Layers, Neighbors, neighbors_of
from taut.options import Options

__all__ = ["relation_of"]


def relation_of(given: Any, model: Any) -> Neighbors:
    """The relation that a user names, defines or lists; a predicate as an automaton over the model's entries."""
    relation = neighbors_of(given)
    if not isinstance(relation, Custom) or not isinstance(model.domain, Domain):
        return relation
    return _Predicate(relation, model.domain, model.options)


@dataclass(frozen=True)
class _Predicate(Layered):
    """A predicate that is read when it is first needed; what cannot be read can only be asked, pair by pair."""

    custom: Custom
    domain: Domain
    options: Options

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.custom.name

    def related(self, x: Any, x_prime: Any) -> bool:
        return self.custom.related(x, x_prime)

    def layers(self, order: Sequence[int]) -> Layers | None:
        return None if self._compiled is None else self._compiled.layers(order)

    @cached_property
    def _compiled(self) -> CompiledPredicate | None:
        limit = self.options.max_nodes
        try:
            program = trace_predicate(
                self.custom.predicate, self.domain, lambda i, c: Oracle(i, c, limit), self.options
            )
        except TautError:
            return None
        return CompiledPredicate(self.name, program, self.related, limit)
