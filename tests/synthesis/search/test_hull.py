"""Hull pruning drops what others dominate together, keeps the rest, and needs one set of multiples for both runs."""

from typing import Any

import flint
import numpy as np
import pytest

from taut import ints
from taut.diagrams.semirings import EXACT
from taut.mechanisms import above_threshold
from taut.neighbors import OneDiffer, single_inputs
from taut.synthesis.search import SearchQuestion, Track, engine, make_plan
from taut.synthesis.search.closing import HullPruning, undominated
from taut.synthesis.search.frontier import Group, ItemFrontier, Layer, Pool
from taut.synthesis.search.question import SearchBudget


def question() -> SearchQuestion:
    model = above_threshold(ints(2, 0, 1), threshold=1, ratio="1/2", high=1)
    plan = make_plan(model.relation)
    order = [plan.steps[index].index for index in plan.inputs]
    automaton = OneDiffer().automaton(model.space, order)
    return SearchQuestion(plan, automaton, (Track(0, False, 1), Track(1, False, -1)), True)


def layer_of(pairs: list[tuple[list[int], list[int]]]) -> Layer:
    """A layer of given pairs of beliefs, all with ratio one."""
    pool = Pool(EXACT, 2)
    ids, scales = zip(*(pool.intern([b, c]) for b, c in pairs), strict=True)
    quotients = np.empty(len(pairs), dtype=object)
    quotients[:] = [flint.fmpq(int(b), int(c)) for b, c in scales]
    nothing, choices = np.zeros(len(pairs), dtype=np.int64), np.zeros((len(pairs), 2), dtype=np.int32)
    return Layer(0, {0: pool}, {(0, 0): Group(np.array(ids).T, quotients, nothing, choices, 0)})


def left(pairs: list[tuple[list[int], list[int]]]) -> set[Any]:
    pruned = undominated(question(), layer_of(pairs), SearchBudget())
    group, pool = pruned.groups[0, 0], pruned.pools[0]
    return {
        (tuple(scale * b for b in pool.rows[own]), tuple(pool.rows[other]))
        for scale, own, other in zip(group.scales, *group.ids, strict=True)
    }


def spelled(pairs: list[tuple[list[int], list[int]]]) -> set[Any]:
    return set().union(*(left([pair]) for pair in pairs))


EXTREME = [([8, 1], [1, 1]), ([1, 8], [1, 1])]


def test_mixtures_of_others_are_dropped() -> None:
    mixtures = [([9, 9], [2, 2]), ([17, 10], [3, 3]), ([10, 17], [3, 3])]
    assert left(EXTREME + mixtures) == spelled(EXTREME)


def test_what_is_worse_than_a_mixture_is_dropped() -> None:
    worse = [([4, 4], [1, 1]), ([9, 9], [3, 3]), ([1, 1], [1, 2])]
    assert left(EXTREME + worse) == spelled(EXTREME)


def test_what_is_better_by_the_least_is_kept() -> None:
    better = ([9 * 10**15 + 1, 9 * 10**15], [2 * 10**15, 2 * 10**15])
    mixtures = [([9, 9], [2, 2]), ([17, 10], [3, 3]), ([10, 17], [3, 3])]
    assert spelled([*EXTREME, better]) <= left([*EXTREME, *mixtures, better])


def test_one_set_of_multiples_must_do_for_both_runs() -> None:
    """Half of each of the first two gives (4, 4), three eighths of each (3, 3): not the same multiples."""
    kept = [([8, 0], [1, 7]), ([0, 8], [7, 1]), ([4, 4], [3, 3]), ([7, 1], [1, 6]), ([1, 7], [6, 1])]
    assert left(kept) == spelled(kept)


def test_pruning_by_hulls_does_not_change_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = []

    def always(pruning: HullPruning, frontier: ItemFrontier) -> Layer:
        kept = undominated(pruning.question, frontier.layer, SearchBudget())
        dropped.append(frontier.layer.size - kept.size)
        return kept

    monkeypatch.setattr(engine, "_LARGE", 0)
    monkeypatch.setattr(HullPruning, "pruned", always)
    model = above_threshold(ints(6, 0, 3), threshold=1, ratio="1/2", high=3)
    assert str(model.privacy("one_differ", method="search").max_ratio) == "4267/548"
    assert sum(dropped) > 0


def test_what_an_exhausted_budget_leaves_unseen_is_kept() -> None:
    budget = SearchBudget()
    budget.stopped = "time_limit"
    pairs = [*EXTREME, ([9, 9], [2, 2]), ([17, 10], [3, 3]), ([10, 17], [3, 3])]
    assert undominated(question(), layer_of(pairs), budget).size == len(pairs)


@pytest.mark.parametrize(("largest", "kept"), [(True, (5, 5)), (False, (4, 4))])
def test_multiples_of_single_runs_sum_to_one(largest: bool, kept: tuple[int, int]) -> None:
    """Half of each of the first two gives (9/2, 9/2): more than that is better, or worse where the least is asked."""
    asked, vectors = question(), [(8, 1), (1, 8), (5, 5), (4, 4), (7, 2), (2, 7)]
    single = SearchQuestion(asked.plan, single_inputs([2, 2], asked.automaton.order), (Track(0, False, 1),), largest)
    pool = Pool(EXACT, 2)
    ids, scales = zip(*(pool.intern([list(vector)]) for vector in vectors), strict=True)
    quotients = np.empty(len(vectors), dtype=object)
    quotients[:] = [flint.fmpq(int(scale)) for (scale,) in scales]
    nothing, choices = np.zeros(len(vectors), dtype=np.int64), np.zeros((len(vectors), 1), dtype=np.int32)
    layer = Layer(0, {0: pool}, {(0, 0): Group(np.array(ids).T, quotients, nothing, choices, 0)})
    group = undominated(single, layer, SearchBudget()).groups[0, 0]
    found = {tuple(scale * b for b in pool.rows[own]) for scale, own in zip(group.scales, group.ids[0], strict=True)}
    assert found == {(8, 1), (1, 8), kept}
