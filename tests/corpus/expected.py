"""Idioms that the contract does not list but that engineers write without thinking.

A refusal that names the place would be within the contract here; a wrong number would not.
"""

from tests.corpus.case import Case

from taut import bits, categories, discrete, flip, helper, integer, ints, mechanism, uniform

CASES: list[Case] = []


@mechanism
def conversions(x):
    y = list(x)
    y[0] = int(x[0] == x[1]) + int(flip("1/3"))
    return tuple(y), bool(sum(y)), list(range(2))


CASES.append(Case("conversions", conversions, {"x": bits(2)}))


@mechanism
def reversed_input(x):
    out = []
    for v in reversed(x):
        out.append(v ^ flip("1/4"))
    return out


CASES.append(Case("reversed_input", reversed_input, {"x": bits(3)}))


@mechanism
def extend_insert_pop(x):
    y = []
    y.extend(x)
    if flip("1/2"):
        y.insert(1, 9)
    last = y.pop()
    first = y.pop(0)
    return first, last, y


CASES.append(Case("extend_insert_pop", extend_insert_pop, {"x": bits(3)}))


@mechanism
def pop_random(x):
    """Draw without replacement the way it is usually written."""
    left = list(x)
    drawn = []
    for _ in range(2):
        drawn.append(left.pop(uniform(0, len(left) - 1)))
    return drawn


CASES.append(Case("pop_random", pop_random, {"x": ints(3, 0, 2)}))


@mechanism
def sort_and_reverse(x):
    y = [v + flip("1/2") for v in x]
    y.sort()
    z = sorted(x, reverse=True)
    return y, z


CASES.append(Case("sort_and_reverse", sort_and_reverse, {"x": ints(2, 0, 2)}))


@mechanism
def keyed_extremes(x):
    noisy = [v + flip("1/3") for v in x]
    return max(range(len(noisy)), key=lambda i: noisy[i]), sorted(x, key=lambda v: -v)


CASES.append(Case("keyed_extremes", keyed_extremes, {"x": ints(3, 0, 2)}))


@mechanism
def none_tests(x):
    """``is None`` on a value that is None by chance."""
    answer = None
    for i, v in enumerate(x):
        if answer is None and v ^ flip("1/3"):
            answer = i
    return "nothing" if answer is None else answer + 1


CASES.append(Case("none_tests", none_tests, {"x": bits(3)}))


@mechanism
def starred(x):
    first, *rest = x
    rest = [r ^ flip("1/3") for r in rest]
    return [first, *rest, len(rest)]


CASES.append(Case("starred", starred, {"x": bits(3)}))


@mechanism
def dictionary_input_key(x):
    """A dictionary read at an input and at a random key."""
    price = {"low": 1, "mid": 2, "high": 4}
    other = discrete({"low": "1/2", "high": "1/2"})
    return price[x[0]] + price[other]


CASES.append(Case("dictionary_input_key", dictionary_input_key, {"x": categories(1, ["low", "mid", "high"])}))


@mechanism
def dictionary_input_write(x):
    """A histogram kept in a dictionary, written at an input key."""
    counts = {"a": 0, "b": 0, "c": 0}
    for record in x:
        counts[record] += 1
    return [count + flip("1/4") for count in counts.values()]


CASES.append(Case("dictionary_input_write", dictionary_input_write, {"x": categories(3, ["a", "b", "c"])}))


@mechanism
def dictionary_get(x):
    table = {0: "zero", 2: "two"}
    return table.get(x[0] + flip("1/2"), "other"), list(table.items())


CASES.append(Case("dictionary_get", dictionary_get, {"x": ints(1, 0, 2)}))


@mechanism
def random_alias(x):
    """Which list is changed is itself random."""
    a = [x[0]]
    b = [x[1]]
    target = a if flip("1/3") else b
    target.append(5)
    target[0] += 1
    return a, b


CASES.append(Case("random_alias", random_alias, {"x": bits(2)}))


