"""What can be asked of a mechanism's probabilities: distributions, single ones, many at once, samples, drawings."""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np

from taut.channel import (
    ProbabilityMatrix,
    distribution,
    evaluate_batch,
    fold,
    pair_probabilities,
    rows_of,
    sample_outputs,
)
from taut.compile import Relation, compile_program
from taut.compile.binary import binary_size
from taut.domains import as_tuples
from taut.errors import ImpossibleEvidence, InvalidInput
from taut.garbage import collector_paused
from taut.ir import Program
from taut.numbers import Ball
from taut.options import Options, active, explicit
from taut.semiring import BALL, EXACT, FLOAT64, Semiring

__all__ = ["InferenceModel"]

_SEMIRINGS: dict[str, Semiring[Any]] = {"exact": EXACT, "float64": FLOAT64, "ball": BALL}


class InferenceModel:
    """A mechanism on a domain.

    The relation is compiled when it is first needed, with the limits in force when the model was made. Questions about
    a single input are answered from a diagram for that input alone, which is much smaller; questions about many inputs
    from the one relation with inputs left free.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._settings = dict(explicit())
        self._relation: Relation | None = None

    def __repr__(self) -> str:
        domains = ", ".join(str(domain) for domain in self.program.domains)
        return f"<Model {self.program.name}({domains}), {len(self.program.coins)} coins>"

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def domain(self) -> Any:
        """The domain of the database; a tuple of domains if there are several."""
        return self.program.domains[0] if len(self.program.domains) == 1 else self.program.domains

    @property
    def options(self) -> Options:
        return active(self._settings)

    @property
    def relation(self) -> Relation:
        """The compiled relation G(x, coins, y), inputs left free."""
        if self._relation is None:
            self._relation = compile_program(self.program, self.options)
        return self._relation

    @property
    def size(self) -> int:
        """The number of nodes of the relation, its two leaves included."""
        return self.relation.arrays.size

    @property
    def exact(self) -> bool:
        """Whether all weights are rational, so that answers are Fractions and not Balls."""
        return not any(isinstance(weight, Ball) for coin in self.program.coins for weight in coin.weights)

    # -- one input -----------------------------------------------------------------------------------------------

    def fix(self, x: Any) -> Self:
        """The model for one input only: no inputs are left, so queries take the empty database ()."""
        fixed = type(self)(self.program.fix(x))
        fixed._settings = {**self._settings, **explicit()}
        return fixed

    @functools.cached_property
    def bdd_size(self) -> int:
        """The number of binary nodes as Dice counts them, for a model without inputs (``model.fix(x)``)."""
        if self.program.inputs:
            raise InvalidInput(
                f"'{self.name}' still has inputs; bdd_size is for one input, as in model.fix(x).bdd_size.", value=self
            )
        return binary_size(self.program, self.options)

    def distribution(self, x: Any = (), semiring: str = "auto") -> dict[Any, Any]:
        """The distribution of the output on input x: exact Fractions (Balls, where exp occurs), given the evidence.

        ``semiring`` may be 'float64' for speed. Outputs of probability 0 are not listed.

        Raises:
            ImpossibleEvidence: what the mechanism observes has probability 0 at x.
            TooLarge: there are more than ``max_outcomes`` outputs.
        """
        relation, inputs = self._for_input(x)
        chosen = self._semiring(semiring)
        with collector_paused():
            masses = distribution(relation, inputs, chosen, self.options.max_outcomes)
        found: dict[Any, Any] = {}
        for positions, mass in masses.items():
            found[relation.decode(positions)] = mass
        evidence = self._evidence(relation, inputs, chosen, x, found)
        return found if evidence is None else {y: mass / evidence for y, mass in found.items()}

    def probability(self, x: Any, y: Any) -> Any:
        """P(A(x) = y), given the evidence; 0 for what the mechanism can never return."""
        return self._probability(*self._for_input(x), x, y)

    def sample(self, x: Any = (), count: int = 1, seed: int | None = None) -> list[Any]:
        """``count`` independent outputs on input x; the same seed gives the same outputs."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise InvalidInput(f"sample: count must be a whole number, 0 or more; got {count!r}.", value=count)
        relation, inputs = self._for_input(x)
        self._evidence(relation, inputs, self._semiring("auto"), x)
        drawn = sample_outputs(relation, inputs, count, random.Random(seed), rational=self.exact)
        return [relation.decode(positions) for positions in drawn]

    # -- many inputs ---------------------------------------------------------------------------------------------

    def inference(self, pairs: Iterable[tuple[Any, Any]]) -> ProbabilityMatrix:
        """The probabilities of the given pairs (x, y): the paper's Algorithm 1, on the one relation."""
        if not isinstance(pairs, Iterable):
            raise InvalidInput(f"inference: expected pairs (x, y); got {pairs!r}.", value=pairs)
        asked = [_pair(pair) for pair in pairs]
        return ProbabilityMatrix(dict(zip(asked, self._probabilities(asked), strict=True)))

    def batch(self, pairs: Sequence[tuple[Any, Any]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The probabilities of many pairs (x, y) in float64, evaluated together; a few ulp a level off."""
        if not pairs:
            return np.zeros(0)
        relation = self.relation
        inputs = np.array([self._positions(x) for x, _ in pairs], dtype=np.int64).reshape(len(pairs), -1)
        codes = [relation.encode(as_tuples(y)) for _, y in pairs]
        width = len(relation.outputs)
        outputs = np.array([[0] * width if code is None else code for code in codes], dtype=np.int64)
        masses = evaluate_batch(relation, inputs, outputs.reshape(len(pairs), width))
        masses[[place for place, code in enumerate(codes) if code is None]] = 0.0
        return masses / evaluate_batch(relation, inputs) if self._conditioned else masses

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the relation into a file: .svg, .png or .pdf as a picture, .dot as text."""
        from taut.diagram.drawing import LevelLabel, draw  # Matplotlib takes a second to import

        relation = self.relation
        labels = []
        for level in relation.arrays.levels:
            if level.kind == "input":
                variable = relation.inputs[level.index]
                labels.append(LevelLabel(variable.name, tuple(map(str, variable.values)), None))
            elif level.kind == "coin":
                coin = relation.coins[level.index]
                labels.append(LevelLabel(coin.name, tuple(map(str, coin.outcomes)), tuple(map(str, coin.weights))))
            else:
                output = relation.outputs[level.index]
                labels.append(LevelLabel(output.name, tuple(map(str, output.values)), None))
        draw(relation.arrays, labels, path, title=self.name)

    # -- inside --------------------------------------------------------------------------------------------------

    @property
    def _conditioned(self) -> bool:
        return self.program.evidence is not self.program.terms.true

    def _semiring(self, name: str) -> Semiring[Any]:
        if name == "auto":
            return EXACT if self.exact else BALL
        if name not in _SEMIRINGS:
            raise InvalidInput(f"semiring must be one of auto, {', '.join(_SEMIRINGS)}; got {name!r}.", value=name)
        return _SEMIRINGS[name]

    def _positions(self, x: Any) -> list[int]:
        """The entries of x as positions within the inputs' values."""
        entries = self.program.entries(x)
        return [place[entry] for place, entry in zip(self._places, entries, strict=True)]

    @functools.cached_property
    def _places(self) -> list[dict[Any, int]]:
        """Where each value of an input stands among its values."""
        known: dict[tuple[Any, ...], dict[Any, int]] = {}
        return [
            known.setdefault(variable.values, {value: place for place, value in enumerate(variable.values)})
            for variable in self.program.inputs
        ]

    def _for_input(self, x: Any) -> tuple[Relation, list[int]]:
        """A relation that answers questions about x, and the positions at which it does."""
        positions = self._positions(x)
        if self._relation is not None or not self.program.inputs:
            return self.relation, positions
        return self.fix(x).relation, []

    def _probabilities(self, pairs: Sequence[tuple[Any, Any]]) -> list[Any]:
        """The exact probabilities of many pairs, on the one relation."""
        if not pairs:
            return []
        relation = self.relation
        inputs = np.array([self._positions(x) for x, _ in pairs], dtype=np.int64).reshape(len(pairs), -1)
        codes = [relation.encode(y) for _, y in pairs]
        blank = [0] * len(relation.outputs)
        outputs = np.array([code or blank for code in codes], dtype=np.int64).reshape(len(pairs), -1)
        with collector_paused():
            masses = pair_probabilities(relation, inputs, outputs)
            evidence = pair_probabilities(relation, inputs, None) if self._conditioned else [1] * len(pairs)
        for (x, _), share in zip(pairs, evidence, strict=True):
            if not share:
                raise self._impossible(x)
        return [
            mass / share if code is not None else mass * 0
            for mass, share, code in zip(masses, evidence, codes, strict=True)
        ]

    def _impossible(self, x: Any) -> ImpossibleEvidence:
        return ImpossibleEvidence(
            f"'{self.name}': what it observes has probability 0 at x={x!r}, so it has no distribution there.", value=x
        )

    def _probability(self, relation: Relation, inputs: list[int], x: Any, y: Any) -> Any:
        semiring = self._semiring("auto")
        evidence = self._evidence(relation, inputs, semiring, x)
        outputs = relation.encode(as_tuples(y))
        if outputs is None:
            return Fraction(0) if self.exact else Ball(0)
        mass = fold(relation.arrays, rows_of(relation, semiring, inputs, outputs), semiring)
        return mass if evidence is None else mass / evidence

    def _evidence(
        self,
        relation: Relation,
        inputs: list[int],
        semiring: Semiring[Any],
        x: Any,
        masses: Mapping[Any, Any] | None = None,
    ) -> Any:
        """The probability of the evidence at x, None if nothing is observed."""
        if not self._conditioned:
            return None
        if masses is None:
            evidence = fold(relation.arrays, rows_of(relation, semiring, inputs), semiring)
        else:
            evidence = sum(masses.values())
        if not evidence:
            raise self._impossible(x)
        return evidence


def _pair(pair: Any) -> tuple[Any, Any]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise InvalidInput(f"inference: expected pairs (x, y); got {pair!r}.", value=pair)
    return as_tuples(pair[0]), as_tuples(pair[1])
