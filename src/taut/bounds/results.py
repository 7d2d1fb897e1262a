"""What a bound says: the exact number, the worst case that attains it, and how it was found."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint

from taut.numbers import INFINITY, Ball, fraction_of_text

__all__ = ["AccuracyBound", "AccuracyWitness", "PrivacyBound", "Verification", "Witness", "epsilon_of", "shown"]


@dataclass(frozen=True)
class Witness:
    """Neighbours x and x', and the output y that tells them apart best."""

    x: Any
    x_prime: Any
    y: Any


@dataclass(frozen=True)
class AccuracyWitness:
    """The input on which the mechanism is least (or most) accurate."""

    x: Any


@dataclass(frozen=True)
class Verification:
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


@dataclass(frozen=True)
class Bound:
    """What all bounds share: the certified interval, how it was found, and what that took."""

    lower: Any
    upper: Any
    method: str
    stats: Mapping[str, Any]
    count: int | None
    """How many cases attain the value; None where they were not all looked at."""
    replay: Callable[[Any], tuple[Any, str]] | None = field(repr=False, compare=False, default=None)
    """Evaluates a witness again; given by the model."""
    account: Callable[[], str] | None = field(repr=False, compare=False, default=None)
    """Tells how the bound was found; given by the search."""

    @property
    def exact(self) -> bool:
        """Whether the interval is a single number."""
        return bool(self.lower == self.upper)

    def verify(self) -> Verification:
        """Replay the witness without any diagram, by the user's function where there is one; compare with ``==``."""
        assert self.replay is not None
        replayed, method = self.replay(self.case)
        claimed = self.attained
        if isinstance(claimed, Ball) and isinstance(replayed, (Ball, Fraction)):
            ball = replayed if isinstance(replayed, Ball) else Ball(replayed)
            return Verification(bool(claimed.arb.overlaps(ball.arb)), claimed, replayed, method)
        return Verification(bool(claimed == replayed), claimed, replayed, method)

    def explain(self) -> str:
        """How the bound was found, in words: what was looked at, what was merged and pruned, and what is open."""
        head = f"{self}" + (f", because {self.stats['why']}" if "why" in self.stats else "")
        if self.account is not None:
            return f"{head}\n{self.account()}"
        counts = ", ".join(f"{value} {key}" for key, value in self.stats.items() if not key.endswith("seconds"))
        return f"{head}\nLooked at: {counts}."

    @property
    def attained(self) -> Any:
        """The value that the witness attains."""
        raise NotImplementedError

    @property
    def case(self) -> Any:
        """The witness."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(str(key))}</th><td>{html.escape(str(value))}</td></tr>"
            for key, value in _flat(self.to_dict())
        )
        return f"<table>{rows}</table>"


@dataclass(frozen=True)
class PrivacyBound(Bound):
    """The smallest e^epsilon for which a mechanism is epsilon-differentially private.

    Guarantee:
        For every related pair (x, x') and every set S of outputs, P(A(x) in S) <= max_ratio * P(A(x') in S); if
        ``exact``, the witness attains it.
    """

    witness: Witness = field(default=Witness(None, None, None))

    @property
    def max_ratio(self) -> Any:
        """e^epsilon: a Fraction, a Ball or INFINITY; the upper end where the bound is not exact."""
        return self.upper

    @property
    def epsilon(self) -> float:
        """The logarithm of the ratio, rounded up: the smallest float that is not below it."""
        return epsilon_of(self.max_ratio)

    @property
    def attained(self) -> Any:
        return self.lower

    @property
    def case(self) -> Witness:
        return self.witness

    def __str__(self) -> str:
        if not self.exact:
            head = f"{shown(self.lower)} <= e^eps <= {shown(self.upper)}"
        else:
            head = f"e^eps = {shown(self.max_ratio)} exactly (eps = {self.epsilon:.6g})"
        places = f"x={self.witness.x}, x'={self.witness.x_prime}, y={self.witness.y}"
        return f"{head}, at {places}; found by {self.method}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "max_ratio": text_of(self.max_ratio),
            "epsilon": str(self.epsilon) if abs(self.epsilon) == INFINITY else self.epsilon,
            "lower": text_of(self.lower),
            "upper": text_of(self.upper),
            "exact": self.exact,
            "method": self.method,
            "witness": {key: plain(getattr(self.witness, key)) for key in ("x", "x_prime", "y")},
            "count": self.count,
            "stats": dict(self.stats),
        }


@dataclass(frozen=True)
class AccuracyBound(Bound):
    """The smallest probability, over all inputs, that the output lies within alpha of its target.

    Guarantee:
        P(distance(A(x), target(x)) <= alpha) >= probability for every x; if ``exact``, the witness attains it.
    """

    alpha: Any = 0
    witness: AccuracyWitness = field(default=AccuracyWitness(None))
    best: bool = False
    """Whether this is the largest probability, of the best case, instead of the smallest."""

    @property
    def probability(self) -> Any:
        """1 - beta; the lower end where the bound is not exact (for a best case the upper end)."""
        return self.upper if self.best else self.lower

    @property
    def beta(self) -> Any:
        return 1 - self.probability

    @property
    def attained(self) -> Any:
        return self.lower if self.best else self.upper

    @property
    def case(self) -> AccuracyWitness:
        return self.witness

    def __str__(self) -> str:
        if not self.exact:
            head = f"{shown(self.lower)} <= 1-beta <= {shown(self.upper)}"
        else:
            head = f"1-beta = {shown(self.probability)} exactly"
        return f"{head} for alpha = {self.alpha}, at x={self.witness.x}; found by {self.method}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "probability": text_of(self.probability),
            "beta": text_of(self.beta),
            "alpha": text_of(self.alpha),
            "lower": text_of(self.lower),
            "upper": text_of(self.upper),
            "exact": self.exact,
            "method": self.method,
            "witness": {"x": plain(self.witness.x)},
            "count": self.count,
            "stats": dict(self.stats),
        }


def epsilon_of(ratio: Any) -> float:
    """The smallest float that is not below the logarithm of an exact ratio."""
    if ratio == INFINITY:
        return INFINITY
    if ratio == 1:
        return 0.0
    if ratio == 0:
        return -INFINITY
    with flint.ctx.workprec(_precision(ratio)):
        exact = ratio.arb if isinstance(ratio, Ball) else flint.arb(flint.fmpq(ratio.numerator, ratio.denominator))
        upper = Ball(exact.log()).upper
    guess = float(upper)
    while Fraction(guess) < upper:
        guess = math.nextafter(guess, math.inf)
    while Fraction(math.nextafter(guess, -math.inf)) >= upper:
        guess = math.nextafter(guess, -math.inf)
    return guess


def _precision(ratio: Any) -> int:
    """Enough bits for the logarithm of a ratio however close to one it is."""
    if isinstance(ratio, Ball):
        return 256
    return 256 + 2 * max(int(ratio.numerator).bit_length(), int(ratio.denominator).bit_length())


def shown(value: Any) -> str:
    """A number for people: exact if that is short, else a decimal with the exact value left to ``str``."""
    if value == INFINITY:
        return "infinity"
    if isinstance(value, Ball):
        return f"{float(value):.10g} ± {float(value.radius):.1g}"
    text = str(value)
    if isinstance(value, Fraction) and len(text) > 24:
        return f"{_telling(value)} (a fraction of {len(text)} digits)"
    if isinstance(value, Fraction) and value.denominator > 1:
        decimal = _decimal(value)
        return f"{text} = {decimal}" if fraction_of_text(decimal) == value else f"{text} = {decimal}..."
    return text


def text_of(value: Any) -> Any:
    """A number for machines: fractions as 'p/q', infinity as 'inf', balls with their ends."""
    if value == INFINITY:
        return "inf"
    if isinstance(value, Ball):
        return {"mid": float(value), "radius": float(value.radius)}
    return str(value)


def plain(value: Any) -> Any:
    """A database or an output for machines: tuples as lists, numbers that are no integers as text."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (int, float, str)) else str(value)


def _telling(value: Fraction) -> str:
    """A fraction with ten digits, or as many more as show that it is not the whole number beside it."""
    near = round(value)
    if near == 0 or abs(value - near) * 10**9 > abs(near):
        return _decimal(value)
    sign = "+" if value > near else "-"
    return f"{near} {sign} {float(abs(value - near)):.2g}"


def _decimal(value: Fraction) -> str:
    """A fraction with ten digits, however large or small."""
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    if value == 0 or 1e-300 < abs(near) < 1e300:
        return f"{near:.10g}"
    with flint.ctx.workprec(256):
        text: str = flint.arb(flint.fmpq(value.numerator, value.denominator)).str(10, radius=False)
    return text


def _flat(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += [(f"{key} {inner}", item) for inner, item in value.items()]
        else:
            rows.append((key, value))
    return rows
