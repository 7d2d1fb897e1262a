"""Selection: noisy max, the exponential mechanism and permute-and-flip."""

from fractions import Fraction

from tests.corpus.case import Case

from taut import (
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
def noisy_max_index(x, ratio, high):
    """Ties go to the first."""
    noisy = [geometric(q, ratio, 0, high) for q in x]
    return noisy.index(max(noisy))


CASES.append(Case("noisy_max_index", noisy_max_index, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_value(x, ratio, high):
    return max([geometric(q, ratio, 0, high) for q in x])


CASES.append(Case("noisy_max_value", noisy_max_value, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_running(x, ratio, high):
    best = 0
    best_value = -1
    for i, q in enumerate(x):
        value = geometric(q, ratio, 0, high)
        if value > best_value:
            best, best_value = i, value
    return best


CASES.append(Case("noisy_max_running", noisy_max_running, {"x": ints(3, 0, 2)}, {"ratio": "1/3", "high": 3}))


@mechanism
def noisy_max_last(x, ratio, high):
    """Ties go to the last, and the value is reported with the index."""
    winner = None
    top = -1
    for i in range(len(x)):
        if (value := geometric(x[i], ratio, 0, high)) >= top:
            winner = i
            top = value
    return winner, top


CASES.append(Case("noisy_max_last", noisy_max_last, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_ties(x, ratio, high):
    """A tie is broken at random, by an index into a list of random length."""
    noisy = [geometric(q, ratio, 0, high) for q in x]
    top = max(noisy)
    tied = [i for i, value in enumerate(noisy) if value == top]
    return tied[uniform(0, len(tied) - 1)]


CASES.append(Case("noisy_max_ties", noisy_max_ties, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_all_ties(x, lam):
    """All winners are reported: a list of random length."""
    noisy = [q + flip(lam) for q in x]
    return [i for i in range(len(x)) if noisy[i] == max(noisy)]


CASES.append(Case("noisy_max_all_ties", noisy_max_all_ties, {"x": ints(3, 0, 2)}, {"lam": "1/3"}))


@mechanism
def noisy_max_gap(x, ratio, high):
    noisy = sorted([geometric(q, ratio, 0, high) for q in x])
    return noisy[-1] - noisy[-2]


CASES.append(Case("noisy_max_gap", noisy_max_gap, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_early_stop(x, ratio, high):
    """Stop at the first value that nothing can beat."""
    best = 0
    top = -1
    for i, q in enumerate(x):
        v = geometric(q, ratio, 0, high)
        if v <= top:
            continue
        best = i
        top = v
        if top == high:
            break
    return best


CASES.append(Case("noisy_max_early_stop", noisy_max_early_stop, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_max_one_sided(x):
    """One-sided noise from a list of probabilities."""
    noisy = [q + discrete(["1/2", "1/4", "1/4"]) for q in x]
    best = 0
    for i in range(1, len(noisy)):
        best = i if noisy[i] > noisy[best] else best
    return best


CASES.append(Case("noisy_max_one_sided", noisy_max_one_sided, {"x": ints(3, 0, 2)}))


@mechanism
def noisy_top_two(x, ratio, high):
    """The two best indices, one after the other, each with fresh noise."""
    chosen = []
    for _ in range(2):
        best, top = -1, -1
        for i, q in enumerate(x):
            if i in chosen:
                continue
            v = geometric(q, ratio, 0, high)
            if v > top:
                best, top = i, v
        chosen.append(best)
    return chosen


CASES.append(Case("noisy_top_two", noisy_top_two, {"x": ints(3, 0, 1)}, {"ratio": "1/2", "high": 2}))


@mechanism
def noisy_ranking(x, lam):
    """The order of all candidates by noisy score, as sorted pairs."""
    pairs = sorted([(q + flip(lam), i) for i, q in enumerate(x)])
    return [i for _, i in pairs]


CASES.append(Case("noisy_ranking", noisy_ranking, {"x": ints(3, 0, 2)}, {"lam": "1/4"}))


@mechanism
def exponential_mechanism(x, base):
    return exponential(x, base)


CASES.append(Case("exponential_mechanism", exponential_mechanism, {"x": ints(3, 0, 3)}, {"base": "2"}))
CASES.append(Case("exponential_negative", exponential_mechanism, {"x": ints(3, -1, 1)}, {"base": "1/3"}))
CASES.append(Case("exponential_flat", exponential_mechanism, {"x": ints(2, -2, 2)}, {"base": 1}))


@mechanism
def exponential_votes(x, base):
    """The scores are counts of votes."""
    options = ["a", "b", "c"]
    votes = [x.count(option) for option in options]
    return options[exponential(votes, base)]


CASES.append(Case("exponential_votes", exponential_votes, {"x": categories(3, ["a", "b", "c"])}, {"base": 2}))


@mechanism
def exponential_by_hand(x):
    """The weights 2**score, drawn as a uniform ticket."""
    weights = [2**score for score in x]
    ticket = uniform(1, sum(weights))
    for i, weight in enumerate(weights):
        if ticket <= weight:
            return i
        ticket -= weight
    return None


CASES.append(Case("exponential_by_hand", exponential_by_hand, {"x": ints(2, 0, 3)}))
CASES.append(Case("exponential_by_hand_three", exponential_by_hand, {"x": ints(3, 0, 2)}))


@mechanism
def exponential_median(x, base):
    """The utility of a candidate is minus its distance in rank from the middle."""
    scores = []
    for candidate in range(4):
        below = sum(1 for v in x if v < candidate)
        above = sum(1 for v in x if v > candidate)
        scores.append(-abs(above - below))
    return exponential(scores, base)


CASES.append(Case("exponential_median", exponential_median, {"x": ints(3, 0, 3)}, {"base": "3/2"}))


@mechanism
def exponential_noisy_scores(x, lam, base):
    """Scores that are themselves random."""
    return exponential([q + flip(lam) for q in x], base)


CASES.append(
    Case("exponential_noisy_scores", exponential_noisy_scores, {"x": ints(3, 0, 2)}, {"lam": "1/2", "base": 3})
)


@mechanism
def exponential_peeling(x, base):
    """Two selections without replacement."""
    first = exponential(x, base)
    rest = [i for i in range(len(x)) if i != first]
    second = rest[exponential([x[i] for i in rest], base)]
    return [first, second]


CASES.append(Case("exponential_peeling", exponential_peeling, {"x": ints(3, 0, 2)}, {"base": 2}))


@mechanism
def permute_and_flip(x):
    """A random order; a candidate is taken with probability 2**(score - best)."""
    accept = ["1", "1/2", "1/4"]
    best = max(x)
    order = [0, 1, 2]
    for i in range(2):
        j = uniform(i, 2)
        order[i], order[j] = order[j], order[i]
    for candidate in order:
        if flip(accept[best - x[candidate]]):
            return candidate
    return None


CASES.append(Case("permute_and_flip", permute_and_flip, {"x": ints(3, 0, 2)}))


@mechanism
def permute_and_flip_remaining(x, base):
    """The same, removing candidates from a list that shrinks."""
    left = [i for i in range(len(x))]
    best = max(x)
    while len(left) > 0:
        j = uniform(0, len(left) - 1)
        candidate = left[j]
        if flip(base ** (best - x[candidate])):
            return candidate
        left = left[:j] + left[j + 1 :]
    return -1


CASES.append(Case("permute_and_flip_remaining", permute_and_flip_remaining, {"x": ints(3, 0, 2)}, {"base": "1/2"}))


@helper
def tournament_winner(a, b, scores, lam):
    better = a
    if scores[b] > scores[a]:
        better = b
    if flip(lam):
        return a + b - better
    return better


@mechanism
def tournament(x, lam):
    """Noisy knock-out of four candidates: a helper reads a list at random indices."""
    left = tournament_winner(0, 1, x, lam)
    right = tournament_winner(2, 3, x, lam)
    return tournament_winner(left, right, x, lam)


CASES.append(Case("tournament", tournament, {"x": ints(4, 0, 1)}, {"lam": "1/5"}))


@mechanism
def noisy_argmin(x, ratio, high):
    losses = [geometric(q, ratio, 0, high) for q in x]
    low = min(losses)
    for i, loss in enumerate(losses):
        if loss == low:
            return i
    return None


CASES.append(Case("noisy_argmin", noisy_argmin, {"x": ints(3, 0, 2)}, {"ratio": "1/4", "high": 2}))


@mechanism
def selection_conditioned(x, ratio, high):
    """Report the winner, given that it is unique."""
    noisy = [geometric(q, ratio, 0, high) for q in x]
    observe(noisy.count(max(noisy)) == 1)
    return noisy.index(max(noisy))


CASES.append(Case("selection_conditioned", selection_conditioned, {"x": ints(3, 0, 2)}, {"ratio": "1/2", "high": 2}))


@mechanism
def mode_or_none(x, lam):
    """The majority bit, if the noisy margin is large enough."""
    margin = 0
    for bit in x:
        margin += 1 if bit ^ flip(lam) else -1
    if abs(margin) < 2:
        return None
    return 1 if margin > 0 else 0


CASES.append(Case("mode_or_none", mode_or_none, {"x": bits(4)}, {"lam": "1/5"}))


@mechanism
def binary_search(value, lam):
    """Noisy comparisons narrow an interval down."""
    low, high = 0, 7
    while low < high:
        middle = (low + high) // 2
        if (value > middle) ^ flip(lam):
            low = middle + 1
        else:
            high = middle
    return low


CASES.append(Case("binary_search", binary_search, {"value": integer(0, 7)}, {"lam": "1/6"}))


@mechanism
def random_dictator(x):
    """One random voter decides; its neighbour may object."""
    voter = uniform(0, len(x) - 1)
    objection = flip(Fraction(1, 3))
    return x[voter - 1] if objection else x[voter]


CASES.append(Case("random_dictator", random_dictator, {"x": categories(3, ["tea", "mate"])}))


@mechanism
def median_by_scores(x, high):
    """The exponential mechanism for a median, with weights of its own: many combinations of scores are impossible."""
    scores = [-abs(sum(1 for v in x if v < c) - sum(1 for v in x if v > c)) for c in range(high + 1)]
    weights = [2 ** (score - min(scores)) for score in scores]
    return discrete([Fraction(weight, sum(weights)) for weight in weights])


CASES.append(Case("median_by_scores", median_by_scores, {"x": ints(3, 0, 3)}, {"high": 3}))
