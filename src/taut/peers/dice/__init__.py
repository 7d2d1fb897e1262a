"""Dice: mechanisms translated to its programs, and its answers."""

from taut.peers.dice.program import DiceProgram, dice_program
from taut.peers.dice.run import ask_dice, dice_missing

__all__ = ["DiceProgram", "ask_dice", "dice_missing", "dice_program"]
