"""Corner cases of Python's semantics, each in a few lines, under random and input-dependent control."""

from fractions import Fraction

from tests.corpus.case import Case

from taut import bits, categories, discrete, flip, helper, integer, ints, mechanism, uniform

CASES: list[Case] = []

HALF = Fraction(1, 2)
LIMIT = 2


@mechanism
def and_or_values(x):
    """``and`` and ``or`` return an operand, not a Boolean."""
    a = x[0] and x[1] + 1
    b = x[0] or "none"
    c = uniform(0, 2) or x[1]
    return a, b, c


CASES.append(Case("and_or_values", and_or_values, {"x": ints(2, 0, 2)}))


@mechanism
def or_default(x):
    """An empty list of random length is false."""
    kept = [value for value in x if flip(HALF)]
    return kept or "nothing"


CASES.append(Case("or_default", or_default, {"x": bits(2)}))


@mechanism
def chain_of_or(x):
    return (x[0] and flip(HALF)) or (x[1] and uniform(2, 3)) or -1


CASES.append(Case("chain_of_or", chain_of_or, {"x": bits(2)}))


@mechanism
def not_is_boolean(x):
    value = uniform(0, 3)
    return not value, not x[0], (not value) + (not x[1])


CASES.append(Case("not_is_boolean", not_is_boolean, {"x": ints(2, 0, 2)}))


@mechanism
def boolean_arithmetic(x):
    a = flip(HALF)
    b = x[0] == x[1]
    return a + b, a - b, True + True, a * 3, -a, (a + 1) * (b + 2), a == 1, a < 2


CASES.append(Case("boolean_arithmetic", boolean_arithmetic, {"x": bits(2)}))


@mechanism
def boolean_index(x):
    """A Boolean used as an index."""
    names = ["zero", "one"]
    return names[x[0] > x[1]], names[flip("1/3")], x[not flip("1/4")]


CASES.append(Case("boolean_index", boolean_index, {"x": ints(2, 0, 2)}))


@mechanism
def boolean_counts(x):
    flags = [flip(HALF), x[0] == 1, True]
    return sum(flags), flags.count(True), flags.count(0), flags.index(True), 1 in flags


CASES.append(Case("boolean_counts", boolean_counts, {"x": bits(1)}))


@mechanism
def floor_division(value):
    """Rounds down also below zero; the remainder has the sign of the divisor."""
    d = discrete({-3: "1/4", -2: "1/4", 2: "1/4", 3: "1/4"})
    return value // d, value % d, d * (value // d) + value % d == value


CASES.append(Case("floor_division", floor_division, {"value": integer(-5, 5)}))


@mechanism
def negative_modulo(x):
    noise = uniform(-2, 2)
    return (x[0] - noise) % 3, -x[0] // 2, -(x[0] // 2), x[0] - noise // 2


CASES.append(Case("negative_modulo", negative_modulo, {"x": ints(1, -3, 3)}))


@mechanism
def powers(value):
    e = uniform(0, 3)
    return value**e, -(value**2), (-value) ** 2, 2**e, 0**e


CASES.append(Case("powers", powers, {"value": integer(-2, 3)}))


@mechanism
def minus_zero(value):
    sign = -1 if flip(HALF) else 1
    product = sign * value
    return product, -product == product, abs(product)


CASES.append(Case("minus_zero", minus_zero, {"value": integer(-1, 1)}))


@mechanism
def bitwise(x):
    """``&``, ``|`` and ``^`` on integers, also negative ones."""
    mask = uniform(0, 3)
    return x[0] & mask, x[0] | mask, x[0] ^ mask, (x[0] ^ mask) ^ mask


CASES.append(Case("bitwise", bitwise, {"x": ints(1, -4, 7)}))


@mechanism
def precedence(x):
    a, b = x
    return a ^ b & flip(HALF), not a == b, a + b * 2 == 2, -a % 3, a < b == flip("1/3")


CASES.append(Case("precedence", precedence, {"x": bits(2)}))


@mechanism
def chained(x):
    """Each operand is evaluated once; a chain is a conjunction."""
    return 0 < x[0] + flip(HALF) <= x[1] < 3, x[0] < uniform(0, 2) > x[1], x[0] == x[1] != 2


CASES.append(Case("chained", chained, {"x": ints(2, 0, 2)}))


@mechanism
def negative_indices(x):
    i = uniform(-3, -1)
    return x[i], x[-1], x[i + 3], x[-len(x)]


