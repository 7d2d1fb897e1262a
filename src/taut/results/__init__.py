"""Results: bounds with their witnesses, intervals, verifications, and classes of equally bad cases; values only."""

from taut.results.accuracy import AccuracyBound, AccuracyWitness, InputClass
from taut.results.bound import Bound, Interval, Verification
from taut.results.classes import ClassList
from taut.results.divergence import (
    DeltaBound,
    DeltaWitness,
    DivergenceBound,
    EpsilonBound,
    Event,
    PairClass,
    PairWitness,
    RenyiBound,
    StrategyWitness,
    ZcdpBound,
)
from taut.results.error import ErrorBound
from taut.results.loss import Atom, LossDistribution
from taut.results.privacy import PrivacyBound, RatioClass, Witness, epsilon_of
from taut.results.profile import Piece, PrivacyProfile
from taut.results.text import plain, shown, surely, text_of
from taut.results.tradeoff_curve import TradeoffCurve
from taut.results.view import Moment, View

__all__ = [
    "AccuracyBound",
    "AccuracyWitness",
    "Atom",
    "Bound",
    "ClassList",
    "DeltaBound",
    "DeltaWitness",
    "DivergenceBound",
    "EpsilonBound",
    "ErrorBound",
    "Event",
    "InputClass",
    "Interval",
    "LossDistribution",
    "Moment",
    "PairClass",
    "PairWitness",
    "Piece",
    "PrivacyBound",
    "PrivacyProfile",
    "RatioClass",
    "RenyiBound",
    "StrategyWitness",
    "TradeoffCurve",
    "Verification",
    "View",
    "Witness",
    "ZcdpBound",
    "epsilon_of",
    "plain",
    "shown",
    "surely",
    "text_of",
]
