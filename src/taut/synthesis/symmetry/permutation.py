"""Permutations of the literals 'entry i has value v' and 'output j has value w': the elements of a symmetry group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from taut.diagrams.compile import Relation

__all__ = ["IDENTITY", "Coordinate", "Image", "Permutation", "arities_of", "exchange"]

Coordinate = tuple[str, int]
"""A coordinate of a case (x, y): ('input', i) is an entry, ('output', j) a component of the output."""
Image = tuple[Coordinate, tuple[int, ...]]
"""The target of a coordinate, and the position that each of its values has there."""


@dataclass(frozen=True)
class Permutation:
    """A permutation g of literals, which takes an input x to g x and an output y to g y.

    It is a symmetry of a mechanism A if P(A(g x) = g y) = P(A(x) = y) for all x and y.

    Parameters
    ----------
    moves : mapping, optional
        For each coordinate that moves, ``('input', i)`` or ``('output', j)``, the coordinate it goes to and a tuple
        that gives for each position of a value its new position. What is not named stays.

    Examples
    --------
    >>> flip = Permutation({("input", 0): (("input", 0), (1, 0))})
    >>> flip.applied("input", [0, 0]), bool(flip.then(flip))
    ([1, 0], False)
    """

    moves: Mapping[Coordinate, Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        moving = {
            coordinate: (target, values)
            for coordinate, (target, values) in self.moves.items()
            if target != coordinate or values != tuple(range(len(values)))
        }
        object.__setattr__(self, "moves", moving)

    def __bool__(self) -> bool:
        """Return True if anything moves."""
        return bool(self.moves)

    def __hash__(self) -> int:
        return hash(frozenset(self.moves.items()))

    @property
    def inputs(self) -> Permutation:
        """The permutation restricted to inputs."""
        return self._only("input")

    @property
    def outputs(self) -> Permutation:
        """The permutation restricted to outputs."""
        return self._only("output")

    def _only(self, kind: str) -> Permutation:
        return Permutation({coordinate: image for coordinate, image in self.moves.items() if coordinate[0] == kind})

    def image(self, coordinate: Coordinate, arity: int) -> Image:
        """Return the image of a coordinate with ``arity`` values."""
        return self.moves.get(coordinate) or (coordinate, tuple(range(arity)))

    def then(self, other: Permutation) -> Permutation:
        """The product: first this one, then the other."""
        moves: dict[Coordinate, Image] = dict(other.moves)
        for coordinate, (target, values) in self.moves.items():
            further, again = other.image(target, len(values))
            moves[coordinate] = (further, tuple(again[value] for value in values))
        return Permutation(moves)

    @property
    def inverse(self) -> Permutation:
        """The permutation that undoes this one."""
        return Permutation(
            {
                target: (coordinate, tuple(sorted(range(len(values)), key=values.__getitem__)))
                for coordinate, (target, values) in self.moves.items()
            }
        )

    def applied(self, kind: str, positions: Sequence[int]) -> list[int]:
        """The image of an input (``kind='input'``) or an output (``'output'``), both given by positions of values."""
        image = list(positions)
        for (what, index), ((_, target), values) in self.moves.items():
            if what == kind:
                image[target] = values[positions[index]]
        return image


IDENTITY = Permutation()


def exchange(pairs: Iterable[tuple[Coordinate, Coordinate]], arities: Mapping[Coordinate, int]) -> Permutation:
    """Pairs of coordinates exchanged, their values keeping their positions."""
    moves: dict[Coordinate, Image] = {}
    for one, other in pairs:
        values = tuple(range(arities[one]))
        moves[one], moves[other] = (other, values), (one, values)
    return Permutation(moves)


def arities_of(relation: Relation) -> dict[Coordinate, int]:
    """Return the number of values of each coordinate of a relation."""
    arities: dict[Coordinate, int] = {("input", i): len(one.values) for i, one in enumerate(relation.inputs)}
    return arities | {("output", j): len(one.values) for j, one in enumerate(relation.outputs)}
