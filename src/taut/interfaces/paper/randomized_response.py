"""The paper's tables of randomized response."""

from __future__ import annotations

from collections.abc import Sequence

from taut.domains import bits
from taut.interfaces.paper import figures
from taut.interfaces.paper.measurements import (
    LAMBDA,
    ONE_INPUT,
    REPETITIONS,
    Sizes,
    Timed,
    measure_rr,
    measure_rr_one_input,
)
from taut.interfaces.paper.peers import measure_peers, peers_table, published_sizes
from taut.interfaces.paper.published import RR_ROWS
from taut.interfaces.paper.reproduction import CLOSED, Reproduction, bits_cell, count_cell, published_cell, seconds_cell
from taut.interfaces.reports.tables import Table
from taut.mechanisms import randomized_response
from taut.synthesis.sets import rr_inference_set

__all__ = ["inference", "randomized_response_section"]


def inference(made: Reproduction, _: Sizes) -> None:
    model = randomized_response(bits(2), lam=LAMBDA)
    matrix = model.inference(rr_inference_set(2))
    names = ("(1-lambda)^2", "lambda (1-lambda)", "lambda^2")
    wanted = ((1 - LAMBDA) ** 2, LAMBDA * (1 - LAMBDA), LAMBDA**2)
    rows = []
    for x, name, value in zip(((0, 0), (1, 0), (1, 1)), names, wanted, strict=True):
        ours = matrix[x, (0, 0)]
        rows.append((bits_cell(x), "00", name, str(value), str(ours)))
        made.check(f"RR, n=2: P(00) at input {bits_cell(x)}", f"{name} = {value!s}", str(ours), ours == value)
    table = Table(
        "inference",
        "Inference for two clients, lambda = 1/5",
        ("input", "output", "published", "at lambda = 1/5", "taut"),
        tuple(rows),
        (0, 1, 2),
    )
    bound = model.privacy()
    triple = (bound.witness.x, bound.witness.x_prime, bound.witness.y)
    spelled = f"({', '.join(map(bits_cell, triple))})"
    same = bound.max_ratio == 4 and triple == ((0, 0), (1, 0), (0, 0))
    made.check("RR, n=2: e^eps and its triple", "4 at (00, 10, 00)", f"{bound.max_ratio} at {spelled}", same)
    verdict = "That is the paper's number and the paper's triple." if same else "The paper has 4, at (00, 10, 00)."
    made.sections.append(
        f"""## 1. Inference

Algorithm 1 fills a table of probabilities for the pairs of an inference set; everything after it only reads that table.
For two clients the set is three pairs.

{made.table(table)}
The largest quotient of two neighbouring entries is **e^eps = {bound.max_ratio}**, at x, x', y = {spelled}: the
quotient of the first two rows. {verdict}
"""
    )


