"""Local mechanisms: every client randomizes its own record."""

from fractions import Fraction

from tests.corpus.case import Case

import taut
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
from taut import flip as coin

CASES: list[Case] = []


@mechanism
def rr_comprehension(x, lam):
    """Each bit is flipped with probability lam."""
    return [bit ^ flip(lam) for bit in x]


CASES.append(Case("rr_comprehension", rr_comprehension, {"x": bits(3)}, {"lam": "1/5"}))
CASES.append(Case("rr_float", rr_comprehension, {"x": bits(2)}, {"lam": 0.2}))
CASES.append(Case("rr_never_lies", rr_comprehension, {"x": bits(2)}, {"lam": 0}))
CASES.append(Case("rr_always_lies", rr_comprehension, {"x": bits(2)}, {"lam": 1}))
CASES.append(Case("rr_fair", rr_comprehension, {"x": bits(2)}, {"lam": Fraction(1, 2)}))


@mechanism
def rr_append(x, lam):
    reports = []
    for bit in x:
        coin = flip(lam)
        reports.append(bit ^ coin)
    return reports


CASES.append(Case("rr_append", rr_append, {"x": bits(3)}, {"lam": "0.25"}))


@mechanism
def rr_branch(x, lam):
    reports = []
    for bit in x:
        if flip(lam):
            reports.append(1 - bit)
        else:
            reports.append(bit)
    return reports


CASES.append(Case("rr_branch", rr_branch, {"x": bits(3)}, {"lam": "1/3"}))


@mechanism
def rr_coins_first(x, lam):
    coins = [flip(lam) for _ in range(len(x))]
    return [bit ^ coin for bit, coin in zip(x, coins)]


CASES.append(Case("rr_coins_first", rr_coins_first, {"x": bits(3)}, {"lam": "1/7"}))


@mechanism
def rr_in_place(x, lam):
    y = [bit for bit in x]
    for i in range(len(y)):
        if flip(lam):
            y[i] = not y[i]
    return y


CASES.append(Case("rr_in_place", rr_in_place, {"x": bits(3)}, {"lam": "1/5"}))


@mechanism
def rr_preallocated(x, lam):
    y = [0] * len(x)
    for i, bit in enumerate(x):
        y[i] ^= bit
        y[i] ^= flip(lam)
    return y


CASES.append(Case("rr_preallocated", rr_preallocated, {"x": bits(3)}, {"lam": "1/5"}))


@mechanism
def rr_truth_or_noise(x, truth):
    """Keep the bit with probability truth, else report a fair coin."""
    return [bit if flip(truth) else flip(Fraction(1, 2)) for bit in x]


CASES.append(Case("rr_truth_or_noise", rr_truth_or_noise, {"x": bits(3)}, {"truth": "3/5"}))


@mechanism
def warner_two_coins(x):
    """First coin heads: the truth. Tails: whatever the second coin shows."""
    answers = []
    for truth in x:
        first = flip("1/2")
        second = flip("1/2")
        if first:
            answer = truth
        elif second:
            answer = 1
        else:
            answer = 0
        answers.append(answer)
    return answers


CASES.append(Case("warner_two_coins", warner_two_coins, {"x": bits(3)}))


@mechanism
def warner_spinner(x, p):
    """The spinner picks the statement 'I am in A' or 'I am not in A'; the client says whether it is true of him."""
    said_yes = []
    for member in x:
        asked_about_a = flip(p)
        said_yes.append((asked_about_a and member == 1) or (not asked_about_a and member == 0))
    return said_yes


CASES.append(Case("warner_spinner", warner_spinner, {"x": bits(3)}, {"p": "7/10"}))


@mechanism
def crosswise(x, p):
    return ["same" if bit == flip(p) else "different" for bit in x]


CASES.append(Case("crosswise", crosswise, {"x": bits(2)}, {"p": "1/4"}))


@mechanism
def unrelated_question(x, ask, birthday):
    out = ()
    for bit in x:
        out = out + (bit if flip(ask) else flip(birthday),)
    return out


