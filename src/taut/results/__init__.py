"""Results: bounds with their witnesses, intervals, verifications, and classes of equally bad cases; values only."""

from taut.results.accuracy import AccuracyBound, AccuracyWitness, InputClass
from taut.results.bound import Bound, Interval, Verification
from taut.results.classes import ClassList
from taut.results.error import ErrorBound
from taut.results.privacy import PrivacyBound, RatioClass, Witness, epsilon_of
from taut.results.text import plain, shown, surely, text_of

__all__ = [
    "AccuracyBound",
    "AccuracyWitness",
    "Bound",
    "ClassList",
    "ErrorBound",
    "InputClass",
    "Interval",
    "PrivacyBound",
    "RatioClass",
    "Verification",
    "Witness",
    "epsilon_of",
    "plain",
    "shown",
    "surely",
    "text_of",
]
