"""Mechanisms as plain Python functions; ``trace`` reads them."""

from taut.languages.python.randomness import (
    binomial,
    choice,
    discrete,
    discrete_gaussian,
    discrete_laplace,
    exponential,
    flip,
    geometric,
    observe,
    permutation,
    shuffle,
    uniform,
)
from taut.languages.python.source import MARK

__all__ = [
    "MARK",
    "binomial",
    "choice",
    "discrete",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential",
    "flip",
    "geometric",
    "observe",
    "permutation",
    "shuffle",
    "uniform",
]
