"""Questions from Python beyond small built-in mechanisms: parameters, claims, composition, Dice, domains, sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.golden.command import file_lines, folder
from tests.golden.records import Records, answer

import taut
from taut import bits, categories, flip, geometric, integer, ints, measures, mechanism, parameter
from taut.mechanisms import (
    above_threshold,
    exponential_mechanism,
    geometric_count,
    histogram,
    k_ary_randomized_response,
    prefix_sums,
    randomized_response,
    report_noisy_max,
    rr_count,
    rr_majority,
)
from taut.verification.testing import assert_accurate, assert_private

__all__ = ["TOPICS", "topic_records"]


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 3)
    for i, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= bar:
            return i
    return len(x)


@mechanism
def present(x: Any, ratio: Any) -> Any:
    return geometric(len([entry for entry in x if entry is not None]), ratio, 0, len(x))


@mechanism
def honest_first(x: Any, lam: Any) -> Any:
    return [x[0], *[bit ^ flip(lam) for bit in x[1:]]]


@mechanism
def gated(x: Any, p: Any) -> Any:
    return x[0] ^ flip("1/4") if flip(p) else "nothing"


@mechanism
def squared(x: Any, p: Any) -> Any:
    return flip(p**2) if x[0] else flip("1/2")


@mechanism
def rounded(x: Any) -> Any:
    return flip(taut.exp(-1) / 2) if x[0] else flip(taut.exp(-2) / 2)


@mechanism
def named(x: Any) -> Any:
    return x[0] if flip("1/2") else taut.choice(["a", "b", "c"])


@mechanism
def game(x: Any) -> Any:
    first = x[0] ^ flip("1/3")
    return [first, x[1] ^ flip("1/4") if first else x[2] ^ flip("1/5")]


@mechanism
def draws(x: Any) -> Any:
    return taut.binomial(2, "1/3") + taut.uniform(0, 2) + taut.discrete({0: "1/2", 1: "1/2"}) + x[0]


@mechanism
def observed(x: Any) -> Any:
    first, second = flip("1/3"), flip("1/4")
    taut.observe(first or second or x[0])
    return first


def up(x: Any, x_prime: Any) -> Any:
    return sum(x_prime) - sum(x) == 1


LAM = parameter("lam", 0, "1/2")
DICE = """fun rr(x: (bool, bool)) { ((fst x) ^ flip 1/5, (snd x) ^ flip 1/5) }
fun shifted(x: int(3), by: int(3)) { x + by + discrete(0, 1/4, 1/2, 1/4, 0) }
"""
Asked = dict[str, Callable[[], Any]]


def _free() -> Asked:
    """A parameter that is left free."""

    def count() -> taut.ParametricModel:
        return rr_count(bits(3), lam=LAM)

    return {
        "rr_count, privacy": lambda: count().privacy(),
        "rr_count, privacy, latex": lambda: count().privacy().latex(),
        "rr_count, privacy, sampled": lambda: count().privacy(method="sampled"),
        "rr_count, privacy, one_step": lambda: count().privacy("one_step"),
        "rr_count, accuracy": lambda: count().accuracy(sum, 1),
        "rr_count, delta": lambda: count().delta(ratio=2),
        "rr_count, renyi": lambda: count().renyi(2),
        "rr_count, distribution": lambda: _table(count().distribution((0, 0, 1))),
        "rr_count, at 1/5": lambda: count().at("1/5").privacy(),
        "rr_count, epsilon<=1": lambda: count().calibrate(epsilon=1),
        "rr_count, ratio<=4": lambda: count().calibrate(ratio=4),
        "rr_count, delta<=1/100": lambda: count().calibrate(epsilon=1, delta="0.01"),
        "rr_count, renyi<=1/2": lambda: count().calibrate(renyi=(2, "1/2")),
        "rr_count, accurate": lambda: count().calibrate(epsilon=2, accuracy=(sum, 1, "0.8")),
        "rr_count, impossible": lambda: count().calibrate(epsilon=1, accuracy=(sum, 0, "0.9")),
        "rr n=8, privacy": lambda: randomized_response(bits(8), lam=LAM).privacy(),
        "k-ary, pieces": lambda: k_ary_randomized_response(ints(1, 0, 2), k=3, lam=parameter("lam", 0, 1)).privacy(),
        "a single value": lambda: gated(bits(1), p=parameter("p", 0, 1)).privacy(),
        "an irrational border": lambda: squared(bits(1), p=parameter("p", 0, 1)).privacy(),
        "above threshold": lambda: above_threshold(
            ints(2, 0, 2), threshold=1, ratio=parameter("ratio", 0, "9/10"), high=2
        ).privacy("one_differ"),
        "too many": lambda: gated(bits(1), p=parameter("p", 0, 2)),
        "sweep": lambda: taut.sweep(rr_count, bits(4), lam=["0.1", "0.2", "0.3"], target=sum, alpha=1),
        "sweep of delta and renyi": lambda: taut.sweep(rr_count, bits(3), lam=["0.1", "0.2"], delta_at=1, renyi=2),
        "sweep of sizes": lambda: taut.sweep(randomized_response, [bits(1), bits(2)], lam="1/4", over="x"),
    }


def _claims() -> Asked:
    """Claims, checked in Python."""
    asked: Asked = {}
    claims: dict[str, dict[str, Any]] = {
        "epsilon=1": {"epsilon": 1},
        "epsilon=1.4": {"epsilon": "1.4"},
        "epsilon=float": {"epsilon": 1.3862943611198906},
        "ratio=4": {"ratio": 4},
        "ratio=3": {"ratio": 3},
        "ratio=2, delta": {"ratio": 2, "delta": "1/10"},
        "epsilon=1, delta": {"epsilon": 1, "delta": "1/3"},
        "renyi": {"renyi": (2, "1.2")},
        "zcdp": {"zcdp": "0.1"},
        "accuracy": {"accuracy": (sum, 1, "0.9")},
        "accuracy that fails": {"accuracy": (sum, 1, "0.99")},
        "one_step": {"ratio": 2, "neighbors": "one_step"},
        "nothing": {},
        "nonsense": {"epsilon": -1},
    }
    for name, claim in claims.items():
        asked[f"rr_count, {name}"] = lambda claim=claim: taut.check(rr_count(bits(3), lam="1/5"), **claim)
        for method in ("search", "exhaustive", "restricted"):
            if name in ("ratio=3", "ratio=2, delta", "renyi", "accuracy that fails"):
                asked[f"rr_count, {name}, {method}"] = lambda claim=claim, method=method: taut.check(
                    rr_count(bits(3), lam="1/5"), **claim, method=method
                )
    return asked | {
        "counterexample": lambda: taut.check(rr_count(bits(3), lam="1/5"), ratio=3).counterexample,
        "replay of it": lambda: taut.check(rr_count(bits(3), lam="1/5"), ratio=3).counterexample.replay(),
        "assert_private": lambda: assert_private(rr_count(bits(3), lam="1/5"), ratio=4),
        "assert_accurate": lambda: assert_accurate(rr_count(bits(3), lam="1/5"), sum, 1, "0.9"),
    }


def _composed() -> Asked:
    """Runs that are composed, and the curves."""

    def curve() -> Any:
        return rr_count(bits(3), lam="1/5").profile()

    asked: Asked = {
        f"profile of {runs} runs, {what}": (lambda runs=runs, ask=ask: ask(curve().compose(runs)))
        for runs in (1, 2, 5)
        for what, ask in {
            "itself": lambda profile: profile,
            "delta ratio=2": lambda profile: profile.delta(ratio=2),
            "delta epsilon=1": lambda profile: profile.delta(1),
            "interval": lambda profile: profile.delta_interval(ratio=2),
            "epsilon": lambda profile: profile.epsilon("1/100"),
            "corners": lambda profile: profile.corners,
            "dominating pair": lambda profile: profile.dominating_pair,
            "gaussian": lambda profile: (profile.gaussian, profile.gaussian_lower),
            "tradeoff": lambda profile: profile.tradeoff(),
        }.items()
    }
    return asked | {
        "twenty runs, epsilon": lambda: curve().compose(20).epsilon("1e-6"),
        "two different": lambda: curve().compose(geometric_count(bits(2), ratio="1/2").profile()),
        "trade-off, convex": lambda: rr_count(bits(3), lam="1/5").tradeoff().convex(),
        "trade-off, worst": lambda: rr_count(bits(3), lam="1/5").tradeoff().worst("1/10"),
        "trade-off at 1/10": lambda: rr_count(bits(3), lam="1/5").tradeoff()("1/10"),
        "adaptive delta": lambda: game(bits(3)).delta(ratio=2, adaptive=True),
        "delta of the same": lambda: game(bits(3)).delta(ratio=2),
        "adaptive renyi": lambda: game(bits(3)).renyi(2, adaptive=True),
        "adaptive divergence": lambda: game(bits(3)).divergence(measures.TotalVariation(), adaptive=True),
        "loss, divergence": lambda: (
            rr_count(bits(3), lam="1/5").loss((0, 0, 0), (1, 1, 0)).divergence(measures.ChiSquared())
        ),
    }


def _large() -> Asked:
    """Sizes at which other ways to the answer are taken than at the sizes of :mod:`tests.golden.built_in`."""
    above = {"threshold": 2, "ratio": "1/2", "high": 3}
    return {
        "rr n=40, privacy": lambda: randomized_response(bits(40), lam="1/5").privacy(),
        "rr n=40, delta": lambda: randomized_response(bits(40), lam="1/5").delta(ratio=2),
        "rr n=40, symmetries": lambda: randomized_response(bits(40), lam="1/5").symmetries(),
        "rr n=9, restricted": lambda: randomized_response(bits(9), lam="1/5").privacy(method="restricted"),
        "rr n=60, loss": lambda: randomized_response(bits(60), lam="1/5").loss((0,) * 60, (1,) * 3 + (0,) * 57),
        "rr_count n=20, privacy": lambda: rr_count(bits(20), lam="1/4").privacy(),
        "rr_count n=8, delta": lambda: rr_count(bits(8), lam="1/4").delta(ratio=2),
        "rr_count n=8, epsilon": lambda: rr_count(bits(8), lam="1/4").epsilon("1/100"),
        "rr_count n=20, accuracy": lambda: rr_count(bits(20), lam="1/4").accuracy(sum, 3),
        "rr_count n=20, error": lambda: rr_count(bits(20), lam="1/4").error(sum).mean,
        "rr_count n=20, worst inputs": lambda: rr_count(bits(20), lam="1/5").worst_inputs(sum, 3, top=3),
        "rr_count n=20, worst pairs": lambda: rr_count(bits(20), lam="1/5").worst_pairs(3),
        "rr_count n=12, distribution": lambda: _table(rr_count(bits(12), lam="1/5").distribution((0, 1) * 6)),
        "rr_majority n=15, privacy": lambda: rr_majority(bits(15), lam="1/5").privacy(),
        "geometric_count n=30, delta": lambda: geometric_count(bits(30), ratio="1/2").delta(ratio="3/2"),
        "prefix_sums n=8, privacy": lambda: prefix_sums(bits(8), ratio="1/2").privacy(),
        "histogram n=6, privacy": lambda: histogram(ints(6, 0, 2), k=3, ratio="1/2").privacy(),
        "above n=8, privacy": lambda: above_threshold(ints(8, 0, 3), **above).privacy(),
        "above n=6, delta": lambda: above_threshold(ints(6, 0, 3), **above).delta(ratio=2),
        "above n=6, delta, search": lambda: above_threshold(ints(6, 0, 3), **above).delta(ratio=2, method="search"),
        "first above n=20, delta": lambda: first_above(ints(20, 0, 3)).delta(ratio=2, method="search"),
        "first above n=6, profile": lambda: first_above(ints(6, 0, 3)).epsilon("1/100"),
        "exponential n=5, privacy": lambda: exponential_mechanism(ints(5, 0, 2), base=2).privacy(),
        "noisy max n=5, privacy": lambda: report_noisy_max(ints(5, 0, 3), ratio="1/2", high=3).privacy(),
    }


def _written() -> Asked:
    """Mechanisms, domains, relations and programs of a user."""
    asked: Asked = {
        f"relation {neighbors}, {question}": (
            lambda neighbors=neighbors, question=question, arguments=arguments: getattr(
                rr_count(ints(2, 0, 1), lam="1/5"), question
            )(**arguments, neighbors=neighbors)
        )
        for neighbors in ("one_differ", "one_step", "all_step", "add_remove", [((0, 0), (1, 1))], "nonsense")
        for question, arguments in {"privacy": {}, "delta": {"ratio": 2}}.items()
    }

    def survey() -> taut.Model:
        return rr_count(bits(3), lam="1/5")

    return asked | {
        "relation up": lambda: rr_count(bits(3), lam="1/5").privacy(up),
        "add_remove, privacy": lambda: present(bits(3).optional(), ratio="1/2").privacy("add_remove"),
        "honest_first, privacy": lambda: honest_first(bits(2), lam="1/5").privacy(),
        "honest_first, delta": lambda: honest_first(bits(2), lam="1/5").delta(ratio=2),
        "honest_first, epsilon": lambda: honest_first(bits(2), lam="1/5").epsilon("1/10"),
        "honest_first, renyi": lambda: honest_first(bits(2), lam="1/5").renyi(2),
        "honest_first, profile": lambda: honest_first(bits(2), lam="1/5").profile(),
        "exp, privacy": lambda: rounded(bits(1)).privacy(),
        "exp, delta": lambda: rounded(bits(1)).delta("1/10"),
        "exp, distribution": lambda: _table(rounded(bits(1)).distribution((1,))),
        "categories, privacy": lambda: named(categories(1, ["a", "b", "z"])).privacy(),
        "categories, worst pairs": lambda: named(categories(1, ["a", "b", "z"])).worst_pairs(),
        "draws, distribution": lambda: _table(draws(bits(1)).distribution((1,))),
        "draws, sample": lambda: draws(bits(1)).sample((1,), 10, seed=7),
        "observed, privacy": lambda: observed(bits(1)).privacy(),
        "probability": lambda: survey().probability((0, 0, 1), 1),
        "inference": lambda: survey().inference([((0, 0, 0), 0), ((0, 0, 1), 0), ((0, 0, 1), 1)]),
        "accuracies": lambda: _table(survey().accuracies([(0, 0, 0), (0, 0, 1)], sum, 1)),
        "given triples": lambda: survey().privacy(method="restricted", privacy_set=survey().privacy_set()),
        "given sets": lambda: survey().privacy(
            method="restricted", inference_set=survey().inference_set(), privacy_set=survey().privacy_set()
        ),
        "set is verified": lambda: survey().privacy_set().verify(survey()),
        "fix": lambda: _table(survey().fix((0, 0, 1)).distribution()),
        "check_symmetry": lambda: survey().check_symmetry(entries={0: 1, 1: 0}),
        "check_symmetry, no": lambda: honest_first(bits(2), lam="1/5").check_symmetry(
            entries={0: 1, 1: 0}, outputs={0: 1, 1: 0}
        ),
        "Dice, joint": lambda: taut.dice("let a = flip 0.3 in let b = flip 0.8 in let s = observe a || b in a").joint(),
        "Dice, privacy": lambda: taut.dice(DICE, function="rr", inputs={"x": bits(2)}).privacy(),
        "Dice, delta": lambda: taut.dice(DICE, function="rr", inputs={"x": bits(2)}).delta(ratio=2),
        "Dice, distribution": lambda: _table(
            taut.dice(DICE, function="shifted", inputs={"x": integer(0, 2), "by": 1}).distribution(1)
        ),
        "Dice, wrong": lambda: taut.dice("let a = flip 0.3 in if a then else b\n"),
        "float": lambda: rr_count(bits(2), lam=0.2).privacy(),
        "a Fraction": lambda: rr_count(bits(2), lam=Fraction(1, 5)).privacy(),
        "wrong probability": lambda: rr_count(bits(2), lam="6/5"),
        "wrong argument": lambda: rr_count(bits(2), lamb="1/5"),
        "wrong method": lambda: survey().privacy(method="nonsense"),
        "wrong input": lambda: survey().distribution((0, 0, 2)),
        "wrong delta": lambda: survey().epsilon(2),
        "wrong order": lambda: survey().renyi(1),
        "wrong alpha": lambda: survey().accuracy(sum, -1),
        "no neighbours": lambda: rr_count(bits(0), lam="1/5").privacy(),
    }


def _saved() -> Records:
    """Saved results as files, and replays of them from Python."""
    records: Records = {}
    asked: dict[str, Callable[[taut.Model], Any]] = {
        "privacy": lambda model: model.privacy(),
        "delta": lambda model: model.delta(ratio=2),
        "delta at epsilon": lambda model: model.delta(1),
        "epsilon": lambda model: model.epsilon("1/10"),
        "renyi": lambda model: model.renyi(2),
        "zcdp": lambda model: model.zcdp(),
        "profile": lambda model: model.profile(),
        "tradeoff": lambda model: model.tradeoff(),
        "accuracy": lambda model: model.accuracy(sum, 1),
        "error": lambda model: model.error(sum).mean,
        "divergence": lambda model: model.divergence(measures.TotalVariation()),
        "loss": lambda model: model.loss((0, 0), (0, 1)),
        "worst pairs": lambda model: model.worst_pairs(),
    }
    with folder() as where:
        for name, ask in asked.items():
            path = where / f"{name}.json"
            saved = answer(lambda ask=ask, path=path: ask(rr_count(bits(2), lam="1/5")).save(path))
            records[f"{name}, file"] = file_lines(path) if path.exists() else saved
            if path.exists():
                records[f"{name}, replay"] = answer(lambda path=path: taut.replay(Path(path.name)))
    return records


TOPICS = ("free", "claims", "composed", "large", "written", "saved")


def topic_records(name: str) -> Records:
    """Ask the questions of one topic."""
    if name == "saved":
        return _saved()
    asked = {"free": _free, "claims": _claims, "composed": _composed, "large": _large, "written": _written}[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", taut.DiceWarning)
        return {question: answer(ask) for question, ask in asked().items()}


def _table(entries: dict[Any, Any]) -> str:
    return "\n".join(f"{key!r}: {value}" for key, value in entries.items())
