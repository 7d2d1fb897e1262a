"""Decomposition gives what looking at everything gives, on programs that decompose and on some that almost do."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.search.test_engine import THOROUGH

from taut import InternalFault, Model, bits, categories, discrete, flip, geometric, ints, measures, mechanism
from taut.neighbors import OneDiffer
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio, Privacy
from taut.questions.privacy_profile import PrivacyProfile
from taut.questions.profile import WholeProfile
from taut.questions.tradeoff import Tradeoff, TradeoffCurve
from taut.questions.zcdp import ZeroConcentrated
from taut.support.errors import NoNeighbors, TooLarge
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.decompose import Decomposition, kernel

MEASURES: tuple[Measure, ...] = (
    LargestRatio(),
    measures.HockeyStick("3/2"),
    measures.TotalVariation(),
    SmallestEpsilon("1/10"),
    WholeProfile(),
    measures.RenyiMoment(2),
    ZeroConcentrated(),
    Tradeoff(),
    measures.ChiSquared(),
)
SHARES = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)
ROWS = st.lists(SHARES, min_size=4, max_size=4)
TABLES = st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=3, max_size=3)
ENDINGS = ("apart", "one coin in two items", "a statistic twice", "the statistic too", "largest of all", "all in one")


def draw(row: Any) -> Any:
    return {place: Fraction(share, sum(row)) for place, share in enumerate(row)}


@mechanism
def built(x: Any, tables: Any, rows: Any, ending: str, written: str) -> Any:
    """Each table adds up to a statistic, which chooses a row to draw from; the ending mixes the draws."""
    totals = []
    for table in tables:
        if written == "sum":
            total = sum(table[value] for value in x)
        else:
            total = 0
            for value in x:
                if table[value] != 0:
                    total += table[value]
        totals.append(total)
    noisy = [discrete(rows[total % 4]) for total in totals]
    if ending == "one coin in two items":
        coin = flip("1/3")
        noisy[0], noisy[-1] = noisy[0] + coin, noisy[-1] + 2 * coin
    if ending == "a statistic twice":
        noisy.append(totals[0] + discrete(rows[0]))
    if ending == "the statistic too":
        noisy.append(totals[-1] > 0)
    if ending == "largest of all":
        return max(noisy)
    return noisy[0] + 3 * noisy[-1] if ending == "all in one" else noisy


@st.composite
def models(draws: Any) -> Model:
    n, values = draws(st.integers(1, 3)), draws(st.integers(2, 3))
    tables = draws(st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=3))
    rows = [draw(row) for row in draws(ROWS)]
    domain = draws(st.sampled_from([ints(n, 0, values - 1), categories(n, range(values))]))
    ending, written = draws(st.sampled_from(ENDINGS)), draws(st.sampled_from(["sum", "loop"]))
    return built(domain, tables=tables, rows=rows, ending=ending, written=written)


def check(model: Model, neighbors: str, which: tuple[Measure, ...] = MEASURES) -> int:
    """Compare every measure with looking at everything; return how many were decomposed."""
    done = 0
    for measure in which:
        problem = model._problem(model.neighbors(neighbors), measure)
        if Decomposition().refuses(problem) is not None:
            continue
        try:
            expected = solve(Problem(model.channel(), problem.neighbors, measure), "exhaustive")
        except NoNeighbors:
            continue
        try:
            found = Decomposition().solve(problem, Budget())
        except TooLarge:
            continue
        done += 1
        assert said(found) == said(expected), (measure, neighbors)
        agree(model, problem, found)
    return done


def said(bound: Any) -> Any:
    """The two ends of a bound; of curves, all their corners."""
    if isinstance(bound, PrivacyProfile):
        return bound.lower.corners, bound.upper.corners, bound.tight
    if isinstance(bound, TradeoffCurve):
        return straightened([(corner.alpha, corner.beta) for corner in bound.corners])
    return bound.lower, bound.upper


def straightened(corners: list[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Corners without those at which only the pair changes, not the slope."""
    kept: list[tuple[Fraction, Fraction]] = []
    for a, b in corners:
        while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (a - kept[-2][0]) == (b - kept[-2][1]) * (
            kept[-1][0] - kept[-2][0]
        ):
            kept.pop()
        kept.append((a, b))
    return kept


