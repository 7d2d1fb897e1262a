"""What a weight can be: exact rationals, floats, balls, or residues modulo a prime."""

from taut.semiring.ball import BALL, BallSemiring
from taut.semiring.exact import EXACT, ExactSemiring
from taut.semiring.field import FieldSemiring
from taut.semiring.float64 import FLOAT64, Float64Semiring
from taut.semiring.protocol import Row, Semiring

__all__ = [
    "BALL",
    "EXACT",
    "FLOAT64",
    "BallSemiring",
    "ExactSemiring",
    "FieldSemiring",
    "Float64Semiring",
    "Row",
    "Semiring",
]
