"""Programs in the language of Dice, read without Dice: parsed, type-checked, lowered to terms."""

from taut.languages.dice.lower import Observation
from taut.languages.dice.reading import DiceFile, Lowered, read_dice, read_text
from taut.languages.dice.values import count_rows, order_key, rows, text_of, value_of

__all__ = [
    "DiceFile",
    "Lowered",
    "Observation",
    "count_rows",
    "order_key",
    "read_dice",
    "read_text",
    "rows",
    "text_of",
    "value_of",
]
