"""The search finds what looking at everything finds: on the corpus, on random programs, and on planted corner cases."""

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.corpus.case import Case
from tests.oracle.generator import GeneratedProgram, loaded, programs
from tests.synthesis.corpus import CASES

import taut
from taut import INFINITY, Ball, ImpossibleEvidence, Model, NoNeighbors, TautError, bits, discrete, ints, mechanism
from taut.mechanisms import above_threshold, randomized_response
from taut.neighbors import neighbors_of

EXAMPLES = int(os.environ.get("TAUT_EXAMPLES", "20"))
THOROUGH = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="TAUT_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
RELATIONS = ("one_differ", "one_step", "all_step")


def outcome(ask: Callable[[], Any]) -> Any:
    """Return the answer to a question, or its refusal."""
    try:
        return ask()
    except TautError as problem:
        return type(problem)


def check_privacy(model: Model, neighbors: Any) -> None:
    """Search and enumeration give the same bound (or the same refusal), and the witness can be replayed."""
    expected = outcome(lambda: model.privacy(neighbors, method="exhaustive"))
    found = outcome(lambda: model.privacy(neighbors, method="search"))
    if isinstance(expected, type):
        assert found is expected, (neighbors, found, expected)
        return
    assert found.method == "search" and found.exact, (neighbors, found)
    agree(found.max_ratio, expected.max_ratio, neighbors)
    assert found.verify(), (neighbors, found)
    assert neighbors_of(neighbors).related(model.space)(found.witness.x, found.witness.x_prime)


def agree(found: Any, expected: Any, note: Any) -> None:
    if isinstance(expected, Ball) and isinstance(found, Ball):
        assert found.arb.overlaps(expected.arb) and found.radius <= found.mid / 10**20, (note, found, expected)
    else:
        assert found == expected, (note, found, expected)


def check_accuracy(model: Model, target: Any, alpha: Any, distance: Any = None) -> None:
    for best in (False, True):
        expected = outcome(lambda b=best: model.accuracy(target, alpha, distance=distance, method="exhaustive", best=b))
        found = outcome(lambda b=best: model.accuracy(target, alpha, distance=distance, method="search", best=b))
        if isinstance(expected, type):
            assert found is expected
            continue
        assert found.method == "search" and found.exact
        agree(found.probability, expected.probability, (alpha, best))
        assert found.verify()


def model_of(case: Case) -> Model:
    found: Model = case.model()
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_search_finds_the_bounds_of_the_corpus(case: Case) -> None:
    model = model_of(case)
    numeric = all(isinstance(v, (int, Fraction)) for entry in model.program.inputs for v in entry.values)
    for neighbors in RELATIONS if numeric else RELATIONS[:1]:
        check_privacy(model, neighbors)


def is_it(output: Any, target: Any) -> int:
    return 0 if output == target else 1


def same(x: Any) -> Any:
    return x


def first_of(x: Any) -> Any:
    return x[0] if isinstance(x, tuple) and len(x) else 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_search_finds_the_accuracies_of_the_corpus(case: Case) -> None:
    check_accuracy(model_of(case), lambda *databases: 0, 0, is_it)


@THOROUGH
@given(program=programs())
def test_the_search_finds_the_bounds_of_random_programs(program: GeneratedProgram) -> None:
    with loaded(program) as case:
        try:
            model = model_of(case)
        except TautError:
            return
        try:
            for neighbors in RELATIONS:
                check_privacy(model, neighbors)
            check_accuracy(model, lambda *databases: 0, 0, is_it)
        except Exception as problem:
            problem.add_note(repr(program))
            raise


# -- random tables: infinite ratios, zeros, ties, near-ties ------------------------------------------------------------

WEIGHTS = st.sampled_from([Fraction(0), Fraction(1), Fraction(2), Fraction(3), Fraction(10**9), Fraction(10**9 + 1)])


@st.composite
def rows(draw: st.DrawFn, count: int, width: int) -> tuple[tuple[Fraction, ...], ...]:
    found = []
    for _ in range(count):
        row = draw(st.lists(WEIGHTS, min_size=width, max_size=width).filter(any))
        found.append(tuple(weight / sum(row) for weight in row))
    return tuple(found)


@mechanism
def hidden_walk(x, start, move, show):
    """A hidden state that each entry moves and that shows something after each: no merging comes for free."""
    state = discrete(start)
    seen = []
    for value in x:
        state = discrete(move[value * 3 + state])
        seen.append(discrete(show[state]))
    return seen


@mechanism
def early_stop(x, start, move, stop):
    """A hidden state that each entry moves, until it stops: the output says when."""
    state = discrete(start)
    for index, value in enumerate(x):
        state = discrete(move[value * 3 + state])
        if taut.flip(stop[state]):
            return index
    return None


