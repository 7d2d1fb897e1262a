"""The model that users hold: inference, and the bounds of privacy and accuracy with their worst cases."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from taut.bounds import (
    AccuracyBound,
    AccuracyWitness,
    InputClass,
    Interval,
    PrivacyBound,
    RatioClass,
    Witness,
    exhaustive_accuracy,
    exhaustive_privacy,
    gave_up,
    input_classes,
    privacy_from_triples,
    ratio_classes,
    reason,
    searched_accuracy,
    searched_privacy,
)
from taut.errors import InvalidInput, InvalidSet, TooLarge
from taut.frontend.python import Reading
from taut.frontend.python.validation import FunctionReplay, Goal, Validation
from taut.infer import ProbabilityMatrix
from taut.infer.channel import Channel
from taut.ir import Program, replay
from taut.model.predicates import read_predicate
from taut.model.symmetries import SymmetricModel, classes_of_inputs, restricted_by
from taut.neighbors import Entrywise, Neighbors, neighbors_of
from taut.numbers import number, quotient
from taut.symmetry import AccuracySet, IdentityTest, InferenceSet, PrivacySet, SymmetryGroup

__all__ = ["Model"]

_MOST_INPUTS = 1 << 24
_METHODS = ("auto", "search", "exhaustive", "restricted")


class Model(SymmetricModel):
    """A mechanism on a domain, with its bounds."""

    validation: Validation = Validation(reason="there is no Python function to compare with")
    """How the reading was compared with the function when the model was made."""
    function: FunctionReplay | None = None
    """The function that the model was read from, to replay witnesses with."""

    def __init__(self, program: Program, reading: Reading | None = None) -> None:
        super().__init__(program)
        self._reading = reading

    # -- privacy -------------------------------------------------------------------------------------------------

    def privacy(
        self,
        neighbors: Any = "one_differ",
        method: str = "auto",
        inference_set: InferenceSet | Iterable[Any] | None = None,
        privacy_set: PrivacySet | Iterable[Any] | None = None,
        time_limit: float | None = None,
        progress: Callable[[Interval], None] | None = None,
    ) -> PrivacyBound:
        """The smallest e^epsilon for which the mechanism is epsilon-differentially private, with a worst case.

        ``method`` is 'search' (no enumeration), 'exhaustive' (all inputs, neighbours and outputs), or 'restricted' to
        the given sets, whose obligations are checked, without sets to those that follow from the symmetries of the
        mechanism; 'auto' takes 'restricted' if sets are given, 'exhaustive' where there is little to look at, else
        'search', and if that is too large what the symmetries leave; ``stats["why"]`` says why. The result's
        ``method`` is what was really done.

        A search that is out of time (``time_limit``, in seconds, compilation included), out of room
        (``max_beliefs``) or interrupted by Ctrl-C returns the certified interval that it has reached. ``progress`` is
        called with the interval as it closes.

        Raises:
            NoNeighbors: the relation relates no two inputs of the domain.
            InvalidSet: a pair that is needed is not in the inference set, or a triple is not of neighbours.
            TooLarge: there are too many inputs to look at all of them.
        """
        start = time.perf_counter()
        relation = neighbors_of(neighbors)
        given = inference_set is not None or privacy_set is not None
        chosen = self._method(method, given, time_limit)
        if chosen == "restricted":
            if given:
                found = self._restricted_privacy(relation, inference_set, privacy_set)
            else:
                found = self._symmetric_privacy(relation)
            return replace(found, replay=self._replay_ratio)
        channel = self.channel()
        built = {"build_seconds": round(time.perf_counter() - start, 6)}
        way, why = (chosen, "") if chosen != "auto" else reason(channel, relation, orbits=None, failed=None)
        bound: PrivacyBound | None = None

        def search() -> PrivacyBound | None:
            readable = read_predicate(relation, self.program, self.options)
            return searched_privacy(channel, readable, _deadline(start, time_limit), progress)

        if way == "search":
            bound = search()
            if chosen == "auto" and (bound is None or gave_up(bound)):
                failed = "cannot read the relation" if bound is None else f"passed {bound.stats['stopped']}"
                way, why = reason(channel, relation, orbits=self._orbits(relation), failed=failed)
        if bound is None or way != "search":
            try:
                other = self._symmetric_privacy(relation) if way == "restricted" else None
                bound = other or exhaustive_privacy(channel, relation)
            except TooLarge:
                bound = bound or (search() if chosen == "auto" else None)
                if bound is None:
                    raise
        stats = {**bound.stats, **built, **({"why": why} if why else {})}
        return replace(bound, replay=self._replay_ratio, stats=stats)

    def ratio_classes(self, neighbors: Any = "one_differ") -> list[RatioClass]:
        """All different quotients P(A(x)=y) / P(A(x')=y) over related pairs, the largest first, with their counts."""
        return self._ratio_classes(neighbors_of(neighbors))

    def worst_pairs(self, top: int = 4, neighbors: Any = "one_differ") -> list[RatioClass]:
        """The largest different quotients, each with a witness and the number of ordered triples that attain it."""
        return self._ratio_classes(neighbors_of(neighbors), _top(top))

    def _ratio_classes(self, relation: Neighbors, top: int | None = None) -> list[RatioClass]:
        channel = self.channel()
        if self._prefers_orbits(relation, channel):
            return self._orbit_ratios(relation, top)
        return ratio_classes(channel, relation, top)

    def _restricted_privacy(self, relation: Any, inference_set: Any, privacy_set: Any) -> PrivacyBound:
        if privacy_set is None:
            raise InvalidSet("method='restricted' needs privacy_set=, triples (x, x', y).", value=None)
        triples = privacy_set if isinstance(privacy_set, PrivacySet) else PrivacySet(privacy_set)
        triples.require_related(self._related(relation), relation.name)
        pairs = _inference_set(inference_set, triples.pairs)
        pairs.require(triples.pairs, "the privacy set")
        start = time.perf_counter()
        nodes = self.size
        built = time.perf_counter()
        matrix = self.inference(pairs)
        stats = {
            "nodes": nodes,
            "probabilities": len(matrix),
            "build_seconds": round(built - start, 6),
            "inference_seconds": round(time.perf_counter() - built, 6),
        }
        return privacy_from_triples(matrix, triples.items, "restricted", stats)

    def _replay_ratio(self, case: Witness) -> tuple[Any, str]:
        p, method = self._replay(case.x, case.y)
        q, other = self._replay(case.x_prime, case.y)
        return quotient(p, q), method if method == other else f"{method}, {other}"

    def _replay(self, x: Any, y: Any) -> tuple[Any, str]:
        """P(A(x) = y) without any diagram: by the function itself where there is one, else from the terms."""
        return replay(self.program, x, y) if self.function is None else self.function.probability(x, y)

    # -- accuracy ------------------------------------------------------------------------------------------------

    def accuracy(
        self,
        target: Any,
        alpha: Any,
        *,
        distance: Any = None,
        method: str = "auto",
        accuracy_set: AccuracySet | Iterable[Any] | None = None,
        inference_set: InferenceSet | Iterable[Any] | None = None,
        time_limit: float | None = None,
        progress: Callable[[Interval], None] | None = None,
        best: bool = False,
    ) -> AccuracyBound:
        """The smallest probability, over all inputs x, that the output is within alpha of target(x), with a worst x.

        ``target`` is a function of the database (or a mapping from inputs to values), ``distance`` a function of the
        output and the target's value: by default their absolute difference. alpha itself still counts as close.
        ``best`` asks for the largest probability instead: the best case. The other arguments are as for ``privacy``.
        """
        start = time.perf_counter()
        reach = self._alpha(alpha)
        given = accuracy_set is not None or inference_set is not None
        chosen = self._method(method, given, time_limit)
        event = functools.cache(lambda: self._event(target, reach, distance))

        def replayed(case: AccuracyWitness) -> tuple[Any, str]:
            if self.function is None:
                return replay(event(), case.x, True)
            return self.function.closeness(case.x, Goal(target, distance, reach), event)

        if chosen == "restricted":
            if best:
                raise InvalidInput("method='restricted' is for the worst case; leave best out.", value=best)
            if not given:
                bound = self._symmetric_accuracy(target, alpha, distance)
                return replace(bound, replay=replayed)
            bound = self._restricted_accuracy(target, alpha, reach, distance, accuracy_set, inference_set)
            return replace(bound, replay=replayed)
        channel = self._event_channel(target, reach, distance)
        built = {"build_seconds": round(time.perf_counter() - start, 6)}
        way, why = (chosen, "") if chosen != "auto" else reason(channel, None, orbits=None, failed=None)
        found: AccuracyBound | None = None
        if way == "search":
            found = searched_accuracy(channel, alpha, _deadline(start, time_limit), progress, best=best)
            if chosen == "auto" and gave_up(found):
                way, why = reason(channel, None, orbits=None, failed=f"passed {found.stats['stopped']}")
        if found is None or way == "exhaustive":
            try:
                found = exhaustive_accuracy(channel, alpha, best=best)
            except TooLarge:
                if found is None and chosen != "auto":
                    raise
                deadline = _deadline(start, time_limit)
                found = found or searched_accuracy(channel, alpha, deadline, progress, best=best)
        stats = {**found.stats, **built, **({"why": why} if why else {})}
        return replace(found, replay=replayed, stats=stats)

    def accuracy_set(self, target: Any, *, distance: Any = None) -> AccuracySet:
        """Inputs, one for each orbit of the symmetries that the target shares: every input is as accurate as one of
        them, whatever alpha."""
        return self._accuracy_group(target, distance).input_set()

    def _accuracy_group(self, target: Any, distance: Any) -> SymmetryGroup:
        """Symmetries of the inputs under which the distance to the target keeps its distribution.

        Where the symmetries of the mechanism leave the outputs alone, the target must share them. Otherwise, or if it
        does not, those of the distance itself are found.
        """
        if self._reading is None:
            raise InvalidInput(
                "accuracy is for mechanisms with inputs, not for formulas or fixed inputs.", value=target
            )
        group = self.symmetries()
        used = [p for one in group.classes for p in (*one.swaps, *one.local) if p.inputs]
        if not any(p.outputs for p in used):
            test = IdentityTest(self._derived(self._reading.aim(target)).relation)
            verdicts = [test.check(p) for p in used]
            if all(verdicts):
                exact = group.exact and all(verdict.exact for verdict in verdicts)
                return replace(group, exact=exact, error=group.error + sum(verdict.error for verdict in verdicts))
        return self._derived(self._reading.gap(target, distance)).symmetries().without(lambda p: bool(p.outputs))

    def _symmetric_accuracy(self, target: Any, alpha: Any, distance: Any) -> AccuracyBound:
        """The bound from one input of each orbit, with the number of inputs that attain it."""
        start = time.perf_counter()
        group = self._accuracy_group(target, distance)
        found = time.perf_counter()
        worst = self._orbit_inputs(group, target, alpha, distance)[0]
        stats = {
            "nodes": self.size,
            "inputs": group.input_orbits().count,
            "symmetries": group.method,
            "build_seconds": round(found - start, 6),
            "inference_seconds": round(time.perf_counter() - found, 6),
        }
        method = restricted_by(group)
        return AccuracyBound(worst.value, worst.value, method, stats, worst.count, alpha=alpha, witness=worst.witness)

    def _orbit_inputs(self, group: SymmetryGroup, target: Any, alpha: Any, distance: Any) -> list[InputClass]:
        """All different accuracies with their counts, from one input of each orbit."""
        self._bounded(group.input_orbits().count, "inputs")
        weighted = list(group.inputs())
        return classes_of_inputs(weighted, self.accuracies([x for x, _ in weighted], target, alpha, distance=distance))

    def _derived(self, program: Program) -> Model:
        model = Model(program)
        model._settings = self._settings
        return model

    def accuracies(self, inputs: Iterable[Any], target: Any, alpha: Any, *, distance: Any = None) -> dict[Any, Any]:
        """P(distance(output, target(x)) <= alpha) for given inputs."""
        asked = list(inputs)
        model = self._derived(self._event(target, self._alpha(alpha), distance))
        matrix = model.inference([(x, True) for x in asked])
        return {x: matrix[x, True] for x in asked}

    def input_classes(self, target: Any, alpha: Any, *, distance: Any = None) -> list[InputClass]:
        """All different accuracies over all inputs, the lowest first, with their counts."""
        reach = self._alpha(alpha)
        if self._reading is not None and self.program.size > _MOST_INPUTS:
            return self._orbit_inputs(self._accuracy_group(target, distance), target, alpha, distance)
        return input_classes(self._event_channel(target, reach, distance))

    def worst_inputs(self, target: Any, alpha: Any, top: int = 4, *, distance: Any = None) -> list[InputClass]:
        """The lowest different 1 - beta, each with a witness and the number of inputs that share it."""
        return self.input_classes(target, alpha, distance=distance)[: _top(top)]

    def _restricted_accuracy(
        self, target: Any, alpha: Any, reach: Any, distance: Any, accuracy_set: Any, inference_set: Any
    ) -> AccuracyBound:
        if accuracy_set is None:
            raise InvalidSet("an inference set for accuracy needs accuracy_set=, inputs x, too.", value=None)
        inputs = accuracy_set if isinstance(accuracy_set, AccuracySet) else AccuracySet(accuracy_set)
        if not len(inputs):
            raise InvalidSet("the accuracy set is empty.", value=accuracy_set)
        start = time.perf_counter()
        needed = self._close_outputs(inputs, target, reach, distance)
        pairs = _inference_set(inference_set, [(x, y) for x, outputs in needed.items() for y in outputs])
        pairs.require([(x, y) for x, outputs in needed.items() for y in outputs], "the accuracy set")
        nodes = self.size
        built = time.perf_counter()
        matrix: ProbabilityMatrix = self.inference(pairs)
        inferred = time.perf_counter()
        sums = {x: sum((matrix[x, y] for y in outputs), start=_zero(matrix)) for x, outputs in needed.items()}
        worst = min(sums, key=lambda x: float(sums[x]) if not self.exact else sums[x])
        stats = {
            "nodes": nodes,
            "inputs": len(inputs),
            "probabilities": len(matrix),
            "build_seconds": round(built - start, 6),
            "inference_seconds": round(inferred - built, 6),
            "synthesis_seconds": round(time.perf_counter() - inferred, 6),
        }
        value = sums[worst]
        return AccuracyBound(value, value, "restricted", stats, None, alpha=alpha, witness=AccuracyWitness(worst))

    def _close_outputs(self, inputs: AccuracySet, target: Any, reach: Any, distance: Any) -> dict[Any, list[Any]]:
        """For each input the possible outputs that are close to its target."""
        possible = self._outputs()
        found = {}
        for x in inputs:
            self.program.entries(x)
            if isinstance(target, Mapping) and x not in target:
                raise InvalidInput(f"the target gives no value for the input {x!r}.", value=x)
            aim = target[x] if isinstance(target, Mapping) else target(x)
            try:
                found[x] = [y for y in possible if (abs(y - aim) if distance is None else distance(y, aim)) <= reach]
            except TypeError as problem:
                raise InvalidInput(
                    f"the outputs cannot be compared with the target {aim!r} of x={x!r} ({problem}); give distance=.",
                    value=aim,
                ) from None
        return found

    def _outputs(self) -> list[Any]:
        """All outputs that the mechanism can give on some input, as far as its output variables tell."""
        if len(self.relation.outputs) != 1:
            raise InvalidInput("restricted accuracy needs a mechanism with a single output value.", value=self.name)
        return [self.relation.decode([place]) for place in range(len(self.relation.outputs[0].values))]

    def _related(self, relation: Neighbors) -> Callable[[Any, Any], bool]:
        """The relation on inputs of this model, entry by entry where it is one of entries."""
        if isinstance(relation, Entrywise):
            return lambda x, other: relation.related_entries(self.program.entries(x), self.program.entries(other))
        return relation.related

    # -- inside --------------------------------------------------------------------------------------------------

    def channel(self) -> Channel:
        """The mechanism as bounds see it."""
        return Channel(
            name=self.name,
            relation=self.relation,
            database=self._database,
            entries=self.program.entries,
            probabilities=self._probabilities,
            conditioned=self._conditioned,
            max_beliefs=self.options.max_beliefs,
        )

    def _event(self, target: Any, reach: Any, distance: Any) -> Program:
        if self._reading is None:
            raise InvalidInput(
                "accuracy is for mechanisms with inputs, not for formulas or fixed inputs.", value=target
            )
        return self._reading.event(target, distance, reach)

    def _event_channel(self, target: Any, reach: Any, distance: Any) -> Channel:
        return self._derived(self._event(target, reach, distance)).channel()

    def _alpha(self, alpha: Any) -> Any:
        reach = number(alpha, "alpha")
        if reach < 0:
            raise InvalidInput(f"alpha must not be negative; got {alpha!r}.", value=alpha)
        return reach

    def _method(self, method: str, sets_given: bool, time_limit: Any) -> str:
        if method not in _METHODS:
            raise InvalidInput(f"method={method!r}: there are {', '.join(_METHODS)}.", value=method)
        if time_limit is not None and not (
            isinstance(time_limit, (int, float)) and not isinstance(time_limit, bool) and time_limit > 0
        ):
            raise InvalidInput(
                f"time_limit must be a positive number of seconds; got {time_limit!r}.", value=time_limit
            )
        if sets_given and method not in ("auto", "restricted"):
            raise InvalidInput(f"method={method!r} takes no sets; leave them out.", value=method)
        chosen = "restricted" if sets_given else method
        if time_limit is not None and chosen in ("exhaustive", "restricted"):
            raise InvalidInput(
                f"method={chosen!r} has no interval to stop with; time_limit is for method='search'.", value=time_limit
            )
        return chosen


def _deadline(start: float, time_limit: float | None) -> float | None:
    return None if time_limit is None else start + time_limit


def _inference_set(given: Any, needed: Iterable[tuple[Any, Any]]) -> InferenceSet:
    if given is None:
        return InferenceSet(needed)
    return given if isinstance(given, InferenceSet) else InferenceSet(given)


def _zero(matrix: ProbabilityMatrix) -> Any:
    return next(iter(matrix.values())) * 0 if len(matrix) else Fraction(0)


def _top(top: Any) -> int:
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise InvalidInput(f"top must be a whole number of at least 1; got {top!r}.", value=top)
    return top
