"""Compilation of long programs in segments: the order is cut where few values are still needed, and each segment is
compiled alone.

At a cut of the order some terms are known above it and needed below it; their values are the *state* there. A piece
between two cuts becomes one small diagram for each state at its upper end, whose leaves are the states at its lower
end. The pieces are put together from the last one upwards, so that nothing is made twice: a value passed along a chain
of a thousand steps costs a thousand small diagrams, whereas term after term would copy all that is above at each step.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from taut.diagrams import BinaryOperation, UnaryOperation
from taut.diagrams.compile.compiler import Compiler
from taut.diagrams.compile.linear import inner_terms
from taut.program import Const, Term, Tuple
from taut.program.program import children, reachable
from taut.program.values import Anything
from taut.support.errors import DiagramTooLarge

__all__ = ["Segment", "SegmentCompiler", "close_segments", "compile_quickly", "compile_values"]
__all__ += ["last_positions", "segments", "widths"]

_SHORTEST = 16
"""Least number of variables of a segment; shorter ones cost more than they save."""
_VARIABLES_PER_STATE = 32
"""Least number of variables of an order per state of a cut, since a segment is compiled once for each state."""

_WORTH = 0.25
"""Largest share of the cost of a whole order at which segments are used."""
_TIMES = 1
"""A whole order is given up if it costs more than this many times its close segments."""
_LEAST = 4096
"""Number of nodes up to which no better way is sought."""
_FAR = 16
"""Variables over which a term stretches on average before close cuts are looked for."""
_CLOSE = 2
"""Variables between close cuts."""
_MOST_STATES = math.log(1 << 16)
"""The logarithm of the number of states that a close cut may have."""
_UNKNOWN = 1e4
"""The logarithm of the number of values of a term about which nothing is known."""


@dataclass(frozen=True)
class Segment:
    """The variables from ``start`` up to ``stop`` of an order.

    ``state`` are the terms known above it and needed from here on, ``roots`` those that are settled here.
    """

    start: int
    stop: int
    state: tuple[Term, ...]
    roots: tuple[Term, ...]


def last_positions(terms: Sequence[Term], order: Sequence[Term]) -> dict[Term, int]:
    """Return the last variable of the order that each term depends on, -1 for constants."""
    last: dict[Term, int] = {variable: place for place, variable in enumerate(order)}
    for term in terms:
        if term not in last:
            last[term] = max([last[part] for part in children(term)], default=-1)
    return last


def widths(terms: Sequence[Term], last: dict[Term, int], variables: int) -> list[float]:
    """Return, for the cut after each variable, the logarithm of an upper bound of its states.

    So many nodes a diagram in this order can have at most below that cut, times the number of different roots.
    """
    change = [0.0] * (variables + 1)
    for term, end in _carried(terms, last).items():
        if last[term] < end:
            size = _size(term)
            change[max(last[term], 0)] += size
            change[end] -= size
    found, width = [], 0.0
    for step in change[:variables]:
        width += step
        found.append(width)
    return found


def segments(roots: Sequence[Term], terms: Sequence[Term], last: dict[Term, int], variables: int) -> list[Segment]:
    """Return the order cut wherever few states are possible; one segment where that is nowhere or not worth it."""
    whole = [Segment(0, variables, (), tuple(roots))]
    if variables < 2 * _SHORTEST or _mean_span(terms, last, variables) < _SHORTEST:
        return whole
    cuts = _cuts(widths(terms, last, variables))
    return _cut_at(cuts, roots, terms, last, variables) if cuts else whole


def close_segments(
    roots: Sequence[Term], terms: Sequence[Term], last: dict[Term, int], variables: int
) -> tuple[list[Segment], int] | None:
    """Cut the order every few variables, where few states are carried, with an upper limit of the cost.

    That is the number of states times the terms that are made for each, about as many nodes as a compiler
    could make meanwhile. None where there are too many states anywhere, or where terms stretch over few variables.
    """
    if variables < 2 * _CLOSE or _mean_span(terms, last, variables) < _FAR:
        return None
    found = widths(terms, last, variables)
    cuts: list[int] = []
    for place in range(_CLOSE - 1, variables - _CLOSE, _CLOSE):
        cut = min(range(place, place + _CLOSE), key=lambda at: round(found[at], 6))
        if found[cut] > _MOST_STATES:
            return None
        if not cuts or cut > cuts[-1]:
            cuts.append(cut)
    if not cuts:
        return None
    made = _cut_at(cuts, roots, terms, last, variables)
    settled = [0] * len(made)
    ends = [segment.stop for segment in made]
    for term in terms:
        settled[bisect_right(ends, max(last[term], 0))] += 1
    states = [1.0, *[math.exp(found[cut]) for cut in cuts]]
    return made, math.ceil(sum(count * (1 + own) for count, own in zip(states, settled, strict=True)))


def _cut_at(
    cuts: Sequence[int], roots: Sequence[Term], terms: Sequence[Term], last: dict[Term, int], variables: int
) -> list[Segment]:
    """Return the segments between cuts, which lie after the variables named."""
    bounds = [0, *[cut + 1 for cut in cuts], variables]
    number = [place for place, (a, b) in enumerate(itertools.pairwise(bounds)) for _ in range(a, b)]
    states: list[list[Term]] = [[] for _ in bounds]
    for term, end in _carried(terms, last).items():
        for place in range(number[max(last[term], 0)] + 1, number[end] + 1):
            states[place].append(term)
    settled: list[list[Term]] = [[] for _ in bounds]
    for root in roots:
        settled[number[max(last[root], 0)]].append(root)
    return [
        Segment(a, b, tuple(states[place]), tuple(settled[place]))
        for place, (a, b) in enumerate(itertools.pairwise(bounds))
    ]


class SegmentCompiler:
    """Compiles segments one after the other: for each state the diagrams of its roots, and of the next state."""

    def __init__(
        self, compiler: Compiler, roots: Sequence[Term], terms: Sequence[Term], cut: Sequence[Segment]
    ) -> None:
        self.compiler = compiler
        keep = {*roots, *[term for segment in cut for term in segment.state]}
        self._inner = inner_terms(terms, keep)
        self._single = UnaryOperation(lambda value: (value,))
        self._append = BinaryOperation(lambda row, value: (*row, value))

    def compile(self, segment: Segment, state: tuple[object, ...], following: Sequence[Term]) -> tuple[list[int], int]:
        """Return the diagrams of the segment's roots in a state, and that of the next state as a tuple."""
        diagrams = self.compiler.diagrams
        given = {term: diagrams.leaf(value) for term, value in zip(segment.state, state, strict=True)}
        made = self.compiler.compile_given([*segment.roots, *following], given, self._inner)
        roots = [made[root] for root in segment.roots]
        rows = diagrams.leaf(())
        for place, term in enumerate(following):
            if place == 0:
                rows = diagrams.map(self._single, made[term])
            else:
                rows = diagrams.apply(self._append, rows, made[term])
        return roots, rows