@mechanism
def list_at_random_index(x):
    """A list chosen at a random index and changed in place."""
    rows = [[0], [1], [2]]
    row = rows[uniform(0, 2)]
    row.append(x[0])
    return rows


CASES.append(Case("list_at_random_index", list_at_random_index, {"x": bits(1)}))


@mechanism
def nonlocal_counter(x):
    hits = 0

    def toss(bit):
        nonlocal hits
        if bit ^ flip("1/3"):
            hits += 1

    for bit in x:
        toss(bit)
    return hits


CASES.append(Case("nonlocal_counter", nonlocal_counter, {"x": bits(3)}))


@mechanism
def lambdas(x):
    noise = lambda bit: bit ^ flip("1/4")  # noqa: E731
    return [noise(bit) for bit in x]


CASES.append(Case("lambdas", lambdas, {"x": bits(2)}))


@mechanism
def mapped(x):
    return list(map(lambda v: v + flip("1/2"), x)), sum(map(abs, x)), list(filter(lambda v: v > 0, x))


CASES.append(Case("mapped", mapped, {"x": ints(2, -1, 1)}))


@mechanism
def divmod_pow(value):
    quotient, rest = divmod(value, 3)
    return quotient, rest ^ flip("1/3"), pow(2, uniform(0, 2))


CASES.append(Case("divmod_pow", divmod_pow, {"value": integer(-4, 4)}))


@mechanism
def sets(x):
    """Distinct values through a set of ordinary size."""
    seen = {v for v in (0, 1, 2) if v in x}
    return len(seen), sum(x) in {1, 2}, uniform(0, 2) in {0, 2}


CASES.append(Case("sets", sets, {"x": ints(2, 0, 2)}))


@mechanism
def asserted(x, lam):
    """An assertion about ordinary values is ordinary Python."""
    assert 0 <= lam <= 1
    assert len(x) == 2, "two records"
    return [bit ^ flip(lam) for bit in x]


CASES.append(Case("asserted", asserted, {"x": bits(2)}, {"lam": "1/4"}))


@mechanism
def deleted(x):
    y = list(x)
    del y[0]
    z = y + [flip("1/2")]
    del y
    return z


CASES.append(Case("deleted", deleted, {"x": bits(3)}))


@mechanism
def list_comparison(x):
    """Lists and tuples are ordered lexicographically."""
    a = [v ^ flip("1/3") for v in x]
    return a < [0, 1], (x[0], 1) >= (x[1], 0), max([a, [0, 1, 0]])


CASES.append(Case("list_comparison", list_comparison, {"x": bits(2)}))


@mechanism
def slice_assignment(x):
    y = list(x)
    if flip("1/3"):
        y[1:] = [7, 7, 7]
    return y


CASES.append(Case("slice_assignment", slice_assignment, {"x": bits(3)}))


@mechanism
def shifts(value):
    """Reading the binary digits of a number by shifting."""
    return [((value >> i) & 1) ^ flip("1/8") for i in range(3)], 1 << uniform(0, 2)


CASES.append(Case("shifts", shifts, {"value": integer(0, 7)}))


@mechanism
def ordered_strings(x):
    word = discrete({"a": "1/2", "c": "1/2"})
    return sorted([word, x[0], "b"]), word < x[0]


CASES.append(Case("ordered_strings", ordered_strings, {"x": categories(1, ["a", "b", "d"])}))


@helper
def clamp_all(*values, low=0, high=1):
    return [min(max(v, low), high) for v in values]


@mechanism
def variadic(x):
    """Star arguments, in the call and in the signature."""
    noisy = [v + uniform(-1, 1) for v in x]
    return clamp_all(*noisy, high=2)


CASES.append(Case("variadic", variadic, {"x": ints(2, 0, 2)}))


@mechanism
def function_by_table(x):
    """Functions in an ordinary list, chosen by an ordinary index."""
    queries = [min, max, sum]
    return [query(x) + flip("1/3") for query in queries]


CASES.append(Case("function_by_table", function_by_table, {"x": ints(2, 0, 2)}))
