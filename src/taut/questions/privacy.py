"""Pure differential privacy: the smallest epsilon, the logarithm of the largest ratio of an output's probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from taut.inference.channel import Channel
from taut.program import UNFOLLOWED
from taut.questions.bound import Bound, Interval, delta_below, not_answered, remainder_text
from taut.questions.claimed import Counterexample, Goal, Requirement, gap_below, positive, typed
from taut.questions.field import Numbers, as_given, asked
from taut.questions.measure import Locate, MassCase, Measure, OutputMeasure
from taut.questions.question import How, Question, question
from taut.questions.ratio import (
    RATIO,
    below_epsilon,
    below_ratio,
    brief_epsilon,
    epsilon_equals,
    epsilon_number,
    epsilon_of,
)
from taut.questions.rows import (
    Headline,
    Number,
    Row,
    Swept,
    attained_rows,
    case_rows,
    epsilon_headline,
    epsilon_interval,
)
from taut.questions.saved import Layout, SavedAnswer, attained_text, limit_text
from taut.questions.text import Represented, case_text, class_dict, found_by, represented, shown, text_of, vector_text
from taut.support.errors import InvalidNumber, InvalidSet, TooLarge, WrongArguments
from taut.support.exact import INFINITY, Ball, ends, exp, number, quotient, surely_zero

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "PRIVACY_CLAIMS",
    "LargestRatio",
    "PairOfMasses",
    "Privacy",
    "PrivacyBound",
    "RatioClass",
    "Witness",
    "budget_ratio",
    "check_claimed_ratio",
    "claimed_ratio",
    "is_claimed",
]


_NEAR = Fraction(1, 2**40)
"""The relative distance by which e^epsilon at a delta is rounded up to a ratio that occurs."""


@dataclass(frozen=True)
class Witness(Represented):
    """Neighbours x and x', and the output y that tells them apart best."""

    x: Any
    x_prime: Any
    y: Any


@dataclass(frozen=True)
class RatioClass:
    """All ordered triples (x, x', y) with one ratio: the ratio, how many there are, and one of them."""

    value: Any
    count: int
    locate: Callable[[], Witness] = field(repr=False, compare=False)

    @property
    def witness(self) -> Witness:
        return self.locate()

    def to_dict(self) -> dict[str, Any]:
        """Return the class as plain data."""
        return class_dict(self)

    def __repr__(self) -> str:
        return f"RatioClass(value={represented(self.value)}, count={self.count}, witness={self.witness})"


