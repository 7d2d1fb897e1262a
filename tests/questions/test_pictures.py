"""Pictures of bounds, worst cases and symmetries, whatever they look like."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex

import taut
from taut import bits, flip, geometric, ints, mechanism
from taut.mechanisms import above_threshold, histogram, randomized_response, rr_count
from taut.questions.privacy import PrivacyBound
from taut.support.errors import InvalidInput
from taut.support.pictures.style import BACKGROUND, inline_svg


@mechanism
def constant(x: Any) -> Any:
    return 7


@mechanism
def tuples(x: Any) -> Any:
    return None if flip("1/3") else (x[0] ^ flip("1/4"), None, "a$b$<script>\n")


@mechanism
def wide(x: Any) -> Any:
    return geometric(500 if x[0] else 520, "9/10", 0, 1000)


@mechanism
def leaky(x: Any) -> Any:
    return "seen" if x[0] and flip("1/10") else x[0] ^ flip("1/3")


def hamming(y: Any, aim: Any) -> Any:
    return sum(a != b for a, b in zip(y, aim, strict=True))


PICTURES = {
    "few outputs": lambda: randomized_response(bits(2), lam="1/5").privacy(),
    "groups of outputs": lambda: randomized_response(bits(8), lam="1/5").privacy(),
    "outputs that cannot be listed": lambda: randomized_response(bits(60), lam="1/5").privacy(),
    "one output": lambda: constant(bits(1)).privacy(),
    "tuples with None": lambda: tuples(bits(1)).privacy(),
    "a thousand outputs": lambda: wide(bits(1)).privacy(),
    "an infinite quotient": lambda: leaky(bits(1)).privacy(),
    "vectors": lambda: histogram(ints(2, 0, 2), k=3, ratio="1/2").privacy(),
    "a search": lambda: above_threshold(ints(6, 0, 3), threshold=1, ratio="1/2", high=3).privacy(
        method="search", progress=True
    ),
    "balls": lambda: above_threshold(ints(2, 0, 2), threshold=1, ratio=taut.exp("-1/2"), high=2).privacy(),
    "delta": lambda: above_threshold(ints(2, 0, 3), threshold=1, ratio="1/2", high=3).delta(ratio=2),
    "delta at an epsilon": lambda: randomized_response(bits(8), lam="1/5").delta(1),
    "no event": lambda: randomized_response(bits(2), lam="1/5").delta(ratio=100),
    "epsilon": lambda: rr_count(bits(6), lam="1/5").epsilon("0.1"),
    "epsilon, infinite": lambda: leaky(bits(1)).epsilon(0),
    "a Rényi moment": lambda: leaky(bits(1)).renyi(2),
    "zCDP": lambda: rr_count(bits(3), lam="1/5").zcdp(),
    "accuracy": lambda: rr_count(bits(8), lam="1/5").accuracy(sum, 1),
    "accuracy, never": lambda: constant(bits(1)).accuracy(sum, 1),
    "accuracy, best": lambda: rr_count(bits(4), lam="1/5").accuracy(sum, 1, best=True),
    "accuracy of vectors": lambda: randomized_response(bits(4), lam="1/5").accuracy(lambda x: x, 1, distance=hamming),
    "accuracy of a thousand": lambda: wide(bits(1)).accuracy(lambda x: 510, 20),
    "mean error": lambda: rr_count(bits(4), lam="1/5").error(sum).mean,
    "quantile": lambda: rr_count(bits(4), lam="1/5").error(sum).quantile("0.9"),
    "variance": lambda: rr_count(bits(4), lam="1/5").error(sum).variance,
    "worst pairs": lambda: above_threshold(ints(2, 0, 3), threshold=1, ratio="1/2", high=3).worst_pairs(30),
    "worst pairs, infinite": lambda: leaky(bits(2)).worst_pairs(8),
    "worst inputs": lambda: rr_count(bits(6), lam="1/5").worst_inputs(sum, 1, 8),
    "a formula": lambda: rr_count(bits(3), lam=taut.parameter("lam", 0, "1/2")).privacy(),
    "a formula of probabilities": lambda: rr_count(bits(3), lam=taut.parameter("lam", 0, "1/2")).delta(ratio=2),
    "a calibration": lambda: rr_count(bits(3), lam=taut.parameter("lam", 0, "1/2")).calibrate(epsilon=1),
    "a choice": lambda: rr_count(bits(3), lam=taut.parameter("lam", 0, "1/2")).calibrate(ratio=3, accuracy=(sum, 1)),
    "symmetries": lambda: rr_count(bits(30), lam="1/5").symmetries(),
    "no symmetries": lambda: leaky(bits(1)).symmetries(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_answer_has_a_picture(name: str, tmp_path: Path) -> None:
    result = PICTURES[name]()
    assert taut.plot(result, tmp_path / "p.png") is None
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    page = result._repr_html_()
    assert page.count("<svg") == 1 and page.count("</svg>") == 1
    assert "<script" not in page and not re.search(r"(?:src|href)=.[^#]", page), "nothing is loaded from elsewhere"
    assert len(page) < 150_000


def test_the_bars_are_the_probabilities_and_the_outlined_ones_attain_the_quotient() -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    axes = bound._figure(None).axes[0]
    heights = sorted(round(patch.get_height(), 9) for patch in axes.patches)
    assert heights == [0.04, 0.04, 0.16, 0.16, 0.16, 0.16, 0.64, 0.64]
    outlined = sorted(round(patch.get_height(), 9) for patch in axes.patches if patch.get_linewidth() > 1)
    assert outlined == [0.04, 0.16, 0.16, 0.64], "two outputs are 4 times as likely on x"


def test_what_is_hatched_adds_up_to_delta() -> None:
    bound = above_threshold(ints(3, 0, 3), threshold=1, ratio="1/2", high=3).delta(ratio=2)
    hatched = [patch.get_height() for patch in bound._figure(None).axes[0].patches if patch.get_hatch()]
    assert sum(hatched) == pytest.approx(float(bound.delta))


def test_what_is_green_adds_up_to_the_accuracy() -> None:
    bound = rr_count(bits(8), lam="1/5").accuracy(sum, 1)
    near = [p.get_height() for p in bound._figure(None).axes[0].patches if to_hex(p.get_facecolor()) == "#009e73"]
    near = [height for height in near if height < 1]  # the shade is as high as the panel
    assert sum(near) == pytest.approx(float(bound.probability))


def test_a_search_remembers_how_its_interval_closed_if_it_is_told_to() -> None:
    model = above_threshold(ints(6, 0, 3), threshold=1, ratio="1/2", high=3)
    assert model.privacy(method="search").history == ()
    seen: list[Any] = []
    bound = model.privacy(method="search", progress=seen.append)
    assert seen and bound.history and len(bound._figure(None).axes) == 2
    seconds = [moment.seconds for moment in bound.history]
    assert seconds == sorted(seconds) and bound.history[-1][1:] == (bound.lower, bound.upper)
    lowers = [moment.lower for moment in bound.history if moment.lower is not None]
    assert lowers == sorted(lowers) and max(lowers) == bound.max_ratio


def test_dark_pictures_have_dark_paper_and_light_words(tmp_path: Path) -> None:
    bound = rr_count(bits(4), lam="1/5").accuracy(sum, 1)
    light, dark = (inline_svg(bound._figure(None), "p", style) for style in ("light", "dark"))
    assert BACKGROUND in dark and BACKGROUND not in light and "#ffffff" in light
    for result in (bound, rr_count(bits(4), lam="1/5").profile(), rr_count(bits(2), lam="1/5").symmetries()):
        result.plot(tmp_path / "dark.png", style="dark")
        assert (tmp_path / "dark.png").exists()


def test_several_pictures_of_one_page_do_not_share_names() -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    names = [set(re.findall(r'\bid="([^"]*)"', inline_svg(bound._figure(None), name))) for name in ("a", "b")]
    assert names[0] and not names[0] & names[1]
    one = inline_svg(bound._figure(None), "a")
    assert set(re.findall(r"(?:url\(|href=\")#([^)\"]*)", one)) <= names[0]


def test_what_cannot_be_drawn_is_refused_in_a_sentence(tmp_path: Path) -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    with pytest.raises(InvalidInput, match="light or dark; got 'blue'"):
        bound.plot(style="blue")
    with pytest.raises(InvalidInput, match=r"\.png, \.svg, \.pdf"):
        bound.plot(tmp_path / "p.gif")
    with pytest.raises(InvalidInput, match="not made by a model"):
        PrivacyBound(1, 1, "none", {}).plot()
    assert "<svg" not in PrivacyBound(1, 1, "none", {})._repr_html_()
    with pytest.raises(InvalidInput, match="the list is empty"):
        type(rr_count(bits(2), lam="1/5").worst_pairs())().plot()
    with pytest.raises(InvalidInput, match="got 3"):
        taut.plot(3)  # type: ignore[arg-type]


def test_a_picture_that_fails_leaves_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    monkeypatch.setattr("taut.support.pictures.style.inline_svg", lambda *_: 1 / 0)
    assert "<table>" in bound._repr_html_() and "<svg" not in bound._repr_html_()
