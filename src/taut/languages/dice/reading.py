"""Reading of a Dice program: parse, check, and lower to terms on demand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.domains import Domain
from taut.languages.dice.arguments import Arguments
from taut.languages.dice.check import Checked, check
from taut.languages.dice.lower import Lowering, Observation, Value
from taut.languages.dice.parse import parse
from taut.languages.dice.syntax import File, Function
from taut.languages.dice.value_types import IntType, ListType, PairType, Type, Types, spine
from taut.languages.source_text import SourceText
from taut.program import Program, Term, Terms
from taut.support.errors import DiceSyntaxError, InvalidOption, TautError, TooLarge, WrongArguments, meant
from taut.support.process import collector_paused

__all__ = ["DiceFile", "Lowered", "read_dice"]

_DEEPEST = 100
_MOST_LIMIT = 10_000


@dataclass(frozen=True, eq=False)
class Lowered:
    """A lowered program with its Dice-specific data.

    ``lost`` is the event that a run passes the recursion limit (such runs are conditioned away, as in Dice), and
    ``observed`` that all of the program's own observations hold; the evidence is that and not lost. ``parts`` are the
    Booleans and integers that Dice keeps for the result, and ``widths`` their numbers of bits, 0 for a Boolean;
    ``wide`` tells whether some integer is kept bit by bit, as it has too many values.
    """

    program: Program
    result: Type
    lost: Term
    observed: Term
    observations: tuple[Observation, ...]
    databases: tuple[Any, ...]
    parts: tuple[Term, ...]
    widths: tuple[int, ...]
    wide: bool


@dataclass(frozen=True, eq=False)
class DiceFile:
    """A Dice program, or a library of Dice functions, after type checking."""

    source: SourceText
    file: File
    types: Types
    checked: Checked
    recursion_limit: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings about normalised weights."""
        return self.checked.warnings

    def function(self, name: str) -> Function:
        """Return a function of the file; refuse an unknown name with the list of known ones."""
        if name not in self.checked.functions:
            known = ", ".join(self.checked.functions)
            has = f"there are {known}" if known else "there is no function in it"
            similar = meant(name, self.checked.functions)
            raise WrongArguments(f"{self.source.name} has no function '{name}'; {has}.{similar}", value=name)
        return self.checked.functions[name].function

    def lower(
        self, function: str | None = None, given: Mapping[str, Any] | None = None, as_dice: bool = False
    ) -> Lowered:
        """Lower the program, or one function of the file on domains and constants, to terms.

        With ``as_dice`` every draw is made of Dice's flips, in Dice's order.
        """
        checked = self.checked
        lowering = Lowering(self.source, self.types, checked.functions, self.recursion_limit, as_dice, checked.unused)
        domains: list[Domain] = []
        with collector_paused():
            if function is None:
                value, inputs, databases = self._main(lowering, given), [], []
            else:
                called = Arguments(lowering, self.function(function))
                arguments = called.values(dict(given or {}))
                value, inputs, databases = lowering.call(function, arguments), called.inputs, called.databases
                domains = [(given or {})[p.name] for p in called.function.parameters]
                domains = [domain for domain in domains if isinstance(domain, Domain)]
            terms = lowering.terms
            if value.type.depth > _DEEPEST:
                raise TooLarge(f"{self.source.name}: the result is nested more than {_DEEPEST} deep.", value=value.type)
            output = _output(lowering, value)
            evidence = terms.all(lowering.evidence, terms.negate(lowering.lost))
        name = function or self.source.name
        program = Program(name, tuple(domains), tuple(inputs), tuple(lowering.draws.coins), output, evidence, terms)
        return Lowered(
            program=program,
            result=value.type,
            lost=lowering.lost,
            observed=lowering.evidence,
            observations=tuple(lowering.observations),
            databases=tuple(databases),
            parts=value.slots,
            widths=tuple(_widths(value.type)),
            wide=_is_wide(value.type),
        )

    def _main(self, lowering: Lowering, given: Mapping[str, Any] | None) -> Value:
        if given:
            raise WrongArguments(
                f"{self.source.name}: only functions have inputs; name one with function=.", value=given
            )
        if self.file.main is None:
            end = len(self.source.text.rstrip())
            raise self.source.error(
                DiceSyntaxError, end, "expected an expression after the functions, but the program ends."
            )
        return lowering.run(self.file.main)


def read_dice(
    text: str, filename: str, *, recursion_limit: int = 10, max_list_length: int | None = None, strict: bool = False
) -> DiceFile:
    """Read a Dice program; none of it is run as Python.

    Lists hold up to ``max_list_length`` items, by default as many as the recursion limit. With ``strict`` a discrete
    distribution whose weights only nearly sum to 1 is refused.

    Raises:
        DiceSyntaxError: the text is not a Dice program.
        DiceTypeError: types or names that do not fit.
        DiceError: a number out of its range.
        TooLarge: numbers, values or depths beyond the limits.
    """
    _check_limit("recursion_limit", recursion_limit)
    if max_list_length is not None:
        _check_limit("max_list_length", max_list_length)
    source = SourceText(text, filename)
    types = Types(recursion_limit if max_list_length is None else max_list_length)
    try:
        with collector_paused():
            file = parse(source, types)
            if not file.functions and file.main is None:
                raise source.error(DiceSyntaxError, 0, "expected a program, but there is nothing in it.")
            return DiceFile(source, file, types, check(file, source, types, strict), recursion_limit)
    except TautError as problem:
        if problem.place is None:
            problem.message = f"{filename}: {problem.message}"
        raise


def _check_limit(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_LIMIT:
        raise InvalidOption(f"{name} must be a whole number from 1 to {_MOST_LIMIT}; got {value!r}.", value=value)


def _output(lowering: Lowering, value: Value) -> Term:
    """Return the value as one term: a tuple for right-nested pairs, a tuple of random length for a list."""
    terms: Terms = lowering.terms
    type_, slots = value.type, value.slots
    if isinstance(type_, PairType):
        parts, start = [], 0
        for part in spine(type_):
            parts.append(_output(lowering, Value(part, slots[start : start + part.slots])))
            start += part.slots
        return terms.tuple(parts)
    if isinstance(type_, ListType):
        step = type_.item.slots
        longest = max(range(type_.bound + 1), key=lambda length: (length in slots[0].values, length))
        items = [
            _output(lowering, Value(type_.item, slots[1 + place * step : 1 + (place + 1) * step]))
            for place in range(longest)
        ]
        lengths = list(range(longest + 1))
        return terms.select(slots[0], lengths, [terms.tuple(items[:length]) for length in lengths])
    return lowering.integers.word(type_.width, slots) if isinstance(type_, IntType) else slots[0]


def _widths(type_: Type) -> list[int]:
    """Return the bits of each slot in Dice, 0 for a Boolean (wide integers are Booleans already)."""
    if isinstance(type_, PairType):
        return [width for part in spine(type_) for width in _widths(part)]
    if isinstance(type_, ListType):
        return [type_.bound.bit_length(), *_widths(type_.item) * type_.bound]
    if isinstance(type_, IntType):
        return [type_.width] if type_.slots == 1 else [0] * type_.slots
    return [0]


def _is_wide(type_: Type) -> bool:
    if isinstance(type_, PairType):
        return any(_is_wide(part) for part in spine(type_))
    if isinstance(type_, ListType):
        return _is_wide(type_.item)
    return isinstance(type_, IntType) and type_.slots > 1
