"""Report noisy max and its variants: the index alone is cheap, the value beside it is not.

x lists scores, each of which moves by at most 1 between neighbours. Scores lie away from the ends between which the
noise is clamped, so that clamping hardly matters.
"""

import taut
from taut import exponential, geometric, ints, mechanism

SCORES = ints(3, 4, 6)


@taut.claim(SCORES, ratio=2**2, neighbors="all_step")
@mechanism
def index_only(x):
    """Dwork and Roth 2014, report noisy max: only the index of the largest noisy score; eps = 2 for scale 1."""
    noisy = [geometric(score, "1/2", 0, 10) for score in x]
    return noisy.index(max(noisy))


@taut.claim(SCORES, ratio=2**2, neighbors="all_step")
@mechanism
def index_and_value(x):
    """The same with the winning noisy score, as if it were free; Ding et al. 2018 test such variants."""
    noisy = [geometric(score, "1/2", 0, 10) for score in x]
    best = max(noisy)
    return noisy.index(best), best


@taut.claim(SCORES, ratio=2, neighbors="all_step")
@mechanism
def half_the_cost(x):
    """The claim that scores which move together cost eps once, made for scores that move each on its own."""
    noisy = [geometric(score, "1/2", 0, 10) for score in x]
    return noisy.index(max(noisy))


@taut.claim(SCORES, ratio=2**2, neighbors="all_step")
@mechanism
def by_exponential(x):
    """McSherry and Talwar 2007, exponential mechanism: weights base**score cost twice the logarithm of the base."""
    return exponential(x, 2)