CASES.append(Case("unrelated_question", unrelated_question, {"x": bits(2)}, {"ask": "2/3", "birthday": "1/12"}))


@mechanism
def forced_response(x):
    """A die decides: 1 forces yes, 6 forces no, anything else asks for the truth."""
    replies = []
    for truth in x:
        roll = uniform(1, 6)
        if roll == 1:
            replies.append("yes")
        elif roll == 6:
            replies.append("no")
        else:
            replies.append("yes" if truth else "no")
    return replies


CASES.append(Case("forced_response", forced_response, {"x": bits(2)}))


@mechanism
def kuk_cards(x, cards, red_yes, red_no):
    return [binomial(cards, red_yes if bit else red_no) for bit in x]


CASES.append(Case("kuk_cards", kuk_cards, {"x": bits(2)}, {"cards": 3, "red_yes": "4/5", "red_no": "1/5"}))


@mechanism
def item_count(x, decoys):
    """Report the sensitive bit hidden among innocuous items."""
    return [bit + binomial(decoys, "1/2") for bit in x]


CASES.append(Case("item_count", item_count, {"x": bits(2)}, {"decoys": 2}))


@mechanism
def asymmetric_table(x, table):
    """Each bit has its own probability of a positive report."""
    return [flip(table[bit]) for bit in x]


CASES.append(Case("asymmetric_table", asymmetric_table, {"x": bits(3)}, {"table": ["1/10", "2/3"]}))
CASES.append(Case("asymmetric_table_three", asymmetric_table, {"x": ints(2, 0, 2)}, {"table": [0, 0.5, 1]}))


@mechanism
def personalised(x, rates):
    return [bit ^ flip(rate) for bit, rate in zip(x, rates)]


CASES.append(Case("personalised", personalised, {"x": bits(3)}, {"rates": ["1/5", 0.5, Fraction(1, 3)]}))


@mechanism
def refusing(x):
    """A third answer beside yes and no."""
    out = []
    for bit in x:
        if bit:
            out.append(discrete({"yes": "3/5", "no": "1/5", "refused": "1/5"}))
        else:
            out.append(discrete({"no": "7/10", "yes": "1/5", "refused": "1/10"}))
    return out


CASES.append(Case("refusing", refusing, {"x": bits(2)}))


@mechanism
def rr_default(x, lam="1/4"):
    return [bit ^ flip(lam) for bit in x]


CASES.append(Case("rr_default", rr_default, {"x": bits(2)}))
CASES.append(Case("rr_default_overridden", rr_default, {"x": bits(2)}, {"lam": "1/9"}))


@mechanism
def rr_keyword_only(x, *, keep, rounds=2):
    """Several independent reports of the same bit."""
    return [[bit if flip(keep) else 1 - bit for _ in range(rounds)] for bit in x]


CASES.append(Case("rr_keyword_only", rr_keyword_only, {"x": bits(2)}, {"keep": "3/4"}))


@mechanism
def rr_qualified(x: tuple, lam: Fraction) -> list:
    """The same through the module, with annotations."""
    reports: list = []
    for bit in x:
        noise: int = taut.flip(lam)
        reports = reports + [bit ^ noise]
    return reports


CASES.append(Case("rr_qualified", rr_qualified, {"x": bits(2)}, {"lam": "2/5"}))


@mechanism
def rr_renamed_import(x, lam):
    return [bit if not coin(lam) else 1 - bit for bit in x]


CASES.append(Case("rr_renamed_import", rr_renamed_import, {"x": bits(2)}, {"lam": "2/5"}))


@mechanism
def rr_two_rates_by_arithmetic(x, lam):
    return [flip(1 - lam) if bit else flip(lam) for bit in x]


CASES.append(Case("rr_two_rates_by_arithmetic", rr_two_rates_by_arithmetic, {"x": bits(2)}, {"lam": 0.1}))


@mechanism
def direct_encoding(x, k, keep):
    other = (1 - keep) * Fraction(1, k - 1)
    return [discrete({v: keep if v == record else other for v in range(k)}) for record in x]


