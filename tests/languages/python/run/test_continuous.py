"""Continuous noise that is only compared: each spelling, each refusal, quadrature, and published variants."""

import math
import random

import numpy as np
import pytest
from scipy import integrate, stats

import taut
from taut import category, exponential_noise, integer, ints, laplace, mechanism
from taut.support.errors import InvalidDistribution, MechanismError, RealRandomness, TooLarge

E = math.e


def close(a, b):
    return math.isclose(float(a), float(b), rel_tol=1e-9)


# -- the same noise in many spellings ----------------------------------------------------------------------------------


def by_numpy(queries):
    noisy = [query + np.random.laplace(scale=2.0) for query in queries]
    return np.argmax(noisy)


def by_generator(queries):
    rng = np.random.default_rng(3)
    return np.argmax(np.array(queries) + rng.laplace(0, 2.0, size=len(queries)))


def by_array_of_centers(queries):
    return int(np.argmax(np.random.RandomState(1).laplace(np.array(queries), 2.0)))


def by_taut(queries):
    noisy = [laplace(query, 2) for query in queries]
    return noisy.index(max(noisy))


def by_two_exponentials(queries):
    noisy = [query + random.expovariate(0.5) - random.expovariate(0.5) for query in queries]
    best = 0
    for place in range(1, len(noisy)):
        if not noisy[place] <= noisy[best]:
            best = place
    return best


def by_numpy_exponentials(queries):
    noisy = (
        np.array(queries) + np.random.exponential(2.0, len(queries)) - 2 * np.random.standard_exponential(len(queries))
    )
    return sorted(range(len(noisy)), key=lambda place: -noisy[place])[0]


def by_inversion(queries):
    def noise():
        u = random.random() - 0.5
        return -2.0 * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))

    noisy = [query + noise() for query in queries]
    return noisy.index(max(noisy))


def by_numpy_inversion(queries):
    def noise():
        u = np.random.uniform(-0.5, 0.5)
        return -2.0 * np.sign(u) * np.log(1 - 2 * np.abs(u))

    noisy = [(query + noise(), place) for place, query in enumerate(queries)]
    return max(noisy)[1]


def by_logarithms(queries):
    noisy = [query - 2 * math.log(random.random()) + 2 * math.log(1 - random.random()) for query in queries]
    return noisy.index(max(noisy))


def winner(queries, scale=2.0):
    """P(the first has the largest noisy value) by quadrature."""
    noise = stats.laplace(scale=scale)

    def density(t):
        return noise.pdf(t - queries[0]) * math.prod(noise.cdf(t - query) for query in queries[1:])

    return integrate.quad(density, -100, 100, points=sorted(set(queries)), limit=400)[0]


@pytest.mark.parametrize(
    "function",
    [
        by_numpy,
        by_generator,
        by_array_of_centers,
        by_taut,
        by_two_exponentials,
        by_numpy_exponentials,
        by_inversion,
        by_numpy_inversion,
        by_logarithms,
    ],
)
def test_noisy_max_is_the_same_however_it_is_spelled(function):
    model = mechanism(function)(category([(0, 1, 0), (1, 0, 2)]))
    for x in ((0, 1, 0), (1, 0, 2)):
        assert close(model.probability(x, 0), winner(x))
        assert close(sum(model.distribution(x).values()), 1)
    assert close(model.probability((0, 1, 0), 0), model.probability((0, 1, 0), 2))


def test_noisy_max_with_exponential_noise():
    def index(queries, eps):
        noisy = np.array(queries) + np.random.exponential(2.0 / eps, size=len(queries))
        return np.argmax(noisy)

    model = mechanism(index)(ints(3, 0, 1), eps=1.0)
    noise = stats.expon(scale=2)

    def density(t):
        return noise.pdf(t - 1) * noise.cdf(t) * noise.cdf(t - 1)

    assert close(model.probability((1, 0, 1), 0), integrate.quad(density, 1, 100)[0])
    assert 1 < model.privacy("all_step").max_ratio < E


