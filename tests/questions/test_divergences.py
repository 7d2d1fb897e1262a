"""Delta, moments, trade-off values and loss distributions: by hand, stopped, refused, and by their laws."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.questions import brute

import taut
from taut import (
    INFINITY,
    Ball,
    ImpossibleEvidence,
    InvalidInput,
    InvalidNeighbors,
    InvalidNumber,
    InvalidProbability,
    Model,
    TautError,
    bits,
    categories,
    discrete,
    exp,
    flip,
    formula,
    geometric,
    integer,
    ints,
    measures,
    mechanism,
    observe,
)
from taut.mechanisms import randomized_response, rr_count

RATIOS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(10)]
ALPHAS = [Fraction(0), Fraction(1, 7), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)]


# -- beyond brute force ---------------------------------------------------------------------------------------------


def test_outputs_are_not_listed() -> None:
    """Two hundred clients have 2^200 outputs, and 201 ratios."""
    loss = randomized_response(bits(200), lam="1/5").loss((0,) * 200, (1,) * 200)
    assert [atom.ratio for atom in loss.atoms] == [Fraction(4) ** (2 * k - 200) for k in range(201)]
    assert sum(atom.mass for atom in loss.atoms) == 1 == sum(atom.mass_prime for atom in loss.atoms)


def test_many_pairs_are_one() -> None:
    profile = randomized_response(bits(200), lam="1/5").profile()
    assert profile.corners == [(1, Fraction(3, 5)), (4, 0)] and profile.tight
    small = rr_count(bits(7), lam="1/4").profile()
    assert small.corners == rr_count(bits(7), lam="1/4").profile(method="restricted").corners


@mechanism
def first_above(x: Any) -> Any:
    bar = geometric(1, "1/2", 0, 3)
    for place, value in enumerate(x):
        if geometric(value, "1/2", 0, 3) >= bar:
            return place
    return len(x)


def threshold_model(n: int) -> Model:
    model = first_above(ints(n, 0, 3))
    assert isinstance(model, Model)
    return model


def test_above_threshold() -> None:
    model = threshold_model(4)
    assert (model.delta(ratio=2).delta, model.delta(ratio=4).delta) == (Fraction(7, 24), Fraction(1513, 15552))


@mechanism
def tell(x: Any) -> Any:
    return x if flip("1/3") else None


def test_what_only_one_input_can_give() -> None:
    model = tell(integer(0, 2))
    loss = model.loss(0, 1)
    assert loss.atoms == ((0, 0, Fraction(1, 3)), (1, Fraction(2, 3), Fraction(2, 3)), (INFINITY, Fraction(1, 3), 0))
    assert model.renyi(2).moment == INFINITY == model.renyi("5/2").divergence
    assert model.zcdp().rho == INFINITY == model.zcdp().upper
    assert model.profile().gaussian == INFINITY
    assert model.epsilon("0.3").max_ratio == INFINITY and model.epsilon("1/3").max_ratio == 1
    assert model.delta(ratio=1000).delta == Fraction(1, 3)
    assert model.divergence(measures.KullbackLeibler()).value == INFINITY
    assert model.divergence(measures.SquaredHellinger()).value == Fraction(2, 3)


@mechanism
def conditioned(x: Any) -> Any:
    noise = discrete({0: "1/2", 1: "1/4", 2: "1/4"})
    other = flip("1/3")
    observe(noise + x[0] + other < 3)
    return (noise + x[1]) % 3


def test_evidence_is_divided_out_on_both_sides() -> None:
    model = conditioned(ints(2, 0, 1))
    rows = {x: model.distribution(x) for x in model.domain}
    pairs = [(x, z) for x in rows for z in rows if sum(a != b for a, b in zip(x, z, strict=True)) == 1]
    for x, z in pairs:
        assert list(model.loss(x, z).atoms) == brute.loss_atoms(brute.outputs(rows[x], rows[z]))
    for gamma in RATIOS:
        assert model.delta(ratio=gamma).delta == brute.Worst(rows, pairs).delta(gamma)


def test_impossible_evidence_is_named() -> None:
    @mechanism
    def broken(x: Any) -> Any:
        observe(x[0] == 0)
        return flip("1/2")

    with pytest.raises(ImpossibleEvidence):
        broken(bits(1)).delta(ratio=2)
    with pytest.raises(ImpossibleEvidence):
        broken(bits(1)).loss((0,), (1,))


def test_formulas_are_channels_too() -> None:
    model = formula("y1 <-> (x1 ^ t1)", inputs=["x1"], outputs=["y1"], weights={"t1": "1/5"})
    assert model.delta(ratio=2).delta == Fraction(2, 5) and model.delta(ratio=2).verify()


# -- irrational numbers ---------------------------------------------------------------------------------------------


def test_epsilon_gives_a_ball_that_holds_the_truth() -> None:
    """A 50-digit evaluation of the same sums, made of floats of flint alone."""
    model = rr_count(bits(6), lam="1/5")
    rows = {x: model.distribution(x) for x in model.domain}
    pairs = [(x, z) for x in rows for z in rows if sum(a != b for a, b in zip(x, z, strict=True)) == 1]
    ball = model.delta("0.7").delta
    assert isinstance(ball, Ball) and ball.radius < Fraction(1, 10**60)
    with flint.ctx.workdps(50):
        gamma = (flint.arb(7) / 10).exp()
        best = max(float(_arb_delta(rows[x], rows[z], gamma).mid()) for x, z in pairs)
        holds = any(_arb_delta(rows[x], rows[z], gamma).overlaps(ball.arb) for x, z in pairs)
    assert holds and abs(best - float(ball)) < 1e-14
    assert model.profile().delta("0.7").arb.overlaps(ball.arb)


def _arb_delta(own: Any, other: Any, gamma: Any) -> Any:
    total = flint.arb(0)
    for (p, q), count in brute.outputs(own, other):
        part = flint.arb(p.numerator) / p.denominator - gamma * flint.arb(q.numerator) / q.denominator
        total += count * part if part > 0 else 0
    return total


def test_orders_between_whole_numbers() -> None:
    model = randomized_response(bits(3), lam="1/5")
    bound = model.renyi("5/2")
    with flint.ctx.workdps(50):
        expected = (flint.arb(4) / 5) ** 2.5 * (flint.arb(1) / 5) ** -1.5 + (flint.arb(1) / 5) ** 2.5 * (
            flint.arb(4) / 5
        ) ** -1.5
        assert bound.moment.arb.overlaps(expected)
        assert abs(bound.divergence - float(expected.log() / 1.5)) < 1e-12


def test_weights_with_exp() -> None:
    """Ratios are products of the same few balls, so they merge; masses hold the truth."""
    near = Fraction(13533528323661270, 10**17)  # e^-2 to seventeen digits
    ball, rational = randomized_response(bits(40), lam=exp("-2")), randomized_response(bits(40), lam=near)
    loss, expected = (one.loss((0,) * 40, (1,) * 40) for one in (ball, rational))
    assert len(loss.atoms) < 200
    for gamma in (1, 2, 1000):
        measure = measures.HockeyStick(gamma)
        assert abs(float(loss.divergence(measure)) - float(expected.divergence(measure))) < 1e-12
    profile = ball.profile()
    low, high = profile.delta_interval(ratio=2)
    assert low < high < low + Fraction(1, 10**40) and abs(float(low) - float(rational.delta(ratio=2).delta)) < 1e-12
    assert profile.verify() and not profile.exact
    composed = profile.compose(5)
    low, high = composed.delta_interval(ratio=20)
    assert low <= high < low + Fraction(1, 10**20)
    assert abs(float(high) - float(rational.profile().compose(5).delta(ratio=20))) < 1e-9
    curve = ball.tradeoff()
    assert 0 <= curve.interval("1/3")[1] - curve("1/3") < Fraction(1, 10**20)
    assert ball.delta(ratio=2).verify()


# -- the table of measures ------------------------------------------------------------------------------------------


def test_every_measure_by_hand() -> None:
    loss = randomized_response(bits(1), lam="1/5").loss((0,), (1,))
    assert loss.divergence(measures.TotalVariation()) == Fraction(3, 5)
    assert loss.divergence(measures.HockeyStick("3/2")) == Fraction(1, 2)
    assert loss.divergence(measures.RenyiMoment(2)) == Fraction(13, 4)
    assert loss.divergence(measures.ChiSquared()) == Fraction(9, 4)
    with flint.ctx.workdps(50):
        assert loss.divergence(measures.KullbackLeibler()).arb.overlaps(flint.arb(3) / 5 * flint.arb(4).log())
        assert loss.divergence(measures.SquaredHellinger()).arb.overlaps(flint.arb(2) / 5)


def test_what_no_pair_exceeds() -> None:
    assert [one.most for one in (measures.TotalVariation(), measures.HockeyStick(3), measures.SquaredHellinger())] == [
        1,
        1,
        2,
    ]
    assert measures.ChiSquared().most == measures.RenyiMoment(3).most == INFINITY


class Triangular(measures.Divergence):
    def phi(self, p: Any, q: Any) -> Any:
        return (p - q) ** 2 / (p + q)


def test_a_divergence_of_ones_own() -> None:
    bound = randomized_response(bits(3), lam="1/5").divergence(Triangular())
    assert bound.value == Fraction(18, 25) and bound.verify() and "Triangular" in str(bound)
    assert bound.to_dict()["value"] == "18/25"


class Twice(measures.TotalVariation):
    def phi(self, p: Any, q: Any) -> Any:
        return 2 * super().phi(p, q)


class Thrice(measures.ChiSquared):
    def phi(self, p: Any, q: Any) -> Any:
        return 3 * super().phi(p, q)


class Half(measures.HockeyStick):
    def phi(self, p: Any, q: Any) -> Any:
        return super().phi(p, q) / 2


class Squared(measures.RenyiMoment):
    def phi(self, p: Any, q: Any) -> Any:
        return super().phi(p, q) * 5


DERIVED = [
    (Twice(), measures.TotalVariation(), 2),
    (Thrice(), measures.ChiSquared(), 3),
    (Half("5/4"), measures.HockeyStick("5/4"), Fraction(1, 2)),
    (Squared(2), measures.RenyiMoment(2), 5),
]


@pytest.mark.parametrize(("own", "shipped", "times"), DERIVED, ids=lambda one: getattr(one, "name", str(one)))
def test_what_is_known_of_a_measure_is_not_known_of_another_phi(own: Any, shipped: Any, times: Any) -> None:
    """A class derived from a shipped measure has its own values by every method, and no closed form of the other."""
    for method in ("auto", "search", "exhaustive", "restricted"):
        model = randomized_response(bits(3), lam="1/5")
        assert model.divergence(own, method=method).value == times * model.divergence(shipped, method=method).value
    counted = taut.mechanism(lambda x: sum(bit ^ taut.flip("1/4") for bit in x))(bits(40))
    assert counted.divergence(own).value == times * counted.divergence(shipped).value
    with pytest.raises(InvalidInput):
        randomized_response(bits(2), lam=taut.parameter("lam", "1/10", "2/5")).divergence(own)


# -- stopped --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["exhaustive", "restricted"])
def test_out_of_time_is_an_interval(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is one that jumps when the solver has done a little."""
    now = [0.0]
    monkeypatch.setattr("taut.support.limits.clock", lambda: now[0])

    def jump(progress: Any) -> None:
        now[0] += 1000 if progress.done == 5 else 0

    model = threshold_model(6)
    stopped: dict[str, Any] = {"method": method, "time_limit": 100, "progress": jump}
    bound = model.delta(ratio=2, **stopped)
    assert bound.stats["stopped"] == "time_limit" and not bound.exact and bound.count is None
    assert 0 <= bound.lower <= Fraction(7, 24) <= bound.upper == 1 and bound.verify()
    profile = model.profile(**stopped)
    assert not profile.exact and profile.delta(ratio=2) == 1 and profile.delta_interval(ratio=2)[0] <= Fraction(7, 24)
    assert model.zcdp(**stopped).rho == INFINITY
    assert model.tradeoff(**stopped)("1/2") == 0
    assert model.epsilon("0.2", **stopped).max_ratio == INFINITY


