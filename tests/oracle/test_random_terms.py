"""Random terms: the diagram of a program has exactly the distribution that enumerating its coins has."""

from fractions import Fraction
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taut import ImpossibleEvidence, MechanismError, bits, integer, ints
from taut.diagrams.compile import compile_program
from taut.diagrams.semirings import EXACT
from taut.inference.distribution import distribution
from taut.model import Model
from taut.program import CoinVariable, InputVariable, Program, Term, Terms, enumerate_outcomes, pointwise
from taut.program.replay import replay
from taut.support.options import ORDERS, Options

QUICK = settings(
    max_examples=90, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
NUMERIC = ("add", "sub", "mul", "min", "max")
BITWISE = ("bitand", "bitor", "bitxor")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "same")
DOMAINS = (bits(2), ints(1, -1, 1), integer(0, 3), bits(0))


def _remainder(value: Any) -> Any:
    return value % 3


def _between(low: Any, value: Any, high: Any) -> bool:
    return bool(low <= value <= high)


REMAINDER = pointwise(_remainder, "remainder")
BETWEEN = pointwise(_between, "between")


class Builder:
    """Builds terms of small numbers and Booleans over a few coins and the inputs of a domain."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.terms = Terms()
        self.domain = draw(st.sampled_from(DOMAINS))
        self.inputs = [InputVariable(f"x{i}", self.domain.values) for i in range(self.domain.n)]
        self.coins = [self._coin(i) for i in range(draw(st.integers(1, 4)))]

    def _coin(self, index: int) -> CoinVariable:
        outcomes = self.draw(st.sampled_from([(False, True), (0, 1, 2), (-1, 0, 1, 2, 5), (True, 2, 3)]))
        shares = self.draw(st.lists(st.integers(1, 5), min_size=len(outcomes), max_size=len(outcomes)))
        weights = tuple(Fraction(share, sum(shares)) for share in shares)
        return CoinVariable(f"c{index}", outcomes, weights, self.draw(st.integers(0, index)))

    def one(self, options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def leaf(self) -> Term:
        kinds = ["coin", "coin", "constant"] + (["input"] * 2 if self.inputs else [])
        kind = self.one(kinds)
        if kind == "coin":
            place = self.draw(st.integers(0, len(self.coins) - 1))
            return self.terms.coin(place, self.coins[place].outcomes)
        if kind == "input":
            place = self.draw(st.integers(0, len(self.inputs) - 1))
            return self.terms.input(place, self.inputs[place].values)
        return self.terms.const(self.one([0, 1, 2, -1, True, False, Fraction(1, 2)]))

    def whole(self) -> Term:
        """A leaf that is an integer, never a Fraction."""
        found = self.leaf()
        return found if not isinstance(getattr(found, "value", 0), Fraction) else self.terms.const(2)

    def number(self, depth: int) -> Term:
        if depth == 0:
            return self.leaf()
        make = self.terms
        kind = self.one(["binary", "binary", "ite", "select", "unary", "many", "bits", "divide", "power", "test"])
        if kind == "binary":
            return make.apply(self.one(NUMERIC), self.number(depth - 1), self.number(depth - 1))
        if kind == "ite":
            return make.ite(self.test(depth - 1), self.number(depth - 1), self.number(depth - 1))
        if kind == "select":
            index = make.apply(REMAINDER, self.number(depth - 1))
            keys = (0, 1, 2, Fraction(1, 2), Fraction(3, 2), Fraction(5, 2))
            remainder = make.apply("floordiv", index, make.const(1))
            items = [self.number(depth - 1) for _ in range(3)]
            return make.select(remainder, keys[:3], items)
        if kind == "unary":
            return make.apply(self.one(["neg", "abs", "pos"]), self.number(depth - 1))
        if kind == "many":
            parts = [self.number(depth - 1) for _ in range(3)]
            return make.apply(self.one(["add", "min", "max"]), *parts)
        if kind == "bits":
            return make.apply(self.one(BITWISE), self.whole(), self.whole())
        if kind == "divide":
            name = self.one(["floordiv", "mod", "truediv"])
            return make.apply(name, self.number(depth - 1), make.const(self.one([2, 3, -2])))
        if kind == "power":
            return make.apply("pow", make.apply(REMAINDER, self.number(depth - 1)), make.const(2))
        return self.test(depth - 1)

    def test(self, depth: int) -> Term:
        """A Boolean term."""
        make = self.terms
        if depth <= 0:
            return make.apply(self.one(COMPARISONS), self.leaf(), self.leaf())
        kind = self.one(["compare", "and", "or", "not", "truth", "between"])
        if kind == "compare":
            return make.apply(self.one(COMPARISONS), self.number(depth - 1), self.number(depth - 1))
        if kind == "not":
            return make.negate(self.test(depth - 1))
        if kind == "truth":
            return make.truth(self.number(depth - 1))
        if kind == "between":
            return make.apply(BETWEEN, *[self.number(depth - 1) for _ in range(3)])
        parts = [self.test(depth - 1) for _ in range(self.draw(st.integers(2, 3)))]
        return make.all(*parts) if kind == "and" else make.any(*parts)

    def output(self, depth: int) -> Term:
        make = self.terms
        kind = self.one(["number", "number", "tuple", "either", "chosen"])
        if depth == 0 or kind == "number":
            return self.number(2)
        if kind == "tuple":
            return make.tuple([self.output(depth - 1) for _ in range(self.draw(st.integers(0, 3)))])
        if kind == "either":
            return make.ite(self.test(1), self.output(depth - 1), self.output(depth - 1))
        place = self.draw(st.integers(0, len(self.coins) - 1))
        coin = self.coins[place]
        items = [self.output(depth - 1) for _ in coin.outcomes]
        return make.select(make.coin(place, coin.outcomes), coin.outcomes, items)


@st.composite
def random_programs(draw: st.DrawFn, evidence: bool = True, scalar: bool = False) -> Program:
    build = Builder(draw)
    output = build.number(3) if scalar else build.output(2)
    seen = build.test(2) if evidence and draw(st.booleans()) else build.terms.true
    domains = (build.domain,)
    return Program("random", domains, tuple(build.inputs), tuple(build.coins), output, seen, build.terms)


def outcomes(program: Program, x: Any) -> dict[Any, Fraction] | None:
    """The enumerated distribution, None where the evidence is impossible."""
    try:
        return enumerate_outcomes(program, x)
    except ImpossibleEvidence:
        return None


def compiled(program: Program, x: Any, order: str = "auto") -> dict[Any, Fraction] | None:
    """The same off the diagram."""
    relation = compile_program(program, Options(order=order))
    places = [v.values.index(entry) for v, entry in zip(program.inputs, program.entries(x), strict=True)]
    masses = distribution(relation, places, EXACT, 10**6)
    total = sum(masses.values())
    found: dict[Any, Fraction] = {}
    for positions, mass in masses.items():
        y = relation.decode(positions)
        assert y not in found, "two rows for one output"
        found[y] = mass / total
    return found or None


@QUICK
@given(program=random_programs())
def test_compiled_is_enumerated(program: Program) -> None:
    for x in program.domains[0]:
        assert compiled(program, x) == outcomes(program, x), f"at x={x!r}"


@settings(parent=QUICK, max_examples=48)
@given(program=random_programs(), order=st.sampled_from(ORDERS))
def test_no_order_changes_an_answer(program: Program, order: str) -> None:
    for x in program.domains[0]:
        assert compiled(program, x, order) == outcomes(program, x), f"at x={x!r}"


@QUICK
@given(program=random_programs())
def test_fixing_an_input_changes_nothing(program: Program) -> None:
    for x in program.domains[0]:
        fixed = program.fix(x)
        assert fixed.inputs == fixed.domains == ()
        assert outcomes(fixed, ()) == outcomes(program, x), f"at x={x!r}"
        assert compiled(fixed, ()) == outcomes(program, x), f"at x={x!r}"


@settings(parent=QUICK, max_examples=60)
@given(program=random_programs())
def test_replayed_is_enumerated(program: Program) -> None:
    """Deciding coin after coin, and events that share no coin apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("taut.program.replay"), "_FEW", 0)
        for x in program.domains[0]:
            expected = outcomes(program, x)
            if expected is not None:
                for y in [*expected, "another"]:
                    assert replay(program, x, y)[0] == expected.get(y, 0), f"at x={x!r}, y={y!r}"


