"""What a neighbour relation is, and the relations that have a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from taut.domains import InputSpace
from taut.neighbors.automaton import PairAutomaton

__all__ = ["Neighbors", "named", "relation_named", "relation_names"]


class Neighbors(ABC):
    """A relation between inputs: ordered pairs (x, x'), never of x with itself.

    Whatever taut asks of a relation it asks of its automaton, so a new relation is a class with this one method.
    """

    name: str

    @abstractmethod
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

    def related(self, space: InputSpace) -> Callable[[Any, Any], bool]:
        """The function that tells whether two inputs, given as users give them, are neighbours."""
        automaton = self.automaton(space)
        return lambda x, x_prime: automaton.related(space.positions(x), space.positions(x_prime))

    def read_by(self, read: Callable[[Callable[[Any, Any], Any]], Neighbors | None]) -> Neighbors:
        """The relation with its predicate read, if it is defined by one and ``read`` can; else as it is."""
        return self


Kind = TypeVar("Kind", bound=type[Neighbors])
_NAMED: dict[str, Callable[[], Neighbors]] = {}


def named(kind: Kind) -> Kind:
    """Register a class of relations under its name."""
    _NAMED[kind.name] = kind
    return kind


def relation_names() -> str:
    """The names of all relations that have one, in a sentence."""
    return ", ".join(_NAMED)


def relation_named(name: str) -> Neighbors | None:
    """The relation of a name, None if there is none."""
    return _NAMED[name]() if name in _NAMED else None