def agree(model: Model, problem: Problem, found: Any) -> None:
    """The witness is a pair of neighbours that attains the value, by the enumerator."""
    witness = found.witness
    assert problem.related(witness.x, witness.x_prime)
    if isinstance(problem.measure, LargestRatio):
        value = Privacy().replayed(model, witness)[0]
        assert value == found.lower
    elif isinstance(problem.measure, measures.Divergence):
        assert model.replayed_loss(witness)[0].divergence(problem.measure) == found.lower


@THOROUGH
@given(model=models(), neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_decomposition_is_exact(model: Model, neighbors: str) -> None:
    check(model, neighbors)


@THOROUGH
@given(model=models())
def test_sums_that_choose_rows_decompose(model: Model) -> None:
    assert check(model, "one_differ", MEASURES[:2]) == 2 or model.space.size == 1


@mechanism
def uneven(x: Any, adds: Any, starts: Any, rows: Any) -> Any:
    """Every value of every entry adds to each statistic what its own table says; equal rows make cells alike."""
    totals = list(starts)
    for entry, value in enumerate(x):
        for number, table in enumerate(adds):
            totals[number] = totals[number] + table[entry][value]
    return [discrete(rows[total % 4]) for total in totals]


@st.composite
def uneven_models(draws: Any) -> Model:
    n, values = draws(st.sampled_from([(1, 4), (2, 3), (3, 2), (1, 3)]))
    added = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=values, max_size=values)
    adds = draws(st.lists(st.lists(added, min_size=n, max_size=n), min_size=2, max_size=3))
    starts = draws(st.lists(st.integers(0, 1), min_size=len(adds), max_size=len(adds)))
    rows = [draw(row) for row in draws(ROWS)]
    return uneven(ints(n, 0, values - 1), adds=adds, starts=starts, rows=rows)


@THOROUGH
@given(model=uneven_models(), neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_entries_that_add_different_things_decompose(model: Model, neighbors: str) -> None:
    check(model, neighbors, MEASURES[:3])


ROWS_APART = [draw(row) for row in ([1, 1, 1], [3, 1, 1], [1, 3, 1], [2, 2, 1])]
"""Only the second and the third are far from each other."""


@mechanism
def around(x: Any, tables: Any) -> Any:
    return [geometric(table[x[0]], "1/2", 0, 2) for table in tables]


def test_values_that_meet_in_a_statistic_are_not_exchanged() -> None:
    """The last three values add 1 and 2 to two of three statistics that are alike; each two share a statistic."""
    values = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 2, 0), (0, 0, 1), (0, 0, 2), (0, 0, 0)]
    values += [(2, 1, 0), (1, 2, 0), (1, 0, 2)]
    model = around(ints(1, 0, 10), tables=list(zip(*values, strict=True)))
    assert check(model, "one_step", MEASURES[:2]) == 2
    assert model.privacy("one_step").max_ratio == 16  # between the last two


@pytest.mark.parametrize("swapped", [False, True])
def test_entries_that_add_alike_meet_what_others_add(swapped: bool) -> None:
    """An entry adds 0 or 1 where another adds 0 or 2, or two others 0 or 1: only then the sum changes from 1 to 2."""
    one, two, none = [0, 1], [0, 2], [0, 0]
    adds = [[one, two, none, none, none], [none, none, one, one, one]]
    model = uneven(bits(5), adds=adds[::-1] if swapped else adds, starts=(0, 0), rows=ROWS_APART)
    assert check(model, "one_differ", MEASURES[:2]) == 2


