"""Measures: what a bound bounds. Each says what number a case has, and what its results look like."""

from taut.measures.divergence import Divergence, PairCase, PairMeasure
from taut.measures.divergences import (
    ChiSquared,
    HockeyStick,
    KullbackLeibler,
    RenyiMoment,
    SquaredHellinger,
    TotalVariation,
)
from taut.measures.error import ExpectedValue, InputMeasure, Variance
from taut.measures.event import EventProbability
from taut.measures.masses import Collected, EventMasses, LossDistributions, MassCase, PairOfMasses
from taut.measures.measure import Measure, OutputMeasure
from taut.measures.profiles import SmallestEpsilon, Tradeoff, WholeProfile
from taut.measures.ratio import LargestRatio
from taut.measures.zcdp import ZeroConcentrated

__all__ = [
    "ChiSquared",
    "Collected",
    "Divergence",
    "EventMasses",
    "EventProbability",
    "ExpectedValue",
    "HockeyStick",
    "InputMeasure",
    "KullbackLeibler",
    "LargestRatio",
    "LossDistributions",
    "MassCase",
    "Measure",
    "OutputMeasure",
    "PairCase",
    "PairMeasure",
    "PairOfMasses",
    "RenyiMoment",
    "SmallestEpsilon",
    "SquaredHellinger",
    "TotalVariation",
    "Tradeoff",
    "Variance",
    "WholeProfile",
    "ZeroConcentrated",
]
