"""A Dice program and its joint distribution: all that ``taut run`` needs, without the modules for bounds of mechanisms.

The modules for diagrams take longer to load than most programs to run, and are loaded only if needed.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.inference.elimination.masses import ByTables
from taut.inference.engine import ByRelation, InferenceQuery, weighed
from taut.languages.dice import DiceFile, Lowered, Observation, order_key, read_dice, read_text, text_of, value_of
from taut.program import Program
from taut.support.errors import DiceError, DiceWarning, ImpossibleEvidence, InvalidInput
from taut.support.options import Options
from taut.support.process import cached_property

if TYPE_CHECKING:
    from taut.diagrams.compile import Oracle, Relation
    from taut.inference.channel import Channel

__all__ = ["DiceProgram", "Joint", "open_dice"]

_TRIED = 200
"""Number of observations that are tried one by one when all of them together are impossible."""


@dataclass(frozen=True)
class Joint:
    """The answer to a Dice program: its distribution in Dice's order, and the probability of its evidence.

    ``lost`` is the probability of the runs that pass the recursion limit, which Dice conditions away.
    """

    distribution: dict[Any, Fraction]
    evidence: Fraction
    lost: Fraction


class DiceProgram:
    """A program without inputs, read and lowered; ``compiled`` makes the relation of a program where one is needed."""

    def __init__(
        self,
        file: DiceFile,
        lowered: Lowered,
        options: Options,
        compiled: Callable[[Program, Options], Relation] | None = None,
    ) -> None:
        self.file = file
        self.lowered = lowered
        self.options = options
        self._compiled = compiled or _compiled

    @property
    def program(self) -> Program:
        return self.lowered.program

    def joint(self, *, by_slots: bool = True) -> Joint:
        """Return the distribution with the probability of the evidence.

        With ``by_slots``, wide integers are found bit by bit.

        Raises:
            ImpossibleEvidence: no run satisfies all that the program observes, at the first place where that shows.
            TooLarge: there are more than ``max_outcomes`` values.
        """
        masses = self._slot_masses() if by_slots and self.lowered.wide else self._masses(self.program)
        evidence = sum(masses.values(), start=Fraction(0))
        if not evidence:
            raise self.impossible()
        ordered = sorted(masses, key=functools.partial(order_key, self.lowered.result))
        return Joint({value: masses[value] / evidence for value in ordered}, evidence, self.lost_mass)

    def without_table(self) -> Joint:
        """Return the probabilities of the evidence and of lost runs alone, however many values the result can have.

        Raises:
            ImpossibleEvidence: no run satisfies all that the program observes, at the first place where that shows.
        """
        evidence = sum(self._masses(replace(self.program, output=self.program.terms.true)).values(), start=Fraction(0))
        if not evidence:
            raise self.impossible()
        return Joint({}, evidence, self.lost_mass)

    @cached_property
    def lost_mass(self) -> Fraction:
        """Return the probability, given the evidence, that a run passes the recursion limit."""
        if self.lowered.lost is self.program.terms.false:
            return Fraction(0)
        event = replace(self.program, output=self.lowered.lost, evidence=self.lowered.observed)
        return self._masses(event).get(True, Fraction(0))

    def bdd_size(self, function: str | None = None, arguments: Mapping[str, Any] | None = None, *fixed: Any) -> int:
        """Count the nodes of Dice's diagram: its flips in its order, for all bits of result and evidence."""
        from taut.diagrams.compile.binary import binary_size

        sized = self.file.lower(function, arguments, as_dice=True)
        program = replace(sized.program, output=sized.program.terms.tuple(sized.parts))
        for x in fixed:
            program = program.fix(x)
        return binary_size(program, self.options, sized.widths)

    def text(self, value: Any) -> str:
        """Return a value of the result as Dice prints it."""
        return text_of(self.lowered.result, value)

    def check_recursion(self, strict: bool) -> None:
        """Warn, or refuse, if some run passes the recursion limit."""
        terms = self.program.terms
        event = terms.all(self.lowered.lost, self.lowered.observed)
        if event is terms.false:
            return
        if not (self._oracle().possible(event) if self.program.inputs else self.lost_mass):
            return
        where = next(seen for seen in self.lowered.observations if seen.event is terms.false)
        reason = f"some runs pass the recursion limit of {self.file.recursion_limit}"
        if strict:
            raise self.file.source.error(DiceError, where.at, f"{reason}; raise it, or bound the recursion.")
        place = self.file.source.place(where.at)
        warnings.warn(f"{place}: {reason}; they do not count, as in Dice.", DiceWarning, stacklevel=5)

    def impossible(self) -> ImpossibleEvidence:
        """Return the error at the first observation that, with all before it, no run satisfies."""
        first = self._first_impossible()
        if first.what == "the recursion limit":
            reason = f"every run passes the recursion limit of {self.file.recursion_limit}; raise it."
        elif first.what == "observe":
            reason = "no run satisfies what is observed up to here, so there is no distribution."
        else:
            reason = f"in every run '{first.what}' meets an empty list, so there is no distribution."
        return self.file.source.error(ImpossibleEvidence, first.at, reason)

    def _slot_masses(self) -> dict[Any, Fraction]:
        """Return the mass of each output, with an output variable for each bit of wide integers."""
        flat = replace(self.program, output=self.program.terms.tuple(self.lowered.parts))
        masses: dict[Any, Fraction] = {}
        for slots, mass in self._masses(flat).items():
            value = value_of(self.lowered.result, slots)
            masses[value] = masses.get(value, 0) + mass
        return masses

    def _masses(self, program: Program) -> dict[Any, Fraction]:
        """Return the mass of each output, not divided by the evidence."""

        def channel(nodes: int | None) -> tuple[Channel, Any]:
            from taut.inference.channel import Channel

            limited = self.options if nodes is None else replace(self.options, max_nodes=nodes)
            return Channel(self._compiled(program, limited), program.domains, program.conditioned), ()

        asked = InferenceQuery(program.name, (), program, self.options, channel, semiring="exact")
        return weighed(asked, (ByRelation(), ByTables())).masses

    def _oracle(self) -> Oracle:
        from taut.diagrams.compile import Oracle

        return Oracle(list(self.program.inputs), list(self.program.coins), self.options.max_nodes)

    def _first_impossible(self) -> Observation:
        """Return the first observation that contradicts those before it, or the last one if that is not found."""
        terms, oracle = self.program.terms, self._oracle()
        held = terms.true
        for observation in self.lowered.observations[:_TRIED]:
            held = terms.all(held, terms.any(terms.negate(observation.path), observation.event))
            if oracle.surely_impossible(held):
                return observation
        return self.lowered.observations[-1]


def _compiled(program: Program, options: Options) -> Relation:
    from taut.diagrams.compile import compile_program

    return compile_program(program, options)


def open_dice(source: str | os.PathLike[str], **limits: Any) -> DiceFile:
    """Read and check a program, given as a path or as text."""
    if isinstance(source, str) and ("\n" in source or not source.endswith(".dice")):
        return read_dice(source, "dice", **limits)
    if not isinstance(source, (str, os.PathLike)):
        raise InvalidInput(f"expected the path of a Dice file, or its text; got {source!r}.", value=source)
    return read_dice(read_text(source), os.fspath(source), **limits)
