"""The chart primitives: bars, histograms and curves, with values that no axis has room for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from matplotlib.colors import to_hex

from taut.support.pictures.charts import Bar, Row, bars, closing_interval, histogram, panel_and_history, without_tails
from taut.support.pictures.style import EDGE, OURS, THEIRS, chart, darken


@pytest.mark.parametrize("lying", [True, False])
def test_an_infinite_bar_is_hatched_and_longer_than_all_others(lying: bool) -> None:
    _, axes = chart("", "x", "y")
    bars(axes, [Row(str(value), [Bar(value, OURS)]) for value in (1, 3, math.inf, 10**400)], lying=lying)
    sizes = [patch.get_width() if lying else patch.get_height() for patch in axes.patches]
    assert sizes[:2] == [1, 3] and sizes[2] == sizes[3] > 3
    assert [bool(patch.get_hatch()) for patch in axes.patches] == [False, False, True, True]


def test_bars_of_very_different_size_have_a_logarithmic_axis_that_is_named() -> None:
    for largest, name in ((99, "x"), (101, "x, logarithmic")):
        _, axes = chart("", "x", "y")
        bars(axes, [Row("a", [Bar(1, OURS)]), Row("b", [Bar(largest, OURS)]), Row("c", [Bar(0, OURS)])])
        assert axes.get_xlabel() == name and (axes.get_xscale() == "log") is ("log" in name)


@pytest.mark.parametrize("count", [3, 32, 33, 300, 5000])
def test_a_histogram_has_all_the_mass_of_few_and_of_many_numbers(count: int) -> None:
    _, axes = chart("", "", "")
    masses = {Fraction(place * place, 7): Fraction(1, count) for place in range(count)}
    histogram(axes, {OURS: masses, THEIRS: dict(masses)})
    total = sum(
        patch.get_data().values.sum() if hasattr(patch, "get_data") else patch.get_height()
        for patch in axes.patches
        if patch.get_fill()
    )
    assert total == pytest.approx(2)


def test_numbers_that_are_one_float_share_a_bar() -> None:
    _, axes = chart("", "", "")
    histogram(axes, {OURS: {10**20: Fraction(1, 4), 10**20 + 1: Fraction(1, 4), 0: Fraction(1, 2)}})
    assert sorted(patch.get_height() for patch in axes.patches) == [0.5, 0.5]


def test_colours_that_share_numbers_stand_side_by_side() -> None:
    for other, apart in (({0: 0.5, 1: 0.5}, True), ({2: 0.5, 3: 0.5}, False)):
        _, axes = chart("", "", "")
        histogram(axes, {OURS: {0: 0.5, 1: 0.5}, THEIRS: other})
        middles = {patch.get_x() + patch.get_width() / 2 for patch in axes.patches}
        assert len(middles) == 4 and (0 not in middles) is apart


def test_tails_are_left_out_of_many_numbers_only() -> None:
    steep = {place: Fraction(1, 2**place) for place in range(30)}
    kept, words = without_tails({OURS: steep})
    assert max(kept[OURS]) == 9 and words == "; 20 others are less likely than 1/1000 of the highest"
    few = {place: mass for place, mass in steep.items() if place < 24}
    assert without_tails({OURS: few}) == ({OURS: few}, "")


def test_an_end_that_is_not_known_or_infinite_is_not_drawn() -> None:
    history = [(0.1, None, None), (0.2, Fraction(1), math.inf), (0.3, Fraction(2), Fraction(400))]
    _, _, closing = panel_and_history(history, 4)
    assert closing is not None and panel_and_history(history[:2], 4)[2] is None
    closing_interval(closing, history, "e")
    assert [list(line.get_ydata()) for line in closing.get_lines()] == [[1, 2], [400]]
    assert closing.get_ylabel() == "e, logarithmic"


def test_a_line_and_its_markers_get_one_colour_on_dark_pages() -> None:
    figure, axes = chart("", "", "")
    for color in (OURS, EDGE):
        axes.plot([0, 1], [0, 1], "o-", color=color)
    darken(figure)
    for line in axes.get_lines():
        assert to_hex(line.get_markerfacecolor()) == to_hex(line.get_color()) == to_hex(line.get_markeredgecolor())
    assert min(to_hex(axes.get_lines()[1].get_color())[1:3], "c0") == "c0", "what is nearly black becomes nearly white"
