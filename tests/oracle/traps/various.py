"""Numbers, text, classes, calls, control flow, and what must be refused."""

# Mechanisms are written without annotations, as users write them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc, operator, arg-type, var-annotated"
# ruff: noqa

import enum
import functools
import math
import operator
import statistics
import time
from collections import namedtuple
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from tests.oracle.traps.trap import refused, trap

from taut import binomial, discrete, flip, helper, observe, uniform

Point = namedtuple("Point", "x y")


class Pair(NamedTuple):
    left: int
    right: int = 7

    def total(self):
        return self.left + self.right


@dataclass(frozen=True)
class Interval:
    low: int
    high: int = 3

    @property
    def width(self):
        return self.high - self.low

    def shifted(self, by):
        return Interval(self.low + by, self.high + by)


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


class Tally:
    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1
        return self.n


TALLY = Tally()
LIST = [1, 2]
TABLE = {"a": [1], "b": {"c": 2}}
NUMBERS = np.array([1, 2, 3])


@trap
def halves_as_text(x):
    return (str(uniform(0, 3) / 2), f"{uniform(0, 2) / 4:.2f}", repr(0.5), "%s" % 0.1)


@trap
def literals_and_computed_floats(x):
    return [0.5 if flip("1/2") else 1 / 2, 0.1 if flip("1/2") else 1 / 10, 2.0 if x[0] else 2]


@trap
def types_of_numbers(x):
    v = uniform(0, 2) / 2
    w = uniform(0, 2)
    return (isinstance(v, float), isinstance(w, int), isinstance(w, float), isinstance(True, int), type(v) is float)


@trap
def mixed_kinds_as_text(x):
    v = 2 if flip("1/2") else 4 / 2
    w = Fraction(2) if flip("1/2") else 2
    return (str(v), repr(w), v == w)


@trap
def sums_of_decimals(x):
    return (0.1 + 0.2, 0.1 * 3, sum([0.1] * 3), flip("1/2") * 0.1)


