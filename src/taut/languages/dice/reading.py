"""Dice files: read, parse and check one; lower it, or one of its functions with arguments, to terms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.languages.dice.check import Checked, check
from taut.languages.dice.lower import Lowering, Observation, Value
from taut.languages.dice.parse import parse
from taut.languages.dice.syntax import File, Function, Parameter
from taut.languages.dice.values import IntType, ListType, PairType, Type, Types, spine
from taut.languages.source_text import SourceText
from taut.program import InputVariable, Program, Term, Terms
from taut.program.domains import Domain
from taut.support.errors import (
    DiceFileError,
    DiceSyntaxError,
    DiceTypeError,
    InvalidOption,
    TautError,
    TooLarge,
    WrongArguments,
    meant,
    meant_file,
    shortened,
)
from taut.support.process import collector_paused

__all__ = ["Arguments", "DiceFile", "Lowered", "read_dice", "read_text"]

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


class Arguments:
    """Converts the arguments of a function to values, and collects the inputs."""

    def __init__(self, lowering: Lowering, function: Function) -> None:
        self.lowering = lowering
        self.function = function
        self.inputs: list[InputVariable] = []
        self.databases: list[Any] = []
        """The entries of each given domain as terms: a tuple, or a single term."""

    def values(self, given: dict[str, Any]) -> list[Value]:
        """Return the arguments in the order of the parameters.

        Raises:
            WrongArguments: one is missing, or there is no such parameter.
            DiceTypeError: a domain or value that does not fit the type of its parameter.
        """
        names = [parameter.name for parameter in self.function.parameters]
        wanted = f"its parameters are ({', '.join(f'{p.name}: {p.type}' for p in self.function.parameters)})"
        for name in given:
            if name not in names:
                raise WrongArguments(f"{self.function.name}: no parameter '{name}'; {wanted}.", value=name)
        for name in names:
            if name not in given:
                raise WrongArguments(f"{self.function.name}: '{name}' is missing; {wanted}.", value=name)
        return [self._value(parameter, given[parameter.name]) for parameter in self.function.parameters]

    def _value(self, parameter: Parameter, given: Any) -> Value:
        if isinstance(given, Domain):
            return self._database(parameter, given)
        slots: list[Term] = []
        self._constant(parameter, parameter.type, given, slots)
        return Value(parameter.type, tuple(slots))

    def _database(self, parameter: Parameter, domain: Domain) -> Value:
        """Return a domain as inputs: one entry for each Boolean and integer of the parameter, or item of a list."""
        terms, type_ = self.lowering.terms, parameter.type
        leaves: Sequence[Type] = _leaves(type_)
        if isinstance(type_, ListType):
            if isinstance(type_.item, (PairType, ListType)) or domain.n > type_.bound:
                raise self._refusal(
                    parameter, domain, f"a domain of at most {type_.bound} entries, for a list of bools or integers"
                )
            leaves = [type_.item] * domain.n
        if domain.n != len(leaves) or any(isinstance(leaf, ListType) for leaf in leaves):
            raise self._refusal(
                parameter, domain, f"a domain of {len(leaves)} entr{'y' if len(leaves) == 1 else 'ies'}"
            )
        entries: list[Term] = []
        slots: list[Term] = []
        for place, leaf in enumerate(leaves):
            odd = next((value for value in domain.values if not _fits(leaf, value)), None)
            if odd is not None:
                raise self._refusal(parameter, domain, f"entries that are {_allowed(leaf)}, not {odd!r}")
            label = parameter.name if domain.bare else f"{parameter.name}[{place}]"
            entry = terms.input(len(self.inputs), domain.values)
            self.inputs.append(InputVariable(label, domain.values))
            entries.append(entry)
            slots += self._leaf(leaf, entry)
        self.databases.append(entries[0] if domain.bare else tuple(entries))
        if isinstance(type_, ListType):
            filled = [terms.const(domain.n), *slots]
            return Value(type_, (*filled, *self.lowering.default(type_).slots[len(filled) :]))
        return Value(type_, tuple(slots))

    def _leaf(self, leaf: Type, term: Term) -> tuple[Term, ...]:
        if isinstance(leaf, IntType):
            return self.lowering.integers.of_word(leaf.width, term)
        return (self.lowering.terms.truth(term),)

    def _constant(self, parameter: Parameter, type_: Type, given: Any, slots: list[Term]) -> None:
        """Append the slots of an ordinary value: a tuple for pairs and lists, else a Boolean or an integer."""
        lowering = self.lowering
        if isinstance(type_, (PairType, ListType)):
            if isinstance(given, str) or not isinstance(given, Sequence):
                raise self._refusal(parameter, given, f"a sequence for {type_}")
            parts = list(spine(type_)) if isinstance(type_, PairType) else [type_.item] * len(given)
            most = type_.bound if isinstance(type_, ListType) else len(parts)
            if len(given) != len(parts) or len(given) > most:
                raise self._refusal(parameter, given, f"{'at most ' * (len(given) > most)}{most} items for {type_}")
            start = len(slots)
            if isinstance(type_, ListType):
                slots.append(lowering.terms.const(len(given)))
            for part, item in zip(parts, given, strict=True):
                self._constant(parameter, part, item, slots)
            if isinstance(type_, ListType):
                slots += lowering.default(type_).slots[len(slots) - start :]
        elif not _fits(type_, given):
            raise self._refusal(parameter, given, f"{_allowed(type_)} for {type_}")
        elif isinstance(type_, IntType):
            slots += lowering.integers.constant(type_.width, int(given))
        else:
            slots.append(lowering.terms.const(bool(given)))

    def _refusal(self, parameter: Parameter, given: Any, wanted: str) -> DiceTypeError:
        shown = shortened(str(given) if isinstance(given, Domain) else repr(given), 80)
        return DiceTypeError(
            f"{self.function.name}: '{parameter.name}' has the type {parameter.type}, so it takes {wanted}; "
            f"got {shown}.",
            value=given,
        )


def _leaves(type_: Type) -> list[Type]:
    """Return the Booleans, integers and lists inside pairs, from left to right."""
    found, stack = [], [type_]
    while stack:
        part = stack.pop()
        if isinstance(part, PairType):
            stack += [part.right, part.left]
        else:
            found.append(part)
    return found


def _fits(type_: Type, value: Any) -> bool:
    most = (1 << type_.width) - 1 if isinstance(type_, IntType) else 1
    return isinstance(value, int) and 0 <= value <= most


def _allowed(type_: Type) -> str:
    return f"from 0 to {(1 << type_.width) - 1}" if isinstance(type_, IntType) else "0 or 1"


_MOST_BYTES = 8 << 20


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the file's text, without a byte order mark.

    Bytes that are not UTF-8 pass as marks of their own, which only a comment may hold.

    Raises:
        DiceFileError: there is no such file, or it cannot be read.
        TooLarge: it has more than 8 MB.
    """
    try:
        file = Path(path)
        if not file.exists():
            raise DiceFileError(f"there is no file '{file}'.{meant_file(file)}", value=str(file))
        if not file.is_file():
            raise DiceFileError(f"'{file}' is not a file.", value=str(file))
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise TooLarge(f"'{file}': a Dice program of at most {_MOST_BYTES >> 20} MB can be read.", value=size)
        data = file.read_bytes()
    except (DiceFileError, TooLarge):
        raise
    except (OSError, ValueError) as problem:
        raise DiceFileError(f"'{path}' cannot be read ({problem}).", value=str(path)) from None
    return data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
