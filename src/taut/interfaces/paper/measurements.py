"""Measurements for the paper's tables and figures: taut, and its peers as far as they are installed."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from taut.interfaces.compare.comparison import Comparison, compare
from taut.interfaces.compare.measurement import TOOLS, RecordFile, measurements_of
from taut.interfaces.paper.published import RR_ROWS
from taut.interfaces.peers import PEERS
from taut.interfaces.reports.formats import Table
from taut.mechanisms import randomized_response, rr_count
from taut.mechanisms.thresholds import above_threshold
from taut.model import Model
from taut.program.domains import bits, ints
from taut.questions.accuracy import AccuracyBound
from taut.questions.privacy import PrivacyBound
from taut.support.exact import exp
from taut.support.options import active
from taut.synthesis.sets import rr_count_accuracy_set, rr_count_inference_set, rr_inference_set, rr_privacy_set

__all__ = [
    "AboveThreshold",
    "Sizes",
    "Timed",
    "measure_above_threshold",
    "measure_peers",
    "measure_rr",
    "measure_rr_count",
    "measure_rr_one_input",
    "peers_table",
    "published_sizes",
    "rounded_ratio",
]


LAMBDA = Fraction(1, 5)
ONE_INPUT = (5, 10, 15, 20)
REPETITIONS = 3


@dataclass(frozen=True)
class Sizes:
    """Sizes of the computations of a run; ``quick`` takes less than a minute."""

    quick: bool

    @property
    def exhaustive(self) -> tuple[int, ...]:
        return (2, 4, 6, 8, 10) if self.quick else (2, 4, 6, 8, 10, 12)

    @property
    def restricted(self) -> tuple[int, ...]:
        return (5, 10, 15, 20) if self.quick else (5, 10, 15, 20, 100, 1000)

    @property
    def count(self) -> tuple[int, ...]:
        return (2, 4, 6, 8, 12, 16, 24) if self.quick else (2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 100)


@dataclass(frozen=True)
class Timed:
    """A bound (or another answer) for n clients, with the sizes of its diagrams and its median times."""

    n: int
    answer: Any
    bdd: int
    relation: int
    probabilities: int
    build: float
    inference: float
    synthesis: float

    @property
    def seconds(self) -> float:
        return self.build + self.inference + self.synthesis


@dataclass(frozen=True)
class AboveThreshold:
    """Above-threshold on lists of n integers in 0..k: the BDD of the authors' program, and bounds of the text's."""

    n: int
    k: int
    bdd: int
    relation: int
    one_differ: PrivacyBound
    one_step: PrivacyBound


def measure_rr(n: int, restricted: bool) -> Timed:
    """Return the privacy of randomized response, over all cases or over the paper's sets."""

    def bound() -> PrivacyBound:
        model: Model = randomized_response(bits(n), lam=LAMBDA)
        if restricted:
            return model.privacy(inference_set=rr_inference_set(n), privacy_set=rr_privacy_set(n))
        return model.privacy(method="exhaustive")

    return _timed(n, bound, randomized_response)


def measure_rr_one_input(n: int) -> Timed:
    """Return all 2^n probabilities of randomized response at the input 0^n: what one run of Dice prints."""
    builds, inferences = [], []
    values: set[Fraction] = set()
    nodes = cells = 0
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        channel = randomized_response(bits(n), lam=LAMBDA).fix((0,) * n).channel()
        nodes = channel.relation.arrays.size
        built = time.perf_counter()
        cells = 0
        for _, table in channel.tables(active().max_beliefs):
            cells += table.numbers.size
            values.update(table.values)
        builds.append(built - start)
        inferences.append(time.perf_counter() - built)
    bdd = randomized_response(bits(n), lam=LAMBDA).fix((0,) * n).bdd_size
    return Timed(n, sorted(values), bdd, nodes, cells, statistics.median(builds), statistics.median(inferences), 0.0)