@trap
def rounding(x):
    k = uniform(-3, 3)
    return (round(k / 2), round(k * 0.25, 1), int(k / 2), math.floor(k / 2), math.ceil(k / 4), k // 2, k % 2)


@trap
def floor_division_of_floats(x):
    k = uniform(-2, 2)
    return (k // 0.5, k % 1.5, divmod(k, 2), str(k // 2.0))


@trap
def powers(x):
    k = uniform(-2, 2)
    return (2**k, str(2**k), pow(3, 2), pow(uniform(1, 4), -1, 5), (-k) ** 2, -(k**2))


@trap
def infinities(x):
    best = math.inf
    for v in [uniform(0, 2), x[0] + 1]:
        if v < best:
            best = v
    return (best, float("inf") > best, -math.inf < 0)


@trap
def booleans_are_numbers(x):
    b = flip("1/2")
    return (b + b, str(b), str(b + 0), b * 2, -b, b == 1, [5, 6][b], {0: "z", 1: "o"}[b], f"{b:d}")


@trap
def bits_of_integers(x):
    k = uniform(0, 5)
    return (bin(k), hex(k), k.bit_length(), k >> 1, k << 2, ~k, k & 6, chr(97 + k), oct(k))


@trap
def attributes_of_numbers(x):
    k = uniform(0, 2)
    return (k.numerator, k.denominator, k.real, (k / 2).is_integer(), Fraction(k, 3).denominator)


@refused("rounded floats")
def rounding_decides(x):
    return 0.1 * (1 + x[0] + x[1]) == 0.3


@trap
def short_circuits_with_effects(x):
    log = []

    def note(name, value):
        log.append(name)
        return value

    a = note("a", flip("1/2")) and note("b", x[0]) or note("c", 7)
    b = 0 < note("d", uniform(0, 1)) < note("e", 2)
    return (a, b, log)


@trap
def values_of_and_and_or(x):
    k = uniform(0, 2)
    return (k or "none", k and [k], k and 0 or "z", not k, None or k, [] or k or [1])


@trap
def conditional_expression_with_effects(x):
    xs = []
    v = xs.append(1) if flip("1/2") else xs.append(2) or "two"
    return (v, xs)


@trap
def walrus_in_conditions(x):
    if (n := uniform(0, 2)) and (m := n - 1):
        return (n, m)
    return (n, [y := n + 1, y * 2])


@trap
def walrus_in_a_comprehension(x):
    last = None
    out = [last := v + flip("1/2") for v in x if v or flip("1/3")]
    return (out, last)


@trap
def late_binding_in_loops(x):
    fs = []
    for i in range(3):
        if flip("1/2"):
            fs.append(lambda k=i: (i, k))
    i = 10
    return [f() for f in fs]


@trap
def closure_over_a_random_variable(x):
    k = 1

    def f():
        return k

    a = f()
    if flip("1/2"):
        k = 2
    return (a, f())


@trap
def default_of_an_inner_function_is_kept(x):
    def f(v, seen=[]):
        seen.append(v)
        return len(seen)

    a = f(1) if flip("1/2") else 0
    return (a, f(2), f(3, []))


@trap
def nonlocal_in_branches(x):
    total = 0

    def add(v):
        nonlocal total
        if v:
            total += v
            return total
        return "none"

    return [add(flip("1/2")), add(x[0]), add(2), total]


@trap
def recursion_with_random_depth(x):
    def down(n):
        if n == 0 or flip("1/3"):
            return []
        return [n] + down(n - 1)

    return down(3)


@trap
def partial_and_operator(x):
    add = functools.partial(operator.add, 5)
    return (
        add(uniform(0, 1)),
        list(map(operator.mul, [1, 2], [x[0], 3])),
        functools.reduce(operator.xor, [1, flip("1/2")]),
    )


@helper
def first_that(values, test):
    for v in values:
        if test(v):
            return v
    return None


@trap
def helper_with_a_function(x):
    return first_that([flip("1/2"), x[0], 5], lambda v: v > 0)


def plain_wrapper(function):
    @functools.wraps(function)
    def inner(v):
        return function(v) + 100

    return inner


@plain_wrapper
@helper
def wrapped(v):
    return v + 1 if flip("1/2") else v


@trap
def decorated_helper(x):
    return wrapped(x[0])


@trap
def named_tuples(x):
    p = Point(flip("1/2"), 2)
    q = p._replace(y=x[0])
    r = p if flip("1/3") else Point(5, 6)
    a, b = q
    return (p.x, q.y, r.x + r.y, a, b, p == (0, 2), p[1], len(p), q)


@trap
def typed_named_tuples(x):
    p = Pair(x[0] + flip("1/2"))
    return (p.left, p.right, p.total(), p < Pair(1, 0))


@trap
def frozen_dataclasses(x):
    i = Interval(uniform(0, 2))
    j = i.shifted(x[0]) if flip("1/2") else Interval(0, 1)
    return (i.low, j.width, j.high, i == Interval(1), j == i)


@trap
def enumerations(x):
    c = Color.RED if flip("1/2") else Color.BLUE
    return (c.value, c.name, c is Color.RED, c == Color.BLUE, Level.HIGH + x[0])


@trap
def enumeration_as_key(x):
    d = {Color.RED: 5, Color.BLUE: 6}
    return d[Color.RED if flip("1/2") else Color.BLUE]


@trap
def object_of_ordinary_code(x):
    t = Tally()
    t.add()
    k = t.add()
    return k + flip("1/2") + t.n


@refused("changes 'self'")
def object_changed_in_a_branch(x):
    t = Tally()
    if flip("1/2"):
        t.add()
    return t.n


@refused("outside the mechanism")
def object_from_outside(x):
    return TALLY.add() + flip("1/2")


@refused("outside the mechanism")
def list_from_outside(x):
    LIST.append(flip("1/2"))
    return len(LIST)


@refused("outside the mechanism")
def list_inside_a_dictionary_from_outside(x):
    TABLE["b"]["c"] = 3
    return TABLE["b"]["c"]


@trap
def reading_from_outside(x):
    ys = LIST + [3]
    ys.append(flip("1/2"))
    zs = list(TABLE["a"])
    zs[0] = 9
    return (ys, zs, LIST is LIST, TABLE["a"], LIST[x[0]])


@refused("in place")
def array_changed(x):
    v = np.zeros(2)
    v += 1
    return float(v[0]) + flip("1/2")


@trap
def array_read(x):
    total = 0
    for v in NUMBERS:
        if flip("1/2"):
            total += int(v)
    return total + int(NUMBERS[1])


@refused("random")
def real_randomness_inside_the_library(x):
    return statistics.NormalDist(0, 1).samples(1)[0] > 0


@refused("outside")
def the_clock(x):
    return time.time() > 0


@refused("reaches outside")
def printing(x):
    print(x)
    return flip("1/2")


@trap
def methods_of_text(x):
    s = discrete({"a b": "1/2", "Cd": "1/2"})
    return (s.upper(), s.split(), s[::-1], s[0], len(s), "b" in s, s.replace("a", "xx"), s.find("d"), s * 2, s + "!")


@trap
def text_with_random_arguments(x):
    c = discrete({"a": "1/2", "b": "1/2"})
    return ("abab".count(c), "xaxb".split(c), "-".join([c, "z"] + [c] * flip("1/2")), c.join(["1", "2"]))


@trap
def formatting(x):
    k = uniform(8, 10)
    return (f"{k:03d}|{x[0]!r}|{k=}", "{}-{b}".format(k, b=flip("1/2")), "%d/%s" % (k, "q"), format(k, "x"))


@trap
def integers_from_text(x):
    s = discrete({"12": "1/2", "7": "1/2"})
    return (int(s), int(s, 9), s.zfill(3), ord(s[0]), s.isdigit())


@trap
def identity_of_none_and_booleans(x):
    v = None if flip("1/2") else x[0]
    b = flip("1/3")
    return (v is None, v is not None, b is True, b is not False, (v or None) is None)


@trap
def unbound_only_where_unused(x):
    b = flip("1/2")
    if b:
        y = x[0]
    return y if b else "no"


@trap
def parts_after_a_random_return(x):
    xs = []
    for i in range(3):
        if flip("1/2"):
            return (i, xs)
        xs.append(i)
        if x[0] and i == 1:
            break
    else:
        xs.append("else")
    xs.append("after")
    return xs


@trap
def observe_in_helpers_and_branches(x):
    @helper
    def check(v):
        observe(v or flip("1/3"))
        return v

    if flip("1/2"):
        return check(flip("1/2"))
    return [check(x[0]), "late"]


@trap
def failure_that_cannot_happen(x):
    k = uniform(0, 2)
    if k == 0:
        return "zero"
    return (6 // k, [7, 8][k - 1], {1: "a", 2: "b"}[k])


@trap
def assertion_that_holds(x):
    k = binomial(2, "1/2")
    assert k <= 2 and isinstance(k, int)
    return k


@trap
def chained_assignment(x):
    a = b = [flip("1/2")]
    a.append(1)
    c, d = e = (x[0], 2)
    return (b, c, d, e)


@trap
def star_arguments(x):
    def f(a, b=2, *rest, c, **more):
        return (a, b, rest, c, sorted(more.items()))

    return (f(1, c=x[0]), f(*[1, 2, 3, flip("1/2")], c=4, z=5))


@trap
def sequential_returns(x):
    k = uniform(0, 9)
    if k == 1:
        return "one"
    if k == 2:
        return [2]
    if k > 7:
        return None
    return (k, x[0])


class Counting:
    def __init__(self):
        self.n = 0

    def __call__(self):
        self.n += 1
        return self.n


COUNTING = Counting()


@refused("outside the mechanism")
def callable_object_from_outside(x):
    return COUNTING() + flip("1/2")


@trap
def sorted_of_one_of_two_sets(x):
    a = {3, 1}
    b = a | {"x"} if False else a
    c = {5, 4} if flip("1/2") else b
    c.add(9)
    return (sorted(a), sorted(c), sum(c), max(c))


@trap
def default_evaluated_once(x):
    def f(a=uniform(0, 2)):
        return a

    return (f(), f(), f(9))


@trap
def generator_function_unpacked(x):
    def two():
        yield flip("1/2")
        yield x[0]

    a, b = two()
    return (a, b)


@trap
def kinds_of_numbers_that_become_equal(x):
    v = [3, 0.25][flip("1/2")] // (1 + 3 * x[0])
    w = discrete({0.5: "1/2", 2: "1/4", Fraction(1, 4): "1/4"})
    return (v, str(v), w, str(w), str(w * 0), isinstance(w, float))


@refused("in binary")
def fraction_of_a_rounded_float(x):
    return Fraction((1 + x[0]) / 3)
