"""Models: a mechanism on a domain, compiled once, asked many questions; and the decorators that make them."""

from typing import TYPE_CHECKING

from taut.support.package import attach

if TYPE_CHECKING:
    from taut.model.decorators import Mechanism, helper, mechanism
    from taut.model.dice import DiceMechanism, DiceModel, load_dice
    from taut.model.formulas import FormulaModel, dimacs, formula
    from taut.model.model import Model

__getattr__ = attach(
    __name__,
    {
        "taut.model.decorators": ["Mechanism", "helper", "mechanism"],
        "taut.model.dice": ["DiceMechanism", "DiceModel", "load_dice"],
        "taut.model.formulas": ["FormulaModel", "dimacs", "formula"],
        "taut.model.model": ["Model"],
    },
)

__all__ = [
    "DiceMechanism",
    "DiceModel",
    "FormulaModel",
    "Mechanism",
    "Model",
    "dimacs",
    "formula",
    "helper",
    "load_dice",
    "mechanism",
]
