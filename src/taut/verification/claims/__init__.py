"""Claimed guarantees, checked exactly: ``@taut.claim`` on a mechanism, ``taut.check`` of a model."""

from taut.questions.claimed import Counterexample, Verdict
from taut.verification.claims.claim import Claim, claim, claims_of

__all__ = ["Claim", "Counterexample", "Verdict", "claim", "claims_of"]
