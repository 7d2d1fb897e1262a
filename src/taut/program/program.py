"""Programs and formulas as data: inputs, coins with their weights, terms for output and evidence."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from taut.program.domains import Domain, InputSpace
from taut.program.noise import Ends, Shifted
from taut.program.terms import Apply, Coin, Const, Input, Ite, Select, Term, Terms, Tuple
from taut.support.exact import Ball
from taut.support.process import cached_property

__all__ = [
    "MAX_VARIABLES",
    "CoinVariable",
    "Formula",
    "FormulaVariable",
    "InputVariable",
    "Program",
    "Role",
    "children",
    "conjuncts",
    "reachable",
    "substituted",
]


class InputVariable(NamedTuple):
    """One entry of a database."""

    name: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class CoinVariable:
    """One independent random choice: its outcomes and their weights (Fractions, or Balls where exp appears).

    Coins of one ``draw`` are the rows of one distribution whose parameters were not known in advance: for every
    parameter its own coin, of which any run looks at one.
    """

    name: str
    outcomes: tuple[Any, ...]
    weights: Sequence[Any]
    draw: int
    dice: bool = False
    """True if the coin is a Boolean flip, which Dice represents by one variable as well."""

    @property
    def kinds(self) -> frozenset[type]:
        """The types of its weights."""
        return self.weights.kinds if isinstance(self.weights, Shifted) else frozenset(map(type, self.weights))


@dataclass(frozen=True)
class Program:
    """A function from databases to distributions, as data.

    ``output`` is what a run returns, where ``evidence`` is true; runs in which it is false do not count.
    """

    name: str
    domains: tuple[Domain, ...]
    inputs: tuple[InputVariable, ...]
    coins: tuple[CoinVariable, ...]
    output: Term
    evidence: Term
    terms: Terms = field(repr=False)
    ends: Ends | None = field(default=None, compare=False)
    """The window and the tails of unbounded noise, if there is any."""

    @cached_property
    def space(self) -> InputSpace:
        """All inputs."""
        return InputSpace(self.domains)

    @property
    def size(self) -> int:
        """The number of inputs."""
        return self.space.size

    @property
    def exact(self) -> bool:
        """Return True if all weights are rational."""
        return not any(Ball in coin.kinds for coin in self.coins)

    @property
    def conditioned(self) -> bool:
        """Return True if the program observes evidence."""
        return self.evidence is not self.terms.true

    def entries(self, x: Any) -> tuple[Any, ...]:
        """Return the entries of all databases of x, one after the other; refuse an x outside the domain."""
        return self.space.entries(x)

    def database(self, entries: Sequence[Any]) -> Any:
        """Return the input with these entries: the inverse of ``entries``."""
        return self.space.database(entries)

    def fix(self, x: Any) -> Program:
        """Return the program with its input fixed to x."""
        terms = Terms()
        entries = [terms.const(entry) for entry in self.entries(x)]
        output, evidence = substituted(terms, [self.output, self.evidence], entries, self.coins)
        return replace(self, domains=(), inputs=(), output=output, evidence=evidence, terms=terms)

    def joint(self) -> Program:
        """Return the program that draws its input uniformly and returns the entries followed by the output.

        An entry is drawn just before the first coin that it meets in a term, so that diagrams whose order is that of
        the coins can forget it soon.
        """
        places = _first_coins(self)
        order = sorted(
            [(places[entry], 0, entry) for entry in range(len(self.inputs))]
            + [(coin, 1, coin) for coin in range(len(self.coins))]
        )
        numbers = {(kind, index): number for number, (_, kind, index) in enumerate(order)}
        fresh = 1 + max((coin.draw for coin in self.coins), default=-1)
        drawn = [
            CoinVariable(
                variable.name, variable.values, (Fraction(1, len(variable.values)),) * len(variable.values), draw
            )
            for draw, variable in enumerate(self.inputs, fresh)
        ]
        terms = Terms()
        entries = [terms.coin(numbers[0, place], variable.values) for place, variable in enumerate(self.inputs)]
        moved = [numbers[1, coin] for coin in range(len(self.coins))]
        output, evidence = substituted(terms, [self.output, self.evidence], entries, self.coins, moved)
        coins = tuple((drawn, self.coins)[kind][index] for _, kind, index in order)
        whole = terms.tuple([*entries, output])
        return replace(self, domains=(), inputs=(), coins=coins, output=whole, evidence=evidence, terms=terms)

    def copied(self) -> Program:
        """Return the same program with its own table of terms, so that coins can be added."""
        terms = Terms()
        output, evidence = self._remade(terms)
        return replace(self, output=output, evidence=evidence, terms=terms)

    def computes_as(self, other: Program) -> bool:
        """Return True if output and evidence are the same terms of inputs and coins as those of ``other``."""
        if len(self.inputs) != len(other.inputs) or len(self.coins) != len(other.coins):
            return False
        terms = Terms()
        return all(p is q for p, q in zip(self._remade(terms), other._remade(terms), strict=True))

    def _remade(self, terms: Terms) -> list[Term]:
        """Rebuild output and evidence in another table."""
        entries = [terms.input(place, variable.values) for place, variable in enumerate(self.inputs)]
        return substituted(terms, [self.output, self.evidence], entries, self.coins)


def children(term: Term) -> tuple[Term, ...]:
    """Return the terms that a term is made of, in reading order."""
    if isinstance(term, Apply):
        return term.args
    if isinstance(term, Ite):
        return (term.test, term.then, term.other)
    if isinstance(term, Select):
        return (term.index, *term.items)
    if isinstance(term, Tuple):
        return term.items
    return ()


_SERIAL = operator.attrgetter("serial")


def reachable(roots: Sequence[Term]) -> list[Term]:
    """Return all terms below the roots, arguments before their users."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for child in children(stack.pop()):
            if child not in seen:
                seen.add(child)
                if type(child) is not Input:
                    stack.append(child)
    return sorted(seen, key=_SERIAL)


