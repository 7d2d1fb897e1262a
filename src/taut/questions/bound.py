"""Bounds: certified intervals with witnesses, verification and pictures, also where some runs were not followed.

Let r be the largest probability, over inputs, of runs that were not followed, and p the masses of the others. A model
answers for p with one more output that stands for all that was not followed, so that its distributions sum to 1; for
questions about pairs each item of an output may stand so for itself, and the others tell the same or more. Each
question says, in ``with_remainder``, what follows for the mechanism itself; one that does not say so is refused.
"""

from __future__ import annotations

import functools
import html
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from taut.questions.drawn import Drawn, not_saved
from taut.questions.text import Represented, plain_case, text_of
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, Ball, decimal, enclosing, may_be_equal

if TYPE_CHECKING:
    from taut.questions.loss import LossDistribution

__all__ = [
    "NO_WITNESS",
    "REPLAYS",
    "Bound",
    "Interval",
    "Moment",
    "Verification",
    "View",
    "delta_below",
    "joined",
    "not_answered",
    "remainder_text",
    "replayed_as",
]


NO_WITNESS = "holds for every mechanism"
"""The method of a verification that had no witness to replay."""
REPLAYS = {
    "function": "the function, run by Python",
    "function, sampled": "the terms that were read, after samples of the function agreed with them",
    "enumerator": "the enumerator",
}
"""Methods of a verification in words."""

_LOOKED_AT = (
    *("nodes", "inputs", "pairs", "triples", "probabilities", "loss_distributions", "orbits", "runs"),
    *("items", "items_after_merging", "items_after_pruning", "passes"),
)
"""Counts in ``stats`` that the account of a bound gives."""


class Moment(NamedTuple):
    """The certified interval of a search at some time after its beginning; an end is None while it is not known."""

    seconds: float
    lower: Any
    upper: Any


@dataclass(frozen=True)
class View:
    """The distributions behind a witness; each raises TooLarge where it is too large to draw."""

    distribution: Callable[[Any], Mapping[Any, Any]]
    """Of the output on an input."""
    loss: Callable[[Any, Any], LossDistribution] | None = None
    """Of the ratios between two inputs, without a list of outputs."""
    distances: Callable[[Any], Mapping[Any, Any]] | None = None
    """Of the distance to the target on an input, for bounds on accuracy and error."""
    aim: Callable[[Any], Any] | None = None
    """The target's value at an input, where the distance is that of numbers."""


@dataclass(frozen=True)
class Interval(Represented):
    """Progress of a solver: steps done, steps in all, and the certified interval so far (None: not known yet)."""

    done: int
    total: int
    lower: Any
    upper: Any
    measure: Any = None
    """The measure that the ends are numbers of; some questions are answered by solving for several others."""


