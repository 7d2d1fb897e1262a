"""One way to ask: every solver gives the same answer or the same refusal, and 'auto' says why it took which."""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle.questions import FIRST, asked_first

from taut import (
    INFINITY,
    ImpossibleEvidence,
    InvalidInput,
    InvalidNeighbors,
    NoNeighbors,
    TautError,
    bits,
    categories,
    flip,
    formula,
    geometric,
    ints,
    mechanism,
    observe,
)
from taut.mechanisms import above_threshold, randomized_response, report_noisy_max, rr_count
from taut.neighbors import neighbors_of
from taut.questions.bound import Bound
from taut.questions.privacy import LargestRatio
from taut.synthesis import METHODS, Budget, Problem, auto, solve
from taut.synthesis.search.solver import BySearch

EVERY = ("auto", *METHODS)


@mechanism
def plain(x: Any) -> Any:
    return x[0]


@mechanism
def impossible(x: Any) -> Any:
    observe(flip("1/3") and x[0] != x[0])
    return x[0]


@mechanism
def impossible_at_c(x: Any) -> Any:
    observe(flip("1/3") and x[0] != "c")
    return x[0]


def refusal(method: str, algorithm: Any, neighbors: Any) -> TautError:
    with pytest.raises(TautError) as problem:
        algorithm(categories(1, "abc")).privacy(neighbors, method=method)
    return problem.value


@pytest.mark.parametrize("method", EVERY)
def test_every_method_refuses_alike(method: str) -> None:
    """Impossible evidence comes first, whatever else is wrong with the relation on this domain."""
    for neighbors in ("one_differ", "one_step"):
        assert type(refusal(method, impossible, neighbors)) is ImpossibleEvidence
        assert refusal(method, impossible_at_c, neighbors).value == ("c",)
    assert type(refusal(method, plain, "one_step")) is InvalidNeighbors
    assert type(refusal(method, plain, [(("a",), ("z",))])) is InvalidNeighbors
    with pytest.raises(NoNeighbors):
        plain(categories(1, "a")).privacy(method=method)
    with pytest.raises(ImpossibleEvidence):
        impossible(categories(1, "a")).privacy(method=method)


@pytest.mark.parametrize("method", ["auto", "search", "exhaustive"])
def test_relations_that_relate_nothing(method: str) -> None:
    for neighbors in ([], lambda x, x_prime: False):
        assert type(refusal(method, plain, neighbors)) is NoNeighbors
        assert type(refusal(method, impossible_at_c, neighbors)) is ImpossibleEvidence


@pytest.mark.parametrize("size", [1, 12, 100])
@pytest.mark.parametrize("method", ["auto", "search", *FIRST])
def test_values_far_apart_have_no_neighbours(method: str, size: int) -> None:
    """However many entries there are, nothing is compiled and no solver answers; evidence comes first."""
    reports = mechanism(lambda x: [geometric(value, "1/2", 0, 7) for value in x])
    total = mechanism(lambda x: geometric(sum(x), "1/2", 0, 7))
    highest = mechanism(lambda x: max([geometric(value, "1/2", 0, 7) for value in x[:9]]))
    with asked_first(method) as name:
        for algorithm, neighbors in itertools.product((reports, total, highest), ("one_step", "all_step")):
            model = algorithm(categories(size, (0, 2, 5)))
            for ask in (
                model.privacy,
                model.profile,
                functools.partial(model.delta, 1),
                functools.partial(model.renyi, 2),
            ):
                with pytest.raises(NoNeighbors):
                    ask(neighbors=neighbors, method=name)
        with pytest.raises(NoNeighbors):
            reports(categories(size, [3])).privacy("one_differ", method=name)
        with pytest.raises(ImpossibleEvidence):
            impossible(categories(min(size, 12), (0, 2, 5))).privacy("one_step", method=name)


