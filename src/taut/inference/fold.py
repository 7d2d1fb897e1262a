"""The fold: along every path the product of its weights, over all paths their sum, for any semiring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from taut.diagrams import Choice, LevelArrays, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import Row, Semiring

__all__ = ["fold", "rows_of"]

T = TypeVar("T")


def rows_of(
    relation: Relation,
    semiring: Semiring[T],
    inputs: Sequence[int] | None = None,
    outputs: Sequence[int] | None = None,
) -> list[Choice[T]]:
    """Return the operation at each level of a relation: coins are summed, inputs and outputs chosen.

    Parameters
    ----------
    relation
        The relation.
    semiring
        The numbers in which coins are weighed.
    inputs, outputs
        The positions of the chosen values; if None, all values are summed, with weight one.

    Returns
    -------
    list of Row or int
        One per level; coins with equal weights share one row.
    """
    made: dict[Any, list[tuple[Sequence[Any], Row[T]]]] = {}
    choices: list[Choice[T]] = []
    for level in relation.arrays.levels:
        if level.kind == "input" and inputs is not None:
            choices.append(inputs[level.index])
        elif level.kind == "output" and outputs is not None:
            choices.append(outputs[level.index])
        else:
            weights = relation.coins[level.index].weights if level.kind == "coin" else (1,) * level.arity
            choices.append(_shared_row(weights, semiring, made))
    return choices


def _shared_row(
    weights: Sequence[Any], semiring: Semiring[T], made: dict[Any, list[tuple[Sequence[Any], Row[T]]]]
) -> Row[T]:
    """A row made earlier of equal weights, or None; looked up by a few weights, since hashing fractions is slow."""
    similar = made.setdefault((len(weights), *weights[:2], *weights[-1:]), [])
    for known, row in similar:
        if known == weights:
            return row
    similar.append((weights, semiring.row(weights)))
    return similar[-1][1]


def fold(arrays: LevelArrays, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> Any:
    """The sum over all paths to TRUE that agree with the choices, of the product of the weights along them.

    Parameters
    ----------
    arrays
        The diagram.
    choices
        Per level the weights of its values or the position of the one that is chosen, as ``rows_of`` makes them.
    semiring
        The numbers of the weights.

    Returns
    -------
    Fraction, float, Ball or residue
        As the semiring shows its numbers; exact if the semiring is.
    """
    return WeightedDiagram(arrays, choices, semiring).value