@dataclass(frozen=True)
class PrivacyBound(Bound):
    """The smallest e^epsilon for which a mechanism is epsilon-differentially private.

    Guarantee:
        For every related pair (x, x') and every set S of outputs, P(A(x) in S) <= max_ratio * P(A(x') in S); if
        ``exact``, the witness attains it.
    """

    witness: Witness = field(default=Witness(None, None, None))
    delta: Any = Fraction(0)
    """The delta that goes with ``max_ratio``; 0 unless runs were not followed."""
    ratio_at_delta: Any = None
    """The smallest e^epsilon that is known to suffice at ``delta``, where runs were not followed."""
    least_at_delta: Any = None
    """The largest e^epsilon below which none suffices at ``delta``, as far as is known; that of ``ratio_at_delta``
    unless a limit ended the search."""
    note: str = field(default="", repr=False)
    """Advice where e^epsilon is infinite by a known mistake; else empty."""

    @property
    def max_ratio(self) -> Any:
        """e^epsilon: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact.

        Where runs were not followed, the mechanism is (epsilon, delta)-private with this ratio and ``delta``; its e^eps
        without delta lies between ``lower`` and ``upper``, which is INFINITY.
        """
        return self.upper if self.ratio_at_delta is None else self.ratio_at_delta

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, rounded up: the smallest float that is not below it.

        Logarithms of fractions are irrational, so no float is exact; rounded up, this one is still a true bound. So
        ``bound.epsilon <= math.log(2)`` can fail by one unit in the last place where e^eps is exactly 2; ask
        ``bound.holds(math.log(2))`` instead.
        """
        return epsilon_of(self.max_ratio)

    def holds(self, epsilon: Any = None, *, ratio: Any = None) -> bool | None:
        """Return True if the mechanism is epsilon-differentially private, decided exactly.

        Parameters
        ----------
        epsilon
            The claim. An int, a Fraction or a text such as "1/2" or "0.69" is that number exactly. A float stands for
            all real numbers that round to it, so that ``math.log(2)`` is good enough for ln 2: the claim holds if it
            holds for one of them (0.0 is zero, and stands for nothing else).
        ratio
            The claim as e^epsilon instead: a number, read exactly (0.2 is 1/5), or a Ball such as ``taut.exp("1/2")``.

        Returns
        -------
        bool or None
            None where the bound is an interval (a stopped search, or a Ball) that holds numbers on both sides.

        Raises
        ------
        WrongArguments
            Neither or both of the two are given.
        InvalidNumber
            What is given is not a number, or a negative epsilon.

        Examples
        --------
        >>> import math
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> bound = randomized_response(bits(2), lam="1/3").privacy()
        >>> bound.holds(ratio=2), bound.holds(math.log(2)), bound.epsilon <= math.log(2)
        (True, True, False)
        >>> bound.holds("0.6931471805599453"), bound.holds("0.6931471805599454")
        (False, True)
        """
        if (epsilon is None) == (ratio is None):
            given = "neither" if epsilon is None else "both"
            raise WrongArguments(f"holds: give epsilon, or ratio= for e^epsilon; got {given}.", value=epsilon)
        if ratio is not None:
            return below_ratio(self.lower, self.upper, ratio)
        return below_epsilon(self.lower, self.upper, epsilon)

    _pictured = "privacy"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.pair_figure import privacy_figure

        return privacy_figure(self, self._seen(), title)

    def __str__(self) -> str:
        head = self.stated(",")
        if self.neighbors is not None:
            head += f" for {self.neighbors} neighbours"
        if not self.witnessed and self.ratio_at_delta is not None and self.method != "none":
            return f"{head}; {found_by(self.method)}, with too many outputs to list for one of them"
        if not self.witnessed:
            return f"{head}{self._without_case('case')}"
        x, x_prime, y = (case_text(part) for part in (self.witness.x, self.witness.x_prime, self.witness.y))
        told = f". Note: {self.note}" if self.note else ""
        return f"{head}, at x={x}, x'={x_prime}, y={y}; {found_by(self.method)}{told}"

    @property
    def told(self) -> tuple[Any, Any]:
        """The ends of the e^epsilon that is told: where runs were not followed, of the one at ``delta``."""
        if self.ratio_at_delta is None:
            return self.lower, self.upper
        return self.ratio_at_delta if self.least_at_delta is None else self.least_at_delta, self.ratio_at_delta

    def stated(self, end: str = "", **limits: Any) -> str:
        """Return epsilon in words, with the delta that goes with it, which ``end`` follows."""
        head = epsilon_equals(*self.told, **limits)
        return f"{head} {self.at_delta}{end}" if self.remainder else head

    def _head(self) -> dict[str, Any]:
        least = {} if self.least_at_delta is None else {"least_ratio_at_delta": text_of(self.least_at_delta)}
        return {
            "max_ratio": text_of(self.max_ratio),
            "epsilon": None if abs(self.epsilon) == INFINITY else self.epsilon,
            "infinite": self.told[0] == INFINITY,
            **({"delta": text_of(self.delta), **least} if self.remainder else {}),
            **({"note": self.note} if self.note else {}),
            "neighbors": self.neighbors,
        }

    @property
    def at_delta(self) -> str:
        """The delta that goes with e^epsilon in words, where runs were not followed."""
        return f"with delta <= {remainder_text(self.delta)} for runs that were not followed"


@dataclass(frozen=True)
class LargestRatio(OutputMeasure):
    """P(A(x) = y) / P(A(x') = y), the largest over neighbours x, x' and outputs y; INFINITY where only x gives y."""

    cases: ClassVar[str] = "triples"
    runs: ClassVar[int] = 2
    exponents: ClassVar[tuple[int, ...]] = (1, -1)
    extremes: ClassVar[tuple[Any, Any] | None] = (Fraction(1), INFINITY)
    """Two distributions both sum to 1, so some output is at least as likely on x as on x'."""
    is_ratio: ClassVar[bool] = True

    def implied(self, other: Measure, limit: Any) -> Any:
        """Return delta 0 at e^epsilon: no ratio is larger than that."""
        ratio = getattr(other, "kink", None)
        return None if ratio is None or limit != 0 else max(Fraction(1), ends(ratio)[1])

    @property
    def largest(self) -> bool:
        return True

    def value(self, *masses: Any) -> Any:
        return quotient(*masses)

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int]:
        return {}

    def witness(self, inputs: Sequence[Any], y: Any) -> Witness:
        x, x_prime = inputs
        return Witness(x, x_prime, y)

    def value_class(self, value: Any, count: int, locate: Locate) -> RatioClass:
        return RatioClass(value, count, locate)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> PrivacyBound:
        return PrivacyBound(attained, limit, **parts)


class PairOfMasses(OutputMeasure):
    """P(A(x) = y) and P(A(x') = y) for all neighbours x, x' and outputs y; which is the worst is not decided here."""

    cases: ClassVar[str] = "triples"
    runs: ClassVar[int] = 2
    exponents: ClassVar[tuple[int, ...]] = (1, -1)

    @property
    def largest(self) -> bool:
        return True

    def value(self, *masses: Any) -> Any:
        return masses

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int]:
        return {}

    def witness(self, inputs: Sequence[Any], y: Any) -> Any:
        return LargestRatio().witness(inputs, y)

    def classes(self, cases: Iterable[tuple[Any, int, Locate]]) -> list[Any]:
        return [MassCase(masses, count, locate) for masses, count, locate in cases]

    def value_class(self, value: Any, count: int, locate: Locate) -> MassCase:
        return MassCase(value, count, locate)

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        raise NotImplementedError("classes are asked for, not a bound")