def test_out_of_room_is_an_interval() -> None:
    with taut.options(max_beliefs=20):
        bound = threshold_model(4).delta(ratio=2, method="exhaustive")
    assert bound.stats["stopped"] == "max_beliefs=20" and bound.lower <= Fraction(7, 24) <= bound.upper


def test_interrupted_is_an_interval() -> None:
    def stop(progress: Any) -> None:
        if progress.done == 8:
            raise KeyboardInterrupt

    for method in ("exhaustive", "restricted"):
        bound = threshold_model(4).delta(ratio=2, method=method, progress=stop)
        assert bound.stats["stopped"] == "interrupted" and bound.lower <= Fraction(7, 24) <= bound.upper


# -- refusals -------------------------------------------------------------------------------------------------------

RR = randomized_response(bits(2), lam="1/5")


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: RR.delta(-1), InvalidNumber, "epsilon must not be negative; got -1"),
        (lambda: RR.delta(ratio="1/2"), InvalidNumber, "ratio = e\\^epsilon must be at least 1; got 1/2"),
        (lambda: RR.delta(), InvalidInput, "give either epsilon, or ratio="),
        (lambda: RR.delta(1, ratio=2), InvalidInput, "give either epsilon, or ratio="),
        (lambda: RR.delta("x"), InvalidNumber, "'x' is not a number"),
        (lambda: RR.epsilon(2), InvalidProbability, "delta must be a rational number in \\[0, 1\\]; got 2"),
        (lambda: RR.epsilon(-0.1), InvalidProbability, "delta must be a rational number in \\[0, 1\\]; got -0.1"),
        (lambda: RR.renyi(1), InvalidNumber, "order must be a rational number above 1; got 1"),
        (lambda: RR.renyi("1/2"), InvalidNumber, "order must be a rational number above 1; got 1/2"),
        (lambda: RR.tradeoff()(2), InvalidProbability, "must be a rational number in \\[0, 1\\]; got 2"),
        (lambda: RR.tradeoff()("-1/5"), InvalidProbability, "must be a rational number in \\[0, 1\\]; got -1/5"),
        (
            lambda: RR.loss((0, 0), (1, 1), neighbors="one_differ"),
            InvalidNeighbors,
            "are not neighbours by 'one_differ'",
        ),
        (lambda: RR.loss((0, 0), (1, 2)), InvalidInput, "2 at position 1"),
        (lambda: RR.divergence("chi"), InvalidInput, "expected a measure of taut.measures"),
        (lambda: RR.delta(ratio=2, method="magic"), InvalidInput, "there are auto, search, exhaustive, restricted"),
        (lambda: RR.tradeoff(method="search"), InvalidInput, "maximises one divergence"),
        (lambda: RR.delta(ratio=2, time_limit=-1), InvalidInput, "time_limit must be a positive number"),
        (lambda: RR.profile().compose(0), InvalidInput, "expected a whole number of runs"),
        (lambda: RR.profile().compose("2"), InvalidInput, "expected a whole number of runs"),
        (lambda: RR.profile().compose(True), InvalidInput, "expected a whole number of runs"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(ask: Any, error: type[TautError], words: str) -> None:
    with pytest.raises(error, match=words):
        ask()


# -- laws -----------------------------------------------------------------------------------------------------------

weights = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)


