"""However all cases are cut, listed or counted together: the same values, the same counts, the same first cases."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.synthesis.corpus import CASES
from tests.synthesis.mechanisms import untruthful

from taut import (
    ImpossibleEvidence,
    Model,
    OutOfMemory,
    OutOfTime,
    TooLarge,
    bits,
    exp,
    flip,
    ints,
    mechanism,
    observe,
    options,
)
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.questions.accuracy import EventProbability
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio
from taut.support.limits import reason_of
from taut.synthesis import Budget, Problem
from taut.synthesis.exhaustive.solver import Exhaustive
from taut.synthesis.walk import CaseOrder

SMALL = [case for case in CASES[::4] if case.size <= 8]
WAYS = {
    "single cells": {"pieces.CELLS": 1, "pieces.TABLE": 1},
    "few cells": {"pieces.CELLS": 8, "pieces.TABLE": 2},
    "tables": {"pieces.CELLS": 16, "pieces.TABLE": 64},
    "sorted keys": {"tally._FEW_KEYS": 0, "tally._MOST_KEYS": 0, "pieces.CELLS": 32},
    "pending keys": {"tally._FEW_KEYS": 0, "tally._MOST_KEYS": 0, "tally._PENDING": 1},
}


def patch(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    for name, value in WAYS.get(way, {}).items():
        monkeypatch.setattr(f"taut.synthesis.exhaustive.{name}", value)
    if way == "together":
        monkeypatch.setattr("taut.synthesis.exhaustive.solver._LOOKED_AT", 0)
    if way == "listed":
        monkeypatch.setattr("taut.neighbors.blocks._FEW_BLOCKS", 0)
        monkeypatch.setattr("taut.neighbors.blocks._WORTHWHILE", 1 << 60)


def classes(model: Model, neighbors: Any, measure: Measure, top: int | None = None) -> list[Any]:
    relation = None if neighbors is None else model.neighbors(neighbors)
    found = Exhaustive().classes(Problem(model.channel(), relation, measure), Budget(), top=top)
    return [(one.value, one.count, one.witness) for one in found]


@pytest.mark.parametrize("way", [*WAYS, "together"])
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_every_way_finds_the_same(case: Case, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = case.model()
    assert isinstance(model, Model)
    expected = classes(model, "one_differ", LargestRatio())
    patch(monkeypatch, way)
    assert classes(model, "one_differ", LargestRatio()) == expected
    for top in (1, 2):
        assert classes(model, "one_differ", LargestRatio(), top)[:top] == expected[:top]


@pytest.mark.parametrize("relation", ["one_step", "all_step", lambda x, z: sum(x) < sum(z)])
@pytest.mark.parametrize("listed", [False, True])
def test_every_way_finds_the_same_pairs_of_any_relation(
    relation: Any, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listed pairs have an order of their own, which does not depend on the cut either."""
    model = above_threshold(ints(2, 0, 2), threshold=1, ratio="1/2", high=2)
    if listed:
        patch(monkeypatch, "listed")
    expected = classes(model, relation, LargestRatio())
    for way in [*WAYS, "together"]:
        with monkeypatch.context() as patched:
            patch(patched, way)
            assert classes(model, relation, LargestRatio()) == expected, way