@dataclass(frozen=True)
class Verification(Represented):
    """The outcome of replaying a witness: whether it gives the value that was claimed, and by which evaluation.

    ``method`` is 'function' where Python ran the user's function on all sequences of outcomes; 'function, sampled'
    where they are too many, so that the terms that were read were evaluated after samples of the function agreed with
    them; 'enumerator' or 'memoised evaluation' of the terms where there is no function, as for formulas.
    """

    holds: bool
    claimed: Any
    replayed: Any
    method: str

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data, without the two values, which the bound and its witness have."""
        return {"holds": self.holds, "method": self.method}


def joined(attained: Any, limit: Any) -> tuple[Any, Any]:
    """Return two ends of an interval; where they are balls that overlap, one ball that holds both."""
    if isinstance(attained, Ball) and isinstance(limit, Ball) and attained.arb.overlaps(limit.arb):
        both = enclosing(attained, limit)
        return both, both
    return attained, limit


@dataclass(frozen=True)
class Bound(Drawn):
    """Base of all bounds: the certified interval, the method that found it, and its cost.

    Two bounds are equal if they say the same: the interval, its witness and how many attain it, the neighbours, the
    method. How long it took does not count. A pickled bound leaves its model behind, so that what comes back says all
    that it said but cannot be verified; ``save`` writes a file that can.
    """

    lower: Any
    upper: Any
    method: str
    stats: Mapping[str, Any] = field(compare=False)
    count: int | None = None
    """Number of cases that attain the value; None where not all were evaluated."""
    witnessed: bool = True
    """True if the witness attains an end of the interval; False where that end holds for every mechanism."""
    neighbors: str | None = None
    """The name of the relation whose pairs were compared; None for bounds over single inputs."""
    replay: Callable[[Any], tuple[Any, str]] | None = field(repr=False, compare=False, default=None)
    """Evaluates a witness again; given by the model."""
    keep: Callable[[Bound, Any], None] | None = field(repr=False, compare=False, default=None)
    """Writes a bound to a path; given by the model."""
    account: Callable[[], str] | None = field(repr=False, compare=False, default=None)
    """Returns an account of how the bound was found; given by the search."""
    view: View | None = field(repr=False, compare=False, default=None)
    """Data from which pictures are drawn; given by the model."""
    history: tuple[Moment, ...] = field(repr=False, compare=False, default=())
    """The intervals of a search over time, where ``progress`` was given."""
    question: Any = field(repr=False, compare=False, default=None)
    """The question that it answers; given by the model."""
    remainder: Any = Fraction(0)
    """The largest probability, over inputs, of runs that were not followed; the interval holds with them."""

    def limited_by(self, beyond: Any) -> Self:
        """Return the bound with the end that is attained here, and the open end of a bound that no case exceeds."""
        lower, upper = joined(self.lower, beyond.upper)
        return replace(self, lower=lower, upper=upper)

    @property
    def exact(self) -> bool:
        """True if the interval is a single number."""
        return bool(self.lower == self.upper)

    @property
    def complete(self) -> bool:
        """True if the search was complete, so that more time would not help; also for balls."""
        return self.exact

    def verify(self) -> Verification:
        """Replay the witness without any diagram, by the user's function where there is one; compare with ``==``.

        A bound without a witness has nothing to replay: its interval holds for every mechanism.

        Raises
        ------
        OutOfTime, OutOfMemory
            The replay passed a limit that is in force, such as that of ``with taut.options(time_limit=...)``.
        InvalidInput
            The bound was pickled, so its mechanism is not at hand.
        """
        if not self.witnessed:
            return Verification(True, self.attained, self.attained, NO_WITNESS)
        replayed, method = self._replayed()(self.witness)
        return Verification(may_be_equal(self.attained, replayed), self.attained, replayed, method)

    def _replayed(self) -> Callable[[Any], tuple[Any, str]]:
        """Return the function that evaluates a witness again, or a refusal."""
        if self.replay is None:
            raise InvalidInput(
                "verify: this bound has no model to replay its witness with; pickling leaves the model behind. Verify "
                "before pickling, or keep the bound with bound.save(path) and check it with taut.replay(path).",
                value=self,
            )
        return self.replay

    def explain(self) -> str:
        """Return an account of how the bound was found: cases looked at, merged, pruned and left open."""
        head = f"{self}" + (f", because {self.stats['why']}" if "why" in self.stats else "")
        if self.account is not None:
            return f"{head}\n{self.account()}"
        counts = {key: self.stats[key] for key in _LOOKED_AT if key in self.stats}
        looked = ", ".join(f"{value} {_noun(key, value)}" for key, value in counts.items())
        return f"{head}.\nLooked at: {looked}." if looked else f"{head}."

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bound to a file with all that its replay needs: ``taut replay PATH`` checks it again.

        The file has the source of the mechanism and its hash, the domain, the parameters, versions, value and witness.

        Raises
        ------
        InvalidInput
            The bound is of a kind that is not saved, or was pickled, composed or found against adaptive inputs; the
            mechanism is not one that can be found again, an argument cannot be written, or the file cannot.

        Examples
        --------
        >>> import os, tempfile
        >>> import taut
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> path = os.path.join(tempfile.mkdtemp(), "rr.json")
        >>> randomized_response(bits(8), lam="1/5").privacy().save(path)
        >>> print(taut.replay(path))
        randomized_response: the witness attains eps = 1.38629 (e^eps = 4 exactly) again (function)
        """
        if self.remainder:
            raise not_saved(
                self,
                "it holds up to runs that were not followed, which a replay from a file does not know; clamped noise "
                "(low, high), or noise without that is only returned and compared with numbers, leaves none",
            )
        if self.question is not None and self.question.layout is None:
            raise not_saved(self, "there is no replay from a file for bounds of its kind")
        if self.keep is None:
            raise not_saved(
                self, "no mechanism is left to replay it with: it was pickled, composed, or found for adaptive inputs"
            )
        self.keep(self, path)

    def of_runs(self, runs: int, lower: Any, upper: Any) -> Self:
        """Return the bound for several runs together, given its ends; no single case attains it."""
        return replace(
            self,
            lower=lower,
            upper=upper,
            method="composition",
            stats={"runs": runs, **({"stopped": self.stats["stopped"]} if self.stats.get("stopped") else {})},
            count=None,
            witnessed=False,
            replay=None,
            keep=None,
            account=None,
            view=None,
            history=(),
            remainder=min(Fraction(1), runs * self.remainder),
        )

    def _without_case(self, what: str) -> str:
        """Return the reason why there is no case: several runs, or no case was evaluated."""
        runs = self.stats.get("runs", 1)
        return f", for {runs} runs; found by composition" if runs > 1 else f"; no {what} was looked at"

    def _seen(self) -> View:
        """Return the data for a picture of the worst case, or refuse."""
        if not self.witnessed:
            raise InvalidInput("plot: no case was looked at, so there is no worst case to draw.", value=self)
        if self.view is None:
            raise InvalidInput("plot: this bound was not made by a model, so there is nothing to draw.", value=self)
        return self.view

    def __getstate__(self) -> dict[str, Any]:
        account = None if self.account is None else functools.partial(str, self.account())
        return {
            **self.__dict__,
            "stats": dict(self.stats),
            "replay": None,
            "keep": None,
            "view": None,
            "question": None,
            "account": account,
        }

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it changes, so a copy need not lose its model

    @property
    def attained(self) -> Any:
        """The value that the witness attains: the lower end, where the largest of all values is asked for."""
        return self.lower

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data: fractions as 'p/q', infinity as 'inf', balls with their ends."""
        return {
            **self._head(),
            "lower": text_of(self.lower),
            "upper": text_of(self.upper),
            "exact": self.exact,
            "method": self.method,
            "witness": self._plain_witness(),
            "count": self.count,
            **self._plain_remainder(),
            "stats": dict(self.stats),
        }

    def _plain_remainder(self) -> dict[str, Any]:
        """Return the remainder as plain data; nothing where all runs were followed."""
        return {"remainder": text_of(self.remainder)} if self.remainder else {}

    def _unfollowed(self) -> str:
        """Return the note on runs that were not followed, or nothing."""
        return f"; runs of probability {remainder_text(self.remainder)} were not followed" if self.remainder else ""

    def _plain_witness(self) -> dict[str, Any] | None:
        return plain_case(self.witness) if self.witnessed else None

    @property
    def witness(self) -> Any:
        """The case that attains the value."""
        raise NotImplementedError

    def _head(self) -> dict[str, Any]:
        """Return the entries of ``to_dict`` that only bounds of this kind have."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        given = self.question.rows(self) if self.question is not None else self._plain_rows()
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
            for name, value in given
        )
        return f"<table>{rows}</table>{self._inline_picture()}"

    def _plain_rows(self) -> list[tuple[str, str]]:
        """Return names and values of a bound whose question is not known any more, as after unpickling."""
        parts = {**self.to_dict(), **(self._plain_witness() or {})}
        return [(name, str(value)) for name, value in parts.items() if name not in ("stats", "witness")]


