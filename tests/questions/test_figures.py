"""Pictures and tables of profiles, trade-off curves and loss distributions, whatever they look like."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import bits, flip, ints, mechanism
from taut.mechanisms import above_threshold, randomized_response, rr_count
from taut.questions.figures.curve_figure import profile_figure, tradeoff_figure
from taut.questions.figures.pair_figure import loss_figure


@mechanism
def leaky(x: Any) -> Any:
    return "seen" if x[0] and flip("1/10") else x[0] ^ flip("1/3")


def stopped() -> Any:
    with taut.options(max_beliefs=20):
        return above_threshold(ints(2, 0, 3), threshold=1, ratio="1/2", high=3)


PROFILES = {
    "one piece": lambda: randomized_response(bits(3), lam="1/5").profile(),
    "several pairs": lambda: above_threshold(ints(2, 0, 3), threshold=1, ratio="1/2", high=3).profile(),
    "many pieces": lambda: rr_count(bits(20), lam="1/4").profile(),
    "composed exactly": lambda: randomized_response(bits(3), lam="1/5").profile().compose(10),
    "composed, as intervals": lambda: rr_count(bits(8), lam="1/4").profile().compose(20),
    "a limit above 0": lambda: leaky(bits(2)).profile(),
    "a composed limit": lambda: leaky(bits(2)).profile().compose(3),
    "never private": lambda: randomized_response(bits(2), lam=0).profile(),
    "always private": lambda: randomized_response(bits(2), lam="1/2").profile(),
    "balls": lambda: above_threshold(ints(2, 0, 2), threshold=1, ratio=taut.exp("-1/2"), high=2).profile(),
    "stopped": lambda: stopped().profile(method="exhaustive"),
}


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_can_be_drawn(name: str, tmp_path: Path) -> None:
    profile = PROFILES[name]()
    assert profile.plot(tmp_path / "p.png", title="mine") is None
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    figure = profile_figure(profile)
    axes = figure.axes[0]
    drawn = [(x, y) for line in axes.get_lines() for x, y in zip(*line.get_data(), strict=True)]
    assert drawn and all(x == x and y == y for x, y in drawn), "no holes"
    low, high = axes.get_ylim()
    most = float(profile.delta_interval(ratio=1)[1])
    assert low <= most <= high and axes.get_xlim()[0] == 0


def test_the_curve_is_where_delta_is() -> None:
    profile = PROFILES["several pairs"]()
    lines = [line for line in profile_figure(profile).axes[0].get_lines() if len(line.get_xdata()) > 20]
    for line in lines:
        for epsilon, delta in list(zip(*line.get_data(), strict=True))[::7]:
            exact = profile.delta(repr(float(epsilon)))
            assert abs(float(exact) - delta) < 1e-9


def test_a_pair_is_named_where_it_is_the_worst() -> None:
    figure = profile_figure(PROFILES["one piece"]())
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["worst: x = (0, 0, 0),  x' = (1, 0, 0)"]
    words = [text.get_text() for text in profile_figure(PROFILES["a limit above 0"]()).axes[0].texts]
    assert any("0.1" in word for word in words)
    (legend,) = profile_figure(PROFILES["stopped"]()).legends
    assert "certified interval" in [text.get_text() for text in legend.get_texts()]


def test_trade_off_curves_can_be_drawn(tmp_path: Path) -> None:
    straight = randomized_response(bits(2), lam="1/5").tradeoff()
    bent = above_threshold(ints(2, 0, 3), threshold=1, ratio="1/2", high=3).tradeoff()
    for curve, named in ((straight, False), (bent, True), (stopped().tradeoff(method="exhaustive"), None)):
        assert curve.plot(tmp_path / "t.svg") is None and (tmp_path / "t.svg").read_bytes().startswith(b"<?xml")
        words = [text.get_text() for text in tradeoff_figure(curve).axes[0].get_legend().get_texts()]
        assert named is None or ("convex envelope" in words) is named
    assert "certified interval" in words


def test_infinite_losses_stand_at_the_edges(tmp_path: Path) -> None:
    loss = leaky(bits(2)).loss((1, 0), (0, 0))
    assert loss.plot(tmp_path / "l.png") is None and (tmp_path / "l.png").stat().st_size > 5000
    axes = loss_figure(loss).axes[0]
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert ticks[-1] == r"$+\infty$" and r"$-\infty$" not in ticks
    assert [text.get_text() for text in axes.texts] == ["0.1"]
    only = loss_figure(randomized_response(bits(2), lam=0).loss((1, 0), (0, 0))).axes[0]
    assert [label.get_text() for label in only.get_xticklabels()] == [r"$-\infty$", r"$+\infty$"]


def test_many_losses_are_drawn_with_all_their_mass() -> None:
    loss = randomized_response(bits(60), lam="1/5").loss((0,) * 60, (1,) * 60)
    areas = [patch.get_data().values for patch in loss_figure(loss).axes[0].patches if patch.get_fill()]
    assert [round(float(heights.sum()), 9) for heights in areas] == [1, 1]


def test_without_a_path_a_notebook_gets_a_picture(tmp_path: Path) -> None:
    model = randomized_response(bits(2), lam="1/5")
    for result in (model.profile(), model.tradeoff(), model.loss((0, 0), (1, 0))):
        picture = result.plot()
        assert picture is not None and "<svg" in picture._repr_svg_() and taut.plot(result) is not None
        with pytest.raises(taut.InvalidInput, match="allowed are"):
            result.plot(tmp_path / "p.txt")
    assert not list(tmp_path.iterdir())


def test_notebooks_show_tables() -> None:
    model = rr_count(bits(3), lam="1/4")
    profile = model.profile()._repr_html_()
    assert profile.count("<tr>") == len(model.profile().pieces) + 1 and "e^eps from" in profile
    assert model.tradeoff()._repr_html_().count("<tr>") == len(model.tradeoff().corners) + 1
    assert re.findall("<td>(.*?)</td>", model.loss((0, 0, 0), (0, 0, 1))._repr_html_())[0]
    assert "certified intervals" in rr_count(bits(8), lam="1/4").profile().compose(20)._repr_html_()
    delta = model.delta(ratio=2)._repr_html_()
    assert ">event<" in delta and ">neighbours<" in delta
    assert "divergence" in model.renyi(2)._repr_html_() and "rho" in model.zcdp()._repr_html_()
