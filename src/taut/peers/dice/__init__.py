"""Dice: mechanisms translated to its programs, and its answers."""

from taut.peers.dice.program import DiceExport, dice_program
from taut.peers.dice.run import ask_dice, dice_missing

__all__ = ["DiceExport", "ask_dice", "dice_missing", "dice_program"]
