"""Mechanisms as programs of other tools: Dice and PRISM, which Storm reads."""

from taut.export.dice import DiceProgram, dice_program
from taut.export.prism import PrismModel, prism_model

__all__ = ["DiceProgram", "PrismModel", "dice_program", "prism_model"]