@mechanism
def late_state(x, start, move):
    """A hidden state that each entry moves; only the last one is seen."""
    state = discrete(start)
    for value in x:
        state = discrete(move[value * 3 + state])
    return state


@mechanism
def evidence_walk(x, start, move, keep):
    """A hidden state that each entry moves, observed on the way."""
    state = discrete(start)
    for value in x:
        state = discrete(move[value * 3 + state])
        taut.observe(taut.flip(keep[state]))
    return state


CHANCES = st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(10**9, 2 * 10**9 + 1), Fraction(1)])


@settings(THOROUGH, max_examples=max(8, EXAMPLES // 6))
@given(
    start=rows(1, 3),
    move=rows(9, 3),
    show=rows(3, 2),
    stop=st.tuples(CHANCES, CHANCES, CHANCES),
    neighbors=st.sampled_from(RELATIONS),
    n=st.integers(1, 4),
)
def test_hidden_states(start: Any, move: Any, show: Any, stop: Any, neighbors: str, n: int) -> None:
    late = late_state(ints(n, 0, 2), start=start[0], move=move)
    evidence = evidence_walk(ints(min(n, 3), 0, 2), start=start[0], move=move, keep=stop)
    for model in (
        hidden_walk(ints(n, 0, 2), start=start[0], move=move, show=show),
        early_stop(ints(n, 0, 2), start=start[0], move=move, stop=stop),
        late,
        evidence,
    ):
        check_privacy(model, neighbors)
    for model in (late, evidence):
        check_accuracy(model, lambda x: x[0], 0)


# -- planted cases ---------------------------------------------------------------------------------------------------


def test_a_bound_that_is_infinite_has_a_witness() -> None:
    @mechanism
    def leaks_the_last(x):
        return [bit ^ taut.flip("1/4") for bit in x[:-1]] + [x[-1]]

    bound = leaks_the_last(bits(40)).privacy(method="search")
    assert bound.max_ratio == INFINITY and bound.exact and bound.verify()
    assert bound.witness.x[-1] != bound.witness.x_prime[-1]


def test_a_relation_that_relates_nothing_is_refused() -> None:
    model = randomized_response(ints(3, 0, 0), lam="1/4")
    with pytest.raises(NoNeighbors):
        model.privacy(method="search")


def test_evidence_that_is_impossible_somewhere_is_refused_with_the_input() -> None:
    @mechanism
    def demands(x):
        taut.observe(sum(x) < 20)
        return taut.flip("1/3")

    with pytest.raises(ImpossibleEvidence, match=r"x=\(1, 1"):
        demands(bits(20)).privacy(method="search")


def test_listed_pairs_are_searched() -> None:
    model = randomized_response(bits(3), lam="1/4")
    pairs = [((0, 0, 0), (1, 1, 1)), ((0, 1, 0), (0, 1, 1))]
    bound = model.privacy(pairs, method="search")
    assert (bound.max_ratio, bound.method) == (27, "search") and bound.verify()
    check_privacy(model, pairs)


def one_up(x: Any, x_prime: Any) -> bool:
    return sum(abs(a - b) for a, b in zip(x, x_prime, strict=True)) == 1 and sum(x) < sum(x_prime)


def exchanged(x: Any, x_prime: Any) -> bool:
    return sum(x) == sum(x_prime) and sum(1 for a, b in zip(x, x_prime, strict=True) if a != b) == 2


def only_the_first(x: Any, x_prime: Any) -> Any:
    if x[0] != x_prime[0]:
        return x[1:] == x_prime[1:]
    return 0


@pytest.mark.parametrize("predicate", [one_up, exchanged, only_the_first])
def test_predicates_are_read_and_searched(predicate: Any) -> None:
    for model in (
        randomized_response(bits(3), lam="1/4"),
        above_threshold(ints(3, 0, 2), threshold=1, ratio="1/2", high=2),
        above_threshold(ints(3, 0, 2), threshold=1, ratio="1/2", high=2, strict=True),
    ):
        check_privacy(model, predicate)
    bound = randomized_response(bits(10), lam="1/4").privacy(predicate, method="search")
    assert bound.method == "search" and bound.verify()
    assert predicate(bound.witness.x, bound.witness.x_prime)
    assert bound.max_ratio == (9 if predicate is exchanged else 3)


def test_a_predicate_that_cannot_be_read_is_asked_pair_by_pair() -> None:
    pairs = {((0, 0), (1, 1)), ((0, 1), (1, 1))}

    def listed(x: Any, x_prime: Any) -> bool:
        return {(x, x_prime)} <= pairs

    bound = randomized_response(bits(2), lam="1/4").privacy(listed, method="search")
    assert (bound.max_ratio, bound.method) == (9, "search")
