"""Measuring a case: a fresh process per run, CPU seconds by resource usage, own peak memory, the least of several."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.registry import Case

__all__ = ["ROOT", "in_own_process", "measure"]

ROOT = Path(__file__).parents[1]
ENOUGH = 8.0
"""CPU seconds of a case in all, start-up included, after which it is not repeated: such runs differ little."""

PATIENCE = 10
"""Wall seconds for each CPU second that a run may take: the machine may be busy."""


def measure(case: Case, repeat: int = 3) -> dict[str, Any]:
    """The record of a case: of several runs the least CPU time and the largest memory.

    A wrong answer in any run makes the record wrong; a case whose tool is not installed is recorded as missing.
    """
    record: dict[str, Any] = {
        "name": case.name,
        "suite": case.suite,
        "family": case.family,
        "size": case.size,
        "growth": case.growth,
        "tool": case.tool,
        "question": case.question,
    }
    why = case.missing()
    if why is not None:
        return {**record, "status": "missing", "why": why}
    runs: list[dict[str, Any]] = []
    while len(runs) < repeat:
        runs.append(in_own_process(case))
        spent = sum(run.get("cpu_seconds", case.limit) + run.get("startup_seconds", 0.0) for run in runs)
        if runs[-1]["status"] != "answer" or spent > ENOUGH:
            break
    failed = next((run for run in runs if run["status"] != "answer"), None)
    if failed is not None:
        return {**record, **failed, "runs": len(runs)}
    best = min(runs, key=lambda run: run["cpu_seconds"])
    return {
        **record,
        **best,
        "cpu_seconds_of_runs": [run["cpu_seconds"] for run in runs],
        "megabytes": max(run["megabytes"] for run in runs),
        "runs": len(runs),
    }


def in_own_process(case: Case) -> dict[str, Any]:
    """One run in a fresh interpreter that imports the case's own module only."""
    paths = [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "benchmarks.child", case.module, case.name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        start_new_session=True,
    )
    start = time.perf_counter()
    try:
        said, complaint = process.communicate(timeout=PATIENCE * case.limit)
    except subprocess.TimeoutExpired:
        return {"status": "time-out", "why": f"not done after {PATIENCE * case.limit:g} s of wall time"}
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    if process.returncode == -signal.SIGXCPU:
        return {"status": "time-out", "why": f"not done after {case.limit:g} CPU s"}
    try:
        told = dict(json.loads(said))
    except ValueError:
        last = complaint.decode(errors="replace").strip().splitlines()[-1:] or [""]
        return {"status": "died", "why": f"ended with code {process.returncode}. {last[0]}".strip()}
    told.setdefault("seconds", round(time.perf_counter() - start, 3))
    return told
