"""Results in notebooks: tables and pictures; showing them changes no value."""

from __future__ import annotations

import pickle
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from typing import Any

from taut import bits, exp, flip, mechanism
from taut.inference.matrix import Distribution, ProbabilityMatrix
from taut.mechanisms import randomized_response, rr_count


def cells(page: str) -> list[list[str]]:
    table = ElementTree.fromstring(f"<page>{page}</page>")
    return [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]


def test_worst_cases_are_tables_and_lists() -> None:
    model = randomized_response(bits(2), lam="1/5")
    pairs = model.worst_pairs()
    assert isinstance(pairs, list) and pairs == model.ratio_classes()[:4] and pairs[:1] == model.worst_pairs(1)
    assert "witness=Witness(x=(0, 0), x_prime=(1, 0), y=(0, 0))" in repr(pairs[0])
    assert cells(pairs._repr_html_())[:2] == [
        ["value", "count", "x", "x'", "y"],
        ["4", "16", "(0, 0)", "(1, 0)", "(0, 0)"],
    ]
    inputs = rr_count(bits(2), lam="1/5").worst_inputs(sum, 0)
    assert cells(inputs._repr_html_())[1] == ["16/25 = 0.64", "2", "(0, 0)"]


def test_distributions_are_tables_and_dictionaries() -> None:
    model = randomized_response(bits(1), lam="1/5")
    distribution = model.distribution((0,))
    assert distribution == {(0,): Fraction(4, 5), (1,): Fraction(1, 5)} and isinstance(distribution, dict)
    assert cells(distribution._repr_html_())[1:] == [["(0,)", "4/5", "0.8"], ["(1,)", "1/5", "0.2"]]
    long = randomized_response(bits(10), lam="1/5").distribution((0,) * 10)._repr_html_()
    assert long.endswith("<p>100 of 1024 rows</p>") and len(cells(long)) == 101


def test_long_numbers_balls_and_marks_are_shown() -> None:
    tiny = Fraction(1, 10**5000)
    assert len(cells(Distribution({0: tiny})._repr_html_())[1][1]) > 5000
    assert len(cells(ProbabilityMatrix({((0,), 0): tiny})._repr_html_())[1][1]) > 5000

    @mechanism
    def marked(x: Any) -> Any:
        return "<b>" if flip(exp("-1")) and x[0] else "&"

    model = marked(bits(1))
    assert cells(model.distribution((1,))._repr_html_())[1][0] in ("<b>", "&")
    matrix = model.inference([((1,), "<b>"), ((0,), "&")])
    assert [row[0] for row in cells(matrix._repr_html_())] == ["y \\ x", "<b>", "&"]


def test_a_drawing_without_a_path_is_a_picture() -> None:
    model = randomized_response(bits(2), lam="1/5")
    picture = model.draw()
    assert picture is not None and ElementTree.fromstring(picture._repr_svg_()).tag.endswith("svg")
    assert repr(picture) == "Picture(title='randomized_response')"


def test_a_bound_is_shown_in_words_also_after_unpickling() -> None:
    bound = randomized_response(bits(2), lam="1/5").privacy()
    for one in (bound, pickle.loads(pickle.dumps(bound))):
        shown = one._repr_html_()
        assert "1, 0" in shown and "1.386" in shown
        assert not any(word in shown for word in ("stats", "inference_seconds", "synthesis_seconds"))


def test_a_figure_for_a_page_is_as_narrow_as_its_letters_allow() -> None:
    from taut.support.pictures.style import chart, compact

    short, _ = chart("short", "x", "y")
    long, axes = chart("short", "x", "y")
    axes.set_yticks([0], ["a label that leaves no room for anything else beside it on a phone at all"])
    assert compact(short).get_figwidth() < 5 and compact(long).get_figwidth() == 6.4