B = TypeVar("B")


def remainder_text(remainder: Any) -> str:
    """Format the probability of runs that were not followed, rounded up.

    >>> remainder_text(Fraction(1, 2**100))
    '7.9e-31'
    """
    scale = Fraction(1)
    while remainder * scale < 10:
        scale *= 10
    return decimal(Fraction(-(-(remainder * scale).numerator // (remainder * scale).denominator)) / scale, 2)


def not_answered(what: str, remainder: Any) -> InvalidInput:
    """Return the refusal of a question that has no answer where some runs were not followed."""
    return InvalidInput(
        f"{what}: runs that were not followed have a probability of up to {remainder_text(remainder)}, and what they "
        "return is not bounded, so neither is this. privacy, delta, epsilon, profile and accuracy are answered with "
        "the remainder; clamped noise (low, high) leaves none.",
        value=remainder,
    )


def delta_below(delta: Any, above: Any, remainder: Any) -> tuple[Any, Any]:
    """Return (wide, far): e^epsilon at ``delta`` is at least far, or at least that of followed runs at delta ``wide``.

    ``above`` is an upper end of e^epsilon. At a ratio of at most far, delta of all runs is at least that of the
    followed ones less (1 + far) * remainder.
    """
    far = above if above != INFINITY else Fraction(1 + math.isqrt(math.floor(1 / remainder)))
    return min(Fraction(1), delta + (1 + far) * remainder), far


def replayed_as(bound: B, change: Callable[[Any], Any]) -> B:
    """Return the bound with a replay whose value is changed as the bound was."""
    inner = getattr(bound, "replay", None)
    if inner is None:
        return bound

    def replay(witness: Any) -> tuple[Any, str]:
        value, how = inner(witness)
        return change(value), how

    changed: B = replace(bound, replay=replay)  # type: ignore[type-var]
    return changed


def _noun(key: str, count: int) -> str:
    """Return the noun that a key of ``stats`` counts.

    >>> _noun("loss_distributions", 1), _noun("items_after_merging", 2)
    ('loss distribution', 'items after merging')
    """
    words = key.replace("_", " ")
    if count != 1:
        return words
    singular = {"probabilities": "probability", "passes": "pass"}
    return singular.get(words, words.replace("items", "item").removesuffix("s"))
