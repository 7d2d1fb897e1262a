"""Sums of random contributions give what looking at everything gives, and programs that almost fit are left alone."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.decompose.test_laws import MEASURES, SHARES, check, draw, said

from taut import Model, bits, categories, discrete, flip, geometric, ints, measures, mechanism, observe
from taut.mechanisms import shuffled
from taut.questions.epsilon import SmallestEpsilon
from taut.questions.measure import Measure
from taut.questions.privacy import LargestRatio
from taut.questions.profile import WholeProfile
from taut.synthesis import Budget, Problem, solve
from taut.synthesis.decompose import Decomposition, screens
from taut.synthesis.decompose.cells import cells_of
from taut.synthesis.decompose.mixtures import Mixture

MORE: tuple[Measure, ...] = (
    *MEASURES,
    SmallestEpsilon("1e-6"),
    SmallestEpsilon("0"),
    measures.HockeyStick("21/20"),
    measures.HockeyStick("50"),
    measures.RenyiMoment(5),
)
ENDINGS = (
    "sums",
    "noise",
    "ends",
    "threshold",
    "drawn",
    "added noise",
    "statistic too",
    "shared",
    "two",
    "beside",
    "seen",
)
FITTING = ENDINGS[:7]
SOME = settings(max_examples=12, deadline=None)


@mechanism
def built(x: Any, rows: Any, ending: str) -> Any:
    """Each entry draws what it adds, from a row of its value; the ending makes an output of the sums."""
    count, total = 0, 0
    common = flip("1/3")
    for place, value in enumerate(x):
        drawn = discrete(rows[value])
        if ending == "shared":
            drawn += common
        if ending == "two":
            drawn += value * x[place - 1]
        if drawn == 2:
            count += 1
        total += drawn
    if ending == "noise":
        return geometric(total, "1/2", 0, 3 * len(x))
    if ending == "ends":
        return geometric(total, "1/3", 1, 2)
    if ending == "threshold":
        return total >= len(x), count
    if ending == "drawn":
        return discrete(rows[total % 3]) + 3 * (count > 0)
    if ending == "added noise":
        return total + discrete(rows[0])
    if ending == "statistic too":
        return max(total, sum(x)) - flip("1/4")
    if ending == "beside":
        return total, drawn > 0  # of the last entry
    if ending == "seen":
        observe(total > 0 or flip("1/2"))
    return total, count


@st.composite
def models(draws: Any) -> Model:
    n, values = draws(st.integers(2, 3)), draws(st.integers(2, 3))
    rows = [draw(row) for row in draws(st.lists(SHARES, min_size=3, max_size=3))]
    domain = draws(st.sampled_from([ints(n, 0, values - 1), categories(n, range(values))]))
    return built(domain, rows=rows, ending=draws(st.sampled_from(ENDINGS)))


@pytest.fixture(params=["all pairs", "screened"], autouse=True)
def screening(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both with all pairs looked at exactly, and with those that are certainly not the worst dropped before."""
    if request.param == "screened":
        monkeypatch.setattr(screens, "_FEW", -1)
        monkeypatch.setattr(screens, "_SAMPLE", 2)


