"""Accuracy bounds are those of brute force: the lowest 1 - beta, the number of worst inputs, and the witness."""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.synthesis.brute import Table, table_of
from tests.synthesis.corpus import NUMERIC, VECTORS
from tests.synthesis.mechanisms import count_of_flips, only_first, reports, shifted_coins, tabulated, untruthful

from taut import (
    AccuracyWitness,
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    InvalidNumber,
    Model,
    TautError,
    UnsupportedValue,
    bits,
    categories,
    exp,
    flip,
    helper,
    integer,
    ints,
    mechanism,
    observe,
)
from taut.mechanisms import randomized_response, rr_count
from taut.questions.accuracy import EventProbability
from taut.support.exact import ends, largest, smallest

ALL = 10**9
Target = Callable[[Any], Any] | Mapping[Any, Any]
Distance = Callable[[Any, Any], Any] | None


def model_of(case: Case) -> Model:
    found = case.model()
    assert isinstance(found, Model)
    return found


def check(model: Model, table: Table, target: Target, alpha: Any, distance: Distance = None) -> None:
    """All accuracies and the bound are those of brute force, and the bound can be replayed."""
    expected = check_classes(model, table, target, alpha, distance)
    bound = model.accuracy(target, alpha, distance=distance)
    worst, count = next(iter(expected.items()))
    assert (bound.probability, bound.beta, bound.count, bound.exact) == (worst, 1 - worst, count, True)
    assert bound.method == "exhaustive" and natively(table, bound.witness.x, target, alpha, distance) == worst
    assert bound.verify()


def check_classes(
    model: Model, table: Table, target: Target, alpha: Any, distance: Distance = None
) -> dict[Fraction, int]:
    """All accuracies with their counts are those of brute force, and every witness has its accuracy natively."""
    expected = table.accuracies(target, exactly(alpha), distance)
    classes = model.worst_inputs(target, alpha, top=ALL, distance=distance)
    assert [(one.value, one.count) for one in classes] == list(expected.items())
    assert all(natively(table, one.witness.x, target, alpha, distance) == one.value for one in classes)
    assert all(isinstance(one.value, Fraction) for one in classes), "exact answers are Fractions"
    return expected


def natively(table: Table, x: Any, target: Target, alpha: Any, distance: Distance) -> Fraction:
    aim = target[x] if isinstance(target, Mapping) else target(x)
    return table.accuracy(x, aim, exactly(alpha), distance)


def exactly(alpha: Any) -> Any:
    return Fraction(str(alpha)) if isinstance(alpha, float | str) else alpha


def hamming(y: Any, aim: Any) -> Any:
    return sum([a != b for a, b in zip(y, aim, strict=True)])


