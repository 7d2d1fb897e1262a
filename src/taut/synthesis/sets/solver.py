"""Given cases only: the paper's algorithms on an inference set and a privacy or accuracy set, obligations checked."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.questions.bound import Bound
from taut.questions.measure import OutputMeasure
from taut.questions.text import shown
from taut.support.errors import InvalidSet, NoNeighbors, TautError
from taut.support.exact import surely_above
from taut.support.limits import checkpoints
from taut.synthesis.problem import Budget, Problem
from taut.synthesis.sets.given import AccuracySet, InferenceSet, PrivacySet

__all__ = ["BySets"]


@dataclass(frozen=True)
class BySets:
    """The worst of given cases: triples of a privacy set, or inputs of an accuracy set with the outputs that count.

    Three obligations are checked: triples are related, the inference set has every pair that is needed, and the
    largest ratio is at least 1. ``verify`` of the sets checks that they are enough. ``close`` gives the outputs that
    count at an input.
    """

    cases: PrivacySet | AccuracySet
    inference_set: InferenceSet | None = None
    close: Callable[[Any], Sequence[Any]] | None = None
    name = "restricted"
    needs_channel = True

    def refuses(self, problem: Problem) -> TautError | None:
        return problem.refused_as_sum(self.name)

    def cost(self, problem: Problem) -> int | None:
        return len(self.cases)

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        measure = problem.measure
        assert isinstance(measure, OutputMeasure)
        asked = list(self._asked(problem))
        needed = [(x, y) for inputs, outputs in asked for x in inputs for y in outputs]
        pairs = InferenceSet(needed) if self.inference_set is None else self.inference_set
        pairs.require(needed, "the privacy set" if measure.runs > 1 else "the accuracy set")
        start = time.perf_counter()
        matrix = dict(zip(pairs, problem.channel.probabilities(pairs.items), strict=True))
        inferred = time.perf_counter()
        cases = []
        for inputs, outputs in checkpoints(asked):
            masses = [sum((matrix[x, y] for y in outputs), start=problem.channel.zero) for x in inputs]
            locate = functools.partial(measure.witness, inputs, outputs[0] if outputs else None)
            cases.append((measure.value(*masses), 1, locate))
        classes = measure.classes(cases)
        if not classes:
            raise NoNeighbors("the privacy set holds no triple with a possible output.", value=self.cases)
        worst = classes[0]
        if measure.runs > 1 and surely_above(Fraction(1), worst.value) is True:
            raise InvalidSet(
                f"the privacy set lacks the worst triples: its largest ratio is {shown(worst.value)}, but every two "
                "inputs have an output whose quotient is at least 1.",
                value=self.cases,
            )
        stats = {
            "nodes": problem.channel.relation.arrays.size,
            "probabilities": len(matrix),
            measure.cases: len(asked),
            "inference_seconds": round(inferred - start, 6),
            "synthesis_seconds": round(time.perf_counter() - inferred, 6),
        }
        return measure.bound(worst.value, worst.value, method=self.name, stats=stats, witness=worst.witness)

    def _asked(self, problem: Problem) -> Iterable[tuple[Sequence[Any], Sequence[Any]]]:
        """The inputs of each case, one per run, and its outputs."""
        if isinstance(self.cases, PrivacySet):
            assert problem.neighbors is not None
            self.cases.require_related(problem.related, problem.neighbors.name)
            return [((x, x_prime), (y,)) for x, x_prime, y in self.cases]
        if not self.cases:
            raise InvalidSet("the accuracy set is empty.", value=self.cases)
        close = self.close or (lambda _: [True])
        return [((x,), close(x)) for x in self.cases]
