"""Functions of draws lie between the pairs that were looked at and the release of all draws."""

import contextlib
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from tests.oracle.questions import asked_first
from tests.synthesis.decompose.test_laws import MEASURES, agree
from tests.synthesis.hubs.test_laws import WITH, WITHOUT, made

from taut import ImpossibleEvidence, Model, bits, flip, geometric, ints, mechanism, observe, options
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.tradeoff import Tradeoff
from taut.support.errors import NoNeighbors, TooLarge
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.decompose import kernel
from taut.synthesis.hubs import Postprocessing

FUNCTIONS = {
    "quotient": lambda a, b, x: a // max(b, 1),
    "branch": lambda a, b, x: a if b > 1 else None,
    "decided": lambda a, b, x: ("many", a) if a > 1 else ("few", b),
    "sum": lambda a, b, x: a + b,
    "difference": lambda a, b, x: a - b if flip("1/3") else b,
    "largest": lambda a, b, x: max(a, b),
    "product": lambda a, b, x: a * b % 3,
    "twice": lambda a, b, x: (a + b, a),
    "shared coin": lambda a, b, x: (a + flip("1/4"), a * b),
    "an entry beside": lambda a, b, x: (a > b, x[0] ^ flip("1/4")),
    "an entry as it is": lambda a, b, x: a + b + x[0],
    "a choice by an entry": lambda a, b, x: a if x[0] else b,
}


def written(name: str, first: int, second: int, ratio: str) -> Model:
    join = FUNCTIONS[name]

    @mechanism
    def function_of_draws(x: Any) -> Any:
        a = geometric(first * sum(x), ratio, 0, len(x) + 1)
        b = geometric(sum(x[:1]) * second, "1/3", 0, 2)
        return join(a, b, x)

    return function_of_draws(bits(3))


def compared(model: Model, measures: Sequence[Measure], neighbors: str = "one_differ") -> int:
    """Check measures against looking at everything; return how many intervals there were."""
    done = 0
    for measure in measures:
        problem = model._problem(model.neighbors(neighbors), measure)
        if Postprocessing().refuses(problem) is not None:
            assert isinstance(measure, Tradeoff)
            continue
        try:
            found: Any = Postprocessing().solve(problem, Budget())
        except TooLarge:
            continue
        expected: Any = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        done += 1
        if isinstance(found, PrivacyProfile):
            assert isinstance(expected, PrivacyProfile)
            for ratio in (Fraction(1), Fraction(3, 2), Fraction(3)):
                low, value, high = (one(ratio) for one in (found.lower, expected.lower, found.upper))
                assert low <= value <= high
            continue
        assert found.lower <= expected.upper, measure
        assert expected.lower <= found.upper, measure
        if found.exact:
            assert (found.lower, found.upper) == (expected.lower, expected.upper)
        agree(model, problem, found)
    return done


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_draws_lie_between_the_ends(name: str) -> None:
    random_ = random.Random(name)
    model = written(name, random_.choice([1, 2, -1]), random_.choice([1, 2]), random_.choice(["1/2", "2/3"]))
    done = compared(model, MEASURES)
    told = name in ("an entry as it is", "a choice by an entry")
    assert (done > 0) != told or name == "a choice by an entry"


@pytest.mark.parametrize("ending", [*WITH, *WITHOUT])
def test_random_programs_lie_between_the_ends(ending: str) -> None:
    random_ = random.Random(ending)
    with contextlib.suppress(ImpossibleEvidence, NoNeighbors):
        compared(made(random_, ending), MEASURES[:2], random_.choice(["one_differ", "one_step"]))


def test_what_is_attained_is_exact_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MOST_COMPILED", 8)

    @mechanism
    def decided(x: Any) -> Any:
        count = geometric(sum(x), "1/2", 0, len(x))
        if count > 6:
            return "many", count
        return "few", geometric(sum(x[: len(x) // 2]), "1/2", 0, len(x))

    model = decided(bits(24))
    bound = model.privacy()
    assert (bound.max_ratio, bound.method, bound.exact) == (4, "decomposition", True)
    assert "the output is a function of 2 draws" in bound.stats["why"]
    assert bound.verify()
    assert decided(bits(4)).privacy(method="exhaustive").max_ratio <= 4


def test_an_interval_is_kept_where_a_search_ends_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MOST_COMPILED", 8)

    @mechanism
    def average(x: Any) -> Any:
        total = geometric(sum(x), "2/3", 0, 4 * len(x))
        return total // max(geometric(sum(value > 0 for value in x), "1/2", 0, len(x)), 1)

    with options(max_beliefs=100):
        found: Any = average(ints(8, 0, 4)).delta(ratio="3/2")
    assert 0 < found.lower <= found.upper < 1
    assert "the output is a function of 2 draws" in found.stats["why"]


def test_draws_that_are_not_made_on_all_inputs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release of draws is undefined where an entry is absent, however its distribution is found."""
    monkeypatch.setattr(kernel, "_FEW_RUNS", 0)

    @mechanism
    def first_above(x: Any) -> Any:
        bar = geometric(0, "3/4", 0, 1)
        noisy = [geometric(value, "1/3", 0, 1) for value in x if value is not None]
        return next((place for place, value in enumerate(noisy) if value >= bar), None)

    model = first_above(bits(2).optional())
    with asked_first("auto, first post-processing") as method:
        assert model.delta(ratio=2, method=method).delta == model.delta(ratio=2, method="exhaustive").delta


def test_evidence_joins_all_draws() -> None:
    @mechanism
    def observed(x: Any) -> Any:
        a = geometric(sum(x), "1/2", 0, 3)
        observe(a > 0)
        return a * flip("1/2")

    model = observed(bits(3))
    with pytest.raises(TooLarge):
        Postprocessing().solve(model._problem(model.neighbors("one_differ"), LargestRatio()), Budget())
