"""Bounds: the theorems of privacy and accuracy, their results and their witnesses."""

from taut.bounds.accuracy import InputClass, exhaustive_accuracy, gathered_classes, input_classes
from taut.bounds.choice import gave_up, reason
from taut.bounds.privacy import (
    RatioClass,
    classes_of_quotients,
    exhaustive_privacy,
    privacy_from_triples,
    ratio_classes,
)
from taut.bounds.results import AccuracyBound, AccuracyWitness, PrivacyBound, Verification, Witness
from taut.bounds.searched import Interval, searched_accuracy, searched_privacy

__all__ = [
    "AccuracyBound",
    "AccuracyWitness",
    "InputClass",
    "Interval",
    "PrivacyBound",
    "RatioClass",
    "Verification",
    "Witness",
    "classes_of_quotients",
    "exhaustive_accuracy",
    "exhaustive_privacy",
    "gathered_classes",
    "gave_up",
    "input_classes",
    "privacy_from_triples",
    "ratio_classes",
    "reason",
    "searched_accuracy",
    "searched_privacy",
]
