"""k-ary randomized response, as browsers use it for noised attribution reports.

The explainer of the Attribution Reporting API answers with a state that is uniform among k with probability k / (k
+ e^eps - 1), else with the true one. The claim is eps = 14; the noise rates that are shown to developers are
rounded to 0.24 % for k = 2925 states (clicks) and to 0.00025 % for k = 3 states (views).
"""

from fractions import Fraction

import taut
from taut import discrete, flip, integer, mechanism, uniform

EPSILON = 14
ONE_OF_MANY = Fraction(1, 2925)


def noise_rate(states, power):
    """The probability of a uniform answer, for a given e^eps."""
    return states / (states + power - 1)


@taut.claim(integer(0, 2), rate=noise_rate(Fraction(3), Fraction(1202604)), epsilon=EPSILON)
@taut.claim(integer(0, 2), rate="0.0000025", epsilon=EPSILON)
@mechanism
def view(x, rate):
    """Three states: first the rate that belongs to a whole number just below e^14, then the rounded rate."""
    return uniform(0, 2) if flip(rate) else x


@taut.claim(integer(0, 1), rate=noise_rate(Fraction(2925), Fraction(1202604)), epsilon=EPSILON)
@taut.claim(integer(0, 1), rate="0.0024", epsilon=EPSILON)
@mechanism
def click(x, rate):
    """2925 states, the same two rates: who noises with the rounded rate has eps = 14.01.

    All states are alike, so two of them are compared, and the 2923 others, equally likely on both, are reported as one.
    """
    return discrete({0: ONE_OF_MANY, 1: ONE_OF_MANY, "another": 1 - 2 * ONE_OF_MANY}) if flip(rate) else x
