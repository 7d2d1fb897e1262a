"""Curves, profiles and trade-off functions as values; composition where ratios are listed."""

import itertools
import math
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taut import INFINITY, InvalidInput, Model, bits, discrete, integer, mechanism
from taut.composition.curve import Curve, Line, gaussian_mu, lines_of
from taut.composition.products import composed_atoms
from taut.mechanisms import randomized_response
from taut.questions.privacy_profile import PrivacyProfile
from taut.support.errors import ToolMissing

Atoms = list[tuple[Any, Fraction, Fraction]]
weights = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(any), min_size=1, max_size=4)


def atoms_of(pairs: list[tuple[int, int]]) -> Atoms:
    """A pair of distributions from two lists of weights; the largest ratio first."""
    own, other = sum(p for p, _ in pairs) or 1, sum(q for _, q in pairs) or 1
    merged: dict[Any, tuple[Fraction, Fraction]] = {}
    for p, q in pairs:
        ratio = Fraction(p * other, q * own) if q else INFINITY
        before = merged.get(ratio, (Fraction(0), Fraction(0)))
        merged[ratio] = (before[0] + Fraction(p, own), before[1] + Fraction(q, other))
    return [(ratio, *merged[ratio]) for ratio in sorted(merged, reverse=True)]


def delta(atoms: Atoms, gamma: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - gamma * q) for _, p, q in atoms), Fraction(0))


def product(*factors: Atoms) -> Atoms:
    """Return all combinations, one by one."""
    total: Atoms = [(Fraction(1), Fraction(1), Fraction(1))]
    for atoms in factors:
        total = [(None, p * r, q * s) for _, p, q in total for _, r, s in atoms]
    return total


gammas = st.lists(st.fractions(0, 12), min_size=1, max_size=5)


@given(several=st.lists(weights, min_size=1, max_size=4), points=gammas)
def test_a_curve_is_the_largest_of_its_parts(several: list[list[tuple[int, int]]], points: list[Fraction]) -> None:
    parts = [atoms_of(one) for one in several]
    curve = Curve(line for atoms in parts for line in lines_of(atoms))
    for gamma in points:
        assert curve(gamma) == max(delta(atoms, gamma) for atoms in parts)
    assert delta(curve.atoms, points[0]) == curve(points[0])
    for gamma, value in curve.corners:
        assert curve(gamma) == value
        assert curve.inverse(value) <= gamma and curve(curve.inverse(value)) == value


@given(several=st.lists(weights.filter(lambda pairs: all(map(any, zip(*pairs, strict=True)))), min_size=1, max_size=4))
def test_the_pair_that_has_a_curve_is_a_pair_of_distributions(several: list[list[tuple[int, int]]]) -> None:
    curve = Curve(line for one in several for line in lines_of(atoms_of(one)))
    assert sum(mass for _, mass, _ in curve.atoms) == 1 == sum(mass_prime for _, _, mass_prime in curve.atoms)
    assert all(mass == ratio * mass_prime for ratio, mass, mass_prime in curve.atoms if mass_prime)
    assert all(gamma > 0 for gamma, _ in curve.corners)
    assert [curve.line_at(gamma) for gamma, _ in curve.corners] == curve.lines[:-1]  # the flatter of two at a corner
    assert [ratio for ratio, _, _ in curve.atoms] == sorted({ratio for ratio, _, _ in curve.atoms}, reverse=True)


@given(one=weights, value=st.fractions(0, 1))
def test_the_inverse_is_the_smallest_ratio(one: list[tuple[int, int]], value: Fraction) -> None:
    curve = Curve(lines_of(atoms_of(one)))
    gamma = curve.inverse(value)
    if gamma == INFINITY:
        assert curve(Fraction(10**9)) > value
    else:
        assert curve(gamma) <= value
        assert gamma == 0 or curve(gamma * (1 - Fraction(1, 10**6))) > value


@settings(max_examples=36)
@given(a=weights, b=weights, points=gammas, runs=st.integers(1, 3))
def test_composition_is_the_product(
    a: list[tuple[int, int]], b: list[tuple[int, int]], points: list[Fraction], runs: int
) -> None:
    one, two = atoms_of(a), atoms_of(b)
    composed = composed_atoms([(one, runs), (two, 1)])
    assert composed is not None and composed == composed_atoms([(two, 1), (one, runs)])
    expected = product(*[one] * runs, two)
    for gamma in points:
        assert delta(composed, gamma) == delta(expected, gamma)


def profile_of(table: list[list[int]]) -> PrivacyProfile:
    rows = [{y: Fraction(weight, sum(row)) for y, weight in enumerate(row)} for row in table]

    @mechanism
    def tabular(x: Any) -> Any:
        return discrete(rows[x])

    model = tabular(integer(0, len(rows) - 1))
    assert isinstance(model, Model)
    return model.profile()


def test_a_thousand_runs() -> None:
    profile = randomized_response(bits(3), lam="1/5").profile().compose(1000)
    assert profile.exact and profile.tight and "1000 runs (tight)" in str(profile)
    irregular = profile_of([[7, 5, 3, 2, 11], [3, 4, 5, 7, 13]])
    many = irregular.compose(1000)
    assert not many.exact and isinstance(many.delta(2), Fraction)
    bound = many.epsilon("1e-6")
    assert bound.lower < bound.upper <= bound.lower * (1 + Fraction(1, 10**6)) and not bound.exact
    low, high = many.delta_interval(ratio=bound.upper)
    assert 0 < low < high <= Fraction(1, 10**6) and high <= low * (1 + Fraction(1, 10**6))
    with pytest.raises(InvalidInput, match="cannot be listed"):
        many.corners  # noqa: B018


