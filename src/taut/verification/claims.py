"""Claimed guarantees, checked exactly: ``@taut.claim`` on a mechanism, ``taut.check`` of a model."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from taut.program.domains import Domain
from taut.questions.claimed import Counterexample, Requirement, Verdict, runs_of, together
from taut.questions.registry import registered
from taut.support.errors import InvalidInput, TautError, WrongArguments, meant
from taut.support.options import check_seconds

if TYPE_CHECKING:
    from taut.model import Model

__all__ = ["Claim", "Counterexample", "Verdict", "check", "claim", "claims_of", "requirements"]


T = TypeVar("T")
_ATTRIBUTE = "__taut_claims__"
_QUESTION = ("neighbors", "method", "time_limit", "compose")


@dataclass(frozen=True)
class Claim:
    """A claim on a mechanism, and the arguments for which it is made."""

    parts: Mapping[str, Any]
    """The claimed keywords, such as epsilon and delta, as they were given."""
    args: tuple[Any, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    question: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """neighbors, method, time_limit, compose: as they were given."""

    @property
    def words(self) -> str:
        """The claim in words."""
        runs = self.question.get("compose", 1)
        return ", ".join(_words(part, runs) for part in requirements(**self.parts))

    @property
    def databases(self) -> str:
        """The domains of the claim as text, such as 'x=bits(4)'; empty if it leaves them open."""
        named = [("", value) for value in self.args] + [(f"{key}=", value) for key, value in self.arguments.items()]
        return ", ".join(f"{name}{value}" for name, value in named if isinstance(value, Domain))

    def bound_to(self, mechanism: Any, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return all arguments of the mechanism by name: the claim's own, else those given besides, else the defaults.

        Raises
        ------
        WrongArguments
            An argument is unknown or missing, or no database is given.
        """
        where = f"{_place(mechanism)}claim on '{mechanism.function.__name__}'"
        signature = inspect.signature(mechanism.function)
        try:
            own = dict(signature.bind_partial(*self.args, **self.arguments).arguments)
        except TypeError as problem:
            raise WrongArguments(f"{where}: {problem}.", value=self.arguments) from None
        others = {key: value for key, value in (given or {}).items() if key in signature.parameters}
        found = {**others, **own}
        for parameter in signature.parameters.values():
            if parameter.name not in found and parameter.default is not inspect.Parameter.empty:
                found[parameter.name] = parameter.default
        missing = [key for key in signature.parameters if key not in found]
        if missing:
            form = f"{missing[0]}=..."
            if missing[0] in (*claim_keywords(), *_QUESTION):
                form = f"arguments={{'{missing[0]}': ...}}"
            raise WrongArguments(
                f"{where}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not given; write "
                f"@taut.claim({form}, ...), or {missing[0]}=... on the command line.",
                value=missing,
            )
        if not any(isinstance(value, Domain) for value in found.values()):
            first = next(iter(signature.parameters), "x")
            raise WrongArguments(
                f"{where}: no database is given; write one as a domain, like @taut.claim({first}=bits(4), ...).",
                value=found,
            )
        return found

    def check(self, mechanism: Any, given: Mapping[str, Any] | None = None, time_limit: float | None = None) -> Any:
        """Return the verdict; ``given`` are arguments for those that the claim leaves open."""
        from taut.verification.claims import check

        model = mechanism(**self.bound_to(mechanism, given))
        question = {"time_limit": time_limit, **self.question}
        return check(model, **self.parts, **question)


