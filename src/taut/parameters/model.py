"""Models with parameters left free: closed forms of their bounds, and their distributions as rational functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from taut.model.model import Model
from taut.neighbors import Neighbors
from taut.parameters.base import ParametricBase
from taut.parameters.calibrate import budgets_of, calibrated
from taut.parameters.calibration import Calibration
from taut.parameters.closed_form import (
    Pieces,
    all_evidence,
    delta_pieces,
    probability_pieces,
    ratio_pieces,
    require_evidence,
    sum_pieces,
)
from taut.parameters.piecewise import FreeParameter, PiecewiseBound
from taut.questions.accuracy import Accuracy, AccuracyWitness, EventMasses
from taut.questions.delta import Delta
from taut.questions.measure import OutputMeasure
from taut.questions.pair_measure import Divergence, PairCase, PairWitness
from taut.questions.privacy import PairOfMasses, Privacy, Witness
from taut.questions.question import Question
from taut.support.errors import InvalidInput, TooLarge
from taut.support.options import check_seconds, worked
from taut.synthesis import Problem
from taut.synthesis.pairs.all_pairs import AllPairs
from taut.synthesis.pairs.losses import collected, pair_loss
from taut.synthesis.pairs.orbits import PairOrbits

__all__ = ["ParametricModel"]


Closed = tuple[
    Callable[[FreeParameter, str], tuple[Pieces, dict[str, Any]]], Callable[[Sequence[Any], FreeParameter], Pieces]
]
"""Two functions: one compares all cases of a problem symbolically, with statistics; the other compares given cases."""


class FormulaLimits(TypedDict, total=False):
    """The keywords that all questions share; ``ParametricModel.ask`` says what they mean."""

    neighbors: Any
    method: str
    time_limit: float | None


class ParametricModel(ParametricBase):
    """A mechanism on a domain, some of whose numbers are parameters left free (``taut.parameter``).

    The diagram is the one that it would have with numbers; probabilities are rational functions of the parameters.
    With one parameter, bounds are functions of it, piece by piece; with several there are distributions, and ``at``
    gives an ordinary model.

    Parameters
    ----------
    inner
        The model with functions as weights.
    parameters
        The parameters, with their intervals.
    specialize
        Makes the ordinary model at given values.
    """

    # -- bounds ----------------------------------------------------------------------------------------------------

    def ask(
        self, question: Question[Any], *, neighbors: Any = None, method: str = "auto", time_limit: float | None = None
    ) -> PiecewiseBound:
        """Return the answer to a question as a function of the parameter, with the worst case on each piece.

        Parameters
        ----------
        question
            One whose measure is algebraic: e^epsilon, delta at a ratio, a divergence that is a rational function of
            probabilities, accuracy.
        neighbors
            As for ``Model.ask``.
        method
            'exhaustive' compares all cases as functions, 'restricted' one of each orbit of the symmetries that hold
            for all values of the parameter: what they give is proved for every value. 'sampled' asks ordinary models at
            a few values for their worst cases: it is proved at these only. 'auto' takes the first that is not too
            large.
        time_limit
            Seconds for everything.

        Returns
        -------
        PiecewiseBound
            ``pieces`` with ``low``, ``high``, ``value`` and ``witness``; ``at(value)`` is the bound there.

        Raises
        ------
        InvalidInput
            There is no closed form.
        """
        measure = question.algebraic()
        if measure is None:
            raise self._needs_numbers(question.name)

        def asked(model: Model) -> Any:
            return model.ask(question, neighbors=neighbors, time_limit=time_limit)

        relation = None if measure.runs == 1 else self._inner.neighbors(neighbors)
        behind = functools.cache(lambda: question.behind(self._inner))
        compared, again = self._closed(measure, relation, behind)
        return self._answered(
            question.formula_label(),
            method,
            time_limit,
            compared,
            asked,
            again,
            largest=measure.largest,
            neighbors=None if relation is None else relation.name,
        )

    def privacy(
        self, neighbors: Any = None, *, method: str = "auto", time_limit: float | None = None
    ) -> PiecewiseBound:
        """Return the smallest e^epsilon as a function of the parameter, with the worst case on each piece.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam=parameter("lam", 0, "1/2")).privacy()
        >>> print(bound)
        eps = ln((1 - lam)/lam) for 0 < lam <= 1/2 (infinite at 0), at x=(0, 0), x'=(1, 0), y=(0, 0); one_differ \
neighbours, found by enumeration
        >>> bound.at("1/5")
        Fraction(4, 1)
        """
        return self.ask(Privacy(), neighbors=neighbors, method=method, time_limit=time_limit)

    def accuracy(
        self, target: Any, alpha: Any, *, distance: Any = None, best: bool = False, **limits: Unpack[FormulaLimits]
    ) -> PiecewiseBound:
        """1 - beta as a function of the parameter: the smallest probability that the output is close to the target.

        Parameters
        ----------
        target, alpha, distance, best
            As for ``Model.accuracy``.
        **limits
            ``method`` and ``time_limit``, as for ``ask``; cases are inputs.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import rr_count
        >>> bound = rr_count(bits(2), lam=parameter("lam", 0, "1/2")).accuracy(sum, 0)
        >>> print(bound)
        1-beta = (1 - lam)**2 for 0 <= lam <= 1/2, at x=(0, 0); found by enumeration
        """
        return self.ask(Accuracy(target, alpha, distance=distance, best=best), **limits)

    def delta(self, epsilon: Any = None, *, ratio: Any = None, **limits: Unpack[FormulaLimits]) -> PiecewiseBound:
        """Return the smallest delta at e^epsilon = ratio as a function of the parameter.

        Parameters
        ----------
        ratio
            e^epsilon, a rational number of at least 1. An epsilon is refused, since its exponential is not rational.
        **limits
            ``neighbors``, ``method`` and ``time_limit``, as for ``ask``; cases are pairs.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam=parameter("lam", 0, "1/2")).delta(ratio=2)
        >>> for piece in bound.pieces:
        ...     print(piece.low, piece.high, piece.value)
        0 1/3 1 - 3*lam
        1/3 1/2 0
        """
        return self.ask(Delta(epsilon, ratio=ratio), **limits)

    def calibrate(
        self, *, neighbors: Any = None, method: str = "auto", time_limit: float | None = None, **budget: Any
    ) -> Calibration:
        """Return the values of the parameter that meet a budget, and a short one among them.

        Parameters
        ----------
        epsilon, delta
            The mechanism must be epsilon-differentially private; with ``delta``, (epsilon, delta)-differentially.
        ratio
            e^epsilon itself, a rational number, instead of epsilon.
        accuracy
            (target, alpha, probability) or (target, alpha, probability, distance): 1 - beta must be at least the
            probability. Without a probability it is only drawn by ``plot``.
        **budget
            Other questions that have one number, as for ``taut.claim``: ``zcdp=1``, or with what they are asked with
            before the limit, ``divergence=(ChiSquared(), 1)``.
        neighbors, method, time_limit
            As for ``ask``. Where there is no closed form, single values are computed and the set is found by
            bisection; the result says what that relies on.

        Returns
        -------
        Calibration
            ``intervals`` with exact ends, ``best``, ``contains(value)``, ``plot(path)``.

        Raises
        ------
        WrongArguments
            No budget is given, or one that is not complete.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import randomized_response
        >>> model = randomized_response(bits(8), lam=parameter("lam", 0, "1/2"))
        >>> print(model.calibrate(epsilon=1))
        eps <= 1 if 0.2689414214... <= lam <= 1/2; take lam = 7/26
        >>> print(model.calibrate(ratio=4))
        e^eps <= 4 if 1/5 <= lam <= 1/2; take lam = 1/5
        """
        asked, drawn = budgets_of(budget, method)
        check_seconds(time_limit, "time_limit", InvalidInput)
        return worked(lambda: calibrated(self, asked, drawn, neighbors, method), self._inner._settings, time_limit)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _closed(self, measure: Any, relation: Neighbors | None, behind: Callable[[], Model]) -> Closed:
        """Return the functions that compare all cases of a measure, and given cases, symbolically."""
        if not isinstance(measure, OutputMeasure):
            return self._closed_sum(measure, relation)
        return self._closed_probability(measure, behind) if measure.runs == 1 else self._closed_ratio(relation)

    def _closed_ratio(self, relation: Neighbors | None) -> Closed:
        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            cases, stats = self._cases(Problem(self._inner.channel(), relation, PairOfMasses()), parameter, chosen)
            return ratio_pieces([(*case.masses, case.locate) for case in cases], parameter), stats

        def again(witnesses: Sequence[Witness], parameter: FreeParameter) -> Pieces:
            def case(w: Witness) -> tuple[Any, Any, Callable[[], Witness]]:
                return self.probability(w.x, w.y), self.probability(w.x_prime, w.y), functools.partial(_same, w)

            def others() -> list[tuple[Any, Any, Callable[[], Witness]]]:
                """Return all outputs of one pair: at every value of the parameter one of them is possible."""
                pair = witnesses[0]
                return [case(Witness(pair.x, pair.x_prime, y)) for y in self.distribution(pair.x)]

            return ratio_pieces([case(w) for w in witnesses], parameter, others)

        return compared, again

    def _closed_probability(self, measure: Any, behind: Callable[[], Model]) -> Closed:
        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            problem = Problem(behind().channel(), None, EventMasses(measure.alpha, measure.best))
            cases, stats = self._cases(problem, parameter, chosen)
            found = [(*case.masses, case.locate) for case in cases]
            return probability_pieces(found, parameter, largest=measure.largest), stats

        def again(witnesses: Sequence[AccuracyWitness], parameter: FreeParameter) -> Pieces:
            cases = [(behind().probability(w.x, True), functools.partial(_same, w)) for w in witnesses]
            return probability_pieces(cases, parameter, largest=measure.largest)

        return compared, again

    def _closed_sum(self, measure: Divergence, relation: Neighbors | None) -> Closed:
        def pieces(cases: Sequence[PairCase], parameter: FreeParameter) -> Pieces:
            if measure.kink is not None:
                return delta_pieces(cases, measure.kink, parameter, _pair)
            return sum_pieces(cases, measure.phi, parameter, _pair)

        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            channel, budget = self._inner.channel(), self._inner._budget()
            problem = Problem(channel, relation, measure, self._inner._known)
            if channel.conditioned:
                require_evidence(self.name, all_evidence(channel, budget.max_beliefs), parameter)
            found = collected(AllPairs() if chosen == "exhaustive" else PairOrbits(), problem, budget)
            if not found.complete:
                raise TooLarge(f"not all pairs could be compared: {found.stats['stopped']}.", value=found.stats)
            return pieces(found.cases, parameter), dict(found.stats)

        def again(witnesses: Sequence[PairWitness], parameter: FreeParameter) -> Pieces:
            channel, most = self._inner.channel(), self._inner.options.max_beliefs
            return pieces([PairCase(pair_loss(channel, w.x, w.x_prime, most), 1) for w in witnesses], parameter)

        return compared, again


def _same(witness: Any) -> Any:
    return witness


def _pair(case: Any) -> PairWitness:
    return PairWitness(case.loss.x, case.loss.x_prime)
