"""Dice: mechanisms translated to its programs, and its answers."""

from taut.interfaces.peers.dice.program import DiceExport, dice_program
from taut.interfaces.peers.dice.run import ask_dice, dice_missing

__all__ = ["DiceExport", "ask_dice", "dice_missing", "dice_program"]