@pytest.mark.parametrize("method", EVERY)
def test_outputs_that_never_differ_need_no_nodes(method: str) -> None:
    def constant(x: Any) -> Any:
        b = flip("1/3") + x[0] * 0
        return [b * 0, b + b]

    bound = mechanism(constant)(bits(1)).privacy(method=method)
    assert bound.max_ratio == 1 and bound.witness.y[0] == 0 and bound.verify()


def test_auto_says_why() -> None:
    few = randomized_response(bits(3), lam="1/5").privacy()
    assert few.stats["why"] == "there are at most 192 triples, few enough to look at all and to count the worst"
    parts = randomized_response(bits(30), lam="1/5").privacy()
    assert parts.method == "decomposition" and "30 independent parts, 1 different" in parts.stats["why"]
    many = above_threshold(ints(12, 0, 3), threshold=1, ratio="1/2", high=3).privacy()
    assert many.method == "search" and "too many to look at all; a search needs no list" in many.stats["why"]
    inputs = rr_count(bits(4), lam="1/5").accuracy(sum, 1)
    assert inputs.stats["why"].startswith("there are at most 16 inputs")


def without_room(self: BySearch, problem: Problem, budget: Budget) -> Bound:
    """A search that has learned nothing when its room ends."""
    witness = problem.measure.witness([problem.channel.x([0] * len(problem.channel.values))] * problem.measure.runs, 0)
    stats = {"stopped": "max_beliefs=7"}
    return problem.measure.bound(Fraction(0), INFINITY, method=self.name, stats=stats, witness=witness)


def test_auto_goes_on_where_a_search_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Symmetries leave little to look at; where there are none, everything is, if that is possible at all."""
    expected = rr_count(bits(21), lam="1/5").privacy().max_ratio
    probability = rr_count(bits(21), lam="1/5").accuracy(sum, 2).probability
    monkeypatch.setattr(BySearch, "solve", without_room)
    for attempts in ("_BY_CELLS", "_BY_RELEASE", "_BY_HUBS"):
        monkeypatch.setattr(auto, attempts, ())  # which need no search
    bound = rr_count(bits(21), lam="1/5").privacy()
    accuracy = rr_count(bits(21), lam="1/5").accuracy(sum, 2)
    assert bound.max_ratio == expected and accuracy.probability == probability
    for one in (bound, accuracy):
        assert one.method == "restricted" and one.exact
        assert one.stats["why"].startswith("the search passed max_beliefs=7, and the symmetries leave")
    pairs = [((0,) * 20, (1,) * 20), ((0,) * 19 + (1,), (0,) * 20)]
    listed = rr_count(bits(20), lam="1/5").privacy(pairs)
    assert listed.exact and listed.max_ratio == 4**20


def test_hubs_are_asked_at_once_where_few_inputs_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The diagram of all inputs takes longer than the distributions of a few, so that it is not even begun."""

    def ratio() -> Bound:
        return report_noisy_max(ints(4, 0, 12), ratio="1/2", high=12).privacy("one_step")

    expected = ratio()

    def unwanted(*given: Any) -> Bound:
        raise AssertionError(given)

    monkeypatch.setattr(auto, "_SOON", 0.0)
    monkeypatch.setattr(auto, "_searched", unwanted)
    bound = ratio()
    assert bound.exact and bound.max_ratio == expected.max_ratio == 2


def test_a_budget_of_few_beliefs_makes_pieces_small() -> None:
    problem = Problem(rr_count(bits(6), lam="1/5").channel(), neighbors_of("one_differ"), LargestRatio())
    bound, expected = solve(problem, "exhaustive", Budget(max_beliefs=2)), solve(problem, "exhaustive")
    assert bound.exact and bound.lower == expected.lower and bound.witness == expected.witness
    assert bound.count == expected.count and bound.stats["pieces"] > expected.stats.get("pieces", 1)


def test_a_method_that_is_not_one() -> None:
    with pytest.raises(InvalidInput, match="auto, search, exhaustive, restricted"):
        solve(Problem(plain(bits(1)).channel(), neighbors_of("one_differ"), LargestRatio()), "magic")


