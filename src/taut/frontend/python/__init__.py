"""Mechanisms written as plain Python functions."""

from taut.frontend.python.adopted import reading_of
from taut.frontend.python.arrangements import choice, permutation, shuffle
from taut.frontend.python.calls import MARK
from taut.frontend.python.randomness import binomial, discrete, exponential, flip, geometric, observe, uniform
from taut.frontend.python.trace import Reading, run_once, trace

__all__ = [
    "MARK",
    "Reading",
    "binomial",
    "choice",
    "discrete",
    "exponential",
    "flip",
    "geometric",
    "observe",
    "permutation",
    "reading_of",
    "run_once",
    "shuffle",
    "trace",
    "uniform",
]
