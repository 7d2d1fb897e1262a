"""Values that are typed, files that are written whole, sweeps that compile once, and the paper's report."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import taut
from taut import bits, ints
from taut.mechanisms import CATALOG, rr_count
from taut.report.arguments import read_query, read_sweep
from taut.report.files import check_folder, write_file
from taut.report.paper import PARTS, reproduce
from taut.report.plots import picture, sweep_figure
from taut.report.published import ABOVE_THRESHOLD_BDD, RR_ROWS
from taut.report.sweep import Accuracy, run_sweep
from taut.report.tables import Table
from taut.report.text import count_text, json_text, vector_text
from taut.report.values import parse_choices, parse_value

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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("-3", -3),
        ("1/5", Fraction(1, 5)),
        ("0.2", Fraction(1, 5)),
        ("2e-3", Fraction(1, 500)),
        ("true", True),
        ("False", False),
        ("none", None),
        ("word", "word"),
        ("'1/5'", "1/5"),
        ("[]", []),
        ("[1, a, [0.5, true]]", [1, "a", [Fraction(1, 2), True]]),
        ("bits(8)", bits(8)),
        (" ints( 6, 0,3 ) ", ints(6, 0, 3)),
        ("categories(2,[a,b])", taut.categories(2, ["a", "b"])),
        ("integer(0,5)", taut.integer(0, 5)),
        ("bits(4).optional()", bits(4).optional()),
        ("categories(2,[a,b]).optional( )", taut.categories(2, ["a", "b"]).optional()),
    ],
)
def test_values(text: str, value: object) -> None:
    found = parse_value(text, "v")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        *["", "[", "[1", "[1 2]", "bits(", "bits()", "bits(1,2)", "rm(1)", "1 2", "(1)", "]", "'a", "categories(2,a)"],
        *["__import__('os')", "[" * 50, "ints(2,3,1)", "bits(-1)", "bits(1/2)"],
        *[
            "bits(2).optional",
            "bits(2).optional(1)",
            "bits(2).optional().optional()",
            "exp(1).optional()",
            "bits(2).wide()",
        ],
    ],
)
def test_values_that_are_refused(text: str) -> None:
    with pytest.raises((taut.InvalidInput, taut.InvalidDomain)):
        parse_value(text, "v")


def test_ranges_are_exact() -> None:
    assert parse_choices("0.05:0.5:0.05", "lam") == [Fraction(place, 20) for place in range(1, 11)]
    assert parse_choices("2:6:2", "n") == [2, 4, 6]
    assert parse_choices("1:3", "n") == [1, 2, 3]
    assert parse_choices("0:1:0.3", "lam") == [0, Fraction(3, 10), Fraction(6, 10), Fraction(9, 10)]
    assert parse_choices("1/3,[a,b],true", "v") == [Fraction(1, 3), ["a", "b"], True]
    assert parse_choices("bits(3)", "x") is None
    assert parse_choices("ints(3,0,1)", "x") is None


@pytest.mark.parametrize("text", ["1:2:0", "1:2:-1", "3:1:1", "a:b:c", "1:2:3:4", ":", "0:1e9:1", "1:1/0:1"])
def test_ranges_that_are_refused(text: str) -> None:
    with pytest.raises(taut.InvalidInput):
        parse_choices(text, "lam")


def test_long_vectors_are_runs() -> None:
    assert vector_text((0,) * 16) == f"({', '.join(['0'] * 16)})"
    assert vector_text((1,) * 3 + (0,) * 17) == "1^3 0^17"
    assert vector_text((True,) * 18 + (False,)) == "True^18 False"
    assert vector_text((0, 1) * 500).count(" ") < 60
    assert vector_text(((0, 1), (2,))) == "((0, 1), (2,))"
    assert vector_text(3) == "3"


def test_counts_of_any_size() -> None:
    assert count_text(1234567) == "1 234 567"
    assert count_text(2**100) == "about 10^30"
    assert count_text(2**100000) == "about 10^30103"


def test_json_has_a_word_for_everything() -> None:
    found = json.loads(json_text({"a": Fraction(1, 3), "b": (1, None), "c": taut.INFINITY}))
    assert found == {"a": "1/3", "b": [1, None], "c": "inf"}


@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda entry: entry.name)
def test_every_built_in_has_a_query(entry: object) -> None:
    query = read_query(entry.name, [])  # type: ignore[attr-defined]
    assert query.inputs == query.model().domain.size


def test_a_sweep_compiles_once_and_agrees_with_single_models() -> None:
    query, name, values = read_sweep("rr_count", ["n=5", "lam=0:1:0.1"])
    sweep = run_sweep(query, name, values, neighbors="one_differ", accuracy=Accuracy(sum, 1, None))
    assert [point.value for point in sweep.points] == [Fraction(place, 10) for place in range(11)]
    for point in sweep.points:
        model = rr_count(bits(5), lam=point.value)
        assert point.privacy is not None and point.accuracy is not None
        assert point.privacy.max_ratio == model.privacy().max_ratio
        assert point.accuracy.probability == model.accuracy(sum, 1).probability
        assert point.privacy.verify() and point.accuracy.verify()
    assert sweep.compilations == 6, "privacy and accuracy: once inside, and once each for the ends without a coin"
    rows = list(csv.reader(io.StringIO(sweep.to_csv())))
    assert rows[3][:4] == ["1/5", "0.2", "4", "4"]
    assert rows[1][2:5] == ["inf", "inf", "inf"]
    assert picture(sweep_figure(sweep)).startswith(b"\x89PNG")


def test_a_sweep_over_what_changes_the_program() -> None:
    query, name, values = read_sweep("above_threshold", ["n=2", "strict=true,false"])
    sweep = run_sweep(query, name, values, neighbors="one_step", accuracy=None)
    assert sweep.compilations == 2
    assert picture(sweep_figure(sweep), ".svg").startswith(b"<?xml")


def test_a_sweep_of_infinities_can_be_drawn() -> None:
    query, name, values = read_sweep("rr", ["n=1,2", "lam=0"])
    sweep = run_sweep(query, name, values, neighbors="one_differ", accuracy=None)
    assert all(point.privacy is not None and point.privacy.max_ratio == taut.INFINITY for point in sweep.points)
    assert picture(sweep_figure(sweep)).startswith(b"\x89PNG")


def test_an_older_file_survives(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_file(path, "old")
    write_file(path, "new")
    assert path.read_text() == "new"
    with pytest.raises(taut.InvalidInput):
        write_file(tmp_path / "none" / "a.csv", "text")
    (tmp_path / "folder").mkdir()
    with pytest.raises(taut.InvalidInput):
        write_file(tmp_path / "folder", "text")
    assert sorted(found.name for found in tmp_path.iterdir()) == ["a.csv", "folder"]


def test_a_folder_made_in_vain_goes_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), check_folder(tmp_path / "a" / "b"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_tables_are_markdown_and_csv() -> None:
    table = Table("t", "T", ("a", "b"), (("x|y", "**1,234**"), ("1, 2", "< 3")))
    assert "x\\|y" in table.markdown
    assert table.csv == 'a,b\nx|y,1234\n"1, 2",< 3\n'
    assert len({len(line) for line in table.markdown.splitlines()}) == 1


def test_published_rows_are_those_of_the_paper() -> None:
    assert len(RR_ROWS) == 14
    assert sum(row.timed_out for row in RR_ROWS) == 2
    assert all(row.states == 7**row.n for row in RR_ROWS if row.states is not None)
    assert all(row.bdd == row.n + 2 for row in RR_ROWS if row.bdd is not None)
    assert ABOVE_THRESHOLD_BDD[3][-1] == 91


@pytest.fixture(scope="module")
def quick() -> dict[str, bytes | str]:
    steps: list[str] = []
    found = reproduce(True, steps.append)
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
