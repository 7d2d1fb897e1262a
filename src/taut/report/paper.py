"""``taut paper``: every table and figure of the paper, recomputed, with a report to read."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import re
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut._version import __version__
from taut.domains import bits
from taut.mechanisms import randomized_response, rr_count
from taut.report import figures
from taut.report.measure import (
    LAMBDA,
    AboveThreshold,
    Sizes,
    Timed,
    measure_above_threshold,
    measure_rr,
    measure_rr_count,
    measure_rr_one_input,
    rounded_ratio,
)
from taut.report.peers import measure_peers, peers_table, published_sizes
from taut.report.plots import picture
from taut.report.published import ABOVE_THRESHOLD_BDD, BELOW, ERRATA, LOWEST_INPUTS, RR_ROWS
from taut.report.tables import Table
from taut.symmetry import rr_inference_set

__all__ = ["PARTS", "Reproduction", "reproduce"]

PARTS = 7
PRINTED, REPORTED, CLOSED = "printed in the paper", "Dice, authors' program", "closed form"


@dataclass
class Reproduction:
    """The files that were made, by name, and how the published numbers compare."""

    files: dict[str, bytes | str] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def check(self, what: str, published: str, ours: str, agrees: bool, source: str = PRINTED) -> None:
        """Note a comparison, and where the number that we are compared with comes from."""
        self.checks.append({"what": what, "published": published, "source": source, "ours": ours, "agrees": agrees})

    def table(self, table: Table) -> str:
        """Keep a table as files; what is returned goes into the report."""
        self.files[f"{table.name}.csv"] = table.csv
        self.files[f"{table.name}.md"] = f"# {table.title}\n\n{table.markdown}"
        return f"**{table.title}** ([CSV]({table.name}.csv))\n\n{table.markdown}"

    def figure(self, name: str, figure: Any, words: str) -> str:
        self.files[f"{name}.png"] = picture(figure)
        return f"![{words}]({name}.png)\n\n*{words}*\n"


def reproduce(quick: bool, step: Callable[[str], None] = lambda _: None) -> Reproduction:
    """Recompute everything; ``step`` is called with what comes next."""
    made, sizes = Reproduction(), Sizes(quick)
    start = time.perf_counter()
    parts: list[tuple[str, Callable[[Reproduction, Sizes], None]]] = [
        ("inference", _inference),
        ("randomized response", _rr),
        ("above-threshold", _above_threshold),
        ("counting", _rr_count),
        ("bounds against lambda", _bounds),
        ("worst inputs", _worst),
    ]
    for name, part in parts:
        step(name)
        part(made, sizes)
    step("report")
    made.files["report.md"] = _report(made, quick, time.perf_counter() - start)
    return made


# ------------------------------------------------------------------------------------------------------------ parts


def _inference(made: Reproduction, _: Sizes) -> None:
    model = randomized_response(bits(2), lam=LAMBDA)
    matrix = model.inference(rr_inference_set(2))
    names = ("(1-lambda)^2", "lambda (1-lambda)", "lambda^2")
    wanted = ((1 - LAMBDA) ** 2, LAMBDA * (1 - LAMBDA), LAMBDA**2)
    rows = []
    for x, name, value in zip(((0, 0), (1, 0), (1, 1)), names, wanted, strict=True):
        found = matrix[x, (0, 0)]
        rows.append((_word(x), "00", name, _exact(value), _exact(found)))
        made.check(f"RR, n=2: P(00) at input {_word(x)}", f"{name} = {_exact(value)}", _exact(found), found == value)
    table = Table(
        "inference",
        "Inference for two clients, lambda = 1/5",
        ("input", "output", "published", "at lambda = 1/5", "taut"),
        tuple(rows),
        (0, 1, 2),
    )
    bound = model.privacy()
    triple = (bound.witness.x, bound.witness.x_prime, bound.witness.y)
    spelled = f"({', '.join(map(_word, triple))})"
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


def _rr(made: Reproduction, sizes: Sizes) -> None:
    exhaustive = [measure_rr(n, False, sizes.repetitions) for n in sizes.exhaustive]
    restricted = [measure_rr(n, True, sizes.repetitions) for n in sizes.restricted]
    one_input = [measure_rr_one_input(n, sizes.repetitions) for n in sizes.one_input]
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
    full = _rr_table(exhaustive, restricted, one_input)
    beside = _rr_beside(exhaustive, restricted, one_input)
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
times are wall-clock medians of {sizes.repetitions} runs, and building includes reading the Python function.

{made.table(beside)}
{figure}
Rows are only compared with rows that compute the same. In the first group everything is looked at. In the second it is
the input 0^n with its 2^n outputs, which is what the published restricted rows fit (1 run of Dice, 2^n of Storm); we
compute those probabilities and no bound, for which a second input would be needed, and we keep them as a table in
memory where Dice prints them as text. The third group has no published row: it is the set that the paper proves enough,
n+1 pairs, and it is what makes n = {far.n} a matter of {_seconds(far.seconds)} s.

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


def _rr_beside(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Table:
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
                cells.append("" if row is None else "time-out" if row.seconds is None else _seconds(row.seconds))
            ratio = "" if ours is one_input else str(timed.answer.max_ratio)
            rows.append((word, str(timed.n), *cells, f"**{_seconds(timed.seconds)}**", ratio))
    return Table(
        "rr_times",
        "Seconds in all (build, inference, synthesis), lambda = 1/5",
        ("sets", "n", "Storm, published", "Dice, published", "taut, here", "e^eps, taut"),
        tuple(rows),
    )


def _rr_table(exhaustive: Sequence[Timed], restricted: Sequence[Timed], one_input: Sequence[Timed]) -> Table:
    rows = []
    for row in RR_ROWS:
        numbers = [row.bdd, None, row.states, row.transitions, row.runs]
        cells = ["TO" if row.timed_out and place > 1 else _count(number) for place, number in enumerate(numbers)]
        times = ["TO" if row.timed_out else _published(part) for part in (row.inference, row.synthesis, row.build)]
        rows.append((f"{row.tool} (published)", row.sets, str(row.n), *cells, *times))
    groups = (
        ("all inputs and outputs", exhaustive),
        ("I_RR, C_RR", restricted),
        ("one input, all outputs (inference only)", one_input),
    )
    for sets, group in groups:
        for timed in group:
            synthesis = "" if group is one_input else _seconds(timed.synthesis)
            sized = [_count(timed.bdd), _count(timed.relation), "", "", "1"]
            times = [_seconds(timed.inference), synthesis, _seconds(timed.build)]
            rows.append(("taut", sets, str(timed.n), *sized, *times))
    headings = ("tool", "sets", "n", "BDD", "relation", "states", "transitions", "runs")
    return Table(
        "rr_sizes_and_times",
        "Sizes and times in full; TO is a time-out, times are in seconds",
        (*headings, "inference", "synthesis", "build"),
        tuple(rows),
        (0, 1),
    )


def _above_threshold(made: Reproduction, sizes: Sizes) -> None:
    found = [measure_above_threshold(n, k) for k in (1, 2, 3) for n in range(2, 7)]
    published = [nodes for k in (1, 2, 3) for nodes in ABOVE_THRESHOLD_BDD[k]]
    for one, nodes in zip(found, published, strict=True):
        source = PRINTED if (one.k, one.n) == (3, 6) else REPORTED
        what = f"above-threshold, k={one.k}, n={one.n}: BDD nodes"
        made.check(what, str(nodes), str(one.bdd), one.bdd == nodes, source)
    same = sum(one.bdd == nodes for one, nodes in zip(found, published, strict=True))
    size_table = Table(
        "above_threshold_sizes",
        "Nodes for lists of n integers in 0..k",
        ("k", "n", "inputs", "Dice, BDD", "taut, BDD", "taut, relation"),
        tuple(
            (str(one.k), str(one.n), f"{(one.k + 1) ** one.n:,}", str(nodes), str(one.bdd), str(one.relation))
            for one, nodes in zip(found, published, strict=True)
        ),
        (),
    )
    figure = made.figure(
        "above_threshold_sizes",
        figures.above_threshold_figure(found),
        f"BDD sizes of above-threshold: {same} of our {len(found)} points lie in the circle of Dice's.",
    )
    privacy_figure = made.figure(
        "above_threshold_privacy",
        figures.above_threshold_privacy_figure(found),
        "e^eps of above-threshold with >=, ratio 1/2, threshold k-1, for both relations.",
    )
    worst = found[-1].one_differ
    witness = f"x = {_word(worst.witness.x)}, x' = {_word(worst.witness.x_prime)}, y = {worst.witness.y}"
    made.sections.append(
        f"""## 3. Above-threshold

