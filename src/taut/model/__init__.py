"""Models: a mechanism on a domain, compiled once, asked many questions; and the decorators that make them."""

from taut.model.dice import DiceModel, dice
from taut.model.dice_functions import DiceMechanism, load_dice
from taut.model.formulas import FormulaModel, dimacs, formula
from taut.model.mechanism import Mechanism, helper, mechanism
from taut.model.model import Model

__all__ = [
    "DiceMechanism",
    "DiceModel",
    "FormulaModel",
    "Mechanism",
    "Model",
    "dice",
    "dimacs",
    "formula",
    "helper",
    "load_dice",
    "mechanism",
]
