"""Bounds from the terms alone, with every draw revealed; no diagram of the mechanism is needed.

Where inputs only choose which distributions are drawn from, the output is a function of the draws. By the
data-processing inequality no output tells two inputs apart better than all draws together do. Draws are independent, so
the ratio of a pair is at most the product, over the draws, of the largest ratio of the two distributions.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Any

from taut.neighbors import PairAutomaton
from taut.program import Coin, Const, Input, Ite, Program, Select, Term
from taut.program.enumerator import evaluate
from taut.program.operations import typed
from taut.program.program import children, reachable
from taut.program.replay import replay
from taut.questions.bound import Bound
from taut.questions.privacy import LargestRatio
from taut.support.errors import DiagramTooLarge, InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge
from taut.support.exact import INFINITY, large
from taut.support.limits import checkpoints, limits
from taut.synthesis.facts import Attained, Fact, Limit
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.terms.chosen_rows import Choice, Row, Site, Toss, worst_choice

__all__ = ["ByTerms", "Revealed", "revealed_draws"]


@dataclass(frozen=True)
class Revealed:
    """An upper bound of the ratios of related pairs (INFINITY if none is found), and a pair that may attain it.

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
    """Return all places at which something is drawn; None if inputs matter elsewhere, or draws share a coin."""
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
    """Return the terms that conditions and selections make of coins and constants, with at least one coin."""
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
    """Return the draw that a term is."""
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
    """Return a term, and all that nested conditions and selections in it lead to, each once: branches share their
    parts.
    """
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
    """Return a number that no ratio of an outcome's probabilities in two rows exceeds."""
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


_MOST = 10.0
"""Limit for the seconds of work on facts."""
_OUTCOMES = 1 << 12
"""Limit for the outputs of the one pair of inputs that may settle a bound."""


class ByTerms:
    """The largest ratio with every draw revealed: the answer if a pair attains it, else an upper bound."""

    name = "terms"
    needs_channel = False

    def refuses(self, problem: Problem) -> TautError | None:
        if _program(problem) is not None:
            return None
        return InvalidInput(
            "method='terms' looks at the draws of a mechanism, for the largest quotient.", value=problem
        )

    def cost(self, problem: Problem) -> int | None:
        return None

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """Return the exact bound if the pair whose draws differ most attains it.

        Raises
        ------
        TooLarge
            The output of that pair reveals less than the draws, or takes long to compute.
        """
        start, program, measure = time.perf_counter(), _program(problem), problem.measure
        assert program is not None
        limit, attained = _revealed(problem).limit, _attained(problem)
        if attained is None or attained.value != limit:
            raise TooLarge(f"'{program.name}': the output tells less than the draws, or how much is not known.")
        why = (
            f"there are {large(problem.automaton.count_pairs())} related pairs; none has a larger ratio even if all "
            "draws are revealed, and the output of this pair attains that ratio"
        )
        stats = {"inputs": program.size, "why": why, "inference_seconds": round(time.perf_counter() - start, 6)}
        return measure.bound(limit, limit, method=self.name, stats=stats, witness=attained.witness)

    def facts(self, problem: Problem) -> Iterator[Fact]:
        """Yield the ratio that no pair exceeds, and the ratio of the pair whose draws differ most."""
        if _program(problem) is None:
            return
        with contextlib.suppress(TautError), limits(cpu_seconds=_MOST):
            limit = _revealed(problem).limit
            yield Limit(limit, _NO_BOUND if limit == INFINITY else _REVEALED)
            attained = None if limit == INFINITY else _attained(problem)
            if attained is not None:
                yield attained


def _program(problem: Problem) -> Program | None:
    """Return the terms of a problem that asks for the largest ratio; None where it asks for something else."""
    program = problem.program
    served = program is not None and program.inputs and problem.neighbors is not None
    return program if served and type(problem.measure) is LargestRatio else None


def _revealed(problem: Problem) -> Revealed:
    """Return an upper bound of all ratios, and the pair whose draws have that ratio."""
    program = _program(problem)
    assert program is not None
    key = ("revealed draws", problem.neighbors)
    return problem.known.once(key, lambda: revealed_draws(program, problem.automaton))


def _attained(problem: Problem) -> Attained | None:
    """Return the largest ratio of that pair's outputs; None if it takes long to compute."""
    return problem.known.once(("revealed draws, attained", problem.neighbors), lambda: _of_pair(problem))


def _of_pair(problem: Problem) -> Attained | None:
    """Compute the largest ratio of that pair; of too many outputs, that of the most revealing draws."""
    program, worst = _program(problem), _revealed(problem).worst
    if program is None or worst is None:
        return None
    x, x_prime = (problem.space.at(positions) for positions in worst.pair)
    try:
        own, other = (problem.distribution(one, _OUTCOMES) for one in (x, x_prime))
        cases = [(y, mass, other.get(y, 0)) for y, mass in own.items()]
    except (OutOfTime, OutOfMemory):
        raise
    except TooLarge:
        likely = [max(zip(coin.weights, coin.outcomes, strict=True), key=itemgetter(0))[1] for coin in program.coins]
        y = evaluate(program.output, program.entries(x), {**dict(enumerate(likely)), **worst.drawn})
        cases = [(y, *[replay(program, one, y)[0] for one in (x, x_prime)])]
    value, y = max([(LargestRatio().value(own, other), y) for y, own, other in cases], key=itemgetter(0))
    return Attained(value, problem.measure.witness([x, x_prime], y))


_REVEALED = "the upper end is that of a mechanism that reveals every draw"
_NO_BOUND = (
    "no upper end follows from the draws either, because the output depends on inputs in other ways than by what is "
    "drawn from, or because a draw can rule an input out"
)
