"""Storm as two peers: on a compact chain, and on the published one."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from taut.peers.peer import Peer, PeerAnswer, input_by_input
from taut.peers.storm.naive import naive_model
from taut.peers.storm.prism import prism_model
from taut.peers.storm.run import ask_storm, query_storm, storm_missing
from taut.program import Program
from taut.synthesis.sets import InferenceSet

__all__ = ["STORM", "STORM_NAIVE"]


def _by_product_chain(
    program: Program, inputs: Sequence[tuple[Any, ...]], pairs: InferenceSet | None, answer: PeerAnswer
) -> Mapping[tuple[Any, ...], Mapping[Any, Any]]:
    """Return the distributions from one build; each pair (x, y) is one run of the checker."""
    start = time.perf_counter()
    model = naive_model(program)
    asked = list(pairs) if pairs is not None else list(itertools.product(inputs, repeat=2))
    run = query_storm(model.text, {(x, y): model.event(x, y) for x, y in asked})
    answer.add(run, time.perf_counter() - start, runs=len(asked))
    rows: dict[Any, dict[Any, Any]] = {}
    for (x, y), share in run.answers.items():
        rows.setdefault(x, {})[y] = share * 2**model.n
    return rows


STORM = Peer(
    name="storm",
    title="Storm, an expert's chain",
    language="prism",
    write=lambda program, title: prism_model(program, title).text,
    missing=storm_missing,
    distributions=input_by_input(lambda program: ask_storm(prism_model(program))),
)
STORM_NAIVE = Peer(
    name="storm-naive",
    title="Storm, the paper's chain",
    language="prism",
    encoding="naive",
    write=lambda program, _: naive_model(program).text,
    missing=storm_missing,
    distributions=_by_product_chain,
    mechanism="randomized_response",
    companion_of="storm",
)
