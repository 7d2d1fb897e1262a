"""Central mechanisms: counts, histograms, trees and releases that may be refused."""

from fractions import Fraction

from tests.corpus.case import Case

from taut import (
    binomial,
    bits,
    categories,
    discrete,
    exponential,
    flip,
    geometric,
    helper,
    integer,
    ints,
    mechanism,
    observe,
    uniform,
)

CASES: list[Case] = []


@mechanism
def noisy_count(x, ratio):
    return geometric(sum(x), ratio, 0, len(x))


CASES.append(Case("noisy_count", noisy_count, {"x": bits(5)}, {"ratio": "1/2"}))


@mechanism
def noisy_count_loop(x, value, ratio):
    count = 0
    for record in x:
        if record == value:
            count += 1
    return geometric(count, ratio, low=0, high=len(x))


CASES.append(Case("noisy_count_loop", noisy_count_loop, {"x": ints(3, 0, 2)}, {"value": 1, "ratio": "1/3"}))


@mechanism
def histogram(x, k, ratio):
    """Counting by writing at an input index."""
    counts = [0] * k
    for record in x:
        counts[record] += 1
    return [geometric(count, ratio, 0, len(x)) for count in counts]


CASES.append(Case("histogram", histogram, {"x": ints(3, 0, 2)}, {"k": 3, "ratio": "1/2"}))


@mechanism
def histogram_dictionary(x, ratio):
    counts = {"a": 0, "b": 0}
    for record in x:
        for key in counts:
            if record == key:
                counts[key] += 1
    for key in counts:
        counts[key] = geometric(counts[key], ratio, 0, 2)
    return [counts["a"], counts["b"]]


CASES.append(
    Case("histogram_dictionary", histogram_dictionary, {"x": categories(2, ["a", "b", "c"])}, {"ratio": "1/2"})
)


@mechanism
def histogram_count_method(x, ratio):
    counts = {city: x.count(city) for city in ("Graz", "Linz")}
    return [(city, geometric(count, ratio, 0, 2)) for city, count in counts.items()]


CASES.append(
    Case("histogram_count_method", histogram_count_method, {"x": categories(2, ["Graz", "Linz"])}, {"ratio": "1/3"})
)


@mechanism
def stability_histogram(x, k, ratio, threshold):
    """Only noisy counts that reach the threshold are released: a list of random length."""
    released = []
    for value in range(k):
        count = x.count(value)
        if count == 0:
            continue
        noisy = geometric(count, ratio, 0, len(x))
        if noisy >= threshold:
            released.append((value, noisy))
    return released


CASES.append(
    Case("stability_histogram", stability_histogram, {"x": ints(3, 0, 2)}, {"k": 3, "ratio": "1/2", "threshold": 2})
)


@mechanism
def propose_test_release(x, bound, ratio):
    """Release the median only if the data are noisily far from instability."""
    data = sorted(x)
    distance = min(data[1] - data[0], data[2] - data[1])
    if geometric(distance, ratio, 0, 3) < bound:
        return None
    return data[1]


CASES.append(Case("propose_test_release", propose_test_release, {"x": ints(3, 0, 3)}, {"bound": 2, "ratio": "1/2"}))


@mechanism
def prefix_sums(x, lam):
    """Running totals of noisy increments."""
    totals = []
    total = 0
    for bit in x:
        total += bit ^ flip(lam)
        totals.append(total)
    return totals


CASES.append(Case("prefix_sums", prefix_sums, {"x": bits(4)}, {"lam": "1/5"}))


@mechanism
def prefix_slices(x, ratio):
    return [geometric(sum(x[: i + 1]), ratio, 0, 3) for i in range(len(x))]


CASES.append(Case("prefix_slices", prefix_slices, {"x": bits(3)}, {"ratio": "1/2"}))


@mechanism
def tree_counter(x, p):
    """The binary mechanism for four bits: noise on each of seven nodes, answers add at most two of them."""
    noise = {-1: p, 0: 1 - 2 * p, 1: p}
    leaves = [bit + discrete(noise) for bit in x]
    left = x[0] + x[1] + discrete(noise)
    right = x[2] + x[3] + discrete(noise)
    root = sum(x) + discrete(noise)
    return [leaves[0], left, left + leaves[2], root]


