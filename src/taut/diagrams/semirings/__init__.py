"""Kinds of weights: exact rationals, polynomials in parameters, floats, balls, residues modulo a prime, and sets."""

from taut.diagrams.semirings.ball import BALL, BARE_BALL
from taut.diagrams.semirings.bitsets import BOOLEAN, BitsetSemiring
from taut.diagrams.semirings.exact import EXACT
from taut.diagrams.semirings.field import FieldSemiring
from taut.diagrams.semirings.float64 import FLOAT64
from taut.diagrams.semirings.polynomial import POLYNOMIAL
from taut.diagrams.semirings.protocol import ProjectiveSemiring, Row, Semiring

__all__ = ["BALL", "BARE_BALL", "BOOLEAN", "EXACT", "FLOAT64", "POLYNOMIAL"]
__all__ += ["BitsetSemiring", "FieldSemiring", "ProjectiveSemiring", "Row", "Semiring"]