CASES.append(Case("negative_indices", negative_indices, {"x": ints(3, 0, 2)}))


@mechanism
def write_at_negative(x):
    y = [v for v in x]
    y[-1] += 1
    y[uniform(-3, 2)] = 9
    return y


CASES.append(Case("write_at_negative", write_at_negative, {"x": bits(3)}))


@mechanism
def slices(x):
    """Slices never fail, whatever their ends."""
    return x[1:], x[:-1], x[::2], x[::-1], x[5:], x[-2:], x[2:1]


CASES.append(Case("slices", slices, {"x": bits(3)}))


@mechanism
def random_slices(x):
    k = uniform(0, 3)
    return x[:k], x[k:][::-1], len(x[k:])


CASES.append(Case("random_slices", random_slices, {"x": bits(3)}))


@mechanism
def slice_is_a_copy(x):
    y = [v for v in x]
    z = y[:]
    if flip(HALF):
        z[0] = 7
    return y, z


CASES.append(Case("slice_is_a_copy", slice_is_a_copy, {"x": bits(2)}))


@mechanism
def shared_list(x):
    """Two names of one list, changed in a random branch."""
    a = [0, 0]
    b = a
    if flip("1/3"):
        b[x[0]] = 5
    b.append(1)
    return a


CASES.append(Case("shared_list", shared_list, {"x": bits(1)}))


@mechanism
def rebound_list(x):
    """Rebinding in a random branch ends the sharing there only."""
    a = [x[0]]
    b = a
    if flip("1/3"):
        b = b + [2]
    else:
        b += [3]
    return a, b


CASES.append(Case("rebound_list", rebound_list, {"x": bits(1)}))


@mechanism
def augmented_on_shared(x):
    """``+=`` changes a shared list and rebinds a shared tuple."""
    a = [x[0]]
    b = a
    b += [1]
    s = (x[0],)
    t = s
    t += (flip(HALF),)
    return a, b, s, t


CASES.append(Case("augmented_on_shared", augmented_on_shared, {"x": bits(1)}))


@mechanism
def list_in_two_lists(x):
    inner = [x[0]]
    outer = [inner, inner, [x[0]]]
    if flip(HALF):
        outer[0].append(2)
    outer[1][0] += 1
    return outer


CASES.append(Case("list_in_two_lists", list_in_two_lists, {"x": bits(1)}))


@mechanism
def repeated_row(x):
    """``[row] * 2`` repeats one list, a comprehension makes two."""
    shared = [[0, 0]] * 2
    fresh = [[0, 0] for _ in range(2)]
    i = x[0]
    j = flip(HALF)
    shared[i][j] += 1
    fresh[i][j] += 1
    return shared, fresh


CASES.append(Case("repeated_row", repeated_row, {"x": bits(1)}))


@mechanism
def matrix_in_place(x):
    grid = [[x[0], x[1]], [x[2], 0]]
    r, c = uniform(0, 1), uniform(0, 1)
    grid[r][c] += 1
    for row in grid:
        row[0], row[1] = row[1], row[0]
    return grid


CASES.append(Case("matrix_in_place", matrix_in_place, {"x": bits(3)}))


@mechanism
def swap_order(x):
    """In a tuple assignment the right side comes first, then the targets from left to right."""
    i = uniform(0, 2)
    y = [v for v in x]
    i, y[i] = 0, 9
    return i, y


CASES.append(Case("swap_order", swap_order, {"x": ints(3, 0, 1)}))


@mechanism
def chain_assignment(x):
    a = b = [x[0]]
    c = d = flip(HALF)
    if c:
        a.append(1)
        d = 5
    return a, b, c, d


CASES.append(Case("chain_assignment", chain_assignment, {"x": bits(1)}))


@mechanism
def nested_unpacking(x):
    (a, b), c = (x[0], x[1]), flip(HALF)
    for i, (p, q) in enumerate(zip((a, b), (b, c))):
        a = a + i * p + q
    return a, b, c


CASES.append(Case("nested_unpacking", nested_unpacking, {"x": bits(2)}))


@mechanism
def loop_variable_survives(x):
    for i, v in enumerate(x):
        if v ^ flip(HALF):
            break
    return i, v


CASES.append(Case("loop_variable_survives", loop_variable_survives, {"x": bits(3)}))


@mechanism
def loop_variable_reassigned(x):
    """Assigning the loop variable does not steer the loop."""
    seen = []
    for i in range(3):
        seen.append(i)
        if flip(HALF):
            i = i + 10 * (1 + x[0])
    return seen, i