def tabulated(table: Sequence[Sequence[int]]) -> Model:
    """A mechanism given by its table: one row of weights per input, three outputs."""
    rows = [{y: Fraction(weight, sum(row)) for y, weight in enumerate(row)} for row in table]

    @mechanism
    def tabular(x: Any) -> Any:
        return discrete(rows[x])

    found = tabular(integer(0, len(rows) - 1))
    assert isinstance(found, Model)
    return found


@settings(max_examples=24)
@given(table=st.lists(weights, min_size=2, max_size=4), gammas=st.lists(st.fractions(1, 9), min_size=2, max_size=4))
def test_laws(table: list[list[int]], gammas: list[Fraction]) -> None:
    model = tabulated(table)
    profile = model.profile()
    points = sorted(gammas)
    values = [profile.delta(ratio=gamma) for gamma in points]
    assert values == sorted(values, reverse=True)
    middle = (points[0] + points[-1]) / 2
    assert profile.delta(ratio=middle) <= (values[0] + values[-1]) / 2
    largest = model.privacy().max_ratio
    if largest != INFINITY:
        assert profile.delta(ratio=max(1, largest)) == 0
        moments = [model.renyi(order).moment for order in (2, 3, 4)]
        assert moments[0] ** 6 <= moments[1] ** 3 and moments[1] ** 6 <= moments[2] ** 4  # D_2 <= D_3 <= D_4
        order = 200  # D_a tends to log(max_ratio): largest^(a-1) min(p) <= moment <= largest^(a-1)
        share = min(p for x in model.domain for p in model.distribution(x).values())
        assert share * largest ** (order - 1) <= model.renyi(order).moment <= largest ** (order - 1)
        zcdp = model.zcdp()
        assert zcdp.lower <= zcdp.upper <= zcdp.lower * (1 + Fraction(1, 10**8)) + Fraction(1, 10**50)
        for moment, a in zip(moments, (2, 3, 4), strict=True):
            assert Ball(moment).arb.log() <= flint.arb(zcdp.rho) * a * (a - 1) * (1 + flint.arb(2) ** -40)


