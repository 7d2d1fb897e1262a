"""Permute-and-flip against the exponential mechanism: the same epsilon, never less accurate.

McKenna and Sheldon (Permute-and-flip, 2020). Scores move by at most 1 between neighbours; both mechanisms claim
base**2. A choice is right if its score is the largest. The last claims compare the accuracy of both on the input
that is worst for the exponential mechanism.
"""

from fractions import Fraction

import taut
from taut import ints, mechanism
from taut.mechanisms import exponential_mechanism, permute_and_flip

SCORES = ints(3, 0, 2)
WORST_OF_EXPONENTIAL = Fraction(1, 2)


def scores(x):
    """What the distance compares the chosen index with: all scores."""
    return x


def regret(chosen, x):
    """How much smaller the chosen score is than the best."""
    return max(x) - x[chosen]


@taut.claim(SCORES, ratio=2**2, neighbors="all_step")
@taut.claim(SCORES, accuracy=(scores, 0, WORST_OF_EXPONENTIAL, regret))
@mechanism
def by_exponential(x):
    """McSherry and Talwar 2007: weights 2**score."""
    return exponential_mechanism(x, 2)


@taut.claim(SCORES, ratio=2**2, neighbors="all_step")
@taut.claim(SCORES, accuracy=(scores, 0, WORST_OF_EXPONENTIAL, regret))
@mechanism
def by_permute_and_flip(x):
    """McKenna and Sheldon 2020: candidates in random order, each accepted with probability 2**(score - best)."""
    return permute_and_flip(x, 2)
