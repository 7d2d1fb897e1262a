"""What a user meets: models and their queries, mechanisms on real data, formulas, pictures, and deep programs."""

import gc
import weakref
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import (
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    Mechanism,
    MechanismError,
    Model,
    NotADistribution,
    UnsupportedValue,
    WrongArguments,
    bits,
    discrete,
    exp,
    flip,
    geometric,
    helper,
    integer,
    ints,
    mechanism,
    observe,
    uniform,
)
from taut.program import enumerate_outcomes


@mechanism
def response(x, lam):
    """Each client reports its bit, flipped with probability lam."""
    return [bit ^ flip(lam) for bit in x]


@mechanism
def count(x, lam="1/5"):
    return sum([bit ^ flip(lam) for bit in x])


@mechanism
def above_threshold(x, threshold, ratio, high):
    noisy_threshold = geometric(threshold, ratio, 0, high)
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, high) >= noisy_threshold:
            return i
    return len(x)


@mechanism
def two_databases(x, z):
    return x[0] + z if flip("1/3") else z


@mechanism
def only_ones(x):
    bit = flip("1/2")
    observe(bit == x[0])
    observe(x[0] == 1)
    return bit


# -- queries -----------------------------------------------------------------------------------------------------


def test_the_contract_of_a_model() -> None:
    model = response(bits(2), lam="1/5")
    assert isinstance(model, Model) and model.name == "response" and model.exact
    assert model.domain == bits(2) and "response" in repr(model)
    assert model.distribution((0, 1)) == {
        (0, 1): Fraction(16, 25),
        (0, 0): Fraction(4, 25),
        (1, 1): Fraction(4, 25),
        (1, 0): Fraction(1, 25),
    }
    assert model.distribution([0, 1]) == model.distribution((0, 1)) == enumerate_outcomes(model.program, (0, 1))
    assert model.probability([0, 1], [1, 0]) == Fraction(1, 25)
    assert model.size == model.relation.arrays.size
    assert sum(model.distribution((0, 1), semiring="float64").values()) == pytest.approx(1.0)


@pytest.mark.parametrize("lam", ["1/5", "0.2", 0.2, Fraction(1, 5)])
def test_numbers_may_be_written_in_any_way(lam: Any) -> None:
    assert response(bits(1), lam=lam).probability((0,), (1,)) == Fraction(1, 5)


def test_several_databases() -> None:
    model = two_databases(bits(1), integer(0, 2))
    assert model.domain == (bits(1), integer(0, 2))
    assert model.distribution(((1,), 2)) == {3: Fraction(1, 3), 2: Fraction(2, 3)}
    for wrong in (((1,),), (1,), ((1,), 3), "ab", 5):
        with pytest.raises(InvalidInput):
            model.distribution(wrong)


def test_fixing_an_input() -> None:
    model = response(bits(3), lam="1/5")
    fixed = model.fix((0, 1, 1))
    assert fixed.distribution(()) == fixed.distribution() == model.distribution((0, 1, 1))
    assert fixed.bdd_size == 5
    with pytest.raises(InvalidInput, match="still has inputs"):
        _ = model.bdd_size


def test_what_never_happens_has_probability_zero() -> None:
    model = response(bits(2), lam="1/5")
    for y in ((0,), (0, 1, 1), 5, None, "01", (0, 2), ((0, 1),), {}):
        assert model.probability((0, 1), y) == 0


def test_true_and_one_are_the_same_output() -> None:
    model = count(bits(1))
    assert model.probability((0,), True) == model.probability((0,), 1) == model.probability((0,), Fraction(1))


@pytest.mark.parametrize("x", [(0,), (0, 2), (0, 1, 1), 5, "01", None])
def test_queries_refuse_what_is_no_input(x: Any) -> None:
    model = response(bits(2), lam="1/5")
    for ask in (model.distribution, model.sample, model.fix, lambda x: model.probability(x, (0, 1))):
        with pytest.raises(InvalidInput):
            ask(x)
    with pytest.raises(InvalidInput):
        model.inference([(x, (0, 1))])


@pytest.mark.parametrize("pairs", [5, [5], [((0, 1),)], ["ab"], None])
def test_inference_wants_pairs(pairs: Any) -> None:
    with pytest.raises(InvalidInput, match="pairs"):
        response(bits(2), lam="1/5").inference(pairs)


def test_other_bad_questions() -> None:
    model = response(bits(1), lam="1/5")
    for number in (-1, 1.5, True):
        with pytest.raises(InvalidInput, match="count"):
            model.sample((0,), number)
    with pytest.raises(InvalidInput, match="semiring"):
        model.distribution((0,), semiring="decimal")


