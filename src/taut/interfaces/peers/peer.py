"""The interface of peers: other exact tools that answer the same question, from tables that may be rounded."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from taut.neighbors import Neighbors
from taut.program import Program
from taut.support.errors import NoNeighbors
from taut.support.exact import INFINITY, quotient
from taut.synthesis.sets import InferenceSet, PrivacySet

__all__ = ["Peer", "PeerAnswer", "Ratio", "Run", "Solver", "input_by_input", "largest_ratio", "one_for_all"]

Entries = tuple[Any, ...]
"""The entries of an input."""


@dataclass(frozen=True)
class Run:
    """The answer of a tool, the size of its model, and the resources it used.

    Attributes:
        answers, sizes: the distribution, and how large the model is.
        check_seconds: the seconds it computed once the model was built.
        cpu_seconds, megabytes: CPU time and peak memory of the tool itself, as far as they are known.
        slack: rounding error of each probability as the tool prints it; 0 for exact tools.
    """

    answers: Mapping[Any, Any]
    sizes: Mapping[str, int]
    check_seconds: float
    cpu_seconds: float | None = None
    megabytes: float | None = None
    slack: Fraction = Fraction(0)


@dataclass
class PeerAnswer:
    """The largest ratio and the resources used; ``slack`` has the rounding error of rounded rows."""

    ratio: Ratio | None = None
    runs: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    build_seconds: float = 0.0
    check_seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float | None = None
    slack: dict[Entries, Fraction] = field(default_factory=dict)

    @property
    def max_ratio(self) -> Any:
        return None if self.ratio is None else self.ratio.value

    def add(self, run: Run, seconds: float, runs: int = 1) -> None:
        """Add the resources of a run of ``seconds`` seconds; the sizes of the largest model are kept."""
        self.runs += runs
        self.build_seconds += seconds - run.check_seconds
        self.check_seconds += run.check_seconds
        self.cpu_seconds += run.cpu_seconds or 0.0
        if run.megabytes is not None:
            self.megabytes = max(run.megabytes, self.megabytes or 0.0)
        for name, size in run.sizes.items():
            self.sizes[name] = max(size, self.sizes.get(name, 0))


Solver = Callable[[Program, Sequence[Entries], InferenceSet | None, PeerAnswer], Mapping[Entries, Mapping[Any, Any]]]
"""A function that returns the distributions at some inputs (only at given pairs, if any) and adds up the resources."""


@dataclass(frozen=True)
class Peer:
    """Another tool: how programs are written for it and how it is run.

    Attributes:
        name, title: its name on the command line, and in tables.
        language, encoding: its language, and the name of the encoding if there are several.
        write: the text of a program, with a title.
        missing: returns the reason why the tool is unavailable and how to install it; None if it is available.
        distributions: the distributions at several inputs.
        methods: the ways in which it can be asked for a bound.
        mechanism: the only built-in mechanism that it can be asked about, if there is only one.
        companion_of: the peer that brings it along, if there is one: the same tool, asked in another way.
        separate: whether it is a program that is started for each run, rather than a library.
    """

    name: str
    title: str
    language: str
    write: Callable[[Program, str], str]
    missing: Callable[[], str | None]
    distributions: Solver
    encoding: str = "sequential"
    methods: tuple[str, ...] = ("exhaustive", "restricted")
    mechanism: str | None = None
    companion_of: str | None = None
    separate: bool = False

    def privacy(
        self, program: Program, neighbors: Neighbors, sets: tuple[InferenceSet, PrivacySet] | None = None
    ) -> PeerAnswer:
        """Return e^epsilon by this tool: all distributions first, then the largest ratio of neighbours.

        Parameters:
            program, neighbors: the mechanism on its domain, and which inputs are neighbours.
            sets: the pairs to ask for and the triples to compare; without them everything is looked at.

        Raises:
            NoNeighbors: no two inputs are related.
            ToolMissing, ToolFailed: the tool is missing, or gives no answer.
        """
        answer = PeerAnswer()
        every = (x for x, _ in sets[0]) if sets else itertools.product(*[entry.values for entry in program.inputs])
        inputs = list(dict.fromkeys(every))
        rows = self.distributions(program, inputs, sets[0] if sets else None, answer)
        pairs = sets[1] if sets else _related(program, neighbors, inputs)
        answer.ratio = largest_ratio(rows, pairs, answer.slack)
        if answer.ratio is None:
            raise NoNeighbors(f"'{program.name}': {neighbors.name} relates no two inputs.", value=neighbors.name)
        return answer


def input_by_input(ask: Callable[[Program], Run]) -> Solver:
    """Return a solver for a tool that runs one program per input."""

    def distributions(
        program: Program, inputs: Sequence[Entries], _: InferenceSet | None, answer: PeerAnswer
    ) -> Mapping[Entries, Mapping[Any, Any]]:
        rows = {}
        for x in inputs:
            start = time.perf_counter()
            run = ask(program.fix(program.database(x)))
            answer.add(run, time.perf_counter() - start)
            answer.slack[x] = run.slack
            rows[x] = run.answers
        return rows

    return distributions


def one_for_all(ask: Callable[[Program], Run]) -> Solver:
    """Return a solver for a tool that runs one program for all inputs, which draws and returns its input.

    The printed decimals are then those of the joint probability of input and output, so rounding weighs more.
    """

    def distributions(
        program: Program, inputs: Sequence[Entries], _: InferenceSet | None, answer: PeerAnswer
    ) -> Mapping[Entries, Mapping[Any, Any]]:
        start = time.perf_counter()
        run = ask(program.joint())
        answer.add(run, time.perf_counter() - start)
        rows: dict[Entries, dict[Any, Any]] = {x: {} for x in inputs}
        for (*entries, y), share in run.answers.items():
            rows[tuple(entries)][y] = share
        if not program.conditioned:  # all inputs are as likely
            answer.slack.update(dict.fromkeys(inputs, run.slack * program.size))
            return {x: {y: share * program.size for y, share in row.items()} for x, row in rows.items()}
        for x, row in rows.items():
            whole, off = sum(row.values()), run.slack * len(row)
            answer.slack[x] = (run.slack + off) / (whole - off) if whole > off else Fraction(1)
            rows[x] = {y: share / whole for y, share in row.items()}
        return rows

    return distributions


def _related(program: Program, neighbors: Neighbors, inputs: Sequence[Entries]) -> Iterator[tuple[Entries, Entries]]:
    """Yield all ordered pairs of neighbours as entries."""
    space = program.space
    automaton = neighbors.automaton(space)
    for x in inputs:
        for other in automaton.neighbors(space.positions(space.database(x))):
            yield x, tuple(values[position] for values, position in zip(space.values, other, strict=True))


Rows = Mapping[Any, Mapping[Any, Fraction]]
_NEAR = 1 - 1e-12
"""Share of the largest ratio of doubles above which ratios are recomputed as fractions: doubles err by less."""

_TINY = 1e-150
"""Probability below which doubles are inaccurate or overflow; then only fractions are used."""


@dataclass(frozen=True)
class Ratio:
    """The largest ratio in a table, and its interval if each entry is off by at most its slack."""

    value: Any
    low: Any
    high: Any


def largest_ratio(rows: Rows, pairs: Iterable[tuple[Any, ...]], slack: Mapping[Any, Fraction]) -> Ratio | None:
    """Return the largest ratio over pairs (x, x') and all outputs, or over triples (x, x', y); None if there is none.

    A probability p of a row with slack s stands for a number between max(0, p - s) and p + s. An output that is nowhere
    in the table counts as impossible; one that is 0 in both rows of a pair, but not in all rows, may have any ratio
    if it is rounded.
    """
    chosen = list(pairs)
    outputs = dict.fromkeys(y for row in rows.values() for y in row)
    outputs.update(dict.fromkeys(triple[2] for triple in chosen if len(triple) == 3))
    table = {x: [row.get(y, Fraction(0)) for y in outputs] for x, row in rows.items()}
    places = {y: place for place, y in enumerate(outputs)}
    triples = [(x, other, *[places[y] for y in rest]) for x, other, *rest in chosen]
    value = _largest(table, table, triples)
    if value is None:
        return None
    if not any(slack.get(x) for x in rows):
        return Ratio(value, value, value)
    less = _moved(table, lambda x, p: max(p - slack.get(x, Fraction(0)), Fraction(0)))
    more = _moved(table, lambda x, p: p + slack.get(x, Fraction(0)))
    return Ratio(value, _largest(less, more, triples), _largest(more, less, triples))


def _moved(table: Mapping[Any, list[Fraction]], move: Callable[[Any, Fraction], Fraction]) -> dict[Any, list[Fraction]]:
    return {x: [move(x, p) for p in row] for x, row in table.items()}


def _largest(
    above: Mapping[Any, list[Fraction]], below: Mapping[Any, list[Fraction]], triples: Iterable[tuple[Any, ...]]
) -> Any:
    """Return the largest ratio of an entry of ``above`` to one of ``below``; 0/0 is skipped, p/0 is infinity.

    Doubles choose the candidates, fractions decide among them, once for each two numbers.
    """
    tops, numbers = _numbered(above)
    bottoms, divisors = _numbered(below)
    floats, below_floats = (np.array([float(p) for p in known]) for known in (numbers, divisors))
    tiny = any(0 < p < _TINY for p in (*numbers, *divisors))
    best, near = None, -1.0
    seen: set[int] = set()
    for x, other, *rest in triples:
        top, bottom = (tops[x][rest], bottoms[other][rest]) if rest else (tops[x], bottoms[other])
        both = top * len(divisors) + bottom
        if not tiny:
            p, q = floats[top], below_floats[bottom]
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.where((p == 0) & (q == 0), -1.0, p / q)
            least = max(near, float(ratios.max(initial=-1.0)))
            both = both[(ratios >= least * _NEAR) & (ratios >= 0)]
        for pair in set(both.tolist()) - seen:
            seen.add(pair)
            ratio = quotient(numbers[pair // len(divisors)], divisors[pair % len(divisors)])
            if ratio is not None and (best is None or ratio > best):
                best, near = ratio, near if tiny else float(ratio)
        if best == INFINITY:
            break
    return best


def _numbered(table: Mapping[Any, list[Fraction]]) -> tuple[dict[Any, np.ndarray[Any, Any]], list[Fraction]]:
    """Return the rows as indices of entries, and the different entries."""
    known: dict[Fraction, int] = {}
    rows = {x: np.array([known.setdefault(p, len(known)) for p in row], dtype=np.int64) for x, row in table.items()}
    return rows, list(known)
