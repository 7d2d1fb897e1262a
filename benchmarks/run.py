"""Run a suite: every study in a process of its own, one self-describing JSON line for each run."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PATIENCE = 10
"""A run is stopped after this many times its limit."""
SHORT = 30.0
"""CPU seconds after which a study is not repeated."""
MEMORY = 8 << 30
"""Bytes that a study may have; asking for more ends it, not the machine."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", nargs="?", default="core", help="the name of a file in suites/")
    parser.add_argument("--repeat", type=int, default=1, help="run each study this often (long ones less)")
    parser.add_argument("--least", action="store_true", help="of several runs take the least time, not the median")
    parser.add_argument("--only", default="", help="only studies whose name contains this")
    chosen = parser.parse_args()
    path = HERE / "suites" / f"{chosen.suite}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in (HERE / "suites").glob("*.toml")))
        print(f"no suite '{chosen.suite}'; there are {known}", file=sys.stderr)
        return 2
    runs = [run for run in tomllib.loads(path.read_text())["run"] if chosen.only in run["study"]]
    output = HERE / "results" / f"{chosen.suite}.jsonl"
    output.parent.mkdir(exist_ok=True)
    surroundings = describe_surroundings()
    worst = 0
    print(f"{'study':34} {'parameters':47} {'CPU s':>8} {'limit':>7} {'MB':>6}  answer")
    for run in runs:
        row = {**run, **measure(run, chosen.repeat, least=chosen.least), **surroundings}
        with output.open("a") as file:
            file.write(json.dumps(row) + "\n")
        right = row["found"] == run["answer"]
        worst |= not right
        shown = ", ".join(f"{key}={value}" for key, value in run["parameters"].items())
        mark = "" if right else f"  WRONG, expected {run['answer']}"
        print(
            f"{run['study']:34} {shown:47} {row['seconds']:8.2f} {run['limit']:7.1f} {row['megabytes']:6.0f}  "
            f"{row['found']}{mark}",
            flush=True,
        )
    return worst


def measure(run: dict[str, Any], repeat: int, *, least: bool) -> dict[str, Any]:
    """The CPU seconds, the peak memory and the answer of a study, with what else it tells."""
    results = [in_own_process(run)]
    while len(results) < repeat and sum(result["seconds"] for result in results) < SHORT:
        results.append(in_own_process(run))
    seconds = [result["seconds"] for result in results]
    return {
        **results[0],
        "seconds": min(seconds) if least else statistics.median(seconds),
        "megabytes": max(result["megabytes"] for result in results),
        "runs": len(results),
        "taken": "least" if least else "median",
    }


def in_own_process(run: dict[str, Any]) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=study_in_child, args=(there, run["study"], run["parameters"]))
    process.start()
    there.close()
    patience = PATIENCE * run["limit"] + 30
    try:
        if here.poll(patience):
            return dict(here.recv())
        return {"found": f"time-out after {patience:.0f} s", "seconds": patience, "megabytes": 0.0}
    except EOFError:
        return {"found": "died", "seconds": 0.0, "megabytes": 0.0}
    finally:
        process.kill()
        process.join()


def study_in_child(connection: Any, name: str, parameters: dict[str, Any]) -> None:
    sys.path.insert(0, str(HERE))
    from studies import STUDIES

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    start = time.process_time()
    more: dict[str, Any] = {}
    try:
        answer = STUDIES[name](**parameters)
        found, more = answer if isinstance(answer, tuple) else (answer, {})
    except Exception as problem:
        found = f"{type(problem).__name__}: {problem}"
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10)
    connection.send({"found": found, **more, "seconds": round(seconds, 3), "megabytes": round(peak, 1)})


def describe_surroundings() -> dict[str, Any]:
    import numpy

    import taut

    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=False
    )
    return {
        "commit": commit.stdout.strip() or "unknown",
        "taut": taut.__version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


if __name__ == "__main__":
    raise SystemExit(main())
