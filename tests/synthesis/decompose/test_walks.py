"""Walks find the pairs of values that neighbours reach, for statistics that are no sums of single entries."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.synthesis.decompose.test_laws import MEASURES, check, draw, models, reports, uneven, uneven_models
from tests.synthesis.search.test_engine import THOROUGH

from taut import Model, bits, categories, discrete, flip, geometric, helper, ints, mechanism
from taut.mechanisms import above_threshold, report_noisy_max
from taut.neighbors import Entrywise, OneDiffer, OneStep
from taut.questions.privacy import LargestRatio
from taut.support.errors import TooLarge
from taut.synthesis import Budget
from taut.synthesis.decompose import Decomposition, walks
from taut.synthesis.decompose import changes as changes_module
from taut.synthesis.decompose import kernel as kernel_module
from taut.synthesis.decompose.cells import cells_of
from taut.synthesis.decompose.statistic import Dependence
from taut.synthesis.decompose.walks import Walk

KINDS = (
    "median", "ranks", "largest", "range", "distinct", "mode", "commonest", "first", "bar", "some", "all", "early",
    "of two halves", "one entry", "product",
)  # fmt: skip


@helper
def statistic(kind: str, x: Any, top: Any) -> Any:
    """A function of the entries, of which most do not depend on their order."""
    counts = [x.count(value) for value in range(top + 1)]
    if kind == "median":
        return sorted(x)[len(x) // 2]
    if kind == "ranks":
        ordered = sorted(x, reverse=True)
        return ordered[0] - ordered[-1] + ordered[len(x) // 2]
    if kind == "largest":
        return max(2 * value for value in x)
    if kind == "range":
        return max(x) - min(x)
    if kind == "distinct":
        return len(set(x))
    if kind == "mode":
        return max(counts) - 2 * min(counts)
    if kind == "commonest":
        return max(range(top + 1), key=lambda value: counts[value])
    if kind == "first":
        return next((t for t in range(top) if 2 * sum(value <= t for value in x) > len(x)), top)
    if kind == "bar":
        return 2 if x.count(1) > 1 and x.count(0) < 2 else 0
    if kind == "some":
        return 1 if any(value == 1 for value in x) else 0
    if kind == "all":
        return 1 if all(value != 1 for value in x) or x[0] == 0 else 0
    if kind == "early":
        for place, value in enumerate(x):
            if value == 1:
                return place
        return len(x)
    if kind == "of two halves":
        half = len(x) // 2
        return max(x[:half], default=0) * (sum(x[half:]) > 1)
    if kind == "one entry":
        return max(x) - x[0]
    return sum(x) * max(x)


@mechanism
def walked(x: Any, top: Any, kinds: Any, rows: Any, ending: Any) -> Any:
    found = [statistic(kind, x, top) for kind in kinds]
    noisy = [discrete(rows[value % 4]) for value in found]
    if ending == "one coin in two items":
        coin = flip("1/3")
        return [noisy[0] + coin, noisy[-1] + 2 * coin]
    if ending == "the statistic too":
        return [*noisy, found[0] > 1]
    if ending == "a sum beside it":
        return [*noisy, geometric(sum(x), "1/2", 0, 2)]
    return noisy


@st.composite
def walked_models(draws: Any) -> Model:
    n, top = draws(st.sampled_from([(4, 1), (4, 2), (3, 2), (5, 1), (2, 3)]))
    kinds = draws(st.lists(st.sampled_from(KINDS), min_size=1, max_size=2))
    rows = [draw(draws(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any))) for _ in range(4)]
    ending = draws(st.sampled_from(["apart", "one coin in two items", "the statistic too", "a sum beside it"]))
    domain = draws(st.sampled_from([ints(n, 0, top), categories(n, range(top, -1, -1))]))
    return walked(domain, top=top, kinds=kinds, rows=rows, ending=ending)


@THOROUGH
@given(model=walked_models(), neighbors=st.sampled_from(["one_differ", "one_step"]))
def test_any_statistics_decompose(model: Model, neighbors: str) -> None:
    assert check(model, neighbors) == len(MEASURES)


@THOROUGH
@given(model=st.one_of(models(), uneven_models()))
def test_any_number_of_entries_may_change(model: Model) -> None:
    check(model, "all_step")


@pytest.mark.parametrize("rates", [("1/4", "1/2"), ("0", "1/4"), ("1/2", "1")])
def test_reports_of_which_all_may_change(rates: Any) -> None:
    assert check(reports(bits(2), rates=rates, values=[0]), "all_step") == len(MEASURES)


ROWS_APART = [draw(row) for row in ([1, 1, 1], [3, 1, 1], [1, 3, 1], [2, 2, 1])]


def test_components_that_are_alike_meet_their_own_entries() -> None:
    """Two components have equal rows and other entries, of which some add more."""
    one, two, none = [0, 1], [0, 2], [0, 0]
    for adds in ([[one, one, none], [none, none, one]], [[two, none, none], [none, one, two]], [[one, two, one]] * 2):
        model = uneven(bits(3), adds=adds, starts=(0, 1), rows=ROWS_APART)
        assert check(model, "all_step") == len(MEASURES)


class Upwards(Entrywise):
    """An entry becomes larger."""

    name = "upwards"

    def changes(self, values: Any) -> Any:
        return ((place, place, len(values)) for place in range(len(values)))


def reached(model: Model, neighbors: Entrywise) -> set[Any]:
    """All pairs of values of the terms without coins, by trying all neighbours."""
    statistics = [one for cell in cells_of(model.program, whole=True).cells for one in cell.statistics]  # type: ignore[union-attr]
    rows = [range(len(one.values)) for one in model.program.inputs]
    found = set()
    for x in itertools.product(*rows):
        for entry, variable in enumerate(model.program.inputs):
            for place, start, stop in neighbors.changed(variable.values):
                for other in range(start, stop) if place == x[entry] else ():
                    x_prime = (*x[:entry], other, *x[entry + 1 :])
                    pair = tuple(tuple(one.at(side) for one in statistics) for side in (x, x_prime))
                    if pair[0] != pair[1]:
                        found.add(pair)
    return found


@pytest.mark.parametrize("neighbors", [OneDiffer(), OneStep(), Upwards()])
@pytest.mark.parametrize("kinds", [*[[kind] for kind in KINDS], ["mode", "median"], ["early", "distinct"]])
def test_pairs_are_those_of_all_neighbours(kinds: Any, neighbors: Entrywise) -> None:
    model = walked(ints(4, 0, 2), top=2, kinds=kinds, rows=ROWS_APART, ending="apart")
    statistics = [one for cell in cells_of(model.program, whole=True).cells for one in cell.statistics]  # type: ignore[union-attr]
    walk = Walk(model.program, Dependence(model.program), [one.term for one in statistics])
    found = {}
    for pair, positions in walk.pairs(neighbors):
        x, x_prime = positions()
        (entry,) = [place for place, both in enumerate(zip(x, x_prime, strict=True)) if both[0] != both[1]]
        changed = neighbors.changed(model.program.inputs[entry].values)
        assert any(place == x[entry] and start <= x_prime[entry] < stop for place, start, stop in changed)
        assert pair == tuple(tuple(one.at(side) for one in statistics) for side in (x, x_prime))
        found[pair] = x
    assert set(found) == reached(model, neighbors)
    values = dict(walk.values())
    assert set(values) >= {side for pair in found for side in pair}
    for value, of in values.items():
        assert value == tuple(one.at(of()) for one in statistics)


def test_a_walk_that_remembers_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "_MOST_STATES", 20)
    model = walked(ints(4, 0, 2), top=2, kinds=["range"], rows=ROWS_APART, ending="apart")
    check(model, "one_differ", MEASURES[:2])  # entries that are joined may still give the answer
    terms = [one.term for one in cells_of(model.program, whole=True).cells[0].statistics]  # type: ignore[union-attr]
    with pytest.raises(TooLarge):
        list(Walk(model.program, Dependence(model.program), terms).pairs(OneDiffer()))


@pytest.mark.parametrize("neighbors", [OneDiffer(), OneStep(), Upwards()])
@pytest.mark.parametrize("kinds", [["one"], ["one", "one"], ["last"], ["one", "range"], ["median"]])
def test_pairs_that_single_entries_tell_apart_are_counted_beforehand(kinds: Any, neighbors: Entrywise) -> None:
    @mechanism
    def told(x: Any) -> Any:
        shown = {"one": x[0] == 1, "last": x[-1], "range": max(x) - min(x), "median": sorted(x)[1]}
        bar = flip("1/3")
        return [(shown[kind] if bar else 0, discrete(ROWS_APART[shown[kind] % 4]) + bar) for kind in kinds]

    model = told(ints(3, 0, 2))
    cells = cells_of(model.program, whole=True)
    assert cells is not None
    statistics = list({one: None for cell in cells.cells for one in cell.statistics})
    counted = changes_module._pairs_told(model.program, statistics, neighbors)
    pairs = {frozenset(pair) for pair in reached(model, neighbors)}
    assert counted <= len(pairs)
    if all(kind in ("one", "last") for kind in kinds):
        assert counted == len(pairs)


def test_where_single_entries_are_told_no_walk_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_module, "_walk", lambda *_: pytest.fail("a walk was begun"))
    model = above_threshold(ints(10, 0, 3), threshold=1, ratio="1/2", high=3)
    assert model.privacy("one_differ", method="search").method == "search"


def test_components_that_need_too_many_diagrams_are_refused_before_any_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_module, "compile_program", lambda *_: pytest.fail("a diagram was made"))
    model = report_noisy_max(ints(6, 0, 3), ratio="1/2", high=3)
    problem = model._problem(model.neighbors("all_step"), LargestRatio())
    with pytest.raises(TooLarge):
        Decomposition().solve(problem, Budget())


@mechanism
def noisy_median(x: Any) -> Any:
    return geometric(sorted(x)[len(x) // 2], "1/2", 0, 20)


def test_a_median_of_many_entries() -> None:
    model = noisy_median(ints(25, 0, 20))
    bound = model.privacy()
    assert bound.method == "decomposition" and bound.max_ratio == 2**20 and bool(bound.verify())
    assert "a walk goes through in order" in bound.stats["why"]
    assert model.privacy("one_step").max_ratio == 2


def test_accuracy_of_a_median() -> None:
    model = noisy_median(ints(5, 0, 2))
    bound = model.accuracy(lambda x: sorted(x)[len(x) // 2], alpha=1)
    assert 1 - bound.beta == min(
        sum(mass for y, mass in model.distribution(x).items() if abs(y - sorted(x)[2]) <= 1) for x in model.domain
    )
