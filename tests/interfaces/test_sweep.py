"""Sweeps compile once where only weights change, and agree with single models."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

import taut
from taut import bits
from taut.interfaces.queries.query import read_sweep
from taut.interfaces.reports.show import sweep_figure
from taut.interfaces.sweep import run_sweep
from taut.mechanisms import rr_count
from taut.questions.accuracy import Accuracy
from taut.questions.privacy import Privacy
from taut.support.pictures.style import picture


def test_a_sweep_compiles_once_and_agrees_with_single_models() -> None:
    query, name, values = read_sweep("rr_count", ["n=5", "lam=0:1:0.1"])
    sweep = run_sweep(query, name, values, neighbors="one_differ", questions=[Privacy(), Accuracy(sum, 1)])
    assert [point.value for point in sweep.points] == [Fraction(place, 10) for place in range(11)]
    for point in sweep.points:
        model = rr_count(bits(5), lam=point.value)
        assert point.privacy is not None and point.accuracy is not None
        assert point.privacy.max_ratio == model.privacy().max_ratio
        assert point.accuracy.probability == model.accuracy(sum, 1).probability
        assert point.privacy.verify() and point.accuracy.verify()
    assert sweep.compilations == 6, "privacy and accuracy: once inside, and once each for the ends without a coin"
    rows = list(csv.reader(io.StringIO(sweep.to_csv())))
    assert rows[3][:5] == ["1/5", "0.2", "1.38629436112", "4", "4"]
    assert rows[1][2:5] == ["inf", "inf", "inf"]
    assert picture(sweep_figure(sweep)).startswith(b"\x89PNG")


def test_a_sweep_over_what_changes_the_program() -> None:
    query, name, values = read_sweep("above_threshold", ["n=2", "strict=true,false"])
    sweep = run_sweep(query, name, values, neighbors="one_step", questions=[Privacy()])
    assert sweep.compilations == 2
    assert picture(sweep_figure(sweep), ".svg").startswith(b"<?xml")


def test_a_sweep_of_infinities_can_be_drawn() -> None:
    query, name, values = read_sweep("rr", ["n=1,2", "lam=0"])
    sweep = run_sweep(query, name, values, neighbors="one_differ", questions=[Privacy()])
    assert all(point.privacy is not None and point.privacy.max_ratio == taut.INFINITY for point in sweep.points)
    assert picture(sweep_figure(sweep)).startswith(b"\x89PNG")
