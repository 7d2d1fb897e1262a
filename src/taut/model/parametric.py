"""Models with parameters left free: closed forms of their bounds, and their distributions as rational functions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from taut.algebra.rational import RationalFunction
from taut.errors import InvalidInput, InvalidNumber, OutOfMemory, OutOfTime, TautError, TooLarge
from taut.frontend.python.validation import Validation
from taut.measures import Collected, EventMasses, LossDistributions, MassCase, PairCase, PairOfMasses, RenyiMoment
from taut.model.calibrate import calibrated, questions_of
from taut.model.closeness import distance_bound
from taut.model.model import Model
from taut.numbers import decimal, large
from taut.options import check_seconds, working
from taut.results import AccuracyWitness, PairWitness, Witness
from taut.results.calibration import Calibration
from taut.results.piecewise import FreeParameter, PiecewiseBound
from taut.results.profile import ratio_of
from taut.solvers import Problem
from taut.solvers.all_pairs import AllPairs
from taut.solvers.by_symmetry import BySymmetry, evidence_of_orbits
from taut.solvers.closed_form import (
    Pieces,
    all_evidence,
    delta_pieces,
    moment_pieces,
    probability_pieces,
    ratio_pieces,
    require_evidence,
)
from taut.solvers.exhaustive import Exhaustive
from taut.solvers.losses import pair_loss
from taut.solvers.pair_orbits import PairOrbits

__all__ = ["ParametricModel"]

_METHODS = ("auto", "exhaustive", "restricted", "sampled")
_MOST_CASES = 1 << 26
_MOST_ORBITS = 1 << 16
_SAMPLES = 9


class ParametricModel:
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

    validation: Validation = Validation(reason="there is no Python function to compare with")
    """How the reading with a number in place of the parameter was compared with the function."""

    def __init__(
        self, inner: Model, parameters: Sequence[FreeParameter], specialize: Callable[[Mapping[str, Fraction]], Model]
    ) -> None:
        self._inner = inner
        self.parameters = tuple(parameters)
        self._specialize = specialize

    def __repr__(self) -> str:
        domains = ", ".join(str(domain) for domain in self.program.domains)
        free = ", ".join(map(str, self.parameters))
        return f"<ParametricModel {self.name}({domains}), {len(self.program.coins)} coins, {free}>"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(Model, name):
            example = ", ".join(f"{one.name}={str((one.low + one.high) / 2)!r}" for one in self.parameters)
            raise InvalidInput(
                f"'{name}' needs numbers, and {', '.join(one.name for one in self.parameters)} is left free; ask an "
                f"ordinary model, as in model.at({example}).{name}.",
                value=name,
            )
        raise AttributeError(name)

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self._inner.name

    @property
    def program(self) -> Any:
        """What the mechanism computes."""
        return self._inner.program

    @property
    def domain(self) -> Any:
        """The domain of the database; a tuple of domains if there are several."""
        return self._inner.domain

    @property
    def size(self) -> int:
        """The number of nodes of the relation, its two leaves included."""
        return self._inner.size

    @property
    def parameter(self) -> FreeParameter:
        """The parameter, if there is one only; several are refused."""
        if len(self.parameters) > 1:
            names = ", ".join(one.name for one in self.parameters)
            raise InvalidInput(
                f"pieces and calibration need a single parameter; {names} are left free. Ask for distributions, or fix "
                "all but one of them.",
                value=names,
            )
        return self.parameters[0]

    def at(self, value: Any = None, /, **values: Any) -> Model:
        """The ordinary model at a value of the parameter; several are given by name.

        Raises
        ------
        InvalidInput
            A value is missing, belongs to no parameter, or lies outside the parameter's interval.
        """
        given = dict(values) if value is None else {self.parameter.name: value, **values}
        known = {one.name: one for one in self.parameters}
        for name in [*given, *known]:
            if name not in known or name not in given:
                what = "is missing" if name in known else "is not one of them"
                raise InvalidInput(
                    f"at: give a value for each of {', '.join(known)}, and no other; {name} {what}.", value=name
                )
        return self._specialize({name: known[name].value(number) for name, number in given.items()})

    # -- one input -------------------------------------------------------------------------------------------------

    def distribution(self, x: Any = ()) -> dict[Any, Any]:
        """The distribution of the output on input x: outputs with their probabilities as functions of the parameters.

        >>> from taut import bits, parameter
        >>> from taut.mechanisms import rr_count
        >>> for y, chance in rr_count(bits(2), lam=parameter("lam", 0, "1/2")).distribution((0, 1)).items():
        ...     print(y, chance)
        0 lam - lam**2
        1 1 - 2*lam + 2*lam**2
        2 lam - lam**2
        """
        return {y: self._function(chance) for y, chance in self._inner.distribution(x).items()}

    def probability(self, x: Any, y: Any) -> RationalFunction:
        """P(A(x) = y) as a function of the parameters."""
        return self._function(self._inner.probability(x, y))

    def _function(self, value: Any) -> RationalFunction:
        if isinstance(value, RationalFunction):
            return value
        constant: RationalFunction = RationalFunction.unknown(self.parameters[0].name) * 0 + value
        return constant

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
            cases = [
                (self.probability(w.x, w.y), self.probability(w.x_prime, w.y), functools.partial(_same, w))
                for w in witnesses
            ]
            return ratio_pieces(cases, parameter)

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

    # -- inside ----------------------------------------------------------------------------------------------------

    def _of_pairs(
        self,
        label: str,
        neighbors: Any,
        method: str,
        time_limit: float | None,
        pieces: Callable[[Sequence[Any], FreeParameter], Pieces],
        ask: Callable[[Model], Any],
    ) -> PiecewiseBound:
        def compared(parameter: FreeParameter, chosen: str) -> tuple[Pieces, dict[str, Any]]:
            channel, budget = self._inner.channel(), self._inner._budget()
            problem = Problem(channel, self._inner.neighbors(neighbors), LossDistributions())
            if channel.conditioned:
                require_evidence(self.name, all_evidence(channel, budget.max_beliefs), parameter)
            found = (AllPairs() if chosen == "exhaustive" else PairOrbits()).solve(problem, budget)
            assert isinstance(found, Collected)
            if not found.complete:
                raise TooLarge(f"not all pairs could be compared: {found.stats['stopped']}.", value=found.stats)
            return pieces(found.cases, parameter), dict(found.stats)

        def sampled(model: Model) -> tuple[Any, Any, bool]:
            bound = ask(model)
            return bound.upper, PairWitness(bound.witness.x, bound.witness.x_prime), bound.exact

        def again(witnesses: Sequence[PairWitness], parameter: FreeParameter) -> Pieces:
            channel, most = self._inner.channel(), self._inner.options.max_beliefs
            return pieces([PairCase(pair_loss(channel, w.x, w.x_prime, most), 1) for w in witnesses], parameter)

        relation = self._inner.neighbors(neighbors).name
        return self._answered(label, method, time_limit, compared, sampled, again, neighbors=relation)

    def _answered(
        self,
        label: str,
        method: str,
        time_limit: float | None,
        compared: Callable[[FreeParameter, str], tuple[Pieces, dict[str, Any]]],
        sampled: Callable[[Model], tuple[Any, Any, bool]],
        again: Callable[[Sequence[Any], FreeParameter], Pieces],
        *,
        largest: bool = True,
        neighbors: str | None = None,
    ) -> PiecewiseBound:
        """The closed form from all cases; if they are too many, from the worst cases at a few values."""
        parameter = self.parameter
        if method not in _METHODS:
            raise InvalidInput(
                f"method must be one of {', '.join(_METHODS)} for a parameter left free; got {method!r}.", value=method
            )
        check_seconds(time_limit, "time_limit", InvalidInput)
        start = time.perf_counter()
        made = functools.partial(
            PiecewiseBound, label, parameter, largest=largest, neighbors=neighbors, mechanism=self.name
        )
        with working(self._inner._settings, time_limit):
            why = "it was asked for"
            for chosen in {"auto": ("exhaustive", "restricted")}.get(method, () if method == "sampled" else (method,)):
                try:
                    (pieces, points), stats = compared(parameter, chosen)
                    stats["seconds"] = round(time.perf_counter() - start, 6)
                    return made(pieces, points, chosen, stats)
                except (OutOfMemory, OutOfTime):
                    raise
                except TooLarge as problem:
                    if method != "auto":
                        raise
                    why = str(problem)
            proved, found = self._sampled(parameter, sampled)
            pieces, points = again(list(dict.fromkeys(found)), parameter)
        stats = {"why": why, "samples": _SAMPLES, "seconds": round(time.perf_counter() - start, 6)}
        bound = made(pieces, points, "sampled", stats, exact=False, proved_at=tuple(proved))
        for value, answer in proved.items():
            if bound.at(value) != answer:
                raise TautError(f"the closed form is {bound.at(value)} at {value}, and the model {answer}: a fault.")
        return bound

    def _sampled(
        self, parameter: FreeParameter, ask: Callable[[Model], tuple[Any, Any, bool]]
    ) -> tuple[dict[Fraction, Any], list[Any]]:
        """Worst cases at values spread over the interval; which values have an exact bound, and that bound."""
        width = parameter.high - parameter.low
        proved: dict[Fraction, Any] = {}
        witnesses = []
        for step in range(1, _SAMPLES + 1):
            value = parameter.low + width * step / (_SAMPLES + 1)
            answer, witness, exact = ask(self._specialize({parameter.name: value}))
            witnesses.append(witness)
            if exact:
                proved[value] = answer
        return proved, witnesses

    def _cases(
        self, problem: Problem, parameter: FreeParameter, chosen: str
    ) -> tuple[Sequence[MassCase], dict[str, Any]]:
        """All different probabilities of a problem, from all cases or from one of each orbit."""
        channel, budget = problem.channel, self._inner._budget()
        if chosen == "exhaustive":
            if problem.cases > _MOST_CASES:
                what = problem.measure.cases
                raise TooLarge(f"'{self.name}' has {large(problem.cases)} {what}, too many to compare all.")
            if channel.conditioned:
                require_evidence(self.name, all_evidence(channel, budget.max_beliefs), parameter)
            cases = Exhaustive().classes(problem, budget)
            return cases, {problem.measure.cases: problem.cases, "different_probabilities": len(cases)}
        if channel.conditioned:
            require_evidence(self.name, evidence_of_orbits(channel), parameter)
        solver = BySymmetry()
        orbits = solver.cost(problem)
        if orbits > _MOST_ORBITS:
            raise TooLarge(f"'{self.name}' has {large(orbits)} orbits of {problem.measure.cases}, too many.")
        cases = solver.classes(problem, budget)
        return cases, {"orbits": orbits, "different_probabilities": len(cases)}


def _same(witness: Any) -> Any:
    return witness


def _pair(case: Any) -> PairWitness:
    return PairWitness(case.loss.x, case.loss.x_prime)
