"""A choice among candidates as a chain of conditional draws: the same distribution, polynomially many nodes."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import taut
from taut import Misreading, bits, discrete, exponential, flip, ints, mechanism, uniform
from taut.languages.python import conditional_draws
from taut.languages.python.distributions import DISTRIBUTIONS
from taut.mechanisms import exponential_mechanism
from taut.program import enumerate_outcomes


@pytest.fixture
def always() -> Iterator[None]:
    """A chain also for the smallest mechanisms."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conditional_draws, "FEWEST_VECTORS", 1)
        yield


def at_once(scores: Any, base: Any) -> dict[Any, Any]:
    return dict(zip(*DISTRIBUTIONS["exponential"](scores, base), strict=True))


@mechanism
def shifted(x: Any, shifts: Any, factors: Any, base: Any) -> Any:
    return exponential([shift + factor * entry for shift, factor, entry in zip(shifts, factors, x, strict=True)], base)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("seed", range(12))
def test_random_scores_have_the_distribution_of_one_draw(seed: int) -> None:
    choose = random.Random(seed)
    n, high = choose.choice([(1, 2), (2, 2), (3, 2), (4, 1), (3, 3)])
    shifts = [choose.randrange(-3, 4) for _ in range(n)]
    factors = [choose.choice([0, 1, 1, 2, -1, -3]) for _ in range(n)]
    base = choose.choice([2, 3, Fraction(1, 2), Fraction(7, 3), 1])
    model = shifted(ints(n, 0, high), shifts=shifts, factors=factors, base=base)
    for x in model.domain:
        scores = [shift + factor * entry for shift, factor, entry in zip(shifts, factors, x, strict=True)]
        assert model.distribution(x) == at_once(scores, base) == enumerate_outcomes(model.program, x)
        assert model.channel().distribution(x) == at_once(scores, base)


@pytest.mark.usefixtures("always")
def test_what_is_not_rational_is_drawn_by_a_chain_too() -> None:
    model = exponential_mechanism(ints(3, 0, 2), base=taut.exp("1/3"))
    for x in model.domain:
        for y, share in at_once(list(x), taut.exp("1/3")).items():
            found = model.probability(x, y)
            assert abs(float(found) - float(share)) < 1e-15 and found.radius < 1e-60
    free = exponential_mechanism(ints(3, 0, 1), base=taut.parameter("base", 1, 5))
    for base in (2, Fraction(7, 2)):
        assert free.privacy().at(base) == exponential_mechanism(ints(3, 0, 1), base=base).privacy().max_ratio


@mechanism
def noisy_scores_in_a_branch(x: Any) -> Any:
    first = uniform(0, 2)
    if flip("1/3") and x[0]:
        return exponential([first, x[1] > 0, 1, x[2] * 2], 2)
    return exponential([x[0] == 1, 1 + flip("1/5")], 3) + 7


@pytest.mark.usefixtures("always")
def test_scores_may_be_drawn_and_constant_and_boolean_and_in_a_branch() -> None:
    model = noisy_scores_in_a_branch(bits(3))
    for x in model.domain:
        expected: dict[Any, Fraction] = {}
        there = Fraction(1, 3) if x[0] else Fraction(0)
        for first in range(3):
            for y, share in at_once([first, x[1] > 0, 1, x[2] * 2], 2).items():
                expected[y] = expected.get(y, Fraction(0)) + there * share / 3
        for more, chance in ((0, Fraction(4, 5)), (1, Fraction(1, 5))):
            for y, share in at_once([x[0] == 1, 1 + more], 3).items():
                expected[y + 7] = expected.get(y + 7, Fraction(0)) + (1 - there) * chance * share
        assert model.distribution(x) == {y: share for y, share in expected.items() if share}
    assert "agree" in str(model.validation)


@mechanism
def by_shares(x: Any, weights: Any, extra: Any, names: Any) -> Any:
    """Weights looked up by entries (0 is one of them), and a candidate of constant weight."""
    given = [table[entry] for table, entry in zip(weights, x, strict=True)] + [extra]
    total = sum(given)
    if names is None:
        return discrete([Fraction(weight, total) for weight in given])
    return discrete({name: weight / total for name, weight in zip(names, given, strict=True)})


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("seed", range(12))
def test_weights_divided_by_their_total_are_a_chain(seed: int) -> None:
    choose = random.Random(seed)
    n = choose.choice([1, 2, 3])
    weights = [[choose.choice([0, 1, 2, 5]) for _ in range(3)] for _ in range(n)]
    names = choose.choice([None, ["a", "b", "c", "d"][: n + 1], [7, 3, 5, 1][: n + 1], [True, False, 2, 3][: n + 1]])
    extra = choose.choice([1, 3])
    model = by_shares(ints(n, 0, 2), weights=weights, extra=extra, names=names)
    for x in model.domain:
        given = [table[entry] for table, entry in zip(weights, x, strict=True)] + [extra]
        shares = {
            name: Fraction(weight, sum(given))
            for name, weight in zip(names or range(n + 1), given, strict=True)
            if weight
        }
        assert model.distribution(x) == shares == enumerate_outcomes(model.program, x)
        assert model.channel().distribution(x) == shares
    assert "agree" in str(model.validation)


