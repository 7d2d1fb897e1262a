"""Output distributions without a diagram: a program as a network of tables, summed out one variable after the other."""

from taut.inference.elimination.masses import Elimination, planned_elimination

__all__ = ["Elimination", "planned_elimination"]
