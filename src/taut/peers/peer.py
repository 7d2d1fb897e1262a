"""A peer: another exact tool that is asked the same question, with its own answer, right or wrong."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taut.errors import NoNeighbors
from taut.ir import Program
from taut.neighbors import Neighbors
from taut.numbers import quotient
from taut.solvers.sets import InferenceSet, PrivacySet

__all__ = ["Peer", "PeerAnswer", "Run", "Solver", "input_by_input"]

Entries = tuple[Any, ...]
"""An input, entry by entry."""


@dataclass(frozen=True)
class Run:
    """What a tool answered, the size of its model, and the seconds it computed once the model was built."""

    answers: Mapping[Any, Any]
    sizes: Mapping[str, int]
    check_seconds: float


@dataclass
class PeerAnswer:
    """The largest quotient, and what it took."""

    max_ratio: Any = None
    runs: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    build_seconds: float = 0.0
    check_seconds: float = 0.0

    def add(self, run: Run, seconds: float, runs: int = 1) -> None:
        """Count what took so many seconds in all; the sizes of the largest model are kept."""
        self.runs += runs
        self.build_seconds += seconds - run.check_seconds
        self.check_seconds += run.check_seconds
        for name, size in run.sizes.items():
            self.sizes[name] = max(size, self.sizes.get(name, 0))


Solver = Callable[[Program, Sequence[Entries], InferenceSet | None, PeerAnswer], Mapping[Entries, Mapping[Any, Any]]]
"""The distributions at some inputs (of given pairs only, if there are any), with what they took counted."""


@dataclass(frozen=True)
class Peer:
    """Another tool: how programs are written for it, and how it is asked.

    Attributes
    ----------
    name, title
        What it is called on the command line, and in tables.
    language, encoding
        What it reads, and which of several ways of writing a program in it this is.
    write
        The text of a program, with a title.
    missing
        Why the tool cannot be used here and how to get it; None if it can.
    distributions
        The distributions at several inputs.
    methods
        The ways in which it can be asked for a bound.
    mechanism
        The only built-in mechanism that it can be asked about, if there is only one.
    companion_of
        The peer that brings it along, if there is one.
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

    def privacy(
        self, program: Program, neighbors: Neighbors, sets: tuple[InferenceSet, PrivacySet] | None = None
    ) -> PeerAnswer:
        """e^epsilon by this tool: all distributions first, then the largest quotient of neighbours.

        Parameters
        ----------
        program, neighbors
            The mechanism on its domain, and which inputs are neighbours.
        sets
            The pairs to ask for and the triples to compare; without them everything is looked at.

        Raises
        ------
        NoNeighbors
            No two inputs are related.
        ToolMissing, ToolFailed
            The tool is not there, or gives no answer.
        """
        answer = PeerAnswer()
        every = (x for x, _ in sets[0]) if sets else itertools.product(*[entry.values for entry in program.inputs])
        inputs = list(dict.fromkeys(every))
        rows = self.distributions(program, inputs, sets[0] if sets else None, answer)
        triples: Iterable[tuple[Any, Any, Any]]
        if sets:
            triples = sets[1]
        else:
            triples = ((x, other, y) for x, other in _related(program, neighbors, inputs) for y in rows[x])
        ratios = (quotient(rows[x].get(y, 0), rows[other].get(y, 0)) for x, other, y in triples)
        answer.max_ratio = max((ratio for ratio in ratios if ratio is not None), default=None)
        if answer.max_ratio is None:
            raise NoNeighbors(f"'{program.name}': {neighbors.name} relates no two inputs.", value=neighbors.name)
        return answer


def input_by_input(ask: Callable[[Program], Run]) -> Solver:
    """The distributions of a tool that runs one program per input."""

    def distributions(
        program: Program, inputs: Sequence[Entries], _: InferenceSet | None, answer: PeerAnswer
    ) -> Mapping[Entries, Mapping[Any, Any]]:
        rows = {}
        for x in inputs:
            start = time.perf_counter()
            run = ask(program.fix(program.database(x)))
            answer.add(run, time.perf_counter() - start)
            rows[x] = run.answers
        return rows

    return distributions


def _related(program: Program, neighbors: Neighbors, inputs: Sequence[Entries]) -> Iterator[tuple[Entries, Entries]]:
    """All ordered pairs of neighbours, by their entries."""
    space = program.space
    automaton = neighbors.automaton(space)
    for x in inputs:
        for other in automaton.neighbors(space.positions(space.database(x))):
            yield x, tuple(values[position] for values, position in zip(space.values, other, strict=True))
