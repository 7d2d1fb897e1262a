"""A bound for pairs of inputs from the terms alone, with every draw revealed; no diagram of the mechanism is needed.

Where inputs only choose which distributions are drawn from, the output is a function of the draws. By the
data-processing inequality no output tells two inputs apart better than all draws together do. Draws are independent, so
the ratio of a pair is at most the product, over the draws, of the largest ratio of the two distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.neighbors import PairAutomaton
from taut.program import Coin, Const, Input, Ite, Program, Select, Term
from taut.program.operations import typed
from taut.program.program import children, reachable
from taut.support.errors import DiagramTooLarge, TooLarge
from taut.support.exact import INFINITY
from taut.support.limits import checkpoints
from taut.synthesis.terms.chosen_rows import Choice, Site, Toss, worst_choice
from taut.synthesis.terms.row_quotients import Row

__all__ = ["Revealed", "revealed_draws"]


@dataclass(frozen=True)
class Revealed:
    """A number that no ratio of a related pair exceeds (INFINITY where none is found), and a pair worth looking at.

    Where the output tells what was drawn, the largest ratio of that pair is that number.
    """

    limit: Any
    worst: Choice | None = None


def revealed_draws(program: Program, automaton: PairAutomaton) -> Revealed:
    """Derive facts about related pairs from the distributions that they draw from.

    Raises
    ------
    OutOfTime, OutOfMemory
        A limit in force was passed.
    """
    sites = None if program.conditioned or not program.exact else _sites(program)
    if sites is None:
        return Revealed(INFINITY)
    adaptive = [site for site in sites if any(isinstance(term, Coin) for term in reachable(_controls(site.term)))]
    plain = [site for site in sites if not any(site is other for other in adaptive)]
    bound: Any = Fraction(1)
    for site in adaptive:  # what was drawn before may choose any row, for either input
        bound = _times(bound, _largest(site))
    if bound == INFINITY or not plain:
        return Revealed(bound)
    try:
        worst = worst_choice(program, plain, automaton)
        return Revealed(INFINITY) if worst is None else Revealed(bound * worst.product, worst)
    except TooLarge as error:
        if type(error) not in (TooLarge, DiagramTooLarge):
            raise
    for site in plain:
        bound = _times(bound, _largest(site))
    return Revealed(bound)


def _sites(program: Program) -> list[Site] | None:
    """All places at which something is drawn; None if inputs matter elsewhere, or draws share a coin."""
    drawn = _drawn(program.output)
    sites: list[Site] = []
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
        if isinstance(term, Coin):
            coins = [term.index]
        elif term in drawn:
            sites.append(_site(program, term))
            coins = [leaf.index for _, leaf in sites[-1].leaves if isinstance(leaf, Toss)]
            stack.extend(part for part in reachable(_controls(term)) if isinstance(part, Coin))
        else:
            stack.extend(children(term))
        if not used.isdisjoint(coins):
            return None
        used.update(coins)
    return sites


def _drawn(output: Term) -> set[Term]:
    """The terms that conditions and selections make of coins and constants, with at least one coin."""
    fixed: set[Term] = set()
    drawn: set[Term] = set()
    for term in reachable([output]):
        if isinstance(term, Const):
            fixed.add(term)
        elif isinstance(term, Coin):
            drawn.add(term)
        elif isinstance(term, (Ite, Select)):
            branches = (term.then, term.other) if isinstance(term, Ite) else term.items
            if all(branch in fixed or branch in drawn for branch in branches):
                (drawn if any(branch in drawn for branch in branches) else fixed).add(term)
    return drawn


def _site(program: Program, term: Term) -> Site:
    """The draw that a term is."""
    numbers: dict[Any, int] = {}
    rows: list[Row] = []
    for leaf in _branches(term):
        if isinstance(leaf, Coin):
            coin = program.coins[leaf.index]
            numbers[typed(Toss(leaf.index))] = len(rows)
            rows.append((coin.outcomes, coin.weights))
        elif isinstance(leaf, Const):
            numbers[typed(leaf.value)] = len(rows)
            rows.append(((leaf.value,), (Fraction(1),)))
    return Site(term, numbers, rows)


def _branches(term: Term) -> list[Term]:
    """A term, and all that nested conditions and selections in it lead to, each once: branches share their parts."""
    found, stack = {term: None}, [term]
    while stack:
        part = stack.pop()
        more: Sequence[Term] = ()
        if isinstance(part, Ite):
            more = (part.then, part.other)
        elif isinstance(part, Select):
            more = part.items
        stack += [child for child in dict.fromkeys(more) if child not in found]
        found.update(dict.fromkeys(more))
    return list(found)


def _controls(term: Term) -> list[Term]:
    """Return the terms that decide which branch a term is."""
    parts = _branches(term)
    return [part.test for part in parts if isinstance(part, Ite)] + [
        part.index for part in parts if isinstance(part, Select)
    ]


def _largest(site: Site) -> Any:
    """A number that no ratio of an outcome's probabilities in two rows exceeds."""
    least: dict[Any, Fraction] = {}
    most: dict[Any, Fraction] = {}
    for number, row in enumerate(site.rows):
        weights = {typed(outcome): weight for outcome, weight in zip(*row, strict=True) if weight}
        if number and weights.keys() != least.keys():
            return INFINITY
        for y, weight in checkpoints(weights.items()):
            least[y], most[y] = min(weight, least.get(y, weight)), max(weight, most.get(y, weight))
    return max(most[y] / least[y] for y in checkpoints(least))


def _times(one: Any, other: Any) -> Any:
    return INFINITY if INFINITY in (one, other) else one * other