# -- the corpus --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", NUMERIC, ids=lambda case: case.name)
def test_numbers_against_a_mapping_and_constants(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    outputs = sorted(table.outputs)  # type: ignore[type-var]
    check(model, table, {x: outputs[7 * place % len(outputs)] for place, x in enumerate(table.rows)}, 1)
    check_classes(model, table, lambda x: 1, "1/2")
    check_classes(model, table, lambda x: 1000, 0)
    check_classes(model, table, lambda x: 0, 10**6)


SUMMABLE = [
    case
    for case in NUMERIC
    if table_of(case).numeric and len(case.databases) == 1 and all(isinstance(x, tuple) for x in table_of(case).rows)
]


@pytest.mark.parametrize("case", SUMMABLE, ids=lambda case: case.name)
def test_numbers_against_functions_of_the_database(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    check(model, table, sum, 1)
    check_classes(model, table, lambda x: max(x) - min(x), 0)
    check_classes(model, table, len, "0.5", lambda y, aim: (y - aim) ** 2)


@pytest.mark.parametrize("case", VECTORS[::2], ids=lambda case: case.name)
def test_vectors_by_hamming_distance(case: Case) -> None:
    table, model = table_of(case), model_of(case)
    aim = min(table.outputs, key=repr)
    for alpha in (0, 1):
        check(model, table, lambda x: aim, alpha, hamming)


# -- published ---------------------------------------------------------------------------------------------------


def test_the_published_accuracy_of_two_clients() -> None:
    bound = rr_count(bits(2), lam="0.2").accuracy(sum, 1)
    assert bound.probability == Fraction(24, 25) and bound.beta == Fraction(1, 25) and bound.count == 2
    assert bound.witness.x in ((0, 0), (1, 1))


def test_the_published_worst_inputs_of_eight_clients() -> None:
    model = rr_count(bits(8), lam="0.2")
    classes = model.worst_inputs(sum, 3)
    assert [(one.value, one.count) for one in classes[:2]] == [
        (Fraction("0.9437184"), 2),
        (Fraction("0.9723904"), 16),
    ]
    assert len(classes) == 4 and classes[0].witness == AccuracyWitness((0,) * 8)
    assert sum(one.count for one in model.worst_inputs(sum, 3, top=ALL)) == 2**8


# -- targets and distances ---------------------------------------------------------------------------------------

COUNT = Case("count_of_flips", count_of_flips, {"x": bits(3)}, {"lam": "1/5"})
RESPONSE = Case("rr 3", randomized_response, {"x": bits(3)}, {"lam": "1/5"})


def majority(x: Any) -> Any:
    return x.count(1) > x.count(0)


def longest_run(x: Any) -> Any:
    best = run = 0
    for bit in x:
        run = (run + 1) * bit
        best = max(best, run)
    return best


@pytest.mark.parametrize("alpha", [0, 1, "1/2", 0.5, Fraction(3, 2), 2, 3])
@pytest.mark.parametrize(
    "target", [sum, len, max, majority, longest_run, lambda x: x[0] + 2 * x[1], lambda x: Fraction(sum(x), 2)]
)
def test_functions_as_targets(target: Target, alpha: Any) -> None:
    check(model_of(COUNT), table_of(COUNT), target, alpha)


def branching_target(x: Any) -> Any:
    if x[0] == 1:
        return 3
    return sum(x)


def branching_distance(y: Any, aim: Any) -> Any:
    if y == aim:
        return 0
    return 1


def test_targets_and_distances_that_branch_are_read_like_mechanisms() -> None:
    check(model_of(COUNT), table_of(COUNT), branching_target, 1)
    check(model_of(COUNT), table_of(COUNT), sum, 0, branching_distance)


def test_helpers_as_targets_and_distances() -> None:
    check(model_of(COUNT), table_of(COUNT), helper(lambda x: 3 if x[0] == 1 else sum(x)), 1)
    check(model_of(COUNT), table_of(COUNT), sum, 0, helper(lambda y, aim: 0 if y == aim else 1))


@pytest.mark.parametrize("alpha", [0, 1, 2, 3])
def test_vectors_against_the_database_itself(alpha: int) -> None:
    model, table = model_of(RESPONSE), table_of(RESPONSE)
    check(model, table, lambda x: x, alpha, hamming)
    bound = model.accuracy(lambda x: x, alpha, distance=hamming)
    assert bound.count == 8, "randomized response is as accurate on every input"


def test_a_mapping_may_give_vectors() -> None:
    model, table = model_of(RESPONSE), table_of(RESPONSE)
    check(model, table, {x: x[::-1] for x in table.rows}, 1, hamming)
    check(model, table, {x: x[::-1] for x in table.rows}, 1, lambda y, aim: abs(y[0] - aim[0]) + abs(y[2] - aim[2]))


def test_outputs_are_tuples_for_a_distance_too() -> None:
    """A returned list is a tuple for whoever looks at it, so it may equal the database."""
    model, table = model_of(RESPONSE), table_of(RESPONSE)
    check(model, table, lambda x: x, 0, lambda y, aim: 0 if y == aim else 1)
    check(model, table, {x: x for x in table.rows}, 0, lambda y, aim: int(y != aim))
    check(model, table, lambda x: tuple(x[::-1]), 0, lambda y, aim: int(y != aim))


def test_distances_that_are_not_symmetric() -> None:
    check(model_of(COUNT), table_of(COUNT), sum, 0, lambda y, aim: max(0, y - aim))
    check(model_of(COUNT), table_of(COUNT), sum, 0, lambda y, aim: aim - y)


def test_outputs_that_are_fractions() -> None:
    @mechanism
    def mean(x: Any, lam: Any) -> Any:
        return Fraction(1, len(x)) * sum([bit ^ flip(lam) for bit in x])

    case = Case("mean", mean, {"x": bits(3)}, {"lam": "1/7"})
    for alpha in (0, "1/3", Fraction(1, 3) - Fraction(1, 10**30), "2/3", 1):
        check(model_of(case), table_of(case), lambda x: Fraction(sum(x), 3), alpha)


def test_alpha_itself_is_close_enough() -> None:
    model = rr_count(bits(4), lam="1/5")
    at, below = model.accuracy(sum, 2), model.accuracy(sum, Fraction(2) - Fraction(1, 10**40))
    assert at.probability > below.probability == model.accuracy(sum, 1).probability


def test_strings_with_a_distance_of_their_own() -> None:
    @mechanism
    def coloured(x: Any) -> Any:
        return x[0] if flip("2/3") else ("green" if flip("1/4") else "red")

    case = Case("coloured", coloured, {"x": categories(2, ["red", "green", "blue"])})
    check(model_of(case), table_of(case), lambda x: x[0], 0, lambda y, aim: int(y != aim))
    check(model_of(case), table_of(case), lambda x: x[1], 0, lambda y, aim: int(y != aim))


def test_entries_that_do_not_matter() -> None:
    case = Case("only_first", only_first, {"x": bits(4)}, {"lam": "1/5"})
    check(model_of(case), table_of(case), lambda x: x[0], 0)
    check(model_of(case), table_of(case), lambda x: x[3], 0)
    assert model_of(case).accuracy(lambda x: x[0], 0).count == 16


def test_bare_numbers_and_several_databases() -> None:
    @mechanism
    def noisy(x: Any) -> Any:
        return x + flip("1/3") - flip("1/4")

    case = Case("noisy", noisy, {"x": integer(-2, 2)})
    for target in (lambda x: x, lambda x: x * x, {x: -x for x in range(-2, 3)}):
        check(model_of(case), table_of(case), target, 0)

    @mechanism
    def both(x: Any, z: Any) -> Any:
        return x[0] + z + flip("1/3")

    two = Case("both", both, {"x": bits(1), "z": integer(0, 2)})
    table = table_of(two)
    check(model_of(two), table, {x: x[0][0] for x in table.rows}, 1)
    check(model_of(two), table, lambda x: x[0][0] + x[1], 0)


@pytest.mark.parametrize("domain", [bits(0), ints(2, 3, 3)])
def test_a_single_input(domain: Any) -> None:
    case = Case(f"count of {domain}", count_of_flips, {"x": domain}, {"lam": "1/5"})
    if domain.n:
        case = Case("single", reports_sum, {"x": domain})
    check(model_of(case), table_of(case), sum, 0)
    assert model_of(case).accuracy(sum, 0).count == 1


@mechanism
def reports_sum(x: Any) -> Any:
    return sum([v - flip("1/5") for v in x])


def test_never_and_always_close_are_fractions() -> None:
    @mechanism
    def seven(x: Any) -> Any:
        return 7

    for mechanism_, arguments in ((seven, {}), (only_first, {"lam": "1/5"}), (only_first, {"lam": 0})):
        model = mechanism_(bits(2), **arguments)
        never, always = model.accuracy(lambda x: 100, 1), model.accuracy(lambda x: 100, 1000)
        assert (never.probability, never.beta, never.count) == (0, 1, 4) and never.verify()
        assert (always.probability, always.beta, always.count) == (1, 0, 4) and always.verify()
        for value in (never.probability, never.beta, always.probability, always.beta):
            assert isinstance(value, Fraction)
        assert json.dumps(never.to_dict()) and str(never) and always._repr_html_()


# -- conditioning ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 3])
def test_conditioned_channels(n: int) -> None:
    case = Case(f"untruthful {n}", untruthful, {"x": bits(n)}, {"lam": "1/5"})
    check(model_of(case), table_of(case), lambda x: x, 1, hamming)
    check(model_of(case), table_of(case), lambda x: [0] * len(x), 1, hamming)


def test_conditioned_on_what_depends_on_the_input() -> None:
    @mechanism
    def kept(x: Any) -> Any:
        noisy = [bit ^ flip("1/4") for bit in x]
        observe(sum(noisy) <= 1 + x[0])
        return sum(noisy)

    case = Case("kept", kept, {"x": bits(3)})
    check(model_of(case), table_of(case), sum, 0)


def test_impossible_evidence_names_the_input() -> None:
    @mechanism
    def never_ones(x: Any) -> Any:
        observe(x[0] == 0)
        return flip("1/2")

    with pytest.raises(ImpossibleEvidence) as raised:
        never_ones(bits(2)).accuracy(lambda x: 0, 0)
    assert raised.value.value[0] == 1


# -- the results themselves --------------------------------------------------------------------------------------


def test_the_dictionary_and_the_text() -> None:
    bound = rr_count(bits(2), lam="1/5").accuracy(sum, "1/2")
    found = json.loads(json.dumps(bound.to_dict()))
    assert found["probability"] == found["lower"] == found["upper"] == "16/25" and found["beta"] == "9/25"
    assert found["alpha"] == "1/2" and found["witness"] == {"x": [0, 0]} and found["exact"] and found["count"] == 2
    assert "1-beta = 16/25 = 0.64 exactly for alpha = 1/2, at x=(0, 0)" in str(bound)
    assert "<table>" in bound._repr_html_() and "16/25" in bound._repr_html_()


def test_inputs_that_are_fractions_go_into_json() -> None:
    @mechanism
    def own_coin(x: Any) -> Any:
        return flip(x[0])

    bound = own_coin(categories(1, [Fraction(1, 3), Fraction(1, 2)])).accuracy(lambda x: 1, 0)
    assert bound.witness.x == (Fraction(1, 3),)
    assert json.loads(json.dumps(bound.to_dict()))["probability"] == "1/3"


def test_probabilities_below_the_floats_can_be_shown() -> None:
    bound = only_first(bits(1), lam="1e-400").accuracy(lambda x: 1 - x[0], 0)
    assert bound.probability == Fraction(1, 10**400) and bound.verify()
    assert "1-beta" in str(bound) and json.dumps(bound.to_dict()) and bound._repr_html_()


def test_replay() -> None:
    few = rr_count(bits(3), lam="1/5").accuracy(sum, 1)
    assert few.verify() and few.verify().method == "function"
    many = shifted_coins(bits(1), coins=24).accuracy(lambda x: 8 + x[0], 2)
    assert many.verify() and many.verify().method == "function, sampled"


def test_replay_of_a_sum_of_coins() -> None:
    @mechanism
    def heads(x: Any, coins: Any) -> Any:
        return x[0] + sum([flip("1/3") for _ in range(coins)])

    bound = heads(bits(1), coins=13).accuracy(lambda x: 4 + x[0], 1)
    assert bound.verify()


@pytest.mark.parametrize("coins", [2, 24])
def test_a_wrong_value_fails(coins: int) -> None:
    bound = shifted_coins(bits(1), coins=coins).accuracy(lambda x: x[0], 1)
    assert bound.verify()
    half = bound.probability / 2
    assert not replace(bound, lower=half, upper=half).verify()


def test_a_wrong_witness_fails() -> None:
    bound = rr_count(bits(2), lam="1/5").accuracy(sum, 1)
    assert not replace(bound, witness=AccuracyWitness((1, 0))).verify(), "at (1, 0) it is 1, not 24/25"


# -- arguments ---------------------------------------------------------------------------------------------------


def test_refusals() -> None:
    model = rr_count(bits(2), lam="1/5")
    for alpha in (-1, "-1/2", -0.5):
        with pytest.raises(InvalidInput, match="alpha must not be negative"):
            model.accuracy(sum, alpha)
    for bad in ("much", float("nan"), None):
        with pytest.raises(InvalidNumber, match="alpha"):
            model.accuracy(sum, bad)
    with pytest.raises(UnsupportedValue, match="must not be random"):
        model.accuracy(lambda x: flip("1/2"), 1)
    with pytest.raises(InvalidInput, match="4"):
        model.accuracy({(0, 0): 0, (0, 1): 1}, 1)
    with pytest.raises(InvalidInput):
        model.accuracy({(0, 0): 0, (0, 1): 1, (1, 0): 1, (1, 2): 2}, 1)
    with pytest.raises(InvalidInput):
        model.fix((0, 0)).accuracy(sum, 1)
    with pytest.raises(TautError):
        model.accuracy(lambda x: None, 1)
    for top in (0, -3, True, 2.0):
        with pytest.raises(InvalidInput, match="top"):
            model.worst_inputs(sum, 1, top=top)
    with pytest.raises(InvalidInput, match="'guess'"):
        model.accuracy(sum, 1, method="guess")


def test_queries_leave_the_model_as_it_was() -> None:
    model = model_of(COUNT)
    before = model.privacy().max_ratio, model.distribution((0, 1, 1))
    first = model.accuracy(sum, 1).probability
    model.accuracy(longest_run, 0)
    assert model.accuracy(sum, 1).probability == first
    assert (model.privacy().max_ratio, model.distribution((0, 1, 1))) == before


# -- channels at random ------------------------------------------------------------------------------------------

NEAR = [Fraction(0), Fraction(1, 3), Fraction(333333, 10**6), Fraction(1, 3) + Fraction(1, 10**30), Fraction(1, 2)]


@st.composite
def channels(draw: st.DrawFn) -> list[list[Fraction]]:
    """Rows of probabilities, with zeros, ties and near-ties."""
    outputs = draw(st.integers(1, 4))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        left, row = Fraction(1), []
        for _ in range(outputs - 1):
            row.append(min(draw(st.one_of(st.sampled_from(NEAR), st.fractions(0, 1, max_denominator=12))), left))
            left -= row[-1]
        rows.append(draw(st.permutations([*row, left])))
    return rows


def table_from(rows: Sequence[Sequence[Fraction]]) -> Table:
    found = {x: {y: p for y, p in enumerate(row) if p} for x, row in enumerate(rows)}
    return Table(found, {x: (x,) for x in found})


@given(rows=channels(), data=st.data())
@settings(max_examples=30, deadline=None)
def test_any_channel_has_the_bound_of_brute_force(rows: list[list[Fraction]], data: st.DataObject) -> None:
    model, table = tabulated(integer(0, len(rows) - 1), table=rows), table_from(rows)
    aims = data.draw(st.lists(st.integers(-1, 4), min_size=len(rows), max_size=len(rows)))
    alpha = data.draw(st.sampled_from([0, 1, "1/2", 2]))
    check(model, table, dict(enumerate(aims)), alpha)
    check(model, table, lambda x: 3 - x, alpha)
    check(model, table, lambda x: 3 - x, alpha, lambda y, aim: (y - aim) % 3)


@given(rows=channels(), alpha=st.sampled_from([0, 1]))
@settings(max_examples=24, deadline=None)
def test_restricted_to_all_inputs_is_exhaustive(rows: list[list[Fraction]], alpha: int) -> None:
    model = tabulated(integer(0, len(rows) - 1), table=rows)
    exhaustive = model.accuracy(lambda x: x, alpha)
    restricted = model.accuracy(lambda x: x, alpha, accuracy_set=range(len(rows)))
    assert restricted.probability == exhaustive.probability and restricted.method == "restricted"
    assert isinstance(restricted.probability, Fraction) and restricted.verify()


# -- balls -------------------------------------------------------------------------------------------------------


@given(powers=st.lists(st.fractions(Fraction(1, 50), 8, max_denominator=50), min_size=2, max_size=3, unique=True))
@settings(max_examples=18, deadline=None)
def test_balls_contain_the_true_accuracy(powers: list[Fraction]) -> None:
    model = reports(ints(2, 0, len(powers) - 1), yes=[exp(-power) for power in powers])
    bound = model.accuracy(lambda x: [1, 1], 1, distance=hamming)
    assert isinstance(bound.probability, Ball)
    with flint.ctx.workprec(1000):
        no = [1 - (-flint.arb(flint.fmpq(power.numerator, power.denominator))).exp() for power in powers]
        least = 1 - no[0] * no[0]
        for p in no:
            for q in no:
                least = least.min(1 - p * q)
        assert bound.probability.arb.contains(least)
    assert bound.verify() and json.dumps(bound.to_dict()) and str(bound)


def test_equal_numbers_in_different_balls_are_one_class() -> None:
    classes = rr_count(bits(4), lam=exp("-1")).worst_inputs(sum, 1, top=ALL)
    exact = rr_count(bits(4), lam="37/100").worst_inputs(sum, 1, top=ALL)
    assert [one.count for one in classes] == [one.count for one in exact] == [2, 8, 6]


def test_never_and_always_close_with_balls() -> None:
    model = rr_count(bits(2), lam=exp("-1"))
    assert model.accuracy(lambda x: 100, 1).probability == 0
    assert model.accuracy(lambda x: 100, 100).probability == 1


@pytest.mark.parametrize("best", [False, True])
def test_a_class_of_overlapping_balls_encloses_the_extreme(best: bool) -> None:
    wide, narrow, apart = Ball(flint.arb(0.5, 0.2)), Ball(flint.arb(0.5, 0.01)), Fraction(1, 8)
    cases = [
        (value, count, functools.partial(AccuracyWitness, count))
        for value, count in ((wide, 2), (narrow, 3), (apart, 5))
    ]
    classes = EventProbability(best=best).classes(cases)
    high, low = classes if best else classes[::-1]
    assert (low.value, low.count, high.count) == (apart, 5, 5)
    lowest, highest = ends((largest if best else smallest)([wide, narrow]))
    assert high.value.lower <= lowest and highest <= high.value.upper


def test_sets_are_decided_in_exact_numbers() -> None:
    """|1 - 1/3| <= 2/3 holds exactly, though not in rounded floats."""

    @mechanism
    def rarely(x: Any) -> Any:
        return 1 if flip("1/4") else 0

    model = rarely(bits(2))
    for limits in ({}, {"method": "search"}, {"method": "restricted"}, {"accuracy_set": list(bits(2))}):
        assert model.accuracy(lambda x: 1 / 3, "2/3", **limits).probability == 1
        assert model.accuracy(lambda x: 0, "1/3", distance=lambda y, t: y / 3, **limits).probability == 1
