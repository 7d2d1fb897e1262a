"""A thousand runs: epsilon at delta = 10^-6, by taut and by accountants that compute in floats.

``grid`` is the interval of losses of dp_accounting, and the error in epsilon asked of prv_accountant. Their answers are
those of dp_accounting 0.6.0 and prv_accountant 0.2.0. The profile of one run is made before the clock starts.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import taut
from benchmarks.accountants import by_dp_accounting, by_prv_accountant, by_taut, profile_of
from benchmarks.cases.sizes import gaussian_count
from benchmarks.registry import case

RESPONSE, THRESHOLD = "randomized response", "above-threshold"
QUESTIONS = {name: f"a thousand runs of {name}: epsilon at delta = 10^-6" for name in (RESPONSE, THRESHOLD)}


@case(mechanism=RESPONSE, question=QUESTIONS[RESPONSE], answer="between 991.487047 and 991.487047", quick=True)
@case(mechanism=THRESHOLD, question=QUESTIONS[THRESHOLD], answer="between 792.597508 and 792.597508", quick=True)
def thousand_runs(mechanism: str) -> Generator[None, None, tuple[str, dict[str, Any]]]:
    profile = profile_of(mechanism)
    yield
    low, high = by_taut(profile)
    return f"between {low:.6f} and {high:.6f}", {"epsilon": high}


def peer(mechanism: str, tool: str, grid: float, answer: str) -> Any:
    """A case of an accountant, named like it."""
    return case(
        mechanism=mechanism,
        tool_name=tool,
        grid=grid,
        tool=f"{tool}, {'steps' if tool == 'dp_accounting' else 'error'} {grid:g}",
        question=QUESTIONS[mechanism],
        needs=(tool,),
        answer=answer,
    )


@peer(RESPONSE, "dp_accounting", 0.001, "on the safe side, 2e-03 off")
@peer(RESPONSE, "dp_accounting", 0.0001, "on the safe side, 1e-03 off")
@peer(RESPONSE, "prv_accountant", 1.0, "on the safe side, its estimate not, 7e-04 off")
@peer(RESPONSE, "prv_accountant", 0.1, "on the safe side, its estimate not, 7e-05 off")
@peer(THRESHOLD, "dp_accounting", 0.001, "on the safe side, 2e-03 off")
@peer(THRESHOLD, "dp_accounting", 0.0001, "on the safe side, 1e-03 off")
@peer(THRESHOLD, "prv_accountant", 1.0, "on the safe side, its estimate too, 1e-03 off")
@peer(THRESHOLD, "prv_accountant", 0.1, "on the safe side, its estimate too, 1e-04 off")
def thousand_runs_by(mechanism: str, tool_name: str, grid: float) -> Generator[None, None, tuple[str, dict[str, Any]]]:
    """The answer says on which side of the truth it is."""
    profile = profile_of(mechanism)
    truth = by_taut(profile)
    yield
    estimate = None
    if tool_name == "dp_accounting":
        high = by_dp_accounting(profile, grid)
    else:
        _, estimate, high = by_prv_accountant(profile, grid)
    side = "on the safe side" if high >= truth[1] else "BELOW the truth" if high < truth[0] else "within the interval"
    if estimate is not None:
        side += ", its estimate " + ("too" if estimate >= truth[1] else "not")
    return f"{side}, {high / truth[1] - 1:.0e} off", {"epsilon": high}


GAUSSIANS = "100 discrete Gaussian counts of variance 4, from the start: epsilon at delta = 10^-6"


@case(question=GAUSSIANS, answer="35.567536", quick=True)
def hundred_gaussian_counts() -> str:
    """All of it is timed: reading, the profile of a count of 1,000 people, 100 runs."""
    model = gaussian_count(taut.bits(1000))
    return f"{model.profile().compose(100).epsilon('1e-6').epsilon:.6f}"


@case(
    question=GAUSSIANS,
    tool="dp_accounting, steps 0.0001",
    needs=("dp_accounting",),
    answer="BELOW the truth, -4e-11 off",
)
def hundred_gaussian_counts_by_dp_accounting() -> Generator[None, None, str]:
    from dp_accounting.pld.privacy_loss_distribution import from_discrete_gaussian_mechanism

    low, high = by_taut(gaussian_count(taut.bits(1000)).profile(), runs=100)
    yield
    whole = from_discrete_gaussian_mechanism(2.0, value_discretization_interval=1e-4).self_compose(100)
    found = whole.get_epsilon_for_delta(1e-6)
    side = "on the safe side" if found >= high else "BELOW the truth" if found < low else "within the interval"
    return f"{side}, {found / high - 1:.0e} off"