The threshold gets noise, every entry gets noise, and the index of the first entry that passes is returned. Noise is
geometric and clamped to 0..k. This is the paper's example of a program that would be hard to write as a Markov chain;
its measure is the size of the BDD for one input.

The sizes belong to the program its authors published: an entry must *exceed* the threshold (>), which is k-1, and the
noise has ratio exp(-5), for the threshold and the entries alike. The paper draws them as
curves and prints one of them, the 91; the other numbers are what Dice reports for that program
(they were not measured in this run). **{same} of {len(found)} agree.**

{figure}
{made.table(size_table)}
The relation holds all inputs at once. It belongs to the comparison of the text (>=) and ratio 1/2, and its nodes have
as many branches as a variable has values, so it is not to be compared with a BDD node by node. From it follow the exact
bounds, for two notions of neighbours:

- `one_differ`, the paper's definition: one entry changes to anything;
- `one_step`, what the authors' program does: one entry moves by at most 1.

{privacy_figure}
{made.table(_above_privacy(found))}
If an entry may only move by 1, e^eps is 1/ratio = 2 at every length here. If it may change freely, the bound grows with
k and, for k > 1, with n. The worst case for k = 3 and n = 6 is {witness}: five entries equal to the threshold come
first, and the sixth is the largest value there is, or the smallest.
"""
    )


def _above_privacy(found: Sequence[AboveThreshold]) -> Table:
    rows = []
    for one in found:
        differ, step = one.one_differ, one.one_step
        where = f"{_word(differ.witness.x)}, {_word(differ.witness.x_prime)}, {differ.witness.y}"
        values = (_exact(differ.max_ratio), f"{float(differ.max_ratio):.4f}", f"{differ.count:,}", where)
        rows.append((str(one.k), str(one.n), *values, _exact(step.max_ratio), f"{step.count:,}"))
    headings = ("k", "n", "one_differ: e^eps", "decimal", "one_differ: triples", "one of them (x, x', y)")
    return Table(
        "above_threshold_privacy",
        "Exact e^eps with >=, ratio 1/2, threshold k-1",
        (*headings, "one_step: e^eps", "one_step: triples"),
        tuple(rows),
        (5,),
    )


def _rr_count(made: Reproduction, sizes: Sizes) -> None:
    found = [measure_rr_count(n, sizes.repetitions) for n in sizes.count]
    rows = []
    for timed in found:
        value = timed.answer.probability
        worst = timed.answer.witness.x
        ones = sum(worst)
        where = f"0^{timed.n}" if ones == 0 else f"1^{ones} 0^{timed.n - ones}" if ones < timed.n else f"1^{timed.n}"
        sized = (_count(timed.bdd), _count(timed.relation), _count(timed.probabilities))
        times = (timed.build, timed.inference, timed.synthesis)
        accuracy = (f"{float(value):.7f}", where)
        rows.append((str(timed.n), str(timed.answer.alpha), *sized, *accuracy, *map(_seconds, times)))
    table = Table(
        "rr_count_sizes_and_times",
        "Accuracy of RRcount with the paper's sets, lambda = 1/5, alpha = n/10 rounded up",
        ("n", "alpha", "BDD", "relation", "probabilities", "1-beta", "worst x", "build", "inference", "synthesis"),
        tuple(rows),
        (6,),
    )
    figure = made.figure(
        "rr_count",
        figures.rr_count_figure(found),
        "Diagram sizes and times for the accuracy of RRcount, against the number of clients.",
    )
    two = rr_count(bits(2), lam=LAMBDA)
    bound = two.accuracy(sum, 1)
    classes = two.input_classes(sum, 1)
    value = f"{_exact(bound.probability)} = 0.96"
    agrees = bound.probability == Fraction(24, 25)
    made.check("RRcount, n=2, alpha=1: 1-beta", "0.96", value if agrees else _exact(bound.probability), agrees)
    large = found[-1]
    made.sections.append(
        f"""## 4. Counting: sizes and times

