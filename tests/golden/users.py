"""Files as a user would write them: a mechanism with claims, targets of their own, a Dice program."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write_files"]

MINE = '''"""Mechanisms of a user."""

import taut
from taut import bits, flip, geometric, mechanism


@taut.claim(x=bits(3), lam="1/4", ratio=3)
@taut.claim(x=bits(3), lam="1/4", epsilon=1)
@taut.claim(x=bits(3), lam="1/4", epsilon=1, delta="1/10")
@taut.claim(x=bits(3), lam="1/4", renyi=(2, "1.2"))
@taut.claim(x=bits(3), lam="1/4", zcdp="0.9")
@taut.claim(x=bits(3), lam="1/4", accuracy=(sum, 1, "0.9"))
@mechanism
def survey(x, lam):
    """Count the answers, each flipped with probability lam."""
    return sum(bit ^ flip(lam) for bit in x)


def plain(x, p):
    return [value ^ flip(p) for value in x]


def first_above(x, ratio="1/2"):
    bar = geometric(1, ratio, 0, 2)
    for i, value in enumerate(x):
        if geometric(value, ratio, 0, 2) >= bar:
            return i
    return len(x)


def leaky(x):
    return x[0] if flip("1/10") else "nothing"


def refused(x):
    return open("secret").read()


def up(x, x_prime):
    return sum(x_prime) - sum(x) == 1


def doubled(x):
    return 2 * sum(x)


def half(output, wanted):
    return abs(output - wanted) * 2
'''

COINS = """let a = flip 0.3 in
let b = flip 0.8 in
let seen = observe a || b in
(a, b)
"""

SURVEY = """fun rr(x: (bool, bool)) { ((fst x) ^ flip 1/5, (snd x) ^ flip 1/5) }
fun shifted(x: int(3), by: int(3)) { x + by + discrete(0, 1/4, 1/2, 1/4, 0) }
fun again(): bool { if flip 1/2 then true else again() }
again()
"""

WRONG = "let a = flip 0.3 in if a then else b\n"


def write_files(where: Path) -> None:
    """Write the files of a user into a folder."""
    for name, text in (("mine.py", MINE), ("coins.dice", COINS), ("survey.dice", SURVEY), ("wrong.dice", WRONG)):
        (where / name).write_text(text, encoding="utf-8")
