"""A bound for pairs of inputs from the terms alone, with every draw revealed; no diagram is needed.

Where inputs only choose which distributions are drawn from, the output is a function of the draws. By the
data-processing inequality no output tells two inputs apart better than all draws together do. Draws are independent, so
the quotient of a pair is at most the product, over the draws, of the largest quotient of the two distributions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.errors import TooLarge
from taut.ir import Apply, Coin, Const, Input, Ite, Program, Select, Term, Tuple
from taut.ir.operations import UNDEFINED
from taut.ir.program import children, reachable
from taut.limits import checkpoint, checkpoints
from taut.neighbors import PairAutomaton
from taut.neighbors.blocks import Block, blocks
from taut.numbers import INFINITY

__all__ = ["MOST_INPUTS", "revealed_draws"]

MOST_INPUTS = 1 << 21
_MOST_CELLS = 1 << 28
_MOST_PAIRS = 1 << 27
_COUNTED = 1 << 24
"""Up to so many numbers are counted one by one, which is quicker than sorting."""
_MARKED = 1 << 26
"""Up to so many pairs of classes are marked in one array."""
_SLACK = 1e-9
"""More than the roundings of a sum of logarithms."""
Numbers = npt.NDArray[Any]
Pair = tuple[list[int], list[int]]


@dataclass(frozen=True, eq=False)
class _Site:
    """A place at which a value is drawn: conditions and indices choose one of the rows, each a coin or a constant."""

    term: Term
    controls: Sequence[Term]
    row_of: Mapping[Any, int]
    rows: Sequence[Mapping[Any, Any]]

    @property
    def largest(self) -> Any:
        """A number that no quotient of an outcome's probabilities in two rows exceeds."""
        outcomes = set(self.rows[0])
        if any(set(row) != outcomes for row in self.rows):
            return INFINITY
        return max(max(row[y] for row in self.rows) / min(row[y] for row in self.rows) for y in outcomes)


def revealed_draws(program: Program, automaton: PairAutomaton) -> tuple[Any, Pair | None]:
    """A number that no quotient of a related pair exceeds (INFINITY where none is found), and a pair worth looking at.

    The pair is given by positions. Where the output tells what was drawn, its own largest quotient is that number.

    Raises
    ------
    OutOfTime, OutOfMemory
        A limit in force was passed.
    """
    sites = None if program.conditioned or not program.exact else _sites(program)
    if sites is None:
        return INFINITY, None
    adaptive = [site for site in sites if any(isinstance(term, Coin) for term in reachable(site.controls))]
    plain = [site for site in sites if not any(site is other for other in adaptive)]
    bound: Any = Fraction(1)
    for site in adaptive:  # what was drawn before may choose any row, for either input
        bound = _times(bound, site.largest)
    if bound == INFINITY or not plain:
        return bound, None
    try:
        together, pair = _of_pairs(program, plain, automaton)
        return _times(bound, together), pair
    except TooLarge as error:
        if type(error) is not TooLarge:
            raise
    for site in plain:
        bound = _times(bound, site.largest)
    return bound, None


def _sites(program: Program) -> list[_Site] | None:
    """All places at which something is drawn; None if inputs matter elsewhere, or draws share a coin."""
    sites: list[_Site] = []
    used: set[int] = set()
    seen: set[Term] = set()
    stack: list[Term] = [program.output]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if isinstance(term, Input):
            return None
        coins: list[int] = []
        site = _site(program, term)
        if site is not None:
            sites.append(site)
            coins = [leaf.index for _, leaf in site.row_of if isinstance(leaf, _Toss)]
            stack.extend(part for part in reachable(site.controls) if isinstance(part, Coin))
        elif isinstance(term, Coin):
            coins = [term.index]
        else:
            stack.extend(children(term))
        if not used.isdisjoint(coins):
            return None
        used.update(coins)
    return sites


@dataclass(frozen=True)
class _Toss:
    """A coin, as the value of a site before it is tossed."""

    index: int


def _site(program: Program, term: Term) -> _Site | None:
    """The draw that a term is; None if it is something else, or a single coin, which is the same for all inputs."""
    leaves: dict[Term, None] = {}
    controls: dict[Term, None] = {}
    stack, seen = [term], {term}
    while stack:
        part = stack.pop()
        more: Sequence[Term] = ()
        if isinstance(part, Ite):
            controls[part.test] = None
            more = (part.then, part.other)
        elif isinstance(part, Select):
            controls[part.index] = None
            more = part.items
        elif isinstance(part, (Coin, Const)):
            leaves[part] = None
        else:
            return None
        stack += [child for child in dict.fromkeys(more) if child not in seen]
        seen.update(more)  # branches share their parts: each is looked at once
    if not controls or not any(isinstance(leaf, Coin) for leaf in leaves):
        return None
    row_of = {_key(_leaf(leaf)): place for place, leaf in enumerate(leaves)}
    return _Site(term, list(controls), row_of, [_row(program, leaf) for leaf in leaves])