@settings(max_examples=18)
@given(table=st.lists(weights, min_size=2, max_size=3), merged=st.sampled_from([(0, 0, 1), (0, 1, 1), (0, 1, 0)]))
def test_post_processing_never_raises_a_divergence(table: list[list[int]], merged: tuple[int, ...]) -> None:
    kept = [[sum(w for w, m in zip(row, merged, strict=True) if m == y) for y in range(2)] + [0] for row in table]
    before, after = tabulated(table), tabulated(kept)
    kinds = (measures.TotalVariation(), measures.HockeyStick(2), measures.RenyiMoment(2), measures.ChiSquared())
    for measure in (*kinds, Triangular()):
        assert after.divergence(measure).value <= before.divergence(measure).value
    for alpha in ALPHAS:
        assert after.tradeoff()(alpha) >= before.tradeoff()(alpha)
    for measure in (measures.SquaredHellinger(), measures.KullbackLeibler()):
        large, small = before.divergence(measure).value, after.divergence(measure).value
        assert large == INFINITY or float(small) <= float(large) + 1e-12


@settings(max_examples=18)
@given(
    first=st.lists(weights, min_size=2, max_size=2),
    second=st.lists(weights, min_size=2, max_size=2),
    share=st.fractions(0, 1, max_denominator=6),
)
def test_divergences_are_jointly_convex(first: list[list[int]], second: list[list[int]], share: Fraction) -> None:
    """A mixture of two pairs is no further apart than the mixture of their divergences."""
    pair = [(0, 1)]
    rows = [[[Fraction(weight, sum(row)) for weight in row] for row in table] for table in (first, second)]
    mixed = [[share * a + (1 - share) * b for a, b in zip(*both, strict=True)] for both in zip(*rows, strict=True)]
    scale = math.lcm(*[weight.denominator for row in mixed for weight in row])
    middle = tabulated([[int(weight * scale) for weight in row] for row in mixed])
    for measure in (measures.HockeyStick("3/2"), measures.RenyiMoment(2), measures.ChiSquared(), Triangular()):
        ends = [tabulated(table).divergence(measure, neighbors=pair).value for table in (first, second)]
        if INFINITY not in ends:
            assert middle.divergence(measure, neighbors=pair).value <= share * ends[0] + (1 - share) * ends[1]


