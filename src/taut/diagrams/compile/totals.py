"""The check of a compiled relation: on every input and for all coins, exactly one output makes it true.

Every input, coin and output variable has weights in a prime field that sum to 1, and the diagram is folded with them.
Its value is the mean of the number of outputs over all inputs and coins, weighed by products of the weights; divided by
the number of all outputs, since these have equal weights. If there is always exactly one output, it is that of the
constant 1, whatever the weights are.

Let the weights of the i-th variable be 1/k + b(i) r(i), for k values, with a random number b(i) and a random vector
r(i) of sum 0. The value is then a polynomial in the b(i) of degree 1 in each, whose constant term is the plain mean of
the number of outputs. Where an output is missing somewhere, and nowhere there are two, or the other way round, that is
not 1. So the polynomial is not the constant 1, and random b(i) show it but with probability n / p at most, for n
variables and the prime p (Schwartz and Zippel): below 1e-6 for 4,000 variables. Where outputs are missing here and
doubled there, the vectors r(i) tell the two apart.

Probabilities do not occur in it, so one fold serves all weights that the coins may have, rational, balls or functions
of parameters; and no number grows, so that it takes a small part of the time of compiling.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from taut.diagrams import LevelArrays, WeightedDiagram
from taut.diagrams.semirings import FieldSemiring
from taut.program import CoinVariable
from taut.support.errors import internal_fault
from taut.support.limits import checkpoint

__all__ = ["require_at_most_one_output", "require_defined_outputs", "require_one_output"]

_PRIME = 4_294_967_291
"""The largest prime below 2^32: products of two residues fit into 64 bits."""
_MODULUS = np.uint64(_PRIME)
_POOL = 1 << 12
_NARROW = 24
Residues = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]


def require_one_output(name: str, arrays: LevelArrays, coins: Sequence[CoinVariable]) -> None:
    """Raise InternalFault unless every input and every possible outcome of the coins has exactly one output."""
    outputs = math.prod(level.arity for level in arrays.levels if level.kind == "output")
    if _fold(arrays, _edge_weights(arrays)) * outputs % _PRIME == 1 or _fold_of_possible(arrays, coins) == 1:
        return
    raise internal_fault(
        f"'{name}': the diagram does not have exactly one output for every input and all coins, so that probabilities "
        "would not sum to 1.",
        value=name,
    )


def require_at_most_one_output(name: str, arrays: LevelArrays) -> None:
    """Raise InternalFault unless each output is settled by what is above it: then none is counted twice.

    A relation with evidence must satisfy this; inputs and coins without any output are those where the evidence fails.
    """
    nodes = [level.stop - level.start for level in arrays.levels]
    depth = np.concatenate([np.repeat(np.arange(len(nodes)), nodes), [len(nodes)] * 2])
    wide = [level.kind == "output" and level.arity > 1 for level in arrays.levels]
    passed = np.concatenate([[0], np.cumsum(wide)])
    above = np.repeat(depth[:-2], np.diff(arrays.first))
    over = (passed[depth[arrays.child]] > passed[above + 1]) & (arrays.child != arrays.false)
    several = bool(over.any()) or (arrays.root != arrays.false and bool(passed[depth[arrays.root]]))
    for level in [level for level, told in zip(arrays.levels, wide, strict=True) if told]:
        for node in range(level.start, level.stop):
            kids = arrays.child[arrays.first[node] : arrays.first[node + 1]].tolist()
            runs = arrays.partitions[arrays.partition[node]].runs()
            several = several or sum(stop - start for start, stop, one in runs if kids[one] != arrays.false) > 1
    if several:
        raise internal_fault(
            f"'{name}': the diagram has more than one output for some input and coins, so that probabilities would sum "
            "to more than 1.",
            value=name,
        )


def require_defined_outputs(
    name: str, arrays: LevelArrays, coins: Sequence[CoinVariable], undefined: Mapping[int, int]
) -> None:
    """Raise InternalFault if an output can have the value at the position that stands for no value."""
    if _fold_of_possible(arrays, coins) != _fold_of_possible(arrays, coins, undefined):
        raise internal_fault(
            f"'{name}': the diagram has an output without a value where the evidence holds, so that probabilities "
            "would not sum to that of the evidence.",
            value=name,
        )


def _edge_weights(arrays: LevelArrays) -> Residues:
    """Return the weight of each edge: the sum over its values."""
    source = np.random.default_rng(_PRIME)  # always the same, so that nothing depends on what was asked before
    arities = np.array([level.arity for level in arrays.levels], dtype=np.int64)
    pool = np.zeros(_POOL + int(arities.max(initial=0)) + 1, dtype=np.uint64)
    np.cumsum(source.integers(0, _PRIME, len(pool) - 1, dtype=np.uint64), out=pool[1:])
    places = source.integers(0, _POOL, len(arities))
    factors = source.integers(1, _PRIME, len(arities), dtype=np.uint64)
    factors[[number for number, level in enumerate(arrays.levels) if level.kind == "output"]] = 0
    inverses = {arity: pow(arity or 1, -1, _PRIME) for arity in set(arities.tolist())}  # 0 where nothing is defined
    shares = np.array([inverses[arity] for arity in arities.tolist()], dtype=np.uint64)
    totals = (pool[places + arities] - pool[places]) % _MODULUS * factors % _MODULUS
    even = (_MODULUS + np.uint64(1) - totals) % _MODULUS * shares % _MODULUS

    def weight(level: Places, start: Places, stop: Places) -> Residues:
        """Return the weights of the values from start to stop added up: the even part, and a part of the pool."""
        part = (pool[places[level] + stop] - pool[places[level] + start]) % _MODULUS * factors[level] % _MODULUS
        added: Residues = (part + (stop - start).astype(np.uint64) * even[level]) % _MODULUS
        return added

    count = max(1, len(arrays.partitions))
    nodes = [level.stop - level.start for level in arrays.levels]
    used, place = np.unique(np.repeat(np.arange(len(nodes)), nodes) * count + arrays.partition, return_inverse=True)
    level, number = used // count, used % count
    runs = np.array([len(partition.ends) for partition in arrays.partitions], dtype=np.int64)
    sizes = np.array([partition.size for partition in arrays.partitions], dtype=np.int64)
    stops = np.array([end for partition in arrays.partitions for end in partition.ends], dtype=np.int64)
    starts = np.concatenate([[0], stops])[:-1]
    starts[np.cumsum(runs) - runs] = 0
    classes = np.array([one for partition in arrays.partitions for one in partition.classes], dtype=np.int64)
    run = _spread(np.cumsum(runs) - runs, runs, number)
    offset = np.cumsum(sizes[number]) - sizes[number]
    rows = np.zeros(int(sizes[number].sum()), dtype=np.uint64)
    shared = weight(np.repeat(level, runs[number]), starts[run], stops[run])
    np.add.at(rows, np.repeat(offset, runs[number]) + classes[run], shared)
    weights: Residues = rows[_spread(offset, sizes[number], place.reshape(-1))] % _MODULUS
    return weights


def _spread(starts: Places, lengths: Places, chosen: Places) -> Places:
    """Return the places start, start + 1, ... of each chosen stretch, one stretch after the other."""
    long = lengths[chosen]
    within: Places = np.arange(int(long.sum())) - np.repeat(np.cumsum(long) - long, long)
    return np.repeat(starts[chosen], long) + within


def _fold(arrays: LevelArrays, weights: Residues) -> int:
    """Return the sum over all paths to TRUE of the products of their weights, modulo the prime.

    The weights of each level sum to 1, so that levels that a path passes over do not matter.
    """
    child, first, edges = arrays.child, arrays.first, arrays.first.tolist()
    if len(child) < _NARROW * len(arrays.levels):
        return _narrow_fold(arrays, edges, weights.tolist())
    values = np.zeros(arrays.size, dtype=np.uint64)
    values[arrays.true] = 1
    for level in reversed(arrays.levels):
        checkpoint()
        start, stop = level.start, level.stop
        if start < stop:
            low, high = edges[start], edges[stop]
            products = weights[low:high] * values[child[low:high]] % _MODULUS
            values[start:stop] = np.add.reduceat(products, first[start:stop] - low) % _MODULUS
    return int(values[arrays.root])


def _narrow_fold(arrays: LevelArrays, edges: list[int], weights: list[int]) -> int:
    """Return the same node by node: faster on narrow levels."""
    child, values = arrays.child.tolist(), [0] * arrays.size
    values[arrays.true] = 1
    for node in range(arrays.nodes - 1, -1, -1):
        if not node & 1023:
            checkpoint()
        total = 0
        for edge in range(edges[node], edges[node + 1]):
            total += weights[edge] * values[child[edge]]
        values[node] = total % _PRIME
    return values[arrays.root]


def _fold_of_possible(
    arrays: LevelArrays, coins: Sequence[CoinVariable], left_out: Mapping[int, int] | None = None
) -> int:
    """Fold by the kernel, in which outcomes of probability 0 weigh nothing: rare, and slower.

    Outputs have weight 1 here, so that the value itself is 1 if there is always one; one position of each may be left
    out.
    """
    field, source = FieldSemiring(_PRIME), random.Random(_PRIME)
    rows = []
    for level in arrays.levels:
        if level.kind == "output":
            gone = (left_out or {}).get(level.index, -1)
            rows.append(field.row([int(place != gone) for place in range(level.arity)]))
            continue
        weights = coins[level.index].weights if level.kind == "coin" else (1,) * level.arity
        row = [source.randrange(_PRIME) if weight != 0 else 0 for weight in weights]
        row[max(place for place, weight in enumerate(weights) if weight != 0)] += 1 - sum(row)
        rows.append(field.row(row))
    return int(WeightedDiagram(arrays, rows, field).value)
