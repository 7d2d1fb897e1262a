"""Lists, dictionaries, sets, tuples: identity, aliases, order, random lengths and random keys."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator, arg-type, var-annotated"
# ruff: noqa

import bisect
import heapq
import itertools
import operator
import statistics
from collections import Counter, OrderedDict, defaultdict, deque
import copy

from tests.oracle.traps.trap import trap

from taut import discrete, flip, observe, uniform


@trap
def aliases_through_a_dictionary(x):
    xs = [1]
    d = {"a": xs, "b": xs}
    if flip("1/2"):
        d["a"].append(2)
    return (d["b"], xs)


@trap
def alias_taken_before_rebinding(x):
    xs = [1]
    ys = xs
    if flip("1/2"):
        xs = xs + [2]
    else:
        xs += [3]
    return (xs, ys, xs is ys)


@trap
def in_place_times(x):
    xs = [1, 2]
    ys = xs
    xs *= uniform(0, 2)
    return (xs, ys)


@trap
def in_place_on_random_object(x):
    a, b = [1], [2]
    c = a if flip("1/2") else b
    c += [9]
    return (a, b, c)


@trap
def in_place_inside_a_dictionary(x):
    d = {"a": [1]}
    e = d["a"]
    d["a"] += [flip("1/2")]
    return (d["a"], e)


@trap
def in_place_on_a_tuple_inside_a_list(x):
    xs = [(1,)]
    t = xs[0]
    xs[0] += (flip("1/2"),)
    return (xs, t)


@trap
def in_place_dictionary_union(x):
    d = {"a": 1}
    e = d
    if flip("1/2"):
        d |= {"b": 2, "a": 3}
    return (list(e.items()), d is e)


@trap
def dictionary_union_makes_a_new_one(x):
    d = {"a": 1}
    e = d
    d = d | {"b": flip("1/2")}
    return (len(e), len(d))


@trap
def in_place_set_operators(x):
    s = {1, 2, 3}
    t = s
    s &= {1, 2}
    s ^= {2, 5} if flip("1/2") else {7}
    s |= {0}
    return (sorted(t), len(s))


@trap
def set_with_random_elements(x):
    s = {uniform(0, 2), x[0], 2}
    return (len(s), sorted(s), 1 in s)


@trap
def distinct_values(x):
    return len({*x, uniform(0, 2)})


@trap
def set_update_and_discard(x):
    s = set()
    s.update([flip("1/2"), 3], x)
    s.discard(uniform(2, 3))
    return sorted(s)


@trap
def set_methods(x):
    a, b = {1, 2, uniform(1, 4)}, {2, 3}
    return (
        sorted(a.union(b)),
        sorted(a.intersection(b)),
        sorted(a.difference([2])),
        sorted(a.symmetric_difference(b)),
        a.issubset({1, 2, 3}),
        a.isdisjoint({9}),
        a <= b,
        a > {1},
    )


@trap
def small_sets_in_order(x):
    s = {5, 3, 1}
    if flip("1/2"):
        s.add(2)
    return [v for v in s]


@trap
def frozenset_as_key(x):
    d = {frozenset([1, 2]): "p"}
    return (d[frozenset([2, 1])], flip("1/2"), frozenset([1]) == {1})


@trap
def set_of_tuples(x):
    s = {(x[0], flip("1/2")), (0, 1)}
    return (len(s), (0, 1) in s, (1, 1) in s)


@trap
def counts_in_a_dictionary(x):
    counts = {}
    for v in [*x, uniform(0, 2)]:
        counts[v] = counts.get(v, 0) + 1
    return sorted(counts.items())


@trap
def order_of_random_keys(x):
    d = {}
    for v in [uniform(0, 2), uniform(0, 2)]:
        d[v] = len(d)
    return list(d.items())


@trap
def order_after_deletion_and_return(x):
    d = {"a": 1, "b": 2, "c": 3}
    if flip("1/2"):
        del d["b"]
    if flip("1/3"):
        d.pop("a", None)
    d["b"] = 9
    d["a"] = 8
    return list(d)


@trap
def order_of_updates(x):
    d = {"a": 0}
    e = {"c": 1, "a": 2} if flip("1/2") else {"b": 3}
    d.update(e)
    d.update(z=x[0])
    return list(d.items())


@trap
def tuple_keys(x):
    d = {(0, 0): "p", (0, 1): "q", (1, 0): "r", (1, 1): "s"}
    d[(x[0], flip("1/2"))] = "new"
    return [d[k] for k in d]


@trap
def random_key_deleted(x):
    d = {0: "a", 1: "b", 2: "c"}
    del d[uniform(0, 2)]
    return (len(d), list(d))


@trap
def popitem_at_random(x):
    d = {"a": 1}
    if flip("1/2"):
        d["b"] = 2
    return (d.popitem(), list(d))


@trap
def setdefault_with_lists(x):
    d = {}
    for v in [*x, flip("1/2")]:
        d.setdefault(v, []).append(len(d))
    return [d[k] for k in sorted(d)]


@trap
def live_views(x):
    d = {"a": 1}
    keys, values, items = d.keys(), d.values(), d.items()
    if flip("1/2"):
        d["b"] = 2
    d["a"] = 5
    return (list(keys), sum(values), len(items), "b" in keys, ("a", 5) in items)


@trap
def views_like_sets(x):
    d, e = {"a": 1, "b": 2}, {"b": 3}
    if flip("1/2"):
        e["a"] = 1
    return (sorted(d.keys() & e.keys()), d.keys() == e.keys(), sorted(d.keys() - e.keys()))


@trap
def values_changed_while_run_through(x):
    d = {"a": 1, "b": 2, "c": 3}
    out = []
    for k, v in d.items():
        out.append(v)
        d["c"] = 10 * v + flip("1/2")
    return out


@trap
def dictionary_comprehension_with_random_keys(x):
    d = {v % 2: v for v in [uniform(0, 3), 5, 6]}
    return list(d.items())


@trap
def display_with_equal_keys(x):
    k = flip("1/2")
    d = {1: "a", k: "b", True: "c"}
    return list(d.items())


@trap
def double_star_in_the_middle(x):
    d = {"a": 1, **({"b": 2, "a": 3} if flip("1/2") else {}), "b": 4}
    return list(d.items())


@trap
def keywords_from_random_dictionary(x):
    def f(a=1, *, b=2, **rest):
        return (a, b, sorted(rest))

    d = {"b": 7}
    if flip("1/2"):
        d["c"] = 1
    if flip("1/3"):
        d["a"] = 5
    return f(**d)


@trap
def equality_of_random_dictionaries(x):
    d = {"a": x[0]}
    if flip("1/2"):
        d["b"] = 1
    return (d == {"a": 0, "b": 1}, {"b": 1, "a": 1} == d, d != {})


@trap
def default_dictionary(x):
    d = defaultdict(list)
    for v in [*x, flip("1/2")]:
        d[v].append(v)
    return (len(d), [len(d[k]) for k in sorted(d)], len(d[9]), len(d))


@trap
def default_dictionary_of_counts(x):
    d = defaultdict(int)
    d[uniform(0, 1)] += 1
    d["n"] += 2
    return sorted(d.items(), key=str)


@trap
def counter(x):
    c = Counter([*x, uniform(0, 1)])
    c.update([1])
    c[5] += 1
    return (c[0], c[1], c[7], len(c), c.most_common(1), sum(c.values()))


@trap
def ordered_dictionary(x):
    d = OrderedDict(b=1)
    if flip("1/2"):
        d["a"] = 2
    d["c"] = 3
    return list(d)


@trap
def queue(x):
    q = deque([1])
    if flip("1/2"):
        q.appendleft(0)
    q.extend([2, 3])
    first = q.popleft()
    q.rotate(1)
    return (first, list(q), len(q), q.pop())


@trap
def slices_of_random_length(x):
    xs = [1, 2, 3] * uniform(0, 2)
    return (xs[1:], xs[-2:], xs[::2], xs[: uniform(0, 2)])


@trap
def slice_assignment_of_random_length(x):
    xs = [1, 2, 3]
    xs[1:2] = [7] * uniform(0, 2)
    if flip("1/2"):
        xs[:1] = []
    return xs


@trap
def slice_assignment_at_random_place(x):
    xs = [1, 2, 3, 4]
    i = uniform(0, 2)
    xs[i : i + 2] = [9]
    return xs


@trap
def deletion_of_random_slices(x):
    xs = [1, 2, 3, 4]
    for _ in range(2):
        if flip("1/2"):
            del xs[1:3]
    del xs[uniform(-1, 0) :]
    return xs


@trap
def extended_slice(x):
    xs = [1, 2, 3, 4, x[0]]
    xs[::2] = [flip("1/2")] * 3
    del xs[::3]
    return xs


@trap
def starred_unpacking_of_random_length(x):
    a, *b, c = [1, 2] + [3] * uniform(0, 2)
    return (a, b, c)


@trap
def nested_unpacking(x):
    (a, [b, *c]), d = (1, [flip("1/2"), 3, x[0]]), "e"
    return (a, b, c, d)


@trap
def unpacking_of_random_shapes(x):
    pair = (1, 2) if flip("1/2") else [x[0], 4]
    a, b = pair
    return (a, b)


@trap
def index_and_count(x):
    xs = [x[0], 1, flip("1/2"), 1]
    return (xs.index(1), xs.index(1, 2), xs.index(1, -1), xs.count(1), xs.count(True))


@trap
def insertion_at_random_places(x):
    xs = [1, 2] if flip("1/2") else [1]
    xs.insert(uniform(-2, 3), 9)
    return xs


@trap
def pop_at_negative_place(x):
    xs = [1, 2] + [3] * flip("1/2")
    return (xs.pop(-2), xs.pop(), xs)


@trap
def remove_first_equal(x):
    xs = [flip("1/2"), 1, 0]
    xs.remove(1)
    return xs


@trap
def sort_in_place_with_effects(x):
    log = []

    def key(v):
        log.append(v)
        return -v

    xs = [1, 2] + [3] * flip("1/2")
    ys = xs
    xs.sort(key=key)
    return (ys, len(log))


@trap
def sort_is_stable(x):
    xs = [(flip("1/2"), "a"), (flip("1/2"), "b"), (1, "c")]
    return ([n for _, n in sorted(xs, key=lambda p: p[0])], [n for _, n in sorted(xs, key=lambda p: -p[0])])


@trap
def minimum_by_key_with_effects(x):
    log = []

    def key(v):
        log.append(v)
        return abs(v - 1)

    return (min([1] * uniform(1, 3) + [2], key=key), len(log))


@trap
def rows_that_are_one_object(x):
    grid = [[0] * 2] * 2
    grid[uniform(0, 1)][flip("1/2")] += 1
    return grid


@trap
def rows_that_are_different_objects(x):
    grid = [[0, 0] for _ in range(2)]
    row = grid[flip("1/2")]
    row[0] = 5
    row.append(6)
    return (grid, row is grid[0])


@trap
def list_inside_itself_by_slices(x):
    xs = [[1], [2]]
    ys = xs[:]
    ys[0].append(flip("1/2"))
    ys[1] = [9]
    return (xs, ys)


@trap
def shallow_and_deep_copies(x):
    xs = [[1], [1]]
    xs.append(xs[0])
    a, b, c = copy.copy(xs), copy.deepcopy(xs), xs.copy()
    if flip("1/2"):
        xs[0].append(2)
    b[0].append(7)
    return (a, b, c)


@trap
def comparison_of_random_lists(x):
    a = [1] + [2] * uniform(0, 2)
    return (a < [1, 2], a == [1, 2], a >= [1], [1, 2, 2] in [a], max(a, [1, 2]))


@trap
def comparison_decided_before_it_could_fail(x):
    return ((flip("1/2"), "a") < (2, 3), [0, None] < [1, 5])


@trap
def membership_in_random_containers(x):
    xs = [1, 2] if flip("1/2") else (3,)
    return (3 in xs, x[0] in xs, (1, 2) == xs)


@trap
def optional_list(x):
    v = [x[0], 7] if flip("1/2") else None
    total = 0
    if v is not None:
        for t in v:
            total += t
        total += len(v) + v[1]
    return total


@trap
def optional_dictionary(x):
    d = {"a": x[0]} if flip("1/2") else None
    return d["a"] if d is not None else "nothing"


@trap
def tuple_or_number(x):
    v = (1, 2) if flip("1/2") else 3
    if isinstance(v, tuple):
        return sum(v)
    return v * 10


@trap
def method_kept_for_later(x):
    xs, ys = [1], [2]
    add = xs.append if flip("1/2") else ys.append
    add(7)
    pop = xs.pop
    xs = [5]
    return (xs, ys, pop())


@trap
def functions_in_a_list(x):
    fs = [lambda v: v + 1, lambda v: v * 10, abs]
    return fs[uniform(0, 2)](-2 + x[0])


@trap
def functions_in_a_dictionary(x):
    n = 0

    def up():
        nonlocal n
        n += 1
        return n

    def down():
        nonlocal n
        n -= 1
        return n

    table = {0: up, 1: down}
    return (table[flip("1/2")](), table[x[0]](), n)


@trap
def list_times_negative(x):
    return [x[0]] * uniform(-1, 1) + [1]


@trap
def bubble_sort_in_place(x):
    xs = [uniform(0, 2), x[0], 1]
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@trap
def swap_by_random_indices(x):
    xs = ["a", "b", "c"]
    i = uniform(0, 2)
    xs[0], xs[i] = xs[i], xs[0]
    return xs


@trap
def assignment_from_left_to_right(x):
    xs = [0, 0, 0]
    i = 0
    i, xs[i] = flip("1/2") + 1, 9
    return (i, xs)


@trap
def deleted_variable(x):
    a = 5
    b = flip("1/2")
    if b:
        del a
    return 1 if b else a


@trap
def observation_about_a_list(x):
    xs = [v for v in (1, 2, 3) if flip("1/2")]
    observe(len(xs) == 2)
    return xs


@trap
def stack_machine(x):
    stack = []
    for op in [1, 2, "+", 3 + x[0], "*"]:
        if op == "+":
            stack.append(stack.pop() + stack.pop())
        elif op == "*":
            b, a = stack.pop(), stack.pop()
            stack.append(a * b if flip("1/2") else a - b)
        else:
            stack.append(op)
    return stack


@trap
def graph_search(x):
    edges = {0: [1, 2], 1: [3], 2: [3], 3: []}
    if flip("1/2"):
        edges[2] = []
    if x[0]:
        edges[1] = [2]
    seen, todo = [], [0]
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.append(v)
        todo.extend(edges[v])
    return seen


@trap
def heaps(x):
    h = [3, x[0]]
    heapq.heapify(h)
    heapq.heappush(h, uniform(0, 4))
    if flip("1/2"):
        heapq.heappush(h, 2)
    first = heapq.heappop(h)
    return (first, h, heapq.heappushpop(h, 1))


@trap
def bisection(x):
    xs = [1, 2] + [4] * flip("1/2")
    bisect.insort(xs, uniform(0, 5))
    return (xs, bisect.bisect_left(xs, 2), bisect.bisect(xs, x[0]))


@trap
def groups(x):
    rows = [(k, len(list(g))) for k, g in itertools.groupby([1, 1, x[0], flip("1/2"), 0])]
    kept = [g for _, g in itertools.groupby([1, flip("1/2")])]
    return (rows, [list(g) for g in kept])


@trap
def keys_by_function(x):
    rows = [(flip("1/2"), "b"), (1, "a"), (x[0], "c")]
    d = dict.fromkeys(["p", "q"], 0)
    d["q"] += flip("1/3")
    return (sorted(rows, key=operator.itemgetter(0)), max(d, key=d.get), min(rows, key=operator.itemgetter(1, 0)))


@trap
def medians(x):
    xs = [uniform(0, 2), x[0], 1, 5]
    return (statistics.median(xs), statistics.median_low(xs), statistics.median(xs[1:]))


@trap
def cycles(x):
    out = []
    for v in itertools.cycle([1, flip("1/2")]):
        out.append(v)
        if len(out) > 2 + x[0]:
            break
    return (out, list(itertools.compress("abc", [x[0], flip("1/3"), 1])))
