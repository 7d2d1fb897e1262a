"""Weighted Boolean formulas written by hand: as text, or as a weighted CNF in a DIMACS file."""

from taut.languages.formula.dimacs import parse_dimacs
from taut.languages.formula.text import parse_formula

__all__ = ["parse_dimacs", "parse_formula"]
