"""Every question about every built-in mechanism, by every method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.records import Records, answer

import taut
from taut import measures, mechanisms

__all__ = ["MECHANISMS", "mechanism_records"]

METHODS = ("auto", "search", "exhaustive", "restricted")
SIZES: dict[str, dict[str, Any]] = {
    "randomized_response": {"n": 3},
    "rr_count": {"n": 3},
    "rappor": {"n": 1, "k": 2},
    "symmetric_unary_encoding": {"k": 2},
    "optimised_unary_encoding": {"k": 2},
    "one_time_rappor": {"n": 1},
    "subset_selection": {"k": 3, "omega": 1},
    "geometric_count": {"n": 3},
    "prefix_sums": {"n": 3},
    "binary_tree_counter": {"n": 3},
    "rr_majority": {"n": 3},
    "propose_test_release": {"n": 3},
    "composed": {"n": 3},
    "subsampled": {"n": 3},
}
"""Arguments of the mechanisms that are not asked with two entries and their own defaults."""
MECHANISMS = tuple(mechanisms.CATALOG)


def identity(x: Any) -> Any:
    return list(x)


def hamming(output: Any, wanted: Any) -> Any:
    return sum(1 for a, b in zip(output, wanted, strict=True) if a != b)


def largest(output: Any, wanted: Any) -> Any:
    return max(abs(a - b) for a, b in zip(output, wanted, strict=True))


def different(output: Any, wanted: Any) -> Any:
    return 0 if output == wanted else 1


def prefixes(x: Any) -> Any:
    return [sum(x[: i + 1]) for i in range(len(x))]


def first_largest(x: Any) -> Any:
    return max(range(len(x)), key=lambda i: x[i])


def majority(x: Any) -> Any:
    return 2 * sum(x) > len(x)


TARGETS: dict[str, tuple[Any, Any, Any]] = {
    **dict.fromkeys(["rr_count", "geometric_count", "subsampled"], (sum, 1, None)),
    **dict.fromkeys(["randomized_response", "k_ary_randomized_response"], (identity, 1, hamming)),
    **dict.fromkeys(["prefix_sums", "binary_tree_counter"], (prefixes, 1, largest)),
    **dict.fromkeys(["exponential_mechanism", "permute_and_flip", "report_noisy_max"], (first_largest, 0, different)),
    "rr_majority": (majority, 0, different),
}
"""For mechanisms that estimate something: the target, alpha and the distance."""

QUESTIONS: dict[str, Callable[[taut.Model, str], Any]] = {
    "privacy": lambda model, method: model.privacy(method=method),
    "delta ratio=3/2": lambda model, method: model.delta(ratio="3/2", method=method),
    "epsilon delta=1/20": lambda model, method: model.epsilon("1/20", method=method),
    "profile": lambda model, method: model.profile(method=method),
    "renyi order=2": lambda model, method: model.renyi(2, method=method),
    "zcdp": lambda model, method: model.zcdp(method=method),
    "tradeoff": lambda model, method: model.tradeoff(method=method),
    "total variation": lambda model, method: model.divergence(measures.TotalVariation(), method=method),
}
"""Questions that are asked by every method."""
BY_AUTO: dict[str, Callable[[taut.Model], Any]] = {
    "delta epsilon=1/2": lambda model: model.delta("1/2"),
    "renyi order=3/2": lambda model: model.renyi("3/2"),
    "Kullback-Leibler": lambda model: model.divergence(measures.KullbackLeibler()),
    "chi squared": lambda model: model.divergence(measures.ChiSquared()),
    "squared Hellinger": lambda model: model.divergence(measures.SquaredHellinger()),
    "worst pairs": lambda model: model.worst_pairs(),
    "symmetries": lambda model: model.symmetries(),
    "loss": lambda model: model.loss(*_pair(model)),
    "distribution": lambda model: _table(model.distribution(_pair(model)[1])),
    "inference set": lambda model: _table(dict(enumerate(model.inference_set().items[:40]))),
    "privacy set": lambda model: _table(dict(enumerate(model.privacy_set().items[:40]))),
    "profile of two runs": lambda model: model.profile().compose(2),
    "sizes": lambda model: (model, model.domain, model.size),
}
"""Questions that are asked once."""


def mechanism_records(name: str) -> Records:
    """Ask everything about a built-in mechanism; each question has a model of its own, so that none helps the next."""
    arguments = {"n": 2, **SIZES.get(name, {})}

    def fresh() -> taut.Model:
        with taut.options(validate="off"):  # which takes half of the time; the record "validation" has its outcome
            return mechanisms.CATALOG[name].model(**arguments)

    records = {
        f"{question}, {method}": answer(lambda ask=ask, method=method: ask(fresh(), method), brief=method != "auto")
        for question, ask in QUESTIONS.items()
        for method in METHODS
    }
    records |= {question: answer(lambda ask=ask: ask(fresh())) for question, ask in BY_AUTO.items()}
    records["validation"] = answer(lambda: mechanisms.CATALOG[name].model(**arguments).validation)
    if name in TARGETS:
        records |= _accuracy_records(fresh, *TARGETS[name])
    return records


def _accuracy_records(fresh: Callable[[], taut.Model], target: Any, alpha: Any, distance: Any) -> Records:
    records = {
        f"accuracy, {method}": answer(
            lambda method=method: fresh().accuracy(target, alpha, distance=distance, method=method),
            brief=method != "auto",
        )
        for method in METHODS
    }
    for statistic in ("mean", "mean_square", "variance"):
        records |= {
            f"error {statistic}, {method}": answer(
                lambda method=method, statistic=statistic: getattr(
                    fresh().error(target, distance=distance, method=method), statistic
                ),
                brief=method != "auto",
            )
            for method in METHODS
        }
    records["best accuracy"] = answer(lambda: fresh().accuracy(target, alpha, distance=distance, best=True))
    records["error quantile 9/10"] = answer(lambda: fresh().error(target, distance=distance).quantile("9/10"))
    records["worst inputs"] = answer(lambda: fresh().worst_inputs(target, alpha, distance=distance))
    records["accuracy set"] = answer(
        lambda: _table(dict(enumerate(fresh().accuracy_set(target, distance=distance).items[:40])))
    )
    return records


def _pair(model: taut.Model) -> tuple[Any, Any]:
    """Two inputs that differ in their last entry."""
    low, high = model.domain.values[0], model.domain.values[1]
    return (low,) * model.domain.n, (low,) * (model.domain.n - 1) + (high,)


def _table(entries: dict[Any, Any]) -> str:
    return "\n".join(f"{key!r}: {value}" for key, value in entries.items())
