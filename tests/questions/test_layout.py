"""Whatever is drawn, its words can be read: none is cut at the border, no label of an axis covers its neighbour."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

import taut
from taut import bits, flip, geometric, mechanism
from taut.questions.drawn import SeveralBounds
from taut.questions.text import telling
from taut.support.pictures.charts import lines
from taut.support.pictures.style import one_panel

TITLE = "a_mechanism(x=bits(3), probability_that_the_answer_is_flipped_before_it_is_sent=1/5, weight_of_the_rest=1/100)"
PEOPLE = ["Anna-Katharina von und zu Liechtenstein", "Bob", "Ωmega", "$a_1^2$ <b>"]


@mechanism
def people(x: Any) -> Any:
    return PEOPLE[(x[0] + 2 * x[1] + flip("1/5") + 2 * flip("1/5")) % 4]


@mechanism
def thirds(x: Any) -> Any:
    return sum(b ^ flip("1/4") for b in x) / 3


@mechanism
def huge(x: Any) -> Any:
    return 10**40 * sum(b ^ flip("1/4") for b in x) + 1


@mechanism
def wide(x: Any) -> Any:
    return geometric(sum(x), "1/2", -150, 150)


@mechanism
def leaks(x: Any) -> Any:
    return tuple(x) if flip("1/9") else "nothing"


@mechanism
def rare(x: Any) -> Any:
    return x[0] if flip("1/1000000000") else flip("1/2")


@mechanism
def answers(x: Any) -> Any:
    return [b ^ flip("147562/56447003") == 1 for b in x]


MODELS = {
    "people": people(bits(2)),
    "thirds": thirds(bits(3)),
    "huge": huge(bits(3)),
    "wide": wide(bits(3)),
    "leaks": leaks(bits(2)),
    "rare": rare(bits(1)),
    "answers": answers(bits(9)),
}
QUESTIONS = {
    "privacy": lambda model: model.privacy(),
    "delta": lambda model: model.delta(1),
    "epsilon": lambda model: model.epsilon("1/100"),
    "divergences": lambda model: SeveralBounds({"order 2": model.renyi(2), "zCDP": model.zcdp()}),
    "profile": lambda model: model.profile(),
    "trade-off": lambda model: model.tradeoff(),
    "worst pairs": lambda model: model.worst_pairs(),
    "symmetries": lambda model: model.symmetries(),
    "loss": lambda model: model.loss(model.privacy().witness.x, model.privacy().witness.x_prime),
}
NUMBERS = {
    "accuracy": lambda model: model.accuracy(sum, "1/3"),
    "mean error": lambda model: model.error(sum).mean,
}
ASKED = [(model, question) for model in MODELS if model != "answers" for question in QUESTIONS]
ASKED += [("answers", "privacy")]
ASKED += [(model, question) for model in ("thirds", "huge", "wide") for question in NUMBERS]


@pytest.mark.parametrize(("model", "question"), ASKED)
def test_no_word_is_cut_and_no_label_covers_another(model: str, question: str) -> None:
    result = {**QUESTIONS, **NUMBERS}[question](MODELS[model])
    readable(result._figure(TITLE))


def readable(figure: Figure) -> None:
    figure.canvas.draw()
    labels = [_labels(axis) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    beyond = {id(text) for _, hidden in labels for text in hidden}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond:
            box = text.get_window_extent()
            inside = min(box.x0, box.y0) >= -1 and box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
            assert inside, f"'{text.get_text()}' is cut"
    for place, (drawn, _) in enumerate(labels):
        across = place % 2 == 0
        ends = sorted(box.intervalx.tolist() if across else box.intervaly.tolist() for box in map(_box, drawn))
        assert all(a[1] <= b[0] + 1 for a, b in pairwise(ends)), "labels of an axis overlap"


def _labels(axis: Axis) -> tuple[list[Text], list[Text]]:
    """The labels of an axis, and those of ticks beyond its ends, which are made and not drawn."""
    if not axis.axes.axison:
        return [], axis.findobj(Text)
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    drawn: list[Text] = []
    hidden: list[Text] = []
    for tick in axis.get_major_ticks():
        inside = low - slack <= tick.get_loc() <= high + slack
        (drawn if inside and tick.label1.get_text().strip() else hidden).append(tick.label1)
        hidden.append(tick.label2)
    hidden += [label for tick in axis.get_minor_ticks() for label in (tick.label1, tick.label2)]
    return drawn, hidden


def _box(text: Text) -> Any:
    return text.get_window_extent()


def test_what_tells_inputs_apart_is_marked_also_where_no_epsilon_is_large_enough() -> None:
    axes = MODELS["leaks"].epsilon("1/100")._figure(None).axes[0]
    outlined = [round(patch.get_height(), 6) for patch in axes.patches if patch.get_linewidth() > 1]
    assert outlined == [0.111111, 0.0]
    figure = MODELS["leaks"].epsilon("1/100")._figure(None)
    assert "outlined: possible on x, impossible on x'" in [t.get_text() for t in figure.legends[0].get_texts()]


def test_a_number_beside_a_whole_one_is_not_rounded_to_it() -> None:
    figure = MODELS["rare"].privacy()._figure(None)
    words = [text.get_text() for text in (*figure.axes[0].texts, *figure.legends[0].get_texts())]
    assert "×(1 + 2e-09)" in words and "outlined: (1 + 2e-09) times as likely on x as on x'" in words
    assert telling(taut.exp("1/2"), 4) == "1.649"


def test_a_quotient_too_large_for_a_bar_is_not_called_infinite() -> None:
    @mechanism
    def nearly(x: Any) -> Any:
        return x[0] ^ flip(f"1/{10**400}")

    axes = nearly(bits(1)).worst_pairs()._figure(None).axes[0]
    assert [text.get_text().split()[0] for text in axes.texts] == ["1.0000e+400", "1.0000e-400"]


def test_infinite_values_of_a_curve_have_room_of_their_own() -> None:
    for log in (False, True):
        figure, axes = one_panel()
        lines(axes, {"y": ([0, 1], [1000.0, float("inf")])}, title="", x="", y="", log=log)
        figure.canvas.draw()
        sign = axes.texts[0].get_window_extent()
        (point,) = axes.transData.transform([(0, 1000.0)])
        assert point[1] < sign.y0


def test_what_is_left_out_of_a_picture_is_said() -> None:
    label = MODELS["wide"].accuracy(sum, 2)._figure(None).axes[0].get_xlabel()
    assert label == "output; 282 others are less likely than 1/1000 of the highest"


@pytest.mark.parametrize("alpha", ["3/10", 0.3, "0.3"])
def test_what_is_within_alpha_is_decided_exactly_however_it_is_written(alpha: Any) -> None:
    @mechanism
    def tenths(x: Any) -> Any:
        return Fraction(3, 10) if flip("1/2") else 1

    figure = tenths(bits(1)).accuracy(lambda x: 0, alpha)._figure(None)
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "within alpha = 3/10: 0.5" in words and "further off: 0.5" in words
