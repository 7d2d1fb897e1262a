"""Decision diagrams: our own multi-valued ones, OxiDD for formulas, the level arrays both end in, and their kernel."""

from taut.diagram.kernel import Belief, Choice, Chosen, Decision, Summed, WeightedDiagram
from taut.diagram.levels import Kind, Level, LevelArrays, export_levels
from taut.diagram.mdd import BinaryOperation, Diagrams, UnaryOperation
from taut.diagram.partitions import Partition
from taut.diagram.thresholds import sum_compared

__all__ = ["BinaryOperation", "Diagrams", "Kind", "Level", "LevelArrays", "Partition", "UnaryOperation"]
__all__ += ["Belief", "Choice", "Chosen", "Decision", "Summed", "WeightedDiagram", "export_levels", "sum_compared"]
