"""Arguments of a Dice function: a domain becomes an input, an ordinary value a constant of the parameter's type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut.domains import Domain
from taut.languages.dice.lower import Lowering, Value
from taut.languages.dice.syntax import Function, Parameter
from taut.languages.dice.value_types import IntType, ListType, PairType, Type, spine
from taut.program import InputVariable, Term
from taut.support.errors import DiceTypeError, WrongArguments

__all__ = ["Arguments"]


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
        """Return a domain as inputs: one entry for each Boolean and integer in the parameter, or for each item of a
        list.
        """
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
        """Append the slots of an ordinary value: a tuple for right-nested pairs and for a list, else a Boolean or an
        integer.
        """
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
        shown = str(given) if isinstance(given, Domain) else repr(given)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
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
