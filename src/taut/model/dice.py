"""Dice programs, and functions of Dice files, as models and mechanisms."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Self

from taut.diagrams.compile import Oracle, Relation, compile_program
from taut.inference.channel import Channel
from taut.inference.elimination.masses import ByTables
from taut.inference.engine import ByRelation
from taut.inference.sums import BySumOfParts
from taut.languages.dice import DiceFile, Lowered
from taut.languages.python.reading import Reading, reading_of
from taut.model.base import limited
from taut.model.decorators import Mechanism
from taut.model.dice_program import DiceProgram, Joint, open_dice
from taut.model.model import Model
from taut.program import Program
from taut.support.errors import DiceWarning, ImpossibleEvidence, InvalidInput
from taut.support.options import Options, active, worked
from taut.support.process import cached_property

__all__ = ["DiceMechanism", "DiceModel", "Joint", "dice", "load_dice", "model_of", "open_dice"]


class DiceModel(Model):
    """A Dice program (without inputs), or one function of it on domains."""

    _engines = (BySumOfParts(), ByRelation(), ByTables())

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
        """Return the distribution of a program without inputs, with the probability of its evidence.

        Raises:
            ImpossibleEvidence: no run satisfies all that the program observes, at the first place where that shows.
            TooLarge: there are more than ``max_outcomes`` values.
        """
        return self._whole.joint(by_slots=not self._fixed)

    @cached_property
    @limited
    def lost_mass(self) -> Fraction:
        """Return the probability, given the evidence, that a run passes the recursion limit."""
        return self._whole.lost_mass

    @cached_property
    @limited
    def bdd_size(self) -> int:
        """Count the nodes of Dice's diagram: its flips in its order, for all bits of result and evidence."""
        if self.program.inputs:
            raise InvalidInput(
                f"'{self.name}' still has inputs; bdd_size is for one input, as in model.fix(x).bdd_size.", value=self
            )
        return self._whole.bdd_size(self.called, self.arguments, *self._fixed)

    def text(self, value: Any) -> str:
        """Return a value of the result as Dice prints it."""
        return self._whole.text(value)

    @limited
    def check_recursion(self, strict: bool) -> None:
        """Warn, or refuse, if some run passes the recursion limit."""
        self._whole.check_recursion(strict)

    @property
    def _whole(self) -> DiceProgram:
        return DiceProgram(self.file, self.lowered, self.options, self._relation_of)

    def _relation_of(self, program: Program, options: Options) -> Relation:
        if program is not self.program:
            return compile_program(program, options)
        if self._channel is None:
            self._channel = Channel(self._compile(program, options), program.domains, program.conditioned)
        return self._channel.relation

    def _impossible(self, x: Any) -> ImpossibleEvidence:
        if self.program.inputs or self._fixed:
            return super()._impossible(x)
        return self._whole.impossible()


def dice(
    source: str | os.PathLike[str],
    *,
    function: str | None = None,
    inputs: Mapping[str, Any] | None = None,
    recursion_limit: int = 10,
    max_list_length: int | None = None,
    strict: bool = False,
) -> DiceModel:
    """Return a model of a program in the language of Dice, or of one of its functions.

    ``source`` is the path of a file, or the program itself: a text that has several lines or does not end in .dice.
    ``inputs`` gives each parameter of ``function`` a domain, or a value that is the same for all databases. Each of the
    following, which Dice does quietly, gives a DiceWarning, or with ``strict`` an error: weights that only nearly sum
    to 1, runs beyond the recursion limit.

    >>> dice("let a = flip 0.3 in let b = flip 0.8 in let seen = observe a || b in a").distribution()
    {False: Fraction(28, 43), True: Fraction(15, 43)}
    >>> from taut import bits
    >>> text = "fun rr(x: (bool, bool)) { ((fst x) ^ flip 1/5, (snd x) ^ flip 1/5) }"
    >>> dice(text, function="rr", inputs={"x": bits(2)}).privacy().max_ratio
    Fraction(4, 1)
    """
    file = worked(
        lambda: open_dice(source, recursion_limit=recursion_limit, max_list_length=max_list_length, strict=strict)
    )
    return model_of(file, function, inputs, strict)


def model_of(
    file: DiceFile, function: str | None = None, inputs: Mapping[str, Any] | None = None, strict: bool = False
) -> DiceModel:
    """Return a model of a file that has been read; gives DiceWarning where needed."""
    for text in file.warnings:
        warnings.warn(text, DiceWarning, stacklevel=3)

    def work() -> DiceModel:
        model = DiceModel(file, file.lower(function, inputs), function, inputs)
        model.check_recursion(strict)
        return model

    return worked(work)


def _reading(lowered: Lowered) -> Reading:
    """Return the program as a Reading, to which targets and distances written in Python can be added."""
    limits = active()

    def ask(inputs: Any, coins: Any) -> Oracle:
        return Oracle(inputs, coins, limits.max_nodes)

    databases = lowered.databases
    return reading_of(lowered.program, databases[0] if len(databases) == 1 else databases, ask, limits)


class DiceMechanism(Mechanism):
    """A function of a Dice file, or its program; called with domains and values for the parameters it gives a model."""

    language = "dice"

    def __init__(self, path: str | os.PathLike[str], function: str | None) -> None:
        self.file = open_dice(PurePath(path))
        self._called = function
        parameters = [] if function is None else [p.name for p in self.file.function(function).parameters]

        def stand_in() -> None:
            """Carry the name, the parameters and the documentation of the function."""

        stand_in.__name__ = function or PurePath(path).stem
        stand_in.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in parameters]
        )
        stand_in.__doc__ = _comment(self.source)
        super().__init__(stand_in)

    def __call__(self, *args: Any, **keywords: Any) -> DiceModel:
        return model_of(self.file, self._called, keywords)

    @property
    def source(self) -> str:
        """The function's text, with the comment above it; the whole file for a program."""
        text = self.file.source.text
        if self._called is None:
            return text
        functions = self.file.file.functions
        starts = [_start(text, function.at) for function in functions]
        place = next(n for n, function in enumerate(functions) if function.name == self._called)
        end = starts[place + 1] if place + 1 < len(starts) else len(text)
        if place + 1 == len(starts) and self.file.file.main is not None:
            end = _start(text, self.file.file.main.at)
        return text[starts[place] : end].strip() + "\n"


def load_dice(target: str) -> DiceMechanism:
    """Return the mechanism that ``file.dice:function`` names, or the program of ``file.dice``."""
    path, _, function = target.partition(".dice")
    return DiceMechanism(f"{path}.dice", function.removeprefix(":") or None)


def _start(text: str, at: int) -> int:
    """Return the line at which the definition or expression at an offset starts, comment lines right above included."""
    start = text.rfind("\n", 0, at) + 1
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        if not text[above:start].lstrip().startswith("//"):
            break
        start = above
    return start


def _comment(source: str) -> str:
    """Return the comment at the start of a text."""
    lines = re.match(r"(?:[ \t]*//[^\n]*\n)*", source)
    return "\n".join(line.strip().lstrip("/").strip() for line in (lines[0] if lines else "").splitlines())