RRcount adds up the answers of randomized response, and we ask how surely the sum comes within alpha of the truth. The
output is now a number, and diagrams grow faster than for randomized response, about with the square of n. The paper has
two curves without numbers, and says that small n take under four minutes. Here are numbers, with its accuracy set
(1^i 0^(n-i), n+1 inputs) and its inference set (those inputs with all counts within alpha). The paper does not say
which alpha its curves have; a tenth of the clients is our choice.

{figure}
{made.table(table)}
*BDD* is the diagram for the input 0^n with the sum in binary, as a Dice program has it; *relation* has all inputs. The
largest size, n = {large.n}, takes {_seconds(large.seconds)} s in all.

The smallest case is printed in the text: for n = 2 and alpha = 1 the bound is 1-beta = {value}. It is attained by
{classes[0].count} of the four inputs, 00 and 11; on the other {classes[-1].count} it is {classes[-1].value}.
"""
    )


def _bounds(made: Reproduction, _: Sizes) -> None:
    lambdas = [Fraction(place, 20) for place in range(1, 11)]
    ratios, accuracies, rows = [], [], []
    for value in lambdas:
        ratio = randomized_response(bits(8), lam=value).privacy().max_ratio
        accuracy = rr_count(bits(8), lam=value).accuracy(sum, 3).probability
        ratios.append(ratio)
        accuracies.append(accuracy)
        exactly = (_exact(ratio), f"{float(ratio):.6f}", _exact(accuracy), f"{float(accuracy):.7f}")
        rows.append((f"{float(value):.2f}", _exact((1 - value) / value), *exactly))
    same = sum(ratio == (1 - value) / value for ratio, value in zip(ratios, lambdas, strict=True))
    what = "RR, n=8: e^eps at ten values of lambda"
    made.check(what, "(1-lambda)/lambda", f"{same} of 10 equal", same == 10, CLOSED)
    table = Table(
        "bounds_against_lambda",
        "Tight bounds for n = 8",
        ("lambda", "(1-lambda)/lambda", "RR: e^eps", "e^eps, decimal", "RRcount, alpha=3: 1-beta", "1-beta, decimal"),
        tuple(rows),
        (),
    )
    figure = made.figure(
        "bounds_against_lambda",
        figures.bounds_figure(lambdas, ratios, accuracies),
        "Privacy of RR and accuracy of RRcount (alpha = 3) for eight clients, against lambda.",
    )
    place = lambdas.index(Fraction(1, 5))
    made.sections.append(
        f"""## 5. Bounds against lambda

