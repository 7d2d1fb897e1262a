"""A channel: the compiled relation of a mechanism with its domains, which is all that analysis sees."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from taut.diagrams.compile import Relation
from taut.diagrams.semirings import BALL, EXACT, FLOAT64, Semiring
from taut.inference.beliefs import semiring_of
from taut.inference.distribution import distribution
from taut.inference.fold import fold, require_total, rows_of, sample_outputs
from taut.inference.pairs import evaluate_batch, pair_probabilities
from taut.inference.table import ExactTable, conditioned_table, exact_table
from taut.program import CoinVariable
from taut.program.domains import Domain, InputSpace, as_tuples, integer
from taut.support.errors import ImpossibleEvidence, InvalidInput, TooLarge, impossible_evidence
from taut.support.exact import Ball, large
from taut.support.options import Options
from taut.support.process import cached_property, collector_paused

__all__ = ["Channel"]

_CELLS = 1 << 24
_MOST_INPUTS = 1 << 24
_SEMIRINGS: dict[str, Semiring[Any]] = {"exact": EXACT, "float64": FLOAT64, "ball": BALL}


@dataclass(frozen=True, eq=False)
class Channel:
    """The probabilities of a mechanism, input by input: a value that can be pickled and that knows of no program.

    ``domains`` say what a database is (none: there is a single input, the empty database). If ``conditioned``, the
    relation holds nothing where the evidence fails, and probabilities are divided by that of the evidence.
    """

    relation: Relation
    domains: tuple[Domain, ...]
    conditioned: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Channel, (self.relation, self.domains, self.conditioned)

    @property
    def name(self) -> str:
        return self.relation.name

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Results that later layers compute once for a channel, by name; they are not pickled."""
        return {}

    @cached_property
    def values(self) -> list[tuple[Any, ...]]:
        """The values of each entry."""
        return [variable.values for variable in self.relation.inputs]

    @cached_property
    def space(self) -> InputSpace:
        """The inputs as users write them and as positions."""
        return InputSpace(self.domains)

    @property
    def sizes(self) -> list[int]:
        """The number of values of each entry."""
        return [len(variable.values) for variable in self.relation.inputs]

    @property
    def reading_order(self) -> list[int]:
        """The entries in the order in which the relation reads them; those that it never reads come last."""
        order = [level.index for level in self.relation.arrays.levels if level.kind == "input"]
        read = set(order)
        return order + [entry for entry in range(len(self.relation.inputs)) if entry not in read]

    def in_positions(self) -> Channel:
        """Return the same channel with positions for values: entries are numbers, and nothing is the user's own."""
        return Channel(
            self.relation.in_positions(), tuple(integer(0, size - 1) for size in self.sizes), self.conditioned
        )

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return math.prod(map(len, self.values))

    @property
    def outputs(self) -> int:
        """The number of combinations of output variables; not all need be possible."""
        return math.prod(len(output.values) for output in self.relation.outputs)

    @property
    def exact(self) -> bool:
        """True if all weights are rational, so that probabilities are Fractions and not Balls."""
        return self.relation.exact

    def reweighted(self, coins: Sequence[CoinVariable]) -> Channel:
        """Return the same channel with other weights of its coins; nothing is compiled.

        Raises:
            InvalidInput: the coins are not those of the channel: their number or their outcomes differ.
        """
        return replace(self, relation=self.relation.reweighted(coins))

    # -- inputs and outputs, as users write them and as positions ---------------------------------------------------

    def entries(self, x: Any) -> tuple[Any, ...]:
        """Return the entries of all databases of x, one after the other, or a refusal."""
        return self.space.entries(x)

    def database(self, entries: Sequence[Any]) -> Any:
        """Return the input with these entries: the inverse of ``entries``."""
        return self.space.database(entries)

    def x(self, positions: Sequence[int]) -> Any:
        """Return the input at these positions among the values of its entries."""
        return self.space.at(positions)

    def y(self, positions: Sequence[int]) -> Any:
        """Return the output at these positions."""
        return self.relation.decode(positions)

    def positions(self, x: Any) -> list[int]:
        """Return the entries of x as positions among their values: the inverse of ``x``."""
        return [places[entry] for places, entry in zip(self._places, self.entries(x), strict=True)]

    @cached_property
    def _places(self) -> list[dict[Any, int]]:
        known: dict[tuple[Any, ...], dict[Any, int]] = {}
        return [
            known.setdefault(values, {value: place for place, value in enumerate(values)}) for values in self.values
        ]

    # -- probabilities ------------------------------------------------------------------------------------------------

    def distribution(self, x: Any, semiring: str = "auto", max_outcomes: int = Options.max_outcomes) -> dict[Any, Any]:
        """Return the outputs of positive probability on input x, given the evidence."""
        shares = self.masses_at(x, semiring, max_outcomes)
        if not self.conditioned:
            return shares
        evidence = sum(shares.values())
        if not evidence:
            raise self.impossible(x)
        return {y: mass / evidence for y, mass in shares.items()}

    def masses_at(self, x: Any, semiring: str, max_outcomes: int) -> dict[Any, Any]:
        """Return the outputs of positive probability on input x, together with the evidence."""
        chosen = self._semiring(semiring)
        with collector_paused():
            masses = distribution(self.relation, self.positions(x), chosen, max_outcomes)
        require_total(self.name, masses.values(), conditioned=self.conditioned)
        return {self.y(positions): mass for positions, mass in masses.items()}

    def probability(self, x: Any, y: Any) -> Any:
        """Return P(y | x), given the evidence."""
        inputs, outputs = self.positions(x), self.relation.encode(as_tuples(y))
        evidence = self.evidence(x) if self.conditioned else 1
        return self.zero if outputs is None else self._mass(inputs, outputs) / evidence

    def evidence(self, x: Any) -> Any:
        """Return the mass of all outputs on input x; refused if it is 0."""
        evidence = self._mass(self.positions(x))
        if not evidence:
            raise self.impossible(x)
        return evidence

    def _mass(self, inputs: Sequence[int], outputs: Sequence[int] | None = None) -> Any:
        semiring = self._semiring("auto")
        return fold(self.relation.arrays, rows_of(self.relation, semiring, inputs, outputs), semiring)

    def sample(self, x: Any, count: int, seed: int | None) -> list[Any]:
        """Return ``count`` independent outputs on input x."""
        if self.conditioned:
            self.evidence(x)
        drawn = sample_outputs(self.relation, self.positions(x), count, random.Random(seed), rational=self.exact)
        return [self.y(positions) for positions in drawn]

    def probabilities(self, pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
        """Return P(y | x) for many pairs (x, y), exactly: the paper's Algorithm 1."""
        if not pairs:
            return []
        inputs, codes, outputs = self._coded(pairs)
        masses = self.masses(inputs, outputs)
        return [mass * (code is not None) for mass, code in zip(masses, codes, strict=True)]

    def masses(self, inputs: npt.NDArray[np.int64], outputs: npt.NDArray[np.int64]) -> list[Any]:
        """Return P(y | x) for many pairs, given by one row of positions per input and per output."""
        with collector_paused():
            masses = pair_probabilities(self.relation, inputs, outputs)
            if not self.conditioned:
                return masses
            evidence = self.require_evidence(inputs)
            return [mass / share for mass, share in zip(masses, evidence, strict=True)]

    def require_evidence(self, inputs: npt.NDArray[np.int64]) -> list[Any]:
        """Return the masses of all outputs at some inputs, given as rows of positions; refused if one of them is 0."""
        evidence = pair_probabilities(self.relation, inputs, None)
        for row, share in zip(inputs, evidence, strict=True):
            if not share:
                raise self.impossible(self.x(row.tolist()))
        return evidence

    def batch(self, pairs: Sequence[tuple[Any, Any]]) -> npt.NDArray[np.float64]:
        """Return P(y | x) for many pairs (x, y) in float64."""
        inputs, codes, outputs = self._coded(pairs)
        masses = evaluate_batch(self.relation, inputs, outputs)
        masses[[place for place, code in enumerate(codes) if code is None]] = 0.0
        return masses / evaluate_batch(self.relation, inputs) if self.conditioned else masses

    # -- everything at once -------------------------------------------------------------------------------------------

    def tables(
        self, max_beliefs: int, fixed: Mapping[int, int] | None = None
    ) -> Iterator[tuple[dict[int, int], ExactTable]]:
        """Yield all probabilities, in tables of bounded size: each with the outputs that are fixed in it.

        ``fixed`` leaves out all outputs but those with the given values of some output variables.
        """
        if self.inputs > _MOST_INPUTS:
            raise TooLarge(
                f"'{self.name}' has {large(self.inputs)} inputs, too many to look at all (at most {_MOST_INPUTS}).",
                value=self.inputs,
            )
        given = dict(fixed or {})
        sizes = {place: len(o.values) for place, o in enumerate(self.relation.outputs) if place not in given}
        spread: list[int] = []
        cells = self.inputs * math.prod(sizes.values())
        while cells > _CELLS and len(spread) < len(sizes):
            spread.append(list(sizes)[len(spread)])
            cells //= sizes[spread[-1]]
        evidence = self.evidence_table(max_beliefs) if self.conditioned else None
        for chosen in np.ndindex(*[sizes[place] for place in spread]):
            outputs = given | dict(zip(spread, chosen, strict=True))
            table = exact_table(self.relation, max_beliefs, outputs)
            yield outputs, table if evidence is None else conditioned_table(table, evidence)

    def evidence_table(self, max_beliefs: int) -> ExactTable:
        """Return the mass of all outputs for every input; a mechanism that has none for some input is refused."""
        evidence = exact_table(self.relation, max_beliefs, sum_outputs=True)
        impossible = [place for place, value in enumerate(evidence.values) if value == 0]
        if impossible and np.any(evidence.numbers == impossible[0]):
            raise self.impossible(self.x(np.argwhere(evidence.numbers == impossible[0])[0].tolist()))
        return evidence

    def impossible(self, x: Any) -> ImpossibleEvidence:
        """Return the error for an input at which the evidence has probability 0."""
        return impossible_evidence(self.name, x)

    @property
    def zero(self) -> Any:
        """Probability zero in the arithmetic of this channel."""
        return Fraction(0) if self.exact else Ball(0)

    def _coded(
        self, pairs: Sequence[tuple[Any, Any]]
    ) -> tuple[npt.NDArray[np.int64], list[list[int] | None], npt.NDArray[np.int64]]:
        """Return pairs as rows of positions; an impossible output has the code None, and its row is unused."""
        inputs = np.array([self.positions(x) for x, _ in pairs], dtype=np.int64).reshape(len(pairs), -1)
        codes = [self.relation.encode(as_tuples(y)) for _, y in pairs]
        blank = [0] * len(self.relation.outputs)
        outputs = np.array([code or blank for code in codes], dtype=np.int64).reshape(len(pairs), -1)
        return inputs, codes, outputs

    def _semiring(self, name: str) -> Semiring[Any]:
        if name == "auto":
            return semiring_of(self.relation)
        if name not in _SEMIRINGS:
            raise InvalidInput(f"semiring must be one of auto, {', '.join(_SEMIRINGS)}; got {name!r}.", value=name)
        return _SEMIRINGS[name]
