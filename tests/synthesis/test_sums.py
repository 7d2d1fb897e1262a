"""Sums of independent parts: polynomials give what enumeration gives, and what is not such a sum is left alone."""

import itertools
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.search.test_engine import THOROUGH, outcome

from taut import Model, bits, category, discrete, flip, integer, ints, measures, mechanism, observe, options
from taut.inference import independent_sums
from taut.inference.independent_sums import distribution_of_sum, independent_sum
from taut.mechanisms import rr_count
from taut.program.enumerator import enumerate_outcomes
from taut.questions.accuracy import EventProbability
from taut.support.errors import TooLarge
from taut.synthesis import Budget
from taut.synthesis.sums import BySums, bounds

ROWS = (
    st.lists(st.integers(0, 3), min_size=3, max_size=3)
    .filter(any)
    .map(lambda shares: {place - 1: Fraction(share, sum(shares)) for place, share in enumerate(shares)})
)
"""What is added to the sum, with zeros: quotients can be infinite."""
WRAPPED = ("the sum", "its remainder", "whether it is large", "how far it is from 2")


@pytest.fixture(autouse=True)
def short_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts are a sum already."""
    monkeypatch.setattr(independent_sums, "_FEW", 2)


@mechanism
def noisy_sum(x: Any, rows: Any, kinds: Any, wrapped: str) -> Any:
    """Each entry adds a draw from its row, an entry of kind 2 nothing at all; a draw for nobody is added."""
    total = flip("1/3") - flip("1/4")
    for value, kind in zip(x, kinds, strict=True):
        if kind == 2:
            continue
        total += discrete(rows[kind][value]) - value * kind
    if wrapped == "its remainder":
        return total % 3
    if wrapped == "whether it is large":
        return total >= 1
    return abs(total - 2) if wrapped == "how far it is from 2" else total


SUMS = st.builds(
    lambda rows, kinds, wrapped, high: noisy_sum(
        ints(len(kinds), 0, high), rows=[rows[:3], rows[3:]], kinds=kinds, wrapped=wrapped
    ),
    rows=st.lists(ROWS, min_size=6, max_size=6),
    kinds=st.lists(st.integers(0, 2), min_size=2, max_size=3),
    wrapped=st.sampled_from(WRAPPED),
    high=st.integers(1, 2),
)


@THOROUGH
@given(model=SUMS)
def test_distributions_are_those_of_the_enumerator(model: Model) -> None:
    for x in map(model.space.at, itertools.islice(itertools.product(*map(range, map(len, model.space.values))), 4)):
        expected = enumerate_outcomes(model.program, x)
        found = distribution_of_sum(model.program, x, 100)
        assert found == expected and found == dict(model.distribution(x))
        assert found is not None and list(map(type, sorted(found))) == list(map(type, sorted(expected)))


@THOROUGH
@given(model=SUMS, neighbors=st.sampled_from(["one_differ", "one_step"]), ratio=st.sampled_from([1, "3/2", 3]))
def test_divergences_are_those_of_all_pairs(model: Model, neighbors: str, ratio: Any) -> None:
    asked = [
        lambda method: model.delta(neighbors=neighbors, ratio=ratio, method=method),
        lambda method: model.renyi(2, neighbors=neighbors, method=method),
    ]
    for ask in asked:
        expected, found = ask("exhaustive"), ask("search")
        assert "classes" in found.stats and found.exact
        assert found.attained == expected.attained and found.verify()


@THOROUGH
@given(model=SUMS, neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_quotients_are_those_of_all_triples(model: Model, neighbors: str) -> None:
    expected, found = (model.privacy(neighbors, method=method) for method in ("exhaustive", "search"))
    assert "classes" in found.stats and found.exact
    assert found.max_ratio == expected.max_ratio and found.verify()


@settings(max_examples=12)
@given(
    model=SUMS, neighbors=st.sampled_from(["all_step", lambda x, other: x != other, lambda x, other: x[0] < other[0]])
)
def test_neighbors_that_differ_in_more_than_an_entry_are_all_looked_at(model: Model, neighbors: Any) -> None:
    expected, found = (model.privacy(neighbors, method=method) for method in ("exhaustive", "search"))
    assert found.max_ratio == expected.max_ratio
    expected, found = (model.delta(neighbors=neighbors, ratio=1, method=method) for method in ("exhaustive", "search"))
    assert found.delta == expected.delta


@THOROUGH
@given(model=SUMS, alpha=st.integers(0, 2))
def test_accuracies_are_those_of_all_inputs(model: Model, alpha: int) -> None:
    for best in (False, True):
        found, expected = (
            model.accuracy(lambda x: 1, alpha, method=method, best=best) for method in ("search", "exhaustive")
        )
        assert found.probability == expected.probability and found.verify()


def test_of_one_class_to_the_next_one_entry_changes() -> None:
    for parts in ([(2, 4)], [(3, 3), (2, 2)], [(1, 5), (4, 2), (2, 1)]):
        listed = list(bounds._snake(parts))
        assert len(set(listed)) == len(listed)
        for one, other in itertools.pairwise(listed):
            moved = [abs(a - b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
            assert sum(moved) == 2


def test_equal_parts_of_entries_with_other_values_have_other_neighbors() -> None:
    @mechanism
    def apart(x: Any, y: Any) -> Any:
        return (x[0] == 0) * flip("1/3") + (x[1] == 0) * flip("1/3") + (y == 0) * flip("1/3")

    model = apart(ints(2, 0, 1), integer(0, 5))
    for neighbors in ("one_step", "one_differ"):
        found, expected = (model.delta(neighbors=neighbors, ratio=1, method=m) for m in ("search", "exhaustive"))
        assert found.delta == expected.delta


@pytest.mark.parametrize("first", [[0, 2], [0, 1]])
def test_equal_parts_of_values_that_are_further_apart_have_other_neighbors(first: list[int]) -> None:
    @mechanism
    def apart(x: Any, y: Any, z: Any) -> Any:
        return sum((value == 0) * flip("1/3") for value in (x, y, z))

    model = apart(category(first), category([0, 2]), category([0, 3 - max(first)]))
    measure = measures.TotalVariation()
    problem = model._problem(model.neighbors("one_step"), measure)
    found = BySums().solve(problem, Budget())
    assert (found.lower, found.upper) == (Fraction(1, 3), Fraction(1, 3))
    assert problem.related(found.witness.x, found.witness.x_prime)


@pytest.mark.parametrize("shape", ["shared coin", "shared entry", "product", "evidence", "fractions", "pair"])
def test_what_is_not_a_sum_of_independent_parts_is_not_taken_for_one(shape: str) -> None:
    @mechanism
    def other(x: Any) -> Any:
        first = flip("1/3")
        if shape == "shared coin":
            return (x[0] ^ first) * flip("1/2") + (x[1] ^ first)
        if shape == "shared entry":
            return (x[0] & x[1] & flip("1/2")) + (x[1] & first) + flip("1/5")
        if shape == "product":
            return (x[0] + first) * (x[1] + flip("1/4"))
        if shape == "fractions":
            return (x[0] & first) / 2 + (x[1] & flip("1/2"))
        if shape == "evidence":
            observe(first or x[0])
        total = (x[0] ^ first) + (x[1] ^ flip("1/5"))
        return (total, x[0]) if shape == "pair" else total

    model = other(bits(2))
    assert independent_sum(model.program) is None
    assert model.accuracy(lambda x: (1, 0) if shape == "pair" else 1, 0, distance=lambda a, b: int(a != b)).exact


def test_too_many_classes_are_searched_by_the_channel() -> None:
    model = noisy_sum(bits(12), rows=[[{0: 1}, {1: 1}]], kinds=[0] * 12, wrapped="the sum")
    assert "classes" in model.accuracy(sum, 1, method="search").stats

    @mechanism
    def own_noise(x: Any) -> Any:
        return sum(bit ^ flip(Fraction(1, 3 + place)) for place, bit in enumerate(x))

    assert "classes" in own_noise(bits(8)).accuracy(sum, 1, method="search").stats
    wide = own_noise(bits(30))
    assert bounds._classes(independent_sum(wide.program)) == 2**30  # type: ignore[arg-type]
    assert BySums().refuses(wide._problem(None, object())) is not None  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match="too many classes"):
        BySums().solve(wide._problem(None, EventProbability(0)), Budget())


def test_limits_hold_for_sums() -> None:
    model = rr_count(bits(300), lam="1/5")
    assert len(model.distribution((0,) * 300)) == 301
    with options(max_outcomes=100):
        assert isinstance(outcome(lambda: rr_count(bits(300), lam="1/5").distribution((0,) * 300)), type)


def test_the_count_of_a_thousand_bits() -> None:
    n, lam = 1000, Fraction(1, 5)
    assert rr_count(bits(n), lam=lam).privacy().max_ratio == 4
    shuffled = random.Random(0).sample(range(n), n)
    x = tuple(int(place < 300) for place in shuffled)
    found = rr_count(bits(n), lam=lam).distribution(x)
    assert sum(found.values()) == 1 and found[0] == lam**300 * (1 - lam) ** 700
    assert sum(y * mass for y, mass in found.items()) == 300 * (1 - lam) + 700 * lam
