"""Sparse vector, as published six times: which of the claimed epsilons are true.

Lyu, Su and Li (Understanding the sparse vector technique for differential privacy, 2017) compare six published
variants, which are numbered here as in their Figure 1. Laplace noise of scale s is replaced by its discrete
counterpart, two-sided geometric noise of ratio exp(-1/s), and the ratios are chosen such that every claimed e^eps
is a whole number. x lists the answers of queries, each of which moves by at most 1 between neighbours.

The noise of a query is not clamped: whether it reaches a given threshold is one coin, whose probability is a tail
of the geometric distribution. Only the noisy threshold is clamped, 12 steps away, where hardly any mass is left.
"""

from fractions import Fraction

import taut
from taut import flip, geometric, helper, ints, mechanism

ANSWERS = ints(4, 0, 2)
WIDE = 12


def tail(distance, ratio):
    """P(noise >= distance) for two-sided geometric noise."""
    ratio = Fraction(ratio)
    return ratio**distance / (1 + ratio) if distance > 0 else 1 - ratio ** (1 - distance) / (1 + ratio)


@helper
def reaches(value, threshold, ratio):
    """Return True if a value with noise of this ratio reaches a threshold."""
    tails = [tail(distance, ratio) for distance in range(-2 * WIDE, 2 * WIDE + 1)]
    return flip(tails[threshold - value + 2 * WIDE])


@taut.claim(ANSWERS, c=1, ratio=2**4, neighbors="all_step")
@taut.claim(ANSWERS, c=2, ratio=2**8, neighbors="all_step")
@mechanism
def algorithm_1(x, c):
    """Lyu, Su and Li 2017: one noisy threshold, query noise scaled by 2c, at most c positive answers."""
    threshold = geometric(1, Fraction(1, 4) ** c, 1 - WIDE, 1 + WIDE)
    answers, positives = [], 0
    for value in x:
        above = reaches(value, threshold, "1/2")
        answers.append(above)
        positives += above
        if positives == c:
            break
    return answers


@taut.claim(ANSWERS, c=1, ratio=2**4, neighbors="all_step")
@taut.claim(ANSWERS, c=2, ratio=2**8, neighbors="all_step")
@mechanism
def algorithm_2(x, c):
    """Dwork and Roth 2014: the threshold's noise is c times as wide and drawn anew after each positive answer."""
    threshold = geometric(1, "1/4", 1 - WIDE, 1 + WIDE)
    answers, positives = [], 0
    for value in x:
        above = reaches(value, threshold, "1/2")
        answers.append(above)
        if above:
            positives += 1
            threshold = geometric(1, "1/4", 1 - WIDE, 1 + WIDE)
        if positives == c:
            break
    return answers


@taut.claim(ints(3, 0, 2), ratio=2**2, neighbors="all_step")
@mechanism
def algorithm_3(x):
    """Roth 2011, lecture notes: the noisy answer itself is returned where it is above (c = 1)."""
    threshold = geometric(1, "1/2", -1, 3)
    for place, value in enumerate(x):
        noisy = geometric(value, "1/2", -4, 6)
        if noisy >= threshold:
            return place, noisy
    return None


@taut.claim(ANSWERS, c=1, ratio=2**4, neighbors="all_step")
@taut.claim(ANSWERS, c=2, ratio=2**4, neighbors="all_step")
@taut.claim(ANSWERS, c=2, ratio=2**13, neighbors="all_step")
@mechanism
def algorithm_4(x, c):
    """Lee and Clifton 2014: query noise is not scaled by c. Last what Lyu, Su and Li prove: (1 + 6c)/4 eps."""
    threshold = geometric(1, "1/2", 1 - WIDE, 1 + WIDE)
    answers, positives = [], 0
    for value in x:
        above = reaches(value, threshold, "1/8")
        answers.append(above)
        positives += above
        if positives == c:
            break
    return answers


@taut.claim(ANSWERS, ratio=2**2, neighbors="all_step")
@mechanism
def algorithm_5(x):
    """Stoddard, Chen and Machanavajjhala 2014: no query noise, no limit on positive answers."""
    threshold = geometric(1, "1/2", 1 - WIDE, 1 + WIDE)
    return [value >= threshold for value in x]


@taut.claim(ANSWERS, ratio=2**2, neighbors="all_step")
@taut.claim(ints(8, 0, 2), ratio=2**4, neighbors="all_step")
@mechanism
def algorithm_6(x):
    """Chen, Xiao, Zhang and Xu 2015: query noise, but no limit on positive answers; it gets worse with every query."""
    threshold = geometric(1, "1/2", 1 - WIDE, 1 + WIDE)
    return [reaches(value, threshold, "1/2") for value in x]
