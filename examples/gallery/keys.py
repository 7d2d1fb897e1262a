"""Releasing keys: a key is shown if its noisy count reaches a threshold, so that the rare ones stay hidden.

A user holds at most one record per key. Between neighbours the count of one key changes by one, and a key that one
user alone holds must not appear with more than probability delta. For Laplace noise of scale 1/eps the rule is
delta = exp(-eps (T - 1)) / 2 (Wilson et al. 2020, Differentially private SQL with bounded user contribution). Drawn
on integers, as two-sided geometric noise of ratio r = exp(-eps), the noise has a heavier tail: r^(T-1) / (1 + r). A
library that draws the one and reports the delta of the other is wrong by up to a factor of 2.
"""

from fractions import Fraction

import taut
from taut import geometric, integer, mechanism

RATIO = Fraction(1, 2)  # eps = ln 2
THRESHOLD = 8
COUNTS = integer(0, 6)


@taut.claim(COUNTS, ratio=2, delta=RATIO ** (THRESHOLD - 1) / 2, neighbors="one_step")
@taut.claim(COUNTS, ratio=2, delta=RATIO ** (THRESHOLD - 1) / (1 + RATIO), neighbors="one_step")
@taut.claim(COUNTS, ratio=2, neighbors="one_step")
@mechanism
def noisy_count_of_a_key(x):
    """The noisy count is shown if there is a record and it reaches the threshold: delta reported, exact, zero."""
    if x == 0:
        return None
    noisy = geometric(x, RATIO, 0, 16)
    return noisy if noisy >= THRESHOLD else None


@taut.claim(COUNTS, ratio=2, delta=RATIO ** (THRESHOLD - 1) / 2, neighbors="one_step")
@mechanism
def key_alone(x):
    """Only whether the key is shown, not its count."""
    if x == 0:
        return False
    return geometric(x, RATIO, 0, 16) >= THRESHOLD
