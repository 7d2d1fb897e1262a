"""Stopped profiles and trade-off curves: intervals that hold the truth, and say that they are not finished."""

import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from taut import INFINITY, Model, bits, discrete_laplace, flip, ints, mechanism
from taut.mechanisms import rr_count


@mechanism
def noisy_sum(x: Any) -> Any:
    return discrete_laplace(sum(x), 2, 0, 6)


@mechanism
def leaking(x: Any) -> Any:
    return sum(x) if flip("1/8") else flip("1/4")


MODELS: dict[str, Callable[[], Model]] = {
    "rational": lambda: rr_count(bits(4), lam="1/5"),
    "balls": lambda: noisy_sum(ints(2, 0, 3)),
    "infinite": lambda: leaking(bits(4)),
}
RATIOS = [Fraction(1), Fraction(3, 2), Fraction(4), Fraction(50)]


def stop(_: Any) -> None:
    """Interrupt at the first report of progress, as Ctrl-C does."""
    raise KeyboardInterrupt


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("runs", [1, 2])
def test_a_stopped_profile_holds_the_truth_and_says_so(name: str, runs: int, tmp_path: Path) -> None:
    stopped, whole = MODELS[name]().profile(progress=stop), MODELS[name]().profile()
    if runs == 1:
        assert stopped.verify()
    else:
        stopped, whole = stopped.compose(runs), whole.compose(runs)
    assert not stopped.complete and not stopped.exact and "not finished" in str(stopped)
    for ratio in RATIOS:
        (low, high), (least, most) = stopped.delta_interval(ratio=ratio), whole.delta_interval(ratio=ratio)
        assert 0 <= low <= most and least <= high <= 1
    assert stopped.gaussian_lower <= whole.gaussian <= stopped.gaussian
    assert stopped.epsilon("1/10").lower <= whole.epsilon("1/10").upper <= stopped.epsilon("1/10").upper
    stopped.plot(tmp_path / "profile.svg")
    assert json.dumps(stopped.to_dict()) and repr(stopped)
    assert pickle.loads(pickle.dumps(stopped)) == stopped


@pytest.mark.parametrize("name", MODELS)
def test_a_stopped_tradeoff_curve_holds_the_truth_and_says_so(name: str, tmp_path: Path) -> None:
    stopped, whole = MODELS[name]().tradeoff(progress=stop), MODELS[name]().tradeoff()
    assert not stopped.complete and "not finished" in str(stopped) and stopped.verify()
    for alpha in (Fraction(place, 8) for place in range(9)):
        (low, high), (least, most) = stopped.interval(alpha), whole.interval(alpha)
        assert low <= most and least <= high
    stopped.plot(tmp_path / "tradeoff.svg")
    assert json.dumps(stopped.to_dict()) and pickle.loads(pickle.dumps(stopped)) == stopped
    assert dict(stopped.question.rows(stopped))["beta"].startswith("between")


@pytest.mark.parametrize("name", MODELS)
def test_a_mu_is_not_denied_because_a_profile_was_stopped(name: str) -> None:
    stopped, whole = MODELS[name]().profile(progress=stop), MODELS[name]().profile()
    told = dict(stopped.question.rows(stopped))["Gaussian"]
    if stopped.gaussian_lower == INFINITY:
        assert whole.gaussian == INFINITY and told == "none: no mu is large enough"
    else:
        words, least = told.rsplit(" ", 1)
        assert words == "not known, since the profile is not finished; mu is at least"
        assert 0 <= Fraction(stopped.gaussian_lower) - Fraction(least) < Fraction(1, 10**8)


STOPPED: dict[str, Callable[[Model, Any], Any]] = {
    "privacy": lambda model, progress: model.privacy(method="search", progress=progress),
    "epsilon": lambda model, progress: model.epsilon("1/1000", progress=progress),
    "renyi": lambda model, progress: model.renyi(2, progress=progress),
    "zcdp": lambda model, progress: model.zcdp(progress=progress),
    "divergence": lambda model, progress: model.divergence("chi_squared", progress=progress),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", STOPPED)
def test_only_what_is_known_to_be_infinite_is_called_so(model: str, name: str) -> None:
    whole, stopped = (STOPPED[name](MODELS[model](), progress).to_dict() for progress in (None, stop))
    assert whole["infinite"] == (model == "infinite" and (name != "epsilon" or whole["upper"] == "inf"))
    assert whole["infinite"] or not stopped["infinite"]
    assert stopped["upper"] != "inf" or stopped["infinite"] or not stopped["exact"]
