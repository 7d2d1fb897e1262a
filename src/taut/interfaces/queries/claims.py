"""The claims that a command checks: those in files, or a typed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from taut.interfaces.queries.functions import is_file, load_function, load_functions
from taut.interfaces.queries.query import described, read_query, read_settings
from taut.model import Mechanism, mechanism
from taut.support.errors import InvalidInput, meant
from taut.verification.claims import Claim, Verdict, claims_of

__all__ = ["CheckedClaim", "read_claims", "typed_claim"]


@dataclass(frozen=True)
class CheckedClaim:
    """A claim that is to be checked: where it stands, and the arguments that it leaves open."""

    place: str
    mechanism: Mechanism
    claim: Claim
    given: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The place with the domains for which it is claimed: 'mine.py:noisy(x=bits(4))'."""
        return f"{self.place}({self.claim.databases})" if self.claim.databases else self.place

    def leaves_open(self, name: str) -> bool:
        """Return True if the mechanism has a parameter of this name, and the claim gives no value for it."""
        parameters = signature(self.mechanism.function)
        try:
            own = parameters.bind_partial(*self.claim.args, **self.claim.arguments).arguments
        except TypeError:
            return True  # which the check of the claim itself says
        return name in parameters.parameters and name not in own

    @property
    def name(self) -> str:
        return str(self.mechanism.function.__name__)

    def to_dict(self) -> dict[str, Any]:
        """Return the question in full: the mechanism, its arguments as text, and its databases.

        Raises:
            WrongArguments: an argument is unknown or missing, or no database is given.
        """
        return described(self.name, self.claim.bound_to(self.mechanism, self.given))

    def check(self, time_limit: float | None) -> Verdict:
        """Return the verdict."""
        verdict: Verdict = self.claim.check(self.mechanism, self.given, time_limit)
        return verdict


def read_claims(words: Iterable[str]) -> list[CheckedClaim]:
    """Return the claims of files (``file.py`` or ``file.py:name``); settings ``name=value`` fill what claims leave
    open.

    Raises:
        InvalidInput: a file or a name is not there, or no mechanism in it has a claim.
    """
    words = list(words)
    targets = [word for word in words if is_file(word.partition("=")[0])]
    if not targets:
        raise InvalidInput("check: name a file with claims, like taut check mine.py; or type one, with --epsilon 1.")
    given = read_settings([word for word in words if word not in targets])
    found: list[CheckedClaim] = []
    for target in targets:
        path, colon, name = target.rpartition(":") if ".py:" in target else (target, "", "")
        functions = {name: load_function(target)} if colon else load_functions(path)
        claims = [
            CheckedClaim(f"{path}:{key}", value if isinstance(value, Mechanism) else mechanism(value), claim, given)
            for key, value in functions.items()
            for claim in claims_of(value)
        ]
        if not claims:
            raise InvalidInput(
                f"there is no claim in {target}; write one above a mechanism, like @taut.claim(x=bits(4), epsilon=1), "
                "or type one, with --epsilon 1.",
                value=target,
            )
        found += claims
    for name in given:
        if not any(one.leaves_open(name) for one in found):
            known = {key: None for one in found for key in signature(one.mechanism.function).parameters}
            why = f"the claims give {name} themselves" if name in known else f"no mechanism here has '{name}'"
            raise InvalidInput(
                f"check: {why}; arguments on the command line are those that claims leave open.{meant(name, known)}",
                value=name,
            )
    return found


def typed_claim(words: Iterable[str], parts: Mapping[str, Any], question: Mapping[str, Any]) -> list[CheckedClaim]:
    """Return the claim that options state about one target with its settings."""
    words = list(words)
    if not words or "=" in words[0]:
        raise InvalidInput("check: name the mechanism that the claim is about, like taut check rr n=8 --epsilon 1.")
    query = read_query(words[0], words[1:])
    claim = Claim(parts, (), query.arguments, question)
    _ = claim.words  # refuses what makes no sense before any work
    return [CheckedClaim(query.name, query.mechanism, claim, {})]
