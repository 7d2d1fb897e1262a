"""The paper's diagrams of above-threshold."""

from __future__ import annotations

from collections.abc import Sequence

from taut.interfaces.paper import figures
from taut.interfaces.paper.measurements import AboveThreshold, Sizes, measure_above_threshold
from taut.interfaces.paper.published import ABOVE_THRESHOLD_BDD
from taut.interfaces.paper.reproduction import PRINTED, REPORTED, Reproduction, bits_cell
from taut.interfaces.reports.tables import Table
from taut.questions.epsilon_text import epsilon_digits

__all__ = ["above_threshold_section"]


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
        f"""## 3. Above-threshold

The threshold gets noise, every entry gets noise, and the index of the first entry that passes is returned. Noise is
geometric and clamped to 0..k. This is the paper's example of a program that would be hard to write as a Markov chain;
its measure is the size of the BDD for one input.

The sizes belong to the program its authors published: an entry must *exceed* the threshold (>), which is k-1, and the
noise has ratio exp(-5), for the threshold and the entries alike. The paper draws them as
curves and prints one of them, the 91; the other numbers are what Dice reports for that program
(they were not measured in this run). **{same} of {len(measured)} agree.**

{figure}
{made.table(size_table)}
The relation holds all inputs at once. It belongs to the comparison of the text (>=) and ratio 1/2, and its nodes have
as many branches as a variable has values, so it is not to be compared with a BDD node by node. From it follow the exact
bounds, for two notions of neighbours:

- `one_differ`, the paper's definition: one entry changes to anything;
- `one_step`, what the authors' program does: one entry moves by at most 1.

{privacy_figure}
{made.table(_privacy(measured))}
If an entry may only move by 1, e^eps is 1/ratio = 2 at every length here. If it may change freely, the bound grows with
k and, for k > 1, with n. The worst case for k = 3 and n = 6 is {witness}: five entries equal to the threshold come
first, and the sixth is the largest value there is, or the smallest.
"""
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