@mechanism
def two_counts(x: Any) -> Any:
    return sum(bit ^ flip("1/5") for bit in x), discrete([Fraction(1 + x[0], 4), Fraction(3 - x[0], 4)])


def test_masses_that_do_not_sum_to_one_are_a_fault() -> None:
    solver, problem = Decomposition(), two_counts(bits(3))._problem(OneDiffer(), measures.TotalVariation())
    source, program = problem.source, problem.program
    assert solver.refuses(problem) is None
    coins = tuple([replace(coin, weights=(Fraction(1, 10), Fraction(8, 10))) for coin in program.coins])
    lying = replace(source, program=replace(program, coins=coins))
    with pytest.raises(InternalFault, match="sum to 1"):
        solver.solve(Problem(lying, problem.neighbors, problem.measure), Budget())


@mechanism
def optional_count(x: Any) -> Any:
    present = sum(entry is not None for entry in x)
    ones = sum(entry == 1 for entry in x)
    return geometric(present, "1/2", 0, len(x)), geometric(ones, "1/3", 0, len(x))


def test_absent_entries() -> None:
    for neighbors in ("add_remove", "one_differ"):
        assert check(optional_count(bits(3).optional()), neighbors) == len(MEASURES)


@mechanism
def of_two(x: Any, z: Any) -> Any:
    return geometric(sum(x) - 2 * sum(z), "1/2", -4, 2), [bit ^ flip("1/5") for bit in z]


def test_several_databases() -> None:
    assert check(of_two(bits(2), bits(2)), "one_differ") == len(MEASURES)


@mechanism
def reports(x: Any, rates: Any, values: Any) -> Any:
    """Each client tells the truth, draws from a row of its own, or both of these in one answer."""
    answers = []
    for value in x:
        truth = value if flip(rates[0]) else discrete(draw([1, 2, 1]))
        answers.append((truth, [value != other if flip(rates[1]) else flip("1/3") for other in values]))
    return answers


@THOROUGH
@given(
    rates=st.lists(st.sampled_from(["0", "1/4", "1/2", "1"]), min_size=2, max_size=2),
    values=st.lists(st.sampled_from([0, 1, 2, True, 1.0, "a"]), min_size=1, max_size=2),
    domain=st.sampled_from([ints(2, 0, 2), categories(1, ["a", "b", 1]), categories(2, [0, 1])]),
)
def test_reports_of_several_coins(rates: Any, values: Any, domain: Any) -> None:
    assert check(reports(domain, rates=rates, values=values), "one_differ") == len(MEASURES)


@mechanism
def kept_reports(x: Any, rates: Any, days: int) -> Any:
    """Each value is kept as it is, or with noise of its own, and told again and again, with more noise or with none."""
    kept = [value + flip(rates[value]) for value in x]
    return [[discrete(draw([1, one, 2 * one])) for day in range(days)] + [one] * (days - 2) for one in kept]


@pytest.mark.parametrize("most", [0, 4, 16, 256])
@given(rates=st.lists(st.sampled_from(["0", "1/4", "1"]), min_size=3, max_size=3), days=st.integers(2, 3))
@settings(max_examples=6, deadline=None)
def test_all_values_of_a_cell_have_outputs_or_all_have_classes(most: int, rates: Any, days: int) -> None:
    """Some values need few runs, and others so many that their outputs are put into classes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_FEW_RUNS", most)
        assert check(kept_reports(ints(1, 0, 2), rates=rates, days=days), "one_differ") == len(MEASURES)


@mechanism
def shifted_rows(x: Any, weights: Any) -> Any:
    return discrete({place: Fraction(weights[(place + x[0]) % 4], sum(weights)) for place in range(4)})


@THOROUGH
@given(weights=st.lists(st.integers(0, 2), min_size=4, max_size=4).filter(any))
def test_rows_that_differ_in_the_order_of_weights(weights: Any) -> None:
    assert check(shifted_rows(ints(1, 0, 3), weights=weights), "one_differ") == len(MEASURES)
