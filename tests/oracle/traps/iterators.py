"""Iterators: consumed once, lazy, shared, resumed; generators; loops over what changes."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator, arg-type, var-annotated"
# ruff: noqa

import functools
import itertools

from tests.oracle.traps.trap import refused, trap

from taut import discrete, flip, helper, observe, uniform


@trap
def iterator_resumed_after_break(x):
    it = iter([x[0], 1, flip("1/3"), 5])
    for v in it:
        if v:
            break
    return list(it)


@trap
def iterator_shared_by_two_loops(x):
    it = iter(range(6))
    out = []
    for v in it:
        out.append(v)
        for w in it:
            out.append(10 * w)
            if flip("1/2"):
                break
        if len(out) > 3:
            break
    return out


@trap
def zip_of_one_iterator_three_times(x):
    it = iter([1, 2, x[0], 4, flip("1/2"), 6, 7])
    return list(zip(it, it, it))


@trap
def zip_consumes_one_too_many(x):
    a = iter([1, 2, 3, flip("1/2")])
    b = iter([x[0]])
    rows = list(zip(a, b))
    return (rows, list(a))


@trap
def zip_shortest_first(x):
    a = iter([1, 2, 3, flip("1/2")])
    b = iter([x[0]])
    rows = list(zip(b, a))
    return (rows, list(a))


@trap
def next_with_default_at_random_place(x):
    it = iter([1, 2])
    if flip("1/2"):
        next(it)
    return (next(it, "end"), next(it, "end"), next(it, "end"))


@trap
def list_iterator_sees_appends(x):
    xs = [1]
    it = iter(xs)
    next(it)
    if flip("1/3"):
        xs.append(2)
    first = next(it, None)
    xs.append(3)
    return (first, next(it, None))


@trap
def exhausted_iterator_stays_exhausted(x):
    xs = [1]
    it = iter(xs)
    a = list(it)
    xs.append(flip("1/2"))
    return (a, list(it), len(xs))


@trap
def generator_expression_shared(x):
    g = (v * 2 for v in [1, x[0], flip("1/2"), 4])
    a = next(g)
    b = [v for v in g if v < 3]
    return (a, b, list(g))


@trap
def generator_with_condition_taken_one_by_one(x):
    g = (v for v in [1, 2, 3, 4] if flip("1/2"))
    return (next(g, 0), next(g, 0), sum(g))


@trap
def generator_of_two_levels_taken_one_by_one(x):
    g = ((i, j) for i in range(2) for j in range(2) if flip("1/2"))
    first = next(g, None)
    return (first, list(g))


@trap
def generator_sees_later_names(x):
    k = 1
    g = (v + k for v in (1, 2))
    a = next(g)
    k = 10 if flip("1/2") else 20
    return (a, next(g))


@trap
def generator_binds_first_iterable_early(x):
    xs = [1, 2]
    g = (v for v in xs)
    xs = [5, flip("1/2")]
    return (list(g), xs)


@trap
def any_stops_early(x):
    seen = []

    def look(v):
        seen.append(v)
        return v

    found = any(look(v) for v in [0, flip("1/2"), flip("1/3"), 1])
    return (found, len(seen))


@trap
def all_of_map_stops_early(x):
    seen = []

    def look(v):
        seen.append(v)
        return v > 0

    return (all(map(look, [1, flip("1/2"), 3])), seen)


@trap
def any_leaves_the_rest(x):
    it = iter([0, flip("1/2"), 2, 3])
    return (any(it), list(it))


@trap
def in_consumes_an_iterator(x):
    it = iter([1, 2, 3, 4])
    found = uniform(1, 5) in it
    return (found, list(it))


@trap
def map_of_two_columns(x):
    a = [1] * uniform(0, 2)
    return list(map(lambda p, q: p + q, a, [x[0], 5]))


@trap
def map_is_lazy(x):
    log = []
    m = map(log.append, [1, 2, 3])
    before = len(log)
    next(m)
    if flip("1/2"):
        next(m)
    return (before, log)


@trap
def filter_is_lazy_and_used_once(x):
    f = filter(None, [0, flip("1/2"), 2, x[0]])
    return (list(f), list(f))


@trap
def enumerate_resumed(x):
    e = enumerate(["a", "b", "c"], 5)
    for i, c in e:
        if flip("1/2"):
            break
    return (i, list(e))


@trap
def reversed_of_growing_list(x):
    xs = [1, 2, 3]
    out = []
    for v in reversed(xs):
        out.append(v)
        if flip("1/2"):
            xs.append(9)
    return (out, len(xs))


@trap
def reversed_of_shrinking_list(x):
    xs = [1, 2, 3, 4]
    out = []
    for v in reversed(xs):
        out.append(v)
        if flip("1/2"):
            xs.pop(0)
    return (out, xs)


@trap
def list_grows_while_run_through(x):
    xs = [x[0] + 1]
    for v in xs:
        if len(xs) < 4 and flip("1/2"):
            xs.append(v + 1)
    return xs


@trap
def list_shrinks_while_run_through(x):
    xs = [1, 2, 3, 4]
    out = []
    for v in xs:
        out.append(v)
        if flip("1/3"):
            xs.remove(v)
    return (out, xs)


@trap
def list_cleared_while_run_through(x):
    xs = [1, 2, 3]
    n = 0
    for v in xs:
        n += v
        if flip("1/2"):
            xs.clear()
    return (n, xs)


@trap
def insertion_before_the_loop(x):
    xs = [1, 2]
    out = []
    for v in xs:
        out.append(v)
        if len(out) < 4 and flip("1/2"):
            xs.insert(0, 7)
    return out


@trap
def comprehension_over_growing_list(x):
    xs = [1, 2]
    return ([xs.append(v) or v for v in xs if len(xs) < 5], len(xs), flip("1/2"))


@trap
def chain_lazily(x):
    log = []

    def rows():
        log.append("made")
        return [1, x[0]]

    c = itertools.chain([flip("1/2")], rows())
    first = next(c)
    return (first, log, list(c))


@trap
def chain_from_random_lists(x):
    rows = [[1] * uniform(0, 2), [2], [3] * flip("1/2")]
    return list(itertools.chain.from_iterable(rows))


@trap
def chain_left_early(x):
    out = []
    for v in itertools.chain([1, 2], [3 + flip("1/2"), 4]):
        if v == 3:
            break
        out.append(v)
    else:
        out.append("end")
    return out


@trap
def islice_leaves_the_rest(x):
    it = iter(range(10))
    if flip("1/2"):
        next(it)
    return (list(itertools.islice(it, 1, 6, 2)), next(it))


@trap
def takewhile_loses_one(x):
    it = iter([1, 2, 3 + flip("1/2"), 1, 5])
    return (list(itertools.takewhile(lambda v: v < 4, it)), list(it))


@trap
def dropwhile_with_random(x):
    return list(itertools.dropwhile(lambda v: v < 2, [flip("1/2"), 1 + flip("1/2"), 0, 3]))


@trap
def accumulate_with_random(x):
    return list(itertools.accumulate([1, flip("1/2"), x[0]], lambda a, b: a * 2 + b))


@trap
def pairwise_with_random(x):
    return [b - a for a, b in itertools.pairwise([1, 2, flip("1/2"), x[0]])]


@trap
def zip_longest_with_random_length(x):
    return list(itertools.zip_longest([1] * uniform(0, 2), [x[0]], fillvalue="-"))


@trap
def count_with_break(x):
    for i in itertools.count(1):
        if i > 3 or flip("1/2"):
            break
    return i


@trap
def product_of_random_lists(x):
    return len(list(itertools.product([1] * uniform(0, 2), [1, 2] if flip("1/2") else [3])))


@trap
def starmap_and_repeat(x):
    return list(itertools.starmap(pow, zip([2, 3 + flip("1/2")], itertools.repeat(2))))


@trap
def reduce_with_effects(x):
    log = []

    def add(a, b):
        log.append(b)
        return a + b

    total = functools.reduce(add, [1] * uniform(1, 3))
    return (total, len(log))


@trap
def generator_function_in_a_loop(x):
    def walk(n):
        for i in range(n):
            if flip("1/2"):
                yield i

    out = []
    for v in walk(3):
        out.append(v)
    return out


@trap
def generator_function_with_effects(x):
    log = []

    def walk():
        log.append("start")
        yield 1
        log.append("middle")
        yield 2
        log.append("end")

    for v in walk():
        if flip("1/2"):
            break
    return (v, log)


@trap
def generator_function_with_return(x):
    def walk():
        yield 1
        if flip("1/2"):
            return
        yield from [2, x[0]]

    return list(walk())


@trap
def generator_function_summed(x):
    def noisy():
        for v in x:
            yield v ^ flip("1/4")

    return sum(noisy())


@trap
def sorted_of_a_generator(x):
    return sorted((v ^ flip("1/3") for v in [1, x[0], 0]), reverse=True)


@trap
def dict_of_a_generator(x):
    d = dict((v, v + 1) for v in [1, 1 + flip("1/2")])
    return list(d.items())


@trap
def star_of_a_generator(x):
    return [*(v for v in [1, 2, 3] if flip("1/2")), "end"]


@trap
def star_in_call(x):
    def f(*rest):
        return len(rest)

    return f(*[1] * uniform(0, 2), *x)


@trap
def min_of_iterator_with_default(x):
    it = filter(lambda v: v > 1, [flip("1/2") + 1, 1])
    return (min(it, default=7), list(it))


@trap
def loop_else_in_nested_loops(x):
    out = []
    for i in range(2):
        for j in range(2):
            if flip("1/2"):
                out.append((i, j))
                break
        else:
            out.append("none")
            if x[0]:
                break
    else:
        out.append("all")
    return out


@trap
def while_else_with_continue(x):
    n, out = 0, []
    while n < 3:
        n += 1
        if flip("1/2"):
            continue
        if n == 2:
            break
        out.append(n)
    else:
        out.append("else")
    return (n, out)


@trap
def return_inside_loops_over_generators(x):
    for v in (u for u in [1, 2, 3] if flip("1/2")):
        if v == 2:
            return "two"
    return "no"


@trap
def observe_in_a_lazy_map(x):
    def f(v):
        observe(flip("1/3") or v == 0)
        return v

    m = map(f, [0, 1, 1])
    return next(m) + (next(m) if flip("1/2") else 0)


@trap
def iterator_in_a_tuple_and_a_list(x):
    it = iter([1, 2, 3])
    pair = (it, [it])
    a = next(pair[0])
    b = next(pair[1][0]) if flip("1/2") else 0
    return (a, b, list(it))


@trap
def iterator_chosen_at_random(x):
    a, b = iter([1, 2]), iter([5, 6])
    c = a if flip("1/2") else b
    first = next(c)
    return (first, list(a), list(b))


@trap
def unpacking_takes_from_an_iterator(x):
    it = iter([1, flip("1/2")])
    a, b = it
    return (a, b, list(it))


@trap
def list_extended_by_its_own_iterator(x):
    xs = [1, 2]
    xs.extend(v + 1 for v in list(xs))
    xs += map(lambda v: v * flip("1/2"), [3, 4])
    return xs


@trap
def string_runs_through(x):
    word = discrete({"ab": "1/2", "": "1/4", "xyz": "1/4"})
    return [c * 2 for c in word if c != "b"]


@trap
def enumerate_of_random_text(x):
    return [(i, c) for i, c in enumerate("ab" if flip("1/2") else "c")]


@trap
def loop_variable_survives(x):
    v = "none"
    for v in [1] * uniform(0, 2):
        pass
    return v


@trap
def loop_over_tuple_of_lists_changed_inside(x):
    a, b = [1], [2]
    for xs in (a, b):
        if flip("1/2"):
            a.append(len(xs))
    return (a, b)


@trap
def iter_of_a_generator_is_the_generator(x):
    it = iter(v + 1 for v in [1, 2, 3])
    if flip("1/2"):
        return (list(it), "all")
    for v in it:
        break
    return (v, list(it))


@trap
def generator_put_into_a_list(x):
    gs = []
    gs.append(v * 2 for v in [1, x[0]])
    pair = (gs[0], 5)
    a = next(pair[0]) if flip("1/2") else 0
    return (a, list(gs[0]), list(gs[0]))


@trap
def dictionary_walk_checked_at_its_end(x):
    d = {"a": 1}
    out = []
    for k in d:
        out.append(k)
        d["a"] = flip("1/2")
    return (out, d["a"])


@trap
def generator_over_a_shared_iterator_in_branches(x):
    it = iter([1, 2, 3, 4])
    g = (v * 2 for v in it)
    if flip("1/2"):
        next(it)
    a = next(g)
    return (a, list(it), list(g))


@trap
def return_from_a_loop_over_a_generator_function(x):
    def walk():
        for i in range(3):
            if flip("1/2"):
                yield i
            yield 10 * i

    out = []
    for v in walk():
        if v == 10:
            return ("ten", out)
        if v == 1 and x[0]:
            break
        out.append(v)
    else:
        return "else"
    return (v, out)


@trap
def first_of_a_generator_function(x):
    def walk():
        yield from (v for v in [1, 2, 3] if flip("1/2"))
        yield "last"

    def first(test):
        for v in walk():
            if test(v):
                return v
        return None

    return (first(lambda v: v != 2), first(lambda v: v == 7), next(walk()))


@trap
def generator_function_inside_a_generator_function(x):
    def inner(n):
        for i in range(n):
            if flip("1/2"):
                return
            yield i

    def outer():
        for n in (1, 2):
            for v in inner(n):
                if v == 1:
                    break
                yield (n, v)
            else:
                yield "done"

    return list(outer())


@refused("after a loop that has left it")
def generator_left_by_a_return(x):
    def numbers():
        yield x[0]
        yield flip("1/3")
        yield 7

    def first(items):
        for item in items:
            return item

    made = numbers()
    return (first(made), list(made))


@trap
def generator_expression_left_by_a_return(x):
    def first(items):
        for item in items:
            if item:
                return item

    made = (v + flip("1/3") for v in x)
    return (first(made), list(made))


@trap
def arrangements_of_named_arguments(x):
    items = [x[0], flip("1/3"), 2]
    pairs = list(itertools.combinations(iterable=items, r=2))
    return pairs, list(itertools.permutations(r=1, iterable=items)), list(itertools.product(items, repeat=1))


@refused("its numbers must not be random")
def arrangements_of_a_random_length(x):
    return list(itertools.combinations(x, 1 + flip("1/2")))
