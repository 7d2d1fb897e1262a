"""Answers as they are shown: vectors, counts, JSON, tables, and files that are written whole."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import taut
from taut.interfaces.reports.formats import Table, json_text
from taut.interfaces.reports.text import count_text, vector_text
from taut.support.files import check_folder, write_file


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


def test_tables_are_markdown_and_csv() -> None:
    table = Table("t", "T", ("a", "b"), (("x|y", "**1,234**"), ("1, 2", "< 3")))
    assert "x\\|y" in table.markdown
    assert table.csv == 'a,b\nx|y,1234\n"1, 2",< 3\n'
    assert len({len(line) for line in table.markdown.splitlines()}) == 1


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
    with pytest.raises(KeyboardInterrupt), check_folder(tmp_path / "a"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())
