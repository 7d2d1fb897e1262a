"""Decision diagrams: our own multi-valued ones, OxiDD for formulas, the level arrays both end in, and their kernel."""

from typing import TYPE_CHECKING

from taut.support.package import attach

if TYPE_CHECKING:
    from taut.diagrams.kernel import Belief, Choice, ChosenValue, Decision, Summed, WeightedDiagram
    from taut.diagrams.levels import Kind, Level, LevelArrays, export_levels
    from taut.diagrams.mdd import BinaryOperation, Diagrams, UnaryOperation
    from taut.diagrams.partitions import Partition
    from taut.diagrams.thresholds import sum_compared

# The same names again, imported when they are needed: with level arrays comes NumPy.
__getattr__ = attach(
    __name__,
    {
        "taut.diagrams.kernel": ["Belief", "Choice", "ChosenValue", "Decision", "Summed", "WeightedDiagram"],
        "taut.diagrams.levels": ["Kind", "Level", "LevelArrays", "export_levels"],
        "taut.diagrams.mdd": ["BinaryOperation", "Diagrams", "UnaryOperation"],
        "taut.diagrams.partitions": ["Partition"],
        "taut.diagrams.thresholds": ["sum_compared"],
    },
)

__all__ = ["BinaryOperation", "Diagrams", "Kind", "Level", "LevelArrays", "Partition", "UnaryOperation"]
__all__ += ["Belief", "Choice", "ChosenValue", "Decision", "Summed", "WeightedDiagram", "export_levels", "sum_compared"]
