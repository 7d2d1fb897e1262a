"""Decision diagrams: our own multi-valued ones, OxiDD for Boolean formulas, and the level arrays both end in."""

from taut.diagram.levels import Kind, Level, LevelArrays, export_levels
from taut.diagram.mdd import BinaryOperation, Diagrams, UnaryOperation

__all__ = ["BinaryOperation", "Diagrams", "Kind", "Level", "LevelArrays", "UnaryOperation", "export_levels"]
