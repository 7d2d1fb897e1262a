"""Records of measurements, kept as JSON lines, so that a comparison that was stopped can go on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from taut.interfaces.compare.measurement import Measurement
from taut.support.errors import InvalidInput
from taut.support.files import append_line, read_file, write_file

__all__ = ["Record", "RecordFile"]

Record = dict[str, Any]
_MOST_BYTES = 1 << 30


class RecordFile:
    """A file of JSON lines, one per record; what is in it is not measured again."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        self.known: dict[tuple[Any, ...], Record] = {}
        if self.path is not None and self.path.exists():
            self._read(self.path)

    def find(self, measurement: Measurement, limit: float) -> Record | None:
        """An earlier record; a time-out only counts if it had as much time."""
        record = self.known.get(measurement.key)
        if record is not None and record["status"] == "time-out" and record["limit"] < limit:
            return None
        return record

    def add(self, record: Record) -> None:
        """Write a record at once, in one piece, so that a later run can go on from here."""
        self.known[_key(record)] = record
        if self.path is not None:
            append_line(self.path, json.dumps(record).encode())

    def _read(self, path: Path) -> None:
        content = read_file(path, _MOST_BYTES)
        whole, _, rest = content.rpartition(b"\n")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                self.known[_key(record)] = record
            except (ValueError, KeyError, TypeError):
                raise InvalidInput(
                    f"{path}:{number} is not a line of a comparison; give --out another file.", value=str(path)
                ) from None
        if rest:  # the last line was cut off
            write_file(path, whole + b"\n" if whole else b"")


def _key(record: Record) -> tuple[Any, ...]:
    names = ("n", "tool", "method", "neighbors")
    return (record["target"], tuple(record["settings"]), *[record[name] for name in names])