CASES.append(Case("loop_variable_reassigned", loop_variable_reassigned, {"x": bits(1)}))


@mechanism
def comprehension_scope(x):
    """The variable of a comprehension shadows, and leaves the outer one alone."""
    v = 7
    i = flip(HALF)
    y = [v + i for v in x]
    z = [i for i in range(2)]
    return v, i, y, z


CASES.append(Case("comprehension_scope", comprehension_scope, {"x": bits(2)}))


@mechanism
def comprehension_nested(x):
    return [a * b for a in x if a > 0 for b in (1, 2) if flip(HALF) or b == a]


CASES.append(Case("comprehension_nested", comprehension_nested, {"x": ints(2, 0, 2)}))


@mechanism
def comprehension_walrus(x):
    last = -1
    y = [last := v + flip(HALF) for v in x]
    return y, last


CASES.append(Case("comprehension_walrus", comprehension_walrus, {"x": bits(2)}))


@mechanism
def early_return_nested(x):
    """A return out of two loops, a break out of one."""
    for i in range(2):
        for j in range(2):
            if flip("1/3"):
                return i, j
            if x[j] == i:
                break
    return "end"


CASES.append(Case("early_return_nested", early_return_nested, {"x": bits(2)}))


@mechanism
def break_continue_else(x):
    """An ``else`` runs when no break came, also after continue."""
    log = []
    for v in x:
        for k in range(2):
            coin = flip("1/4")
            if coin and v:
                continue
            if coin:
                break
            log.append(k)
        else:
            log.append("else")
    return log


CASES.append(Case("break_continue_else", break_continue_else, {"x": bits(2)}))


@mechanism
def while_else(value):
    n = value
    while n > 0:
        if flip("1/3"):
            result = "broke"
            break
        n -= 1
    else:
        result = "done"
    return result, n


CASES.append(Case("while_else", while_else, {"value": integer(0, 3)}))


@mechanism
def while_mixed(x):
    """The condition mixes an ordinary counter and a random state."""
    rounds = 0
    state = x[0]
    while rounds < 3 and state < 2:
        state += flip(HALF)
        rounds += 1
    return state, rounds


CASES.append(Case("while_mixed", while_mixed, {"x": ints(1, 0, 2)}))


@mechanism
def while_random_bound(x):
    """A loop bounded by a random number of rounds."""
    total = 0
    left = uniform(0, 3)
    while left:
        total += x[left % len(x)]
        left -= 1
    return total


CASES.append(Case("while_random_bound", while_random_bound, {"x": ints(2, 0, 2)}))


@mechanism
def while_true(x):
    rounds = 0
    while True:
        rounds += 1
        if flip(HALF):
            return "coin", rounds
        if rounds >= x[0]:
            break
    return "limit", rounds


CASES.append(Case("while_true", while_true, {"x": ints(1, 0, 3)}))


@mechanism
def for_random_range(x):
    out = []
    for i in range(uniform(0, 2), 3 + x[0]):
        out.append(i)
    return out


CASES.append(Case("for_random_range", for_random_range, {"x": ints(1, -1, 1)}))


@mechanism
def defined_in_one_branch(x):
    """A name defined under one random outcome and read only there."""
    lucky = flip("1/3")
    if lucky:
        bonus = x[0] + 1
    y = x[0]
    if lucky:
        y += bonus
    return y


CASES.append(Case("defined_in_one_branch", defined_in_one_branch, {"x": bits(1)}))


@mechanism
def different_types_by_branch(x):
    kind = uniform(0, 4)
    if kind == 0:
        value = None
    elif kind == 1:
        value = "text"
    elif kind == 2:
        value = [x[0], [x[1]]]
    elif kind == 3:
        value = ()
    else:
        value = x[0] - 5
    return value


CASES.append(Case("different_types_by_branch", different_types_by_branch, {"x": bits(2)}))


@mechanism
def type_then_use(x):
    """A name holds a list in one branch and a number in the other, and is used as such."""
    coin = flip(HALF)
    value = [x[0], x[1]] if coin else x[0] + x[1]
    return value[1] if coin else value * 2


CASES.append(Case("type_then_use", type_then_use, {"x": bits(2)}))


@mechanism
def falls_off_the_end(x):
    """No return statement on one path: None."""
    if x[0] and flip(HALF):
        return "returned"


CASES.append(Case("falls_off_the_end", falls_off_the_end, {"x": bits(1)}))


