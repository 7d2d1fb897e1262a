"""Programs in the language of Dice, read without Dice: parsed, type-checked, lowered to terms."""

from taut.frontend.dice.files import read_text
from taut.frontend.dice.reading import DiceFile, Lowered, read_dice
from taut.frontend.dice.values import count_rows, order_key, rows, text_of

__all__ = ["DiceFile", "Lowered", "count_rows", "order_key", "read_dice", "read_text", "rows", "text_of"]
