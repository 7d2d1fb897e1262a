"""Comparisons of sums, extremes and distances of wide draws and inputs: enumerated, with ``==``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.oracle.test_random_terms import compiled, outcomes

from taut import bits, flip, integer, ints, mechanism, uniform
from taut.diagrams.compile import compile_program, compiler, order, segments
from taut.program import CoinVariable, InputVariable, Program, Term, Terms
from taut.program.program import reachable
from taut.support.options import Options

QUICK = settings(
    max_examples=70, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class Builder:
    """Comparisons over at most two wide coins, some flips and an input; seldom also a number that is no integer."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw, self.terms = draw, Terms()
        self.domain = draw(st.sampled_from([integer(0, 1), integer(-20, 20), ints(2, 0, 3), bits(0)]))
        self.inputs = [InputVariable(f"x{i}", self.domain.values) for i in range(self.domain.n)]
        wide, narrow = draw(st.integers(0, 2)), draw(st.integers(0, 3))
        sizes = draw(st.permutations([True] * wide + [False] * narrow)) or [True]
        self.coins = [self._coin(number, is_wide) for number, is_wide in enumerate(sizes)]

    def _coin(self, number: int, wide: bool) -> CoinVariable:
        if not wide:
            return CoinVariable(f"c{number}", (False, True), (Fraction(1, 3), Fraction(2, 3)), number)
        size, first = self.draw(st.integers(9, 45)), self.draw(st.integers(-30, 10))
        step = self.draw(st.sampled_from([1, 1, 3, -2]))
        outcomes = [first + step * place for place in range(size)]
        if self.draw(st.booleans()):
            outcomes[0], outcomes[size // 2] = outcomes[size // 2], outcomes[0]
        weights = [Fraction(1 + place % 3) for place in range(size)]
        return CoinVariable(f"c{number}", tuple(outcomes), tuple(w / sum(weights) for w in weights), number)

    def leaf(self) -> Term:
        place = self.draw(st.integers(0, len(self.coins) + len(self.inputs)))
        if place < len(self.coins):
            return self.terms.coin(place, self.coins[place].outcomes)
        place -= len(self.coins)
        if place < len(self.inputs):
            return self.terms.input(place, self.inputs[place].values)
        return self.terms.const(self.draw(st.sampled_from([0, 1, -7, 12, True, Fraction(1, 2)])))

    def number(self, depth: int) -> Term:
        make, kind = self.terms, self.draw(st.sampled_from(["leaf", "add", "sub", "mul", "neg", "max", "min", "abs"]))
        if depth == 0 or kind == "leaf":
            return self.leaf()
        if kind in ("neg", "abs"):
            return make.apply(kind, self.number(depth - 1))
        if kind == "mul":
            factor = make.const(self.draw(st.sampled_from([2, -1, 0, 16])))
            arguments = (factor, self.number(depth - 1))
            return make.apply("mul", *arguments[:: self.draw(st.sampled_from([1, -1]))])
        return make.apply(kind, self.number(depth - 1), self.number(depth - 1))

    def test(self) -> Term:
        return self.terms.apply(self.draw(st.sampled_from(COMPARISONS)), self.number(3), self.number(2))


@st.composite
def comparisons(draw: st.DrawFn) -> Program:
    build = Builder(draw)
    first, second = build.test(), build.test()
    make = build.terms
    output = draw(
        st.sampled_from([first, make.all(first, second), make.any(first, second), make.tuple([first, second])])
    )
    if draw(st.booleans()):
        output = make.ite(second, output, build.leaf())
    seen = make.true if draw(st.booleans()) else build.test()
    return Program("random", (build.domain,), tuple(build.inputs), tuple(build.coins), output, seen, make)


def opened_nowhere(patch: pytest.MonkeyPatch) -> None:
    for module in (compiler, order, segments):
        patch.setattr(module, "inner_terms", lambda order, keep: set[Term]())


@QUICK
@given(program=comparisons(), data=st.data())
def test_they_are_what_the_enumerator_says(program: Program, data: st.DataObject) -> None:
    x = data.draw(st.sampled_from(list(program.domains[0])))
    assert compiled(program, x) == outcomes(program, x)


@QUICK
@given(program=comparisons())
def test_the_diagram_is_the_one_that_whole_sums_give(program: Program) -> None:
    with pytest.MonkeyPatch.context() as patch:
        found = compile_program(program, Options(order="program"))
        opened_nowhere(patch)
        whole = compile_program(program, Options(order="program"))
    assert [set(slot.values) for slot in found.outputs] == [set(slot.values) for slot in whole.outputs]
    sizes = [[level.stop - level.start for level in one.arrays.levels] for one in (found, whole)]
    assert sizes[0] == sizes[1]


@mechanism
def two_numbers(x, n, relation):
    a = b = 0
    for _ in range(n):
        a = 2 * a + flip("1/2")
        b = 2 * b + flip("1/3")
    if relation == "eq":
        return a == b + x
    return a < b + x if relation == "lt" else abs(a - b) <= 1 + x if relation == "abs" else a - 5 < 3 * n


def by_hand(n: int, relation: str, x: int) -> Fraction:
    """The probability of True, by the distribution of both numbers."""
    a, b = {0: Fraction(1)}, {0: Fraction(1)}
    for _ in range(n):
        a = {2 * v + bit: p / 2 for v, p in a.items() for bit in (0, 1)}
        b = {2 * v + bit: p * Fraction(1 + (1 - bit), 3) for v, p in b.items() for bit in (0, 1)}
    holds: Any = {
        "eq": lambda p, q: p == q + x,
        "lt": lambda p, q: p < q + x,
        "abs": lambda p, q: abs(p - q) <= 1 + x,
        "bound": lambda p, q: p - 5 < 3 * n,
    }[relation]
    return sum((a[p] * b[q] for p in a for q in b if holds(p, q)), Fraction(0))


@pytest.mark.parametrize("relation", ["eq", "lt", "abs", "bound"])
def test_numbers_of_bits(relation: str) -> None:
    for n in (1, 2, 5):
        model = two_numbers(integer(0, 1), n=n, relation=relation)
        for x in (0, 1):
            assert model.distribution(x).get(True, 0) == by_hand(n, relation, x)
    assert two_numbers(integer(0, 1), n=64, relation=relation).size < 1500


@mechanism
def ordered(x):
    return uniform(0, 65535) < uniform(0, 65535) + x


def test_a_comparison_has_as_many_nodes_as_values() -> None:
    model = ordered(integer(0, 1)).fix(1)
    assert model.size == 65536 + 4
    values = 65536
    assert model.probability((), True) == Fraction(values * (values + 1) // 2, values**2)
    runs = {len(partition.ends) for partition in model.relation.arrays.partitions}
    assert len(runs - {values}) <= 2 and max(runs - {values}) <= 2


def test_inner_terms_are_looked_at_by_one_user_only() -> None:
    terms = Terms()
    a, b = terms.coin(0, tuple(range(300))), terms.coin(1, tuple(range(300)))
    total = terms.apply("add", a, b)
    once = terms.apply("lt", total, terms.const(7))
    assert compiler.inner_terms(reachable([once]), {once}) == {total}
    twice = terms.tuple([once, terms.apply("eq", total, terms.const(9))])
    assert compiler.inner_terms(reachable([twice]), {twice}) == set()
