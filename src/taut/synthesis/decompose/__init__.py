"""Decomposition: independent cells of a program, their statistics, and the pairs of values that neighbours reach."""

from taut.synthesis.decompose.solver import Decomposition, loss_by_cells

__all__ = ["Decomposition", "loss_by_cells"]
