"""Measurements of a comparison, each in a process of its own, and the file that keeps their records."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from taut.interfaces.peers import PEERS
from taut.interfaces.queries.query import read_query
from taut.support.errors import InvalidInput, meant
from taut.support.files import append_line, read_file, write_file

__all__ = ["METHODS", "TOOLS", "Measurement", "Record", "RecordFile", "measure", "measurements_of"]


TOOLS = ("taut", *PEERS)
METHODS = ("exhaustive", "restricted", "search")


@dataclass(frozen=True)
class Measurement:
    """A question to a tool; texts as they are typed, so that another process reads the same."""

    target: str
    settings: tuple[str, ...]
    n: int
    tool: str
    method: str
    neighbors: str | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.target, self.settings, self.n, self.tool, self.method, self.neighbors)

    @property
    def words(self) -> str:
        return f"n={self.n}, {self.tool}, {self.method}"


def measurements_of(
    target: str,
    settings: Iterable[str],
    sizes: Iterable[int],
    tools: Iterable[str],
    methods: Iterable[str],
    neighbors: str | None,
) -> list[Measurement]:
    """Return all measurements, sizes first. The companions of a peer are included where they can answer.

    The size is n for what is built in; elsewhere it stands as {n} in the settings, as in 'x=bits({n})'.

    Raises:
        InvalidInput: an unknown tool or method, or settings without a size.
    """
    given = tuple(settings)
    for chosen, known, what in ((tools, TOOLS, "--tools"), (methods, METHODS, "--methods")):
        for one in chosen:
            if one not in known:
                raise InvalidInput(f"{what} {one}: there are {', '.join(known)}.{meant(one, known)}", value=one)
    measurements = []
    for n in sizes:
        sized = tuple(setting.replace("{n}", str(n)) for setting in given)
        query = read_query(target, sized)
        if sized == given:
            if query.entry is None and "n" not in query.mechanism.function.__code__.co_varnames:
                raise InvalidInput(
                    f"{target}: write where the size goes, as {{n}} in a setting: 'x=bits({{n}})'.", value=target
                )
            sized = (*given, f"n={n}")
            query = read_query(target, sized)
        query.arguments  # noqa: B018  (what is wrong with them is said before any work)
        wanted = list(tools)
        for peer in PEERS.values():
            if peer.companion_of in wanted and peer.name not in wanted and peer.mechanism in (None, query.name):
                wanted.insert(wanted.index(peer.companion_of) + 1, peer.name)
        measurements += [
            Measurement(target, sized, n, tool, method, neighbors)
            for tool in wanted
            for method in methods
            if tool in tools or method in PEERS[tool].methods
        ]
    return measurements


def measure(measurement: Measurement, limit: float) -> dict[str, Any]:
    """Return the record of a measurement of at most ``limit`` seconds after the imports: the answer, or why none."""
    source = str(Path(__file__).parents[2])
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "taut.interfaces.compare.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        start_new_session=True,
        bufsize=0,
    )
    record: dict[str, Any] = {**asdict(measurement), "settings": list(measurement.settings), "limit": limit}
    record["time"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    assert process.stdin is not None and process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(asdict(measurement)).encode() + b"\n")
        process.stdout.readline()  # it is ready: its imports do not count
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return {**record, "status": "time-out", "seconds": limit}
        try:
            return {**record, **json.loads(said)}
        except ValueError:
            return {**record, "status": "died", "why": f"the process ended with code {process.wait()}"}
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


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
        """Return an earlier record; a time-out only counts if it had as much time."""
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
