"""The published chain of randomized response, and Storm as two peers: on a compact chain, and on that one."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.interfaces.peers.lowering.expressions import rational_text
from taut.interfaces.peers.peer import Peer, PeerAnswer, input_by_input
from taut.interfaces.peers.storm.prism import prism_model
from taut.interfaces.peers.storm.run import ask_storm, query_storm, storm_missing
from taut.program import Apply, Coin, Input, Program, Tuple
from taut.support.errors import InvalidInput
from taut.synthesis.sets import InferenceSet

__all__ = ["STORM", "STORM_NAIVE", "NaiveModel", "naive_model"]


@dataclass(frozen=True)
class NaiveModel:
    """The text of the model, with the events of its inputs and outputs."""

    text: str
    n: int

    def event(self, x: Sequence[int], y: Sequence[int]) -> str:
        """Return the event that the clients have the bits x and report y; its probability is P(A(x) = y) / 2^n."""
        bits = enumerate(zip(x, y, strict=True))
        return "(" + " & ".join(f"(s{client}={3 + 2 * bit + report})" for client, (bit, report) in bits) + ")"


def naive_model(program: Program) -> NaiveModel:
    """Return the product of one chain per client, which draws its bit and then its report.

    A client has seven states: start; bit 0; bit 1; and bit with report. The bits are drawn evenly, so one model serves
    all inputs. n clients have 7^n states: 49, 2401, 16807 for n = 2, 4, 5, with 100, 8488, 73054 transitions.

    Raises:
        InvalidInput: the program is not randomized response, or its input is fixed.
    """
    lams = _flips(program)
    lines = [
        f"// {program.name}: the product of {len(lams)} clients",
        "// s0, s1, ...: 0 start; 1 bit 0; 2 bit 1; 3 + 2*bit + report",
        "dtmc",
        "",
    ]
    for client, lam in enumerate(lams):
        s, stay, flip = f"s{client}", rational_text(1 - lam), rational_text(lam)
        lines += [
            f"module client{client}",
            f"  {s} : [0..6] init 0;",
            f"  [] {s}=0 -> 1/2 : ({s}'=1) + 1/2 : ({s}'=2);",
            f"  [] {s}=1 -> {stay} : ({s}'=3) + {flip} : ({s}'=4);",
            f"  [] {s}=2 -> {stay} : ({s}'=6) + {flip} : ({s}'=5);",
            "endmodule",
            "",
        ]
    return NaiveModel("\n".join(lines), len(lams))


def _flips(program: Program) -> list[Fraction]:
    """Return the probability with which each client lies."""
    refusal = InvalidInput(
        f"the naive encoding is the paper's, of randomized response; '{program.name}' is another mechanism, or "
        "its inputs are not all lists of bits. Leave the encoding out.",
        value=program.name,
    )
    if not isinstance(program.output, Tuple) or program.evidence is not program.terms.true:
        raise refusal
    lams = []
    for client, item in enumerate(program.output.items):
        if not isinstance(item, Apply) or item.operation.name != "bitxor":
            raise refusal
        bit, coin = item.args
        if isinstance(bit, Coin):
            bit, coin = coin, bit
        if not (isinstance(bit, Input) and bit.index == client and isinstance(coin, Coin)):
            raise refusal
        if tuple(program.inputs[client].values) != (0, 1):
            raise refusal
        lams.append(coin)
    if len(set(lams)) != len(lams) or len(lams) != len(program.inputs):
        raise refusal
    probabilities = []
    for coin in lams:
        weights = dict(zip(program.coins[coin.index].outcomes, program.coins[coin.index].weights, strict=True))
        probabilities.append(Fraction(weights[True]))
    return probabilities


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