PRIVACY_CLAIMS = {
    "epsilon": "the largest epsilon",
    "ratio": "the largest e^eps, instead of epsilon",
    "max_ratio": "the largest e^eps, where a parameter of the mechanism is called ratio",
    "delta": "the largest delta, beside --epsilon or --ratio",
}
"""The keywords by which privacy is claimed, pure or approximate."""


@question
class Privacy(Question[PrivacyBound]):
    """The exact epsilon of a mechanism, with a worst pair of neighbours and output."""

    name = "privacy"
    letter = "ε"
    title = "Privacy"
    menu = "Privacy: the exact ε"
    weight = 3.0
    beside = ("profile", "diagram")
    claims = PRIVACY_CLAIMS
    color = 0
    of_runs = pow
    layout = Layout(Numbers(0, INFINITY), ("x", "x_prime", "y"))
    case = Witness

    inference_set: Any = asked(as_given, default=None, kw_only=True, kind="python", help="The pairs (x, y) to infer.")
    privacy_set: Any = asked(
        as_given, default=None, kw_only=True, kind="python", help="The triples (x, x', y) to compare."
    )

    @property
    def label(self) -> str:
        return RATIO

    def to_measure(self) -> LargestRatio:
        return LargestRatio()

    def algebraic(self) -> LargestRatio:
        return self.to_measure()

    def answer(self, model: Any, how: How) -> PrivacyBound:
        if self.inference_set is not None and self.privacy_set is None:
            raise InvalidSet("method='restricted' needs privacy_set=, triples (x, x', y).", value=None)
        sets = None if self.privacy_set is None else (self.privacy_set, self.inference_set)
        found: PrivacyBound = self.finished(model, model.solved(self.to_measure(), how, sets=sets))
        return replace(found, note=model.slip() or "") if found.lower == INFINITY and not found.remainder else found

    def with_remainder(self, model: Any, how: How, remainder: Any) -> PrivacyBound:
        """Return e^epsilon at a delta for what was not followed, and a lower end of e^epsilon without.

        Delta is ``max_remainder``: an output that is followed on one input and not on its neighbour is among what it
        pays for.
        """
        if self.privacy_set is not None:
            raise not_answered("privacy of given sets", remainder)
        model, delta = model.by_items(), max(model.options.max_remainder, 2 * remainder)
        found = model.ratio_at(delta - remainder, how)
        x, x_prime = found.witness.x, found.witness.x_prime
        quotients = _quotients(model, x, x_prime, remainder) if found.witnessed else []
        ratio = found.upper
        near = [one for _, one, _ in quotients if ratio <= one <= ratio * (1 + _NEAR)]
        least = None if found.complete else self._least(model, how, delta, found, remainder)
        parts: dict[str, Any] = {
            "stats": found.stats,
            "neighbors": found.neighbors,
            "history": found.history,
            "remainder": remainder,
            "delta": delta,
            "ratio_at_delta": min(near, default=ratio),
            "least_at_delta": least,
        }
        if not quotients:
            unseen = PrivacyBound(Fraction(1), INFINITY, found.method, witnessed=False, **parts)
            made: PrivacyBound = self.finished(model, unseen)
            return made
        y, _, lower = max(quotients, key=lambda one: one[2])
        bound = PrivacyBound(lower, INFINITY, found.method, witness=Witness(x, x_prime, y), **parts)

        def replay(witness: Witness) -> tuple[Any, str]:
            (p, own), (q, _) = (model.replayed(x, witness.y) for x in (witness.x, witness.x_prime))
            return max(Fraction(1), ends(p)[0] / (ends(q)[1] + remainder)), own

        finished: PrivacyBound = replace(self.finished(model, bound), replay=model.limited(replay))
        return finished

    def _least(self, model: Any, how: How, delta: Any, found: Any, remainder: Any) -> Any:
        """Return a lower end of e^epsilon at a delta, where a limit ended the search for the upper one."""
        if not found.witnessed:
            return Fraction(1)
        wide, far = delta_below(delta, found.upper, remainder)
        return min(far, model.ratio_at(wide, how).lower)

    def replayed(self, model: Any, witness: Witness) -> tuple[Any, str]:
        (p, own), (q, other) = (model.replayed(x, witness.y) for x in (witness.x, witness.x_prime))
        return quotient(p, q), own if own == other else f"{own}, {other}"

    # -- showing -----------------------------------------------------------------------------------------------------

    def good(self, bound: PrivacyBound) -> bool:
        return bool(bound.max_ratio != INFINITY)

    def rows(self, bound: PrivacyBound) -> list[Row]:
        private = "" if bound.lower != INFINITY else ": not private"
        number = epsilon_number(*bound.told) + (f" {bound.at_delta}" if bound.remainder else "")
        case = [("x", bound.witness.x), ("x'", bound.witness.x_prime), ("y", bound.witness.y)]
        return [
            ("eps", f"{number}{private}"),
            *([("without delta", f"e^eps is at least {shown(bound.lower)}")] if bound.remainder else []),
            *case_rows(case, bound),
            *([("note", bound.note)] if bound.note else []),
            *attained_rows(bound, "triple", "(x, x', y)"),
        ]

    def certified(self, now: Interval) -> Interval:
        return epsilon_interval(now)

    def headline(self, bound: PrivacyBound) -> Headline:
        if bound.remainder:
            low, high = bound.told
            shown_as = replace(bound, lower=low, upper=high, ratio_at_delta=None)
            told = epsilon_headline(shown_as, self.good(bound))
            return replace(told, note=" ".join(filter(None, [told.note, bound.at_delta])))
        return epsilon_headline(bound, self.good(bound))

    def card(self, bound: PrivacyBound) -> tuple[str, str]:
        value, _, ratio = brief_epsilon(*bound.told).removeprefix("eps ").removeprefix("= ").partition(" (")
        label = f"eps{f' ({ratio}' if ratio else ''}, {bound.neighbors} neighbours"
        return value, f"{label}, {bound.at_delta}" if bound.remainder else label

    def numbers(self, bound: PrivacyBound) -> list[Number]:
        return [Number("epsilon", "eps", bound.epsilon, exact=False), Number("max_ratio", RATIO, bound.max_ratio)]

    def swept(self, bound: PrivacyBound) -> Swept:
        return Swept(bound.epsilon, f"Privacy, {bound.neighbors} neighbours", "$\\varepsilon$")

    # -- saving ------------------------------------------------------------------------------------------------------

    @classmethod
    def valued(cls, value: Any) -> str:
        return epsilon_equals(value, value)

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        if saved.attained == INFINITY:
            return (
                f"For {saved.neighbors} neighbours no epsilon is enough: some output is possible on one input and "
                "impossible on a neighbour."
            )
        return (
            f"For {saved.neighbors} neighbours {epsilon_equals(saved.lower, saved.upper)}: no output is more than "
            f"{limit_text(saved)} times as likely on one input as on a neighbour."
        )

    @classmethod
    def worst(cls, saved: SavedAnswer) -> str:
        assert saved.witness is not None
        case = {name: vector_text(value) for name, value in saved.witness.items()}
        inputs = f"The worst case is x={case['x']}, its neighbour x'={case['x_prime']} and the output {case['y']}"
        if saved.attained == INFINITY:
            return f"{inputs}, which is possible on x and impossible on x'."
        return f"{inputs}, which is {attained_text(saved)} times as likely on x as on x'."

    # -- claims ------------------------------------------------------------------------------------------------------

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        epsilon, ratio = given.get("epsilon"), claimed_ratio(given)
        if not is_claimed(given) or number(given.get("delta") or 0, "claim: delta") != 0:
            return []  # delta is claimed beside them
        check_claimed_ratio(epsilon, ratio)
        return [PureRequirement(cls(), ratio if epsilon is None else epsilon, epsilon is None)]

    @classmethod
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Goal]:
        if not is_claimed(given) or given.get("delta") is not None:
            return []
        gamma, base = budget_ratio(given)
        return [Goal(cls(), base.replace("=", "<="), gamma)]


