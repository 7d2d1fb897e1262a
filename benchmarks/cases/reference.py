"""A reference measurement that does not use taut: the speed of the machine during a run."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.registry import case


@case(terms=20000, answer="3", tool="plain loop", quick=True)
def reference_loop(terms: int) -> str:
    """Sums of fractions and dictionaries of integers, in plain Python."""
    total, seen = Fraction(0), {}
    for k in range(1, terms):
        total += Fraction(1, k) - Fraction(1, k + 1) if k % 3 else Fraction(0)
        for step in range(40):
            seen[(k * step) % 1009] = seen.get(k * step % 997, 0) + k
    return str(round(2 * total) + (len(seen) > 1000))
