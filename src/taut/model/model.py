"""The model that users hold: a mechanism on a domain, compiled when first needed, asked many questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from taut.model.arguments import AskedByName, method_of, set_of, top_of
from taut.model.base import Progress, kept_whole
from taut.model.cases import PairLosses, SymmetryQuestions
from taut.model.targets import TargetDistances
from taut.model.views import view_of
from taut.program import Program, marked_by_items
from taut.questions.accuracy import Accuracy, AccuracyBound
from taut.questions.bound import Bound, View, not_answered
from taut.questions.drawn import ClassList
from taut.questions.measure import Measure
from taut.questions.pair_measure import Divergence, DivergenceBound
from taut.questions.privacy import LargestRatio, Privacy, PrivacyBound, RatioClass
from taut.questions.question import How, Question
from taut.support.options import worked
from taut.support.process import cached_property
from taut.synthesis import Problem, Solver, value_classes

if TYPE_CHECKING:
    from taut.synthesis.sets import AccuracySet, InferenceSet, PrivacySet

if TYPE_CHECKING:  # a question is loaded when it is asked
    from taut.questions.delta import DeltaBound
    from taut.questions.epsilon import EpsilonBound
    from taut.questions.error import DistanceError
    from taut.questions.privacy_profile import PrivacyProfile
    from taut.questions.renyi import RenyiBound
    from taut.questions.tradeoff import TradeoffCurve
    from taut.questions.zcdp import ZcdpBound

__all__ = ["Limits", "Model"]

B = TypeVar("B", bound=Bound)


class Limits(TypedDict, total=False):
    """The keywords that all questions share besides ``neighbors``; ``Model.ask`` says what they mean."""

    method: str
    time_limit: float | None
    progress: Progress | None
    executor: Executor | None


class LimitsOfPairs(Limits, total=False):
    """The keywords that all questions share."""

    neighbors: Any


class Model(AskedByName, PairLosses, TargetDistances, SymmetryQuestions):
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

    def ask(
        self,
        question: Question[B],
        *,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> B:
        """Return the answer to a question: a certified bound with its worst case.

        ``model.privacy()`` and the others are this with the question of that name; a question that was registered
        besides is asked in the same ways.

        Parameters
        ----------
        question
            A value of ``taut.questions``, such as ``Delta(ratio=2)``.
        neighbors
            'one_differ', 'one_step', 'all_step', 'add_remove', a predicate f(x, x_prime), or ordered pairs. Left out,
            it is the relation that the mechanism declares, else 'one_differ'; the bound's ``neighbors`` names it.
            Questions about a target have none.
        method
            'search' (no enumeration), 'exhaustive' (all inputs, neighbours and outputs; of questions about pairs all
            pairs, equal ones once), or 'restricted' to sets that are given, without sets to one case of each orbit of
            the mechanism's symmetries. 'auto' takes 'restricted' if sets are given, 'exhaustive' if there are few
            cases, else 'search', and if that is too large one case of each orbit of the symmetries. The result's
            ``method`` is what was really done, and ``stats["why"]`` says why.
        time_limit
            Seconds for everything: compiling, planning, looking for symmetries, searching. A question that runs out of
            time, memory (``max_memory``) or beliefs (``max_beliefs``), or is interrupted by Ctrl-C, returns the
            certified interval that it has reached, with the reason in ``stats``.
        progress
            Called with the interval as it closes; ``bound.plot()`` then draws that too. True is for the drawing alone.
        executor
            Executor of pieces of the work: any ``concurrent.futures.Executor``, such as ``taut.local_workers(4)`` or
            Dask's ``client.get_executor()``. Left out, that of ``taut.options(executor=...)``, else this process. The
            answer is the same.

        Raises
        ------
        NoNeighbors
            The relation relates no two inputs of the domain.
        ImpossibleEvidence
            The evidence has probability 0 at some input.
        TooLarge
            There are too many inputs to enumerate; OutOfTime or OutOfMemory where a limit was passed before any
            interval was known.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> from taut.questions.delta import Delta
        >>> randomized_response(bits(8), lam="1/5").ask(Delta(ratio=2), neighbors="one_step").delta
        Fraction(2, 5)
        """
        start = time.perf_counter()
        method_of(method, False, time_limit)
        how = How(neighbors, method, progress, start)

        def answered() -> B:
            remainder = self.remainder
            return question.with_remainder(self, how, remainder) if remainder else question.answer(self, how)

        return worked(lambda: kept_whole(self, answered), self._settings, time_limit, executor)

    def privacy(
        self,
        neighbors: Any = None,
        *,
        inference_set: InferenceSet | Iterable[Any] | None = None,
        privacy_set: PrivacySet | Iterable[Any] | None = None,
        **limits: Unpack[Limits],
    ) -> PrivacyBound:
        """Return the smallest e^epsilon for which the mechanism is epsilon-differentially private, with a worst case.

        Parameters
        ----------
        inference_set, privacy_set
            The pairs (x, y) to infer, and the triples (x, x', y) to compare; their obligations are checked.
        neighbors, **limits
            ``neighbors``, ``method``, ``time_limit``, ``progress``, ``executor``, as for ``ask``.

        Returns
        -------
        PrivacyBound
            ``max_ratio`` is e^epsilon: a Fraction, a Ball or INFINITY; ``witness`` the triple that attains it.

        Raises
        ------
        InvalidSet
            A pair that is needed is not in the inference set, a triple is not of neighbours, or all ratios of the
            privacy set are below 1, so that it lacks the worst triples.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").privacy().max_ratio
        Fraction(4, 1)
        """
        return self.ask(Privacy(inference_set=inference_set, privacy_set=privacy_set), neighbors=neighbors, **limits)

    def delta(
        self, epsilon: Any = None, *, ratio: Any = None, adaptive: bool = False, **limits: Unpack[LimitsOfPairs]
    ) -> DeltaBound:
        """Return the smallest delta for which the mechanism is (epsilon, delta)-differentially private.

        Parameters
        ----------
        epsilon
            A number of at least 0; e^epsilon is then irrational and delta a Ball.
        ratio
            e^epsilon itself, a rational number of at least 1, instead of epsilon; delta is then exact.
        **limits
            ``neighbors``, ``method``, ``time_limit``, ``progress``, ``executor``, as for ``ask``.
        adaptive
            True for an adversary who chooses the entries of x and x' one after the other, and sees before each what is
            certain about the output so far: items that are written, or that a first index has been found.

        Returns
        -------
        DeltaBound
            ``delta``; ``witness.x``, ``witness.x_prime`` and ``witness.event``, which together attain it.

        Raises
        ------
        InvalidNumber
            Epsilon is negative, or the ratio below 1.
        NoNeighbors
            The relation relates no two inputs of the domain.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam="1/5").delta(ratio=2)
        >>> bound.delta, bound.witness.x, bound.witness.x_prime, sorted(bound.witness.event)
        (Fraction(2, 5), (0, 0), (1, 0), [(0, 0), (0, 1)])
        """
        from taut.questions.delta import Delta

        return self.ask(Delta(epsilon, ratio=ratio, adaptive=adaptive), **limits)

    def epsilon(self, delta: Any, **limits: Unpack[LimitsOfPairs]) -> EpsilonBound:
        """Return the smallest e^epsilon, at least 1, for which the mechanism is (epsilon, delta)-differentially
        private.

        Parameters
        ----------
        delta
            A rational number in [0, 1].
        **limits
            ``neighbors``, ``method``, ``time_limit``, ``progress``, ``executor``, as for ``ask``.

        Returns
        -------
        EpsilonBound
            ``max_ratio`` is e^epsilon exactly (INFINITY if delta is too small for any), ``epsilon`` its logarithm,
            rounded up.

        Raises
        ------
        InvalidProbability
            Delta is outside [0, 1].

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").epsilon("0.1").max_ratio
        Fraction(7, 2)
        """
        from taut.questions.epsilon import Epsilon

        return self.ask(Epsilon(delta), **limits)

    def profile(self, neighbors: Any = None, **limits: Unpack[Limits]) -> PrivacyProfile:
        """Return delta for every epsilon at once, exactly, with the pair that is worst on each piece.

        Returns
        -------
        PrivacyProfile
            ``delta(epsilon)`` or ``delta(ratio=...)``, ``epsilon(delta)``, ``corners``, ``pieces``, ``compose(...)``,
            ``tradeoff()``, ``gaussian``.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> profile = randomized_response(bits(8), lam="1/5").profile()
        >>> profile.corners
        [(Fraction(1, 1), Fraction(3, 5)), (Fraction(4, 1), Fraction(0, 1))]
        >>> profile.compose(10).epsilon("1e-6").epsilon
        13.862934297929792
        """
        from taut.questions.profile import Profile

        return self.ask(Profile(), neighbors=neighbors, **limits)

    def renyi(self, order: Any, *, adaptive: bool = False, **limits: Unpack[LimitsOfPairs]) -> RenyiBound:
        """Return the largest Rényi moment and divergence of an order above 1; ``adaptive`` as for ``delta``.

        Returns
        -------
        RenyiBound
            ``moment``, exact for whole orders (INFINITY if only one of two neighbours has some output); ``divergence``
            rounded up.

        Raises
        ------
        InvalidNumber
            The order is not a rational number above 1.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(8), lam="1/5").renyi(2)
        >>> bound.moment, bound.divergence
        (Fraction(13, 4), 1.1786549963416462)
        """
        from taut.questions.renyi import Renyi

        return self.ask(Renyi(order, adaptive=adaptive), **limits)

    def zcdp(self, neighbors: Any = None, **limits: Unpack[Limits]) -> ZcdpBound:
        """Return the smallest rho for which the mechanism is rho-zero-concentrated differentially private, certified.

        Returns
        -------
        ZcdpBound
            ``rho``, rounded up; ``lower`` and ``upper`` differ by less than a billionth of it.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> round(randomized_response(bits(8), lam="1/5").zcdp().rho, 8)
        0.83177662
        """
        from taut.questions.zcdp import Zcdp

        return self.ask(Zcdp(), neighbors=neighbors, **limits)

    def tradeoff(self, neighbors: Any = None, **limits: Unpack[Limits]) -> TradeoffCurve:
        """Return the trade-off curve: the least error of the second kind over all pairs, for every error of the first
        kind.

        Returns
        -------
        TradeoffCurve
            Call it with alpha, a Fraction or text; ``corners``, ``convex()``.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> curve = randomized_response(bits(8), lam="1/5").tradeoff()
        >>> curve("1/5"), curve("1/10")
        (Fraction(1, 5), Fraction(3, 5))
        """
        from taut.questions.tradeoff import TradeoffOfErrors

        return self.ask(TradeoffOfErrors(), neighbors=neighbors, **limits)

    def divergence(
        self, measure: Divergence, *, adaptive: bool = False, **limits: Unpack[LimitsOfPairs]
    ) -> DivergenceBound:
        """Return the largest divergence of two neighbours by any measure that is a sum over outputs.

        Parameters
        ----------
        measure
            One of ``taut.measures``, or one of your own: a class derived from ``taut.measures.Divergence``.
        adaptive
            As for ``delta``.

        Returns
        -------
        DivergenceBound
            ``value``, a Fraction, a Ball or INFINITY, and the pair that attains it.

        Examples
        --------
        >>> from taut import measures
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").divergence(measures.ChiSquared()).value
        Fraction(9, 4)
        """
        from taut.questions.divergence import LargestDivergence

        return self.ask(LargestDivergence(measure, adaptive=adaptive), **limits)

    def accuracy(
        self,
        target: Any,
        alpha: Any,
        *,
        distance: Any = None,
        accuracy_set: AccuracySet | Iterable[Any] | None = None,
        inference_set: InferenceSet | Iterable[Any] | None = None,
        best: bool = False,
        **limits: Unpack[Limits],
    ) -> AccuracyBound:
        """Return the smallest probability, over all inputs x, that the output is within alpha of target(x), with a
        worst x.

        Parameters
        ----------
        target
            A function of the database, read like a mechanism, or a mapping from inputs to values.
        alpha
            The largest distance that counts as close.
        distance
            A function of the output and the target's value; by default their absolute difference.
        accuracy_set, inference_set
            The inputs to look at, and the pairs (x, y) to infer.
        best
            Ask for the largest probability instead: the best case.
        **limits
            ``method``, ``time_limit``, ``progress``, ``executor``, as for ``ask``.

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
        sets: dict[str, Any] = {"accuracy_set": accuracy_set, "inference_set": inference_set}
        return self.ask(Accuracy(target, alpha, distance=distance, best=best, **sets), **limits)

    def error(self, target: Any, *, distance: Any = None, **limits: Unpack[Limits]) -> DistanceError:
        """Bound the distance of the output to target(x) on the worst input x: mean, variance, moments and quantiles.

        Parameters
        ----------
        target, distance
            As for ``accuracy``; a distance may be signed, such as ``lambda output, wanted: output - wanted``.
        **limits
            ``method``, ``time_limit``, ``progress``, ``executor``, as for ``ask``; the limit is for each statistic.

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
        mean of the distance = 4/5 = 0.8 exactly, at x=(0, 0, 0, 0); found by enumeration
        """
        method_of(limits.get("method", "auto"), False, limits.get("time_limit"))
        if self.remainder:
            raise not_answered("error", self.remainder)
        from taut.questions.error import DistanceError

        return DistanceError(self, target, distance, limits)

    def ratio_classes(self, neighbors: Any = None, *, executor: Executor | None = None) -> ClassList[RatioClass]:
        """Return all different ratios P(A(x)=y) / P(A(x')=y) over related pairs, largest first, with their counts."""
        return self._ratio_classes(neighbors, None, executor)

    def worst_pairs(
        self, top: int = 4, neighbors: Any = None, *, executor: Executor | None = None
    ) -> ClassList[RatioClass]:
        """Return the largest different ratios, each with a witness and the number of ordered triples that attain it."""
        most = top_of(top)
        return ClassList(self._ratio_classes(neighbors, most, executor)[:most])

    def save_result(self, bound: Bound, path: Any) -> None:
        """Write a bound to a file."""
        from taut.verification.saved import save_result  # which knows all kinds of models

        save_result(self, bound, path)

    # -- what questions need -----------------------------------------------------------------------------------------

    def solved(
        self,
        measure: Measure,
        how: How,
        *,
        adaptive: bool = False,
        sets: tuple[Any, Any] | None = None,
        close: Callable[[Any], list[Any]] | None = None,
    ) -> Bound:
        """Return the bound of a measure on this mechanism.

        Parameters
        ----------
        measure, how
            The measure, and how its question is asked.
        adaptive
            Whether entries are chosen one after the other.
        sets, close
            The cases to look at and the pairs (x, y) to infer, as they were given; and the outputs that count for
            questions about single inputs.
        """
        solver: str | Solver = method_of(how.method, sets is not None, None)
        if adaptive:
            from taut.synthesis.pairs.worst_pair import AdaptiveInputs

            solver = AdaptiveInputs()
        if sets is not None:
            from taut.synthesis.sets import AccuracySet, BySets, InferenceSet, PrivacySet

            kind = PrivacySet if close is None else AccuracySet
            solver = BySets(set_of(kind, sets[0]), set_of(InferenceSet, sets[1]), close)
        relation = self.neighbors(how.neighbors) if measure.runs == 2 else None
        problem = self._problem(relation, measure) if close is None else Problem(self.channel(), relation, measure)
        return self._solved(problem, solver, how)

    def ratio_at(self, delta: Fraction, how: How) -> EpsilonBound:
        """Return the smallest e^epsilon at a delta, of the runs that were followed."""
        from taut.questions.epsilon import EpsilonBound, SmallestEpsilon

        found = self.solved(SmallestEpsilon(delta), how)
        assert isinstance(found, EpsilonBound)
        return found

    def by_items(self) -> Model:
        """Return the model that marks single items of its output as not followed; itself where it has no items."""
        return self if self._by_items is None else self._by_items

    @cached_property
    def _by_items(self) -> Model | None:
        program = None if self._terms is None else marked_by_items(self._terms)
        if program is None:
            return None
        model = self.derived(program)
        model._declared = self._declared
        return model

    def view(self) -> View:
        """Return the data for a picture of the worst case."""
        return view_of(self)

    def derived(self, program: Program) -> Model:
        """Return a model of another program, compiled as this one is."""
        model = Model(program)
        model._settings, model._compile = self._settings, self._compile
        return model

    # -- inside --------------------------------------------------------------------------------------------------

    def _ratio_classes(self, neighbors: Any, top: int | None, executor: Executor | None) -> ClassList[RatioClass]:
        """Return the different ratios, at least the ``top`` largest."""
        if self.remainder:
            raise not_answered("ratios of single outputs", self.remainder)

        def work() -> ClassList[RatioClass]:
            problem = Problem(self.channel(), self.neighbors(neighbors), LargestRatio())
            return ClassList(value_classes(problem, self._budget(), top))

        return worked(work, self._settings, executor=executor)
