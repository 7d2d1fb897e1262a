"""The size of a program's binary decision diagram, counted as Dice counts it.

A Boolean coin is one flip. Any other coin is Dice's ``discrete``: its outcomes are numbered, and the bits of the number
are drawn one after the other, the highest first, with one flip for each prefix of earlier bits; a flip that can fall
one way only does not count. Flips stand in the order of the program's coins, those of one coin with shorter prefixes
first.

The diagrams are our own, not OxiDD's: a coin's flips lie next to each other and above everything that is decided later,
so each node of the multi-valued diagram unfolds into its flips by itself, and no Boolean operation is ever needed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from taut.diagrams import Diagrams, Partition, UnaryOperation
from taut.diagrams.compile.compiler import Compiler
from taut.diagrams.compile.order import program_order
from taut.diagrams.compile.segments import compile_values
from taut.diagrams.compile.shape import shape_of, slots_of, sort_key
from taut.program import UNDEFINED, Coin, CoinVariable, Input, Program
from taut.program.program import reachable
from taut.support.options import Options

__all__ = ["binary_size"]


def binary_size(program: Program, options: Options, widths: Sequence[int] | None = None) -> int:
    """Return the number of distinct nodes below all bits of the result and the evidence, leaves included.

    The program must have no inputs (``Program.fix`` makes it so). A result slot that is Boolean is one bit, whole
    numbers of 0 and more are written in binary with just enough bits, and other values as their place among the
    slot's values. ``widths`` gives the number of bits of each slot, 0 for a Boolean, where a language fixes them.

    Raises:
        DiagramTooLarge: more than ``options.max_nodes`` nodes, multi-valued or binary.
    """
    slots = slots_of(program.terms, program.output, shape_of(program.output))
    roots = [*slots, program.evidence]
    order = [term for term in program_order(reachable(roots), program.coins) if isinstance(term, Coin)]
    compiler = _CoinCompiler(Diagrams(options.max_nodes), order, program.coins)
    *values, evidence = compile_values(compiler, roots, order)
    given = [None] * len(values) if widths is None else widths
    bits = [bit for value, width in zip(values, given, strict=True) for bit in _bits(compiler.diagrams, value, width)]
    unfolded = _Unfolding(compiler.diagrams, [program.coins[coin.index] for coin in order], options.max_nodes)
    results = unfolded.unfold([*bits, compiler.diagrams.map(UnaryOperation(_holds), evidence)])
    return len(unfolded.binary.reachable(results))


class _CoinCompiler(Compiler):
    """Compiles terms over coins alone, one level for each."""

    def __init__(self, diagrams: Diagrams, order: Sequence[Coin], coins: Sequence[CoinVariable]) -> None:
        super().__init__(diagrams)
        self._levels = {coin.index: level for level, coin in enumerate(order)}
        self._coins = coins

    def variable(self, term: Input | Coin) -> int:
        assert isinstance(term, Coin), "the binary size is that of a program without inputs"
        return self.diagrams.variable(self._levels[term.index], self._coins[term.index].outcomes)


@dataclass(frozen=True)
class _Flip:
    """A bit after a prefix, with the diagrams for 0 and for 1.

    A number n >= 0 is the coin's flip n, a negative one its outcome ~n. ``first`` and ``last`` are the outermost of the
    outcomes that it decides between.
    """

    level: int
    first: int
    last: int
    low: int
    high: int


class _Unfolding:
    """Multi-valued diagrams rewritten over flips: every node becomes the flips of its coin."""

    def __init__(self, diagrams: Diagrams, coins: Sequence[CoinVariable], max_nodes: int) -> None:
        self.diagrams = diagrams
        self.binary = Diagrams(max_nodes)
        self._pair = self.binary.partitions.full(2)
        self._trees: list[tuple[int, list[_Flip]]] = []
        level = 0
        for coin in coins:
            root, flips = _flips(coin, level)
            self._trees.append((root, flips))
            level += len(flips)

    def unfold(self, roots: Sequence[int]) -> list[int]:
        """Return the binary diagrams of these; leaves keep their values."""
        diagrams, binary = self.diagrams, self.binary
        made: dict[int, int] = {}
        for node in diagrams.reachable(roots):
            if diagrams.is_leaf(node):
                made[node] = binary.leaf(diagrams.value(node))
                continue
            partition = diagrams.partitions[diagrams.partition[node]]
            root, flips = self._trees[diagrams.level[node]]
            made[node] = self._decided(partition, [made[child] for child in diagrams.children[node]], flips, root)
        return [made[root] for root in roots]

    def _decided(self, partition: Partition, children: Sequence[int], flips: Sequence[_Flip], choice: int) -> int:
        """Return the node below a flip or an outcome; a flip within one run of the partition needs no node."""
        if choice < 0:
            return children[partition.place(~choice)]
        flip = flips[choice]
        run = bisect_right(partition.ends, flip.first)
        if flip.last < partition.ends[run]:
            return children[partition.classes[run]]
        low = self._decided(partition, children, flips, flip.low)
        high = self._decided(partition, children, flips, flip.high)
        return self.binary.node(flip.level, self._pair, (low, high))


def _flips(coin: CoinVariable, level: int) -> tuple[int, list[_Flip]]:
    """Return the first choice of a coin and its flips, from a level on, shorter prefixes first."""
    possible = [place for place, weight in enumerate(coin.weights) if weight != 0 or coin.dice] or [0]
    if len(possible) == 1:
        return ~possible[0], []
    prefixes, flips = [possible], []
    for place, group in enumerate(prefixes):  # which grows while it is read
        choices = []
        for half in _halves(group):
            choices.append(~half[0] if len(half) == 1 else len(prefixes))
            if len(half) > 1:
                prefixes.append(half)
        flips.append(_Flip(level + place, group[0], group[-1], choices[0], choices[1]))
    return 0, flips


def _halves(group: list[int]) -> tuple[list[int], list[int]]:
    """Return numbers split at the highest bit in which they differ."""
    highest = 1 << ((group[0] ^ group[-1]).bit_length() - 1)
    return [n for n in group if not n & highest], [n for n in group if n & highest]


def _bits(diagrams: Diagrams, root: int, given: int | None) -> Iterator[int]:
    """Yield the bits of a slot, the highest first; just enough, unless their number is given."""
    values = [value for value in diagrams.leaves(root) if value is not UNDEFINED]
    if all(isinstance(value, int) and value >= 0 for value in values):
        code = {value: int(value) for value in values}
    else:
        code = {value: place for place, value in enumerate(sorted(set(values), key=sort_key))}
    width = max(1, max(code.values(), default=0).bit_length() if given is None else given)
    for place in range(width - 1, -1, -1):
        yield diagrams.map(UnaryOperation(_bit(code, place)), root)


def _bit(code: dict[Any, int], place: int) -> Callable[[Any], bool]:
    return lambda value: bool(code.get(value, 0) >> place & 1)


def _holds(value: Any) -> bool:
    return value is not UNDEFINED and bool(value)
