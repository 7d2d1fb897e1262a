"""All recorded questions have the recorded answers; ``python -m tests.golden.record`` records wanted differences."""

from __future__ import annotations

import pytest
from tests.golden import record
from tests.golden.records import differences, read, written


@pytest.mark.parametrize("name", record.FILES)
def test_answers_are_the_recorded_ones(name: str) -> None:
    changed = record.changes(name)
    assert not changed, f"{record.place(name)}:\n" + "\n".join(changed)


def test_every_file_of_answers_is_asked_for() -> None:
    there = {path.relative_to(record.ANSWERS).with_suffix("").as_posix() for path in record.ANSWERS.rglob("*.txt")}
    assert there == set(record.FILES)


def test_differences_name_the_record_and_the_line() -> None:
    old = {"same": ["1"], "other": ["a: 1", "b: 2"], "gone": ["x"]}
    new = {"same": ["1"], "other": ["a: 1", "b: 3"], "new": []}
    assert read(written(old)) == old and read(written(new)) == new
    said = ["other:", "- b: 2", "+ b: 3", "gone: is no longer asked", "new: is not recorded"]
    assert [line for line in differences(old, new) if line[0] != "?"] == said
