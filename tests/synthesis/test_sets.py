"""Sets restrict a bound to a few cases; that they are enough is checked, and a wrong set is told what it lacks."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.synthesis.brute import one_differ, one_step, table_of

from taut import (
    AccuracySet,
    InferenceSet,
    InvalidInput,
    InvalidSet,
    NoNeighbors,
    PrivacySet,
    TautError,
    Witness,
    bits,
    discrete,
    exp,
    flip,
    integer,
    ints,
    mechanism,
)
from taut.mechanisms import randomized_response, rr_count
from taut.support.exact import ends, may_be_equal
from taut.synthesis.sets import (
    rr_count_accuracy_set,
    rr_count_inference_set,
    rr_inference_set,
    rr_privacy_set,
    rr_single_input_set,
)

# -- obligation 2: what is needed is there -----------------------------------------------------------------------


def test_the_printed_inference_set_of_two_clients_is_refused() -> None:
    printed = [((0, 0), 0), ((1, 1), 0), ((0, 0), 1), ((1, 0), 1), ((1, 1), 1), ((1, 0), 2), ((1, 1), 2)]
    inputs = [(0, 0), (1, 0), (1, 1)]
    model = rr_count(bits(2), lam="1/5")
    with pytest.raises(InvalidSet, match=r"\(1, 0\).*0") as raised:
        model.accuracy(sum, 1, accuracy_set=inputs, inference_set=printed)
    assert raised.value.value == ((1, 0), 0)
    complete = model.accuracy(sum, 1, accuracy_set=inputs, inference_set=[*printed, ((1, 0), 0)])
    assert complete.probability == Fraction(24, 25)


def test_a_pair_that_the_privacy_set_needs_is_named() -> None:
    model, triples = randomized_response(bits(3), lam="1/5"), rr_privacy_set(3)
    for missing in rr_inference_set(3):
        pairs = InferenceSet(pair for pair in rr_inference_set(3) if pair != missing)
        with pytest.raises(InvalidSet) as raised:
            model.privacy(privacy_set=triples, inference_set=pairs)
        assert raised.value.value == missing and repr(missing[0]) in str(raised.value)


def test_every_pair_that_the_accuracy_set_needs_is_named() -> None:
    model, inputs = rr_count(bits(3), lam="1/5"), rr_count_accuracy_set(3)
    for missing in rr_count_inference_set(3, 1):
        pairs = InferenceSet(pair for pair in rr_count_inference_set(3, 1) if pair != missing)
        with pytest.raises(InvalidSet) as raised:
            model.accuracy(sum, 1, accuracy_set=inputs, inference_set=pairs)
        assert raised.value.value == missing


def test_the_single_input_is_not_enough_for_the_privacy_set() -> None:
    with pytest.raises(InvalidSet) as raised:
        randomized_response(bits(2), lam="1/5").privacy(
            privacy_set=rr_privacy_set(2), inference_set=rr_single_input_set(2)
        )
    assert raised.value.value == ((1, 0), (0, 0))


# -- obligation 1: coverage --------------------------------------------------------------------------------------


def test_a_privacy_set_that_misses_a_ratio_is_told_a_triple() -> None:
    model = randomized_response(bits(2), lam="1/5")
    low = PrivacySet([((1, 0), (0, 0), (0, 0))])
    verdict = low.verify(model)
    assert not verdict and not verdict.valid
    x, x_prime, y = verdict.uncovered
    assert one_differ(x, x_prime) and model.probability(x, y) == 4 * model.probability(x_prime, y)
    assert "4" in verdict.problem and repr(y) in verdict.problem


def test_every_ratio_must_be_covered_even_small_ones() -> None:
    model = randomized_response(bits(2), lam="1/5")
    high = PrivacySet([((0, 0), (1, 0), (0, 0))])
    verdict = high.verify(model)
    x, x_prime, y = verdict.uncovered
    assert not verdict and 4 * model.probability(x, y) == model.probability(x_prime, y)


def test_unrelated_pairs_are_refused_and_named() -> None:
    model = randomized_response(bits(2), lam="1/5")
    product = list(itertools.product(itertools.product((0, 1), repeat=2), repeat=3))
    verdict = PrivacySet(product).verify(model)
    assert not verdict and not one_differ(verdict.uncovered[0], verdict.uncovered[1])
    with pytest.raises(InvalidSet, match="not neighbours") as raised:
        model.privacy(privacy_set=product)
    assert raised.value.value == verdict.uncovered
    two = [((0, 0), (1, 0), (0, 0)), ((0, 0), (1, 1), (0, 0))]
    with pytest.raises(InvalidSet) as raised:
        model.privacy(privacy_set=two)
    assert raised.value.value == two[1]
    assert model.privacy("all_step", privacy_set=two).max_ratio == 16
    assert model.privacy(lambda x, other: True, privacy_set=two).max_ratio == 16
    assert model.privacy([pair[:2] for pair in two], privacy_set=two).max_ratio == 16


def test_the_relation_decides_which_triples_are_needed() -> None:
    @mechanism
    def noisy(x: Any) -> Any:
        return x[0] + flip("1/3") + 2 * flip("1/5")

    case = Case("noisy of three", noisy, {"x": ints(1, 0, 3)})
    table, model = table_of(case), noisy(ints(1, 0, 3))
    steps = PrivacySet((x, other, y) for x, other in table.pairs(one_step) for y in table.outputs)
    assert steps.verify(model, "one_step") and not steps.verify(model, "one_differ")
    every = PrivacySet((x, other, y) for x, other in table.pairs(one_differ) for y in table.outputs)
    assert every.verify(model) and not every.verify(model, "one_step")


def test_an_accuracy_set_that_misses_inputs_is_told_one() -> None:
    model = rr_count(bits(3), lam="1/5")
    verdict = AccuracySet([(1, 0, 0), (1, 1, 0)]).verify(model, sum, 1)
    assert not verdict and verdict.uncovered in ((0, 0, 0), (1, 1, 1)) and repr(verdict.uncovered) in verdict.problem
    assert AccuracySet([(0, 1, 0), (1, 1, 1)]).verify(model, sum, 1)
    better = AccuracySet([(0, 0, 0)]).verify(model, sum, 1)
    assert not better and sum(better.uncovered) in (1, 2), "an input that is more accurate is missing too"


def test_a_wrong_accuracy_set_gives_a_wrong_bound_only_unverified() -> None:
    model = rr_count(bits(2), lam="1/5")
    assert model.accuracy(sum, 1, accuracy_set=[(1, 0)]).probability == 1
    assert not AccuracySet([(1, 0)]).verify(model, sum, 1)


def test_sets_are_verified_with_balls_too() -> None:
    lam = exp("-1")
    assert rr_privacy_set(3).verify(randomized_response(bits(3), lam=lam))
    assert rr_count_accuracy_set(3).verify(rr_count(bits(3), lam=lam), sum, 1)
    assert not PrivacySet([((1, 0), (0, 0), (0, 0))]).verify(randomized_response(bits(2), lam=lam))
    assert not AccuracySet([(1, 0)]).verify(rr_count(bits(2), lam=lam), sum, 1)


# -- restricted is exhaustive ------------------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> list[list[Fraction]]:
    rows = []
    outputs = draw(st.integers(1, 3))
    for _ in range(draw(st.integers(2, 4))):
        weights = draw(st.lists(st.integers(0, 3), min_size=outputs, max_size=outputs).filter(any))
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return rows


@mechanism
def tabulated(x: Any, table: Any) -> Any:
    return discrete(table[x])


@given(rows=tables(), data=st.data())
@settings(max_examples=24, deadline=None)
def test_a_set_is_valid_exactly_if_it_has_all_ratios(rows: list[list[Fraction]], data: st.DataObject) -> None:
    model = tabulated(integer(0, len(rows) - 1), table=rows)
    triples = [
        (x, other, y)
        for x, other in itertools.permutations(range(len(rows)), 2)
        for y in range(len(rows[0]))
        if rows[x][y] or rows[other][y]
    ]

    def ratio(triple: tuple[int, int, int]) -> Any:
        x, other, y = triple
        return rows[x][y] / rows[other][y] if rows[other][y] else float("inf")

    some = data.draw(st.lists(st.sampled_from(triples), min_size=1, unique=True))
    verdict = PrivacySet(some).verify(model)
    covered = {ratio(triple) for triple in some}
    assert verdict.valid == all(ratio(triple) in covered for triple in triples)
    if not verdict:
        assert verdict.uncovered in triples and ratio(verdict.uncovered) not in covered
    if max(covered) < 1:
        with pytest.raises(InvalidSet, match="lacks the worst triples"):
            model.privacy(privacy_set=some)
    else:
        bound = model.privacy(privacy_set=some)
        assert bound.max_ratio == max(covered) and bound.verify()
        assert not verdict or bound.max_ratio == model.privacy().max_ratio


@given(rows=tables(), data=st.data())
@settings(max_examples=24, deadline=None)
def test_an_accuracy_set_is_valid_exactly_if_it_has_all_accuracies(
    rows: list[list[Fraction]], data: st.DataObject
) -> None:
    model = tabulated(integer(0, len(rows) - 1), table=rows)
    accuracies = [sum((p for y, p in enumerate(row) if abs(y - 1) <= 0), start=Fraction(0)) for row in rows]
    some = data.draw(st.lists(st.sampled_from(range(len(rows))), min_size=1, unique=True))
    verdict = AccuracySet(some).verify(model, lambda x: 1, 0)
    covered = {accuracies[x] for x in some}
    assert verdict.valid == (set(accuracies) == covered)
    assert verdict or accuracies[verdict.uncovered] not in covered
    bound = model.accuracy(lambda x: 1, 0, accuracy_set=some)
    assert bound.probability == min(covered) and accuracies[bound.witness.x] == min(covered)


def test_several_databases() -> None:
    @mechanism
    def both(x: Any, z: Any) -> Any:
        return x[0] + z + flip("1/3")

    model = both(bits(1), integer(0, 2))
    case = Case("both, restricted", both, {"x": bits(1), "z": integer(0, 2)})
    table = table_of(case)
    triples = PrivacySet((x, other, y) for x, other in table.pairs(one_differ) for y in table.outputs)
    assert triples.verify(model)
    assert model.privacy(privacy_set=triples).max_ratio == model.privacy().max_ratio == float("inf")
    exhaustive = model.accuracy(lambda x: x[0][0] + x[1], 0)
    assert model.accuracy(lambda x: x[0][0] + x[1], 0, accuracy_set=list(table.rows)).probability == (
        exhaustive.probability
    )


# -- sets as values ----------------------------------------------------------------------------------------------


def test_sets_are_values() -> None:
    triples = [([0, 0], [1, 0], [0, 0]), ((0, 0), (1, 0), (0, 0)), ((1, 0), (0, 0), (0, 0))]
    made = PrivacySet(triples)
    assert len(made) == 2 and list(made) == [((0, 0), (1, 0), (0, 0)), ((1, 0), (0, 0), (0, 0))]
    assert made == PrivacySet(triples[::-1]) and hash(made) == hash(PrivacySet(triples[::-1]))
    assert ([0, 0], [1, 0], [0, 0]) in made and ((0, 0), (0, 1), (0, 0)) not in made
    assert made != InferenceSet([]) and InferenceSet([]) != AccuracySet([]) and "2 items" in repr(made)
    assert list(made.pairs) == [((0, 0), (0, 0)), ((1, 0), (0, 0)), ((1, 0), (0, 0)), ((0, 0), (0, 0))]


def test_rows_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(InvalidSet, match="pairs"):
        InferenceSet([((0, 0), (0, 0), 1)])
    with pytest.raises(InvalidSet, match="triples"):
        PrivacySet([((0, 0), (0, 0))])
    with pytest.raises(InvalidSet, match="triples"):
        PrivacySet(["abc"])


@pytest.mark.parametrize(
    "triple",
    [
        ((0, 0), (1, 0, 0), (0, 0)),
        ((0, 0, 0), (1, 0), (0, 0)),
        ((0, 0), (7, 0), (0, 0)),
        (0, 1, (0, 0)),
        ("00", "10", (0, 0)),
    ],
)
def test_triples_that_are_not_of_the_domain_are_refused(triple: Any) -> None:
    model = randomized_response(bits(2), lam="1/5")
    with pytest.raises(TautError):
        model.privacy(privacy_set=[triple])


def test_inputs_that_are_not_of_the_domain_are_refused() -> None:
    with pytest.raises(InvalidInput):
        rr_count(bits(2), lam="1/5").accuracy(sum, 1, accuracy_set=[(1, 1, 1)])


def test_empty_and_missing_sets_are_refused() -> None:
    model = rr_count(bits(2), lam="1/5")
    for nothing in (list[Any](), PrivacySet([])):
        with pytest.raises((InvalidSet, NoNeighbors)):
            model.privacy(privacy_set=nothing)
    with pytest.raises(InvalidSet, match="empty"):
        model.accuracy(sum, 1, accuracy_set=[])
    assert model.privacy(method="restricted").max_ratio == model.privacy().max_ratio
    assert model.accuracy(sum, 1, method="restricted").probability == model.accuracy(sum, 1).probability
    with pytest.raises(InvalidSet, match="privacy_set"):
        model.privacy(inference_set=rr_inference_set(2))
    for sets in ({"privacy_set": 5}, {"privacy_set": [], "inference_set": 7}):
        with pytest.raises(TautError):
            model.privacy(**sets)
    with pytest.raises(TautError):
        model.accuracy(sum, 1, accuracy_set=5)


@pytest.mark.parametrize("lam", ["1/5", exp(-2)])
def test_no_privacy_set_has_a_bound_below_one(lam: Any) -> None:
    """Some output of every pair is at least as likely on the first input, so a set without it is not enough."""
    model = randomized_response(bits(2), lam=lam)
    for x, x_prime in itertools.permutations(model.domain, 2):
        for y in model.domain:
            quotient = model.probability(x, y) / model.probability(x_prime, y)
            if ends(quotient)[1] < 1:
                with pytest.raises(InvalidSet, match=r"lacks the worst triples"):
                    model.privacy(lambda x, other: True, privacy_set=[(x, x_prime, y)])
            elif x[0] != x_prime[0] and x[1] == x_prime[1]:
                assert may_be_equal(model.privacy(privacy_set=[(x, x_prime, y)]).max_ratio, quotient)


def test_triples_that_are_impossible_are_skipped() -> None:
    model = randomized_response(bits(2), lam=0)
    impossible = ((0, 0), (1, 0), (1, 1))
    with pytest.raises(NoNeighbors):
        model.privacy(privacy_set=[impossible])
    bound = model.privacy(privacy_set=[impossible, ((0, 0), (1, 0), (0, 0))])
    assert bound.max_ratio == float("inf") and bound.witness == Witness((0, 0), (1, 0), (0, 0)) and bound.verify()


def test_a_set_whose_ratios_are_all_below_one_is_refused() -> None:
    with pytest.raises(InvalidSet, match="its largest ratio is 0, but every two inputs"):
        randomized_response(bits(1), lam=0).privacy(privacy_set=[((0,), (1,), (1,))])
    with pytest.raises(InvalidSet, match="lacks the worst triples"):
        randomized_response(bits(1), lam=exp(-2)).privacy(privacy_set=[((0,), (1,), (1,))])


def test_accuracy_that_is_never_reached() -> None:
    model = rr_count(bits(2), lam="1/5")
    bound = model.accuracy(lambda x: 100, 1, accuracy_set=[(0, 0), (1, 1)])
    assert bound.probability == 0 and isinstance(bound.probability, Fraction) and bound.verify()


def test_restricted_accuracy_refuses_what_exhaustive_refuses() -> None:
    model = rr_count(bits(2), lam="1/5")
    with pytest.raises(TautError):
        model.accuracy({(0, 0): 0}, 1, accuracy_set=[(1, 1)])
    with pytest.raises(TautError):
        model.accuracy(lambda x: None, 1, accuracy_set=[(1, 1)])
