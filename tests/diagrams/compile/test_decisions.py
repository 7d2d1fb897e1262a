"""Tables written as nested conditions: the diagram is that of the conditions, and rows may share a denominator."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.diagrams.compile.test_segments import QUICK
from tests.languages.dice.direct import run_directly
from tests.oracle.test_random_terms import compiled, outcomes, random_programs

from taut import dice
from taut.diagrams import skipped
from taut.diagrams.compile import decisions
from taut.mechanisms import CATALOG
from taut.program import Program


def network(seed: int, nodes: int) -> str:
    """A small Bayesian network: each node a table over up to three earlier ones, some rows certain, some observed."""
    source = random.Random(seed)
    arity: list[int] = []
    lines = []
    for node in range(nodes):
        arity.append(source.choice([2, 2, 3, 4]))
        parents = sorted(source.sample(range(node), min(node, source.choice([0, 1, 2, 2, 3]))))
        lines.append(f"let x{node} = {table(source, parents, arity, arity[node])} in")
        if source.random() < 0.2:
            lines.append(f"let seen = observe (x{node} != int({(arity[node] - 1).bit_length()}, 0)) in")
    return "\n".join([*lines, f"(x{nodes - 1}, x{source.randrange(nodes)})"])


def table(source: random.Random, parents: list[int], arity: list[int], size: int) -> str:
    if not parents:
        weights = [source.choice([0, 1, 2, 3]) for _ in range(size - 1)] + [1]
        return f"discrete({', '.join(f'{weight}/{sum(weights)}' for weight in weights)})"
    first, *rest = parents
    text = table(source, rest, arity, size)
    for value in source.sample(range(arity[first]), arity[first] - 1):
        test = f"x{first} == int({(arity[first] - 1).bit_length()}, {value})"
        text = f"(if {test} then {table(source, rest, arity, size)} else {text})"
    return text


@settings(max_examples=24, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_tables_are_what_running_gives(seed: int) -> None:
    text = network(seed, 4)
    truth, evidence = run_directly(text)
    if evidence:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(skipped, "_SHORT", -1)
            model = dice(text + "\n")
            joint = model.joint()
        assert {model.text(value): weight for value, weight in joint.distribution.items()} == truth
        assert joint.evidence == evidence


@pytest.mark.parametrize("seed", range(12))
def test_tables_do_not_change_the_diagram(seed: int) -> None:
    text = network(seed, 12) + "\n"
    looked_up = dice(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "_FEWEST", 10**9)
        one_by_one = dice(text)
        assert one_by_one.size == looked_up.size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skipped, "_SHORT", 10**9)
        plain = one_by_one.joint()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skipped, "_SHORT", -1)
        assert looked_up.joint() == plain


@settings(parent=QUICK, max_examples=48)
@given(program=random_programs())
def test_random_terms_as_tables(program: Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "_FEWEST", 1)
        patch.setattr(skipped, "_SHORT", -1)
        for x in program.domains[0]:
            assert compiled(program, x) == outcomes(program, x), f"at x={x!r}"


@pytest.mark.parametrize("name", ["k_ary_randomized_response", "exponential_mechanism", "permute_and_flip", "rappor"])
def test_single_probabilities_with_shared_denominators(name: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(skipped, "_SHORT", -1)
        model = CATALOG[name].model(2)
        channel = model.channel()
        for x in model.domain:
            found = channel.distribution(x)
            assert sum(found.values()) == 1
            assert all(channel.probability(x, y) == weight for y, weight in found.items())


def test_rows_of_a_table_share_a_denominator() -> None:
    """Of 120 rows over different primes a path looks at one."""
    primes = [p for p in range(10_007, 12_000) if all(p % d for d in range(2, 110))][:120]
    rows = "".join(f"if x == int(7, {value}) then flip 1/{prime} else " for value, prime in enumerate(primes))
    text = f"let x = uniform(7, 0, 120) in let y = ({rows}true) in let z = ({rows}true) in y && z\n"
    model = dice(text)
    groups = skipped.alternatives(model.relation.arrays, _rows(model))
    assert [group.stop - group.start for group in groups] == [120, 120]
    chance = sum(Fraction(1, prime**2) for prime in primes) / 120
    assert model.joint().distribution[True] == chance


def _rows(model: object) -> list[object]:
    from taut.diagrams.semirings import EXACT
    from taut.inference.fold import rows_of

    return rows_of(model.relation, EXACT, [])  # type: ignore[attr-defined]