RELATIONS: list[tuple[Any, Any]] = [
    ("one_differ", lambda x, z: sum(a != b for a, b in zip(x, z, strict=True)) == 1),
    ("all_step", lambda x, z: all(abs(a - b) <= 1 for a, b in zip(x, z, strict=True))),
    (lambda x, z: x[0] != z[0] and x[1] == z[1], lambda x, z: x[0] != z[0] and x[1] == z[1]),
    ([((0, 0), (2, 2)), ((2, 1), (0, 1))], lambda x, z: (x, z) in [((0, 0), (2, 2)), ((2, 1), (0, 1))]),
]


@pytest.mark.parametrize("neighbors", range(len(RELATIONS)))
def test_all_relations_with_evidence(neighbors: int) -> None:
    given_relation, related = RELATIONS[neighbors]
    model = conditioned_sum(ints(2, 0, 2))
    rows = {x: model.distribution(x) for x in model.domain}
    pairs = [(x, z) for x in rows for z in rows if x != z and related(x, z)]
    worst = brute.Worst(rows, pairs)
    for gamma in RATIOS:
        assert model.delta(ratio=gamma, neighbors=given_relation).delta == worst.delta(gamma)
    for order in (2, 3):
        assert model.renyi(order, neighbors=given_relation).moment == worst.moment(order)
    for alpha in ALPHAS:
        assert model.tradeoff(given_relation)(alpha) == worst.least_error(alpha)