@pytest.mark.parametrize("way", [*WAYS, "together"])
def test_conditioned_channels_and_accuracy(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    conditioned = untruthful(bits(3), lam="1/5")
    expected = classes(conditioned, "one_differ", LargestRatio())
    count = rr_count(bits(6), lam="1/5")
    bound, error = count.accuracy(sum, 1, method="exhaustive"), count.error(sum, method="exhaustive")
    variance = error.variance
    patch(monkeypatch, way)
    monkeypatch.setattr("taut.synthesis.exhaustive.pieces._CELLS", 8)
    monkeypatch.setattr("taut.synthesis.exhaustive.evidence.TABLE", 1)
    assert classes(conditioned, "one_differ", LargestRatio()) == expected
    again = count.accuracy(sum, 1, method="exhaustive")
    assert (again.probability, again.count, again.witness) == (bound.probability, bound.count, bound.witness)
    other = count.error(sum, method="exhaustive").variance
    assert (other.upper, other.count, other.witness) == (variance.upper, variance.count, variance.witness)


@mechanism
def sometimes(x: Any) -> Any:
    return flip("1/3") if x[0] else x[1] == 1


@pytest.mark.parametrize("best", [False, True])
@pytest.mark.parametrize("way", ["whole", *WAYS, "together"])
def test_events_that_are_impossible_or_sure_somewhere(way: str, best: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst value alone is that of all values: also 0 and 1, which are values like others."""
    model = sometimes(bits(3))
    patch(monkeypatch, way)
    for top in (None, 1):
        found = classes(model, None, EventProbability(0, best), top)
        assert [(str(value), count) for value, count, _ in found[:1]] == [("1" if best else "0", 2)]
        assert found[0][2].x == ((0, 1, 0) if best else (0, 0, 0))


@pytest.mark.parametrize("n", [2, 3])
def test_probabilities_too_small_for_floats(n: int) -> None:
    tiny = f"1/{10**400}"
    bound = randomized_response(bits(n), lam=tiny).privacy(method="exhaustive")
    assert (bound.max_ratio, bound.count) == (10**400 - 1, n * 2 ** (2 * n) // 2)


@mechanism
def never_at(x: Any, bad: Any) -> Any:
    a = flip("1/3")
    observe(not (x[1] == bad and x[0] == 1))
    return [a ^ bit for bit in x]


@pytest.mark.parametrize("together", [True, False])
def test_impossible_evidence_is_found_in_every_way(together: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model = never_at(bits(3), bad=1)
    monkeypatch.setattr("taut.synthesis.exhaustive.evidence.TABLE", 1)
    monkeypatch.setattr("taut.synthesis.exhaustive.pieces.CELLS", 2)
    if not together:
        monkeypatch.setattr("taut.synthesis.exhaustive.counted._CountedCases.require_room", _too_large)
    with pytest.raises(ImpossibleEvidence, match=r"x=\(1, 1, 0\)"):
        Exhaustive().solve(Problem(model.channel(), model.neighbors("one_differ"), LargestRatio()), Budget())


def test_balls_are_one_class_where_they_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    model = randomized_response(bits(3), lam=exp("-1"))
    bound = model.privacy(method="exhaustive")
    for way in [*WAYS, "together"]:
        with monkeypatch.context() as patched:
            patch(patched, way)
            again = model.privacy(method="exhaustive")
            assert again.max_ratio.arb.overlaps(bound.max_ratio.arb) and again.count == bound.count


def test_too_many_prefixes_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = randomized_response(bits(4), lam="1/5")
    expected = classes(model, "one_differ", LargestRatio())
    patch(monkeypatch, "together")
    monkeypatch.setattr("taut.synthesis.exhaustive.counted._CountedCases.require_room", _too_large)
    assert classes(model, "one_differ", LargestRatio()) == expected


def _too_large(*_: Any) -> None:
    from taut.support.errors import TooLarge

    raise TooLarge("too many prefixes")


@pytest.mark.parametrize("n", [20, 26, 40])
def test_more_cases_than_could_be_looked_at(n: int) -> None:
    """The worst ratio is that of one bit that is told truly on one side: half of all triples, either way."""
    bound = randomized_response(bits(n), lam="1/5").privacy(method="exhaustive")
    assert (bound.max_ratio, bound.count) == (4, n * 2 ** (2 * n) // 2)
    assert bound.witness.x == (0,) * n and bound.witness.x_prime == (1,) + (0,) * (n - 1)


def test_more_inputs_than_could_be_looked_at() -> None:
    bound = rr_count(bits(40), lam="1/5").privacy(method="exhaustive")
    assert bound.exact and bound.stats["inputs"] == 2**40
    assert bound.max_ratio == rr_count(bits(40), lam="1/5").privacy(method="search").max_ratio


def test_progress_counts_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    patch(monkeypatch, "few cells")
    told: list[Any] = []
    bound = randomized_response(bits(3), lam="1/5").privacy(method="exhaustive", progress=told.append)
    assert [now.done for now in told] == list(range(1, bound.stats["pieces"] + 1))
    assert {now.total for now in told} == {bound.stats["pieces"]} and told[-1].lower == 4
    counted: list[Any] = []
    rr_count(bits(4), lam="1/5").accuracy(sum, 0, method="exhaustive", progress=counted.append)
    assert counted[-1].upper == rr_count(bits(4), lam="1/5").accuracy(sum, 0).probability
    assert EventProbability(0).cases == "inputs"


sizes = st.lists(st.integers(1, 4), min_size=0, max_size=4)


@given(st.data())
def test_the_number_of_a_case_gives_it_back(data: st.DataObject) -> None:
    order = CaseOrder(tuple(data.draw(sizes)), tuple(data.draw(sizes)), data.draw(st.booleans()))
    one, other = (
        [[data.draw(st.integers(0, size - 1)) for size in part] for part in (order.sizes, order.sizes, order.outputs)]
        for _ in range(2)
    )
    numbers = order.number(*one), order.number(*other)
    assert order.case(numbers[0]) == tuple(one) and order.case(numbers[1]) == tuple(other)
    assert (numbers[0] == numbers[1]) == (one == other)


@mechanism
def own_coins(x):  # type: ignore[no-untyped-def]
    return [bit ^ flip(Fraction(1, place + 3)) for place, bit in enumerate(x)]


@pytest.mark.parametrize("n", [6, 70, 1000])
def test_what_would_not_end_is_refused_unless_time_is_limited(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No belief of theirs is another's, so that nothing is counted together."""
    monkeypatch.setattr("taut.synthesis.exhaustive.solver._LOOKED_AT", 0)
    monkeypatch.setattr("taut.synthesis.exhaustive.solver._BY_ONE", 1 << 11)
    model = own_coins(bits(n))
    with options(max_beliefs=32):
        with pytest.raises(TooLarge, match="they cannot be counted together"):
            model.privacy(method="exhaustive")
        with pytest.raises(TooLarge, match="they cannot be counted together"):
            Exhaustive().classes(Problem(model.channel(), model.neighbors("one_differ"), LargestRatio()), Budget(32))


@pytest.mark.parametrize("room", [1, 2, 7, 40])
def test_pieces_with_too_many_beliefs_are_cut_again(room: int) -> None:
    """Looking at all cases needs no room that grows with them, whatever the beliefs."""
    model = own_coins(bits(5))
    expected = classes(model, "one_differ", LargestRatio())
    problem = Problem(model.channel(), model.neighbors("one_differ"), LargestRatio())
    found = Exhaustive().classes(problem, Budget(room))
    assert [(one.value, one.count, one.witness) for one in found] == expected
    expected_bound = model.accuracy(lambda x: x, 0, distance=lambda y, x: y != x, method="exhaustive")
    with options(max_beliefs=room):
        bound = own_coins(bits(5)).accuracy(lambda x: x, 0, distance=lambda y, x: y != x, method="exhaustive")
    assert (bound.exact, bound.probability, bound.count, bound.witness) == (
        True,
        expected_bound.probability,
        expected_bound.count,
        expected_bound.witness,
    )


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OutOfTime("enough"), OutOfMemory("enough")])
@pytest.mark.parametrize("n", [4, 100])
def test_stopped_half_way_there_is_what_was_found(n: int, stop: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if there are more pieces than Python can count in a list; no other solver is asked for the upper end."""
    monkeypatch.setattr("taut.synthesis.auto._FOR_ENDS", ())
    monkeypatch.setattr("taut.synthesis.exhaustive.solver._LOOKED_AT", 1 << 1000)
    monkeypatch.setattr("taut.synthesis.exhaustive.solver._BY_ONE", 1 << 1000)
    patch(monkeypatch, "few cells")
    seen: list[Any] = []

    def tell(now: Any) -> None:
        seen.append(now)
        if now.done == 3:
            raise stop

    bound = own_coins(bits(n)).privacy(method="exhaustive", progress=tell)
    assert len(seen) == 3 and seen[-1].total > 3
    assert bound.lower == seen[-1].lower and bound.upper == math.inf and not bound.exact and bound.count is None
    assert bound.stats["stopped"] == reason_of(stop)  # type: ignore[arg-type]
    assert "after 3 of" in bound.stats["why"] and bound.verify()


def test_stopped_before_anything_was_found_the_interval_is_that_of_every_mechanism(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("taut.synthesis.exhaustive.solver.look_at", none)
    bound = own_coins(bits(4)).privacy(method="exhaustive")
    assert (bound.lower, bound.upper, bound.witnessed) == (1, math.inf, False)
    assert bound.stats["stopped"] == "interrupted"
