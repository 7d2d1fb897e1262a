"""Epsilon at delta = 10^-6 of a thousand runs: by taut, and by accountants that compute in floats."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

import taut
from taut.mechanisms import randomized_response

RUNS = 1000
DELTA = 1e-6


@taut.mechanism
def first_above(x: Any) -> Any:
    bar = taut.geometric(1, "1/2", 0, 3)
    for place, value in enumerate(x):
        if taut.geometric(value, "1/2", 0, 3) >= bar:
            return place
    return len(x)


def profile_of(mechanism: str) -> Any:
    """The profile of one run."""
    if mechanism == "randomized response":
        return randomized_response(taut.bits(1), lam="1/5").profile()
    return first_above(taut.ints(3, 0, 3)).profile()


def by_taut(profile: Any, runs: int = RUNS) -> tuple[float, float]:
    """Two floats between which epsilon lies, rounded outwards."""
    bound = profile.compose(runs).epsilon("1e-6")
    lower = math.log(bound.lower.numerator) - math.log(bound.lower.denominator)
    return min(lower * (1 - 1e-15), bound.epsilon), bound.epsilon


def by_dp_accounting(profile: Any, interval: float) -> float:
    """The epsilon of Google's accountant for the same pair, its losses rounded up to multiples of an interval."""
    return float(profile.to_dp_accounting(interval).self_compose(RUNS).get_epsilon_for_delta(DELTA))


def by_prv_accountant(profile: Any, error: float) -> tuple[float, float, float]:
    """Lower bound, estimate and upper bound of Microsoft's accountant for the same pair.

    It integrates the distribution function numerically to find the mean loss, and refuses steps ("Discrete mean differs
    from continuous mean significantly"); here it is told the mean.
    """
    from prv_accountant import PrivacyRandomVariable, PRVAccountant, accountant
    from prv_accountant.privacy_random_variables import PrivacyRandomVariableTruncated

    finite = sorted((math.log(ratio), float(mass)) for ratio, mass, _ in profile.dominating_pair if mass)
    losses = np.array([loss for loss, _ in finite])
    masses = np.array([mass for _, mass in finite])
    totals = np.concatenate([[0.0], np.cumsum(masses)])

    class Loss(PrivacyRandomVariable):  # type: ignore[misc]
        def cdf(self, t: Any) -> Any:
            return totals[np.searchsorted(losses, t, side="right")]

        def rdp(self, alpha: float) -> float:
            return float(np.log(np.exp((alpha - 1) * losses) @ masses) / (alpha - 1))

    class KnownMean(PrivacyRandomVariableTruncated):  # type: ignore[misc]
        def mean(self) -> float:
            return float(losses @ masses)

    accountant.PrivacyRandomVariableTruncated = KnownMean
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = PRVAccountant(Loss(), eps_error=error, delta_error=DELTA / 1000, max_self_compositions=RUNS)
        low, estimate, high = made.compute_epsilon(DELTA, [RUNS])
    return low, estimate, high
