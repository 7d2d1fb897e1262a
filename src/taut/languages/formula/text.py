"""Formulas as text, such as ``y1 <-> (x1 ^ t1)``; the grammar is in ``grammar.lark``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from taut.languages.source_text import SourceText
from taut.program import Term, Terms
from taut.program.program import MAX_VARIABLES, Formula, FormulaVariable, Role
from taut.support.errors import FormulaError, InvalidNumber, TautError, TooLarge
from taut.support.exact import Ball, number, probability

__all__ = ["assign_roles", "listing", "names_of", "parse_formula"]


def names_of(given: Any, what: str, error: type[TautError], kinds: tuple[type, ...] = (str,)) -> list[str]:
    """Return the names in a list given by the user, with numbers as text, or refuse the list."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise error(f"{what}: expected a list of variables; got {given!r}.", value=given)
    found = list(given)
    for name in found:
        if not isinstance(name, kinds) or isinstance(name, bool):
            raise error(f"{what}: {name!r} is not a name of a variable.", value=name)
    return [str(name) for name in found]


def assign_roles(
    known: Sequence[str], inputs: Sequence[str], outputs: Sequence[str], error: type[TautError]
) -> dict[str, Role]:
    """Return the role of every variable: inputs first, then outputs, each in the given order, then coins."""
    roles: dict[str, Role] = {}
    names = set(known)
    chosen: list[tuple[Role, Sequence[str]]] = [("input", inputs), ("output", outputs)]
    for role, group in chosen:
        for name in group:
            if name not in names:
                raise error(
                    f"{role}s: {name!r} does not occur in the formula; its variables are {listing(known)}.", value=name
                )
            if roles.get(name) == role:
                raise error(f"{role}s: {name!r} stands there twice.", value=name)
            if name in roles:
                raise error(f"{name!r} cannot be an input and an output.", value=name)
            roles[name] = role
    for name in known:
        roles.setdefault(name, "coin")
    return roles


def listing(names: Sequence[str]) -> str:
    """Format names for a message; only the first ones if there are many."""
    if not names:
        return "none"
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:10])}, ... ({len(names)} in all)"


Weight = Fraction | Ball


def parse_formula(
    text: str, inputs: Iterable[str] = (), outputs: Iterable[str] = (), weights: Mapping[str, Any] | None = None
) -> Formula:
    """Parse a formula with the roles and weights of its variables.

    A weight is the probability of true, or a pair: the weight of the variable and that of its negation, which need
    not sum to 1. Variables without one count (1, 1). Inputs and outputs have none.

    Raises:
        FormulaError: the text is not a formula (with the place), or a name is not one of its variables.
        InvalidNumber: a weight that is not a number, a probability outside [0, 1], or a negative weight.
        TooLarge: more than 50000 variables.

    Example:
        >>> parse_formula("a or b", weights={"a": "1/3", "b": (2, 0.5)}).variables[1].weights
        (Fraction(2, 1), Fraction(1, 2))
    """
    if not isinstance(text, str):
        raise FormulaError(f"a formula is text, like 'y <-> (x ^ t)'; got {text!r}.", value=text)
    tree = _parse(text)
    known = list(dict.fromkeys(_names(tree)))
    if len(known) > MAX_VARIABLES:
        raise TooLarge(
            f"the formula has {len(known)} variables; at most {MAX_VARIABLES} are allowed.", value=len(known)
        )
    given = {} if weights is None else weights
    if not isinstance(given, Mapping):
        raise FormulaError(f"weights: expected a dictionary from names to weights; got {given!r}.", value=given)
    roles = assign_roles(
        known, names_of(inputs, "inputs", FormulaError), names_of(outputs, "outputs", FormulaError), FormulaError
    )
    for name in given:
        if name not in roles:
            raise FormulaError(
                f"weights: {name!r} does not occur in the formula; its variables are {listing(known)}.", value=name
            )
        if roles[name] != "coin":
            raise FormulaError(
                f"weights: {name!r} is an {roles[name]}; only what is neither input nor output has weights.", value=name
            )
    terms = Terms()
    variables = tuple(
        FormulaVariable(name, role, _weight(name, given[name]) if name in given else (Fraction(1), Fraction(1)))
        for name, role in roles.items()
    )
    coins = {variable.name: terms.coin(index, (False, True)) for index, variable in enumerate(variables)}
    return Formula("formula", variables, _term(terms, tree, coins), terms)


def _weight(name: str, given: Any) -> tuple[Weight, Weight]:
    what = f"weights[{name!r}]"
    if not isinstance(given, (tuple, list)):
        chance = probability(given, what)
        return chance, 1 - chance
    if len(given) != 2:
        raise InvalidNumber(
            f"{what}: expected a probability, or a pair (weight, weight of the negation); got {given!r}.", value=given
        )
    pair = [number(weight, what) for weight in given]
    for weight in pair:
        if (weight.lower if isinstance(weight, Ball) else weight) < 0:
            raise InvalidNumber(f"{what}: a weight must not be negative; got {weight}.", value=given)
    return pair[0], pair[1]


Node = Tree[Token] | Token


@cache
def _parser() -> Lark:
    grammar = files("taut.languages.formula").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _parse(text: str) -> Node:
    try:
        return _parser().parse(text)
    except UnexpectedCharacters as problem:
        raise _mistake(text, problem.pos_in_stream or 0, f"{problem.char!r} cannot stand in a formula") from None
    except UnexpectedToken as problem:
        found = problem.token
        at_end = found.type == "$END"
        place = len(text.rstrip()) if at_end else found.start_pos or 0
        if "NAME" in problem.accepts:
            expected = "a variable, a constant, '!' or '('"
        else:
            expected = "an operator or ')'" if "RPAR" in problem.accepts else "an operator"
        reason = f"expected {expected}, but the formula ends here" if at_end else f"expected {expected}; got {found!s}"
        raise _mistake(text, place, reason if text.strip() else "the formula is empty") from None
    except UnexpectedInput as problem:
        raise _mistake(text, problem.pos_in_stream or 0, "this is not a formula") from None


def _mistake(text: str, position: int, reason: str) -> FormulaError:
    """Return the error with its position, an excerpt of the line, and a caret below it."""
    return SourceText(text, "formula").error(FormulaError, position, f"{reason}.", value=text)


def _names(tree: Node) -> Iterable[str]:
    """Yield the variables from left to right, with repetitions."""
    stack: list[Node] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Tree):
            stack.extend(reversed(node.children))
        else:
            yield str(node)


def _term(terms: Terms, tree: Node, coins: Mapping[str, Term]) -> Term:
    """Return the formula as a term; an explicit stack allows any depth."""
    values: list[Term] = []
    stack: list[tuple[Node, bool]] = [(tree, False)]
    while stack:
        node, ready = stack.pop()
        if isinstance(node, Token):
            values.append(coins[str(node)])
        elif not ready:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
        else:
            first = len(values) - len(node.children)
            args = values[first:]
            del values[first:]
            values.append(_connect(terms, node.data, args))
    return values[0]


def _connect(terms: Terms, rule: str, args: list[Term]) -> Term:
    if rule in ("true", "false"):
        return terms.const(rule == "true")
    if rule == "negation":
        return terms.negate(args[0])
    if rule == "conjunction":
        return terms.all(*args)
    if rule == "disjunction":
        return terms.any(*args)
    if rule == "implication":
        return terms.any(terms.negate(args[0]), args[1])
    operation = "eq" if rule == "equivalence" else "ne"
    total = args[0]
    for arg in args[1:]:
        total = terms.apply(operation, total, arg)
    return total
