"""Closed forms and calibrations."""

from __future__ import annotations

import taut
from benchmarks.registry import case, growth
from taut.mechanisms import above_threshold, randomized_response, rr_count


@case(n=8, answer="(1 - lam)/lam", quick=True)
@growth("n", [20, 40, 80, 160], family="closed form of randomized response", answer="(1 - lam)/lam")
def closed_form_of_randomized_response(n: int) -> str:
    (piece,) = randomized_response(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).privacy().pieces
    return str(piece.value)


@case(n=20, alpha=3, answer="(1 + 17*lam + 153*lam**2 + 969*lam**3)*(1 - lam)**17")
def closed_form_of_count(n: int, alpha: int) -> str:
    (piece,) = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).accuracy(sum, alpha).pieces
    return str(piece.value)


@case(
    n=3,
    k=3,
    answer="(1 + ratio**2 - ratio**4)*(1 - ratio + ratio**3)/ratio**3 from 0; "
    "(1 + ratio + ratio**2 - 2*ratio**3 - ratio**5 + ratio**6)/(ratio**3*(3 - 2*ratio)) from 1/2",
)
def closed_form_of_above_threshold(n: int, k: int) -> str:
    ratio = taut.parameter("ratio", 0, "9/10")
    bound = above_threshold(taut.ints(n, 0, k), threshold=1, ratio=ratio, high=k).privacy("one_differ")
    return "; ".join(f"{piece.value} from {piece.low}" for piece in bound.pieces)


@case(n=20, answer="7 pieces, 0.002466498175 at 1/4")
def delta_formula_of_count(n: int) -> str:
    bound = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2")).delta(ratio=2)
    return f"{len(bound.pieces)} pieces, {float(bound.at('1/4')):.10g} at 1/4"


@case(n=20, alpha=3, probability="0.7", answer="1/21")
def calibration_of_count(n: int, alpha: int, probability: str) -> str:
    model = rr_count(taut.bits(n), lam=taut.parameter("lam", 0, "1/2"))
    return str(model.calibrate(epsilon=3, accuracy=(sum, alpha, probability)).best)