CASES.append(Case("direct_encoding", direct_encoding, {"x": ints(2, 0, 2)}, {"k": 3, "keep": "1/2"}))


@mechanism
def direct_encoding_list(x, k, keep, other):
    out = []
    for record in x:
        weights = [other] * k
        weights[record] = keep
        out.append(discrete(weights))
    return out


CASES.append(
    Case("direct_encoding_list", direct_encoding_list, {"x": ints(2, 0, 2)}, {"k": 3, "keep": "3/5", "other": "1/5"})
)


@mechanism
def k_ary_uniform(x, k, keep):
    return [record if flip(keep) else uniform(0, k - 1) for record in x]


CASES.append(Case("k_ary_uniform", k_ary_uniform, {"x": ints(2, 0, 3)}, {"k": 4, "keep": "1/2"}))


@mechanism
def k_ary_shift(x, k, lie):
    """A lie is never the truth: shift by a non-zero amount modulo k."""
    out = []
    for record in x:
        shift = uniform(1, k - 1) if flip(lie) else 0
        out.append((record + shift) % k)
    return out


CASES.append(Case("k_ary_shift", k_ary_shift, {"x": ints(2, 0, 3)}, {"k": 4, "lie": "1/3"}))


@mechanism
def k_ary_skip(x, k, lie):
    """A lie drawn from the k - 1 others, by stepping over the truth."""
    result = []
    for record in x:
        if flip(lie):
            other = uniform(0, k - 2)
            if other >= record:
                other += 1
            result.append(other)
        else:
            result.append(record)
    return result


CASES.append(Case("k_ary_skip", k_ary_skip, {"x": ints(2, 0, 3)}, {"k": 4, "lie": "2/3"}))

COLOURS = ("red", "green", "blue")


@mechanism
def colour_response(x, keep):
    other = (1 - keep) * Fraction(1, 2)
    return [discrete({colour: (keep if colour == mine else other) for colour in COLOURS}) for mine in x]


CASES.append(Case("colour_response", colour_response, {"x": categories(2, COLOURS)}, {"keep": "3/5"}))


@mechanism
def colour_branches(x):
    reply = []
    for mine in x:
        if mine == "red":
            reply.append("red" if flip("2/3") else "green")
        elif mine in ("green", "blue"):
            reply.append(mine if flip("1/2") else discrete({"red": "1/4", "blue": "3/4"}))
    return reply


CASES.append(Case("colour_branches", colour_branches, {"x": categories(2, ["red", "green", "blue"])}))


@mechanism
def symmetric_unary(x, k, q):
    return [[(record == value) ^ flip(q) for value in range(k)] for record in x]


CASES.append(Case("symmetric_unary", symmetric_unary, {"x": ints(2, 0, 2)}, {"k": 3, "q": "1/4"}))


@mechanism
def optimised_unary(x, k, q):
    return [[flip(Fraction(1, 2) if v == record else q) for v in range(k)] for record in x]


CASES.append(Case("optimised_unary", optimised_unary, {"x": ints(2, 0, 2)}, {"k": 3, "q": "1/5"}))


@mechanism
def unary_one_hot(x, k, p, q):
    """The vector is built first, then perturbed position by position."""
    reports = []
    for record in x:
        hot = [0] * k
        hot[record] = 1
        for position in range(k):
            hot[position] = flip(p) if hot[position] else flip(q)
        reports.append(hot)
    return reports


CASES.append(Case("unary_one_hot", unary_one_hot, {"x": ints(2, 0, 2)}, {"k": 3, "p": "3/4", "q": "1/8"}))


@mechanism
def rappor(x, f, p, q):
    """Permanent response, then one instantaneous report of it."""
    permanent = []
    for bit in x:
        draw = discrete({"one": f * Fraction(1, 2), "zero": f * Fraction(1, 2), "keep": 1 - f})
        if draw == "one":
            permanent.append(1)
        elif draw == "zero":
            permanent.append(0)
        else:
            permanent.append(bit)
    return [flip(q) if bit else flip(p) for bit in permanent]