def test_comparisons_with_numbers_are_exact():
    model = mechanism(lambda x: laplace(x, "3/2") >= 2)(integer(0, 4))
    for x in range(5):
        tail = math.exp(-abs(x - 2) / 1.5) / 2
        assert close(model.probability(x, True), tail if x <= 2 else 1 - tail)
    bound = model.privacy("one_step")
    assert close(bound.max_ratio, math.exp(2 / 3))
    assert bound.verify()
    assert str(model.reading).endswith("(taut.laplace)")


def test_whole_numbers_made_of_it_have_their_distribution():
    floors = mechanism(lambda x: math.floor(x + np.random.laplace(0, 2)))(integer(0, 1))
    noise = stats.laplace(scale=2)
    for k in (-40, -3, -1, 0, 1, 5, 60):
        assert close(
            floors.probability(0, k), noise.cdf(k + 1) - noise.cdf(k) if k < 0 else noise.sf(k) - noise.sf(k + 1)
        )
    assert 0 < floors.remainder < 1e-30
    rounded = mechanism(lambda x: round(exponential_noise(x, 1)))(integer(0, 1))
    assert close(rounded.probability(1, 1), 1 - math.exp(-0.5))
    assert close(rounded.probability(1, 4), math.exp(-2.5) - math.exp(-3.5))
    again = mechanism(lambda x: (int(x + np.random.laplace()) > 1, 3 > x))(integer(0, 1))
    assert close(again.probability(1, (True, True)), math.exp(-1) / 2)


def test_what_is_known_is_not_asked_again():
    def asked(x):
        a, b = laplace(x, 1), laplace(0, 2)
        first = a < b
        return first, a < b, b > a, b + 1 > a, a < 5, a - a, a == b, (a + b) / 2 > a

    for y in mechanism(asked)(integer(0, 1)).distribution(0):
        assert y[0] == y[1] == y[2] == y[7]
        assert y[3] or not y[0]
        assert y[5:7] == (0.0, False)


def test_only_what_is_possible_is_followed():
    """Compare n noisy values: less than 1 apart, or which is larger; the answers are the labelled semiorders."""

    def comparisons(x):
        noisy = [laplace(value, 1) for value in x]
        return [a - b < 1 for a in noisy for b in noisy if a is not b]

    found = mechanism(comparisons)(category([(0, 0, 0), (1, 0, 2)]))
    for x in ((0, 0, 0), (1, 0, 2)):
        assert len(found.distribution(x)) == 19
        assert close(sum(found.distribution(x).values()), 1)


def test_noise_that_a_function_returns_to_the_mechanism_is_followed():
    def lap(scale):
        return np.random.laplace(scale=scale)

    def first(x):
        return x[0] + lap(2) > x[1] + lap(2)

    assert close(mechanism(first)(ints(2, 0, 1)).probability((1, 0), True), 1 - winner((0, 1)))


def test_sums_differences_and_absolute_values():
    model = mechanism(lambda x: sum(laplace(value, 1) for value in x) > 1)(ints(2, 0, 1))
    assert close(model.probability((0, 0), True), 3 / (4 * E))
    gap = mechanism(lambda x: abs(laplace(x, 1) - laplace(0, 1)) > 1)(integer(0, 1))
    assert close(gap.probability(0, True), 3 / (2 * E))
    between = mechanism(lambda x: np.clip(exponential_noise(x, 1), 0, 1) > 0.5)(integer(0, 1))
    assert close(between.probability(0, True), math.exp(-0.5))
    random_center = mechanism(lambda x: np.random.laplace(np.random.laplace(x, 1), 1) > 1)(integer(0, 1))
    assert close(random_center.probability(0, True), 3 / (4 * E))
    assert mechanism(lambda x: np.random.laplace(x, 0) > 0)(integer(0, 1)).distribution(1) == {True: 1}