def _quotients(model: Any, x: Any, x_prime: Any, remainder: Any) -> list[tuple[Any, Any, Any]]:
    """Return the outputs of two inputs with their ratio among followed runs, and the smallest that the true ratio can
    be.

    None if the outputs are too many to list.
    """
    try:
        own, other = model.distribution(x), model.distribution(x_prime)
    except TooLarge:
        return []
    found = []
    for y, mass in own.items():
        if y is not UNFOLLOWED and not surely_zero(mass):
            (low, high), (least, most) = ends(mass), ends(other.get(y, Fraction(0)))
            real = max(Fraction(1), low / (most + remainder))
            found.append((y, high / least if least > 0 else INFINITY, real))
    return found


@dataclass(frozen=True)
class PureRequirement(Requirement):
    """e^epsilon is at most what is claimed, by its logarithm or exactly."""

    exactly: bool = False
    """True if the limit is e^epsilon itself."""

    @property
    def words(self) -> str:
        return f"{'e^eps' if self.exactly else 'eps'} <= {typed(self.limit)}"

    def holds(self, model: Any, bound: PrivacyBound, **limits: Any) -> bool | None:
        return bound.holds(ratio=self.limit) if self.exactly else bound.holds(self.limit)

    def value(self, bound: PrivacyBound) -> Any:
        return bound.max_ratio

    def said(self, holds: bool | None, bound: PrivacyBound) -> str:
        limits = {} if self.exactly or holds is None else {"below" if holds else "above": self.limit}
        return bound.stated(**({} if bound.remainder else limits))

    def slack(self, bound: PrivacyBound) -> Any:
        if self.limit == INFINITY:
            return INFINITY
        return super().slack(bound) if self.exactly else gap_below(self.limit, bound.epsilon)

    def counterexample(self, model: Any, bound: PrivacyBound) -> Counterexample | None:
        if bound.remainder:
            return None
        x, x_prime, y = bound.witness.x, bound.witness.x_prime, bound.witness.y

        def again() -> tuple[Any, Any, str]:
            (own, how), (other, _) = model.replayed(x, y), model.replayed(x_prime, y)
            return own, other, how

        return Counterexample(x, x_prime, (y,), model.probability(x, y), model.probability(x_prime, y), again)


