"""Answers where some runs were not followed: each interval contains the truth, and nothing hides the remainder."""

import json
import pickle
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taut
from taut import UNFOLLOWED, bits, integer, mechanism
from taut.model import Model
from taut.program import enumerate_outcomes
from taut.questions.accuracy import Accuracy
from taut.questions.bound import remainder_text
from taut.questions.delta import Delta, HockeyStick
from taut.questions.divergence import KullbackLeibler, LargestDivergence, TotalVariation
from taut.questions.epsilon import Epsilon
from taut.questions.pair_measure import PairCase, PairMeasure, PairWitness
from taut.questions.privacy import Privacy
from taut.questions.profile import Profile
from taut.support.errors import InvalidInput, InvalidOption
from taut.support.exact import INFINITY

FINE = Fraction(1, 2**60)


def counted(p):
    k = 0
    while random.random() < p:
        k += 1
    return k


def shifted(x, p=0.5):
    """Geometric noise, by counting, to the right of the value."""
    return x + counted(p)


def mixed(x, p, q, sign, twice, cut):
    """A program with two loops that can go on, whose results are added, compared or cut."""
    k = counted(p[x])
    if twice:
        k = k + sign * counted(q)
    if cut is not None and k > cut:
        return x, "many"
    return x * 0 + k if cut is not None else k


SHARES = st.sampled_from([0.25, 0.5, 0.75])
PROGRAMS = st.fixed_dictionaries(
    {
        "p": st.tuples(SHARES, SHARES),
        "q": SHARES,
        "sign": st.sampled_from([-1, 1]),
        "twice": st.booleans(),
        "cut": st.sampled_from([None, 0, 3]),
    }
)


def model_of(most, **parameters):
    def program(x):
        return mixed(x, **parameters)

    with taut.options(max_remainder=most, validate="off"):
        return mechanism(program)(integer(0, 1))


@settings(max_examples=2, deadline=None)
@given(parameters=PROGRAMS, gamma=st.sampled_from([1, 2, 3]))
def test_intervals_contain_what_a_much_smaller_remainder_tells(parameters, gamma):
    coarse, fine = model_of(Fraction(1, 2), **parameters), model_of(FINE, **parameters)
    slack = (2 + gamma) * fine.remainder
    assert 0 < fine.remainder < coarse.remainder
    rough, close = coarse.delta(ratio=gamma), fine.delta(ratio=gamma)
    assert close.upper - close.lower <= slack
    assert rough.lower <= close.upper and close.lower <= rough.upper
    for x in (0, 1):
        less, more = coarse.distribution(x), fine.distribution(x)
        assert sum(less.values()) == sum(more.values()) == 1
        for y, mass in less.items():
            if y is not UNFOLLOWED:
                assert more.get(y, 0) <= mass + less[UNFOLLOWED]
                assert mass <= more.get(y, 0) + more[UNFOLLOWED]
    for delta in (Fraction(1, 100), Fraction(1, 10)):
        rough, close = coarse.epsilon(delta), fine.epsilon(delta)
        assert rough.lower <= close.upper and close.lower <= rough.upper
        from_curve = coarse.profile().epsilon(delta)
        assert from_curve.lower <= close.upper and close.lower <= from_curve.upper
    rough, close = coarse.privacy(), fine.privacy()
    assert fine.delta(ratio=max(1, rough.max_ratio)).lower <= rough.delta if rough.max_ratio < taut.INFINITY else True
    assert rough.lower <= close.max_ratio
    for best in (False, True):
        rough, close = (one.accuracy(lambda x: 0, 0, distance=_unequal, best=best) for one in (coarse, fine))
        assert rough.lower <= close.upper and close.lower <= rough.upper


def _unequal(output, wanted):
    return 0 if output == wanted else 1


def test_masses_of_counting_are_those_of_the_geometric_distribution():
    with taut.options(max_remainder=Fraction(1, 2**30)):
        model = mechanism(shifted)(integer(0, 1), p=0.75)
    found = dict(model.distribution(1))
    rest = found.pop(UNFOLLOWED)
    assert all(mass == Fraction(1, 4) * Fraction(3, 4) ** (y - 1) for y, mass in found.items())
    assert rest == Fraction(3, 4) ** len(found) == model.remainder
    assert rest <= Fraction(1, 2**30)


