"""The privacy of a mechanism by another tool: all its distributions first, then the largest quotient of neighbours."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taut.baselines.dice import ask_dice, dice_missing
from taut.baselines.storm import ask_storm, query_storm, storm_missing
from taut.errors import InvalidInput, NoNeighbors
from taut.export import dice_program, naive_model, prism_model
from taut.ir import Program
from taut.neighbors import Neighbors
from taut.numbers import quotient
from taut.solvers.symmetry import InferenceSet, PrivacySet

__all__ = ["PEERS", "PeerAnswer", "Sets", "missing", "peer_privacy"]

Sets = tuple[InferenceSet, PrivacySet]
Row = Mapping[Any, Any]


@dataclass
class PeerAnswer:
    """The largest quotient, or None if no output has one; and what it took."""

    max_ratio: Any = None
    runs: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    build_seconds: float = 0.0
    check_seconds: float = 0.0

    def add(self, build: float, check: float, **sizes: int | None) -> None:
        """Count a run; the sizes of the largest are kept."""
        self.runs += 1
        self.build_seconds += build
        self.check_seconds += check
        for name, size in sizes.items():
            if size is not None:
                self.sizes[name] = max(size, self.sizes.get(name, 0))


def missing(tool: str) -> str | None:
    """Why a tool cannot be used here and how to get it, None if it can."""
    return dice_missing() if tool == "dice" else storm_missing()


def peer_privacy(tool: str, program: Program, neighbors: Neighbors, sets: Sets | None = None) -> PeerAnswer:
    """e^epsilon by another tool, looking at all inputs, or at the given sets.

    ``storm`` builds one model an input, in the way of ``prism_model``, and solves it once for all outputs.
    ``storm-naive`` builds the paper's product chain, and asks one question for each input and output.
    ``dice`` runs one program an input.
    """
    if tool not in PEERS:
        raise InvalidInput(f"'{tool}' is no tool; there are {', '.join(PEERS)}.", value=tool)
    answer = PeerAnswer()
    inputs = [x for x, _ in sets[0]] if sets else list(itertools.product(*[one.values for one in program.inputs]))
    inputs = list(dict.fromkeys(inputs))
    ask = PEERS[tool](program, answer, sets[0] if sets else None)
    rows = {x: ask(x) for x in inputs}
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


Asker = Callable[[tuple[Any, ...]], Row]


def _storm(program: Program, answer: PeerAnswer, _: InferenceSet | None) -> Asker:
    def ask(x: tuple[Any, ...]) -> Row:
        start = time.perf_counter()
        model = prism_model(program.fix(program.database(x)))
        written = time.perf_counter() - start
        run = ask_storm(model)
        answer.add(written + run.build_seconds, run.check_seconds, states=run.states, transitions=run.transitions)
        return run.answers

    return ask


def _storm_naive(program: Program, answer: PeerAnswer, pairs: InferenceSet | None) -> Asker:
    """One build for all; each pair (x, y) is a run of the checker, as the paper counts them."""
    model = naive_model(program)
    every = list(itertools.product((0, 1), repeat=model.n))
    asked = list(pairs) if pairs is not None else list(itertools.product(every, repeat=2))
    run = query_storm(model.text, {(x, y): model.event(x, y) for x, y in asked})
    answer.add(run.build_seconds, run.check_seconds, states=run.states, transitions=run.transitions)
    answer.runs = len(asked)
    rows: dict[Any, dict[Any, Any]] = {}
    for (x, y), share in run.answers.items():
        rows.setdefault(x, {})[y] = share * 2**model.n
    return lambda x: rows[x]


def _dice(program: Program, answer: PeerAnswer, _: InferenceSet | None) -> Asker:
    def ask(x: tuple[Any, ...]) -> Row:
        start = time.perf_counter()
        exported = dice_program(program.fix(program.database(x)))
        written = time.perf_counter() - start
        run = ask_dice(exported)
        answer.add(written, run.seconds, nodes=run.nodes)
        return run.answers

    return ask


PEERS: dict[str, Callable[[Program, PeerAnswer, InferenceSet | None], Asker]] = {
    "storm": _storm,
    "storm-naive": _storm_naive,
    "dice": _dice,
}


def _related(
    program: Program, neighbors: Neighbors, inputs: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """All ordered pairs of neighbours, by their entries."""
    space = program.space
    automaton = neighbors.automaton(space)
    for x in inputs:
        for other in automaton.neighbors(space.positions(space.database(x))):
            yield x, tuple(values[position] for values, position in zip(space.values, other, strict=True))