@mechanism
def bare_return(x):
    if flip(HALF):
        return
    if x[0]:
        pass
    else:
        return []
    return [None]


CASES.append(Case("bare_return", bare_return, {"x": bits(1)}))


@mechanism
def constant(x):
    """No randomness, no input."""
    return "fixed", 3, None, [True, ()]


CASES.append(Case("constant", constant, {"x": bits(1)}))


@mechanism
def identity(x):
    return x


CASES.append(Case("identity", identity, {"x": categories(2, ["a", "b", 3])}))


@mechanism
def equal_outputs(x):
    """True and 1 are one output, and so are a list and a tuple."""
    if flip(HALF):
        return [True, x[0]]
    return (1, x[0])


CASES.append(Case("equal_outputs", equal_outputs, {"x": bits(1)}))


@mechanism
def empty_list_output(x):
    return [] if flip("1/4") else [[] for _ in x]


CASES.append(Case("empty_list_output", empty_list_output, {"x": bits(2)}))


@mechanism
def conditional_nested(x):
    a = x[0] if flip("1/3") else x[1] if flip("1/4") else -1
    return (a, "big") if a > 1 else (a, "small") if a >= 0 else "negative"


CASES.append(Case("conditional_nested", conditional_nested, {"x": ints(2, 0, 2)}))


@mechanism
def short_circuit_guard(x):
    """The right operand is evaluated only where the left one allows it."""
    kept = [v for v in x if flip(HALF)]
    a = len(kept) > 1 and kept[1] == 1
    b = len(kept) == 0 or kept[-1]
    c = x[0] != 0 and 6 // x[0] > 2
    return a, b, c


CASES.append(Case("short_circuit_guard", short_circuit_guard, {"x": ints(2, 0, 3)}))


@mechanism
def guarded_division(x):
    d = x[0] - uniform(0, 1)
    if d == 0:
        return "undefined"
    return 6 // d, 7 % d


CASES.append(Case("guarded_division", guarded_division, {"x": ints(1, -2, 3)}))


@mechanism
def guarded_index(x):
    """``index`` only where the value is present."""
    target = uniform(0, 2)
    if target in x:
        return x.index(target)
    return "absent"


CASES.append(Case("guarded_index", guarded_index, {"x": ints(3, 0, 2)}))


@mechanism
def membership(x):
    v = uniform(0, 3)
    return v in x, v not in (1, 2), v in [], x.count(v)


CASES.append(Case("membership", membership, {"x": ints(2, 0, 3)}))


@mechanism
def equality_of_lists(x):
    a = [bit ^ flip(HALF) for bit in x]
    return a == [0, 1], [x[0]] != [x[1]], (x[0], 1) == (1, x[1]), a == [] or a == [0]


CASES.append(Case("equality_of_lists", equality_of_lists, {"x": bits(2)}))


@mechanism
def equality_of_strings(x):
    word = discrete({"a": "1/2", "b": "1/4", "z": "1/4"})
    return word == x[0], word != "z", word in ("a", "z"), x[0] == 0


CASES.append(Case("equality_of_strings", equality_of_strings, {"x": categories(1, ["a", "b"])}))


@mechanism
def extremes(x):
    a = [v - flip(HALF) for v in x]
    return min(a), max(a), max(x[0], a[1], 1), min(0, a[0])


CASES.append(Case("extremes", extremes, {"x": ints(2, -1, 1)}))


@mechanism
def quantifiers(x):
    a = [v ^ flip("1/3") for v in x]
    return any(a), all(a), any([]), all([]), any(v > 1 for v in a), all(v < 2 for v in a), sum([])


CASES.append(Case("quantifiers", quantifiers, {"x": bits(2)}))


@mechanism
def enumerate_start(x):
    total = 0
    for i, v in enumerate(x, 1):
        if flip(HALF):
            total += i * v
    return total


CASES.append(Case("enumerate_start", enumerate_start, {"x": ints(3, 0, 1)}))


@mechanism
def zip_uneven(x):
    """``zip`` stops at the shortest."""
    kept = [v for v in x if flip(HALF)]
    return [a + 2 * b + 4 * c for a, b, c in zip(x, kept, range(2))]


CASES.append(Case("zip_uneven", zip_uneven, {"x": bits(3)}))


@mechanism
def stepped_ranges(x):
    down = [i for i in range(3, 0, -1)]
    odd = [i for i in range(1, 6, 2)]
    return down[x[0]] + odd[uniform(0, 2)], len(range(2, 2)), [i for i in range(-x[0])]