def test_composition_commutes_and_associates() -> None:
    one, two = profile_of([[1, 2, 4], [3, 1, 1]]), profile_of([[1, 5], [2, 3], [4, 4]])
    both = [one.compose(two), two.compose(one), one.compose(1).compose(two)]
    assert both[0].corners == both[1].corners == both[2].corners
    assert one.compose(2).compose(3).corners == one.compose(6).corners == one.compose(*[one] * 5).corners
    assert not two.tight and "an upper bound" in str(two.compose(2))


def test_tight_is_said_only_where_one_pair_is_worst_everywhere() -> None:
    assert profile_of([[4, 1], [1, 4]]).tight
    assert not profile_of([[1, 2, 4], [3, 1, 1]]).tight  # the two orders of the pair are worst in turn


def test_a_composition_is_tight_only_if_all_parts_are() -> None:
    parts = [profile_of(rows) for rows in ([[4, 1], [1, 4]], [[3, 2], [2, 3]], [[1, 2, 4], [3, 1, 1]])]
    for chosen in itertools.product(parts, repeat=3):
        composed = chosen[0].compose(*chosen[1:])
        assert composed.tight == composed.stats["tight"] == all(part.tight for part in chosen)


def test_the_dominating_pair_has_the_profile() -> None:
    profile = profile_of([[1, 2, 4], [3, 1, 1], [1, 1, 1]])
    atoms = profile.dominating_pair
    assert sum(atom[1] for atom in atoms) == 1 == sum(atom[2] for atom in atoms)
    for gamma, value in profile.corners:
        assert delta(atoms, gamma) == value


@given(one=weights)
def test_gaussian_is_the_smallest_that_dominates(one: list[tuple[int, int]]) -> None:
    """Delta of the Gaussian mechanism, from the error function alone, is nowhere below; a little less is, somewhere."""
    curve = Curve(lines_of(atoms_of(one)))
    mu = gaussian_mu(curve.lines)
    if mu == INFINITY or mu == 0:
        return
    points = [Fraction(k, 8) for k in range(1, 64)]
    with flint.ctx.workdps(50):
        for gamma in points:
            assert curve(gamma) <= float(_normal(gamma, float(mu))) + 1e-12
    tests = [line for line in curve.lines if line.mass > line.mass_prime]
    assert any(_power(line, float(mu) * (1 - 1e-6)) < float(line.mass) for line in tests)


def _normal(gamma: Fraction, mu: float) -> Any:
    epsilon = math.log(gamma)
    return _phi(-epsilon / mu + mu / 2) - float(gamma) * _phi(-epsilon / mu - mu / 2)


def _phi(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def _power(line: Line, mu: float) -> float:
    low, high = -40.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _phi(middle) < float(line.mass_prime) else (low, middle)
    return _phi(low + mu)


def test_gaussian_of_a_composition() -> None:
    profile = randomized_response(bits(1), lam="1/5").profile()
    assert profile.gaussian == pytest.approx(2 * 0.8416212335729143)
    assert profile.compose(10).gaussian <= profile.gaussian * math.sqrt(10) * (1 + 1e-12)


def test_pieces_say_which_pair_is_worst() -> None:
    profile = profile_of([[1, 2, 4], [3, 1, 1], [1, 1, 1]])
    pieces = profile.pieces
    assert pieces[0].low == 1 and pieces[-1].high == INFINITY
    assert all(a.high == b.low for a, b in itertools.pairwise(pieces))
    for piece in pieces:
        gamma = piece.low if piece.high == INFINITY else (piece.low + piece.high) / 2
        assert profile.delta(ratio=gamma) == piece.mass - gamma * piece.mass_prime
    found = profile.to_dict()
    assert found["corners"][0][0] == "1" and len(found["pieces"]) == len(pieces) and found["exact"]


def test_the_accountant_is_optional() -> None:
    profile = randomized_response(bits(1), lam="1/5").profile()
    try:
        import dp_accounting  # noqa: F401
    except ImportError:
        with pytest.raises(ToolMissing, match="taut\\[accounting\\]"):
            profile.to_dp_accounting()
    else:
        distribution = profile.to_dp_accounting()
        assert distribution.get_delta_for_epsilon(1.0) >= float(profile.delta(1)) - 1e-12


def test_the_accountant_is_on_the_safe_side() -> None:
    """Delta and epsilon of dp_accounting are at least the exact ones; compositions agree as well as its grid allows."""
    pytest.importorskip("dp_accounting", reason="dp_accounting is not installed")
    tables = [[[4, 1], [1, 4]], [[7, 5, 3, 2, 11], [3, 4, 5, 7, 13]], [[1, 2, 4, 0], [3, 1, 1, 1]]]
    for profile in map(profile_of, tables):
        for interval in (1e-2, 1e-4):
            distribution = profile.to_dp_accounting(interval)
            for place in range(20):
                assert distribution.get_delta_for_epsilon(place / 10) >= profile.delta(place / 10)
            for value in (0.3, 0.25, 0.01):
                assert distribution.get_epsilon_for_delta(value) >= profile.epsilon(value).epsilon
        many, there = profile.compose(40), profile.to_dp_accounting(1e-4).self_compose(40)
        for epsilon in (0, 1, 5, 10):
            exact, told = float(many.delta(epsilon)), there.get_delta_for_epsilon(epsilon)
            assert exact <= told * (1 + 1e-9) + 1e-12 and told <= exact * 1.01 + 1e-9
    leaky = profile_of(tables[2]).to_dp_accounting()
    assert leaky.get_delta_for_epsilon(50.0) >= Fraction(1, 6)


def test_the_interval_of_the_accountant_is_positive() -> None:
    with pytest.raises(InvalidInput, match="must be positive"):
        randomized_response(bits(1), lam="1/5").profile().to_dp_accounting(0)