def _leaf(term: Term) -> Any:
    if isinstance(term, Coin):
        return _Toss(term.index)
    assert isinstance(term, Const)
    return term.value


def _row(program: Program, item: Term) -> Mapping[Any, Any]:
    if isinstance(item, Const):
        return {_key(item.value): Fraction(1)}
    assert isinstance(item, Coin)
    coin = program.coins[item.index]
    return {_key(value): weight for value, weight in zip(coin.outcomes, coin.weights, strict=True) if weight}


def _quotient(row: Mapping[Any, Any], other: Mapping[Any, Any]) -> Any:
    if any(value not in other for value in row):
        return INFINITY
    return max(weight / other[value] for value, weight in row.items())


def _times(one: Any, other: Any) -> Any:
    return INFINITY if INFINITY in (one, other) else one * other


def _of_pairs(program: Program, sites: Sequence[_Site], automaton: PairAutomaton) -> tuple[Any, Pair | None]:
    """The largest product of quotients over all related pairs of inputs, and a pair that has it.

    Inputs that choose the same rows everywhere are one class; each pair of classes is looked at once.
    """
    sizes = [len(variable.values) for variable in program.inputs]
    count = math.prod(sizes)
    if count > MOST_INPUTS or count * len(sites) > _MOST_CELLS or automaton.count_pairs() > _MOST_PAIRS:
        raise TooLarge("there are too many inputs to look at all of them.", value=count)
    chosen = _Table(program).rows(sites)
    classes = np.zeros(count, dtype=np.int64)
    members: list[tuple[int, ...]] = [()]
    for site, numbers in zip(sites, chosen, strict=True):
        checkpoint()
        joint = classes * len(site.rows) + np.broadcast_to(numbers, sizes).ravel()
        used, classes = _different(joint, len(members) * len(site.rows))
        members = [(*members[key // len(site.rows)], key % len(site.rows)) for key in used.tolist()]
    grid = classes.reshape(sizes)
    related = _Pairs(len(members))
    for block in blocks(automaton):
        checkpoint()
        related.add(_codes(grid, block, len(members)))
    bound, best = _largest(sites, np.array(members, dtype=np.int64), related.listed())
    for block in blocks(automaton) if best is not None else ():
        checkpoint()
        found = np.flatnonzero(_codes(grid, block, len(members)) == best)
        if len(found):
            return bound, block.pair(int(found[0]))
    return bound, None


def _codes(grid: Numbers, block: Block, classes: int) -> Numbers:
    """The classes of both inputs of every pair of a block, as one number."""
    codes: Numbers = grid[block.own].astype(np.int64) * classes + grid[block.other]
    return codes.ravel()


class _Pairs:
    """Pairs of classes that occur."""

    def __init__(self, classes: int) -> None:
        self._seen = np.zeros(classes**2, dtype=bool) if classes**2 <= _MARKED else None
        self._parts: list[Numbers] = []

    def add(self, codes: Numbers) -> None:
        if self._seen is not None:
            self._seen[codes] = True
            return
        self._parts.append(codes)
        if sum(map(len, self._parts)) > _COUNTED:
            self._parts = [np.unique(np.concatenate(self._parts))]

    def listed(self) -> Numbers:
        if self._seen is not None:
            return np.flatnonzero(self._seen)
        return np.unique(np.concatenate(self._parts)) if self._parts else np.zeros(0, dtype=np.int64)


def _largest(sites: Sequence[_Site], members: Numbers, pairs: Numbers) -> tuple[Any, int | None]:
    """The largest product over pairs of classes, and a pair that has it.

    Floats find those near the top, exact numbers decide.
    """
    if not len(pairs):
        return Fraction(1), None
    own, other = members[pairs // len(members)], members[pairs % len(members)]
    logs = np.zeros(len(pairs))
    for place, site in enumerate(sites):
        used, numbers = _different(own[:, place] * len(site.rows) + other[:, place], len(site.rows) ** 2)
        logs += _log_quotients(site, used // len(site.rows), used % len(site.rows))[numbers]
    if math.isinf(logs.max()):
        return INFINITY, None
    near = np.flatnonzero(logs >= logs.max() - _SLACK)
    product, place = _largest_product(sites, own[near], other[near])
    return product, int(pairs[near[place]])


def _largest_product(sites: Sequence[_Site], own: Numbers, other: Numbers) -> tuple[Any, int]:
    """The largest product of quotients, exactly, and the first pair of rows that has it.

    Pairs are often many, and alike: products of the same factors are multiplied once.
    """
    factors: dict[Any, int] = {}
    columns = []
    for place, site in enumerate(sites):
        checkpoint()
        used, numbers = _different(own[:, place] * len(site.rows) + other[:, place], len(site.rows) ** 2)
        met = [_quotient(site.rows[key // len(site.rows)], site.rows[key % len(site.rows)]) for key in used.tolist()]
        columns.append(np.array([factors.setdefault(value, len(factors)) for value in met], dtype=np.int32)[numbers])
    rows, first = np.unique(np.sort(np.stack(columns, axis=1), axis=1), axis=0, return_index=True)
    values = list(factors)
    products = [math.prod((values[number] for number in row), start=Fraction(1)) for row in checkpoints(rows.tolist())]
    largest = max(products)
    return largest, min(int(place) for product, place in zip(products, first, strict=True) if product == largest)


def _log_quotients(site: _Site, own: Numbers, other: Numbers) -> npt.NDArray[np.float64]:
    """The logarithms of the largest quotients of pairs of rows."""
    outcomes = list(dict.fromkeys(outcome for row in site.rows for outcome in row))
    table = np.array([[_log(row[y]) if y in row else -math.inf for y in outcomes] for row in site.rows])
    most = np.full(len(own), -math.inf)
    for column in table.T:
        checkpoint()
        mine, theirs = column[own], column[other]
        with np.errstate(invalid="ignore"):
            quotients = np.where(mine == -math.inf, -math.inf, mine - theirs)
        most = np.maximum(most, quotients)
    return most


def _log(quotient: Fraction) -> float:
    return math.log(quotient.numerator) - math.log(quotient.denominator)


class _Table:
    """Terms without coins for all inputs at once: each term is an array of numbers of its different values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[Term, tuple[Numbers, list[Any]]] = {}

    def rows(self, sites: Sequence[_Site]) -> list[Numbers]:
        """For each site the chosen row, for every input; an axis has length 1 where an entry does not matter."""
        for term in reachable([site.term for site in sites]):
            checkpoint()
            self._known[term] = self._made(term)
        return [self._chosen(site) for site in sites]

    def _chosen(self, site: _Site) -> Numbers:
        numbers, values = self._known[site.term]
        keys = [_key(value) for value in values]
        if any(key not in site.row_of for key in keys):  # only where no run gets to
            raise TooLarge("an index has no row.", value=site)
        return np.array([site.row_of[key] for key in keys], dtype=np.int32)[numbers]

    def _made(self, term: Term) -> tuple[Numbers, list[Any]]:
        if isinstance(term, (Const, Coin)):
            return np.zeros((1,) * len(self.program.inputs), dtype=np.int64), [_leaf(term)]
        if isinstance(term, Input):
            values = self.program.inputs[term.index].values
            shape = [1] * len(self.program.inputs)
            shape[term.index] = len(values)
            return np.arange(len(values)).reshape(shape), list(values)
        parts = [self._known[part] for part in children(term)]
        varying = [place for place, (_, found) in enumerate(parts) if len(found) > 1]  # of thousands, often one
        numbers: Numbers = np.zeros((1,) * len(self.program.inputs), dtype=np.int64)
        rows: list[list[Any]] = [[]]
        for place in varying:
            checkpoint()
            more, found = parts[place]
            used, numbers = _different(numbers.astype(np.int64) * len(found) + more, len(rows) * len(found))
            rows = [[*rows[key // len(found)], found[key % len(found)]] for key in used.tolist()]
        value_of, row = _evaluation(term), [found[0] for _, found in parts]
        made: list[Any] = []
        for changed in checkpoints(rows):
            for place, value in zip(varying, changed, strict=True):
                row[place] = value
            made.append(value_of(row))
        return self._numbered(numbers, made)

    def _numbered(self, numbers: Numbers, found: list[Any]) -> tuple[Numbers, list[Any]]:
        """Equal values as one."""
        places: dict[Any, int] = {}
        lookup = np.array([places.setdefault(_key(value), len(places)) for value in found], dtype=np.int32)
        different: list[Any] = [None] * len(places)
        for value, place in zip(found, lookup.tolist(), strict=True):
            different[place] = value
        return lookup[numbers], different


def _different(numbers: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """The different numbers, all below ``most``, in order; and for each number its place among them."""
    if most > _COUNTED:
        used, inverse = np.unique(numbers, return_inverse=True)
        return used, inverse.reshape(numbers.shape)
    used = np.flatnonzero(np.bincount(numbers.ravel(), minlength=most))
    lookup = np.zeros(most, dtype=np.int32)
    lookup[used] = np.arange(len(used))
    return used, lookup[numbers]


def _key(value: Any) -> Any:
    return (tuple, tuple(_key(item) for item in value)) if isinstance(value, tuple) else (type(value), value)


def _evaluation(term: Term) -> Callable[[Sequence[Any]], Any]:
    """The value of a term as a function of those of its children, as the enumerator has it."""
    if isinstance(term, Apply):
        operation = term.operation
        return lambda row: operation(*row)
    if isinstance(term, Tuple):
        return tuple
    if isinstance(term, Ite):
        return lambda row: UNDEFINED if row[0] is UNDEFINED else row[1 if row[0] else 2]
    assert isinstance(term, Select)
    places: dict[Any, int] = {}
    for place, key in enumerate(term.keys, 1):
        places.setdefault(key, place)
    return lambda row: row[places[row[0]]] if row[0] in places else UNDEFINED
