"""Subsampling, shuffling and conditioning: lists of random length and random indices."""

from tests.corpus.case import Case

from taut import (
    binomial,
    bits,
    categories,
    discrete,
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
def subsample_count(x, p):
    return sum([bit for bit in x if flip(p)])


CASES.append(Case("subsample_count", subsample_count, {"x": bits(4)}, {"p": "1/3"}))


@mechanism
def subsample_noisy(x, p, ratio):
    kept = []
    for record in x:
        if flip(p):
            kept.append(record)
    return len(kept), geometric(sum(kept), ratio, 0, 3)


CASES.append(Case("subsample_noisy", subsample_noisy, {"x": ints(3, 0, 2)}, {"p": "1/2", "ratio": "1/2"}))


@mechanism
def subsample_release(x, p):
    """The sample itself: outputs of every length."""
    return [record for record in x if flip(p)]


CASES.append(Case("subsample_release", subsample_release, {"x": categories(3, ["a", "b"])}, {"p": "1/4"}))


@mechanism
def sample_first_last(x, p):
    """A list of random length, indexed from both ends."""
    kept = [value for value in x if flip(p)]
    if len(kept) == 0:
        return None
    return kept[0], kept[-1]


CASES.append(Case("sample_first_last", sample_first_last, {"x": ints(3, 0, 2)}, {"p": "1/2"}))


@mechanism
def sample_middle(x, p):
    kept = sorted([value for value in x if flip(p)])
    return kept[len(kept) // 2] if kept else "empty"


CASES.append(Case("sample_middle", sample_middle, {"x": ints(3, 0, 2)}, {"p": "1/2"}))


@mechanism
def sample_then_respond(x, p, lam):
    """Loop over a list of random length, drawing a coin for each element."""
    kept = [value for value in x if flip(p)]
    reports = []
    for value in kept:
        reports.append(value ^ flip(lam))
    return reports


CASES.append(Case("sample_then_respond", sample_then_respond, {"x": bits(3)}, {"p": "1/2", "lam": "1/5"}))


@mechanism
def sample_pairs(x, p):
    """Neighbours in a list of random length."""
    kept = [value for value in x if flip(p)]
    rises = 0
    for i in range(1, len(kept)):
        if kept[i] > kept[i - 1]:
            rises += 1
    return rises


CASES.append(Case("sample_pairs", sample_pairs, {"x": ints(4, 0, 1)}, {"p": "2/3"}))


@mechanism
def sample_max(x, p):
    kept = [0] + [value for value in x if flip(p)]
    return max(kept), min(kept), kept.count(2), 1 in kept


CASES.append(Case("sample_max", sample_max, {"x": ints(3, 0, 2)}, {"p": "1/2"}))


@mechanism
def with_replacement(x, draws):
    n = len(x)
    return sum(x[uniform(0, n - 1)] for _ in range(draws))


CASES.append(Case("with_replacement", with_replacement, {"x": ints(3, 0, 2)}, {"draws": 3}))


@mechanism
def without_replacement(x):
    """Two different indices, the second stepped over the first."""
    i = uniform(0, len(x) - 1)
    j = uniform(0, len(x) - 2)
    if j >= i:
        j += 1
    return [x[i], x[j]]


CASES.append(Case("without_replacement", without_replacement, {"x": ints(3, 0, 2)}))


@mechanism
def without_replacement_observed(x):
    i = uniform(0, len(x) - 1)
    j = uniform(0, len(x) - 1)
    observe(i != j)
    return x[i] + 3 * x[j]


CASES.append(Case("without_replacement_observed", without_replacement_observed, {"x": ints(3, 0, 2)}))


@mechanism
def reservoir(x):
    """Reservoir sampling of one record."""
    kept = x[0]
    for i in range(1, len(x)):
        if uniform(0, i) == 0:
            kept = x[i]
    return kept


CASES.append(Case("reservoir", reservoir, {"x": ints(3, 0, 3)}))


@mechanism
def reservoir_two(x):
    """Reservoir of two: writing at a random index, if it lies inside."""
    kept = [x[0], x[1]]
    for i in range(2, len(x)):
        j = uniform(0, i)
        if j < 2:
            kept[j] = x[i]
    return kept


CASES.append(Case("reservoir_two", reservoir_two, {"x": bits(4)}))


@mechanism
def shuffled_response(x, lam):
    """The shuffler as sorting: only the multiset leaves."""
    return sorted([bit ^ flip(lam) for bit in x])


CASES.append(Case("shuffled_response", shuffled_response, {"x": bits(4)}, {"lam": "1/4"}))


@mechanism
def shuffled_k_ary(x, k, keep):
    return sorted(record if flip(keep) else uniform(0, k - 1) for record in x)


CASES.append(Case("shuffled_k_ary", shuffled_k_ary, {"x": ints(3, 0, 2)}, {"k": 3, "keep": "1/2"}))


@mechanism
def fisher_yates(x, lam):
    """Randomize, then shuffle explicitly."""
    y = [bit ^ flip(lam) for bit in x]
    for i in range(len(y) - 1, 0, -1):
        j = uniform(0, i)
        y[i], y[j] = y[j], y[i]
    return y


CASES.append(Case("fisher_yates", fisher_yates, {"x": bits(3)}, {"lam": "1/4"}))


@mechanism
def fisher_yates_temporary(x):
    order = [value for value in x]
    n = len(order)
    for i in range(n - 1):
        j = uniform(i, n - 1)
        saved = order[i]
        order[i] = order[j]
        order[j] = saved
    return order


CASES.append(Case("fisher_yates_temporary", fisher_yates_temporary, {"x": ints(3, 0, 2)}))


@mechanism
def biased_shuffle(x):
    """The classic mistake: every position swaps with any position."""
    order = [value for value in x]
    for i in range(len(order)):
        j = uniform(0, len(order) - 1)
        order[i], order[j] = order[j], order[i]
    return order


CASES.append(Case("biased_shuffle", biased_shuffle, {"x": categories(3, ["a", "b", "c"])}))


@mechanism
def swap_two_random(x):
    """Both indices of the swap are random."""
    y = [v for v in x]
    i, j = uniform(0, 2), uniform(0, 2)
    y[i], y[j] = y[j], y[i]
    return y


CASES.append(Case("swap_two_random", swap_two_random, {"x": ints(3, 0, 2)}))


@mechanism
def rotation(x):
    k = uniform(0, len(x) - 1)
    return x[k:] + x[:k]


CASES.append(Case("rotation", rotation, {"x": ints(3, 0, 2)}))


@mechanism
def binomial_thinning(value, p):
    return binomial(value, p)


CASES.append(Case("binomial_thinning", binomial_thinning, {"value": integer(0, 5)}, {"p": "1/3"}))


@mechanism
def binomial_chain(x, p):
    """A binomial whose size is a binomial whose size is a count."""
    first = binomial(sum(x), p)
    second = binomial(first, p)
    return first - second, second


CASES.append(Case("binomial_chain", binomial_chain, {"x": ints(2, 0, 2)}, {"p": "2/5"}))


@mechanism
def uniform_below(value):
    return uniform(0, value)


CASES.append(Case("uniform_below", uniform_below, {"value": integer(0, 5)}))


@mechanism
def uniform_chain(value):
    """The stick is broken again and again."""
    a = uniform(0, value)
    b = uniform(0, a)
    c = uniform(b, a)
    return [a - b, c]


CASES.append(Case("uniform_chain", uniform_chain, {"value": integer(0, 4)}))


@mechanism
def discrete_of_input(x):
    """Weights computed from the records."""
    tables = [["1/2", "1/2", 0], ["1/3", "1/3", "1/3"], [0, 0, 1]]
    return [discrete(tables[record]) for record in x]


CASES.append(Case("discrete_of_input", discrete_of_input, {"x": ints(2, 0, 2)}))


@mechanism
def flip_of_flip(x, rates):
    """A coin whose bias was drawn by another coin."""
    return [flip(rates[bit + flip(rates[bit])]) for bit in x]


CASES.append(Case("flip_of_flip", flip_of_flip, {"x": bits(2)}, {"rates": ["1/2", "1/3", "1/7"]}))


@mechanism
def observe_any(x, lam):
    """At least one report is positive."""
    reports = [bit ^ flip(lam) for bit in x]
    observe(any(reports))
    return reports


CASES.append(Case("observe_any", observe_any, {"x": bits(3)}, {"lam": "1/5"}))


@mechanism
def observe_in_branch(x, lam):
    """Evidence on one side of a random branch only."""
    a = x[0] ^ flip(lam)
    b = x[1] ^ flip(lam)
    if flip("1/2"):
        observe(a <= b)
        return "ordered", a
    return "free", b


CASES.append(Case("observe_in_branch", observe_in_branch, {"x": bits(2)}, {"lam": "1/3"}))


@mechanism
def observe_dead_branch(x, lam):
    """One branch contradicts the evidence for some inputs."""
    if flip(lam):
        observe(x[0] == 1)
        return "heads"
    return "tails"


CASES.append(Case("observe_dead_branch", observe_dead_branch, {"x": bits(2)}, {"lam": "1/3"}))


@mechanism
def observe_loop(x, lam):
    """Each step is conditioned on the one before."""
    last = 0
    path = []
    for value in x:
        step = value + flip(lam)
        observe(step >= last)
        path.append(step)
        last = step
    return path[-1] if flip(lam) else path


CASES.append(Case("observe_loop", observe_loop, {"x": ints(3, 1, 2)}, {"lam": "1/4"}))


@helper
def fair_from_biased(p):
    """Von Neumann's trick by conditioning."""
    a = flip(p)
    b = flip(p)
    observe(a != b)
    return a


@mechanism
def von_neumann(x, p):
    return [bit ^ fair_from_biased(p) for bit in x]


CASES.append(Case("von_neumann", von_neumann, {"x": bits(2)}, {"p": "1/5"}))


@mechanism
def observe_after_early_return(x, lam):
    """Runs that returned already are not conditioned."""
    if flip(lam):
        return "early"
    b = x[0] ^ flip(lam)
    observe(b == x[1])
    return b


CASES.append(Case("observe_after_early_return", observe_after_early_return, {"x": bits(2)}, {"lam": "1/4"}))


@mechanism
def uniform_from_coins(x):
    """A uniform value below three from two coins, by a bounded number of retries, then by force."""
    for _ in range(3):
        draw = 2 * flip("1/2") + flip("1/2")
        if draw < 3:
            break
    else:
        draw = 0
    return (x[0] + draw) % 3


CASES.append(Case("uniform_from_coins", uniform_from_coins, {"x": ints(1, 0, 2)}))


@mechanism
def knuth_yao(x):
    """A loaded die from fair coins, a walk with a state."""
    state = 1
    steps = 0
    while state < 4 and steps < 4:
        state = 2 * state + flip("1/2")
        if state == 7:
            state = 1
        steps += 1
    return state, steps, x[state % len(x)]


CASES.append(Case("knuth_yao", knuth_yao, {"x": bits(2)}))


@mechanism
def random_walk(value, steps):
    """Reflected at both ends."""
    for _ in range(steps):
        value += 1 if flip("1/2") else -1
        if value < 0:
            value = 1
        if value > 3:
            value = 2
    return value


CASES.append(Case("random_walk", random_walk, {"value": integer(0, 3)}, {"steps": 5}))


@mechanism
def poisson_batches(x, p):
    """Two disjoint batches, everybody in one of them, or in none."""
    batches = [[], []]
    for record in x:
        where = discrete({0: p, 1: p, 2: 1 - 2 * p})
        if where < 2:
            batches[where].append(record)
    return [sum(batch) for batch in batches]


CASES.append(Case("poisson_batches", poisson_batches, {"x": bits(3)}, {"p": "1/4"}))