@SOME
@given(model=models(), neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_contributions_are_exact(model: Model, neighbors: str) -> None:
    check(model, neighbors, MORE)


ROWS = [{0: Fraction(1, 2), 2: Fraction(1, 2)}, {0: Fraction(1, 3), 1: Fraction(2, 3)}, {0: Fraction(1)}]


@pytest.mark.parametrize("ending", FITTING)
def test_independent_contributions_are_found(ending: str) -> None:
    model = built(bits(3), rows=ROWS, ending=ending)
    cells = cells_of(model.program)
    assert cells is not None and any(isinstance(cell.kernel, Mixture) for cell in cells.cells)
    assert check(model, "one_differ", MEASURES[:4]) == 4


@pytest.mark.parametrize("ending", ["shared", "two", "beside", "seen"])
def test_dependent_contributions_are_left_alone(ending: str) -> None:
    cells = cells_of(built(bits(3), rows=ROWS, ending=ending).program)
    assert cells is None or not any(isinstance(cell.kernel, Mixture) for cell in cells.cells)


@mechanism
def sampled(x: Any, rate: Any) -> Any:
    return geometric(sum(value * flip(rate) for value in x), "1/2", 0, 2 * len(x))


def test_a_sample_is_one_entry_whatever_the_others_are() -> None:
    few, many = (sampled(ints(n, 0, 2), rate="1/3") for n in (2, 300))
    for measure in (*MEASURES[:6], measures.ChiSquared()):
        known = solve(Problem(few.channel(), few.neighbors(None), measure), "exhaustive")
        found = Decomposition().solve(many._problem(many.neighbors(None), measure), Budget())
        assert said(found) == said(known)


@mechanism
def noisy_bits(x: Any, lam: Any) -> Any:
    return sum(bit ^ flip(lam) for bit in x)


@pytest.mark.parametrize("lam", ["1/4", "1/10", "9/20"])
def test_a_count_of_noisy_bits(lam: str) -> None:
    assert check(noisy_bits(bits(7), lam=lam), "one_differ", MORE) == len(MORE)


def test_shuffled_reports() -> None:
    model = shuffled(ints(3, 0, 2), local="k_ary_randomized_response", k=3, lam="1/4")
    assert check(model, "one_differ", MORE) == len(MORE)
    (cell,) = cells_of(model.program).cells  # type: ignore[union-attr]
    assert isinstance(cell.kernel, Mixture) and len(cell.kernel._symmetries) == 6


def test_a_larger_profile_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "_FEW", 1 << 30)
    exact = noisy_bits(bits(40), lam="1/3")
    whole = Decomposition().solve(exact._problem(exact.neighbors(None), WholeProfile()), Budget())
    monkeypatch.setattr(screens, "_FEW", 0)
    model = noisy_bits(bits(40), lam="1/3")
    found = Decomposition().solve(model._problem(model.neighbors(None), WholeProfile()), Budget())
    assert said(found) == said(whole)


@mechanism
def of_two(x: Any, z: Any) -> Any:
    return sum(bit * flip("1/3") for bit in x) + sum(bit ^ flip("1/5") for bit in z)


@mechanism
def of_optional(x: Any) -> Any:
    return sum(0 if value is None else 1 + (value ^ flip("1/5")) for value in x)


def test_optional_entries_and_several_databases() -> None:
    for neighbors in ("add_remove", "one_differ"):
        assert check(of_optional(bits(3).optional()), neighbors) == len(MEASURES)
    model = of_two(bits(2), bits(2))
    assert check(model, "one_differ") == len(MEASURES)
    assert model.privacy().verify()


def test_the_limit_of_a_quotient_is_not_taken_for_it() -> None:
    model = sampled(bits(40), rate="1/10")
    found = Decomposition().solve(model._problem(model.neighbors(None), LargestRatio()), Budget())
    assert found.lower == found.upper == Fraction(11, 10)


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 1), (4, 1, 0, 3), (0, 2, 1)],
        [(4, 2, 4), (12, 2, 18, 0, 8), (2, 2, 1)],
        [(3, 2), (12, 2, 2, 4), (2, 3, 2)],
    ],
)
def test_a_multiple_with_a_negative_coefficient_hides_nothing(rows: list[tuple[int, ...]]) -> None:
    """The second row's polynomial is a multiple of the first one's, but adding something independent does not make it.

    Where it is left out, each of these has too small a delta.
    """
    drawn = [draw(row) for row in rows]
    model = mechanism(lambda x: sum(discrete(drawn[value]) for value in x))(ints(2, 0, 2))
    assert check(model, "one_differ", MORE) == len(MORE)


def test_what_is_added_besides_breaks_a_symmetry() -> None:
    """To exchange 0 and 1 in every entry is no symmetry of the output where something skew is added."""
    model = mechanism(lambda x: sum(bit ^ flip("1/3") for bit in x) + discrete(["1/2", "1/3", "1/6"]))(bits(3))
    assert check(model, "one_differ", MORE) == len(MORE)


@pytest.mark.parametrize("days", [1, 2])
def test_each_entry_adds_to_a_sum_of_its_own_with_a_common_coin(days: int) -> None:
    """No entry reaches what another one adds, so not every combination of sums exists."""

    @mechanism
    def drawn_by_sums(x: Any) -> Any:
        common = flip("1/3")
        sums = [(bit ^ flip("1/4")) + common for bit in x]
        return [[flip(["1/5", "1/2", "2/3"][one]) for day in range(days)] for one in sums], sum(x) + common

    assert check(drawn_by_sums(bits(2)), "one_differ") == len(MEASURES)
