"""Frontiers: equal vectors are merged with the better scale, and every item can be traced back."""

import random

import flint
import numpy as np
import pytest
from tests.synthesis.search.test_hull import question

from taut.support.limits import limits
from taut.synthesis.search import frontier
from taut.synthesis.search.frontier import Group, ItemFrontier, merged, top_layer
from taut.synthesis.search.question import Choice, SearchBudget
from taut.synthesis.search.step import step_down


def group(ids: list[tuple[int, int]], scales: list[int]) -> Group:
    quotients = np.empty(len(scales), dtype=object)
    quotients[:] = [flint.fmpq(scale) for scale in scales]
    positions = np.arange(len(scales))
    choices = np.stack([positions, positions + 10], axis=1).astype(np.int32)
    return Group(np.array(ids).T, quotients, positions, choices, 0)


def test_of_equal_vectors_the_better_scale_stays_with_its_origin() -> None:
    one = merged(question(), [group([(0, 1), (1, 1), (0, 1)], [3, 4, 5]), group([(1, 1)], [2])], 2, 7)
    assert len(one) == 2 and one.start == 7
    kept = {
        tuple(ids): (scale, tuple(choice))
        for ids, scale, choice in zip(one.ids.T, one.scales, one.choices.tolist(), strict=True)
    }
    assert kept == {(0, 1): (5, (2, 12)), (1, 1): (4, (1, 11))}


def test_codes_of_very_many_vectors_do_not_overflow() -> None:
    """Four rows of numbers below 2^40 do not fit in 64 bits side by side."""
    rows = [(0, 1), (1 << 39, 5), (1 << 39, 5), (0, 1)]
    ids = np.array([[a, b, b, a] for a, b in rows]).T
    many = Group(ids, group(rows, [1, 2, 3, 4]).scales, np.arange(4), np.zeros((4, 2), dtype=np.int32), 0)
    assert sorted(merged(question(), [many], 1 << 40, 0).scales) == [3, 4]


def test_an_item_is_traced_back_by_its_choices() -> None:
    asked = question()
    frontier = ItemFrontier("down", top_layer(asked))
    for index in range(len(asked.plan.steps)):
        layer = step_down(asked, frontier.layer, SearchBudget())
        assert layer is not None
        frontier.extend(layer)
        frontier.prune(layer.kept(lambda key, group: np.arange(len(group)) % 2 == 0))
        for (state, _), items in frontier.layer.groups.items():
            for item in range(items.start, items.start + len(items)):
                path = frontier.path(item)
                assert len(path) == index + 1 and all(isinstance(choice, Choice) for choice in path)
                assert followed(asked, path) == state


def followed(asked, path: list[Choice]) -> int:  # type: ignore[no-untyped-def]
    """The state of the automaton behind some choices."""
    state: int = asked.states(0)[0]
    for index, choice in enumerate(path):
        state = next(q for a, b, q in asked.transitions(index, state) if (a, b) == choice)
    return state


def test_a_step_without_budget_gives_nothing() -> None:
    budget, asked = SearchBudget(), question()
    with limits(seconds=0):
        assert step_down(asked, top_layer(asked), budget) is None
    assert budget.stopped == "time_limit"


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("few", [0, 3, 1000])
def test_the_best_of_every_run_is_the_first_of_its_best_scales(
    largest: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier, "_FEW_RUNS", few)
    draw = random.Random(few)
    for _ in range(40):
        lengths = [draw.randint(1, 6) for _ in range(draw.randint(1, 8))]
        scales = np.array(
            [flint.fmpq(draw.randint(1, 4), draw.randint(1, 3)) for _ in range(sum(lengths))], dtype=object
        )
        order = np.array(draw.sample(range(len(scales)), len(scales)))
        starts = np.cumsum([0, *lengths[:-1]])
        runs = np.split(order, starts[1:])
        expected = [(max if largest else min)(run.tolist(), key=lambda item: scales[item]) for run in runs]
        assert frontier._best_of_runs(scales, order, starts, largest=largest).tolist() == expected
