"""Random programs that put True, 1, 1.0, members of an IntEnum and other equal values into containers, compare and
print them, and hand them to functions that are run.
"""

import random

from tests.oracle.generator import GeneratedProgram

from taut import bits

__all__ = ["spelling_program"]

_NUMBERS = (
    *("True", "1", "1.0", "Fraction(1)"),
    *("False", "0", "0.0", "-0.0"),
    *("0.5", "Fraction(1, 2)", "0.1", "Fraction(1, 10)", "2", "2.0"),
    *("Count.ONE", "Count.ZERO"),
)
_HEAD = """\
import itertools
import json
from collections import Counter
from enum import IntEnum
from fractions import Fraction
from taut import flip, mechanism
class Count(IntEnum):
    ZERO, ONE = 0, 1
@mechanism
def generated(x):
"""


def spelling_program(seed: int) -> GeneratedProgram:
    """Return a program of a few lines, always the same for a seed."""
    choose = random.Random(seed)
    return GeneratedProgram(_HEAD + "".join(f"    {line}\n" for line in _lines(choose)), {"x": bits(2)})


def _lines(choose: random.Random) -> list[str]:
    numbers = [*choose.sample(_NUMBERS, 5), "True", "1"]

    def number() -> str:
        return choose.choice(numbers)

    def test() -> str:
        return choose.choice(["x[0]", "x[1]", 'flip("1/3")', "x[0] != x[1]"])

    lines = [
        f"v = {number()} if {test()} else {number()}",
        f"w = {number()} if {test()} else v",
        f"l, d, s = [v, {number()}, w], {{}}, set()",
    ]

    def value() -> str:
        return choose.choice(["v", "w", "l[0]", number()])

    changes = [
        lambda: f"d[{value()}] = {value()}",
        lambda: f"d.setdefault({value()}, {value()})",
        lambda: f"d.pop({value()}, None)",
        lambda: f"d.update({{{value()}: 0, {value()}: 1}})",
        lambda: f"d[({value()}, 3)] = 1",
        lambda: f"s.add({value()})",
        lambda: f"s.discard({value()})",
        lambda: f"s |= {{{value()}, {value()}}}",
        lambda: f"s = s & {{{value()}, {value()}}}",
        lambda: f"s = {{{value()}}} ^ s",
        lambda: f"l.append({value()})",
        lambda: f"l[1] = {value()}",
        lambda: "l.sort()",
        lambda: f"v = {value()}",
    ]
    for _ in range(choose.randint(2, 6)):
        change = choose.choice(changes)()
        lines += [f"if {test()}:", f"    {change}"] if choose.random() < 0.6 else [change]
    views = [
        *("str(l)", "repr(tuple(l))", "[repr(k) for k in d]", "[repr(k) for k in sorted(s)]", "str([v, [w], (v,)])"),
        *("[(repr(k), n) for k, n in Counter(l).items()]", "[repr(k) for k, _ in itertools.groupby(l)]"),
        *("[repr(k) for k in dict.fromkeys(l)]", "[isinstance(k, bool) for k in l]", "str(sorted(l))", "str(sum(l))"),
        *("[repr(pair) for pair in d.items()]", "str(d.get(v))", "str(l.index(w) if w in l else -1)", "str(max(l))"),
        *(
            'f"{v}|{w!r}"',
            '"%s %s" % (v, w)',
            '"%r" % v',
            '"%s" % [v, w]',
            '"%s %s" % ((v, w) if x[0] else (w, 1))',
            '"{} {}".format(v, (w,))',
            "v is True",
        ),
        *("str(min(v, w))", "str(v + w)", "str(v * w)", "str(v & w)", "str(-v)", "str(abs(v))", "str(round(v, 1))"),
        *("str(float(v))", "str(int(v))", "str(v or w)", "str(v and w)", "str(not v)", "v == w", "v < w", "v in s"),
        *(
            "json.dumps(v)",
            "json.dumps([v, 1])",
            "str(json.loads('1' if v else '1.0'))",
            "str(json.loads(json.dumps(w)))",
        ),
        *("v in d", "v in l", "l.count(v)", "(v, 3) in d", "str(v == w)", "len(s)", "v", "w", "l", "str(v / 2)"),
    ]
    lines.append(f"return ({', '.join(choose.sample(views, choose.randint(1, 3)))},)")
    return lines
