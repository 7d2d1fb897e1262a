"""Privacy from the terms alone: what can be said with every draw revealed, before or instead of compiling."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from operator import itemgetter

from taut.program import Program
from taut.program.enumerator import evaluate
from taut.program.replay import replay
from taut.questions.bound import Bound
from taut.questions.privacy import LargestRatio
from taut.support.errors import InvalidInput, OutOfMemory, OutOfTime, TautError, TooLarge
from taut.support.exact import INFINITY, large
from taut.support.limits import limits
from taut.synthesis.facts import Attained, Fact, Limit
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.terms.revealed_draws import Revealed, revealed_draws

__all__ = ["ByTerms"]

_MOST = 10.0
"""Seconds of work on facts."""
_OUTCOMES = 1 << 12
"""Outputs of the one pair of inputs that may settle a bound."""


class ByTerms:
    """The largest ratio with every draw revealed: the answer if a pair attains it, and a fact in any case."""

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
        """The bound, where the pair that draws tell apart best attains it: then it is exact.

        Raises
        ------
        TooLarge
            The output of that pair tells less than the draws, or is not quickly known.
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
        """The ratio that no pair exceeds, and that of the pair that draws tell apart best."""
        if _program(problem) is None:
            return
        with contextlib.suppress(TautError), limits(cpu_seconds=_MOST):
            limit = _revealed(problem).limit
            yield Limit(limit, _NO_BOUND if limit == INFINITY else _REVEALED)
            attained = None if limit == INFINITY else _attained(problem)
            if attained is not None:
                yield attained


def _program(problem: Problem) -> Program | None:
    """The terms of a problem that asks for the largest ratio; None where it asks for something else."""
    program = problem.program
    served = program is not None and program.inputs and problem.neighbors is not None
    return program if served and type(problem.measure) is LargestRatio else None


def _revealed(problem: Problem) -> Revealed:
    """A number that no ratio exceeds, and a pair that draws tell apart as well as that."""
    program = _program(problem)
    assert program is not None
    key = ("revealed draws", problem.neighbors)
    return problem.known.once(key, lambda: revealed_draws(program, problem.automaton))


def _attained(problem: Problem) -> Attained | None:
    """The largest ratio of that pair; None if it is not quickly known."""
    return problem.known.once(("revealed draws, attained", problem.neighbors), lambda: _of_pair(problem))


def _of_pair(problem: Problem) -> Attained | None:
    """The same; where outputs are too many to list, it is that of the output behind the draws that tell most."""
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
