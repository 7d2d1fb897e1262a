"""Mechanisms as programs of other tools: Dice and PRISM, which Storm reads."""

from taut.export.dice import DiceProgram, dice_program
from taut.export.naive import NaiveModel, naive_model
from taut.export.prism import PrismModel, prism_model

__all__ = ["DiceProgram", "NaiveModel", "PrismModel", "dice_program", "naive_model", "prism_model"]
