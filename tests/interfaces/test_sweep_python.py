"""Sweeps in Python: every point is the bound of its own model, whichever argument is the list."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import bits, ints
from taut.mechanisms import above_threshold, composed, randomized_response, rr_count, subsampled


def test_every_point_is_the_bound_of_its_model() -> None:
    swept = taut.sweep(rr_count, bits(3), lam=["1/10", 0.2, Fraction(2, 5)], target=sum, alpha=1)
    assert [point.value for point in swept.points] == [Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)]
    assert swept.compilations < 6 and swept.neighbors == "one_differ"
    for point in swept.points:
        model = rr_count(bits(3), lam=point.value)
        assert point.privacy is not None and point.privacy.max_ratio == model.privacy().max_ratio
        assert point.accuracy is not None and point.accuracy.probability == model.accuracy(sum, 1).probability
    assert swept._repr_html_().count("<tr>") == 4


def test_delta_and_moments_are_those_of_the_models() -> None:
    swept = taut.sweep(rr_count, bits(3), lam=["1/10", "1/5", "1/2"], delta_at="ratio=2", renyi=3)
    for point in swept.points:
        model = rr_count(bits(3), lam=point.value)
        assert point.delta is not None and point.delta.delta == model.delta(ratio=2).delta
        assert point.renyi is not None and point.renyi.moment == model.renyi(3).moment
    headings, *rows = swept.to_csv().splitlines()
    assert headings.split(",")[5:] == ["delta", "delta_decimal", "moment", "moment_decimal", "divergence"]
    assert rows[2] == "1/2,0.5,0,1,1,0,0,1,1,0"
    assert "delta at eps = 0.693147 (e^eps = 2)" in swept._repr_html_() and "moment of order 3" in swept._repr_html_()
    assert swept.to_dict()["points"][0]["delta"]["ratio"] == "2"
    by_epsilon = taut.sweep(rr_count, bits(3), lam=["1/5"], delta_at="1/2").points[0].delta
    assert by_epsilon is not None and by_epsilon.delta == rr_count(bits(3), lam="1/5").delta("1/2").delta
    picture = taut.plot(swept)
    assert picture is not None and picture._repr_svg_().startswith("<?xml")


def test_domains_can_be_swept_and_the_declared_relation_is_meant() -> None:
    swept = taut.sweep(above_threshold, [ints(1, 0, 3), ints(2, 0, 3)], threshold=2, ratio="1/2", high=3)
    assert swept.parameter == "x" and swept.neighbors == "all_step"
    assert [row.rsplit(",", 3)[0] for row in swept.to_csv().splitlines()[1:]] == [
        '"ints(1, 0, 3)","ints(1, 0, 3)"',
        '"ints(2, 0, 3)","ints(2, 0, 3)"',
    ]
    free = taut.sweep(above_threshold, [ints(2, 0, 3)], threshold=2, ratio="1/2", high=3, neighbors="one_differ")
    assert free.neighbors == "one_differ"
    assert free.points[0].privacy.max_ratio != swept.points[1].privacy.max_ratio  # type: ignore[union-attr]


@taut.mechanism
def tabled(x: Any, table: Any, lam: Any) -> Any:
    return table[x[0]] if taut.flip(lam) else 0


def test_over_says_which_list_is_swept() -> None:
    with pytest.raises(taut.WrongArguments, match="table, lam; say which with over="):
        taut.sweep(tabled, bits(1), table=[1, 2], lam=["1/2", "1/3"])
    swept = taut.sweep(tabled, bits(1), table=[1, 2], lam=["1/2", "1/3"], over="lam")
    assert swept.parameter == "lam" and len(swept.points) == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lam": "1/5"}, "there is none"),
        ({"lam": []}, "there is none"),
        ({}, "missing a required argument"),
        ({"lam": ["1/5"], "alpha": 1}, "alpha is given without target"),
        ({"lam": ["1/5"], "target": sum}, "target is given without alpha"),
        ({"lam": ["1/5"], "over": "x"}, "is not a list of values"),
        ({"lam": ["1/5", "2"]}, "must be a probability"),
        ({"lam": ["1/5"], "delta_at": -1}, "epsilon must not be negative"),
        ({"lam": ["1/5"], "delta_at": "ratio=1/2"}, "must be at least 1"),
        ({"lam": ["1/5"], "renyi": 1}, "order must be a rational number above 1"),
    ],
)
def test_what_is_no_sweep_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(taut.TautError, match=said):
        taut.sweep(randomized_response, bits(2), **given)


def test_plots_go_into_notebooks_and_files(tmp_path: Path) -> None:
    swept = taut.sweep(randomized_response, bits(2), lam=["1/5", "2/5"])
    shown = taut.plot(swept)
    assert shown is not None and "<svg" in shown._repr_svg_()
    assert taut.plot(swept, tmp_path / "a.png") is None and (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(taut.InvalidInput, match="there is no folder"):
        taut.plot(swept, tmp_path / "b" / "a.png")
    with pytest.raises(taut.InvalidInput, match="expected what"):
        taut.plot(3)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_parameters_of_an_inner_mechanism_are_swept_too() -> None:
    twice = taut.sweep(composed, taut.bits(2), mechanism="rr", runs=2, lam=["1/10", 0.2])
    assert [(point.value, point.privacy.max_ratio) for point in twice.points] == [
        (Fraction(1, 10), 81),
        (Fraction(1, 5), 16),
    ]
    rates = taut.sweep(subsampled, taut.bits(2), "geometric_count", 0, rate=["1/4", "1/2"], ratio="1/2")
    assert [point.privacy.max_ratio for point in rates.points] == [Fraction(5, 4), Fraction(3, 2)]


def test_several_runs() -> None:
    """Each answer is that of the composed profile; accuracy is that of each run."""
    values, runs = ["1/10", "1/5", "1/4"], 3
    swept = taut.sweep(
        rr_count, bits(3), lam=values, compose=runs, delta_at="ratio=2", epsilon="1/100", renyi=2, target=sum, alpha=1
    )
    assert swept.title.endswith("3 runs") and swept.to_csv() and swept.to_dict()["points"]
    for point, lam in zip(swept.points, values, strict=True):
        model = rr_count(bits(3), lam=lam)
        many = model.profile().compose(runs)
        assert point.privacy.max_ratio == model.privacy().max_ratio ** runs
        assert point.delta.upper == many.delta_interval(ratio=2)[1] >= point.delta.lower
        assert point.epsilon.max_ratio == many.epsilon("1/100").max_ratio
        assert point.renyi.moment == model.renyi(2).moment ** runs
        assert point.accuracy == model.accuracy(sum, 1)
        assert point.privacy.verify() and not point.privacy.witnessed
