"""Bounds: the theorems of privacy and accuracy, their results and their witnesses."""

from taut.bounds.accuracy import InputClass, exhaustive_accuracy, input_classes
from taut.bounds.privacy import (
    RatioClass,
    classes_of_quotients,
    exhaustive_privacy,
    privacy_from_triples,
    ratio_classes,
)
from taut.bounds.results import AccuracyBound, AccuracyWitness, PrivacyBound, Verification, Witness

__all__ = [
    "AccuracyBound",
    "AccuracyWitness",
    "InputClass",
    "PrivacyBound",
    "RatioClass",
    "Verification",
    "Witness",
    "classes_of_quotients",
    "exhaustive_accuracy",
    "exhaustive_privacy",
    "input_classes",
    "privacy_from_triples",
    "ratio_classes",
]
