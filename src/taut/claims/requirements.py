"""The kinds of claims: pure and approximate privacy, Rényi, zCDP, accuracy; each decides itself on a model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.claims.verdict import Counterexample, Verdict
from taut.errors import InvalidInput, InvalidNumber, InvalidProbability, TooLarge, WrongArguments
from taut.model import Model
from taut.numbers import INFINITY, Ball, ends, exp, number, surely_above
from taut.results import AccuracyBound, Bound, DeltaBound, DivergenceBound, PairWitness, PrivacyBound
from taut.results.claims import below_epsilon, below_ratio
from taut.results.text import text_of

__all__ = ["Requirement", "requirements"]


@dataclass(frozen=True)
class Requirement(ABC):
    """One number that a mechanism has to keep to."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The claim as one would say it."""

    @abstractmethod
    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        """Whether a model keeps to it; ``limits`` are those of the model's questions."""

    def _of_pair(
        self, holds: bool | None, claimed: Any, rounded: float, value: Any, bound: DivergenceBound, name: str
    ) -> Verdict:
        """The verdict on a number that is only known rounded up; where it is too large, the pair tells so."""
        slack = _below(claimed, rounded) if holds else None
        failing = Counterexample(bound.witness.x, bound.witness.x_prime) if holds is False else None
        return Verdict(self.words, holds, _number(claimed), value, bound, name, slack, failing)


@dataclass(frozen=True)
class Pure(Requirement):
    """e^epsilon is at most what is claimed, by its logarithm or exactly."""

    epsilon: Any
    ratio: Any

    @property
    def words(self) -> str:
        return f"e^eps <= {_typed(self.ratio)}" if self.epsilon is None else f"eps <= {_typed(self.epsilon)}"

    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        bound = model.privacy(neighbors, **limits)
        holds = bound.holds(ratio=self.ratio) if self.epsilon is None else bound.holds(self.epsilon)
        slack = None if not holds else self._slack(bound)
        failing = self._counterexample(model, bound) if holds is False else None
        claimed = self.ratio if self.epsilon is None else self.epsilon
        return Verdict(self.words, holds, _number(claimed), bound.max_ratio, bound, "e^eps", slack, failing)

    def _slack(self, bound: PrivacyBound) -> Any:
        if self.epsilon is None:
            return _number(self.ratio) - bound.max_ratio if self.ratio != INFINITY else INFINITY
        return INFINITY if self.epsilon == INFINITY else _below(self.epsilon, bound.epsilon)

    @staticmethod
    def _counterexample(model: Model, bound: PrivacyBound) -> Counterexample:
        x, x_prime, y = bound.witness.x, bound.witness.x_prime, bound.witness.y

        def again() -> tuple[Any, Any, str]:
            (own, how), (other, _) = model.replayed(x, y), model.replayed(x_prime, y)
            return own, other, how

        return Counterexample(x, x_prime, (y,), model.probability(x, y), model.probability(x_prime, y), again)


@dataclass(frozen=True)
class Approximate(Requirement):
    """Delta at an epsilon is at most what is claimed."""

    epsilon: Any
    ratio: Any
    delta: Fraction
    given: Any
    """Delta as it was typed."""

    @property
    def words(self) -> str:
        at = f"e^eps = {_typed(self.ratio)}" if self.epsilon is None else f"eps = {_typed(self.epsilon)}"
        return f"delta <= {_typed(self.given)} at {at}"

    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        gamma = number(self.ratio, "ratio") if self.epsilon is None else _largest_exp(self.epsilon)
        bound = model.delta(neighbors=neighbors, ratio=gamma, **limits)
        holds = below_ratio(bound.lower, bound.upper, self.delta)
        if holds is None and _decided(bound) and self.epsilon is not None:
            # delta is a ball around the claim: compare epsilons instead, which is possible without rounding
            smallest = model.epsilon(self.delta, neighbors, **limits)
            holds = below_epsilon(smallest.lower, smallest.upper, self.epsilon)
        slack = self.delta - bound.delta if holds else None
        failing = self._counterexample(model, bound, gamma) if holds is False else None
        return Verdict(self.words, holds, self.delta, bound.delta, bound, "delta", slack, failing)

    @staticmethod
    def _counterexample(model: Model, bound: DeltaBound, gamma: Any) -> Counterexample:
        pair = bound.witness

        def masses(loss: Any) -> tuple[Any, Any]:
            atoms = [atom for atom in loss.atoms if surely_above(atom.mass, gamma * atom.mass_prime)]
            return sum(atom.mass for atom in atoms), sum(atom.mass_prime for atom in atoms)

        def again() -> tuple[Any, Any, str]:
            loss, how = model.replayed_loss(PairWitness(pair.x, pair.x_prime))
            return *masses(loss), how

        own, other = masses(model.loss(pair.x, pair.x_prime))
        return Counterexample(pair.x, pair.x_prime, getattr(pair, "event", None), own, other, again)


