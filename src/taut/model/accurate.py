"""Questions about a target: how surely the output is close to it, and how far off it is, on the worst input."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, cast

from taut.errors import InvalidInput, InvalidSet, TautError
from taut.frontend.python.trace import Reading
from taut.frontend.python.validation import Goal
from taut.ir import Program, replay
from taut.measures import EventProbability
from taut.model.arguments import method_of, set_of, top_of
from taut.model.base import ModelBase, Progress, limited
from taut.model.closeness import close_outputs, distance_bound
from taut.model.error import DistanceError
from taut.model.misfit import misfit
from taut.model.views import view_of
from taut.options import working
from taut.results import AccuracyBound, AccuracyWitness, ClassList, InputClass, View
from taut.solvers import BySets, Problem, Solver, value_classes
from taut.solvers.sets import AccuracySet, InferenceSet

__all__ = ["AccuracyQuestions"]


class AccuracyQuestions(ModelBase):
    """What a model is asked about the distance between its output and a target."""

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
        progress: Progress | None = None,
        best: bool = False,
        executor: Executor | None = None,
    ) -> AccuracyBound:
        """The smallest probability, over all inputs x, that the output is within alpha of target(x), with a worst x.

        Parameters
        ----------
        target
            A function of the database, read like a mechanism, or a mapping from inputs to values.
        alpha
            The largest distance that still counts as close.
        distance
            A function of the output and the target's value; by default their absolute difference.
        accuracy_set, inference_set
            The inputs to look at, and the pairs (x, y) to infer.
        best
            Ask for the largest probability instead: the best case.
        method, time_limit, progress, executor
            As for ``privacy``.

        Returns
        -------
        AccuracyBound
            ``probability`` is 1 - beta; ``witness.x`` the input that attains it.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> rr_count(bits(4), lam="1/5").accuracy(sum, 1).probability
        Fraction(512, 625)
        """
        start = time.perf_counter()
        bound, sets = distance_bound(alpha), accuracy_set is not None or inference_set is not None
        solver: str | Solver = method_of(method, sets, time_limit)
        event = functools.cache(lambda: self._event(target, distance, bound))
        if solver == "restricted" and best:
            raise InvalidInput("method='restricted' is for the worst case; leave best out.", value=best)
        if sets and accuracy_set is None:
            raise InvalidSet("an inference set for accuracy needs accuracy_set=, inputs x, too.", value=None)
        measure = EventProbability(alpha, best)
        with working(self._settings, time_limit, executor):
            if sets:
                channel = self.channel()
                close = close_outputs(channel, self._require_reading(target), target, distance, bound)
                solver = BySets(set_of(AccuracySet, accuracy_set), set_of(InferenceSet, inference_set), close)
                answer = self._solved(Problem(channel, None, measure), solver, start, progress)
            else:
                derived = self._derived(event())
                answer = derived._solved(derived._problem(None, measure), solver, start, progress)

        goal = Goal(target, distance, bound)

        def replayed(witness: AccuracyWitness) -> tuple[Any, str]:
            return self._closeness(witness.x, goal, event)

        kept = functools.partial(self.save_result, goal)
        view = self._view_of_goal(target, distance)
        return cast(AccuracyBound, replace(answer, replay=self._limited(replayed), keep=kept, view=view))

    def replayed_closeness(self, x: Any, goal: Goal) -> tuple[Any, str]:
        """P(the output on x is close to its goal) without any diagram, and how."""
        return self._closeness(x, goal, lambda: self._event(goal.target, goal.distance, goal.alpha))

    @limited
    def accuracies(self, inputs: Iterable[Any], target: Any, alpha: Any, *, distance: Any = None) -> dict[Any, Any]:
        """P(distance(output, target(x)) <= alpha) for given inputs."""
        asked = list(inputs)
        model = self._derived(self._event(target, distance, distance_bound(alpha)))
        matrix = model.inference([(x, True) for x in asked])
        return {x: matrix[x, True] for x in asked}

    def input_classes(
        self, target: Any, alpha: Any, *, distance: Any = None, executor: Executor | None = None
    ) -> ClassList[InputClass]:
        """All different accuracies over all inputs, the lowest first, with their counts."""
        return self._input_classes(target, alpha, distance, None, executor)

    def worst_inputs(
        self, target: Any, alpha: Any, top: int = 4, *, distance: Any = None, executor: Executor | None = None
    ) -> ClassList[InputClass]:
        """The lowest different 1 - beta, each with a witness and the number of inputs that share it."""
        most = top_of(top)
        return ClassList(self._input_classes(target, alpha, distance, most, executor)[:most])

    def error(
        self,
        target: Any,
        *,
        distance: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> DistanceError:
        """How far the output is from target(x) on the worst input x: mean, variance, moments and quantiles.

        Parameters
        ----------
        target, distance
            As for ``accuracy``; a distance may be signed, such as ``lambda output, wanted: output - wanted``.
        method, time_limit, progress, executor
            As for ``privacy``; the limit is for each statistic.

        Returns
        -------
        DistanceError
            ``mean``, ``mean_square``, ``variance``, ``moment(order)`` and ``quantile(share)``; each a bound that is
            computed when it is asked for, with its ``value`` and ``witness.x``.

        Raises
        ------
        InvalidInput
            The distance is not a number, or the method does not serve the statistic.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import rr_count
        >>> error = rr_count(bits(4), lam="1/5").error(sum)
        >>> print(error.mean)
        mean of the distance = 4/5 = 0.8 exactly, at x=(0, 0, 0, 0); found by exhaustive
        """
        chosen = method_of(method, False, time_limit)
        return DistanceError(self, target, distance, chosen, time_limit, progress, executor)

    @limited
    def accuracy_set(self, target: Any, *, distance: Any = None) -> AccuracySet:
        """Inputs, one for each orbit of the symmetries that keep the distribution of the distance to the target.

        Every input is as accurate as one of them, whatever alpha.
        """
        gap = self._read_target(target, distance, lambda reading: reading.gap(target, distance))
        group = self._derived(gap).symmetries()
        return group.without(lambda permutation: bool(permutation.outputs)).input_set()

    # -- inside ----------------------------------------------------------------------------------------------------

    def _input_classes(
        self, target: Any, alpha: Any, distance: Any, top: int | None, executor: Executor | None
    ) -> ClassList[InputClass]:
        """The different accuracies, at least the ``top`` lowest."""
        with working(self._settings, executor=executor):
            channel = self._derived(self._event(target, distance, distance_bound(alpha))).channel()
            return ClassList(value_classes(Problem(channel, None, EventProbability(alpha)), self._budget(), top))

    def _closeness(self, x: Any, goal: Goal, event: Callable[[], Program]) -> tuple[Any, str]:
        """Evaluate one input by the function, where there is one, else by ``event``, the program read for the goal."""
        return replay(event(), x, True) if self.function is None else self.function.closeness(x, goal, event)

    def _require_reading(self, target: Any) -> Reading:
        if self._reading is None:
            raise InvalidInput(
                "accuracy is for mechanisms with inputs, not for formulas or fixed inputs.", value=target
            )
        return self._reading

    def _event(self, target: Any, distance: Any, alpha: Any) -> Program:
        """The program that returns whether the output is within alpha of the target."""
        return self._read_target(target, distance, lambda reading: reading.event(target, distance, alpha))

    def _view_of_goal(self, target: Any, distance: Any) -> View:
        """What a picture of the distance to a target is drawn from."""

        def distances(x: Any) -> Mapping[Any, Any]:
            gap = self._read_target(target, distance, lambda reading: reading.gap(target, distance))
            return view_of(self._derived(gap)).distribution(x)

        def aim(x: Any) -> Any:
            value = self._read_target(target, None, lambda reading: reading.aim(target))
            (only,) = view_of(self._derived(value)).distribution(x)
            return only

        return view_of(self, distances, aim if distance is None else None)

    def _read_target(self, target: Any, distance: Any, read: Callable[[Reading], Program]) -> Program:
        reading = self._require_reading(target)
        try:
            return read(reading)
        except TautError as problem:
            raise misfit(self.program, reading, target, distance, problem) from None