@mechanism
def of_another_total(x: Any) -> Any:
    """The divisor has the value of the weights' sum without being it."""
    a, b, c = (1 + entry for entry in x)
    total = 3 + max(x[0], 0) + x[1] + x[2]
    return discrete([Fraction(a, total), Fraction(b, total), Fraction(c, total)])


@pytest.mark.usefixtures("always")
def test_shares_of_something_else_are_drawn_at_once() -> None:
    model = of_another_total(ints(3, 0, 1))
    for x in model.domain:
        assert model.distribution(x) == {y: Fraction(1 + x[y], 3 + sum(x)) for y in range(3)}


@mechanism
def of_shares_that_are_too_large(x: Any) -> Any:
    return discrete([Fraction(1 + entry, sum(x) + 1) for entry in x])


@pytest.mark.usefixtures("always")
def test_shares_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(taut.TautError, match="must sum to 1"):
        of_shares_that_are_too_large(ints(3, 0, 1))


@mechanism
def softmax(x: Any, base: Any) -> Any:
    weights = [base**entry for entry in x]
    total = sum(weights)
    return discrete([weight / total for weight in weights])


def test_a_softmax_written_by_hand_is_the_exponential_mechanism() -> None:
    """Also its diagram: inputs are read with the coins that they meet, although all weights are computed before."""
    by_hand, built_in = softmax(ints(9, 0, 2), base=2), exponential_mechanism(ints(9, 0, 2), base=2)
    assert by_hand.size == built_in.size
    x = (0, 1, 2, 0, 1, 2, 0, 1, 2)
    assert by_hand.distribution(x) == built_in.distribution(x)


def test_weights_that_floats_round_are_those_that_are_meant() -> None:
    thirds = mechanism(lambda x: discrete([1 / 3, (1 + x[0]) / 3, (1 - x[0]) / 3]))(bits(1))
    assert thirds.distribution((0,)) == dict.fromkeys(range(3), Fraction(1, 3))
    assert thirds.distribution((1,)) == {0: Fraction(1, 3), 1: Fraction(2, 3)}
    with pytest.raises(taut.TautError, match="must sum to 1"):
        mechanism(lambda x: discrete([0.3333, 0.3333, 0.3333]))(bits(1))


@mechanism
def of_the_same_entry(x: Any) -> Any:
    return exponential([x[0] == value for value in range(10)], 3)


def test_scores_of_one_entry_are_drawn_at_once() -> None:
    """Ten Booleans look like 1024 vectors, but one entry decides them all."""
    assert len(of_the_same_entry(ints(1, 0, 9)).program.coins) == 10


@pytest.mark.usefixtures("always")
def test_a_chain_with_a_wrong_coin_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading is compared with Python: the coins of a chain must make the distribution that is drawn from."""
    right = conditional_draws._Totals.weight
    monkeypatch.setattr(conditional_draws._Totals, "weight", lambda self, state: right(self, state) + 1)
    with pytest.raises(Misreading):
        exponential_mechanism(ints(3, 0, 2), base=2)


def test_a_bad_base_is_refused_as_for_one_draw() -> None:
    with pytest.raises(taut.TautError, match="base must be above 0"):
        shifted(ints(9, 0, 2), shifts=[0] * 9, factors=[1] * 9, base=0)


def test_it_grows_polynomially() -> None:
    """Nodes of n scores of 0..2: totals times candidates times steps; each vector of scores would be 3**16."""
    with taut.options(max_nodes=200_000):
        sizes = {n: exponential_mechanism(ints(n, 0, 2), base=2).size for n in (8, 16)}
    assert sizes[16] < 10 * sizes[8]


def test_the_bound_of_eleven_scores() -> None:
    """The worst pair: of n scores of 2 one becomes 0, and is chosen with probability 1 / (4n - 3) instead of 1 / n."""
    bound = exponential_mechanism(ints(11, 0, 2), base=2).privacy("one_differ")
    assert bound.exact and bound.max_ratio == Fraction(4 * 11 - 3, 11)