def test_uniform_numbers_are_compared_with_each_other_and_narrowed():
    def compared(x):
        u, v = random.random(), random.random()
        low = u < 0.5
        return low, u > v, v > 0.75

    found = {y: float(mass) for y, mass in mechanism(compared)(integer(0, 1)).distribution(0).items()}
    assert close(found[True, True, False], 1 / 8)
    assert close(found[False, True, True], 1 / 32)
    assert (True, True, True) not in found

    def shuffled(x):
        keys = [random.random() for _ in x]
        return tuple(value for _, value in sorted(zip(keys, x, strict=True)))

    assert all(
        close(mass, 1 / 6)
        for mass in mechanism(shuffled)(category([(1, 2, 3), (3, 2, 1)])).distribution((1, 2, 3)).values()
    )


def test_rejection_and_discrete_draws_go_along():
    def rejected(x):
        while True:
            noisy = laplace(x, 1)
            if noisy > 0:
                return noisy > 1

    assert close(mechanism(rejected)(integer(0, 1)).probability(0, True), 1 / E)
    mixed = mechanism(lambda x: laplace(x, 1) > (1 if random.random() < 0.5 else 0))(integer(0, 1))
    assert close(mixed.probability(0, True), 0.25 + 0.25 / E)


def test_a_function_of_one_entry_scales_to_many_entries():
    def above(value):
        return value + np.random.laplace(scale=2) > 1

    model = mechanism(lambda x: [above(value) for value in x])(ints(200, 0, 1))
    assert close(model.privacy().max_ratio, math.exp(0.5))


# -- sparse vector -----------------------------------------------------------------------------------------------------


def sparse_vector(queries, eps, T, c):
    out, count = [], 0
    noisy_T = T + np.random.laplace(scale=2.0 / eps)
    for query in queries:
        if query + np.random.laplace(scale=4.0 * c / eps) >= noisy_T:
            out.append(True)
            count += 1
            if count >= c:
                break
        else:
            out.append(False)
    return out


def lee_clifton(queries, eps, T, c):
    """Noise of the queries that does not grow with c."""
    out, count = [], 0
    noisy_T = T + np.random.laplace(scale=4.0 / eps)
    for query in queries:
        if query + np.random.laplace(scale=4.0 / (3.0 * eps)) >= noisy_T:
            out.append(True)
            count += 1
            if count >= c:
                break
        else:
            out.append(False)
    return out


def stoddard(queries, eps, T):
    """No noise of the queries."""
    noisy_T = T + np.random.laplace(scale=2.0 / eps)
    return [query >= noisy_T for query in queries]


def chen(queries, eps, T):
    """No limit on positive answers."""
    noisy_T = T + np.random.laplace(scale=2.0 / eps)
    return [query + np.random.laplace(scale=2.0 / eps) >= noisy_T for query in queries]


def answers(queries, y, threshold, noise):
    """P(these answers) by quadrature over the noise of the threshold."""

    def density(t):
        product = threshold.pdf(t)
        for query, above in zip(queries, y, strict=False):
            product *= noise.sf(t - query) if above else noise.cdf(t - query)
        return product

    return integrate.quad(density, -300, 300, points=sorted({0, *queries}), limit=800)[0]


def test_sparse_vector_by_quadrature():
    queries = (1, -1, 0, 2)
    model = mechanism(sparse_vector)(category([queries, (0, 0, 1, 1)]), eps=1.0, T=0, c=2)
    masses = model.distribution(queries)
    assert len(masses) == 11
    for y, mass in masses.items():
        assert math.isclose(
            float(mass), answers(queries, y, stats.laplace(scale=2), stats.laplace(scale=8)), rel_tol=1e-7
        )


def worst(function, n, **parameters):
    pair = [(0,) * n + (1,), (1,) * n + (0,)]
    return float(mechanism(function)(category(pair), eps=1.0, T=1, **parameters).privacy().epsilon)