def compile_quickly(compiler: Compiler, roots: Sequence[Term], cost: int | None) -> list[int] | None:
    """Compile the roots term by term; return None if that costs more than the segments would.

    The cost is known only afterwards. Many terms carried side by side are cheap term by term, and expensive in
    segments, whose states are all combinations of their values; a sum that is used after each of its parts is the
    reverse.
    """
    diagrams = compiler.diagrams
    limit, most = diagrams.max_nodes, len(diagrams) + max(_LEAST, _TIMES * (cost or 0))
    if cost is None or most >= limit:
        return compiler.compile(roots)
    diagrams.max_nodes = most
    try:
        return compiler.compile(roots)
    except DiagramTooLarge:
        return None
    finally:
        diagrams.max_nodes = limit


def compile_values(compiler: Compiler, roots: Sequence[Term], order: Sequence[Term]) -> list[int]:
    """Return the diagrams of the roots, as ``compiler.compile`` makes them, in segments where the order can be cut."""
    terms = reachable(roots)
    last = last_positions(terms, order)
    cut = segments(list(dict.fromkeys(roots)), terms, last, len(order))
    if len(cut) == 1:
        close = close_segments(list(dict.fromkeys(roots)), terms, last, len(order))
        quick = compile_quickly(compiler, roots, None if close is None else close[1])
        if quick is not None:
            return quick
        assert close is not None
        cut = close[0]
    diagrams = compiler.diagrams
    whole = SegmentCompiler(compiler, roots, terms, cut)
    pieces: list[dict[int, int]] = []
    found: dict[Term, int] = {}
    states: dict[int, tuple[object, ...]] = {diagrams.leaf(()): ()}
    for place, segment in enumerate(cut):
        following = cut[place + 1].state if place + 1 < len(cut) else ()
        made = [whole.compile(segment, state, following) for state in states.values()]
        for at, root in enumerate(segment.roots):
            below = dict(zip(states, [values[at] for values, _ in made], strict=True))
            for piece in reversed(pieces):
                below = dict(zip(piece, diagrams.graft_all(list(piece.values()), below), strict=True))
            found[root] = below[diagrams.leaf(())]
        rows = [row for _, row in made]
        pieces.append(dict(zip(states, rows, strict=True)))
        states = {node: diagrams.value(node) for node in diagrams.reachable(rows) if diagrams.is_leaf(node)}
    return [found[root] for root in roots]