def randomized_response_section(made: Reproduction, sizes: Sizes) -> None:
    exhaustive = [measure_rr(n, False) for n in sizes.exhaustive]
    restricted = [measure_rr(n, True) for n in sizes.restricted]
    one_input = [measure_rr_one_input(n) for n in ONE_INPUT]
    for row in RR_ROWS:
        if row.bdd is not None:
            ours = {timed.n: timed.bdd for timed in [*exhaustive, *restricted]}[row.n]
            what = f"RR, n={row.n}: BDD nodes ({'exhaustive' if row.sets.startswith('all') else 'restricted'} row)"
            made.check(what, str(row.bdd), str(ours), ours == row.bdd)
    four = [timed.n for timed in [*exhaustive, *restricted] if timed.answer.max_ratio == 4]
    rows = len(exhaustive) + len(restricted)
    made.check(
        "RR, lambda=1/5: e^eps at every n of section 2", "4", f"4 in {len(four)} of {rows}", len(four) == rows, CLOSED
    )
    full = _table(exhaustive, restricted, one_input)
    beside = _beside(exhaustive, restricted, one_input)
    figure = made.figure(
        "rr_times",
        figures.rr_times_figure(exhaustive, restricted, one_input),
        "Left: the exhaustive bound. Right: all probabilities at one input and, dashed, the bound with the paper's "
        "sets, for which no time was published. The scale is logarithmic.",
    )
    peers = measure_peers(sizes.quick)
    for n, theirs, here, agrees in published_sizes(peers):
        made.check(f"RR, n={n}: states and transitions of Storm's chain", theirs, here, agrees)
    absent = " ".join(dict.fromkeys(peers.missing.values()))
    last, far = exhaustive[-1], restricted[-1]
    made.sections.append(
        f"""## 2. Randomized response: sizes and times

How large is the model, and how long does the tight bound take? The paper compares a Markov chain (Storm) with a binary
decision diagram (Dice). Their figures below are **as published**, from a 16-core EPYC; ours were measured in this run,
on the machine named at the end. Comparing across machines is good for orders of magnitude, not for factors of two. Our
times are wall-clock medians of {REPETITIONS} runs, and building includes reading the Python function.

{made.table(beside)}
{figure}
Rows are only compared with rows that compute the same. In the first group everything is looked at. In the second it is
the input 0^n with its 2^n outputs, which is what the published restricted rows fit (1 run of Dice, 2^n of Storm); we
compute those probabilities and no bound, for which a second input would be needed, and we keep them as a table in
memory where Dice prints them as text. The third group has no published row: it is the set that the paper proves enough,
n+1 pairs, and it is what makes n = {far.n} a matter of {seconds_cell(far.seconds)} s.

Two things differ from the peers. Dice runs once for every input, while we compile *one* relation in which the inputs
are still free: {last.relation} nodes at n = {last.n}, from which the exhaustive bound reads all {last.probabilities:,}
probabilities. And our probabilities are fractions, so that e^eps is 4, and not about 4.

The peers, on this machine and with exact answers where they have them: Storm in rational arithmetic, on the paper's
product chain (one query for each input and output) and on a chain that an expert would write (one toss a step, one
model for each input); Dice with one program for each input, and its nine decimals. {absent}

{made.table(peers_table(peers))}
{made.table(full)}
What the sets mean:

- *all inputs and outputs*: every neighbouring pair and every output; nothing has to be believed.
- *I_RR, C_RR*: the paper's inference set (inputs 1^i 0^(n-i) with output 0^n, n+1 pairs) and privacy set (2n triples).
- *one input, all outputs*: the input 0^n with its 2^n outputs.

*BDD* counts binary nodes for one input as Dice does (n coins and two leaves); *relation* counts the nodes of our
diagram with inputs, coins and outputs.
"""
    )


def _beside(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Table:
    rows = []
    for word, wanted, ours in (
        ("all inputs and outputs", "all", exhaustive),
        ("one input, all outputs", "one", one_input),
        ("I_RR, C_RR", "none", restricted),
    ):
        for timed in ours:
            peers = {row.tool: row for row in RR_ROWS if row.n == timed.n and row.sets.startswith(wanted)}
            cells = []
            for tool in ("Storm", "Dice"):
                row = peers.get(tool)
                cells.append("" if row is None else "time-out" if row.seconds is None else seconds_cell(row.seconds))
            ratio = "" if ours is one_input else str(timed.answer.max_ratio)
            rows.append((word, str(timed.n), *cells, f"**{seconds_cell(timed.seconds)}**", ratio))
    return Table(
        "rr_times",
        "Seconds in all (build, inference, synthesis), lambda = 1/5",
        ("sets", "n", "Storm, published", "Dice, published", "taut, here", "e^eps, taut"),
        tuple(rows),
    )


def _table(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Table:
    rows = []
    for row in RR_ROWS:
        numbers = [row.bdd, None, row.states, row.transitions, row.runs]
        cells = [
            "TO" if row.timed_out and position > 1 else count_cell(number) for position, number in enumerate(numbers)
        ]
        times = ["TO" if row.timed_out else published_cell(part) for part in (row.inference, row.synthesis, row.build)]
        rows.append((f"{row.tool} (published)", row.sets, str(row.n), *cells, *times))
    groups = (
        ("all inputs and outputs", exhaustive),
        ("I_RR, C_RR", restricted),
        ("one input, all outputs (inference only)", one_input),
    )
    for sets, group in groups:
        for timed in group:
            synthesis = "" if group is one_input else seconds_cell(timed.synthesis)
            sized = [count_cell(timed.bdd), count_cell(timed.relation), "", "", "1"]
            times = [seconds_cell(timed.inference), synthesis, seconds_cell(timed.build)]
            rows.append(("taut", sets, str(timed.n), *sized, *times))
    headings = ("tool", "sets", "n", "BDD", "relation", "states", "transitions", "runs")
    return Table(
        "rr_sizes_and_times",
        "Sizes and times in full; TO is a time-out, times are in seconds",
        (*headings, "inference", "synthesis", "build"),
        tuple(rows),
        (0, 1),
    )
