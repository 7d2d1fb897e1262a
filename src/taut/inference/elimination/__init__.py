"""Output distributions without a diagram, by variable elimination in a Bayesian network."""

from taut.inference.elimination.masses import Elimination, planned_elimination

__all__ = ["Elimination", "planned_elimination"]
