"""Variable orders: read off the program, compared by an estimate of the widths they lead to, or found by FORCE.

Each conjunct pulls its variables towards their mean place; every variable moves to the mean of what pulls it, and the
places are renumbered. That is repeated while it helps. Floats are fine here: an order changes sizes, never answers.

Two orders are candidates. ``program`` follows the time at which coins were tossed, an input standing just before the
first coin or operation that reads it; or, where that promises less width, just before the first coin that it meets:
what is computed from inputs alone, before anything is tossed, need not be known until then. ``interleaved`` follows the
outputs: what the first one depends on comes first. The estimate cuts each order in some places and multiplies the
number of values of everything that is known above a cut and still needed below it. Where a product that no diagram
exceeds is small at every cut of the program's order, that order is taken without an estimate.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

import numpy as np

from taut.diagrams.compile.linear import difference, inner_terms, is_comparison, is_linear, linear_parts
from taut.diagrams.compile.segments import last_positions, widths
from taut.program import Apply, Coin, CoinVariable, Input, Ite, Select, Term
from taut.program.program import children, reachable
from taut.program.values import Anything

__all__ = ["candidate_orders", "estimate", "improved_order", "interleaved_order", "program_order"]


_ROUNDS = 100
_PATIENCE = 5


def improved_order(order: Sequence[int], scopes: Sequence[Sequence[int]]) -> list[int] | None:
    """Return an order with a smaller sum of spans than the given one, None if none was found.

    The span of a scope is the distance between its first and its last variable.
    """
    wide = [scope for scope in scopes if len(scope) > 1]
    if not wide:
        return None
    sizes = np.array([len(scope) for scope in wide])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    member = np.concatenate([np.asarray(scope, dtype=np.int64) for scope in wide])
    owner = np.repeat(np.arange(len(wide)), sizes)
    pulls = np.bincount(member, minlength=len(order))
    place = np.empty(len(order), dtype=np.int64)
    place[np.asarray(order, dtype=np.int64)] = np.arange(len(order))

    def span(places: np.ndarray) -> int:
        return int((np.maximum.reduceat(places[member], starts) - np.minimum.reduceat(places[member], starts)).sum())

    first = least = span(place)
    best, waited = place, 0
    for _ in range(_ROUNDS):
        middle = np.add.reduceat(place[member], starts) / sizes
        wanted = np.where(
            pulls > 0, np.bincount(member, middle[owner], minlength=len(order)) / np.maximum(pulls, 1), place
        )
        place = np.empty_like(place)
        place[np.lexsort((best, wanted))] = np.arange(len(order))
        now = span(place)
        waited = 0 if now < least else waited + 1
        if now < least:
            best, least = place, now
        if waited == _PATIENCE:
            break
    return [int(variable) for variable in np.argsort(best)] if least < first else None


_CUTS = 24
_UNKNOWN = math.log(1e6)
_MARGIN = math.log(2)
"""Logarithm of the factor in width by which another order must beat the program's own."""

_NARROW = math.log(16) + 1e-6
"""The logarithm of the width below which an order is taken without comparison."""

_HUGE = 1 << 512

Variable = Input | Coin


def candidate_orders(roots: Sequence[Term], coins: Sequence[CoinVariable]) -> dict[str, list[Variable]]:
    """Return the orders worth trying, by name, the most promising first."""
    terms = reachable(roots)
    orders = {"program": program_order(terms, coins), "interleaved": interleaved_order(roots, terms, coins)}
    if orders["program"] == orders["interleaved"]:
        return {"program": orders["program"]}
    most = widths(terms, last_positions(terms, orders["program"]), len(orders["program"]))
    if max(most) <= _NARROW:
        return orders
    width = estimate(roots, terms, orders["program"])
    late = program_order(terms, coins, late=True)
    if late != orders["program"]:
        of_late = estimate(roots, terms, late)
        if of_late < width - _MARGIN:
            orders["program"], width = late, of_late
    if estimate(roots, terms, orders["interleaved"]) < width - _MARGIN:
        return dict(reversed(orders.items()))
    return orders


def program_order(terms: Sequence[Term], coins: Sequence[CoinVariable], *, late: bool = False) -> list[Variable]:
    """Return coins in the order of their tosses (the order of the coin table), each input just before what first reads
    it.

    With ``late``, what is computed from inputs alone reads nothing: its inputs are read where it first meets a coin.
    """
    uses: dict[Term, int] = {}
    tosses: set[Term] = set()
    for term in terms:
        parts = children(term)
        for child in set(parts) if late else parts:
            uses[child] = uses.get(child, 0) + 1
        if isinstance(term, Coin) or any(child in tosses for child in parts):
            tosses.add(term)
    tossed = [term for term in terms if isinstance(term, Coin)]
    made = [term.serial for term in tossed]
    time: dict[Term, float] = {}
    read: set[Term] = set()
    for term in terms:
        parts = children(term)
        if late:
            reads = _inputs_of([child for child in parts if child not in tosses], read) if term in tosses else []
        else:
            reads = [child for child in parts if isinstance(child, Input) and child not in time]
        if reads:
            own = [child.index for child in parts if isinstance(child, Coin) and uses[child] == 1]
            following = bisect.bisect(made, term.serial)
            moment = min([tossed[following].index if following < len(tossed) else len(coins), *own]) - 0.5
            time.update(dict.fromkeys(reads, moment))
    first_of_draw: dict[int, int] = {}
    for term in sorted(tossed, key=lambda term: term.index):
        time[term] = first_of_draw.setdefault(coins[term.index].draw, term.index)
    variables = [term for term in terms if isinstance(term, (Input, Coin))]
    return sorted(variables, key=lambda term: (time.get(term, len(coins) if late else -1), term.index))


