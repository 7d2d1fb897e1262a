"""One order of ties: every method that ends exactly shows the same worst case, and it is the first of all."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.corpus.case import Case
from tests.questions.witnesses import METHODS, QUESTIONS, RELATIONS, random_model, related_pairs, rows_of
from tests.synthesis.corpus import CASES

from taut import INFINITY, bits
from taut.mechanisms import randomized_response
from taut.support.errors import TautError
from taut.synthesis.walk import CaseOrder

SMALL = [case for case in CASES[::5] if len(case.databases) == 1 and case.size <= 16]
ASKED = ("privacy", "delta", "epsilon", "profile", "renyi", "accuracy", "mean")


def shown(bound: Any) -> Any:
    """What a bound says about its worst cases."""
    pieces = [piece.witness for piece in bound.pieces] if hasattr(bound, "pieces") else None
    return bound.witness, pieces, getattr(bound, "tight", None)


def answers(model: Any, question: str, related: Any) -> dict[str, Any]:
    """The worst cases by all methods that serve the question and end exactly."""
    found = {}
    for method in METHODS:
        try:
            bound = QUESTIONS[question](model, method, related)
        except (TautError, TypeError):  # the question does not suit the mechanism, or the method the question
            continue
        if bound.exact:
            found[method] = shown(bound)
    return found


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_every_method_shows_the_same_case(case: Case, question: str) -> None:
    found = answers(case.model(), question, None)
    assert len({repr(one) for one in found.values()}) <= 1, found


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_method_shows_the_same_case_of_random_tables(question: str, relation: str) -> None:
    for seed in range(6):
        found = answers(random_model(seed), question, RELATIONS[relation])
        assert len({repr(one) for one in found.values()}) <= 1, (seed, found)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_first_of_all(seed: int, relation: str) -> None:
    model = random_model(seed)
    rows = rows_of(model)
    pairs = related_pairs(relation, rows)
    size = max(map(max, rows)) + 1
    outputs = sorted({y for row in rows.values() for y in row})
    order = CaseOrder((size, size), (len(outputs),))

    def ratio(p: Fraction, q: Fraction) -> Any:
        return p / q if q else INFINITY

    triples = [(x, z, y) for x, z in pairs for y in outputs if rows[x].get(y)]
    values = [ratio(rows[x][y], rows[z].get(y, Fraction(0))) for x, z, y in triples]
    worst = [triple for triple, value in zip(triples, values, strict=True) if value == max(values)]
    first = min(worst, key=lambda one: order.number(one[0], one[1], [outputs.index(one[2])]))

    def delta(x: Any, z: Any) -> Fraction:
        masses = [(rows[x].get(y, Fraction(0)), rows[z].get(y, Fraction(0))) for y in outputs]
        return sum((max(Fraction(0), p - Fraction(3, 2) * q) for p, q in masses), Fraction(0))

    deltas = {pair: delta(*pair) for pair in pairs}
    largest = max(deltas.values())
    first_pair = min((pair for pair in pairs if deltas[pair] == largest), key=lambda one: order.number(*one, [0]))
    for method in METHODS:
        witness = model.privacy(RELATIONS[relation], method=method).witness
        assert (witness.x, witness.x_prime, witness.y) == first, method
        pair = model.delta(ratio="3/2", neighbors=RELATIONS[relation], method=method).witness
        assert (pair.x, pair.x_prime) == first_pair, method


def test_reports_differ_first_in_the_first_entry() -> None:
    model = randomized_response(bits(3), lam="1/5")
    for method in METHODS:
        witnesses = [model.delta(ratio=2, method=method).witness, model.privacy(method=method).witness]
        assert [(one.x, one.x_prime) for one in witnesses] == [((0, 0, 0), (1, 0, 0))] * 2