CASES.append(Case("stepped_ranges", stepped_ranges, {"x": ints(1, 0, 2)}))


@mechanism
def sorted_pairs(x):
    pairs = [(v ^ flip(HALF), -i) for i, v in enumerate(x)]
    return sorted(pairs)[0], sorted(x)


CASES.append(Case("sorted_pairs", sorted_pairs, {"x": bits(3)}))


@mechanism
def nested_function(x, lam):
    """A nested function reads the outer variables as they are when it is called."""
    offset = 0

    def report(bit, scale=10):
        return scale * (bit ^ flip(lam)) + offset

    first = report(x[0])
    offset = 1
    second = report(x[1], scale=5)
    return first, second


CASES.append(Case("nested_function", nested_function, {"x": bits(2)}, {"lam": "1/5"}))


@mechanism
def closure_makes_noise(x, lam):
    """A function that returns a function."""

    def flipper(rate):
        def apply(bit):
            return bit ^ flip(rate)

        return apply

    weak = flipper(lam)
    strong = flipper(HALF)
    return weak(x[0]), strong(x[1])


CASES.append(Case("closure_makes_noise", closure_makes_noise, {"x": bits(2)}, {"lam": "1/5"}))


@mechanism
def closure_over_list(x):
    log = []

    def note(value):
        if flip(HALF):
            log.append(value)

    for v in x:
        note(v)
    return log


CASES.append(Case("closure_over_list", closure_over_list, {"x": bits(3)}))


@helper
def classify(value, coin):
    """Early returns under random and ordinary branches; falls off the end at last."""
    if value > LIMIT:
        return "high"
    for step in range(2):
        if coin and step == value:
            return step
    if value == 2:
        return [value]


@mechanism
def helper_shapes(x):
    return [classify(v, flip("1/3")) for v in x]


CASES.append(Case("helper_shapes", helper_shapes, {"x": ints(2, 0, 3)}))


@helper
def bump(values, index, by=1):
    values[index] += by
    return len(values)


@mechanism
def helper_changes_argument(x):
    """A helper changes its caller's list in place."""
    y = [v for v in x]
    n = bump(y, uniform(0, 1))
    if flip(HALF):
        bump(y, -1, by=3)
    return n, y


CASES.append(Case("helper_changes_argument", helper_changes_argument, {"x": bits(2)}))


@helper
def countdown(n):
    if n <= 0 or flip("1/3"):
        return [n]
    return [n] + countdown(n - 1)


@mechanism
def recursion(value):
    """A helper that calls itself, at most as often as an ordinary number allows."""
    return [value, countdown(2)]


CASES.append(Case("recursion", recursion, {"value": integer(0, 1)}))


def scale(value, factor):
    return factor * value + 1


@mechanism
def ordinary_helper(x):
    """A helper without branches needs no decorator."""
    return [scale(v + flip(HALF), factor=2) for v in x]


CASES.append(Case("ordinary_helper", ordinary_helper, {"x": bits(2)}))


@mechanism
def shadowed_names(x):
    """Local names hide globals and built-ins."""
    LIMIT = x[0]
    sum = LIMIT + flip(HALF)
    len = [sum, LIMIT]
    return len, sum


CASES.append(Case("shadowed_names", shadowed_names, {"x": bits(1)}))


@mechanism
def parameter_rebound(x, lam):
    x = [bit ^ flip(lam) for bit in x]
    x = x + [sum(x)]
    lam = len(x)
    return x, lam


CASES.append(Case("parameter_rebound", parameter_rebound, {"x": bits(2)}, {"lam": "1/5"}))


@mechanism
def ordinary_switch(x, mode, scale=2):
    """An ordinary parameter chooses the branch; the other is never run."""
    if mode == "sum":
        return scale * sum(x) + flip(HALF)
    elif mode == "pair":
        return x[0], flip(HALF)
    return x[99]


CASES.append(Case("ordinary_switch_sum", ordinary_switch, {"x": bits(2)}, {"mode": "sum"}))
CASES.append(Case("ordinary_switch_pair", ordinary_switch, {"x": bits(2)}, {"mode": "pair", "scale": 3}))


@mechanism
def optional_parameter(x, cap=None):
    total = sum(x) + flip("1/3")
    if cap is None:
        return total
    return min(total, cap)


CASES.append(Case("optional_parameter_absent", optional_parameter, {"x": bits(2)}))
CASES.append(Case("optional_parameter_given", optional_parameter, {"x": bits(2)}, {"cap": 1}))


