"""Differences between two records: ``python benchmarks/compare.py OLD.json NEW.json [--fail-above 1.1]``.

A change counts when it exceeds the noise: the spread of the runs of both records (a tenth at least), and 20 ms.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Change", "changes", "main"]

Record = Mapping[str, Any]
NOISE = 0.1
"""What two runs of the same code differ by on a machine that others use too."""
MOMENT = 0.02
"""CPU seconds that do not matter."""
YARDSTICK = "reference_loop"


@dataclass(frozen=True)
class Change:
    """One case in both records: new CPU seconds over old ones, the ratio that noise explains, and what to say of it."""

    name: str
    old: float
    new: float
    noise: float
    mark: str
    megabytes: float

    @property
    def ratio(self) -> float:
        return self.new / self.old if self.old else float("inf") if self.new else 1.0


def changes(old: Mapping[str, Any], new: Mapping[str, Any], scale: float = 1.0) -> list[Change]:
    """All cases that have an answer in both records; new seconds are divided by ``scale``, the speed of the machine."""
    before = {record["name"]: record for record in old["records"] if record["status"] == "answer"}
    found = []
    for record in new["records"]:
        if record["status"] == "answer" and record["name"] in before:
            first = before[record["name"]]
            was, now = first["cpu_seconds"], record["cpu_seconds"] / scale
            noise = 1 + max(NOISE, _spread(first), _spread(record))
            beyond = abs(now - was) > MOMENT and max(now, was) > noise * min(now, was)
            mark = ("slower" if now > was else "faster") if beyond else ""
            memory = record["megabytes"] / first["megabytes"] if first["megabytes"] else 1.0
            found.append(Change(record["name"], was, now, noise, mark, memory))
    return found


def main(given: Sequence[str] | None = None) -> int:
    """0; with ``--fail-above R``, 1 if a case became wrong, or slower than R times beyond noise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--fail-above", type=float, metavar="R", help="exit with 1 if something took R times as long")
    parser.add_argument("--scaled", action="store_true", help="divide by how much slower the yardstick became")
    chosen = parser.parse_args(given)
    old, new = (_record(parser, path) for path in (chosen.old, chosen.new))
    for key in dict.fromkeys([*old["facts"], *new["facts"]]):
        was, now = old["facts"].get(key, ""), new["facts"].get(key, "")
        if was != now:
            print(f"{key}: {was} -> {now}")
    yardstick = next((one.ratio for one in changes(old, new) if one.name.startswith(YARDSTICK)), None)
    if yardstick is not None:
        print(f"the yardstick, plain Python: {yardstick:.2f} times the seconds of before")
    found = changes(old, new, yardstick if chosen.scaled and yardstick else 1.0)
    print(f"\n{'case':72} {'old s':>9} {'new s':>9} {'ratio':>6} {'noise':>6} {'MB':>5}")
    for one in sorted(found, key=lambda one: one.ratio):
        numbers = f"{one.old:9.3f} {one.new:9.3f} {one.ratio:6.2f} {one.noise:6.2f} {one.megabytes:5.2f}"
        print(f"{one.name:72} {numbers}  {one.mark}".rstrip())
    broken = _broken(old, new)
    for line in (*broken, *_only_one(old, new)):
        print(line)
    slow = [one for one in found if one.mark == "slower" and chosen.fail_above and one.ratio > chosen.fail_above]
    for one in slow:
        print(f"{one.name} takes {one.ratio:.2f} times as long; {chosen.fail_above:g} is allowed")
    return int(chosen.fail_above is not None and bool(slow or broken))


def _record(parser: argparse.ArgumentParser, path: Path) -> dict[str, Any]:
    """Read the record of a run; end with one sentence if there is none."""
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if "records" not in content or "facts" not in content:
            raise ValueError("this is no record of benchmarks/run.py")
    except (OSError, ValueError, TypeError) as problem:
        parser.error(f"{path}: {problem}")
    return content


def _spread(record: Record) -> float:
    runs = record.get("cpu_seconds_of_runs") or [record["cpu_seconds"]]
    return max(runs) / min(runs) - 1 if min(runs) else 0.0


def _broken(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Cases that had an answer in the old record and have none in the new one."""
    before = {record["name"] for record in old["records"] if record["status"] == "answer"}
    return [
        f"{record['name']}: {record['status']} now, {record.get('why', '')}"
        for record in new["records"]
        if record["name"] in before and record["status"] not in ("answer", "missing")
    ]


def _only_one(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    names = [[record["name"] for record in content["records"]] for content in (old, new)]
    gone = [f"{name}: only in the old record" for name in names[0] if name not in names[1]]
    return gone + [f"{name}: only in the new record" for name in names[1] if name not in names[0]]


if __name__ == "__main__":
    raise SystemExit(main())
