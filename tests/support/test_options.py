"""Options hold inside their block, nest, are kept by the models made there, and are checked."""

import threading
from typing import Any

import pytest

import taut
from taut import DiagramTooLarge, InvalidOption, TooLarge, bits, flip, mechanism
from taut.support.options import Options, active, captured_options


@mechanism
def response(x):
    return [bit ^ flip("1/5") for bit in x]


@mechanism
def total(x):
    return sum([bit ^ flip("1/5") for bit in x])


def test_options_hold_inside_the_block_only() -> None:
    before = active()
    with taut.options(max_nodes=10, order="program") as inside:
        assert (inside.max_nodes, inside.order) == (10, "program")
        with taut.options(max_nodes=20):
            assert active().max_nodes == 20 and active().order == "program"
        assert active().max_nodes == 10
        assert dict(captured_options()) == {"max_nodes": 10, "order": "program"}
    assert active() == before == Options()


def test_options_are_put_back_after_an_error() -> None:
    with pytest.raises(RuntimeError), taut.options(max_nodes=10):
        raise RuntimeError
    assert active() == Options()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_node": 1}, "no such option; there are max_nodes"),
        ({"max_nodes": 0}, "at least 1"),
        ({"max_nodes": "many"}, "whole number"),
        ({"max_outcomes": True}, "whole number"),
        ({"max_rounds": 1.5}, "whole number"),
        ({"order": "random"}, "auto, program, interleaved, search"),
        ({"order": None}, "order must be one of"),
    ],
)
def test_wrong_options_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidOption, match=said), taut.options(**settings):
        pass
    assert active() == Options()


def test_a_model_keeps_the_limits_it_was_made_with() -> None:
    with taut.options(max_nodes=50):
        model = total(bits(30))
    with pytest.raises(DiagramTooLarge, match=r"'total' passed max_nodes=50 at .*[Oo]rder"):
        _ = model.relation
    with taut.options(max_nodes=10**6):
        assert model.size > 50


def test_limits_around_a_query_count_too() -> None:
    model = response(bits(6))
    with taut.options(max_outcomes=63), pytest.raises(TooLarge, match="64 outputs"):
        model.distribution((0,) * 6)
    with taut.options(max_outcomes=64):
        assert len(model.distribution((0,) * 6)) == 64


def test_threads_do_not_see_each_others_options() -> None:
    seen = []
    with taut.options(max_nodes=77):
        worker = threading.Thread(target=lambda: seen.append(active().max_nodes))
        worker.start()
        worker.join()
    assert seen == [Options().max_nodes]
