"""The process of one run: ``python -m benchmarks.child MODULE CASE`` prints what came out as one JSON object."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.registry import load_module

MEMORY = 8 << 30
"""Bytes of address space that a run may have; asking for more ends it, not the machine."""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what cases and tools print is not an answer
    module, name = sys.argv[1:]
    case = load_module(module)[name]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(case.limit), int(case.limit) + 5))
    told = run(case.function, case.parameters)
    if told["status"] == "answer" and case.answer is not None and told["answer"] != case.answer:
        told = {**told, "status": "wrong", "why": f"expected {case.answer}"}
    print(json.dumps(told), file=answers, flush=True)


def run(function: Callable[..., Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """The answer of a function with CPU and wall seconds, of it and all it started, and the peak memory."""
    steps = None
    if inspect.isgeneratorfunction(function):
        steps = function(**parameters)
        next(steps)  # what is prepared is not measured
    cpu, memory, start = cpu_seconds(), megabytes("VmRSS"), time.perf_counter()
    status, more = "answer", {}
    with counted_imports() as imports:
        try:
            answer = function(**parameters) if steps is None else _finish(steps)
            if isinstance(answer, tuple):
                answer, more = answer
        except Exception as problem:
            status, answer = "failed", ""
            more = {"why": f"{type(problem).__name__}: {problem}"}
    return {
        "status": status,
        "answer": str(answer),
        "cpu_seconds": round(cpu_seconds() - cpu - imports.cpu, 4),
        "seconds": round(time.perf_counter() - start - imports.wall, 4),
        "startup_seconds": round(cpu + imports.cpu, 4),
        "megabytes": megabytes("VmHWM"),
        "startup_megabytes": memory,
        **more,
    }


@dataclass
class Imports:
    """The cost of loading modules since counting began."""

    cpu: float = 0.0
    wall: float = 0.0


@contextlib.contextmanager
def counted_imports() -> Iterator[Imports]:
    """Count the modules loaded inside the ``with`` block: parts of taut are imported at first use, and belong to
    start-up."""
    spent, load, depth = Imports(), importlib._bootstrap._find_and_load, 0

    def counted(*args: Any) -> Any:
        nonlocal depth
        if depth:
            return load(*args)
        depth, cpu, start = 1, time.process_time(), time.perf_counter()
        try:
            return load(*args)
        finally:
            depth = 0
            spent.cpu += time.process_time() - cpu
            spent.wall += time.perf_counter() - start

    importlib._bootstrap._find_and_load = counted
    try:
        yield spent
    finally:
        importlib._bootstrap._find_and_load = load


def _finish(steps: Any) -> Any:
    try:
        next(steps)
    except StopIteration as end:
        return end.value
    raise RuntimeError("a case yields once, where its preparation ends")


def cpu_seconds() -> float:
    """User and system seconds of this process and of those that it started and that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def megabytes(field: str) -> float:
    """Resident memory of this process, now (VmRSS) or at its peak (VmHWM).

    The peak that ``getrusage`` tells on Linux begins with that of the parent, so it would be too large here.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            lines = dict(line.split(":", 1) for line in status)
        return round(int(lines[field].split()[0]) / 1024, 1)
    except (OSError, KeyError):
        unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


if __name__ == "__main__":
    main()