@st.composite
def parallel_programs(draw: st.DrawFn) -> Program:
    """Programs whose output is a list of terms most of which share no coin."""
    build = Builder(draw)
    parts = [build.number(draw(st.integers(0, 2))) for _ in range(draw(st.integers(2, 5)))]
    seen = build.terms.all(*[build.test(0) for _ in range(draw(st.integers(0, 2)))])
    output = build.terms.tuple(parts)
    return Program("random", (build.domain,), tuple(build.inputs), tuple(build.coins), output, seen, build.terms)


@settings(parent=QUICK, max_examples=60)
@given(program=parallel_programs())
def test_replayed_in_parts_is_enumerated(program: Program) -> None:
    test_replayed_is_enumerated.hypothesis.inner_test(program)  # type: ignore[attr-defined]


@settings(parent=QUICK, max_examples=36)
@given(program=random_programs())
def test_single_probabilities_sum_to_one(program: Program) -> None:
    model = Model(program)
    assert model.size >= 2
    for x in program.domains[0]:
        expected = outcomes(program, x)
        if expected is None:
            with pytest.raises(ImpossibleEvidence):
                model.distribution(x)
        else:
            assert {y: model.probability(x, y) for y in expected} == expected
            assert set(model.sample(x, 5, seed=0)) <= expected.keys()


