"""One element of a symmetry group: a permutation of the literals 'entry i has value v' and 'output j has value w'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["IDENTITY", "Coordinate", "Image", "Permutation", "swap"]

Coordinate = tuple[str, int]
"""('input', i) or ('output', j)."""
Image = tuple[Coordinate, tuple[int, ...]]
"""Where a variable goes, and which position each of its values gets there."""


@dataclass(frozen=True)
class Permutation:
    """What moves, and where to; variables that are not named stay as they are.

    The permutation g takes (x, y) to (g x, g y): if entry i goes to entry k, then the entry k of g x has the value
    that ``values`` gives for x_i. It is a symmetry of a mechanism A if P(A(g x) = g y) = P(A(x) = y) for all x, y.
    """

    moves: Mapping[Coordinate, Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = {
            variable: (target, values)
            for variable, (target, values) in self.moves.items()
            if target != variable or values != tuple(range(len(values)))
        }
        object.__setattr__(self, "moves", kept)

    def __bool__(self) -> bool:
        """Whether anything moves."""
        return bool(self.moves)

    def __hash__(self) -> int:
        return hash(frozenset(self.moves.items()))

    @property
    def inputs(self) -> Permutation:
        """What it does to inputs alone."""
        return Permutation({variable: move for variable, move in self.moves.items() if variable[0] == "input"})

    @property
    def outputs(self) -> Permutation:
        """What it does to outputs alone."""
        return Permutation({variable: move for variable, move in self.moves.items() if variable[0] == "output"})

    def image(self, variable: Coordinate, arity: int) -> Image:
        """Where a variable of so many values goes."""
        return self.moves.get(variable) or (variable, tuple(range(arity)))

    def then(self, other: Permutation) -> Permutation:
        """First this one, then the other."""
        made: dict[Coordinate, Image] = dict(other.moves)
        for variable, (target, values) in self.moves.items():
            further, again = other.image(target, len(values))
            made[variable] = (further, tuple(again[value] for value in values))
        return Permutation(made)

    @property
    def inverse(self) -> Permutation:
        made: dict[Coordinate, Image] = {}
        for variable, (target, values) in self.moves.items():
            back = [0] * len(values)
            for place, value in enumerate(values):
                back[value] = place
            made[target] = (variable, tuple(back))
        return Permutation(made)

    def applied(self, kind: str, positions: Sequence[int]) -> list[int]:
        """The input or output, given by positions, to which a given one is taken."""
        found = list(positions)
        for (what, index), ((_, target), values) in self.moves.items():
            if what == kind:
                found[target] = values[positions[index]]
        return found


IDENTITY = Permutation()


def swap(pairs: Iterable[tuple[Coordinate, Coordinate]], arities: Mapping[Coordinate, int]) -> Permutation:
    """Pairs of variables exchanged, their values keeping their positions."""
    moves: dict[Coordinate, Image] = {}
    for one, other in pairs:
        values = tuple(range(arities[one]))
        moves[one], moves[other] = (other, values), (one, values)
    return Permutation(moves)