More noise is more private and less accurate, but neither in a straight line: that is the point of the paper's figure,
which has no numbers. From lambda = 0.05 to 0.2 e^eps falls from {ratios[0]} to {ratios[place]}, while 1-beta only falls
from {float(accuracies[0]):.4f} to {float(accuracies[place]):.4f}; from 0.2 to 0.5 it is accuracy that pays.

{figure}
{made.table(table)}"""
    )


def _worst(made: Reproduction, _: Sizes) -> None:
    model = rr_count(bits(8), lam=LAMBDA)
    inputs = [tuple(int(bit) for bit in word) for word, _ in LOWEST_INPUTS]
    ours = model.accuracies(inputs, sum, 3)
    rows = []
    for (word, published), x in zip(LOWEST_INPUTS, inputs, strict=True):
        agrees = ours[x] == Fraction(published)
        rows.append((word, published, _exact(ours[x]), "yes" if agrees else "no"))
        made.check(f"RRcount, n=8, alpha=3: 1-beta at {word}", published, f"{float(ours[x]):.7f}", agrees)
    four = Table(
        "worst_inputs",
        "The four published rows, n = 8, lambda = 1/5, alpha = 3",
        ("input", "1-beta, published", "1-beta, taut", "equal"),
        tuple(rows),
        (0, 3),
    )
    equal = sum(row[-1] == "yes" for row in rows)
    classes = model.input_classes(sum, 3)
    distinct = Table(
        "worst_inputs_distinct",
        "All distinct values of 1-beta over the 256 inputs",
        ("1-beta", "decimal", "inputs", "one of them", "which"),
        tuple(
            (_exact(one.value), _decimal(one.value), str(one.count), _word(one.witness.x), _kind(one.witness.x))
            for one in classes
        ),
        (3, 4),
    )
    made.sections.append(
        f"""## 6. Worst inputs

Which databases make the count least accurate? The paper lists four inputs, with seven decimals; {equal} of the four
are equal to our fractions.

{made.table(four)}
Its caption promises distinct values, and these are two values, twice. Over all 256 inputs there are {len(classes)}:

