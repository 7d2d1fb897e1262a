"""Counting: binary trees, noisy prefix sums, and majority votes.

Chan, Shi and Song (2011) and Dwork, Naor, Pitassi and Rothblum (2010): a record of a stream of n takes part in at
most 1 + floor(log2 n) counts of the binary tree, so noise of ratio r costs r^-(1 + floor(log2 n)); in all prefix
sums it may take part in n.
"""

import taut
from taut import bits, flip, mechanism
from taut.mechanisms import binary_tree_counter, prefix_sums, rr_count


@taut.claim(bits(4), ratio=2**3)
@taut.claim(bits(4), ratio=2**2)
@mechanism
def tree_of_four(x):
    """The published bound for four records, and what one would get if the levels were floor(log2 n)."""
    return binary_tree_counter(x, "1/2")


@taut.claim(bits(4), ratio=2**4)
@taut.claim(bits(4), ratio=2**3)
@mechanism
def four_prefix_sums(x):
    """Every prefix sum with its own noise: the first record takes part in all four."""
    return prefix_sums(x, "1/2")


@taut.claim(bits(5), ratio=4)
@taut.claim(bits(5), ratio=2)
@mechanism
def majority(x):
    """The majority of randomized answers: post-processing of eps = ln 4, and a hope that a vote hides more."""
    answers = [bit ^ flip("1/5") for bit in x]
    return sum(answers) > len(answers) // 2


@taut.claim(bits(7), lam="1/5", accuracy=(sum, 2, "0.9"))
@taut.claim(bits(7), lam="1/5", accuracy=(sum, 3, "0.9"))
@mechanism
def raw_count(x, lam):
    """The raw number of noisy ones, which is biased: how far off it is on the worst input."""
    return rr_count(x, lam)