@mechanism
def dictionary_of_lists(x):
    groups = {"even": [], "odd": []}
    for v in x:
        if v % 2 == 1:
            groups["odd"].append(v)
        elif flip(HALF):
            groups["even"] += [v]
    return groups["even"], groups["odd"], len(groups), "odd" in groups


CASES.append(Case("dictionary_of_lists", dictionary_of_lists, {"x": ints(3, 0, 3)}))


@mechanism
def dictionary_updates(x):
    state = {}
    for i in range(2):
        state[i] = x[i]
        state[(i, "noisy")] = x[i] ^ flip("1/3")
    if flip(HALF):
        state[0] = "gone"
    state[1] += 4
    return [state[key] for key in state]


CASES.append(Case("dictionary_updates", dictionary_updates, {"x": bits(2)}))


@mechanism
def random_length_everything(x):
    """A list of random length is measured, summed, indexed, extended and read again."""
    kept = []
    for v in x:
        if flip(HALF):
            kept.append(v)
            if v == 2:
                kept.append(-v)
    kept = kept + [len(kept)]
    last = kept[len(kept) - 1]
    doubled = [2 * v for v in kept]
    return last, sum(doubled), max(kept), kept[0], kept[uniform(0, len(kept) - 1)]


CASES.append(Case("random_length_everything", random_length_everything, {"x": ints(2, 0, 2)}))


@mechanism
def append_while_iterating_copy(x):
    y = [v for v in x]
    for v in y[:]:
        if v and flip(HALF):
            y.append(2)
    return y


CASES.append(Case("append_while_iterating_copy", append_while_iterating_copy, {"x": bits(2)}))


@mechanism
def input_branches(x):
    """Branching on inputs only, with a coin in one branch."""
    if x[0] == x[1]:
        tag = "same"
    elif x[0] > x[1]:
        tag = flip("1/3")
    else:
        tag = x[1] - x[0]
    return tag


CASES.append(Case("input_branches", input_branches, {"x": ints(2, 0, 2)}))


@mechanism
def reused_coin(x):
    """One coin used many times is one coin."""
    c = flip("1/3")
    d = c
    return c ^ d, c and not d, c + d, x[0] ^ c ^ d


CASES.append(Case("reused_coin", reused_coin, {"x": bits(1)}))


@mechanism
def same_call_twice(x):
    """Two calls are two coins, also when written alike."""
    return flip("1/3") ^ flip("1/3"), [flip(HALF)] * 2, x[0]


CASES.append(Case("same_call_twice", same_call_twice, {"x": bits(1)}))


@mechanism
def coin_under_input(x):
    """A coin that is tossed for some inputs only."""
    y = 0
    if x[0]:
        y = flip("1/3") + 1
    if not x[1]:
        y += 2 * flip("1/5")
    return y


CASES.append(Case("coin_under_input", coin_under_input, {"x": bits(2)}))


@mechanism
def large_numbers(x):
    """Integers never wrap."""
    big = 2**70
    return (x[0] + flip(HALF)) * big - 1, -(big**2) * x[0]


CASES.append(Case("large_numbers", large_numbers, {"x": bits(1)}))


@mechanism
def fraction_output(x, lam):
    """A Fraction is an ordinary number, and may be returned."""
    return lam if flip(lam) else 1 - lam * x[0]


CASES.append(Case("fraction_output", fraction_output, {"x": bits(1)}, {"lam": "1/4"}))


@mechanism
def local_del_by_slice(x):
    """Elements removed and inserted by slicing at a random place."""
    k = uniform(0, 2)
    y = [v for v in x]
    return y[:k] + y[k + 1 :], y[:k] + ["new"] + y[k:]


CASES.append(Case("local_del_by_slice", local_del_by_slice, {"x": bits(3)}))


@mechanism
def walrus_in_condition(x):
    if (total := sum(x) + flip(HALF)) > 1:
        return total
    return -total


CASES.append(Case("walrus_in_condition", walrus_in_condition, {"x": bits(2)}))


@mechanism
def list_default_per_call(x, extra=(1, 2)):
    """A default that is a tuple, read at an input index."""
    return extra[x[0]] + flip(HALF), sum(extra)


CASES.append(Case("list_default_per_call", list_default_per_call, {"x": bits(1)}))
CASES.append(Case("list_parameter", list_default_per_call, {"x": bits(1)}, {"extra": [5, 7]}))
