"""The interface of neighbour relations, and the registry of named ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from taut.domains import InputSpace
from taut.neighbors.automaton import PairAutomaton
from taut.support.garbage import collector_paused

__all__ = ["DEFAULT", "NAMED", "Neighbors", "named", "relation_names"]

DEFAULT = "one_differ"
"""The relation of a mechanism that declares none."""


class Neighbors(ABC):
    """A relation between inputs: ordered pairs (x, x') with x different from x'.

    Whatever taut asks of a relation it asks of its automaton, so a new relation is a class with one method, ``read``.
    """

    name: str

    @abstractmethod
    def read(self, space: InputSpace, order: Sequence[int]) -> PairAutomaton:
        """Return the related pairs of a space as an automaton that reads the entries in the given order."""

    def automaton(self, space: InputSpace, order: Sequence[int] | None = None) -> PairAutomaton:
        """The related pairs of inputs of a space.

        Parameters
        ----------
        space
            The inputs.
        order
            The entries in the order in which they are read; by default as they stand.

        Raises
        ------
        InvalidNeighbors
            The relation makes no sense for these inputs.
        TooLarge
            The relation would have to be listed, and there are too many pairs.
        """
        with collector_paused():
            return self.read(space, range(len(space.values)) if order is None else order)

    def related(self, space: InputSpace) -> Callable[[Any, Any], bool]:
        """Return a function that tells whether two inputs, in the user's form, are neighbours."""
        automaton = self.automaton(space)
        return lambda x, x_prime: automaton.related(space.positions(x), space.positions(x_prime))

    def compiled(self, reader: Callable[[Callable[[Any, Any], Any]], Neighbors | None]) -> Neighbors:
        """Return the relation that ``reader`` compiles from the defining predicate; this relation if it has none."""
        return self


Kind = TypeVar("Kind", bound=type[Neighbors])
NAMED: dict[str, Callable[[], Neighbors]] = {}


def named(kind: Kind) -> Kind:
    """Register a class of relations under its name."""
    NAMED[kind.name] = kind
    return kind


def relation_names() -> str:
    """Return the names of all named relations as a list in words."""
    return ", ".join(NAMED)
