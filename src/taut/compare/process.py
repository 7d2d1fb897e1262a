"""The process of one measurement: what is asked comes by standard input, what came out goes to standard output."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from typing import Any

from taut._version import __version__
from taut.errors import InvalidInput, TautError, TooLarge, ToolFailed, ToolMissing
from taut.neighbors import neighbors_of
from taut.numbers import INFINITY, Ball
from taut.peers import PEERS
from taut.queries.query import read_query
from taut.queries.questions import ask_privacy, relation_of
from taut.solvers.paper_sets import rr_inference_set, rr_privacy_set

__all__ = ["answer", "main"]


def main() -> None:
    """Standard output is for the answer alone; what tools print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asked = json.loads(sys.stdin.readline())
    if asked["tool"] != "taut":
        PEERS[asked["tool"]].missing()  # imports the tool
    print("ready", file=answers, flush=True)
    print(json.dumps(answer(asked)), file=answers, flush=True)


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer with what it took, or why there is none."""
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
    children, megabytes = _children()
    return {
        **outcome,
        "seconds": round(seconds, 6),
        "cpu_seconds": round(own + children, 6),
        "megabytes": megabytes,
        "taut": __version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def _bound(asked: dict[str, Any]) -> dict[str, Any]:
    query = read_query(asked["target"], asked["settings"])
    relation = relation_of(query, asked["neighbors"])
    common = {"mechanism": query.label, "relation": neighbors_of(relation).name}
    method, tool = asked["method"], asked["tool"]
    if tool == "taut":
        bound = ask_privacy(query, relation, method=method)
        sizes = {"nodes": bound.stats["nodes"]} if "nodes" in bound.stats else {}
        parts = {key: bound.stats[key] for key in ("build_seconds", "inference_seconds") if key in bound.stats}
        if not bound.exact:
            return {**common, "status": "interval", **_number(bound.upper), "lower": str(bound.lower), "sizes": sizes}
        return {**common, **_number(bound.max_ratio), "sizes": sizes, "runs": 1, **parts}
    peer = PEERS[tool]
    if method not in peer.methods:
        raise InvalidInput(f"{tool} has no method {method}; it has {', '.join(peer.methods)}.", value=method)
    sets = None
    if method == "restricted":
        if query.name != "randomized_response" or relation not in ("one_differ", "one_step"):
            raise InvalidInput("the paper has sets for randomized response only.", value=query.name)
        n = query.arguments["x"].n
        sets = (rr_inference_set(n), rr_privacy_set(n))
    model = query.model()
    theirs = peer.privacy(model.program, model.neighbors(relation), sets)
    return {
        **common,
        **_number(theirs.max_ratio),
        "sizes": theirs.sizes,
        "runs": theirs.runs,
        "build_seconds": round(theirs.build_seconds, 6),
        "check_seconds": round(theirs.check_seconds, 6),
    }


def _number(value: Any) -> dict[str, Any]:
    """An answer as text: a fraction, 'inf', or for a ball its middle and its ends."""
    if isinstance(value, Ball):
        return {"answer": repr(float(value)), "low": str(value.lower), "high": str(value.upper)}
    return {"answer": "inf" if value == INFINITY else str(value)}


def _children() -> tuple[float, float | None]:
    """CPU seconds of what was started, and the largest memory of this process or one of those."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0, None
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1 << 20 if platform.system() == "Darwin" else 1 << 10
    peak = max(own.ru_maxrss, others.ru_maxrss) / unit
    return others.ru_utime + others.ru_stime, round(peak, 1)


if __name__ == "__main__":
    main()
