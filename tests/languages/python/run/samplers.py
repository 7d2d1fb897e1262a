"""Exact samplers after Canonne, Kamath and Steinke (2020), written anew: integers, Fractions and loops."""

import secrets
from fractions import Fraction
from math import isqrt


def bernoulli(p):
    """True with a rational probability."""
    return secrets.randbelow(p.denominator) < p.numerator


def bernoulli_exp_small(x):
    """True with probability e^-x, for x from 0 to 1: the parity of the first round that fails."""
    k = 1
    while bernoulli(x / k):
        k += 1
    return k % 2 == 1


def bernoulli_exp(x):
    """True with probability e^-x."""
    while x > 1:
        if not bernoulli_exp_small(Fraction(1)):
            return False
        x -= 1
    return bernoulli_exp_small(x)


def geometric_exp_slow(x):
    """The number of successes before the first failure."""
    k = 0
    while bernoulli_exp(x):
        k += 1
    return k


def geometric_exp(x):
    """A geometric number of ratio e^-x, with few rounds."""
    t = x.denominator
    while True:
        u = secrets.randbelow(t)
        if bernoulli_exp(Fraction(u, t)):
            break
    v = geometric_exp_slow(Fraction(1))
    return (v * t + u) // x.numerator


def discrete_laplace(scale):
    """An integer with weight e^(-|z| / scale)."""
    scale = Fraction(scale)
    while True:
        negative = secrets.randbelow(2) == 1
        magnitude = geometric_exp(1 / scale)
        if negative and magnitude == 0:
            continue
        return -magnitude if negative else magnitude


def discrete_gaussian(sigma2):
    """An integer with weight e^(-z^2 / (2 sigma2)), by rejection from the discrete Laplace distribution."""
    sigma2 = Fraction(sigma2)
    t = isqrt(sigma2.numerator // sigma2.denominator) + 1
    while True:
        candidate = discrete_laplace(t)
        bias = (abs(candidate) - sigma2 / t) ** 2 / (2 * sigma2)
        if bernoulli_exp(bias):
            return candidate