@dataclass(frozen=True)
class Renyi(Requirement):
    """The Rényi divergence of an order is at most what is claimed."""

    order: Any
    divergence: Any

    @property
    def words(self) -> str:
        return f"Rényi divergence of order {_typed(self.order)} <= {_typed(self.divergence)}"

    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        bound = model.renyi(self.order, neighbors, **limits)
        # the divergence is at most d exactly where the moment is at most e^((order - 1) d)
        power = (number(self.order, "renyi: order") - 1) * _number(self.divergence)
        holds = below_epsilon(bound.lower, bound.upper, power)
        return self._of_pair(holds, self.divergence, bound.divergence, bound.moment, bound, "moment")


@dataclass(frozen=True)
class Concentrated(Requirement):
    """Rho of zero-concentrated differential privacy is at most what is claimed."""

    rho: Any

    @property
    def words(self) -> str:
        return f"rho <= {_typed(self.rho)}"

    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        bound = model.zcdp(neighbors, **limits)
        holds = below_ratio(bound.lower, bound.upper, self.rho)
        return self._of_pair(holds, self.rho, bound.rho, bound.upper, bound, "rho")


@dataclass(frozen=True)
class Accurate(Requirement):
    """The output comes within alpha of a target with at least the probability that is claimed, on every input."""

    target: Any
    alpha: Any
    probability: Fraction
    given: Any
    """The probability as it was typed."""
    distance: Any = None

    @property
    def words(self) -> str:
        aim = getattr(self.target, "__name__", "the target")
        return f"1-beta >= {_typed(self.given)} within {_typed(self.alpha)} of {aim}"

    def verdict(self, model: Model, neighbors: Any, limits: Mapping[str, Any]) -> Verdict:
        bound = model.accuracy(self.target, self.alpha, distance=self.distance, **limits)
        below = ends(bound.upper)[1] < self.probability
        holds = True if ends(bound.lower)[0] >= self.probability else False if below else None
        slack = bound.probability - self.probability if holds else None
        failing = self._counterexample(model, bound) if holds is False else None
        return Verdict(self.words, holds, self.probability, bound.probability, bound, "1-beta", slack, failing)

    def _counterexample(self, model: Model, bound: AccuracyBound) -> Counterexample:
        x = bound.witness.x

        def again() -> tuple[Any, Any, str]:
            outcome = bound.verify()
            return outcome.replayed, None, outcome.method

        return Counterexample(x, None, self._close(model, x), bound.attained, None, again)

    def _close(self, model: Model, x: Any) -> Iterable[Any] | None:
        """The outputs that are close enough on x, if they can be listed."""
        far = self.distance or (lambda output, value: abs(output - value))
        reach = number(self.alpha, "alpha")
        try:
            wanted = self.target[x] if isinstance(self.target, Mapping) else self.target(x)
            return tuple(y for y in model.distribution(x) if far(y, wanted) <= reach)
        except (TooLarge, TypeError, ValueError):
            return None  # there is still the input, and the probability


