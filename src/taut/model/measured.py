"""Questions about pairs of neighbours with all their outputs: delta, epsilon, profile, Rényi, zCDP, trade-off."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, cast

from taut.domains import as_tuples
from taut.errors import InvalidInput, InvalidNeighbors, TooLarge
from taut.forks import cached_property
from taut.measures import (
    Divergence,
    HockeyStick,
    PairMeasure,
    RenyiMoment,
    SmallestEpsilon,
    Tradeoff,
    WholeProfile,
    ZeroConcentrated,
)
from taut.model.base import ModelBase, Progress
from taut.model.views import view_of
from taut.numbers import INFINITY, number, quotient, surely_above
from taut.options import check_seconds, options, working
from taut.results import (
    Atom,
    Bound,
    DeltaBound,
    DeltaWitness,
    DivergenceBound,
    EpsilonBound,
    Event,
    LossDistribution,
    PairWitness,
    PrivacyProfile,
    RenyiBound,
    StrategyWitness,
    TradeoffCurve,
    ZcdpBound,
)
from taut.results.profile import ratio_of
from taut.solvers import AdaptiveInputs, Solver
from taut.solvers.losses import pair_loss

__all__ = ["PairQuestions"]

_FEW_OUTPUTS = 512
_MOST_REPLAYS = 64


class PairQuestions(ModelBase):
    """What a model is asked about pairs of neighbours; all answers follow from the loss distributions of the pairs.

    ``neighbors``, ``method``, ``time_limit``, ``progress`` and ``executor`` mean the same in every question, and as in
    ``privacy``: 'exhaustive' takes all pairs down the relation together and keeps equal ones once, 'restricted' looks
    at one pair per orbit of the symmetries, 'search' looks for the worst pair and prunes (for everything but zCDP and
    the trade-off curve, without ``observe`` and ``exp``). Out of time, out of room (``max_beliefs``) or interrupted by
    Ctrl-C, the answer is an interval.
    """

    # -- one pair --------------------------------------------------------------------------------------------------

    def loss(self, x: Any, x_prime: Any, neighbors: Any = None) -> LossDistribution:
        """The loss distribution of two inputs: each quotient of their probabilities, with its masses under both.

        Outputs are not listed, so there may be astronomically many.

        Parameters
        ----------
        x, x_prime
            Two databases of the domain; they need not be neighbours.
        neighbors
            A relation in which they have to be.

        Returns
        -------
        LossDistribution
            ``atoms`` are (ratio, mass under x, mass under x').

        Raises
        ------
        InvalidNeighbors
            The two are not related, though a relation is given.
        ImpossibleEvidence
            What the mechanism observes has probability 0 at one of the two.
        TooLarge
            There are more than ``max_beliefs`` different beliefs.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> len(randomized_response(bits(200), lam="1/5").loss((0,) * 200, (1,) * 200).atoms)
        201
        """
        with working(self._settings):
            channel = self.channel()
            x, x_prime = as_tuples(x), as_tuples(x_prime)
            channel.positions(x), channel.positions(x_prime)
            if neighbors is not None:
                relation = self.neighbors(neighbors)
                if not relation.related(channel.space)(x, x_prime):
                    raise InvalidNeighbors(
                        f"loss: x={x!r} and x'={x_prime!r} are not neighbours by '{relation.name}'.",
                        value=(x, x_prime),
                    )
            found = pair_loss(channel, x, x_prime, self.options.max_beliefs)
            return replace(found, replay=self._limited(self.replayed_loss))

    # -- the worst pair --------------------------------------------------------------------------------------------

    def delta(
        self,
        epsilon: Any = None,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        *,
        ratio: Any = None,
        adaptive: bool = False,
    ) -> DeltaBound:
        """The smallest delta for which the mechanism is (epsilon, delta)-differentially private.

        Parameters
        ----------
        epsilon
            A number of at least 0; e^epsilon is then irrational and delta a Ball.
        ratio
            e^epsilon itself, a rational number of at least 1, instead of epsilon; delta is then exact.
        neighbors, method, time_limit, progress, executor
            As for ``privacy``.
        adaptive
            Whether the entries of x and x' are chosen one after the other, each after whatever is certain about the
            output by then has been seen: items that are written, that a first index has been found.

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
        (Fraction(2, 5), (0, 0), (0, 1), [(0, 0), (1, 0)])
        """
        gamma = ratio_of(epsilon, ratio)
        given = None if epsilon is None else number(epsilon, "delta: epsilon")
        measure = HockeyStick(gamma, given)
        bound = cast(DeltaBound, self._divergence(measure, neighbors, method, time_limit, progress, adaptive, executor))
        witness = bound.witness
        if isinstance(witness, StrategyWitness):
            return bound
        event = DeltaWitness(witness.x, witness.x_prime, self._event_of(witness, gamma))
        return replace(bound, witness=event)

    def epsilon(
        self,
        delta: Any,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> EpsilonBound:
        """The smallest e^epsilon, at least 1, for which the mechanism is (epsilon, delta)-differentially private.

        Parameters
        ----------
        delta
            A rational number in [0, 1].
        neighbors, method, time_limit, progress, executor
            As for ``privacy``.

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
        measure = SmallestEpsilon(delta)

        def replayed(witness: PairWitness) -> tuple[Any, str]:
            loss, how = self.replayed_loss(witness)
            return measure.at_pair(loss), how

        return cast(EpsilonBound, self._pairs(measure, neighbors, method, time_limit, progress, replayed, executor))

    def profile(
        self,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> PrivacyProfile:
        """Delta for every epsilon at once, exactly, with the pair that is worst on each piece.

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
        return cast(
            PrivacyProfile,
            self._pairs(WholeProfile(), neighbors, method, time_limit, progress, self.replayed_loss, executor),
        )

    def renyi(
        self,
        order: Any,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        *,
        adaptive: bool = False,
    ) -> RenyiBound:
        """The largest Rényi moment and divergence of an order above 1; ``adaptive`` as for ``delta``.

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
        measure = RenyiMoment(order)
        return cast(RenyiBound, self._divergence(measure, neighbors, method, time_limit, progress, adaptive, executor))

    def zcdp(
        self,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> ZcdpBound:
        """The smallest rho for which the mechanism is rho-zero-concentrated differentially private, certified.

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
        measure = ZeroConcentrated()

        def replayed(witness: PairWitness) -> tuple[Any, str]:
            loss, how = self.replayed_loss(witness)
            return measure.at_pair(loss), how

        return cast(ZcdpBound, self._pairs(measure, neighbors, method, time_limit, progress, replayed, executor))

    def tradeoff(
        self,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
    ) -> TradeoffCurve:
        """The trade-off curve: the least error of the second kind over all pairs, for every error of the first kind.

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
        return cast(
            TradeoffCurve,
            self._pairs(Tradeoff(), neighbors, method, time_limit, progress, self.replayed_loss, executor),
        )

    def divergence(
        self,
        measure: Divergence,
        neighbors: Any = None,
        method: str = "auto",
        time_limit: float | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        *,
        adaptive: bool = False,
    ) -> DivergenceBound:
        """The largest divergence of two neighbours by any measure that is a sum over outputs.

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
        >>> from taut import bits, measures
        >>> from taut.mechanisms import randomized_response
        >>> randomized_response(bits(8), lam="1/5").divergence(measures.ChiSquared()).value
        Fraction(9, 4)
        """
        if not isinstance(measure, Divergence):
            raise InvalidInput(
                f"divergence: expected a measure of taut.measures, like TotalVariation(); got {measure!r}.",
                value=measure,
            )
        return self._divergence(measure, neighbors, method, time_limit, progress, adaptive, executor)

    # -- inside ----------------------------------------------------------------------------------------------------

    def _divergence(
        self,
        measure: Divergence,
        neighbors: Any,
        method: str,
        time_limit: float | None,
        progress: Progress | None,
        adaptive: bool,
        executor: Executor | None,
    ) -> DivergenceBound:
        """The bound of a divergence, over pairs or over all ways to choose them entry by entry."""
        if not adaptive:
            replayed = self._replay_divergence(measure)
            return cast(
                DivergenceBound, self._pairs(measure, neighbors, method, time_limit, progress, replayed, executor)
            )
        if method != "auto":
            raise InvalidInput(f"adaptive=True has one method only; leave method={method!r} out.", value=method)

        def followed(witness: StrategyWitness) -> tuple[Any, str]:
            return witness.loss.divergence(measure), "the best choices, followed from the first entry"

        bound = self._pairs(measure, neighbors, AdaptiveInputs(), time_limit, progress, followed, executor)
        return cast(DivergenceBound, replace(bound, keep=None))

    def _pairs(
        self,
        measure: PairMeasure,
        neighbors: Any,
        method: str | Solver,
        time_limit: float | None,
        progress: Progress | None,
        replayed: Any,
        executor: Executor | None,
    ) -> Bound:
        """The bound of a measure of pairs; ``replayed`` evaluates its witness again."""
        start = time.perf_counter()
        check_seconds(time_limit, "time_limit", InvalidInput)
        with working(self._settings, time_limit, executor):
            problem = self._problem(self.neighbors(neighbors), measure)
            bound = self._solved(problem, method, start, progress)
        kept = functools.partial(self.save_result, None)
        return replace(bound, replay=self._limited(replayed), keep=kept, view=view_of(self))

    def _replay_divergence(self, measure: Divergence) -> Callable[[PairWitness], tuple[Any, str]]:
        def replayed(witness: PairWitness) -> tuple[Any, str]:
            loss, how = self.replayed_loss(witness)
            return loss.divergence(measure), how

        return replayed

    def replayed_loss(self, witness: PairWitness) -> tuple[LossDistribution, str]:
        """The loss distribution of a pair from the two distributions, each found without the relation if it can be."""
        try:
            (own, how), (other, how_other) = (self._replay_distribution(x) for x in (witness.x, witness.x_prime))
        except TooLarge:
            return self.loss(witness.x, witness.x_prime), "the pair alone, by the same walk"
        sums: dict[Any, tuple[Any, Any]] = {}
        for y in own.keys() | other.keys():
            p, q = own.get(y, 0), other.get(y, 0)
            ratio = quotient(p, q)
            if ratio is not None:
                before = sums.get(ratio, (0, 0))
                sums[ratio] = (before[0] + p, before[1] + q)
        keys = sorted(sums, key=lambda ratio: ratio if ratio == INFINITY else getattr(ratio, "mid", ratio))
        atoms = tuple(Atom(ratio, *sums[ratio]) for ratio in keys)
        methods = how if how == how_other else f"{how}, {how_other}"
        return LossDistribution(witness.x, witness.x_prime, atoms), methods

    @cached_property
    def _replays(self) -> dict[Any, tuple[dict[Any, Any], str]]:
        """Distributions that were replayed: several bounds have the same worst pair, and its replay takes longest."""
        return {}

    def _replay_distribution(self, x: Any) -> tuple[dict[Any, Any], str]:
        """The distribution of A(x), by the user's function or the enumerator where they are quick enough."""
        if x not in self._replays:
            found = self._replayed_anew(x)
            if len(found[0]) > _FEW_OUTPUTS:
                return found
            self._replays[x] = found
            if len(self._replays) > _MOST_REPLAYS:
                del self._replays[next(iter(self._replays))]
        return self._replays[x]

    def _replayed_anew(self, x: Any) -> tuple[dict[Any, Any], str]:
        outputs = self.distribution(x)
        few = len(outputs) <= _FEW_OUTPUTS
        whole = None if few and self.function is not None else self._enumerated(x)
        if whole is not None:
            return whole, "enumerator"
        if not few:
            return outputs, "all outputs, listed"
        replayed = {y: self.replayed(x, y) for y in outputs}
        methods = dict.fromkeys(how for _, how in replayed.values())
        return {y: share for y, (share, _) in replayed.items()}, ", ".join(methods)

    def _event_of(self, witness: PairWitness, ratio: Any) -> Event:
        """The outputs that are more than ``ratio`` times as likely on x as on x'."""

        def holds(y: Any) -> bool | None:
            return surely_above(self.probability(witness.x, y), ratio * self.probability(witness.x_prime, y))

        def listed(most: int | None) -> dict[Any, bool | None]:
            with options(**({} if most is None else {"max_outcomes": most})):
                own, other = self.distribution(witness.x), self.distribution(witness.x_prime)
            verdicts = {y: surely_above(p, ratio * other.get(y, 0)) for y, p in own.items()}
            return {y: verdict for y, verdict in verdicts.items() if verdict is not False}

        return Event(holds, listed)