def test_published_variants_of_sparse_vector():
    """Lyu, Su and Li 2017: the first is eps-private, Lee and Clifton's (1 + 6c)/4 eps, Stoddard's and Chen's never."""
    small = [worst(sparse_vector, n, c=1) for n in (3, 12)]
    assert small[0] < 0.7 < 0.98 < small[1] < 1
    wrong = [worst(lee_clifton, n, c=1) for n in (3, 12)]
    assert 1 < wrong[0] < 1.7 < wrong[1] < 7 / 4
    assert mechanism(stoddard)(ints(2, 0, 1), eps=1.0, T=1).privacy("all_step").max_ratio == taut.INFINITY
    growing = [mechanism(chen)(category([(1,) * n + (0,) * n, (0,) * n + (1,) * n]), eps=1.0, T=1) for n in (1, 2, 3)]
    epsilons = [float(model.privacy().epsilon) for model in growing]
    assert epsilons[1] - epsilons[0] > 0.75 and epsilons[2] - epsilons[1] > 0.75


def test_every_question_answers():
    model = mechanism(by_numpy)(ints(2, 0, 1))
    assert close(model.privacy("all_step").max_ratio, model.privacy("all_step", method="search").max_ratio)
    p = float(model.probability((1, 0), 0)) - float(model.probability((0, 1), 0))
    assert close(model.delta(epsilon=0, neighbors="all_step").delta, p)
    assert close(model.accuracy(lambda x: x[1] > x[0], 0).probability, 0.5)


# -- refusals ----------------------------------------------------------------------------------------------------------


def triangle(x):
    a, b, c = (laplace(value, 1) for value in x)
    return a > b, a + b > c


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda x: max(value + np.random.laplace() for value in x), RealRandomness, "taut.discrete_laplace"),
        (lambda x: [laplace(x[0], 1) > 0, laplace(x[0], 1)], RealRandomness, "itself part of what is returned"),
        (lambda x: laplace(0, 1) * laplace(0, 1) > 0, RealRandomness, "combined with another"),
        (lambda x: laplace(0, 1) ** 2 > 1, RealRandomness, "raised to a power"),
        (lambda x: math.exp(laplace(0, 1)) > 1, RealRandomness, "needed as a plain float"),
        (triangle, TooLarge, "more than two noise variables"),
        (lambda x: laplace(0, -1) > 0, InvalidDistribution, "above 0"),
        (lambda x: np.random.laplace(0, -1) > 0, MechanismError, "above 0"),
        (lambda x: np.random.logistic() > 0, RealRandomness, "logistic"),
    ],
)
def test_what_has_no_exact_answer_is_refused_in_words(function, error, words):
    with pytest.raises(error, match=words):
        mechanism(function)(ints(3, 0, 1)).privacy()


def test_a_logarithm_and_its_number_are_not_both_compared():
    def both(x):
        u = random.random()
        return -math.log(u) > laplace(x, 1), u < 0.5

    with pytest.raises(RealRandomness, match="the number itself as well"):
        mechanism(both)(integer(0, 1))


def test_a_hub_without_end_and_doubles_of_the_machine_are_refused():
    def endless(x):
        bar = laplace(0, 1)
        while laplace(x, 1) < bar:
            pass
        return bar > 0

    with pytest.raises(TooLarge, match="more than 100 comparisons"):
        mechanism(endless)(integer(0, 1))
    with taut.options(randomness="machine"), pytest.raises(RealRandomness, match="ideal"):
        mechanism(by_numpy)(ints(2, 0, 1))


def test_outside_of_mechanisms_it_is_real_noise():
    random.seed(5)
    drawn = [laplace(3, "1/2") for _ in range(4000)]
    assert abs(sum(drawn) / 4000 - 3) < 0.06
    assert abs(sum(abs(value - 3) for value in drawn) / 4000 - 0.5) < 0.05
    assert min(exponential_noise(3, 2) for _ in range(100)) > 3