def requirements(
    epsilon: Any = None,
    ratio: Any = None,
    delta: Any = None,
    renyi: Any = None,
    zcdp: Any = None,
    accuracy: Any = None,
) -> list[Requirement]:
    """The parts of a claim.

    Raises
    ------
    WrongArguments
        Nothing is claimed, or things that do not go together.
    InvalidNumber, InvalidProbability
        A number is out of its range.
    """
    parts: list[Requirement] = []
    if epsilon is not None and ratio is not None:
        raise WrongArguments("claim: give epsilon, or ratio= for e^epsilon exactly, not both.", value=epsilon)
    if epsilon is not None or ratio is not None:
        _check_epsilon(epsilon, ratio)
        share = Fraction(0) if delta is None else _share(delta, "delta")
        parts.append(Approximate(epsilon, ratio, share, delta) if share else Pure(epsilon, ratio))
    elif delta is not None:
        raise WrongArguments("claim: delta needs epsilon, or ratio= for e^epsilon exactly.", value=delta)
    if renyi is not None:
        order, divergence = _several(renyi, "renyi", "(order, divergence)", 2)
        if ends(_positive(order, "renyi: order"))[0] <= 1:
            raise InvalidNumber(f"claim: renyi: the order must be above 1; got {order}.", value=order)
        _positive(divergence, "renyi: divergence")
        parts.append(Renyi(order, divergence))
    if zcdp is not None:
        _positive(zcdp, "zcdp")
        parts.append(Concentrated(zcdp))
    if accuracy is not None:
        target, alpha, least, *distance = _several(accuracy, "accuracy", "(target, alpha, probability)", 3, 4)
        _positive(alpha, "accuracy: alpha")
        parts.append(Accurate(target, alpha, _share(least, "accuracy: probability"), least, *distance))
    if not parts:
        raise WrongArguments("claim: nothing is claimed; give epsilon=, ratio=, delta=, renyi=, zcdp= or accuracy=.")
    return parts


def _check_epsilon(epsilon: Any, ratio: Any) -> None:
    if INFINITY in (epsilon, ratio):
        return
    if epsilon is not None:
        _positive(epsilon, "epsilon")
    elif ends(number(ratio, "claim: ratio"))[0] < 1:
        raise InvalidNumber(f"claim: ratio = e^epsilon must be at least 1; got {ratio}.", value=ratio)


def _positive(value: Any, what: str) -> Any:
    read = number(value, f"claim: {what}")
    if ends(read)[0] < 0:
        raise InvalidNumber(f"claim: {what} must not be negative; got {value}.", value=value)
    return read


def _share(value: Any, what: str) -> Fraction:
    read = number(value, f"claim: {what}")
    if isinstance(read, Ball) or not 0 <= read <= 1:
        raise InvalidProbability(f"claim: {what} must be a rational number in [0, 1]; got {value}.", value=value)
    return read


def _several(given: Any, name: str, form: str, *lengths: int) -> list[Any]:
    if not isinstance(given, (tuple, list)) or len(given) not in lengths:
        raise InvalidInput(f"claim: {name} is written {name}={form}; got {given!r}.", value=given)
    return list(given)


def _number(value: Any) -> Any:
    return value if value == INFINITY else number(value, "claim")


def _largest_exp(epsilon: Any) -> Any:
    """e^epsilon; for a float that of the largest real number that rounds to it, as in ``PrivacyBound.holds``."""
    if epsilon == 0:
        return Fraction(1)
    if isinstance(epsilon, float):
        return exp((Fraction(epsilon) + Fraction(math.nextafter(epsilon, math.inf))) / 2)
    return exp(epsilon)


def _decided(bound: Bound) -> bool:
    """Whether nothing was left open, so that only rounding keeps the ends apart."""
    return bound.stats.get("stopped") is None


def _below(claimed: Any, value: float) -> float:
    """A float that is surely not above claimed - value, which is not negative; ``value`` is rounded up."""
    gap = Fraction(ends(_number(claimed))[0]) - Fraction(value)
    return max(0.0, math.nextafter(float(gap), -math.inf))


def _typed(value: Any) -> str:
    return str(value) if isinstance(value, (int, float, str)) else str(text_of(value))
