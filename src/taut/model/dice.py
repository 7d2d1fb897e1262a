"""Models of programs and functions written in the language of Dice."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from taut.channel import distribution
from taut.compile import Oracle, compile_program
from taut.compile.binary import binary_size
from taut.errors import DiceError, DiceWarning, ImpossibleEvidence, InvalidInput
from taut.frontend.dice import DiceFile, Lowered, Observation, order_key, read_dice, read_text, text_of, value_of
from taut.frontend.python.adopted import reading_of
from taut.frontend.python.trace import Reading
from taut.garbage import collector_paused
from taut.ir import Program
from taut.model.base import limited
from taut.model.model import Model
from taut.options import active, working
from taut.semiring import EXACT

__all__ = ["DiceModel", "Joint", "dice", "model_of", "open_dice"]

_TRIED = 200
"""How many observations are looked at one by one when all of them together are impossible."""


@dataclass(frozen=True)
class Joint:
    """The answer to a Dice program: its distribution in Dice's order, and the probability of its evidence.

    ``lost`` is the probability of the runs that pass the recursion limit, which Dice conditions away.
    """

    distribution: dict[Any, Fraction]
    evidence: Fraction
    lost: Fraction


class DiceModel(Model):
    """A Dice program (without inputs), or one function of it on domains."""

    def __init__(
        self,
        file: DiceFile,
        lowered: Lowered,
        function: str | None = None,
        given: Mapping[str, Any] | None = None,
        fixed: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(lowered.program, _reading(lowered) if lowered.program.inputs else None)
        self.file = file
        self.lowered = lowered
        self.called = function
        self.arguments = dict(given or {})
        self._fixed = fixed

    def fix(self, x: Any) -> Self:
        program = self.program.fix(x)
        lowered = replace(self.lowered, program=program)
        return self._with_settings(type(self)(self.file, lowered, self.called, self.arguments, (x,)))

    @limited
    def joint(self) -> Joint:
        """The distribution of a program without inputs, with the probability of its evidence.

        Raises:
            ImpossibleEvidence: no run satisfies all that the program observes, at the first place where that shows.
            TooLarge: there are more than ``max_outcomes`` values.
        """
        masses = self._slot_masses() if self.lowered.wide and not self._fixed else self._joint_masses(self.program)
        evidence = sum(masses.values(), start=Fraction(0))
        if not evidence:
            raise self._impossible(())
        result = self.lowered.result
        ordered = sorted(masses, key=functools.partial(order_key, result))
        return Joint({value: masses[value] / evidence for value in ordered}, evidence, self.lost_mass)

    @functools.cached_property
    @limited
    def lost_mass(self) -> Fraction:
        """The probability that a run passes the recursion limit, all that the program observes being true."""
        if self.lowered.lost is self.lowered.program.terms.false:
            return Fraction(0)
        event = replace(self.program, output=self.lowered.lost, evidence=self.lowered.observed)
        return self._joint_masses(event).get(True, Fraction(0))

    @functools.cached_property
    @limited
    def bdd_size(self) -> int:
        """The number of nodes of Dice's own diagram: its flips, in its order, below all bits of result and evidence."""
        if self.program.inputs:
            raise InvalidInput(
                f"'{self.name}' still has inputs; bdd_size is for one input, as in model.fix(x).bdd_size.", value=self
            )
        sized = self.file.lower(self.called, self.arguments, as_dice=True)
        program = replace(sized.program, output=sized.program.terms.tuple(sized.parts))
        if self._fixed:
            program = program.fix(self._fixed[0])
        return binary_size(program, self.options, sized.widths)

    def text(self, value: Any) -> str:
        """A value of the result as Dice prints it."""
        return text_of(self.lowered.result, value)

    @limited
    def check_recursion(self, strict: bool) -> None:
        """Warn, or refuse, if some run passes the recursion limit."""
        terms = self.lowered.program.terms
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
        warnings.warn(f"{place}: {reason}; they do not count, as in Dice.", DiceWarning, stacklevel=4)

    def _slot_masses(self) -> dict[Any, Fraction]:
        """What each output weighs, found with an output variable for each bit of wide integers."""
        flat = replace(self.program, output=self.program.terms.tuple(self.lowered.parts))
        masses: dict[Any, Fraction] = {}
        for slots, mass in self._joint_masses(flat).items():
            value = value_of(self.lowered.result, slots)
            masses[value] = masses.get(value, 0) + mass
        return masses

    def _joint_masses(self, program: Program) -> dict[Any, Fraction]:
        """What each output weighs, not divided by the evidence."""
        relation = self.relation if program is self.program else compile_program(program, self.options)
        with collector_paused():
            masses = distribution(relation, [], EXACT, self.options.max_outcomes)
        return {relation.decode(positions): mass for positions, mass in masses.items()}

    def _oracle(self) -> Oracle:
        program = self.lowered.program
        return Oracle(list(program.inputs), list(program.coins), self.options.max_nodes)

    def _impossible(self, x: Any) -> ImpossibleEvidence:
        """The error at the first observation that, with all before it, no run satisfies."""
        if self.program.inputs or self._fixed:
            return super()._impossible(x)
        first = self._first_impossible()
        if first.what == "the recursion limit":
            reason = f"every run passes the recursion limit of {self.file.recursion_limit}; raise it."
        elif first.what == "observe":
            reason = "no run satisfies what is observed up to here, so there is no distribution."
        else:
            reason = f"in every run '{first.what}' meets an empty list, so there is no distribution."
        return self.file.source.error(ImpossibleEvidence, first.at, reason)

    def _first_impossible(self) -> Observation:
        """The first observation that cannot hold together with those before; the last one, if that is hard to tell."""
        terms, oracle = self.program.terms, self._oracle()
        held = terms.true
        for observation in self.lowered.observations[:_TRIED]:
            held = terms.all(held, terms.any(terms.negate(observation.path), observation.event))
            if oracle.surely_impossible(held):
                return observation
        return self.lowered.observations[-1]