def measure_rr_count(n: int) -> Timed:
    """Return the accuracy of the count within a tenth of the clients, with the paper's sets."""
    alpha = -(-n // 10)

    def bound() -> AccuracyBound:
        model: Model = rr_count(bits(n), lam=LAMBDA)
        return model.accuracy(
            sum, alpha, accuracy_set=rr_count_accuracy_set(n), inference_set=rr_count_inference_set(n, alpha)
        )

    return _timed(n, bound, rr_count)


def measure_above_threshold(n: int, k: int) -> AboveThreshold:
    """Return sizes with the authors' comparison, noise and threshold; bounds with the text's, and ratio 1/2."""
    theirs = above_threshold(ints(n, 0, k), threshold=k - 1, ratio=exp("-5"), high=k, strict=True)
    text = above_threshold(ints(n, 0, k), threshold=k - 1, ratio=Fraction(1, 2), high=k)
    bdd = theirs.fix((0,) * n).bdd_size
    return AboveThreshold(n, k, bdd, text.size, text.privacy("one_differ"), text.privacy("one_step"))


def rounded_ratio(n: int, decimals: int = 9) -> Fraction:
    """Return the largest ratio for randomized response if probabilities are first rounded to ``decimals`` decimals."""
    rounded = [round(LAMBDA**flips * (1 - LAMBDA) ** (n - flips), decimals) for flips in range(n + 1)]
    pairs = [(a, b) for a, b in itertools.pairwise(rounded) if b]
    return max(Fraction(a) / Fraction(b) for a, b in pairs)


def _timed(n: int, ask: Callable[[], Any], mechanism: Any) -> Timed:
    """Ask several times; reading the function counts as building."""
    totals: list[Sequence[float]] = []
    answer: Any = None
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        answer = ask()
        total = time.perf_counter() - start
        inference, synthesis = answer.stats["inference_seconds"], answer.stats["synthesis_seconds"]
        totals.append((max(0.0, total - inference - synthesis), inference, synthesis))
    build, inference, synthesis = (statistics.median(part) for part in zip(*totals, strict=True))
    bdd = mechanism(bits(n), lam=LAMBDA).fix((0,) * n).bdd_size
    stats = answer.stats
    return Timed(n, answer, bdd, stats["nodes"], stats["probabilities"], build, inference, synthesis)


def measure_peers(quick: bool) -> Comparison:
    """Measure the bound of randomized response over all cases and, at a size of the paper, with its sets."""
    sizes, limit = ((2, 4), 20.0) if quick else ((2, 4, 6), 60.0)
    tools = [tool for tool in TOOLS if tool not in PEERS or PEERS[tool].companion_of is None]
    measurements = measurements_of("randomized_response", ["lam=1/5"], sizes, tools, ["exhaustive"], None)
    measurements += measurements_of("randomized_response", ["lam=1/5"], [5], tools, ["restricted"], None)
    return compare(measurements, limit, RecordFile(None), lambda _: None)


def peers_table(comparison: Comparison) -> Table:
    """Return a table of seconds and sizes; missing tools have a row that says so."""
    rows: list[tuple[str, ...]] = []
    titles = {"taut": "taut", **{name: peer.title for name, peer in PEERS.items()}}
    for record in comparison.records:
        sizes = ", ".join(f"{size:,} {name}" for name, size in record.get("sizes", {}).items())
        seconds = f"{record['seconds']:.4f}" if record["status"] == "answer" else str(record["status"])
        runs = f"{record['runs']:,}" if "runs" in record else ""
        answer = (str(record.get("answer", "")), comparison.verdict(record))
        rows.append((titles[record["tool"]], record["method"], str(record["n"]), *answer, seconds, runs, sizes))
    rows += [(titles[tool], "", "", "", "not installed", "", "", "") for tool in comparison.missing]
    headings = ("tool", "method", "n", "e^eps", "verdict", "seconds", "runs", "largest model")
    return Table(
        "rr_peers_here", "The same question to all tools, measured in this run", headings, tuple(rows), (0, 3, 6)
    )


def published_sizes(comparison: Comparison) -> list[tuple[int, str, str, bool]]:
    """Return, for each n of the paper's chain for Storm: n, published sizes, our sizes, and True if they agree."""
    checks = []
    for row in RR_ROWS:
        for record in comparison.records:
            if row.tool == "Storm" and row.states and record["tool"] == "storm-naive" and record["n"] == row.n:
                sizes = record.get("sizes", {})
                if sizes:
                    theirs, ours = (row.states, row.transitions), (sizes["states"], sizes["transitions"])
                    checks.append((row.n, f"{theirs[0]}, {theirs[1]}", f"{ours[0]}, {ours[1]}", theirs == ours))
    return checks
