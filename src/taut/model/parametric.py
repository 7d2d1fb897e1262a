"""Models with parameters left free: closed forms of their bounds, and their distributions as rational functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from taut.errors import InvalidInput, InvalidNumber
from taut.measures import EventMasses, PairOfMasses, RenyiMoment
from taut.model.calibrate import calibrated, questions_of
from taut.model.closeness import distance_bound
from taut.model.model import Model
from taut.model.parametric_base import ParametricBase
from taut.numbers import decimal
from taut.options import check_seconds, working
from taut.results import AccuracyWitness, PairWitness, Witness
from taut.results.calibration import Calibration
from taut.results.piecewise import FreeParameter, PiecewiseBound
from taut.results.profile import ratio_of
from taut.solvers import Problem
from taut.solvers.closed_form import (
    Pieces,
    delta_pieces,
    moment_pieces,
    probability_pieces,
    ratio_pieces,
)

__all__ = ["ParametricModel"]


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

    def privacy(self, neighbors: Any = None, method: str = "auto", time_limit: float | None = None) -> PiecewiseBound:
        """The smallest e^epsilon as a function of the parameter, with the worst case on each piece.

        Parameters
        ----------
        neighbors
            As for ``Model.privacy``.
        method
            'exhaustive' compares all triples as functions, 'restricted' one of each orbit of the symmetries that hold
            for all values of the parameter: what they give is proved for every value. 'sampled' asks ordinary models at
            a few values for their worst cases: it is proved at these only. 'auto' takes the first that is not too
            large.
        time_limit
            Seconds for everything.

        Returns
        -------
        PiecewiseBound
            ``pieces`` with ``low``, ``high``, ``value`` and ``witness``; ``at(value)`` is e^epsilon there.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam=parameter("lam", 0, "1/2")).privacy()
        >>> print(bound)
        e^eps = (1 - lam)/lam for 0 < lam <= 1/2 (infinite at 0), at x=(0, 0), x'=(1, 0), y=(0, 0); one_differ \
neighbours, found by exhaustive
        >>> bound.at("1/5")
        Fraction(4, 1)
        """

        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            problem = Problem(self._inner.channel(), self._inner.neighbors(neighbors), PairOfMasses())
            cases, stats = self._cases(problem, parameter, chosen)
            return ratio_pieces([(*case.masses, case.locate) for case in cases], parameter), stats

        def sampled(model: Model) -> tuple[Any, Any, bool]:
            bound = model.privacy(neighbors, time_limit=time_limit)
            return bound.max_ratio, bound.witness, bound.exact

        def again(witnesses: Sequence[Witness], parameter: FreeParameter) -> Pieces:
            def case(w: Witness) -> tuple[Any, Any, Callable[[], Witness]]:
                return self.probability(w.x, w.y), self.probability(w.x_prime, w.y), functools.partial(_same, w)

            def others() -> list[tuple[Any, Any, Callable[[], Witness]]]:
                """All outputs of one pair: at every value of the parameter one of them is possible."""
                pair = witnesses[0]
                return [case(Witness(pair.x, pair.x_prime, y)) for y in self.distribution(pair.x)]

            return ratio_pieces([case(w) for w in witnesses], parameter, others)

        relation = self._inner.neighbors(neighbors).name
        return self._answered("e^eps", method, time_limit, compared, sampled, again, neighbors=relation)

    def accuracy(
        self,
        target: Any,
        alpha: Any,
        *,
        distance: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        best: bool = False,
    ) -> PiecewiseBound:
        """1 - beta as a function of the parameter: the smallest probability that the output is close to the target.

        Parameters
        ----------
        target, alpha, distance, best
            As for ``Model.accuracy``.
        method, time_limit
            As for ``privacy``; cases are inputs.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import rr_count
        >>> bound = rr_count(bits(2), lam=parameter("lam", 0, "1/2")).accuracy(sum, 0)
        >>> print(bound)
        1-beta = (1 - lam)**2 for 0 <= lam <= 1/2, at x=(0, 0); found by exhaustive
        """
        bound = distance_bound(alpha)
        derived = functools.cache(lambda: self._inner._derived(self._inner._event(target, distance, bound)))

        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            problem = Problem(derived().channel(), None, EventMasses(alpha, best))
            cases, stats = self._cases(problem, parameter, chosen)
            return probability_pieces([(*case.masses, case.locate) for case in cases], parameter, largest=best), stats

        def sampled(model: Model) -> tuple[Any, Any, bool]:
            found = model.accuracy(target, alpha, distance=distance, time_limit=time_limit, best=best)
            return found.probability, found.witness, found.exact

        def again(witnesses: Sequence[AccuracyWitness], parameter: FreeParameter) -> Pieces:
            cases = [(derived().probability(w.x, True), functools.partial(_same, w)) for w in witnesses]
            return probability_pieces(cases, parameter, largest=best)

        return self._answered("1-beta", method, time_limit, compared, sampled, again, largest=best)

    def delta(
        self,
        epsilon: Any = None,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        *,
        ratio: Any = None,
    ) -> PiecewiseBound:
        """The smallest delta at e^epsilon = ratio as a function of the parameter.

        Parameters
        ----------
        ratio
            e^epsilon, a rational number of at least 1. An epsilon is refused, since its exponential is not rational.
        neighbors, method, time_limit
            As for ``privacy``; cases are pairs.

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
        if epsilon is not None:
            raise InvalidNumber(
                "delta: with a parameter left free, give e^epsilon itself as a rational number, such as "
                "ratio='2.7182818'; the exponential of epsilon is not rational.",
                value=epsilon,
            )
        gamma = ratio_of(None, ratio)
        shown = str(gamma) if len(str(gamma)) < 12 else decimal(gamma)
        return self._of_pairs(
            f"delta (at e^eps = {shown})",
            neighbors,
            method,
            time_limit,
            lambda cases, parameter: delta_pieces(cases, gamma, parameter, _pair),
            lambda model: model.delta(ratio=gamma, neighbors=neighbors, time_limit=time_limit),
        )

    def renyi(
        self, order: Any, neighbors: Any = None, method: str = "auto", time_limit: float | None = None
    ) -> PiecewiseBound:
        """The largest Rényi moment of a whole order as a function of the parameter.

        The Rényi divergence is its logarithm over order - 1.

        Examples
        --------
        >>> from taut import bits, parameter
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam=parameter("lam", 0, "1/2")).renyi(2)
        >>> print(bound.pieces[0].value, bound.at("1/5"))
        (1 - 3*lam + 3*lam**2)/(lam - lam**2) 13/4
        """
        measure = RenyiMoment(order)
        if measure.order.denominator != 1:
            raise InvalidNumber(
                f"renyi: with a parameter left free the order must be a whole number; got {measure.order}.", value=order
            )
        whole = int(measure.order)
        return self._of_pairs(
            f"Rényi moment of order {whole}",
            neighbors,
            method,
            time_limit,
            lambda cases, parameter: moment_pieces(cases, whole, parameter, _pair),
            lambda model: model.renyi(whole, neighbors=neighbors, time_limit=time_limit),
        )

    def calibrate(
        self,
        *,
        epsilon: Any = None,
        ratio: Any = None,
        delta: Any = None,
        renyi: Any = None,
        accuracy: Any = None,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
    ) -> Calibration:
        """The values of the parameter that meet a budget, and a short one among them.

        Parameters
        ----------
        epsilon
            The mechanism must be epsilon-differentially private; with ``delta``, (epsilon, delta)-differentially.
        ratio
            e^epsilon itself, a rational number, instead of epsilon.
        renyi
            (order, divergence): the largest Rényi divergence of a whole order.
        accuracy
            (target, alpha, probability) or (target, alpha, probability, distance): 1 - beta must be at least the
            probability. Without a probability it is only drawn by ``plot``.
        neighbors, method, time_limit
            As for ``privacy``. Where there is no closed form, single values are computed and the set is found by
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
        e^eps <= e^1 if 0.2689414214... <= lam <= 1/2; take lam = 7/26
        >>> print(model.calibrate(ratio=4))
        e^eps <= 4 if 1/5 <= lam <= 1/2; take lam = 1/5
        """
        asked, drawn = questions_of(
            self,
            epsilon=epsilon,
            ratio=ratio,
            delta=delta,
            renyi=renyi,
            accuracy=accuracy,
            neighbors=neighbors,
            method=method,
        )
        check_seconds(time_limit, "time_limit", InvalidInput)
        with working(self._inner._settings, time_limit):
            return calibrated(self, asked, drawn)


def _same(witness: Any) -> Any:
    return witness


def _pair(case: Any) -> PairWitness:
    return PairWitness(case.loss.x, case.loss.x_prime)