def test_pure_privacy_is_told_with_the_delta_of_what_was_not_followed():
    def both(x):
        return x + counted(0.5) - counted(0.5)

    bound = mechanism(both)(integer(0, 1)).privacy()
    assert 2 <= bound.max_ratio < 2 + Fraction(1, 10**30)
    assert bound.delta == Fraction(1, 2**100)
    assert 2 - Fraction(1, 10**20) < bound.lower < 2
    assert bound.holds(ratio=2) is None and bound.holds(ratio="3/2") is False
    assert str(bound).startswith("eps = 0.693147 (e^eps = about 2 + ")
    assert "with delta <= 7.9e-31 for runs that were not followed" in str(bound)
    assert bound.verify().holds


def test_a_sampler_around_a_sum_is_read_around_and_holds_for_every_input():
    model = mechanism(lambda x: sum(x) + counted(0.5) - counted(0.5))(bits(3))
    assert model.reading.read == ("<lambda>",)
    assert 2 <= model.privacy().max_ratio < 2 + Fraction(1, 10**30)
    assert model.remainder <= Fraction(1, 2**100)


def test_the_ratio_of_a_single_loop_is_exact():
    def two_sided(x):
        sign, size = random.choice([-1, 1]), 0
        while random.random() < 0.5:
            size += 1
        return x + sign * size

    assert mechanism(two_sided)(integer(0, 1)).privacy().max_ratio == 4


def test_a_run_that_is_not_followed_stays_so_whatever_is_computed_from_it():
    with taut.options(max_remainder="1e-3"):
        model = mechanism(lambda x: (counted(0.5) > 10_000, x))(integer(0, 1))
        ignored = mechanism(lambda x: x if counted(0.5) >= 0 else 7)(integer(0, 1))
    assert model.distribution(0) == {(False, 0): 1 - model.remainder, UNFOLLOWED: model.remainder}
    assert ignored.distribution(1) == {1: 1 - ignored.remainder, UNFOLLOWED: ignored.remainder}
    assert 0 < ignored.remainder == model.remainder


def test_an_output_of_one_input_alone_is_found_up_to_the_remainder():
    bound = mechanism(lambda x: (x, counted(0.5)))(integer(0, 1)).privacy()
    assert bound.max_ratio == taut.INFINITY
    assert bound.lower > 10**30


def test_answers_for_machines_have_the_remainder():
    model = mechanism(shifted)(integer(0, 1))
    told = [
        model.privacy().to_dict(),
        model.delta(ratio=1).to_dict(),
        model.epsilon("1/2").to_dict(),
        model.profile().to_dict(),
        model.accuracy(lambda x: x, 1).to_dict(),
        model.divergence(TotalVariation()).to_dict(),
    ]
    assert all(Fraction(one["remainder"]) == model.remainder > 0 for one in told)
    json.dumps(told)
    for bound in (model.delta(ratio=1), model.profile(), model.accuracy(lambda x: x, 1)):
        assert "were not followed" in str(bound)
        assert pickle.loads(pickle.dumps(bound)).remainder == model.remainder
    for bound in (model.delta(ratio=2), model.epsilon("1/2"), model.profile(), model.divergence(HockeyStick(2))):
        assert bound.verify().holds