def conjuncts(evidence: Term) -> list[Term]:
    """Return the parts of a conjunction."""
    parts, stack = dict[Term, None](), [evidence]
    while stack:
        term = stack.pop()
        if isinstance(term, Apply) and term.operation.name == "and":
            stack += reversed(term.args)
        else:
            parts[term] = None
    return list(parts)


def _first_coins(program: Program) -> list[int]:
    """Return, for each input, the first coin of the first term that depends on both; 0 if there is none."""
    found = [0] * len(program.inputs)
    inputs: dict[Term, frozenset[int]] = {}
    first: dict[Term, int] = {}
    waiting = set(range(len(found)))
    for term in reachable([program.output, program.evidence]):
        parts = children(term)
        inputs[term] = frozenset(entry for part in parts for entry in inputs[part])
        if isinstance(term, Input):
            inputs[term] = frozenset({term.index})
        coins = [term.index] if isinstance(term, Coin) else [first[part] for part in parts if part in first]
        if coins:
            first[term] = max(coins)
            for entry in inputs[term] & waiting:
                found[entry] = min(coins)
                waiting.discard(entry)
    return found


def substituted(
    terms: Terms,
    roots: Sequence[Term],
    entries: Sequence[Term],
    coins: Sequence[CoinVariable],
    moved: Sequence[int] | Mapping[int, int] | None = None,
    known: Mapping[Term, Term] | None = None,
) -> list[Term]:
    """Rebuild the roots in another table with inputs replaced by ``entries``; branches that become unused disappear.

    Coins keep their numbers, or get those that ``moved`` has for them. Terms that are ``known`` are not looked into.
    """
    numbers: Sequence[int] | Mapping[int, int] = range(len(coins)) if moved is None else moved
    made: dict[Term, Term] = dict(known or {})
    stack = list(reversed(roots))
    while stack:
        term = stack[-1]
        if term in made:
            stack.pop()
            continue
        if isinstance(term, Ite) and isinstance(made.get(term.test), Const):
            needed: tuple[Term, ...] = (term.then if made[term.test] is terms.true else term.other,)
        elif isinstance(term, Ite) and term.test not in made:
            needed = (term.test,)
        elif isinstance(term, Select) and isinstance(made.get(term.index), Const):
            needed = tuple(i for k, i in zip(term.keys, term.items, strict=True) if k == made[term.index].value)  # type: ignore[attr-defined]
        elif isinstance(term, Select) and term.index not in made:
            needed = (term.index,)
        else:
            needed = children(term)
        missing = [child for child in needed if child not in made]
        if missing:
            stack.extend(reversed(missing))
            continue
        made[term] = _remake(terms, term, needed, made, entries, coins, numbers)
        stack.pop()
    return [made[root] for root in roots]


def _remake(
    terms: Terms,
    term: Term,
    needed: tuple[Term, ...],
    made: dict[Term, Term],
    entries: Sequence[Term],
    coins: Sequence[CoinVariable],
    numbers: Sequence[int] | Mapping[int, int],
) -> Term:
    if isinstance(term, Const):
        return terms.const(term.value)
    if isinstance(term, Input):
        return entries[term.index]
    if isinstance(term, Coin):
        return terms.coin(numbers[term.index], coins[term.index].outcomes)
    if isinstance(term, Tuple):
        return terms.tuple([made[item] for item in term.items])
    if isinstance(term, Apply):
        return terms.apply(term.operation, *[made[arg] for arg in term.args])
    if isinstance(term, Ite):
        if len(needed) == 1:
            return made[needed[0]]
        return terms.ite(made[term.test], made[term.then], made[term.other])
    assert isinstance(term, Select)
    kept = [(key, made[item]) for key, item in zip(term.keys, term.items, strict=True) if item in made]
    return terms.select(made[term.index], [key for key, _ in kept], [item for _, item in kept])


MAX_VARIABLES = 50_000
"""Limit for the depth of Boolean diagrams, which their library traverses recursively."""

Role = Literal["input", "output", "coin"]


@dataclass(frozen=True)
class FormulaVariable:
    """One Boolean variable: its name, its role in a mechanism, and the weights of true and of false.

    Inputs and outputs weigh (1, 1); the weights of a coin need not sum to 1.
    """

    name: str
    kind: Role
    weights: tuple[Fraction | Ball, Fraction | Ball]


@dataclass(frozen=True)
class Formula:
    """A weighted Boolean formula: its constraint defines the models, and the variables give their weights.

    In ``constraint`` and ``terms`` variable number i is ``terms.coin(i, (False, True))``, whatever its kind. Inputs
    stand among the variables in the order in which a database lists them, outputs likewise. The variables named in
    ``hidden`` are projected away: a model is an assignment of the others that some assignment of these completes.
    """

    name: str
    variables: tuple[FormulaVariable, ...]
    constraint: Term
    terms: Terms = field(repr=False)
    hidden: tuple[str, ...] = ()