def test_impossible_evidence_names_the_input() -> None:
    model = only_ones(bits(1))
    assert model.distribution((1,)) == {1: 1}
    for ask in (model.distribution, model.sample, lambda x: model.probability(x, True)):
        with pytest.raises(ImpossibleEvidence, match=r"x=\(0,\)"):
            ask((0,))


def test_exponentials_give_balls() -> None:
    model = response(bits(2), lam=exp("-1"))
    assert not model.exact
    found = model.distribution((0, 0))
    assert all(isinstance(value, Ball) for value in found.values())
    assert sum(found.values(), Ball(0)).contains(1)
    assert model.probability((0, 0), (1, 0)).mid == found[1, 0].mid
    assert model.probability((0, 0), "never") == 0


def test_a_released_model_gives_its_memory_back() -> None:
    model = response(bits(6), lam="1/5")
    gone = [weakref.ref(model.relation), weakref.ref(model.program), weakref.ref(model)]
    model.distribution((0,) * 6)
    del model
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3


# -- mechanisms on data ------------------------------------------------------------------------------------------


def test_with_data_a_mechanism_runs_once() -> None:
    seen = Counter(response((0, 1), lam="1/2") for _ in range(300))
    assert seen.keys() == set(bits(2))
    assert response([0, 1], lam=0) == (0, 1)
    assert two_databases((1,), 2) in (2, 3)


def test_a_run_has_the_models_distribution() -> None:
    runs = 3000
    seen = Counter(above_threshold((1, 3), 2, "1/2", 3) for _ in range(runs))
    expected = above_threshold(ints(2, 0, 3), 2, "1/2", 3).distribution((1, 3))
    assert seen.keys() == expected.keys()
    assert all(abs(seen[y] / runs - expected[y]) < 0.06 for y in expected)


def test_a_run_that_contradicts_what_is_observed_is_made_anew() -> None:
    @mechanism
    def even(x):
        value = uniform(0, 5)
        observe(value % 2 == 0)
        kept = [entry for entry in x if flip("1/2")]
        observe(kept)
        return value, kept

    runs = [even((7, 8)) for _ in range(200)]
    assert {value for value, _ in runs} == {0, 2, 4}
    assert {kept for _, kept in runs} == {(7,), (8,), (7, 8)}


def test_lists_given_as_parameters_are_lists_in_a_run_too() -> None:
    @mechanism
    def changing(x, table):
        table.append(x[0])
        return table[-1] + len(table)

    assert changing(bits(1), table=[5]).distribution((1,)) == {3: 1}
    assert changing((1,), table=[5]) == 3


def test_a_mechanism_stays_a_function_with_a_name() -> None:
    assert isinstance(response, Mechanism) and response.__name__ == "response"
    assert response.__doc__ is not None and "flipped" in response.__doc__ and "response" in repr(response)
    with pytest.raises(WrongArguments):
        mechanism(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda: response(bits(2)),
        lambda: response(bits(2), lam="1/5", mu=3),
        lambda: response(bits(2), "1/5", "1/5"),
        lambda: response((0, 1)),
    ],
)
def test_wrong_arguments_are_refused(call: Any) -> None:
    with pytest.raises(WrongArguments, match=r"response.*\(x, lam\)"):
        call()


# -- helpers -----------------------------------------------------------------------------------------------------


@helper
def noisy_max(a, b):
    if a + flip("1/4") > b:
        return a
    return b


def unmarked(a, b):
    if a > b:
        return a
    return b


@mechanism
def uses_helper(x):
    return noisy_max(x[0], x[1])


@mechanism
def uses_unmarked(x):
    return unmarked(x[0], x[1])


@mechanism
def uses_mechanism(x):
    return sum(response(x, "1/5"))


def test_helpers_are_read() -> None:
    assert uses_helper(ints(2, 0, 2)).distribution((1, 1)) == {1: 1}
    assert uses_helper(ints(2, 0, 2)).distribution((0, 2)) == {2: 1}
    assert noisy_max(1, 5) == 5, "a helper stays an ordinary function"
    with pytest.raises(UnsupportedValue, match=r"@taut\.helper"):
        uses_unmarked(bits(2))


def test_mechanisms_call_mechanisms() -> None:
    assert uses_mechanism(bits(2)).distribution((0, 1)) == count(bits(2)).distribution((0, 1))


def test_a_failure_names_an_input_at_which_it_happens() -> None:
    @mechanism
    def division(value):
        return 6 // (value - flip("1/2"))

    with pytest.raises(MechanismError, match=r"test_model\.py:\d+:\d+: .*It happens at x=[01]\.") as caught:
        division(integer(0, 3))
    assert isinstance(caught.value, ZeroDivisionError)
    assert division(integer(2, 3)).distribution(3) == {2: Fraction(1, 2), 3: Fraction(1, 2)}


