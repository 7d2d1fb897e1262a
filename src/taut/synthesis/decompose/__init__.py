"""Decompose first: independent cells, their statistics, and the pairs of these that neighbours reach."""

from taut.synthesis.decompose.solver import Decomposition, loss_by_cells

__all__ = ["Decomposition", "loss_by_cells"]
