"""``taut.check`` and ``@taut.claim``: decided exactly, with counterexamples that plain Python replays."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taut
from taut import INFINITY, bits, discrete, flip, geometric, integer, ints, mechanism
from taut.mechanisms import randomized_response, rr_count
from taut.support.errors import InvalidInput, InvalidNumber, InvalidProbability, WrongArguments
from taut.verification.claims import claims_of

MODEL = randomized_response(bits(2), lam="1/5")


@mechanism
def first_above(x: Any, ratio: Any) -> int:
    bar = geometric(1, ratio, 0, 3)
    for place, value in enumerate(x):
        if geometric(value, ratio, 0, 3) >= bar:
            return place
    return len(x)


def plain_response(x: tuple[int, ...], y: tuple[int, ...], lam: Fraction) -> Fraction:
    """P(y) of randomized response, written down again."""
    return math.prod((lam if a != b else 1 - lam for a, b in zip(x, y, strict=True)), start=Fraction(1))


def test_pure_claims_are_decided_exactly() -> None:
    assert taut.check(MODEL, ratio=4).holds and taut.check(MODEL, ratio=4).slack == 0
    assert taut.check(MODEL, math.log(4)).holds, "a float stands for the real numbers that round to it"
    assert taut.check(MODEL, "1.38629436111989062").holds, "just above ln 4"
    assert taut.check(MODEL, "1.38629436111989061").holds is False, "just below ln 4"
    assert taut.check(MODEL, ratio="3.999999999999999999999").holds is False


def test_a_pure_counterexample_is_replayed_by_plain_python() -> None:
    verdict = taut.check(MODEL, epsilon=1)
    found = verdict.counterexample
    assert verdict.holds is False and not verdict and found is not None
    lam = Fraction(1, 5)
    own, other = (sum(plain_response(x, y, lam) for y in found.event or ()) for x in (found.x, found.x_prime))
    assert (own, other) == (found.probability, found.probability_prime)
    assert own > Fraction(math.e) * other
    again = found.replay()
    assert again and (again.probability, again.probability_prime, again.method) == (own, other, "function")


@pytest.mark.parametrize(("ratio", "delta"), [(2, "2/5"), (3, "1/5"), ("7/2", "1/10")])
def test_approximate_claims_at_their_border(ratio: Any, delta: str) -> None:
    assert taut.check(MODEL, ratio=ratio, delta=delta).slack == 0
    below = Fraction(delta) - Fraction(1, 10**30)
    verdict = taut.check(MODEL, ratio=ratio, delta=below)
    found = verdict.counterexample
    assert verdict.holds is False and found is not None and found.replay()
    event = list(found.event or ())
    own, other = (sum(plain_response(x, y, Fraction(1, 5)) for y in event) for x in (found.x, found.x_prime))
    assert own - Fraction(ratio) * other > below


def test_an_irrational_ratio_with_delta_at_its_border() -> None:
    """At epsilon = 0 and at a delta that is exactly attained, a ball cannot decide; comparing epsilons can."""
    assert taut.check(MODEL, epsilon=0, delta="3/5").holds
    assert taut.check(MODEL, epsilon=0, delta="0.5999999").holds is False

    @mechanism
    def shows(x: int) -> int:
        return 2 + x if flip("1/10") else 0

    assert taut.check(shows(integer(0, 1)), epsilon=1, delta="1/10").holds, "delta is 1/10 at every epsilon"
    assert taut.check(shows(integer(0, 1)), epsilon=1, delta="0.0999999999").holds is False


def test_accuracy_renyi_and_zcdp() -> None:
    model = rr_count(bits(4), lam="1/5")
    assert taut.check(model, accuracy=(sum, 1, "512/625")).slack == 0
    worse = taut.check(model, accuracy=(sum, 1, "0.82"))
    assert worse.holds is False and worse.counterexample is not None
    assert worse.counterexample.probability == Fraction(512, 625) and worse.counterexample.replay()
    assert sorted(worse.counterexample.event or ()) == [0, 1], "within 1 of the sum of 0000"
    assert taut.check(MODEL, renyi=(2, "1.1786549963416463")).holds, "ln 13/4 = 1.17865499634164620..."
    assert taut.check(MODEL, renyi=(2, "1.1786549963416461")).holds is False
    assert taut.check(MODEL, zcdp="0.8317767").holds and taut.check(MODEL, zcdp="0.8317766").holds is False


def test_parts_are_told_apart() -> None:
    verdict = taut.check(rr_count(bits(3), lam="1/5"), ratio=4, accuracy=(sum, 1, "0.9"))
    assert verdict.holds is False and [part.holds for part in verdict.parts] == [True, False]
    assert verdict.measure == "1-beta" and verdict.value == Fraction(112, 125)
    assert str(verdict).splitlines()[0].startswith("holds: e^eps <= 4")
    assert [part["status"] for part in verdict.to_dict()["parts"]] == ["holds", "fails"]


def test_an_interval_leaves_a_claim_undecided() -> None:
    model = first_above(ints(12, 0, 3), ratio="1/2")
    with taut.options(max_beliefs=40):
        bound = model.privacy(method="search")
        between = (bound.lower + bound.upper) / 2
        verdict = taut.check(model, ratio=between, method="search")
    assert verdict.holds is None and not verdict and verdict.status == "undecided" and "; eps between " in str(verdict)
    assert verdict.bound.lower < between < verdict.bound.upper


def test_infinite_ratios() -> None:
    @mechanism
    def tells(x: int) -> int:
        return x if flip("1/3") else 0

    model = tells(integer(0, 1))
    verdict = taut.check(model, epsilon=10)
    found = verdict.counterexample
    assert verdict.value == INFINITY and found is not None and found.probability_prime == 0 and found.replay()
    assert taut.check(model, epsilon=INFINITY).holds
    assert taut.check(model, epsilon=0, delta="1/3").holds


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3).filter(any), min_size=2, max_size=3),
    st.fractions(1, 4, max_denominator=6),
    st.fractions(0, 1, max_denominator=12),
)
@settings(max_examples=36)
def test_random_channels(rows: list[tuple[int, ...]], gamma: Fraction, delta: Fraction) -> None:
    table = [[Fraction(weight, sum(row)) for weight in row] for row in rows]

    @mechanism
    def drawn(x: int) -> int:
        return discrete(table[x])

    model = drawn(integer(0, len(table) - 1))
    pairs = list(itertools.permutations(table, 2))
    worst = max(
        sum((max(Fraction(0), p - gamma * q) for p, q in zip(a, b, strict=True)), Fraction(0)) for a, b in pairs
    )
    verdict = taut.check(model, ratio=gamma, delta=delta)
    largest = max(_quotient(p, q) for a, b in pairs for p, q in zip(a, b, strict=True) if p)
    assert verdict.holds is (worst <= delta if delta else largest <= gamma)
    if verdict.holds is False:
        found = verdict.counterexample
        assert found is not None and found.replay()
        own, other = (sum(table[x][y] for y in found.event or ()) for x in (found.x, found.x_prime))
        assert (own, other) == (found.probability, found.probability_prime) and own > gamma * other + delta


def _quotient(p: Fraction, q: Fraction) -> Any:
    return p / q if q else INFINITY


# -- the decorator -------------------------------------------------------------------------------------------------


def noisy(x: Any, lam: Any = "1/5") -> list[int]:
    return [bit ^ flip(lam) for bit in x]


def test_claims_stand_above_or_below_mechanism_and_keep_their_order() -> None:
    above = taut.claim(bits(2), ratio=4)(taut.claim(bits(2), lam="1/3", ratio=2)(mechanism(noisy)))
    below = mechanism(taut.claim(x=bits(3), ratio=3)(_copy(noisy)))
    assert [claim.words for claim in claims_of(above)] == ["e^eps <= 4", "e^eps <= 2"]
    assert all(claim.check(above).holds for claim in claims_of(above))
    assert claims_of(below)[0].check(below).holds is False
    assert claims_of(below)[0].check(below, {"lam": Fraction(1, 4)}).holds, "what is given fills what is open"


def test_names_that_clash_are_given_as_a_mapping() -> None:
    @taut.claim(bits(1), arguments={"epsilon": "1/4"}, ratio=3)
    @mechanism
    def private(x: Any, epsilon: Any) -> int:
        return x[0] ^ flip(epsilon)

    assert claims_of(private)[0].check(private).holds


def _copy(function: Callable[..., Any]) -> Callable[..., Any]:
    import types

    return types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)


@pytest.mark.parametrize(
    ("claim", "error", "words"),
    [
        ({}, WrongArguments, "nothing is claimed"),
        ({"epsilon": 1, "ratio": 2}, WrongArguments, "not both"),
        ({"delta": "1/10"}, WrongArguments, "delta needs epsilon"),
        ({"epsilon": -1}, InvalidNumber, "must not be negative; got -1"),
        ({"ratio": "1/2"}, InvalidNumber, "at least 1; got 1/2"),
        ({"epsilon": 1, "delta": 2}, InvalidProbability, "in \\[0, 1\\]; got 2"),
        ({"epsilon": "much"}, InvalidNumber, "much"),
        ({"renyi": 2}, InvalidInput, "renyi=\\(order, divergence\\)"),
        ({"renyi": (1, 1)}, InvalidNumber, "above 1"),
        ({"accuracy": (sum, 3)}, InvalidInput, "accuracy=\\(target, alpha, probability\\)"),
        ({"accuracy": (sum, 3, "1.5")}, InvalidProbability, "1.5"),
    ],
)
def test_refusals(claim: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        taut.claim(bits(2), **claim)(mechanism(noisy))
    with pytest.raises(error, match=words):
        taut.check(MODEL, **claim)


def test_refusals_of_arguments() -> None:
    free = taut.claim(ratio=4)(mechanism(_copy(noisy)))
    with pytest.raises(WrongArguments, match="x is not given"):
        claims_of(free)[0].check(free)
    fixed = taut.claim((0, 1), ratio=4)(mechanism(_copy(noisy)))
    with pytest.raises(WrongArguments, match="no database is given"):
        claims_of(fixed)[0].check(fixed)
    odd = taut.claim(bits(2), rate=3, ratio=4)(mechanism(_copy(noisy)))
    with pytest.raises(WrongArguments, match="rate"):
        claims_of(odd)[0].check(odd)
    with pytest.raises(InvalidInput, match="expected a model"):
        taut.check(noisy, ratio=4)  # type: ignore[arg-type]
    with pytest.raises(WrongArguments, match="stands on a mechanism"):
        taut.claim(ratio=4)(3)


def test_a_parameter_called_ratio_is_told_from_the_limit() -> None:
    @taut.claim(x=bits(2), ratio="1/2", max_ratio=2)
    @taut.claim(bits(3), epsilon="1/2", ratio="1/2")
    @taut.claim(bits(1), ratio=3, arguments={"ratio": "1/2"})
    @taut.mechanism
    def count(x: Any, ratio: Any) -> Any:
        return taut.geometric(sum(x), ratio, 0, len(x))

    claims = claims_of(count)
    assert [(claim.words, claim.databases) for claim in claims] == [
        ("e^eps <= 2", "x=bits(2)"),
        ("eps <= 1/2", "bits(3)"),
        ("e^eps <= 3", "bits(1)"),
    ]
    assert [claim.check(count).holds for claim in claims] == [True, False, True]
    with pytest.raises(taut.WrongArguments, match=r"^test_check\.py:\d+: nothing is claimed: 'ratio' is a parameter"):
        taut.claim(x=bits(2), ratio=2)(count)
    with pytest.raises(taut.WrongArguments, match="give one of them"):
        taut.check(count(bits(1), ratio="1/2"), ratio=2, max_ratio=2)


COMPOSED: list[tuple[dict[str, Any], Callable[[Any, int], Any]]] = [
    ({"epsilon": "2.5"}, lambda model, runs: model.privacy().max_ratio ** runs <= taut.exp("2.5").upper),
    ({"ratio": 16}, lambda model, runs: model.privacy().max_ratio ** runs <= 16),
    ({"ratio": 2, "delta": "1/2"}, lambda model, runs: model.profile().compose(runs).delta(ratio=2) <= Fraction(1, 2)),
    ({"zcdp": "3/2"}, lambda model, runs: runs * model.zcdp().rho <= 1.5),
    ({"renyi": (2, "5/2")}, lambda model, runs: runs * model.renyi(2).divergence <= 2.5),
]


@pytest.mark.parametrize("runs", [1, 2, 3])
@pytest.mark.parametrize(("claimed", "truth"), COMPOSED)
def test_claims_about_several_runs(claimed: dict[str, Any], truth: Callable[[Any, int], Any], runs: int) -> None:
    model = randomized_response(bits(2), lam="1/5")
    verdict = taut.check(model, compose=runs, **claimed)
    assert verdict.holds is bool(truth(model, runs))
    assert verdict.claim.endswith(f" for {runs} runs") is (runs > 1)
    assert (verdict.counterexample is None) is (verdict.holds or runs > 1)
    assert verdict.bound.verify() and json.dumps(verdict.to_dict())


def test_accuracy_is_that_of_each_run() -> None:
    model = rr_count(bits(3), lam="1/5")
    once, often = (taut.check(model, accuracy=(sum, 1, "1/2"), epsilon=9, compose=runs) for runs in (1, 5))
    assert once.parts[-1] == often.parts[-1]


@pytest.mark.parametrize("runs", [0, -1, True, "2", 1.5])
def test_a_number_of_runs_is_a_whole_number(runs: Any) -> None:
    with pytest.raises(InvalidInput, match="whole number of runs"):
        taut.check(randomized_response(bits(2), lam="1/5"), epsilon=1, compose=runs)