def dice(
    source: str | os.PathLike[str],
    *,
    function: str | None = None,
    inputs: Mapping[str, Any] | None = None,
    recursion_limit: int = 10,
    max_list_length: int | None = None,
    strict: bool = False,
) -> DiceModel:
    """A model of a program in the language of Dice, or of one of its functions.

    ``source`` is the path of a file, or the program itself: a text that has several lines or does not end in .dice.
    ``inputs`` gives each parameter of ``function`` a domain, or a value that is the same for all databases. What Dice
    does quietly is a DiceWarning, or with ``strict`` an error: weights that only nearly sum to 1, runs beyond the
    recursion limit.

    >>> dice("let a = flip 0.3 in let b = flip 0.8 in let seen = observe a || b in a").distribution()
    {False: Fraction(28, 43), True: Fraction(15, 43)}
    >>> from taut import bits
    >>> text = "fun rr(x: (bool, bool)) { ((fst x) ^ flip 1/5, (snd x) ^ flip 1/5) }"
    >>> dice(text, function="rr", inputs={"x": bits(2)}).privacy().max_ratio
    Fraction(4, 1)
    """
    with working():
        file = open_dice(source, recursion_limit=recursion_limit, max_list_length=max_list_length, strict=strict)
        return model_of(file, function, inputs, strict)


def model_of(
    file: DiceFile, function: str | None = None, inputs: Mapping[str, Any] | None = None, strict: bool = False
) -> DiceModel:
    """A model of a file that has been read; what deserves a warning is one."""
    for text in file.warnings:
        warnings.warn(text, DiceWarning, stacklevel=3)
    with working():
        model = DiceModel(file, file.lower(function, inputs), function, inputs)
        model.check_recursion(strict)
    return model


def open_dice(source: str | os.PathLike[str], **limits: Any) -> DiceFile:
    """Read and check a program, given as a path or as text."""
    if isinstance(source, str) and ("\n" in source or not source.endswith(".dice")):
        return read_dice(source, "dice", **limits)
    if not isinstance(source, (str, os.PathLike)):
        raise InvalidInput(f"expected the path of a Dice file, or its text; got {source!r}.", value=source)
    return read_dice(read_text(source), os.fspath(source), **limits)


def _reading(lowered: Lowered) -> Reading:
    """The program as one from which more terms can be made: targets and distances written in Python."""
    limits = active()

    def ask(inputs: Any, coins: Any) -> Oracle:
        return Oracle(inputs, coins, limits.max_nodes)

    databases = lowered.databases
    return reading_of(lowered.program, databases[0] if len(databases) == 1 else databases, ask, limits)