@pytest.mark.parametrize("method", ["auto", "search"])
def test_a_predicate_that_cannot_be_read_is_asked_pair_by_pair(method: str) -> None:
    def related(x: Any, x_prime: Any) -> bool:
        return (
            hash(str(x)) != hash(str(x_prime)) and sum(map(abs, (a - b for a, b in zip(x, x_prime, strict=True)))) == 1
        )

    model = randomized_response(ints(2, 0, 1), lam="1/5")
    bound = model.privacy(related, method=method)
    assert bound.max_ratio == 4 and bound.method == ("search" if method == "search" else "exhaustive")


# -- formulas ----------------------------------------------------------------------------------------------------

weights = st.fractions(min_value=Fraction(1, 9), max_value=2, max_denominator=9)


def brute(n: int, shares: Sequence[Fraction]) -> Fraction:
    """The largest ratio of reports that lie with the given probabilities, by listing all cases."""
    best = Fraction(0)
    for x, y in itertools.product(itertools.product((0, 1), repeat=n), repeat=2):
        for entry in range(n):
            p, q = Fraction(1), Fraction(1)
            for place, (a, b) in enumerate(zip(x, y, strict=True)):
                lie = shares[place]
                other = 1 - a if place == entry else a
                p *= lie if a != b else 1 - lie
                q *= lie if other != b else 1 - lie
            best = max(best, p / q)
    return best


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(weights, weights), min_size=1, max_size=3))
def test_formulas_have_privacy_bounds_too(pairs: list[tuple[Fraction, Fraction]]) -> None:
    """Weights need not sum to one: a variable that nothing mentions makes up for it."""
    n = len(pairs)
    total = Fraction(1)
    for pair in pairs:
        total *= sum(pair)
    text = " & ".join([*[f"(y{i} <-> (x{i} ^ t{i}))" for i in range(n)], "(u | !u)"])
    given = {f"t{i}": pair for i, pair in enumerate(pairs)} | {"u": (1 / total / 3, 2 / total / 3)}
    model = formula(text, [f"x{i}" for i in range(n)], [f"y{i}" for i in range(n)], given)
    expected = brute(n, [lie / (lie + truth) for lie, truth in pairs])
    for method in EVERY:
        bound = model.privacy(method=method)
        assert bound.max_ratio == expected and bound.verify(), method
    assert model.worst_pairs(1)[0].value == model.ratio_classes()[0].value == expected


def test_a_formula_that_is_not_a_channel_has_no_bound() -> None:
    with pytest.raises(TautError, match="sum to"):
        formula("y | x | t", ["x"], ["y"], {"t": "1/3"}).privacy()


def test_a_replayed_formula_with_hidden_variables(tmp_path: Any) -> None:
    """Projected variables are quantified, not summed."""
    from taut import dimacs

    path = tmp_path / "projected.cnf"
    lines = ["c t pwmc", "p cnf 4 3", "c p show 1 2 3 0", "c p weight 3 0.25 0", "c p weight -3 0.75 0"]
    # 2 (the output) is 1 (the input) xor 3 (a coin); 4 is free
    clauses = ["-1 -3 -2 0", "1 3 -2 0", "-1 3 2 0", "1 -3 2 0", "4 -4 0"]
    lines[1] = f"p cnf 4 {len(clauses)}"
    path.write_text("\n".join([*lines, *clauses, ""]))
    bound = dimacs(path, inputs=[1], outputs=[2]).privacy()
    assert bound.max_ratio == 3 and bound.verify()


def test_inputs_of_one_or_two_entries_are_all_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search shares prefixes; where there are none, it would only be slower."""
    monkeypatch.setattr(auto, "_BY_CHANNEL", tuple(replace(one, most=min(one.most, 0)) for one in auto._BY_CHANNEL))
    methods = [randomized_response(bits(n), lam="1/5").privacy().method for n in (1, 2, 3)]
    assert methods == ["exhaustive", "exhaustive", "search"]
