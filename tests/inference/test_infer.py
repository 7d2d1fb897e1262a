"""Folds, distributions, batches and samples off one relation say the same, for any weights."""

import math
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import (
    Model,
    ProbabilityMatrix,
    TooLarge,
    bits,
    discrete,
    exp,
    flip,
    geometric,
    ints,
    mechanism,
    observe,
    uniform,
)
from taut.diagrams.semirings import BALL, EXACT, FLOAT64, FieldSemiring
from taut.inference.distribution import distribution
from taut.inference.fold import fold, rows_of, sample_outputs
from taut.inference.pairs import evaluate_batch

QUICK = settings(max_examples=18, deadline=None)
PRIME = 2**61 - 1


@mechanism
def response(x, lam):
    return [bit ^ flip(lam) for bit in x]


@mechanism
def noisy_count(x, ratio):
    return geometric(sum(x), ratio, 0, len(x))


@mechanism
def first_above(x):
    threshold = uniform(0, 2)
    for i, value in enumerate(x):
        if value + discrete({-1: "1/4", 0: "1/2", 1: "1/4"}) >= threshold:
            return i
    return None


@mechanism
def conditioned(x):
    a = flip("1/3")
    b = uniform(0, 2)
    observe(a or b > x[0])
    return a, b


MODELS: list[tuple[Model, Any]] = [
    (response(bits(3), lam="1/5"), bits(3)),
    (noisy_count(bits(3), ratio="1/3"), bits(3)),
    (first_above(ints(2, 0, 2)), ints(2, 0, 2)),
    (conditioned(bits(1)), bits(1)),
]
every_model = pytest.mark.parametrize(("model", "domain"), MODELS, ids=lambda value: getattr(value, "name", ""))


def places(model: Model, x: Any) -> list[int]:
    return [v.values.index(entry) for v, entry in zip(model.program.inputs, model.program.entries(x), strict=True)]


@every_model
def test_folding_each_output_gives_the_distribution(model: Model, domain: Any) -> None:
    relation = model.relation
    for x in domain:
        inputs = places(model, x)
        masses = distribution(relation, inputs, EXACT, 10**6)
        assert all(mass > 0 for mass in masses.values())
        for positions, mass in masses.items():
            rows = rows_of(relation, EXACT, inputs, list(positions))
            assert fold(relation.arrays, rows, EXACT) == mass
        assert fold(relation.arrays, rows_of(relation, EXACT, inputs), EXACT) == sum(masses.values())


@every_model
def test_all_semirings_agree(model: Model, domain: Any) -> None:
    relation, field = model.relation, FieldSemiring(PRIME)
    for x in domain:
        inputs = places(model, x)
        exact = distribution(relation, inputs, EXACT, 10**6)
        floats = distribution(relation, inputs, FLOAT64, 10**6)
        balls = distribution(relation, inputs, BALL, 10**6)
        residues = distribution(relation, inputs, field, 10**6)
        assert exact.keys() == floats.keys() == balls.keys() == residues.keys()
        for positions, mass in exact.items():
            assert math.isclose(floats[positions], mass, rel_tol=1e-12)
            assert balls[positions].contains(mass)
            assert residues[positions] == field.residue(mass)


@every_model
def test_batches_agree_with_folds(model: Model, domain: Any) -> None:
    relation = model.relation
    questions = [(x, y) for x in domain for y in distribution(relation, places(model, x), EXACT, 10**6)]
    inputs = np.array([places(model, x) for x, _ in questions], dtype=np.int64)
    outputs = np.array([y for _, y in questions], dtype=np.int64)
    found = evaluate_batch(relation, inputs, outputs)
    totals = evaluate_batch(relation, inputs)
    for (x, y), mass, total in zip(questions, found, totals, strict=True):
        masses = distribution(relation, places(model, x), EXACT, 10**6)
        assert math.isclose(mass, masses[y], rel_tol=1e-12)
        assert math.isclose(total, sum(masses.values()), rel_tol=1e-12)


def test_a_batch_of_nothing() -> None:
    model = response(bits(2), lam="1/5")
    assert len(model.batch([])) == 0
    assert len(model.inference([])) == 0


@every_model
def test_samples_follow_the_distribution(model: Model, domain: Any) -> None:
    x = list(domain)[-1]
    count = 4000
    drawn = Counter(model.sample(x, count, seed=5))
    expected = model.distribution(x)
    assert drawn.keys() <= expected.keys()
    for y, probability in expected.items():
        spread = 6 * math.sqrt(probability * (1 - probability) / count)
        assert abs(drawn[y] / count - probability) <= spread


def test_a_seed_makes_samples_again() -> None:
    model = response(bits(3), lam="1/5")
    assert model.sample((0, 1, 1), 20, seed=3) == model.sample((0, 1, 1), 20, seed=3)
    assert model.sample((0, 1, 1), 20, seed=3) != model.sample((0, 1, 1), 20, seed=4)
    assert model.sample((0, 1, 1), 0) == []


def test_float_weights_sample_too() -> None:
    model = response(bits(2), lam=exp("-1"))
    found = sample_outputs(model.relation, [0, 1], 50, random.Random(1), rational=False)
    assert {model.relation.decode(positions) for positions in found} <= model.distribution((0, 1)).keys()


@QUICK
@given(lam=st.fractions(min_value=0, max_value=1, max_denominator=20))
def test_randomized_response_by_hand(lam: Fraction) -> None:
    model = response(bits(2), lam=lam)
    truth = {0: 1 - lam, 1: lam}
    expected = {(a, b): truth[a] * truth[1 - b] for a in (0, 1) for b in (0, 1)}
    assert model.distribution((0, 1)) == {y: p for y, p in expected.items() if p}
    assert model.batch([((0, 1), y) for y in expected]) == pytest.approx([float(p) for p in expected.values()])


def test_a_long_list_is_counted_before_it_is_refused() -> None:
    model = response(bits(40), lam="1/5")
    with pytest.raises(TooLarge, match=str(2**40)):
        model.distribution((0,) * 40)
    assert model.probability((0,) * 40, (0,) * 40) == Fraction(4, 5) ** 40


def test_probability_matrix() -> None:
    matrix = response(bits(1), lam="1/5").inference([((0,), (0,)), ([1], [0])])
    assert isinstance(matrix, ProbabilityMatrix)
    assert matrix[(0,), (0,)] == Fraction(4, 5) and matrix[[1], [0]] == Fraction(1, 5)
    assert matrix.inputs == ((0,), (1,)) and matrix.outputs == ((0,),)
    assert len(matrix) == 2 and dict(matrix) == {((0,), (0,)): Fraction(4, 5), ((1,), (0,)): Fraction(1, 5)}
    assert str(matrix).splitlines()[1].split() == ["(0,)", "4/5", "1/5"]
    with pytest.raises(KeyError):
        matrix[(1,), (1,)]


def test_a_large_matrix_prints_its_corner() -> None:
    model = response(bits(4), lam="1/5")
    text = str(model.inference([(x, y) for x in bits(4) for y in bits(4)]))
    assert "16 inputs, 16 outputs, 256 probabilities" in text and len(text.splitlines()) == 14
