"""Problems (a channel, a neighbour relation and a measure), and the protocol of their solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from taut.inference.channel import Channel
from taut.neighbors import Entrywise, Neighbors, PairAutomaton, Predicate, single_inputs
from taut.neighbors.blocks import are_listed
from taut.program import Program, Term, Tuple
from taut.program.domains import InputSpace
from taut.program.values import Anything
from taut.questions.bound import Bound, Interval
from taut.questions.measure import Measure, OutputMeasure
from taut.support.errors import InvalidInput, NoNeighbors, TautError
from taut.support.options import Options
from taut.support.process import cached_property
from taut.synthesis.facts import Known, Reached
from taut.synthesis.walk import CaseOrder

__all__ = ["Budget", "ByTerms", "Problem", "Solver", "Uncompiled"]

_MANY = 1 << 64
"""Number of cases above which pairs are not counted, since counting would cost more than the answer."""
_MANY_OUTPUTS = 1 << 20
"""Outputs that are too many to be listed, however few the inputs are."""
_BITS_OF_VALUES = 24
"""Upper bound for the binary digits of the number of values of an entry: a change of one entry leaves all values of the
others.
"""


@dataclass(frozen=True)
class Uncompiled:
    """A mechanism that is not compiled yet, for solvers that need no channel."""

    name: str
    space: InputSpace
    compile: Callable[[], Channel]
    """Returns the channel, the same one at every call."""
    distribution: Callable[[Any, int], Mapping[Any, Any]]
    """Returns the distribution on one input, from a diagram for that input alone; raises TooLarge above a number of
    outputs.
    """
    program: Program | None = None
    """The terms, where there are some."""


@dataclass(frozen=True)
class Problem:
    """The worst case of a channel by a measure, over related pairs of inputs (over all inputs, without neighbours).

    A mechanism may be given in place of its channel; then ``compile`` comes before everything that needs the channel.
    ``known`` is a cache that all problems of one mechanism share.
    """

    source: Channel | Uncompiled
    neighbors: Neighbors | None
    measure: Measure
    known: Known = field(default_factory=Known, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Problem, (self.compile(), self.neighbors, self.measure)

    def compile(self) -> Channel:
        """Compile the mechanism, unless that is done."""
        return self._compiled

    @cached_property
    def _compiled(self) -> Channel:
        return self.source if isinstance(self.source, Channel) else self.source.compile()

    @property
    def channel(self) -> Channel:
        """The compiled mechanism; nothing is compiled here."""
        if isinstance(self.source, Channel):
            return self.source
        assert "_compiled" in self.__dict__, "compile() comes first"
        return self._compiled

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.source.name

    @property
    def program(self) -> Program | None:
        """The terms that are compiled; None where there are none."""
        return None if isinstance(self.source, Channel) else self.source.program

    @property
    def space(self) -> InputSpace:
        """The inputs, known before anything is compiled."""
        return self.source.space

    def distribution(self, x: Any, most: int) -> Mapping[Any, Any]:
        """Return the distribution on one input, without compiling all; TooLarge beyond ``most`` outputs."""
        if isinstance(self.source, Channel):
            return self.source.distribution(x, "auto", most)
        return self.source.distribution(x, most)

    @cached_property
    def automaton(self) -> PairAutomaton:
        """The related pairs of inputs; without neighbours, each input with itself."""
        if self.neighbors is None:
            sizes = [len(values) for values in self.space.values]
            return single_inputs(sizes, range(len(sizes)))
        return self.neighbors.automaton(self.space)

    def more_pairs_than(self, most: int) -> bool:
        """Return True if there are more related pairs of inputs; of very many inputs they are not counted."""
        relation = self.neighbors
        if isinstance(relation, Entrywise) and self.space.size > most << _BITS_OF_VALUES:
            return not self.relates_nothing
        return self.automaton.count_pairs() > most

    @cached_property
    def relates_nothing(self) -> bool:
        """True if no two inputs are related, seen by the values of their entries; False if that cannot be seen."""
        relation = self.neighbors
        if not isinstance(relation, Entrywise):
            return False
        relation.require(self.space)
        return not any(True for values in self.space.different_values for _ in relation.changed(values))

    @property
    def unrelated(self) -> bool:
        """True if no related inputs are known, since a predicate was not evaluated on all pairs."""
        return isinstance(self.neighbors, Predicate) and "automaton" not in self.__dict__

    @property
    def cases(self) -> int:
        """Return the number of cases: inputs, related pairs, or related pairs with an output."""
        outputs = self.neighbors is not None and isinstance(self.measure, OutputMeasure)
        return self.automaton.count_pairs() * (self.channel.outputs if outputs else 1)

    @property
    def work(self) -> int:
        """Number of inputs or related pairs times outcomes of a coin, and times the outputs if they are very many: the
        work that is saved without a channel.
        """
        assert self.program is not None
        outcomes = max([len(coin.outcomes) for coin in self.program.coins], default=1)
        cases = self.space.size if self.neighbors is None or isinstance(self.neighbors, Entrywise) else 0
        if not self.more_pairs_than(_MANY):
            cases = max(cases, self.automaton.count_pairs())
        return cases * outcomes * (_MANY_OUTPUTS if self.many_outputs else 1)

    @property
    def many_outputs(self) -> bool:
        """True if a mechanism that is not compiled may have too many outputs to list, by the values of its items."""
        return self.program is not None and _outputs(self.program.output) > _MANY_OUTPUTS

    def order(self, outputs: Sequence[int] = ()) -> CaseOrder:
        """Return the order of all cases, which decides among equally bad ones, given the sizes of outputs."""
        sizes = tuple(len(values) for values in self.space.values)
        return CaseOrder(sizes, tuple(outputs), are_listed(self.automaton))

    def related(self, x: Any, x_prime: Any) -> bool:
        """Return True if two inputs are neighbours."""
        return self.automaton.related(self.space.positions(x), self.space.positions(x_prime))

    def refused_as_sum(self, method: str, *served: type[Any]) -> InvalidInput | None:
        """Return the error of solvers that look at single outputs, for a measure that adds up all of them.

        ``served`` are the kinds of such measures that the solver knows nevertheless.
        """
        if isinstance(self.measure, (OutputMeasure, *served)):
            return None
        name = type(self.measure).__name__
        return InvalidInput(
            f"method={method!r} looks at single outputs, which {name} adds up; leave method out.", value=method
        )

    def without_neighbors(self) -> NoNeighbors:
        """Return the error for a relation that relates nothing."""
        assert self.neighbors is not None
        return NoNeighbors(
            f"neighbors='{self.neighbors.name}' relates no two inputs of '{self.name}'.", value=self.neighbors
        )


def _outputs(output: Term) -> int:
    """Return an upper bound for the number of outputs that an output tuple can have; no more than is many."""
    found, stack = 1, [output]
    while stack and found <= _MANY_OUTPUTS:
        term = stack.pop()
        if isinstance(term, Tuple):
            stack += term.items
        elif not isinstance(term.values, Anything):
            found *= len(term.values)
    return found


@dataclass(frozen=True)
class Budget:
    """Limits of a solver besides time and memory, which are in force by context: beliefs, and a progress callback."""

    max_beliefs: int = Options.max_beliefs
    progress: Callable[[Interval], None] | None = None
    reached: Reached | None = None
    """The interval that a solver has reached, kept here in case a limit ends it."""
    in_pieces: bool = True
    """True if the work may be divided among workers, which a first try in little room may not."""


class Solver(Protocol):
    """An algorithm for the worst case of a problem.

    With ``needs_channel`` the problem must be compiled; solvers without it are tried first. A solver that runs out of
    time, memory or beliefs returns the interval that it has reached, or raises TooLarge if it has none (OutOfTime and
    OutOfMemory are of that kind). All solvers raise the same errors for problems without an answer: ImpossibleEvidence,
    with such an input, before NoNeighbors.
    """

    name: str
    needs_channel: bool

    def refuses(self, problem: Problem) -> TautError | None:
        """Return the error by which this solver refuses a problem that it does not serve, without looking at the
        channel.
        """

    def cost(self, problem: Problem) -> int | None:
        """Return the number of cases that it would look at, or None if unknown in advance."""

    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """Return the bound."""


class ByTerms(ABC):
    """A solver that reads the terms of a mechanism, before anything is compiled.

    Problems whose cost is at most ``least`` are left to other solvers.
    """

    name: str
    needs_channel = False

    def __init__(self, least: int = 0) -> None:
        self.least = least

    @abstractmethod
    def serves(self, problem: Problem) -> bool:
        """Return True for measures and relations that the solver knows."""

    @abstractmethod
    def solve(self, problem: Problem, budget: Budget) -> Bound:
        """Return the bound."""

    def refuses(self, problem: Problem) -> TautError | None:
        served = problem.program is not None and problem.program.inputs and self.serves(problem)
        if served and (not self.least or self.cost(problem) > self.least):
            return None
        return InvalidInput(f"method={self.name!r} does not serve this problem; leave method out.", value=self.name)

    def cost(self, problem: Problem) -> int:
        """Return the number of cases with their outcomes, which is the work that is saved."""
        return problem.work