{made.table(distinct)}
Unanimous databases are the worst: all errors then go the same way. The more evenly the bits are split, the better
errors cancel.
"""
    )


# ----------------------------------------------------------------------------------------------------------- report


def _report(made: Reproduction, quick: bool, seconds: float) -> str:
    printed = [check for check in made.checks if check["source"] == PRINTED]
    agree = sum(check["agrees"] for check in printed)
    others = [check for check in made.checks if check["source"] != PRINTED]
    other = sum(check["agrees"] for check in others)
    checks = Table(
        "checks",
        "Everything that is compared",
        ("what", "expected", "where that is from", "taut", "agrees"),
        tuple(
            (check["what"], check["published"], check["source"], check["ours"], "yes" if check["agrees"] else "**no**")
            for check in made.checks
        ),
        (0, 1, 2, 3, 4),
    )
    kind = "the quick one (smaller sizes)" if quick else "the full one"
    errata = list(ERRATA)
    ten, thirteen = (f"{float(rounded_ratio(n)):.5g}" for n in (10, 13))
    rounding = (
        f" Rounding the exact probabilities of randomized response in this way gives {ten} for 10 clients and "
        f"{thirteen} for 13, where the truth is 4; we never round."
    )
    errata[-1] = (errata[-1][0], errata[-1][1] + rounding)
    listed = "\n".join(f"{place}. **{title}.** {words}" for place, (title, words) in enumerate(errata, 1))
    sections = "\n".join(made.sections)
    checked = made.table(checks)
    return _reflowed(f"""# Tight privacy and accuracy bounds: the paper, recomputed

This report goes through the evaluation of Oakley, Holtzen and Oprea, *Synthesizing Tight Privacy and Accuracy Bounds
via Weighted Model Counting* (CSF 2024), table by table and figure by figure, and puts what `taut` computes beside what
was published. **{agree} of the {len(printed)} exact numbers that the paper prints come out the same**, and {other} of
{len(others)} others that it only draws or implies; section 8 lists them all, with where each comes from. Times are not
among them. Where the paper contradicts itself, section 7 says how, and what we do.

Bounds, probabilities and sizes here are exact and the same in every run; only times depend on the machine. Fractions
are exact values, decimals are there to be read.

Throughout, *RR* is randomized response: each of n clients reports its bit, flipped with probability lambda. *RRcount*
is the number of ones among the reports. e^eps is the largest ratio with which an output tells two neighbouring inputs
apart, and 1-beta the smallest probability, over all inputs, of coming within alpha of the truth.

{sections}
## 7. Where the paper is wrong, or silent

None of this touches its method. These are places at which a reader who checks the numbers will stumble.

{listed}

## 8. All comparisons

{checked}
## 9. This run

{_machine(quick, kind, seconds)}
""")


def _reflowed(text: str) -> str:
    """Prose in even lines; tables, lists, headings and figures as they are."""
    blocks = []
    for block in text.strip().split("\n\n"):
        lines = block.strip("\n").splitlines()
        plain = lines and not re.match(r"[#|!-]|\d+\. ", lines[0])
        blocks.append(textwrap.fill(" ".join(lines), 120, break_long_words=False) if plain else "\n".join(lines))
    return "\n\n".join(block for block in blocks if block) + "\n"


def _machine(quick: bool, kind: str, seconds: float) -> str:
    now = datetime.datetime.now(datetime.UTC)
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "python-flint", "oxidd", "matplotlib")
    )
    return f"""| what | value |
|:-----|:------|
| run | {kind}, {seconds:.0f} s |
| date | {now:%Y-%m-%d %H:%M} UTC |
| processor | {_processor()}, {os.cpu_count()} logical cores |
| system | {platform.system()} {platform.machine()} |
| Python | {platform.python_version()} |
| taut | {__version__} |
| with | {versions} |

Made by `taut paper --out DIR{" --quick" if quick else ""}`. Every table stands beside this file as CSV and as Markdown,
every figure as PNG."""


def _processor() -> str:
    with_model = Path("/proc/cpuinfo")
    if with_model.is_file():
        for line in with_model.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


# ------------------------------------------------------------------------------------------------------------ cells


def _word(x: Sequence[Any]) -> str:
    return "".join(str(int(entry)) for entry in x)


def _exact(value: Any) -> str:
    return str(value)


def _decimal(value: Fraction) -> str:
    return f"{float(value):.10g}"


def _kind(x: Sequence[int]) -> str:
    odd = min(sum(x), len(x) - sum(x))
    if odd == 0:
        return "all bits alike"
    return "one odd bit" if odd == 1 else f"{odd} odd bits" if 2 * odd < len(x) else "half and half"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _seconds(seconds: float) -> str:
    return "< 0.0001" if seconds < 0.0001 else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def _published(seconds: float | None) -> str:
    return "" if seconds is None else "< 0.0001" if seconds == BELOW else f"{seconds:g}"
