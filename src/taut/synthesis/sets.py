"""Sets of cases: given by the user, those of the paper, and bounds over them."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.program.domains import as_tuples
from taut.questions.bound import Bound
from taut.questions.measure import OutputMeasure
from taut.questions.text import shown
from taut.support.errors import InvalidSet, NoNeighbors, TautError
from taut.support.exact import may_be_equal, quotient, surely_above
from taut.support.limits import checkpoints
from taut.synthesis.problem import Budget, Problem

__all__ = [
    "AccuracySet",
    "BySets",
    "InferenceSet",
    "PrivacySet",
    "SetCheck",
    "rr_count_accuracy_set",
    "rr_count_inference_set",
    "rr_inference_set",
    "rr_privacy_set",
    "rr_single_input_set",
]


@dataclass(frozen=True)
class SetCheck:
    """The outcome of checking a set of cases; true if the set covers all cases.

    ``problem`` says what is wrong with it; ``uncovered`` is a triple or an input that it lacks, or one of its own that
    is not allowed.
    """

    valid: bool
    problem: str = ""
    uncovered: Any = None

    def __bool__(self) -> bool:
        return self.valid


class _Set:
    """A finite set of cases, in the order given, without repetitions.

    Parameters
    ----------
    items : iterable
        The cases; lists count as tuples.

    Raises
    ------
    InvalidSet
        If an item does not have the parts that a case of this kind has.
    """

    width: int
    what: str

    def __init__(self, items: Iterable[Any]) -> None:
        rows = []
        if not isinstance(items, Iterable):
            raise InvalidSet(f"{type(self).__name__}: expected {self.what}; got {items!r}.", value=items)
        for item in items:
            row = as_tuples(item)
            if self.width and (not isinstance(row, tuple) or len(row) != self.width):
                raise InvalidSet(f"{type(self).__name__}: expected {self.what}; got {item!r}.", value=item)
            rows.append(row)
        self.items = tuple(dict.fromkeys(rows))
        self._known = frozenset(self.items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return as_tuples(item) in self._known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Set) and type(self) is type(other) and self._known == other._known

    def __hash__(self) -> int:
        return hash((type(self), self._known))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} items)"


class InferenceSet(_Set):
    """Pairs (x, y) whose probabilities P(A(x) = y) are computed."""

    width, what = 2, "pairs (x, y)"

    def require(self, pairs: Iterable[tuple[Any, Any]], why: str) -> None:
        """Check obligation 2: every pair that is needed is in the set; name the first that is not."""
        for pair in pairs:
            if as_tuples(pair) not in self._known:
                x, y = pair
                raise InvalidSet(f"the inference set lacks the pair (x={x!r}, y={y!r}), which {why} needs.", value=pair)


class PrivacySet(_Set):
    """Triples (x, x', y) whose ratios P(A(x) = y) / P(A(x') = y) are compared.

    The set is valid if the ratio of every triple of neighbours is that of one of its triples.

    Examples
    --------
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> model = randomized_response(bits(1), lam="1/5")
    >>> check = PrivacySet([((0,), (1,), (0,))]).verify(model)
    >>> check.valid, check.uncovered
    (False, ((0,), (1,), (1,)))
    """

    width, what = 3, "triples (x, x', y)"

    @property
    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """The pairs whose probabilities the triples need."""
        for x, x_prime, y in self.items:
            yield x, y
            yield x_prime, y

    def require_related(self, related: Callable[[Any, Any], bool], name: str) -> None:
        """Refuse a triple whose inputs are not neighbours."""
        for triple in self.items:
            if not related(triple[0], triple[1]):
                raise InvalidSet(
                    f"the privacy set holds {triple!r}, whose inputs are not neighbours (neighbors='{name}').",
                    value=triple,
                )

    def verify(self, model: Any, neighbors: Any = None) -> SetCheck:
        """Check obligation 1, coverage: every ratio of a triple of neighbours occurs among those of the set.

        Parameters
        ----------
        model : Model
            The mechanism; all of its triples are looked at, or one per orbit.
        neighbors
            The neighbour relation; left out, the one that the mechanism declares.

        Returns
        -------
        SetCheck
            With the triple that the set misses, or with its own triple whose inputs are not neighbours.
        """
        relation = model.neighbors(neighbors)
        try:
            self.require_related(relation.related(model.space), relation.name)
        except InvalidSet as problem:
            return SetCheck(False, str(problem), problem.value)
        matrix = model.inference(self.pairs)
        covered = {quotient(matrix[x, y], matrix[x_prime, y]) for x, x_prime, y in self.items}
        for one in model.ratio_classes(neighbors):
            if not _covered(one.value, covered):
                triple = (one.witness.x, one.witness.x_prime, one.witness.y)
                return SetCheck(False, f"no triple of the set has the ratio {one.value}, as {triple} has.", triple)
        return SetCheck(True)


class AccuracySet(_Set):
    """Inputs on which accuracy is computed; valid if every input is exactly as accurate as one of them."""

    width, what = 0, "inputs x"

    def verify(self, model: Any, target: Any, alpha: Any, distance: Any = None) -> SetCheck:
        """Check obligation 1, coverage: every input is exactly as accurate as one of the set.

        Parameters
        ----------
        model : Model
            The mechanism.
        target, alpha, distance
            The event of being close, as for ``model.accuracy``.

        Returns
        -------
        SetCheck
            With an input that is not as accurate as any of the set.
        """
        covered = set(model.accuracies(self.items, target, alpha, distance=distance).values())
        for one in model.input_classes(target, alpha, distance=distance):
            if not _covered(one.value, covered):
                x = one.witness.x
                return SetCheck(False, f"no input of the set has 1-beta = {one.value}, as x={x!r} has.", x)
        return SetCheck(True)


def _covered(value: Any, among: set[Any]) -> bool:
    return value in among or any(may_be_equal(value, other) for other in among)


def rr_inference_set(n: int) -> InferenceSet:
    """Return all inputs 1..10..0 with the output 0..0: one pair for each number of flips."""
    return InferenceSet((_ones(i, n), _ones(0, n)) for i in range(n + 1))


def rr_privacy_set(n: int) -> PrivacySet:
    """Return neighbouring inputs 1..10..0, both ways, with the output 0..0: 2n triples."""
    up = [(_ones(i, n), _ones(i + 1, n), _ones(0, n)) for i in range(n)]
    return PrivacySet([*up, *[(b, a, y) for a, b, y in up]])


def rr_single_input_set(n: int) -> InferenceSet:
    """Return the input 0..0 with all outputs: the single solver run behind the paper's restricted rows."""
    return InferenceSet((_ones(0, n), y) for y in itertools.product((0, 1), repeat=n))


def rr_count_accuracy_set(n: int) -> AccuracySet:
    """Return the inputs 1..10..0."""
    return AccuracySet(_ones(i, n) for i in range(n + 1))


def rr_count_inference_set(n: int, alpha: int) -> InferenceSet:
    """Return the inputs 1..10..0 with all counts within alpha of their number of ones."""
    return InferenceSet((_ones(i, n), j) for i in range(n + 1) for j in range(max(0, i - alpha), min(n, i + alpha) + 1))


def _ones(i: int, n: int) -> tuple[int, ...]:
    return (1,) * i + (0,) * (n - i)


@dataclass(frozen=True)
class BySets:
    """Solver for given cases: triples of a privacy set, or inputs of an accuracy set with the outputs that count.

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
        """Return the inputs of each case, one per run, and its outputs."""
        if isinstance(self.cases, PrivacySet):
            assert problem.neighbors is not None
            self.cases.require_related(problem.related, problem.neighbors.name)
            return [((x, x_prime), (y,)) for x, x_prime, y in self.cases]
        if not self.cases:
            raise InvalidSet("the accuracy set is empty.", value=self.cases)
        close = self.close or (lambda _: [True])
        return [((x,), close(x)) for x in self.cases]