# -- formulas ----------------------------------------------------------------------------------------------------


def test_a_formula_is_a_model() -> None:
    model = taut.formula("y <-> (x ^ t)", inputs=["x"], outputs=["y"], weights={"t": "1/5"})
    assert model.distribution((0,)) == {(0,): Fraction(4, 5), (1,): Fraction(1, 5)}
    assert model.count() == 2 and model.domain == bits(1)
    assert model.inference([((0,), (1,))])[(0,), (1,)] == Fraction(1, 5)
    assert list(model.batch([((0,), (1,)), ((1,), (1,))])) == pytest.approx([0.2, 0.8])
    assert set(model.sample((1,), 30, seed=1)) == {(0,), (1,)}


def test_a_formula_that_is_no_mechanism_counts_only() -> None:
    model = taut.formula("y & x", inputs=["x"], outputs=["y"])
    assert model.count() == 1
    with pytest.raises(NotADistribution, match=r"x=\(0,\)"):
        model.distribution((0,))


def test_dimacs(tmp_path: Path) -> None:
    path = tmp_path / "or.cnf"
    path.write_text("c t wmc\np cnf 2 1\nc p weight 1 1/3 0\nc p weight -1 2/3 0\n1 2 0\n")
    assert taut.dimacs(path).count() == Fraction(1, 3) * 2 + Fraction(2, 3)


# -- pictures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("dot", b"digraph")])
def test_models_draw_themselves(tmp_path: Path, suffix: str, start: bytes) -> None:
    path = tmp_path / f"model.{suffix}"
    response(bits(2), lam="1/5").draw(path)
    assert path.read_bytes().startswith(start)


def test_a_drawing_of_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "formula.dot"
    taut.formula("y <-> (x ^ t)", inputs=["x"], outputs=["y"], weights={"t": "1/5"}).draw(path)
    assert "digraph" in path.read_text()


# -- deep and large ----------------------------------------------------------------------------------------------


def test_randomized_response_of_three_thousand() -> None:
    n = 3000
    model = response(bits(n), lam="1/5")
    assert model.probability((0,) * n, (0,) * n) == Fraction(4, 5) ** n
    assert model.probability((0,) * n, (1,) + (0,) * (n - 1)) == Fraction(4, 5) ** (n - 1) / 5
    assert model.size < 10 * n
    assert model.fix((0,) * n).bdd_size == n + 2
    assert len(model.sample((0,) * n, 2, seed=1)[0]) == n


def test_three_thousand_rounds_with_an_early_return() -> None:
    @mechanism
    def first_success(x):
        for i in range(3000):
            if flip("1/1000"):
                return i
        return x[0]

    model = first_success(bits(1))
    assert model.probability((0,), 2999) == Fraction(999, 1000) ** 2999 / 1000
    assert model.probability((0,), 1) == Fraction(999, 10**6)


def test_a_sum_of_three_hundred_noisy_bits() -> None:
    n = 300
    model = count(bits(n))
    expected = Fraction(4, 5) ** n
    assert model.probability((0,) * n, 0) == model.probability((1,) * n, n) == expected
    assert sum(model.distribution((0, 1) * (n // 2)).values()) == 1


def test_twenty_thousand_rounds_of_counting() -> None:
    @mechanism
    def long_loop(x):
        total = 0
        for i in range(20_000):
            total = (total + x[0] * (i % 2)) % 7
        return total if flip("1/3") else -1

    assert long_loop(bits(1)).distribution((1,)) == {10_000 % 7: Fraction(1, 3), -1: Fraction(2, 3)}


def test_twenty_thousand_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["from taut import flip, mechanism", "", "", "@mechanism", "def long(x):", "    a = x[0]"]
    lines += ["    a = 1 - a"] * 20_000
    lines += ["    return a ^ flip('1/4')", ""]
    (tmp_path / "long_program.py").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path)
    import long_program  # type: ignore[import-not-found]

    assert long_program.long(bits(1)).distribution((1,)) == {1: Fraction(3, 4), 0: Fraction(1, 4)}


def test_a_long_chain_of_dependent_draws() -> None:
    @mechanism
    def walk(x):
        place = x[0]
        for _ in range(100):
            place = (place + discrete({-1: "1/4", 0: "1/2", 1: "1/4"})) % 5
        return place

    model = walk(ints(1, 0, 4))
    assert sum(model.distribution((0,)).values()) == 1
    assert model.probability((0,), 2) == model.probability((1,), 3)
