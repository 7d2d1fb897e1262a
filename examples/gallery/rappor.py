"""RAPPOR with the parameters of its paper: what is claimed for one report, and for all reports together.

Erlingsson, Pihur and Korolova (RAPPOR, 2014) claim eps_infinity = 2 h ln((1 - f/2) / (f/2)) for the permanent
response, and eps_1 = h ln(q* (1 - p*) / (p* (1 - q*))) for one report, where p* and q* are the probabilities that a
zero and a one are reported as a one. h is the number of bits that a value sets. The published parameters are f =
1/2, p = 1/2, q = 3/4, h = 2.

Here a filter has four bits and two values with disjoint bits: the worst case. More bits that both values leave at
zero do not change the ratio.
"""

from fractions import Fraction

import taut
from taut import categories, flip, mechanism

H, F, P, Q = 2, Fraction(1, 2), Fraction(1, 2), Fraction(3, 4)
FILTERS = {"a": (1, 1, 0, 0), "b": (0, 0, 1, 1)}
VALUES = categories(1, ["a", "b"])

KEPT = (1 - F / 2) / (F / 2)
P_STAR = F / 2 * (P + Q) + (1 - F) * P
Q_STAR = F / 2 * (P + Q) + (1 - F) * Q


@taut.claim(VALUES, ratio=KEPT ** (2 * H))
@mechanism
def permanent_response(x):
    """eps_infinity: all reports together reveal at most the permanent response, 4 ln 3 = 4.394."""
    return [flip(F / 2) if not bit else flip(1 - F / 2) for bit in FILTERS[x[0]]]


@taut.claim(VALUES, ratio=(Q_STAR * (1 - P_STAR) / (P_STAR * (1 - Q_STAR))) ** H)
@taut.claim(VALUES, epsilon=1)
@mechanism
def one_report(x):
    """eps_1: one report, by the formula, 1.074; and rounded to a whole number."""
    permanent = [flip(F / 2) if not bit else flip(1 - F / 2) for bit in FILTERS[x[0]]]
    return [flip(Q if bit else P) for bit in permanent]


@taut.claim(VALUES, ratio=(Q_STAR * (1 - P_STAR) / (P_STAR * (1 - Q_STAR))) ** H)
@mechanism
def two_reports(x):
    """Two reports from one permanent response cost more than one, and less than twice as much."""
    permanent = [flip(F / 2) if not bit else flip(1 - F / 2) for bit in FILTERS[x[0]]]
    return [[flip(Q if bit else P) for bit in permanent] for _ in range(2)]