CASES.append(Case("tree_counter", tree_counter, {"x": bits(4)}, {"p": "1/4"}))


@mechanism
def tree_levels(x, lam):
    """The same tree built level by level, nodes appended to a list of lists."""
    levels = [[bit ^ flip(lam) for bit in x]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([below[2 * i] + below[2 * i + 1] for i in range(len(below) // 2)])
    return levels


CASES.append(Case("tree_levels", tree_levels, {"x": bits(4)}, {"lam": "1/4"}))


@mechanism
def clamped_sum(x, low, high, ratio):
    total = sum(min(max(value, low), high) for value in x)
    return geometric(total, ratio, 0, 2 * high)


CASES.append(Case("clamped_sum", clamped_sum, {"x": ints(2, -2, 4)}, {"low": 0, "high": 2, "ratio": "1/2"}))


@mechanism
def clamped_by_hand(value, ratio):
    noisy = value + geometric(0, ratio, -3, 3)
    if noisy < 0:
        noisy = 0
    elif noisy > 4:
        noisy = 4
    return noisy


CASES.append(Case("clamped_by_hand", clamped_by_hand, {"value": integer(0, 4)}, {"ratio": "2/3"}))


@mechanism
def geometric_integer(value, ratio, low, high):
    return geometric(value, ratio, low, high)


CASES.append(
    Case("geometric_integer", geometric_integer, {"value": integer(-3, 6)}, {"ratio": 0.5, "low": -1, "high": 4})
)
CASES.append(Case("geometric_point", geometric_integer, {"value": integer(-1, 1)}, {"ratio": 0.5, "low": 2, "high": 2}))


@mechanism
def geometric_random_center(x, lam, ratio):
    """Center and both ends are random or inputs."""
    center = sum(bit ^ flip(lam) for bit in x)
    return geometric(center, ratio, -x[0], 2 + x[1])


CASES.append(Case("geometric_random_center", geometric_random_center, {"x": bits(2)}, {"lam": "1/5", "ratio": "1/2"}))


@mechanism
def geometric_input_ratio(x, ratios):
    """The noise grows with the sensitivity found in the data."""
    return geometric(x[0], ratios[x[1]], 0, 3)


CASES.append(Case("geometric_input_ratio", geometric_input_ratio, {"x": ints(2, 0, 2)}, {"ratios": [0, "1/3", 0.75]}))


@mechanism
def binomial_noise(x, trials):
    return sum(x) + binomial(trials, "1/2") - trials // 2


CASES.append(Case("binomial_noise", binomial_noise, {"x": bits(3)}, {"trials": 4}))


@mechanism
def truncated_noise(value, high):
    """Noise conditioned to stay inside, instead of clamped."""
    noisy = value + discrete({-2: "1/16", -1: "1/4", 0: "3/8", 1: "1/4", 2: "1/16"})
    observe(0 <= noisy <= high)
    return noisy


CASES.append(Case("truncated_noise", truncated_noise, {"value": integer(0, 3)}, {"high": 3}))


@mechanism
def retry_noise(value, high, tries):
    """Draw again while outside, at most so many times; then give up and clamp."""
    noisy = value + discrete({-2: "1/8", 0: "1/2", 1: "3/8"})
    left = tries
    while not 0 <= noisy <= high and left > 0:
        noisy = value + discrete({-2: "1/8", 0: "1/2", 1: "3/8"})
        left -= 1
    return min(max(noisy, 0), high)


CASES.append(Case("retry_noise", retry_noise, {"value": integer(0, 3)}, {"high": 3, "tries": 3}))


@mechanism
def rejection_loop(x, tries):
    """Rejection sampling with a counter of trials in the output."""
    trial = 0
    while trial < tries:
        trial += 1
        candidate = uniform(0, 3)
        if candidate in x:
            return candidate, trial
    return None


CASES.append(Case("rejection_loop", rejection_loop, {"x": ints(2, 0, 3)}, {"tries": 3}))


@mechanism
def threshold_test(x, ratio, at_least):
    return geometric(sum(x), ratio, 0, len(x)) >= at_least


CASES.append(Case("threshold_test", threshold_test, {"x": bits(4)}, {"ratio": "1/2", "at_least": 2}))


@mechanism
def two_counts(x, y, ratio):
    """Which of two databases counts more."""
    a = geometric(sum(x), ratio, 0, 2)
    b = geometric(sum(y), ratio, 0, 2)
    if a > b:
        return "first"
    if a < b:
        return "second"
    return "equal"


CASES.append(Case("two_counts", two_counts, {"x": bits(2), "y": bits(2)}, {"ratio": "1/2"}))


@mechanism
def two_kinds(table, value, lam):
    """A database of categories and a bare number."""
    hits = [record == "on" for record in table]
    return sum(hits) + value if flip(lam) else [value, hits[0]]


CASES.append(
    Case("two_kinds", two_kinds, {"value": integer(0, 2), "table": categories(2, ["on", "off"])}, {"lam": "1/4"})
)


@mechanism
def contingency(left, right, lam):
    """A matrix of counts, two records at a time, perturbed in place."""
    table = [[0, 0], [0, 0]]
    for a, b in zip(left, right):
        table[a][b] += 1
    for row in table:
        for j in range(len(row)):
            row[j] += flip(lam)
    return table


CASES.append(Case("contingency", contingency, {"left": bits(2), "right": bits(2)}, {"lam": "1/3"}))


@mechanism
def inner_product(x, y, lam):
    noisy = [a ^ flip(lam) for a in x]
    return sum(a * b for a, b in zip(noisy, y)) % 2


CASES.append(Case("inner_product", inner_product, {"x": bits(3), "y": bits(3)}, {"lam": "1/3"}))


@mechanism
def noisy_average(x, lam):
    """The mean of the records that take part, rounded down; zero if nobody does."""
    total = 0
    count = 0
    for value in x:
        if flip(lam):
            total += value
            count += 1
    return total // count if count > 0 else 0


CASES.append(Case("noisy_average", noisy_average, {"x": ints(3, 0, 3)}, {"lam": "1/2"}))


@mechanism
def noisy_median(x, ratio, high):
    noisy = sorted(geometric(value, ratio, 0, high) for value in x)
    return noisy[len(noisy) // 2]


CASES.append(Case("noisy_median", noisy_median, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_majority(x, lam):
    votes = [bit ^ flip(lam) for bit in x]
    return sum(votes) > len(votes) // 2


CASES.append(Case("noisy_majority", noisy_majority, {"x": bits(5)}, {"lam": "1/5"}))


@mechanism
def sample_and_aggregate(x, lam):
    """Three blocks of two, each votes, the majority is reported with noise."""
    votes = []
    for block in range(3):
        part = x[2 * block : 2 * block + 2]
        votes.append(part[0] & part[1])
    majority = votes[0] + votes[1] + votes[2] >= 2
    return majority ^ flip(lam)


CASES.append(Case("sample_and_aggregate", sample_and_aggregate, {"x": bits(6)}, {"lam": "1/10"}))


@mechanism
def adaptive_queries(x, ratio):
    """The noisy answer to the first query chooses the second."""
    first = geometric(sum(x), ratio, 0, 3)
    half = x[:1] if first >= 2 else x[1:]
    return first, geometric(sum(half), ratio, 0, 2)


CASES.append(Case("adaptive_queries", adaptive_queries, {"x": bits(3)}, {"ratio": "1/2"}))


@mechanism
def one_time_pad(x, modulus):
    """A uniform mask hides everything."""
    return [(value + uniform(0, modulus - 1)) % modulus for value in x]


CASES.append(Case("one_time_pad", one_time_pad, {"x": ints(2, 0, 2)}, {"modulus": 3}))


@mechanism
def shared_pad(x, modulus):
    """One mask for all: differences leak."""
    mask = uniform(0, modulus - 1)
    return [(value - mask) % modulus for value in x]


CASES.append(Case("shared_pad", shared_pad, {"x": ints(2, 0, 2)}, {"modulus": 3}))


@mechanism
def xor_shares(x):
    """Secret sharing: the first share, and the second only of the last bit."""
    shares = []
    for bit in x:
        mask = flip(Fraction(1, 2))
        shares.append((mask, bit ^ mask))
    return [first for first, _ in shares], shares[-1][1]


CASES.append(Case("xor_shares", xor_shares, {"x": bits(3)}))


@mechanism
def distinct_count(x, lam):
    seen = []
    for value in x:
        if value not in seen:
            seen.append(value)
    return len(seen) + flip(lam)


CASES.append(Case("distinct_count", distinct_count, {"x": ints(3, 0, 2)}, {"lam": "1/4"}))


@mechanism
def bounded_contribution(users, items, limit, ratio):
    """At most ``limit`` items of each user count."""
    used = [0, 0]
    total = 0
    for user, item in zip(users, items):
        if used[user] < limit:
            used[user] += 1
            total += item
    return geometric(total, ratio, 0, 3)


CASES.append(
    Case(
        "bounded_contribution",
        bounded_contribution,
        {"users": bits(3), "items": bits(3)},
        {"limit": 1, "ratio": "1/2"},
    )
)


@mechanism
def quantile(x, base):
    """The exponential mechanism over ranks."""
    scores = [-abs(sum(v <= c for v in x) - 1) for c in range(3)]
    return exponential(scores, base)


CASES.append(Case("quantile", quantile, {"x": ints(3, 0, 2)}, {"base": 3}))


@helper
def noisy_sum(values, ratio, high):
    total = 0
    for v in values:
        if v > high:
            return high
        total += v
    return geometric(min(total, high), ratio, 0, high)


@mechanism
def two_releases(x, ratio):
    """A helper with a loop and early returns, called twice."""
    return [noisy_sum(x, ratio, 2), noisy_sum(x[::-1], ratio, high=1)]


CASES.append(Case("two_releases", two_releases, {"x": ints(2, 0, 3)}, {"ratio": "1/2"}))


@mechanism
def nested_mechanisms(x, ratio, lam):
    """A mechanism whose answer decides whether another is asked."""
    if threshold_test(x, ratio, 1):
        return noisy_majority(x, lam)
    return noisy_count(x, ratio=ratio)


CASES.append(Case("nested_mechanisms", nested_mechanisms, {"x": bits(3)}, {"ratio": "1/2", "lam": "1/4"}))


@mechanism
def geometric_from_flips(value, stop, rounds):
    """Two-sided noise from coins: a sign and a truncated number of failures."""
    steps = 0
    while steps < rounds and not flip(stop):
        steps += 1
    sign = 1 if flip("1/2") else -1
    return value + sign * steps


CASES.append(Case("geometric_from_flips", geometric_from_flips, {"value": integer(0, 2)}, {"stop": "1/2", "rounds": 3}))


@mechanism
def randomized_budget(x):
    """How much noise is added is itself random, and reported."""
    scale = uniform(1, 3)
    return [scale, sum(x) + uniform(-scale, scale)]


CASES.append(Case("randomized_budget", randomized_budget, {"x": bits(2)}))


@mechanism
def drifting_state(x, lam):
    """A two-state Markov chain driven by the records."""
    state = "calm"
    trace = []
    for bit in x:
        if state == "calm" and bit:
            state = "alarm" if not flip(lam) else "calm"
        elif state == "alarm":
            if flip("1/3"):
                state = "calm"
        trace.append(state)
    return trace


CASES.append(Case("drifting_state", drifting_state, {"x": bits(3)}, {"lam": "1/5"}))


@mechanism
def nearest_center(x, lam):
    """One step of one-dimensional clustering: assign, then noisy counts."""
    centers = [0, 3]
    sizes = [0, 0]
    for value in x:
        distances = [abs(value - c) for c in centers]
        sizes[distances.index(min(distances))] += 1
    return [size + flip(lam) - flip(lam) for size in sizes]


CASES.append(Case("nearest_center", nearest_center, {"x": ints(3, 0, 3)}, {"lam": "1/4"}))


@mechanism
def sign_release(x, ratio):
    total = sum(x) + geometric(0, ratio, -2, 2)
    return (total > 0) - (total < 0)


CASES.append(Case("sign_release", sign_release, {"x": ints(2, -2, 2)}, {"ratio": "1/2"}))