@mechanism
def conditioned_sum(x: Any) -> Any:
    noise = discrete({-1: "1/4", 0: "1/2", 1: "1/4"})
    observe(noise + x[0] >= 0)
    return max(0, x[0] + x[1] + noise)


@mechanism
def present_sum(x: Any) -> Any:
    return geometric(sum(0 if value is None else value for value in x), "1/3", 0, 4)


def test_records_that_may_be_absent() -> None:
    model = present_sum(categories(2, [None, 1, 2]))
    rows = {x: model.distribution(x) for x in model.domain}
    pairs = [
        (x, z)
        for x in rows
        for z in rows
        if sum(a != b for a, b in zip(x, z, strict=True)) == 1
        and all(None in (a, b) for a, b in zip(x, z, strict=True) if a != b)
    ]
    worst = brute.Worst(rows, pairs)
    for gamma in RATIOS:
        assert model.delta(ratio=gamma, neighbors="add_remove").delta == worst.delta(gamma)
    assert model.renyi(2, neighbors="add_remove").moment == worst.moment(2)


def test_infinite_moments_have_a_witness() -> None:
    bound = tell(integer(0, 2)).renyi(3)
    assert bound.moment == INFINITY and bound.witness.x != bound.witness.x_prime and bound.verify()


@settings(max_examples=18)
@given(table=st.lists(weights, min_size=3, max_size=4), alpha=st.fractions(0, 1))
def test_a_tradeoff_is_shown_at_a_pair_that_attains_it(table: list[list[int]], alpha: Fraction) -> None:
    model = tabulated(table)
    curve = model.tradeoff()
    pair = curve.worst(alpha)
    assert pair is not None
    assert model.tradeoff([(pair.x, pair.x_prime)])(alpha) == curve(alpha)