def claim(*args: Any, arguments: Mapping[str, Any] | None = None, **keywords: Any) -> Callable[[T], T]:
    """Claim a guarantee of a mechanism: ``taut check file.py`` and pytest then check it, exactly.

    Written above or below ``@mechanism``; several claims may stand on one mechanism.

    Parameters
    ----------
    epsilon, ratio
        The claimed epsilon, or e^epsilon exactly. A float epsilon stands for all real numbers that round to it.
    delta
        With one of them: approximate differential privacy.
    max_ratio
        The same as ``ratio``, for mechanisms with a parameter of that name; there ``ratio=`` is the parameter.
    zcdp
        rho of zero-concentrated differential privacy; in this way other questions with one number by their names.
    divergence
        (measure, limit), with a divergence of ``taut.measures``; in this way other questions that are asked with
        something, such as an order.
    accuracy
        (target, alpha, probability), or with a distance as fourth: the output lies within alpha of the target with at
        least this probability, on every input.
    neighbors, method, time_limit
        As for ``model.privacy``; the neighbours are by default those that the mechanism declares.
    compose
        The number of runs that keep to the claim together; what is asked in a run may depend on the answers of others.
    *args, **keywords
        The mechanism's own arguments: a domain for each database, and its parameters.
    arguments
        The same as a mapping, for parameters that are called like one of the words above.

    Raises
    ------
    WrongArguments, InvalidNumber, InvalidProbability
        Nothing is claimed, or something that makes no sense.

    Examples
    --------
    >>> import taut
    >>> @taut.claim(taut.bits(4), lam="1/4", ratio=3)
    ... @taut.mechanism
    ... def noisy(x, lam):
    ...     return [bit ^ taut.flip(lam) for bit in x]
    >>> print(claims_of(noisy)[0].check(noisy))
    holds: e^eps <= 3 for one_differ neighbours; eps = 1.09861 (e^eps = 3 exactly), slack 0
    """

    def claimed(mechanism: T) -> T:
        if not callable(mechanism):
            raise WrongArguments(f"@taut.claim stands on a mechanism; got {mechanism!r}.", value=mechanism)
        own = {**(arguments or {})}
        if _is_parameter("ratio", mechanism, args, own) and "ratio" in keywords:
            own["ratio"] = keywords["ratio"]
        left = {name: value for name, value in keywords.items() if name not in own or name in (arguments or {})}
        parts = {name: left.pop(name) for name in claim_keywords() if left.get(name) is not None}
        question = {name: left.pop(name) for name in _QUESTION if name in left}
        made = Claim(MappingProxyType(parts), args, MappingProxyType({**left, **own}), MappingProxyType(question))
        if not parts and "ratio" in own:
            raise WrongArguments(
                f"{_place(mechanism)}nothing is claimed: 'ratio' is a parameter of the mechanism; write "
                "max_ratio=... to claim the largest e^eps, or epsilon=... .",
                value=own["ratio"],
            )
        try:
            _ = made.words  # refuses what makes no sense where it is written
        except TautError as problem:
            meant_by = "" if parts else "".join(meant(name, claim_keywords()) for name in left)
            problem.message = f"{_place(mechanism)}{problem.message}{meant_by}"
            raise
        setattr(mechanism, _ATTRIBUTE, [made, *getattr(mechanism, _ATTRIBUTE, [])])
        return mechanism

    return claimed


def _is_parameter(name: str, mechanism: Any, args: tuple[Any, ...], own: Mapping[str, Any]) -> bool:
    """Return True if a mechanism has a parameter of this name, to which neither ``args`` nor ``own`` give a value."""
    parameters = list(inspect.signature(getattr(mechanism, "function", mechanism)).parameters)
    return name in parameters[len(args) :] and name not in own


def _place(mechanism: Any) -> str:
    """Return the file and line of a mechanism, as errors begin; empty if it has none."""
    code = getattr(inspect.unwrap(getattr(mechanism, "function", mechanism)), "__code__", None)
    return "" if code is None else f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}: "


def claim_keywords() -> list[str]:
    """Return the keywords by which questions are claimed."""
    return list(dict.fromkeys(word for kind in registered().values() if kind.claimable for word in kind.keywords()))


