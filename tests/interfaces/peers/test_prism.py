"""Exported PRISM models, checked by Storm in exact arithmetic, have the mechanism's distribution."""

import itertools
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.corpus.case import Case
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.oracle.test_corpus import CASES

from taut import ImpossibleEvidence, InvalidInput, bits, flip, ints, mechanism, observe
from taut.interfaces.peers.storm import ask_storm, naive_model, prism_model, query_storm, storm_missing
from taut.mechanisms import CATALOG, above_threshold, randomized_response, rr_count
from taut.program import enumerate_outcomes

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "90")) // 5
needs_storm = pytest.mark.skipif(storm_missing() is not None, reason=storm_missing() or "")


def first_and_last(case: Case) -> list[Any]:
    inputs = [x for x, _ in case.inputs()]
    return [inputs[0], inputs[-1]] if len(inputs) > 1 else inputs


@needs_storm
@pytest.mark.parametrize("name", CATALOG)
def test_every_shipped_mechanism(name: str) -> None:
    model = CATALOG[name].model(2)
    inputs = list(model.domain)
    for x in (inputs[0], inputs[len(inputs) // 2]):
        assert ask_storm(prism_model(model.program.fix(x))).answers == model.distribution(x)
    assert ask_storm(prism_model(model.program)).answers == model.distribution(inputs[0])


@needs_storm
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_mechanism_of_the_corpus(case: Case) -> None:
    model = case.model()
    x = first_and_last(case)[-1]
    assert ask_storm(prism_model(model.program.fix(x))).answers == model.distribution(x)


@needs_storm
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
@given(program=programs(without=frozenset({"grow"})))
def test_random_programs(program: GeneratedProgram) -> None:
    with loaded(program) as case:
        model = case.mechanism(**case.databases, **case.parameters)
        for x in first_and_last(case):
            fixed = model.program.fix(x)
            try:
                truth = enumerate_outcomes(fixed, ())
            except ImpossibleEvidence:
                continue
            exported = prism_model(fixed)
            assert ask_storm(exported).answers == truth, f"at {x!r}\n{exported.text}\n{program!r}"


@needs_storm
def test_impossible_evidence_is_an_error() -> None:
    @mechanism
    def never(x: Any) -> Any:
        observe(flip("1/3") and x[0])
        return 1

    with pytest.raises(ImpossibleEvidence):
        ask_storm(prism_model(never(bits(1)).program.fix((0,))))


@needs_storm
@pytest.mark.parametrize(("n", "states", "transitions"), [(2, 49, 100), (4, 2401, 8488), (5, 16807, 73054)])
def test_the_naive_chain_has_the_published_size(n: int, states: int, transitions: int) -> None:
    model = randomized_response(bits(n), lam="1/5")
    naive = naive_model(model.program)
    x, y = (0,) * n, (1,) + (0,) * (n - 1)
    run = query_storm(naive.text, {(x, y): naive.event(x, y)})
    assert (run.sizes["states"], run.sizes["transitions"]) == (states, transitions)
    assert run.answers[x, y] * 2**n == model.probability(x, y)


@needs_storm
def test_the_naive_chain_answers_every_pair() -> None:
    model = randomized_response(bits(2), lam="1/3")
    naive = naive_model(model.program)
    pairs = list(itertools.product(itertools.product((0, 1), repeat=2), repeat=2))
    run = query_storm(naive.text, {pair: naive.event(*pair) for pair in pairs})
    assert all(run.answers[x, y] * 4 == model.probability(x, y) for x, y in pairs)


@needs_storm
def test_a_sum_and_an_early_return_remember_little() -> None:
    """Counting: one state for each step and count. Above-threshold: the threshold, and an end for each result."""
    n = 20
    run = ask_storm(prism_model(rr_count(bits(n), lam="1/5").program.fix((0,) * n)))
    assert run.sizes["states"] == (n + 1) * (n + 2) // 2
    run = ask_storm(prism_model(above_threshold(ints(n, 0, 3), 2, "1/2", 3).program.fix((1,) * n)))
    assert run.sizes["states"] < 5 * n


@pytest.mark.parametrize("name", ["rr_count", "above_threshold", "k_ary_randomized_response"])
def test_the_naive_encoding_is_for_randomized_response(name: str) -> None:
    with pytest.raises(InvalidInput, match="naive"):
        naive_model(CATALOG[name].model(2).program)
    with pytest.raises(InvalidInput, match="naive"):
        naive_model(CATALOG["randomized_response"].model(2).program.fix((0, 0)))
    with pytest.raises(InvalidInput, match="lists of bits"):
        naive_model(randomized_response(ints(2, 0, 2), lam="1/5").program)


def test_models_are_written_without_recursion() -> None:
    n = 600
    text = prism_model(mechanism(lambda x: sum(b ^ flip("1/3") for b in x))(bits(n)).program.fix((0,) * n)).text
    assert "step : [0..600]" in text and max(map(len, text.splitlines())) < 300


@needs_storm
def test_a_run_is_not_over_before_its_evidence_is_known() -> None:
    @mechanism
    def late(x: Any) -> Any:
        a, b = flip("1/4"), flip("1/2")
        observe(a or not b)
        return a

    model = late(bits(1))
    assert ask_storm(prism_model(model.program.fix((0,)))).answers == model.distribution((0,))