CASES.append(Case("rappor", rappor, {"x": bits(3)}, {"f": "1/2", "p": "1/4", "q": "3/4"}))


@mechanism
def rappor_longitudinal(x, f, p, q, days):
    """The permanent response is drawn once, and reported on several days."""
    permanent = [flip(Fraction(1, 2)) if flip(f) else bit for bit in x]
    return [[flip(q if bit else p) for bit in permanent] for _ in range(days)]


CASES.append(
    Case("rappor_longitudinal", rappor_longitudinal, {"x": bits(2)}, {"f": 0.5, "p": 0.25, "q": 0.75, "days": 2})
)


@mechanism
def rappor_bloom(x, f):
    """Two hash functions set bits of a small Bloom filter."""
    bloom = [0, 0, 0]
    for value in x:
        bloom[value % 3] = 1
        bloom[(2 * value + 1) % 3] = 1
    return [flip(1 - f) if b else flip(f) for b in bloom]


CASES.append(Case("rappor_bloom", rappor_bloom, {"x": ints(1, 0, 5)}, {"f": "1/6"}))

PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


@mechanism
def subset_table(x, inside, outside):
    """A pair of the four values, heavier when it holds the record."""
    return [PAIRS[discrete([inside if record in pair else outside for pair in PAIRS])] for record in x]


CASES.append(Case("subset_table", subset_table, {"x": ints(1, 0, 3)}, {"inside": "1/4", "outside": "1/12"}))


@mechanism
def subset_conditioned(x, p, q, size):
    """Independent inclusions, conditioned on the size of the subset."""
    (record,) = x
    chosen = [flip(p if value == record else q) for value in range(4)]
    observe(sum(chosen) == size)
    return [value for value in range(4) if chosen[value]]


CASES.append(Case("subset_conditioned", subset_conditioned, {"x": ints(1, 0, 3)}, {"p": "2/3", "q": "1/3", "size": 2}))


@mechanism
def subset_sequential(x, k, include):
    """Include the record by a coin, then fill up with others drawn without replacement."""
    record = x[0]
    member = [0] * k
    size = 2
    if flip(include):
        member[record] = 1
        size = size - 1
    left = [v for v in range(k) if v != record]
    for _ in range(2):
        if size > 0:
            j = uniform(0, len(left) - 1)
            member[left[j]] = 1
            left = left[:j] + left[j + 1 :]
            size -= 1
    return member


CASES.append(Case("subset_sequential", subset_sequential, {"x": ints(1, 0, 3)}, {"k": 4, "include": "2/3"}))


@mechanism
def local_hashing(x, g, keep):
    """A random hash function, then direct encoding of the hash value."""
    reports = []
    for value in x:
        a = uniform(1, 2)
        b = uniform(0, 1)
        hashed = (a * value + b) % g
        reports.append((a, b, hashed if flip(keep) else 1 - hashed))
    return reports


CASES.append(Case("local_hashing", local_hashing, {"x": ints(2, 0, 3)}, {"g": 2, "keep": "3/4"}))


