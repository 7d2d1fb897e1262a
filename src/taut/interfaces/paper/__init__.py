"""``taut paper``: every table and figure of the paper, recomputed, with a report to read."""

from __future__ import annotations

import time
from collections.abc import Callable

from taut.interfaces.paper.measurements import Sizes
from taut.interfaces.paper.page import Reproduction, page
from taut.interfaces.paper.sections import (
    above_threshold_section,
    bounds_against_lambda,
    counting,
    inference,
    randomized_response_section,
    worst_inputs,
)

__all__ = ["PARTS", "Reproduction", "reproduce"]

PARTS = 7


def reproduce(quick: bool, step: Callable[[str], None] = lambda _: None) -> Reproduction:
    """Recompute everything; ``step`` is called with what comes next."""
    made, sizes = Reproduction(), Sizes(quick)
    start = time.perf_counter()
    parts: list[tuple[str, Callable[[Reproduction, Sizes], None]]] = [
        ("inference", inference),
        ("randomized response", randomized_response_section),
        ("above-threshold", above_threshold_section),
        ("counting", counting),
        ("bounds against lambda", bounds_against_lambda),
        ("worst inputs", worst_inputs),
    ]
    for name, part in parts:
        step(name)
        part(made, sizes)
    step("report")
    made.files["report.md"] = page(made, quick, time.perf_counter() - start)
    return made