def _inputs_of(terms: Sequence[Term], seen: set[Term]) -> list[Input]:
    """Return the inputs below some terms that are not in ``seen``, to which they are added."""
    found, stack = [], list(terms)
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            stack.extend(children(term))
            if isinstance(term, Input):
                found.append(term)
    return found


def interleaved_order(roots: Sequence[Term], terms: Sequence[Term], coins: Sequence[CoinVariable]) -> list[Variable]:
    """Return variables as they are met in a walk from the outputs, the coins of one draw together."""
    rows: dict[int, list[Coin]] = {}
    for term in terms:
        if isinstance(term, Coin):
            rows.setdefault(coins[term.index].draw, []).append(term)
    placed: dict[Variable, None] = {}
    seen: set[Term] = set()
    stack = list(reversed(roots))
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if isinstance(term, Input):
            placed[term] = None
        elif isinstance(term, Coin):
            placed.update(dict.fromkeys(rows[coins[term.index].draw]))
        else:
            parts = children(term)
            if isinstance(term, Apply):
                parts = tuple(sorted(parts, key=lambda part: not isinstance(part, Input)))
            stack.extend(reversed(parts))
    return list(placed)


def estimate(roots: Sequence[Term], terms: Sequence[Term], order: Sequence[Variable]) -> float:
    """Return the logarithm of the estimated sum of widths over some cuts of the order."""
    position: dict[Term, int] = {variable: place for place, variable in enumerate(order)}
    first: dict[Term, int] = {}
    last = last_positions(terms, order)
    for term in terms:
        if term in position:
            first[term] = position[term]
        else:
            first[term] = min((first[part] for part in children(term)), default=len(order))
    inner = inner_terms(terms, keep=set(roots))
    step = max(1, len(order) // _CUTS)
    found = [_width(roots, terms, inner, first, last, cut) for cut in range(step // 2, len(order), step)]
    peak = max(found, default=0.0)
    return peak + math.log(sum(math.exp(width - peak) for width in found)) if found else 0.0


def _width(
    roots: Sequence[Term],
    terms: Sequence[Term],
    inner: set[Term],
    first: dict[Term, int],
    last: dict[Term, int],
    cut: int,
) -> float:
    """Return the logarithm of the estimated number of nodes below a cut."""
    none: dict[Term, float] = {}
    known: dict[Term, dict[Term, float]] = {}
    for term in terms:
        if last[term] <= cut:
            known[term] = {term: _size(term)}
        elif first[term] > cut:
            known[term] = none
        elif isinstance(term, Ite) and last[term.test] <= cut:
            known[term] = {term: _either([known[term.then], known[term.other]])}
        elif isinstance(term, Select) and last[term.index] <= cut:
            known[term] = {term: _either([known[item] for item in term.items])}
        elif isinstance(term, Apply) and is_linear(term) and term not in inner:
            known[term] = _partial_sum(term, linear_parts(term, inner), last, known, cut)
        elif isinstance(term, Apply) and is_comparison(term) and (parts := difference(term, inner)):
            known[term] = _partial_sum(term, parts, last, known, cut, compared=True)
        elif isinstance(term, Apply) and term.operation.name in ("and", "or"):
            merged: dict[Term, float] = {term: math.log(2)} if any(last[a] <= cut for a in term.args) else {}
            for arg in term.args:
                if last[arg] > cut:
                    merged.update(known[arg])
            known[term] = merged
        else:
            merged = {}
            for part in children(term):
                merged.update(known[part])
            known[term] = merged
    alive: dict[Term, float] = {}
    for root in roots:
        if last[root] > cut:
            alive.update(known[root])
    return sum(alive.values())


def _partial_sum(
    term: Term,
    parts: Sequence[tuple[int, Term]],
    last: dict[Term, int],
    known: dict[Term, dict[Term, float]],
    cut: int,
    compared: bool = False,
) -> dict[Term, float]:
    """Estimate the values of a sum that are known above the cut: those of its parts there.

    Of a sum that is only compared, the differences count that the parts below can make up for, and two more.
    """
    above = [(factor, part) for factor, part in parts if last[part] <= cut]
    unit = math.gcd(*[factor for factor, part in above if _size(part)]) or 1
    spread, below, merged = 1.0, 2.0, {}
    for factor, part in parts:
        share = min(abs(factor) // unit, _HUGE) * (math.exp(_size(part)) - 1)
        if last[part] <= cut:
            spread += share
        else:
            below += share
            merged.update(known[part])
    if spread > 1:
        merged[term] = math.log(min(spread, below) if compared else spread)
    return merged


def _either(alternatives: Sequence[dict[Term, float]]) -> float:
    exponents = [min(sum(part.values()), 600.0) for part in alternatives]
    return math.log(sum(math.exp(exponent) for exponent in exponents)) if exponents else 0.0


def _size(term: Term) -> float:
    return _UNKNOWN if isinstance(term.values, Anything) else math.log(max(1, len(term.values)))