def requirements(**given: Any) -> list[Requirement]:
    """Return the parts of a claim.

    Raises:
        WrongArguments: nothing is claimed, or keywords contradict each other.
        InvalidNumber, InvalidProbability: a number is out of its range.
    """
    words = claim_keywords()
    unknown = [name for name in given if name not in words]
    if unknown:
        raise WrongArguments(f"claim: there is no '{unknown[0]}'; there are {', '.join(words)}.", value=unknown[0])
    parts = [part for kind in registered().values() if kind.claimable for part in kind.claimed(given)]
    if not parts:
        last = f"{', '.join(f'{word}=' for word in words[:-1])} or {words[-1]}="
        raise WrongArguments(f"claim: nothing is claimed; give {last}.")
    return parts


def claims_of(mechanism: Any) -> list[Claim]:
    """Return the claims on a mechanism, from top to bottom."""
    return list(getattr(mechanism, _ATTRIBUTE, []))


def check(
    model: Model,
    epsilon: Any = None,
    delta: Any = None,
    *,
    neighbors: Any = None,
    method: str = "auto",
    time_limit: float | None = None,
    compose: int = 1,
    **claimed: Any,
) -> Verdict:
    """Return True if a model keeps a claimed guarantee, decided exactly.

    Parameters
    ----------
    model
        A mechanism on a domain.
    epsilon, delta, **claimed
        The claim, as for ``taut.claim``: also ``ratio``, ``accuracy`` and the names of other questions.
    neighbors, method, time_limit
        As for ``model.ask``; the limit is for all parts together.
    compose
        The number of runs that keep to the claim together. A claim about several runs has no counterexample.

    Returns
    -------
    Verdict
        ``holds`` is True, False or, where only an interval is known that does not tell, None. ``value`` is the exact
        number, ``slack`` how much better it is than the claim, ``counterexample`` where the claim fails.

    Raises
    ------
    WrongArguments, InvalidNumber, InvalidProbability
        Nothing is claimed, or something that makes no sense.

    Examples
    --------
    >>> import taut
    >>> from taut import bits
    >>> from taut.mechanisms import randomized_response
    >>> model = randomized_response(bits(2), lam="1/5")
    >>> print(taut.check(model, epsilon="1.4"))
    holds: eps <= 1.4 for one_differ neighbours; eps = 1.38629 (e^eps = 4 exactly), slack 0.0137056
    >>> verdict = taut.check(model, epsilon=1, delta="1/10")
    >>> verdict.holds, verdict.counterexample.probability, verdict.counterexample.probability_prime
    (False, Fraction(4, 5), Fraction(1, 5))
    >>> bool(verdict.counterexample.replay())
    True
    """
    from taut.model import Model  # a file with claims is imported without it

    if not isinstance(model, Model):
        raise InvalidInput(
            f"check: expected a model, a mechanism called with a domain such as f(bits(4)); got {model!r}.", value=model
        )
    check_seconds(time_limit, "time_limit", InvalidInput)
    runs = runs_of(compose, "check")
    asked: Any = model if runs == 1 else _Repeated(model, runs)
    parts = requirements(epsilon=epsilon, delta=delta, **claimed)
    end = None if time_limit is None else time.monotonic() + time_limit
    verdicts = []
    for part in parts:
        left = None if end is None else max(end - time.monotonic(), 0.01)
        verdict = part.verdict(asked, neighbors=neighbors, method=method, time_limit=left)
        verdicts.append(replace(verdict, claim=_words(part, runs)))
    return together(verdicts)


class _Repeated:
    """A model that is run several times: its answers are those for all runs together."""

    def __init__(self, model: Model, runs: int) -> None:
        self._model, self._runs = model, runs

    def ask(self, question: Any, **limits: Any) -> Any:
        return question.composed(self._model, self._runs, **limits)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def _words(part: Requirement, runs: int) -> str:
    """Return a part of a claim in words; accuracy is that of each run."""
    return part.words if runs == 1 or part.question.about_target else f"{part.words} for {runs} runs"
