"""The process of one measurement: it reads a question from standard input and writes the record to standard output."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from dataclasses import dataclass
from typing import Any

from taut.interfaces.peers import PEERS
from taut.interfaces.queries.query import read_query
from taut.interfaces.queries.questions import check_method, relation_of
from taut.neighbors import neighbors_of
from taut.support.errors import InvalidInput, TautError, TooLarge, ToolFailed, ToolMissing
from taut.support.exact import INFINITY, Ball
from taut.support.package import __version__
from taut.synthesis.sets import rr_inference_set, rr_privacy_set

__all__ = ["StartUp", "answer", "main", "start_up"]


def main() -> None:
    """Answer on standard output; redirect what tools print to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = json.loads(sys.stdin.readline())
    startup = start_up(asked)
    print("ready", file=answers, flush=True)
    print(json.dumps(answer(asked, startup)), file=answers, flush=True)


@dataclass(frozen=True)
class StartUp:
    """CPU seconds of starting a tool: once, and for each run."""

    once: float = 0.0
    per_run: float = 0.0


def start_up(asked: dict[str, Any]) -> StartUp:
    """Measure the time until the tool has answered a smallest question, randomized response with one client.

    A tool that is a library is loaded once. One that is a program starts again for each run.
    """
    trivial = {**asked, "target": "randomized_response", "settings": ["n=1"], "neighbors": None}
    found = answer(trivial, StartUp())
    if asked["tool"] != "taut" and PEERS[asked["tool"]].separate:
        return StartUp(per_run=found["cpu_seconds"] / found.get("runs", 1))
    return StartUp(once=time.process_time())


def answer(asked: dict[str, Any], startup: StartUp) -> dict[str, Any]:
    """Return the answer with its cost, or the reason for none.

    ``cpu_seconds`` are those of the tool itself without its start-up, ``around_seconds`` those of writing what it is
    given and of comparing what it answers; both are CPU time. Memory is that of the tool, too.
    """
    start, cpu = time.perf_counter(), time.process_time()
    try:
        outcome = {"status": "answer", **_bound(asked)}
    except (TooLarge, MemoryError) as problem:
        outcome = {"status": "too large", "why": str(problem)}
    except ToolMissing as problem:
        outcome = {"status": "missing", "why": str(problem)}
    except ToolFailed as problem:
        outcome = {"status": "failed", "why": str(problem)}
    except TautError as problem:
        outcome = {"status": "refused", "why": str(problem)}
    except Exception as problem:
        outcome = {"status": "failed", "why": f"{type(problem).__name__}: {problem}"}
    seconds = time.perf_counter() - start
    own = time.process_time() - cpu
    theirs = outcome.pop("tool_seconds", own)
    separate = asked["tool"] != "taut" and PEERS[asked["tool"]].separate
    again = startup.per_run * outcome.get("runs", 0)
    return {
        **outcome,
        "seconds": round(seconds, 6),
        "cpu_seconds": round(max(theirs - again, 0.0), 6),
        "startup_seconds": round(startup.once + again, 6),
        "around_seconds": round(own if separate else own - theirs, 6),
        "megabytes": outcome.get("megabytes") if separate else _megabytes(),
        "taut": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def _bound(asked: dict[str, Any]) -> dict[str, Any]:
    query = read_query(asked["target"], asked["settings"])
    relation = relation_of(query, asked["neighbors"])
    common = {"mechanism": query.label, "relation": neighbors_of(relation).name}
    method, tool = asked["method"], asked["tool"]
    check_method(method)
    sets = None
    if method == "restricted" and query.name == "randomized_response" and relation in ("one_differ", "one_step"):
        n = query.arguments["x"].n
        sets = (rr_inference_set(n), rr_privacy_set(n))
    if tool == "taut":
        given: dict[str, Any] = {} if sets is None else {"inference_set": sets[0], "privacy_set": sets[1]}
        bound = query.model().privacy(relation, method=method, **given)
        sizes = {"nodes": bound.stats["nodes"]} if "nodes" in bound.stats else {}
        parts = {key: bound.stats[key] for key in ("build_seconds", "inference_seconds") if key in bound.stats}
        if not bound.exact:
            return {**common, "status": "interval", **_number(bound.upper), "lower": str(bound.lower), "sizes": sizes}
        return {**common, **_number(bound.max_ratio), "sizes": sizes, "runs": 1, **parts}
    peer = PEERS[tool]
    if method not in peer.methods:
        raise InvalidInput(f"{tool} has no method {method}; it has {', '.join(peer.methods)}.", value=method)
    if method == "restricted" and sets is None:
        raise InvalidInput("the paper has sets for randomized response only.", value=query.name)
    model = query.model()
    theirs = peer.privacy(model.program, model.neighbors(relation), sets)
    assert theirs.ratio is not None
    exact = theirs.ratio.low == theirs.ratio.value == theirs.ratio.high
    return {
        **common,
        **_number(theirs.max_ratio),
        **({} if exact else {"at_least": _text(theirs.ratio.low), "at_most": _text(theirs.ratio.high)}),
        "tool_seconds": theirs.cpu_seconds,
        "megabytes": None if theirs.megabytes is None else round(theirs.megabytes, 1),
        "sizes": theirs.sizes,
        "runs": theirs.runs,
        "build_seconds": round(theirs.build_seconds, 6),
        "check_seconds": round(theirs.check_seconds, 6),
    }


def _number(value: Any) -> dict[str, Any]:
    """Return an answer as text: a fraction, 'inf', or for a ball its middle and its ends."""
    if isinstance(value, Ball):
        return {"answer": repr(float(value)), "low": str(value.lower), "high": str(value.upper)}
    return {"answer": _text(value)}


def _text(value: Any) -> str:
    return "inf" if value == INFINITY else str(value)


def _megabytes() -> float | None:
    """Return the peak memory of this process.

    On Linux what ``getrusage`` tells begins with the peak of the process that started this one.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            peak = next(line for line in status if line.startswith("VmHWM"))
        return round(int(peak.split()[1]) / 1024, 1)
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


if __name__ == "__main__":
    main()
