"""Sums of independent parts, as counts of noisy reports are: polynomials in place of a diagram (docs/search.md)."""

from taut.solvers.sums.bounds import bound_of_sum
from taut.solvers.sums.independent import distribution_of_sum, independent_sum

__all__ = ["bound_of_sum", "distribution_of_sum", "independent_sum"]
