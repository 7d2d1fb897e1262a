"""The sections of the report: randomized response, above-threshold, and the accuracy of counting."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from taut.interfaces.paper import figures
from taut.interfaces.paper.measurements import (
    LAMBDA,
    ONE_INPUT,
    REPETITIONS,
    AboveThreshold,
    Sizes,
    Timed,
    measure_above_threshold,
    measure_peers,
    measure_rr,
    measure_rr_count,
    measure_rr_one_input,
    peers_table,
    published_sizes,
)
from taut.interfaces.paper.page import (
    CLOSED,
    PRINTED,
    REPORTED,
    Reproduction,
    bits_cell,
    count_cell,
    decimal,
    published_cell,
    seconds_cell,
)
from taut.interfaces.paper.published import ABOVE_THRESHOLD_BDD, LOWEST_INPUTS, RR_ROWS
from taut.interfaces.reports.formats import Table
from taut.mechanisms import randomized_response, rr_count
from taut.program.domains import bits
from taut.questions.ratio import epsilon_digits
from taut.synthesis.sets import rr_inference_set

__all__ = [
    "above_threshold_section",
    "bounds_against_lambda",
    "counting",
    "inference",
    "randomized_response_section",
    "worst_inputs",
]


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
    made.sections.append(_section(1, table=made.table(table), bound=bound, spelled=spelled, verdict=verdict))


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
        _section(
            2,
            repetitions=REPETITIONS,
            beside=made.table(beside),
            figure=figure,
            far=far,
            far_seconds=seconds_cell(far.seconds),
            last=last,
            absent=absent,
            peers=made.table(peers_table(peers)),
            full=made.table(full),
        )
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


def above_threshold_section(made: Reproduction, sizes: Sizes) -> None:
    measured = [measure_above_threshold(n, k) for k in (1, 2, 3) for n in range(2, 7)]
    published = [nodes for k in (1, 2, 3) for nodes in ABOVE_THRESHOLD_BDD[k]]
    for one, nodes in zip(measured, published, strict=True):
        source = PRINTED if (one.k, one.n) == (3, 6) else REPORTED
        what = f"above-threshold, k={one.k}, n={one.n}: BDD nodes"
        made.check(what, str(nodes), str(one.bdd), one.bdd == nodes, source)
    same = sum(one.bdd == nodes for one, nodes in zip(measured, published, strict=True))
    size_table = Table(
        "above_threshold_sizes",
        "Nodes for lists of n integers in 0..k",
        ("k", "n", "inputs", "Dice, BDD", "taut, BDD", "taut, relation"),
        tuple(
            (str(one.k), str(one.n), f"{(one.k + 1) ** one.n:,}", str(nodes), str(one.bdd), str(one.relation))
            for one, nodes in zip(measured, published, strict=True)
        ),
        (),
    )
    figure = made.figure(
        "above_threshold_sizes",
        figures.above_threshold_figure(measured),
        f"BDD sizes of above-threshold: {same} of our {len(measured)} points lie in the circle of Dice's.",
    )
    privacy_figure = made.figure(
        "above_threshold_privacy",
        figures.above_threshold_privacy_figure(measured),
        "e^eps of above-threshold with >=, ratio 1/2, threshold k-1, for both relations.",
    )
    worst = measured[-1].one_differ
    witness = f"x = {bits_cell(worst.witness.x)}, x' = {bits_cell(worst.witness.x_prime)}, y = {worst.witness.y}"
    made.sections.append(
        _section(
            3,
            same=same,
            points=len(measured),
            figure=figure,
            sizes=made.table(size_table),
            privacy_figure=privacy_figure,
            privacy=made.table(_privacy(measured)),
            witness=witness,
        )
    )


def _privacy(measured: Sequence[AboveThreshold]) -> Table:
    rows = []
    for one in measured:
        differ, step = one.one_differ, one.one_step
        where = f"{bits_cell(differ.witness.x)}, {bits_cell(differ.witness.x_prime)}, {differ.witness.y}"
        values = (epsilon_digits(differ.max_ratio), str(differ.max_ratio), f"{differ.count:,}", where)
        rows.append((str(one.k), str(one.n), *values, str(step.max_ratio), f"{step.count:,}"))
    headings = ("k", "n", "one_differ: eps", "e^eps", "one_differ: triples", "one of them (x, x', y)")
    return Table(
        "above_threshold_privacy",
        "Epsilon, and e^eps exactly, with >=, ratio 1/2, threshold k-1",
        (*headings, "one_step: e^eps", "one_step: triples"),
        tuple(rows),
        (5,),
    )


def counting(made: Reproduction, sizes: Sizes) -> None:
    measured = [measure_rr_count(n) for n in sizes.count]
    rows = []
    for timed in measured:
        value = timed.answer.probability
        worst = timed.answer.witness.x
        ones = sum(worst)
        where = f"0^{timed.n}" if ones == 0 else f"1^{ones} 0^{timed.n - ones}" if ones < timed.n else f"1^{timed.n}"
        sized = (count_cell(timed.bdd), count_cell(timed.relation), count_cell(timed.probabilities))
        times = (timed.build, timed.inference, timed.synthesis)
        accuracy = (f"{float(value):.7f}", where)
        rows.append((str(timed.n), str(timed.answer.alpha), *sized, *accuracy, *map(seconds_cell, times)))
    table = Table(
        "rr_count_sizes_and_times",
        "Accuracy of RRcount with the paper's sets, lambda = 1/5, alpha = n/10 rounded up",
        ("n", "alpha", "BDD", "relation", "probabilities", "1-beta", "worst x", "build", "inference", "synthesis"),
        tuple(rows),
        (6,),
    )
    figure = made.figure(
        "rr_count",
        figures.rr_count_figure(measured),
        "Diagram sizes and times for the accuracy of RRcount, against the number of clients.",
    )
    two = rr_count(bits(2), lam=LAMBDA)
    bound = two.accuracy(sum, 1)
    classes = two.input_classes(sum, 1)
    value = f"{bound.probability!s} = 0.96"
    agrees = bound.probability == Fraction(24, 25)
    made.check("RRcount, n=2, alpha=1: 1-beta", "0.96", value if agrees else str(bound.probability), agrees)
    large = measured[-1]
    made.sections.append(
        _section(
            4,
            figure=figure,
            table=made.table(table),
            large=large,
            large_seconds=seconds_cell(large.seconds),
            value=value,
            worst=classes[0],
            best=classes[-1],
        )
    )


def bounds_against_lambda(made: Reproduction, _: Sizes) -> None:
    lambdas = [Fraction(percent, 100) for percent in range(5, 51, 5)]
    ratios, accuracies, rows = [], [], []
    for value in lambdas:
        ratio = randomized_response(bits(8), lam=value).privacy().max_ratio
        accuracy = rr_count(bits(8), lam=value).accuracy(sum, 3).probability
        ratios.append(ratio)
        accuracies.append(accuracy)
        exactly = (epsilon_digits(ratio), str(ratio), str(accuracy), f"{float(accuracy):.7f}")
        rows.append((f"{float(value):.2f}", str((1 - value) / value), *exactly))
    same = sum(ratio == (1 - value) / value for ratio, value in zip(ratios, lambdas, strict=True))
    what = "RR, n=8: e^eps at ten values of lambda"
    made.check(what, "(1-lambda)/lambda", f"{same} of 10 equal", same == 10, CLOSED)
    table = Table(
        "bounds_against_lambda",
        "Tight bounds for n = 8",
        ("lambda", "(1-lambda)/lambda", "RR: eps", "e^eps", "RRcount, alpha=3: 1-beta", "1-beta, decimal"),
        tuple(rows),
        (),
    )
    figure = made.figure(
        "bounds_against_lambda",
        figures.bounds_figure(lambdas, ratios, accuracies),
        "Privacy of RR and accuracy of RRcount (alpha = 3) for eight clients, against lambda.",
    )
    fifth = lambdas.index(Fraction(1, 5))
    made.sections.append(
        _section(
            5,
            ratios=ratios,
            ratio=ratios[fifth],
            least=float(accuracies[0]),
            accuracy=float(accuracies[fifth]),
            figure=figure,
            table=made.table(table),
        )
    )


def worst_inputs(made: Reproduction, _: Sizes) -> None:
    model = rr_count(bits(8), lam=LAMBDA)
    inputs = [tuple(int(bit) for bit in word) for word, _ in LOWEST_INPUTS]
    ours = model.accuracies(inputs, sum, 3)
    rows = []
    for (word, published), x in zip(LOWEST_INPUTS, inputs, strict=True):
        agrees = ours[x] == Fraction(published)
        rows.append((word, published, str(ours[x]), "yes" if agrees else "no"))
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
            (str(one.value), decimal(one.value), str(one.count), bits_cell(one.witness.x), _kind(one.witness.x))
            for one in classes
        ),
        (3, 4),
    )
    made.sections.append(
        _section(6, equal=equal, four=made.table(four), values=len(classes), distinct=made.table(distinct))
    )


def _kind(x: Sequence[int]) -> str:
    odd = min(sum(x), len(x) - sum(x))
    if odd == 0:
        return "all bits alike"
    return "one odd bit" if odd == 1 else f"{odd} odd bits" if 2 * odd < len(x) else "half and half"


def _section(number: int, **values: Any) -> str:
    """Return a section of ``sections.md`` with its values filled in."""
    prose = Path(__file__).with_name("sections.md").read_text(encoding="utf-8")
    _, begin, rest = prose.partition(f"## {number}. ")
    return f"{begin}{rest.partition(chr(10) + '## ')[0].strip()}".format(**values).strip() + "\n"