def test_deltas_of_composed_runs_add():
    profile = mechanism(shifted)(integer(0, 1)).profile()
    thrice = profile.compose(3)
    assert thrice.remainder == 3 * profile.remainder
    low, high = thrice.delta_interval(ratio=1)
    exact = 1 - Fraction(1, 2) ** 3  # x = 0 is told from x = 1 exactly if some run returns 0
    assert low <= exact <= high <= low + Fraction(1, 10**25)
    assert "were not followed" in str(thrice.epsilon("1/2"))


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.renyi(2),
        lambda model: model.zcdp(),
        lambda model: model.tradeoff(),
        lambda model: model.divergence(KullbackLeibler()),
        lambda model: model.delta(ratio=2, adaptive=True),
        lambda model: model.error(lambda x: x),
        lambda model: model.loss(0, 1),
        lambda model: model.worst_pairs(),
        lambda model: model.worst_inputs(lambda x: x, 1),
        lambda model: model.accuracies([0], lambda x: x, 1),
        lambda model: model.profile().dominating_pair,
        lambda model: model.profile().corners,
    ],
)
def test_what_has_no_bound_with_a_remainder_is_refused(ask):
    with pytest.raises(InvalidInput, match="runs that were not followed have a probability of up to"):
        ask(mechanism(shifted)(integer(0, 1)))


def test_claims_are_decided_with_the_remainder():
    model = mechanism(lambda x: x + counted(0.5) - counted(0.5))(integer(0, 1))
    verdict = taut.check(model, epsilon="0.7", delta="1e-20")
    assert taut.check(model, epsilon="0.6", delta="1e-20").holds is False
    assert verdict.holds is True
    assert Fraction(verdict.to_dict()["remainder"]) > 0
    assert "were not followed" in str(verdict)


def test_a_pure_claim_is_not_decided_by_followed_runs():
    model = mechanism(lambda x: x + counted(0.5) - counted(0.5))(integer(0, 1))
    assert taut.check(model, ratio=2).holds is None
    assert taut.check(model, ratio="3/2").holds is False


def test_models_that_follow_everything_have_no_remainder():
    bound = mechanism(lambda x: x ^ taut.flip("1/4"))(integer(0, 1)).privacy()
    assert bound.remainder == 0 and "remainder" not in bound.to_dict()


@pytest.mark.parametrize("value", [0, 1, -1, "x", None, 2.5])
def test_a_remainder_is_a_probability(value):
    with (
        pytest.raises(InvalidOption, match="max_remainder must be a number above 0 and below 1"),
        taut.options(max_remainder=value),
    ):
        pass


def test_the_remainder_is_rounded_up_in_words():
    assert remainder_text(Fraction(1, 10**30)) == "1e-30"
    assert remainder_text(Fraction(101, 10**32)) == "1.1e-30"


def two_sided():
    with taut.options(max_remainder="1e-6", validate="off"):
        return mechanism(lambda x: x + counted(0.5) - counted(0.5))(integer(0, 1))


def unfinished(monkeypatch, model, pair):
    """Let every solver of a model be ended by a limit: at once, or after it has looked at one pair of inputs."""
    assert model.remainder > 0
    losses = [] if pair is None else [PairCase(model.replayed_loss(PairWitness(*pair))[0], 1)]

    def solved(self, measure, how, **rest):
        parts = {"stats": {"stopped": "max_memory", "why": "memory ran out"}, "neighbors": "one_differ"}
        if losses and isinstance(measure, PairMeasure):
            return measure.worst(losses, False, method="a few cases", **parts)
        return measure.unknown(method="none", **parts)

    monkeypatch.setattr(Model, "solved", solved)


@pytest.mark.parametrize("pair", [None, (0, 1)])
@pytest.mark.parametrize(
    "asked",
    [
        Privacy(),
        Delta(1),
        Delta(ratio=3),
        Epsilon("1e-6"),
        Profile(),
        Profile(compose=3),
        LargestDivergence(TotalVariation()),
        Accuracy(lambda x: x, 1),
    ],
    ids=lambda asked: asked.name,
)
def test_an_end_without_a_case_is_told_as_an_interval(monkeypatch, asked, pair):
    model = two_sided()
    unfinished(monkeypatch, model, pair)
    if isinstance(asked, Accuracy):
        monkeypatch.setattr(type(model), "closeness", lambda self, *_: self)
    bound = model.ask(asked)
    assert not bound.complete and bound.remainder > 0
    for told in (str(bound), asked.rows(bound)[0][1]):
        assert "between" in told or "at least" in told or "at most" in told
    assert "= infinity" not in str(bound)
    made = json.loads(json.dumps(bound.to_dict()))
    assert None not in (made.get("witness") or {}).values()
    if bound.stats.get("runs", 1) == 1:
        assert bound.verify()


