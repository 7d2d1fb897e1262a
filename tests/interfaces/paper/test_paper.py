"""The paper's tables and figures, recomputed, and the report around them."""

from __future__ import annotations

import csv
import io
import re

import pytest

from taut.interfaces.paper import PARTS, Reproduction
from taut.interfaces.paper.published import ABOVE_THRESHOLD_BDD, RR_ROWS

pytestmark = pytest.mark.xdist_group("paper")  # the reproduction is made once

TABLES = [
    "above_threshold_privacy",
    "above_threshold_sizes",
    "bounds_against_lambda",
    "checks",
    "inference",
    "rr_count_sizes_and_times",
    "rr_peers_here",
    "rr_sizes_and_times",
    "rr_times",
    "worst_inputs",
    "worst_inputs_distinct",
]
FIGURES = ["above_threshold_privacy", "above_threshold_sizes", "bounds_against_lambda", "rr_count", "rr_times"]


def test_published_rows_are_those_of_the_paper() -> None:
    assert len(RR_ROWS) == 14
    assert sum(row.timed_out for row in RR_ROWS) == 2
    assert all(row.states == 7**row.n for row in RR_ROWS if row.states is not None)
    assert all(row.bdd == row.n + 2 for row in RR_ROWS if row.bdd is not None)
    assert ABOVE_THRESHOLD_BDD[3][-1] == 91


@pytest.fixture(scope="module")
def quick(quick_paper: tuple[Reproduction, list[str]]) -> dict[str, bytes | str]:
    found, steps = quick_paper
    assert len(steps) == PARTS
    assert all(check["agrees"] for check in found.checks), [c for c in found.checks if not c["agrees"]]
    return found.files


def test_every_table_and_figure_is_there(quick: dict[str, bytes | str]) -> None:
    wanted = [f"{name}.{kind}" for name in TABLES for kind in ("csv", "md")] + [f"{name}.png" for name in FIGURES]
    assert sorted(quick) == sorted([*wanted, "report.md"])
    for name in FIGURES:
        content = quick[f"{name}.png"]
        assert isinstance(content, bytes) and content.startswith(b"\x89PNG") and len(content) > 10_000


def test_every_table_has_full_rows(quick: dict[str, bytes | str]) -> None:
    for name in TABLES:
        rows = list(csv.reader(io.StringIO(str(quick[f"{name}.csv"]))))
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1
        assert len(set(rows[0])) == len(rows[0]), "headings are different"


def test_published_times_are_copied_as_printed(quick: dict[str, bytes | str]) -> None:
    rows = list(csv.reader(io.StringIO(str(quick["rr_sizes_and_times.csv"]))))
    published = {(row[0], row[1], row[2]): row[-3:] for row in rows if "published" in row[0]}
    every, one = "all inputs and outputs", "one input, all outputs"
    assert published["Storm (published)", every, "2"] == ["0.0104", "< 0.0001", "0.0001"]
    assert published["Dice (published)", every, "10"] == ["63.1988", "11.016", "0.0917"]
    assert published["Dice (published)", one, "5"] == ["0.0239", "< 0.0001", "0.0001"]
    assert published["Storm (published)", one, "10"] == ["TO", "TO", "TO"]


def test_the_report_can_be_read(quick: dict[str, bytes | str]) -> None:
    report = str(quick["report.md"])
    for target in re.findall(r"\]\(([^)]+)\)", report):
        assert target in quick, f"the report links to {target}"
    headings = re.findall(r"^## (\d+)\. ", report, flags=re.MULTILINE)
    assert headings == [str(place) for place in range(1, 10)]
    assert "{" not in report.replace("{(", ""), "nothing is left to be filled in"
    for words in ("0.9437184", "4.0196", "21/25", "4^6 = 4096", "one_step", "3407/436"):
        assert words in report
