"""Measures: what a bound bounds. Each says what number a case has, and what its results look like."""

from taut.measures.error import ExpectedValue, InputMeasure, Variance
from taut.measures.event import EventProbability
from taut.measures.measure import Measure, OutputMeasure
from taut.measures.ratio import LargestRatio

__all__ = [
    "EventProbability",
    "ExpectedValue",
    "InputMeasure",
    "LargestRatio",
    "Measure",
    "OutputMeasure",
    "Variance",
]
