"""Golden answers: every question asked through public interfaces, and recorded as text under ``answers/``.

``python -m tests.golden.record`` asks all of them and writes the answers anew, for differences that are wanted; with
names of files, such as ``mechanisms/rr_count``, only these.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path

from tests.golden.built_in import MECHANISMS, mechanism_records
from tests.golden.commands import COMMANDS, command_records
from tests.golden.python import TOPICS, topic_records
from tests.golden.records import Records, differences, read, written

__all__ = ["FILES", "changes", "place"]

FILES: dict[str, Callable[[], Records]] = {
    **{f"mechanisms/{name}": functools.partial(mechanism_records, name) for name in MECHANISMS},
    **{f"commands/{name}": functools.partial(command_records, name) for name in COMMANDS},
    **{f"python/{name}": functools.partial(topic_records, name) for name in TOPICS},
}
"""For each file of answers, the function that asks its questions."""
ANSWERS = Path(__file__).parent / "answers"


def place(name: str) -> Path:
    """Return the path of a file of answers."""
    return ANSWERS / f"{name}.txt"


def changes(name: str) -> list[str]:
    """Ask the questions of a file again; say which answers differ from the recorded ones, and in which lines."""
    return differences(read(place(name).read_text(encoding="utf-8")), FILES[name]())


def main(names: list[str]) -> None:
    """Write these files of answers anew, or all, and delete those of which nothing is asked any more."""
    for name in names or FILES:
        place(name).parent.mkdir(parents=True, exist_ok=True)
        place(name).write_text(written(FILES[name]()), encoding="utf-8")
    for path in ANSWERS.rglob("*.txt"):
        if path.relative_to(ANSWERS).with_suffix("").as_posix() not in FILES:
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
