"""What a weight can be: exact rationals, polynomials in parameters, floats, balls, residues modulo a prime, or sets."""

from taut.semiring.ball import BALL, BARE_BALL
from taut.semiring.bitsets import BOOLEAN, BitsetSemiring
from taut.semiring.exact import EXACT
from taut.semiring.field import FieldSemiring
from taut.semiring.float64 import FLOAT64
from taut.semiring.polynomial import POLYNOMIAL
from taut.semiring.protocol import ProjectiveSemiring, Row, Semiring

__all__ = ["BALL", "BARE_BALL", "BOOLEAN", "EXACT", "FLOAT64", "POLYNOMIAL"]
__all__ += ["BitsetSemiring", "FieldSemiring", "ProjectiveSemiring", "Row", "Semiring"]
