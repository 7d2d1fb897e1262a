"""Mechanisms written as plain Python functions."""

from typing import TYPE_CHECKING

from taut._lazy import attach
from taut.frontend.python.randomness import binomial, discrete, exponential, flip, geometric, observe, uniform
from taut.frontend.python.source import MARK

if TYPE_CHECKING:
    from taut.frontend.python.adopted import reading_of
    from taut.frontend.python.trace import Reading, run_once, trace

__getattr__ = attach(
    __name__,
    {
        "taut.frontend.python.adopted": ["reading_of"],
        "taut.frontend.python.trace": ["Reading", "run_once", "trace"],
    },
)

__all__ = [
    "MARK",
    "Reading",
    "binomial",
    "discrete",
    "exponential",
    "flip",
    "geometric",
    "observe",
    "reading_of",
    "run_once",
    "trace",
    "uniform",
]
