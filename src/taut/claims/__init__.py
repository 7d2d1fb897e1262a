"""Claimed guarantees, checked exactly: ``@taut.claim`` on a mechanism, ``taut.check`` of a model."""

from taut.claims.claim import Claim, claim, claims_of
from taut.claims.verdict import Counterexample, Verdict

__all__ = ["Claim", "Counterexample", "Verdict", "claim", "claims_of"]