@QUICK
@given(program=random_programs(evidence=False, scalar=True))
def test_values_hold_all_that_a_term_takes(program: Program) -> None:
    """The tracked values of a term are never too few."""
    for x in program.domains[0]:
        assert all(y in program.output.values for y in enumerate_outcomes(program, x))


def test_undefined_is_never_listed() -> None:
    make = Terms()
    coin = make.coin(0, (0, 1))
    output = make.apply("floordiv", make.const(6), coin)
    weights = (Fraction(1, 3), Fraction(2, 3))
    assert output.failure is not None
    program = Program("p", (bits(0),), (), (CoinVariable("c", (0, 1), weights, 0),), output, make.true, make)
    with pytest.raises(MechanismError, match="undefined"):
        enumerate_outcomes(program, ())
    seen = Program("p", (bits(0),), (), program.coins, output, make.truth(coin), make)
    assert compiled(seen, ()) == enumerate_outcomes(seen, ()) == {6: 1}


def test_equal_terms_are_one_object() -> None:
    make = Terms()
    a, b = make.coin(0, (0, 1)), make.coin(1, (0, 1))
    assert make.apply("add", a, b) is make.apply("add", a, b)
    assert make.const(1) is not make.const(True)
    assert make.negate(make.negate(make.truth(a))) is make.truth(a)
    assert make.all(make.truth(a), make.negate(make.truth(a))) is make.false
    assert make.ite(make.true, a, b) is a and make.ite(make.truth(a), b, b) is b


def test_a_tuple_in_one_branch_is_no_boolean() -> None:
    make = Terms()
    coin = make.coin(0, (False, True))
    pair = make.tuple([make.const(0)])
    coins = (CoinVariable("c", (False, True), (Fraction(1, 3), Fraction(2, 3)), 0),)
    for then, other in ((pair, make.true), (make.true, pair), (pair, make.false), (make.false, pair)):
        program = Program("p", (bits(0),), (), coins, make.ite(coin, then, other), make.true, make)
        assert compiled(program, ()) == enumerate_outcomes(program, ())


def test_text_is_added_in_the_order_written() -> None:
    make = Terms()
    domain = bits(1)
    coin, entry = make.coin(0, ("a", "b")), make.input(0, (0, 1))
    word = make.select(entry, (0, 1), (make.const("c"), make.const("d")))
    coins = (CoinVariable("c", ("a", "b"), (Fraction(1, 3), Fraction(2, 3)), 0),)
    inputs = (InputVariable("x", (0, 1)),)
    for parts in ((coin, word), (word, coin), (make.const("z"), word, coin), (word, make.const("z"))):
        output = make.apply("add", *parts)
        program = Program("p", (domain,), inputs, coins, output, make.true, make)
        for x in domain:
            assert compiled(program, x) == enumerate_outcomes(program, x)