@mechanism
def hadamard(x, lam):
    """Report a random row index and a noisy entry of the Hadamard matrix."""
    out = []
    for value in x:
        row = uniform(0, 3)
        common = row & value
        parity = (common % 2) ^ (common // 2)
        out.append([row, parity ^ flip(lam)])
    return out


CASES.append(Case("hadamard", hadamard, {"x": ints(1, 0, 3)}, {"lam": "1/4"}))


@mechanism
def one_bit_mean(x, low, step):
    """The chance of a positive report grows linearly with the value."""
    return sum(flip(low + step * value) for value in x)


CASES.append(Case("one_bit_mean", one_bit_mean, {"x": ints(2, 0, 3)}, {"low": "1/5", "step": "1/5"}))


@mechanism
def local_geometric(x, ratio, high):
    return [geometric(value, ratio, 0, high) for value in x]


CASES.append(Case("local_geometric", local_geometric, {"x": ints(2, 0, 3)}, {"ratio": "1/2", "high": 3}))
CASES.append(Case("local_geometric_outside", local_geometric, {"x": ints(1, -2, 5)}, {"ratio": "1/3", "high": 2}))
CASES.append(Case("local_geometric_exact", local_geometric, {"x": ints(2, 0, 2)}, {"ratio": 0, "high": 2}))


@mechanism
def local_exponential(x, base):
    return [exponential([-abs(value - candidate) for candidate in range(4)], base) for value in x]


CASES.append(Case("local_exponential", local_exponential, {"x": ints(2, 0, 3)}, {"base": "3/2"}))


@mechanism
def hand_made_noise(x):
    noise = {-1: "1/4", 0: "1/2", 1: "1/4"}
    y = []
    for v in x:
        v += discrete(noise)
        v = min(max(v, 0), 3)
        y.append(v)
    return y


CASES.append(Case("hand_made_noise", hand_made_noise, {"x": ints(2, 0, 3)}))


@mechanism
def adaptive_question(x, lam):
    """The second question depends on the noisy first answer."""
    first = x[0] ^ flip(lam)
    if first:
        second = x[1] ^ flip(lam)
    else:
        second = (x[0] & x[1]) ^ flip(lam)
    return first, second


CASES.append(Case("adaptive_question", adaptive_question, {"x": bits(2)}, {"lam": "1/5"}))


@helper
def noisy(bit, lam):
    if flip(lam):
        return 1 - bit
    return bit


@mechanism
def rr_helper(x, lam):
    return [noisy(bit, lam) for bit in x]


CASES.append(Case("rr_helper", rr_helper, {"x": bits(3)}, {"lam": "1/6"}))


@mechanism
def composed(x, lam):
    """Two releases of the same data by two mechanisms."""
    return [rr_comprehension(x, lam), sum(rr_branch(x, lam=lam))]


CASES.append(Case("composed", composed, {"x": bits(2)}, {"lam": "1/5"}))


@mechanism
def cascade(x, lam, mu):
    return rr_append(rr_comprehension(x, lam), mu)


CASES.append(Case("cascade", cascade, {"x": bits(3)}, {"lam": "1/5", "mu": "1/4"}))


@mechanism
def rr_count(x, lam):
    return sum([bit ^ flip(lam) for bit in x])


CASES.append(Case("rr_count", rr_count, {"x": bits(4)}, {"lam": "1/5"}))


@mechanism
def rr_estimate(x, lam):
    """The count, debiased for lam = 1/4 in integers: (4 * count - n) // 2."""
    count = 0
    for bit in x:
        count += bit != flip(lam)
    return (4 * count - len(x)) // 2


CASES.append(Case("rr_estimate", rr_estimate, {"x": bits(4)}, {"lam": "1/4"}))


@mechanism
def local_histogram(x, k, keep):
    """Direct encoding, then the server counts the reports: writing at a random index."""
    counts = [0] * k
    for record in x:
        report = record if flip(keep) else uniform(0, k - 1)
        counts[report] += 1
    return counts


CASES.append(Case("local_histogram", local_histogram, {"x": ints(3, 0, 2)}, {"k": 3, "keep": "1/2"}))


@mechanism
def single_number(value, lam):
    """A bare integer, sent in binary, each digit flipped."""
    digits = []
    for _ in range(3):
        digits.append((value % 2) ^ flip(lam))
        value //= 2
    return digits[::-1]


CASES.append(Case("single_number", single_number, {"value": integer(0, 7)}, {"lam": "1/8"}))


@mechanism
def rounding_at_random(x):
    """Round a value in quarters up or down, without bias."""
    rates = [0, "1/4", "1/2", "3/4"]
    return [v // 4 + flip(rates[v % 4]) for v in x]


CASES.append(Case("rounding_at_random", rounding_at_random, {"x": ints(2, 0, 7)}))
