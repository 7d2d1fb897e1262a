"""Mechanisms written as plain Python functions; ``trace`` reads them."""

from taut.frontend.python.randomness import binomial, discrete, exponential, flip, geometric, observe, uniform
from taut.frontend.python.source import MARK

__all__ = ["MARK", "binomial", "discrete", "exponential", "flip", "geometric", "observe", "uniform"]
