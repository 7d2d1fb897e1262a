"""Sums of independent parts, as counts of noisy reports are: polynomials in place of a diagram (docs/search.md)."""

from taut.synthesis.sums.bounds import BySums

__all__ = ["BySums"]