@pytest.mark.parametrize("runs", [1, 3])
def test_epsilon_of_a_profile_without_a_pair_has_none(monkeypatch, runs):
    model = two_sided()
    unfinished(monkeypatch, model, None)
    bound = model.ask(Profile(compose=runs)).epsilon("1e-3")
    assert not bound.witnessed and "None" not in str(bound) and "between" in str(bound)


@pytest.mark.parametrize("pair", [None, (0, 1)])
def test_pure_privacy_is_told_between_its_ends_until_it_is_known(monkeypatch, pair):
    model = two_sided()
    known = model.privacy()
    unfinished(monkeypatch, model, pair)
    bound = model.privacy()
    low, high = bound.told
    assert 1 <= low <= known.max_ratio <= high == INFINITY
    assert (low > 1) == (pair is not None)
    assert str(bound).startswith("eps between ") and " with delta <= 1e-06 " in str(bound)
    assert dict(Privacy().rows(bound))["eps"].startswith("between ")
    assert Privacy().headline(bound).text.endswith("∞") and "…" in Privacy().headline(bound).text
    assert Privacy().card(bound)[0].startswith("between ")
    assert Fraction(bound.to_dict()["least_ratio_at_delta"]) == low


@pytest.mark.parametrize("limits", [{"epsilon": 5}, {"epsilon": 5, "delta": "1e-6"}, {"max_ratio": 100}])
def test_claims_are_undecided_where_no_case_was_looked_at(monkeypatch, limits):
    model = two_sided()
    unfinished(monkeypatch, model, None)
    verdict = taut.check(model, **limits)
    assert verdict.holds is None and "between" in str(verdict)


def alone(x):
    return [v + counted(0.5) for v in x]


def shared(x):
    k = counted(0.5)
    return [x[0] + k, k, counted(0.25), x[1]]


def joined(x):
    """The second loop is reached from one end of the first alone."""
    k = counted(0.5)
    return k, (counted(0.5) if k == 1 else x[0]), x[1] * k


@pytest.mark.parametrize("function", [alone, shared, joined])
def test_marks_of_items_are_the_mark_of_the_output(function):
    """Items are marked exactly where the whole output was; other outputs keep their probabilities."""
    with taut.options(max_remainder="1/10", validate="off"):
        model = mechanism(function)(bits(2))
    items = model.by_items()
    assert items is not model
    for x in ((0, 0), (0, 1), (1, 1)):
        whole, apart = enumerate_outcomes(model.program, x), enumerate_outcomes(items.program, x)
        found = {}
        for y, mass in apart.items():
            place = UNFOLLOWED if UNFOLLOWED in y else y
            found[place] = found.get(place, 0) + mass
        assert found == whole and whole[UNFOLLOWED] > 0
        assert UNFOLLOWED not in apart


@pytest.mark.parametrize("function", [alone, shared, joined])
def test_answers_by_items_contain_those_with_a_much_smaller_remainder(function):
    models = []
    for most in ("1/10", "1e-4"):
        with taut.options(max_remainder=most, validate="off"):
            models.append(mechanism(function)(bits(2)))
    for ask in (lambda model: model.delta(ratio=2), lambda model: model.epsilon("1/4")):
        rough, close = map(ask, models)
        assert rough.lower <= close.upper and close.lower <= rough.upper
        assert rough.verify() and close.verify()


def test_lists_of_samplers_are_answered_entry_by_entry():
    model = mechanism(lambda x: [v + counted(0.5) - counted(0.5) for v in x])(bits(40))
    bound = model.privacy()
    assert bound.method == "decomposition" and bound.told[0] == bound.told[1]
    assert abs(bound.max_ratio - 2) < Fraction(1, 2**90)
    assert "None" not in str(bound) and "no case was looked at" not in str(bound)
    assert model.delta(ratio=2).upper < Fraction(1, 2**100)
    assert model.delta(ratio=1).verify()
    assert taut.check(model, epsilon="0.7", delta="1e-20").holds
