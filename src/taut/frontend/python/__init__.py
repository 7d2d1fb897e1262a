"""Mechanisms written as plain Python functions."""

from taut.frontend.python.calls import MARK
from taut.frontend.python.randomness import binomial, discrete, exponential, flip, geometric, observe, uniform
from taut.frontend.python.trace import Reading, run_once, trace

__all__ = [
    "MARK",
    "Reading",
    "binomial",
    "discrete",
    "exponential",
    "flip",
    "geometric",
    "observe",
    "run_once",
    "trace",
    "uniform",
]
