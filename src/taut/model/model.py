"""The model that users hold: a mechanism on a domain, compiled when first needed, asked many questions."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, cast

from taut.errors import InvalidSet
from taut.frontend.python.validation import Goal
from taut.ir import Program
from taut.measures import LargestRatio
from taut.model.accurate import AccuracyQuestions
from taut.model.arguments import method_of, set_of, top_of
from taut.model.base import Progress
from taut.model.measured import PairQuestions
from taut.model.symmetric import SymmetryQuestions
from taut.model.views import view_of
from taut.numbers import quotient
from taut.options import working
from taut.results import Bound, ClassList, PrivacyBound, RatioClass, Witness
from taut.solvers import BySets, Problem, Solver, value_classes
from taut.solvers.sets import InferenceSet, PrivacySet

__all__ = ["Model"]


class Model(PairQuestions, AccuracyQuestions, SymmetryQuestions):
    """A mechanism on a domain.

    The relation is compiled when it is first needed, with the limits in force when the model was made. Questions about
    a single input are answered from a diagram for that input alone, which is much smaller; questions about many inputs
    from the one relation with inputs left free. Bounds are problems (a channel, neighbours, a measure) that are handed
    to ``solve``.

    Parameters
    ----------
    program
        What the mechanism computes.
    reading
        Where the program comes from, so that targets and distances can be read for it; without, there is no accuracy.
    neighbors
        The relation that the mechanism declares, which is meant where a question names none.
    """

    def privacy(
        self,
        neighbors: Any = None,
        method: str = "auto",
        inference_set: InferenceSet | Iterable[Any] | None = None,
        privacy_set: PrivacySet | Iterable[Any] | None = None,
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> PrivacyBound:
        """The smallest e^epsilon for which the mechanism is epsilon-differentially private, with a worst case.

        Parameters
        ----------
        neighbors
            'one_differ', 'one_step', 'all_step', 'add_remove', a predicate f(x, x_prime), or ordered pairs. Left out,
            it is the relation that the mechanism declares, else 'one_differ'; the bound's ``neighbors`` names it.
        method
            'search' (no enumeration), 'exhaustive' (all inputs, neighbours and outputs), or 'restricted' to the given
            sets, without sets to one triple of each orbit of the mechanism's symmetries. 'auto' takes 'restricted' if
            sets are given, 'exhaustive' where there is little to look at, else 'search', and if that is too large what
            the symmetries leave. The result's ``method`` is what was really done, and ``stats["why"]`` says why.
        inference_set, privacy_set
            The pairs (x, y) to infer, and the triples (x, x', y) to compare; their obligations are checked.
        time_limit
            Seconds for everything: compiling, planning, looking for symmetries, searching. What is out of time, of
            memory (``max_memory``), of room (``max_beliefs``) or interrupted by Ctrl-C returns the certified interval
            that it has reached, and ``stats`` says why it is no better.
        progress
            Called with the interval as it closes; ``bound.plot()`` then draws that too. True is for the drawing alone.
        executor
            Who does what can be done in pieces: any ``concurrent.futures.Executor``, such as ``taut.local_workers(4)``
            or Dask's ``client.get_executor()``. Left out, that of ``taut.options(executor=...)``, else this process.
            The answer is the same.

        Returns
        -------
        PrivacyBound
            ``max_ratio`` is e^epsilon: a Fraction, a Ball or INFINITY; ``witness`` the triple that attains it.

        Raises
        ------
        NoNeighbors
            The relation relates no two inputs of the domain.
        ImpossibleEvidence
            What the mechanism observes has probability 0 at some input.
        InvalidSet
            A pair that is needed is not in the inference set, a triple is not of neighbours, or all quotients of the
            privacy set are below 1, so that it lacks the worst triples.
        TooLarge
            There are too many inputs to look at all of them; OutOfTime or OutOfMemory where a limit was passed before
            anything could be said.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").privacy().max_ratio
        Fraction(4, 1)
        """
        start = time.perf_counter()
        solver: str | Solver = method_of(method, inference_set is not None or privacy_set is not None, time_limit)
        if inference_set is not None or privacy_set is not None:
            if privacy_set is None:
                raise InvalidSet("method='restricted' needs privacy_set=, triples (x, x', y).", value=None)
            solver = BySets(set_of(PrivacySet, privacy_set), set_of(InferenceSet, inference_set))
        with working(self._settings, time_limit, executor):
            problem = self._problem(self.neighbors(neighbors), LargestRatio())
            bound = self._solved(problem, solver, start, progress)
        kept = functools.partial(self.save_result, None)
        replayed = self._limited(self._replay_ratio)
        return cast(PrivacyBound, replace(bound, replay=replayed, keep=kept, view=view_of(self)))

    def ratio_classes(self, neighbors: Any = None, *, executor: Executor | None = None) -> ClassList[RatioClass]:
        """All different quotients P(A(x)=y) / P(A(x')=y) over related pairs, the largest first, with their counts."""
        return self._ratio_classes(neighbors, None, executor)

    def worst_pairs(
        self, top: int = 4, neighbors: Any = None, *, executor: Executor | None = None
    ) -> ClassList[RatioClass]:
        """The largest different quotients, each with a witness and the number of ordered triples that attain it."""
        most = top_of(top)
        return ClassList(self._ratio_classes(neighbors, most, executor)[:most])

    def save_result(self, goal: Goal | None, bound: Bound, path: Any) -> None:
        """Write a bound to a file; ``goal`` has the target of an accuracy bound."""
        from taut.model.saved import save_result  # which knows all kinds of models

        save_result(self, goal, bound, path)

    # -- inside --------------------------------------------------------------------------------------------------

    def _ratio_classes(self, neighbors: Any, top: int | None, executor: Executor | None) -> ClassList[RatioClass]:
        """The different quotients, at least the ``top`` largest."""
        with working(self._settings, executor=executor):
            problem = Problem(self.channel(), self.neighbors(neighbors), LargestRatio())
            return ClassList(value_classes(problem, self._budget(), top))

    def _replay_ratio(self, witness: Witness) -> tuple[Any, str]:
        p, method = self.replayed(witness.x, witness.y)
        q, other = self.replayed(witness.x_prime, witness.y)
        return quotient(p, q), method if method == other else f"{method}, {other}"

    def _derived(self, program: Program) -> Model:
        """A model of another program, compiled as this one is."""
        model = Model(program)
        model._settings, model._compile = self._settings, self._compile
        return model
