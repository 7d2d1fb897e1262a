"""The measures of divergence, as users import them; a measure of their own derives from ``Divergence``."""

from taut.questions.delta import HockeyStick
from taut.questions.divergence import ChiSquared, KullbackLeibler, SquaredHellinger, TotalVariation
from taut.questions.pair_measure import Divergence
from taut.questions.renyi import RenyiMoment

__all__ = [
    "ChiSquared",
    "Divergence",
    "HockeyStick",
    "KullbackLeibler",
    "RenyiMoment",
    "SquaredHellinger",
    "TotalVariation",
]
