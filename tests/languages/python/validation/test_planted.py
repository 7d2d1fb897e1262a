"""Misreadings that are planted in correct readings: each that changes a distribution is found."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.corpus.case import Case
from tests.languages.python.validation.reading import read
from tests.oracle.test_corpus import CASES

from taut import ImpossibleEvidence, Misreading, TautError
from taut.languages.python.reading import Reading
from taut.languages.python.validation import validate
from taut.program import Apply, Const, Ite, Program, Select, Term, Tuple, enumerate_outcomes
from taut.program.program import children, reachable

MOST_SEQUENCES = 200
Mutation = Callable[[Program, Term, list[Term]], Term | None]


def swapped_branches(program: Program, term: Term, parts: list[Term]) -> Term | None:
    return program.terms.ite(parts[0], parts[2], parts[1]) if isinstance(term, Ite) else None


def forgotten_branch(program: Program, term: Term, parts: list[Term]) -> Term | None:
    return parts[2] if isinstance(term, Ite) else None


def index_off_by_one(program: Program, term: Term, parts: list[Term]) -> Term | None:
    if not isinstance(term, Select) or len(parts) < 3:
        return None
    return program.terms.select(parts[0], term.keys, [*parts[2:], parts[1]])


def constant_off_by_one(program: Program, term: Term, parts: list[Term]) -> Term | None:
    if not isinstance(term, Const) or type(term.value) is not int:
        return None
    return program.terms.const(term.value + 1)


def other_operation(program: Program, term: Term, parts: list[Term]) -> Term | None:
    others = {
        "and": "or",
        "or": "and",
        "add": "sub",
        "lt": "le",
        "ge": "gt",
        "eq": "ne",
        "min": "max",
        "bitxor": "bitor",
    }
    if not isinstance(term, Apply) or term.operation.name not in others or len(parts) != 2:
        return None
    return program.terms.apply(others[term.operation.name], *parts)


def forgotten_operand(program: Program, term: Term, parts: list[Term]) -> Term | None:
    return parts[0] if isinstance(term, Apply) and term.operation.name in ("add", "and", "or", "bitxor") else None


def items_exchanged(program: Program, term: Term, parts: list[Term]) -> Term | None:
    return program.terms.tuple(parts[::-1]) if isinstance(term, Tuple) and len(parts) > 1 else None


MUTATIONS: list[Mutation] = [
    swapped_branches,
    forgotten_branch,
    index_off_by_one,
    constant_off_by_one,
    other_operation,
    forgotten_operand,
    items_exchanged,
]


def remade(program: Program, place: Term, mutation: Mutation) -> Program | None:
    """The program with one term changed; None if the mutation does not apply there."""
    terms, made = program.terms, dict[Term, Term]()
    for term in reachable([program.output, program.evidence]):
        parts = [made[child] for child in children(term)]
        if term is place:
            changed = mutation(program, term, parts)
            if changed is None:
                return None
            made[term] = changed
        elif isinstance(term, Apply):
            made[term] = terms.apply(term.operation, *parts)
        elif isinstance(term, Ite):
            made[term] = terms.ite(*parts)
        elif isinstance(term, Select):
            made[term] = terms.select(parts[0], term.keys, parts[1:])
        elif isinstance(term, Tuple):
            made[term] = terms.tuple(parts)
        else:
            made[term] = term
    return replace(program, output=made[program.output], evidence=made[program.evidence])


def changed_weights(program: Program) -> Iterator[Program]:
    for place, coin in enumerate(program.coins):
        first, second, *rest = coin.weights
        if isinstance(first, Fraction):
            other = replace(coin, weights=(first / 2, second + first / 2, *rest))
            yield replace(program, coins=(*program.coins[:place], other, *program.coins[place + 1 :]))


def answers(program: Program, inputs: list[Any]) -> list[Any]:
    found: list[Any] = []
    for x in inputs:
        try:
            found.append(enumerate_outcomes(program, x))
        except (ImpossibleEvidence, TautError) as problem:
            found.append(type(problem))
    return found


def small(case: Case) -> bool:
    size = 1
    for domain in case.databases.values():
        size *= domain.size
    return size <= 32


def fitting(case: Case) -> Reading | None:
    reading = read(case.mechanism.function, **case.databases, **case.parameters)
    sequences = 1
    for coin in reading.program.coins:
        sequences *= len(coin.outcomes)
    exact = all(isinstance(weight, Fraction) for coin in reading.program.coins for weight in coin.weights)
    return reading if sequences <= MOST_SEQUENCES and exact else None


@pytest.mark.parametrize("case", [case for case in CASES if small(case)], ids=lambda case: case.name)
def test_whatever_changes_a_distribution_is_found(case: Case) -> None:
    reading = fitting(case)
    if reading is None:
        pytest.skip("too many sequences of outcomes for the enumerator to judge dozens of mutants")
    program, function = reading.program, case.mechanism.function
    assert validate(function, reading.arguments, program, reading.draws).runs
    inputs = [x for x, _ in case.inputs()]
    right = answers(program, inputs)
    generator = random.Random(case.name)
    places = [(term, mutation) for term in reachable([program.output, program.evidence]) for mutation in MUTATIONS]
    mutants = [remade(program, *place) for place in generator.sample(places, min(60, len(places)))]
    mutants = [mutant for mutant in mutants if mutant is not None][:8] + list(changed_weights(program))[:2]
    for mutant in mutants:
        if answers(mutant, inputs) == right:
            continue
        with pytest.raises(Misreading):
            validate(function, reading.arguments, mutant, reading.draws)


@pytest.mark.parametrize("case", [case for case in CASES if small(case)], ids=lambda case: case.name)
def test_a_draw_that_is_lost_is_found(case: Case) -> None:
    reading = read(case.mechanism.function, **case.databases, **case.parameters)
    known = validate(case.mechanism.function, reading.arguments, reading.program, reading.draws)
    certain = [place for place, draw in enumerate(reading.draws) if draw.condition is reading.program.terms.true]
    if not certain:
        pytest.skip("no draw happens in every run")
    assert known.runs
    for place in {certain[0], certain[-1]}:
        rest = [*reading.draws[:place], *reading.draws[place + 1 :]]
        with pytest.raises(Misreading):
            validate(case.mechanism.function, reading.arguments, reading.program, rest)