def _cuts(found: Sequence[float]) -> list[int]:
    """Return cuts at a least distance, each at a local minimum of states; none if they would not pay.

    A segment costs about the square of its length, once for each state at its upper end.
    """
    variables = len(found)
    most = math.log(max(1.0, variables / _VARIABLES_PER_STATE)) + 1e-6
    cuts: list[int] = []
    place = _SHORTEST - 1
    while place + _SHORTEST < variables:
        if found[place] <= most:
            nearby = range(place, min(place + _SHORTEST, variables - _SHORTEST))
            place = min(nearby, key=lambda cut: round(found[cut], 6))
            cuts.append(place)
            place += _SHORTEST
        else:
            place += 1
    while cuts:
        lengths = [b - a for a, b in itertools.pairwise([*cuts, variables - 1])]
        costs = [math.exp(found[cut]) * length**2 for cut, length in zip(cuts, lengths, strict=True)]
        if sum(costs) <= variables**2 * _WORTH:
            break
        del cuts[costs.index(max(costs))]
    return cuts


def _mean_span(terms: Sequence[Term], last: dict[Term, int], variables: int) -> float:
    """Return the average span of a term in variables; only long terms make compiling by terms costly."""
    first: dict[Term, int] = {}
    total = 0
    for term in terms:
        parts = children(term)
        if parts:
            first[term] = start = min([first[part] for part in parts])
            if start < variables:
                total += last[term] - start + 1
        else:
            first[term] = variables if last[term] < 0 else last[term]
    return total / max(1, len(terms))


def _carried(terms: Sequence[Term], last: dict[Term, int]) -> dict[Term, int]:
    """Return the terms whose values a cut may have to carry, each with the position of the last variable it is needed
    for.

    Several functions of one term and nothing else (P = 0, P = 1, ...) are made again below a cut from that term, if it
    has fewer values than they have together.
    """
    carried: dict[Term, Term] = {}
    bits: dict[Term, float] = {}
    for term in terms:
        parts = {part for part in children(term) if not isinstance(part, Const)}
        if len(parts) == 1 and not isinstance(term, Tuple):
            (part,) = parts
            only = carried.get(part, part)
            carried[term] = only
            bits[only] = bits.get(only, 0.0) + _size(term)
    made_again = {only for only, size in bits.items() if _size(only) < size}
    ends: dict[Term, int] = {}
    for term in terms:
        end = last[term]
        for part in children(term):
            if isinstance(part, Const):
                continue
            only = carried.get(part, part)
            held = only if only in made_again else part
            if end > ends.get(held, -1):
                ends[held] = end
    return ends


def _size(term: Term) -> float:
    return _UNKNOWN if isinstance(term.values, Anything) else math.log(max(1, len(term.values)))
