"""Every kind of result has a repr, a pickle, plain data and a file, or refuses in a sentence; also where balls tie."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import InvalidInput, Model, bits, discrete_laplace, exp, flip, integer, measures, mechanism
from taut.composition.certified import CertifiedComposition
from taut.mechanisms import randomized_response, rr_count
from taut.questions.bound import Bound
from taut.questions.drawn import SeveralBounds


@mechanism
def tied(x: Any) -> Any:
    return flip(exp("-1")) if x[0] else flip(exp("-2"))


@mechanism(neighbors="one_step")
def noisy(x: Any) -> Any:
    return discrete_laplace(x, 1, 0, 6)


@mechanism
def leaking(x: Any) -> Any:
    return x[0] if flip("1/3") else flip("1/4")


MODELS: dict[str, Callable[[], Model]] = {
    "rational": lambda: randomized_response(bits(2), lam="1/5"),
    "infinite": lambda: leaking(bits(1)),
    "tied balls": lambda: tied(bits(1)),
    "noise": lambda: noisy(integer(0, 2)),
}


def first(x: Any) -> Any:
    return x[0] if isinstance(x, tuple) else x


def same(output: Any, wanted: Any) -> Any:
    return 0 if output == wanted else 1


def ends_of(model: Model) -> tuple[Any, Any]:
    """Return two different inputs."""
    inputs = list(model.domain)
    return inputs[0], inputs[1]


def replay_of(verdict: Any) -> Any:
    return verdict.counterexample.replay()


def asked(model: Model) -> Any:
    """Errors with one computed statistic."""
    error = model.error(first, distance=same)
    assert error.mean.upper >= 0
    return error


RESULTS: dict[str, Callable[[Model], Any]] = {
    "privacy": lambda model: model.privacy(),
    "search": lambda model: model.privacy(method="search"),
    "delta": lambda model: model.delta(1),
    "event": lambda model: model.delta(1).witness.event,
    "epsilon": lambda model: model.epsilon("1/10"),
    "renyi": lambda model: model.renyi(2),
    "zcdp": lambda model: model.zcdp(),
    "divergence": lambda model: model.divergence(measures.KullbackLeibler()),
    "several": lambda model: SeveralBounds({"two": model.renyi(2), "three": model.renyi(3)}),
    "profile": lambda model: model.profile(),
    "composed": lambda model: model.profile().compose(2),
    "certified": lambda model: model.profile().compose(400),
    "tradeoff": lambda model: model.tradeoff(),
    "tradeoff function": lambda model: model.profile().tradeoff(),
    "loss": lambda model: model.loss(*ends_of(model)),
    "accuracy": lambda model: model.accuracy(first, 0, distance=same),
    "mean": lambda model: model.error(first, distance=same).mean,
    "errors": asked,
    "ratio classes": lambda model: model.ratio_classes(),
    "worst pairs": lambda model: model.worst_pairs(),
    "worst inputs": lambda model: model.worst_inputs(first, 0, distance=same),
    "symmetries": lambda model: model.symmetries(),
    "verification": lambda model: model.privacy().verify(),
    "verdict": lambda model: taut.check(model, epsilon="1/10"),
    "verdict of delta": lambda model: taut.check(model, epsilon="1/10", delta="1/1000"),
    "counterexample": lambda model: taut.check(model, epsilon="1/10").counterexample,
    "replay": lambda model: replay_of(taut.check(model, epsilon="1/10")),
    "joint": lambda model: model.distribution(ends_of(model)[0]),
}
CASES = [
    *[(result, model) for result in RESULTS for model in MODELS if result != "certified"],
    *[("certified", model) for model in ("tied balls", "noise")],
]


@pytest.fixture(scope="module")
def made() -> Callable[[str, str], Any]:
    """Results by their names, each made once."""
    known: dict[tuple[str, str], Any] = {}

    def result(name: str, model: str) -> Any:
        if (name, model) not in known:
            known[name, model] = RESULTS[name](MODELS[model]())
        return known[name, model]

    return result


@pytest.mark.parametrize(("name", "model"), CASES)
def test_a_result_is_told_pickled_and_written(
    name: str, model: str, made: Callable[[str, str], Any], tmp_path: Path
) -> None:
    result = made(name, model)
    assert "object at 0x" not in repr(result) and str(result)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result) and str(again) == str(result)
    if hasattr(result, "to_dict"):
        assert json.dumps(again.to_dict()) == json.dumps(result.to_dict())
    if hasattr(result, "save"):
        _saved_or_refused(name, result, tmp_path / "result.json")
    if isinstance(result, Bound):
        assert again == result


def _saved_or_refused(name: str, result: Any, path: Path) -> None:
    try:
        result.save(path)
    except InvalidInput as refusal:
        told = str(refusal)
    else:
        goal = {"target": first, "distance": same} if name == "accuracy" else {}
        assert taut.replay(path, **goal)
        return
    assert told.startswith("save: ") and not isinstance(result, taut.PrivacyBound)


def test_a_composition_by_certified_intervals_is_among_them(made: Callable[[str, str], Any]) -> None:
    assert isinstance(made("certified", "noise").upper, CertifiedComposition)


@pytest.mark.parametrize("name", ["privacy", "delta", "epsilon", "renyi", "zcdp", "profile", "tradeoff", "accuracy"])
def test_a_pickled_bound_refuses_to_be_verified(name: str, made: Callable[[str, str], Any]) -> None:
    again = pickle.loads(pickle.dumps(made(name, "rational")))
    with pytest.raises(InvalidInput, match="pickling leaves the model behind"):
        again.verify()


def test_pickled_errors_know_what_was_asked_for(made: Callable[[str, str], Any]) -> None:
    errors = made("errors", "rational")
    again = pickle.loads(pickle.dumps(errors))
    assert again.mean == errors.mean
    with pytest.raises(InvalidInput, match="leaves its model behind"):
        _ = again.mean_square


def test_a_pickled_counterexample_is_not_replayed(made: Callable[[str, str], Any]) -> None:
    counterexample = made("counterexample", "rational")
    assert counterexample.replay()
    with pytest.raises(InvalidInput, match="leaves its model behind"):
        pickle.loads(pickle.dumps(counterexample)).replay()


def test_a_case_without_an_event_says_so() -> None:
    verdict = taut.check(rr_count(bits(2), lam="1/4"), renyi=(2, "1/100"))
    assert verdict.counterexample is not None
    with pytest.raises(InvalidInput, match="there is no event"):
        verdict.counterexample.replay()


@pytest.mark.parametrize("asked_for", ["bound", "calibration"])
def test_results_with_a_free_parameter_are_told_and_pickled(asked_for: str) -> None:
    free = rr_count(bits(2), lam=taut.parameter("lam", 0, "1/2"))
    result = free.calibrate(epsilon=1) if asked_for == "calibration" else free.privacy()
    assert repr(result) and json.dumps(result.to_dict()) and pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(InvalidInput, match="is not saved, because"):
        result.save("nowhere.json")