def is_claimed(given: Mapping[str, Any]) -> bool:
    """Return whether epsilon or e^epsilon is claimed."""
    return given.get("epsilon") is not None or claimed_ratio(given) is not None


def claimed_ratio(given: Mapping[str, Any]) -> Any:
    """Return the claimed limit on e^epsilon, which is given as ``ratio`` or as ``max_ratio``; None if there is none."""
    ratio, same = given.get("ratio"), given.get("max_ratio")
    if ratio is not None and same is not None:
        raise WrongArguments("claim: ratio and max_ratio are the same; give one of them.", value=same)
    return ratio if same is None else same


def check_claimed_ratio(epsilon: Any, ratio: Any) -> None:
    """Refuse a claimed epsilon or e^epsilon that makes no sense."""
    if epsilon is not None and ratio is not None:
        raise WrongArguments("claim: give epsilon, or ratio= for e^epsilon exactly, not both.", value=epsilon)
    if INFINITY in (epsilon, ratio):
        return
    if epsilon is not None:
        positive(epsilon, "epsilon")
    elif ends(number(ratio, "claim: ratio"))[0] < 1:
        raise InvalidNumber(f"claim: ratio = e^epsilon must be at least 1; got {ratio}.", value=ratio)


def budget_ratio(given: Mapping[str, Any]) -> tuple[Any, str]:
    """Return e^epsilon of a budget and its text, such as 'eps = 1'."""
    epsilon, ratio = given.get("epsilon"), given.get("ratio")
    if (epsilon is None) == (ratio is None):
        raise WrongArguments("calibrate: give either epsilon, or ratio= for e^epsilon exactly.", value=(epsilon, ratio))
    read = number(epsilon if ratio is None else ratio, f"calibrate: {'epsilon' if ratio is None else 'ratio'}")
    if (read.lower if isinstance(read, Ball) else read) < (0 if ratio is None else 1):
        least = "epsilon must not be negative" if ratio is None else "ratio = e^epsilon must be at least 1"
        raise InvalidNumber(f"calibrate: {least}; got {read}.", value=read)
    if ratio is not None:
        return read, f"{RATIO} = {typed(ratio)}"
    return (Fraction(1) if read == 0 else exp(read)), f"eps = {typed(epsilon)}"
