"""The fold: the sum over all paths of the products of their weights; samples drawn with it, and its total checked."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from taut.diagrams import Choice, LevelArrays, WeightedDiagram
from taut.diagrams.compile import Relation
from taut.diagrams.semirings import EXACT, FLOAT64, Row, Semiring
from taut.support.errors import internal_fault
from taut.support.exact import Ball

__all__ = ["fold", "require_total", "rows_of", "sample_outputs"]

T = TypeVar("T")


def rows_of(
    relation: Relation, semiring: Semiring[T], inputs: Sequence[int] | None = None, outputs: Sequence[int] | None = None
) -> list[Choice[T]]:
    """Return the choice at each level of a relation: coins are summed, inputs and outputs fixed.

    Parameters:
        relation: the relation.
        semiring: the numbers in which coins are weighed.
        inputs, outputs: the positions of the chosen values; if None, all values are summed, with weight one.

    Returns:
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
    """Return an equal row that was made earlier, or None; a few weights are hashed, since fractions are slow."""
    similar = made.setdefault((len(weights), *weights[:2], *weights[-1:]), [])
    for known, row in similar:
        if known == weights:
            return row
    similar.append((weights, semiring.row(weights)))
    return similar[-1][1]


def fold(arrays: LevelArrays, choices: Sequence[Choice[T]], semiring: Semiring[T]) -> Any:
    """Return the sum over all paths to TRUE that agree with the choices, of the product of the weights along them.

    Parameters:
        arrays: the diagram.
        choices: per level the weights of its values or the position of the one that is chosen, as ``rows_of`` makes
            them.
        semiring: the numbers of the weights.

    Returns:
        As the semiring shows its numbers; exact if the semiring is.
    """
    return WeightedDiagram(arrays, choices, semiring).value


def sample_outputs(
    relation: Relation, inputs: Sequence[int], count: int, source: random.Random, *, rational: bool
) -> list[tuple[int, ...]]:
    """Return ``count`` independent outputs given the evidence, as positions of the output variables.

    With rational weights every step is drawn from integers, so the samples have exactly the model's distribution.
    """
    semiring: Semiring[Any] = EXACT if rational else FLOAT64
    arrays = relation.arrays
    diagram = WeightedDiagram(arrays, rows_of(relation, semiring, inputs), semiring)
    values = diagram.backward()
    partition, children, depth = arrays.lists
    shares: dict[int, tuple[Any, list[tuple[int, Any]]]] = {}
    drawn = []
    for _ in range(count):
        node = arrays.root
        positions = [0] * len(relation.outputs)
        while node != arrays.true:
            if node not in shares:
                edges = [(kid, weight * values[kid]) for kid, weight in diagram.edges(node)]
                shares[node] = (sum(share for _, share in edges), edges)
            level = arrays.levels[depth[node]]
            kid = shares[node][1][0][0] if level.kind == "input" else _pick(*shares[node], source)
            if level.kind == "output":
                positions[level.index] = arrays.partitions[partition[node]].first(children[node].index(kid))
            node = kid
        drawn.append(tuple(positions))
    return drawn


def _pick(total: Any, shares: list[tuple[int, Any]], source: random.Random) -> int:
    """Draw one of several nodes with probability proportional to its share of a total."""
    ticket: Any = source.randrange(total) if isinstance(total, int) else source.random() * total
    for node, share in shares:
        if ticket < share:
            return node
        ticket -= share
    return [node for node, share in shares if share][-1]  # a float ticket may end beyond the last share


_PRIME = (1 << 61) - 1


def require_total(name: str, masses: Collection[Any], *, conditioned: bool = False) -> None:
    """Raise InternalFault unless masses sum to 1; if ``conditioned``, to at most 1, since runs without the evidence are
    missing.

    Fractions are summed modulo a prime, so that no denominator grows: a wrong sum that looks right there is one of
    2^61. Balls must leave 1 possible, and floats are not checked.
    """
    kinds = set(map(type, masses))
    if float in kinds:
        return
    if kinds <= {Fraction, int} and not conditioned:
        right = _residue(masses) == 1
    else:
        total = sum(masses)
        if isinstance(total, Ball):
            right = total.lower <= 1 if conditioned else total.contains(1)
        elif isinstance(total, (Fraction, int)):
            right = total <= 1 if conditioned else total == 1
        else:  # a function of parameters
            right = conditioned or total == 1
    if not right:
        raise internal_fault(f"'{name}': the probabilities of all outputs do not sum to 1.", value=name)


def _residue(masses: Collection[Any]) -> int:
    """Return the sum modulo the prime, or exactly if a denominator vanishes there."""
    inverses: dict[int, int] = {}
    total = 0
    for mass in masses:
        below = mass.denominator
        inverse = inverses.get(below)
        if inverse is None:
            if below % _PRIME == 0:
                return int(sum(masses) == 1)
            inverse = inverses[below] = pow(below, -1, _PRIME)
        total += mass.numerator * inverse
    return total % _PRIME
