"""The answer of a profile: delta for every epsilon at once, exactly, and what follows from it."""

from __future__ import annotations

import functools
import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from taut.composition.curve import Curve, gaussian_mu, gaussian_mu_above, lines_of
from taut.composition.products import composed_atoms
from taut.questions.bound import NO_WITNESS, Bound, Verification, delta_below, not_answered
from taut.questions.epsilon import EpsilonBound, ratio_at
from taut.questions.loss import LossDistribution
from taut.questions.pair_measure import PairWitness
from taut.questions.ratio import RATIO, brief_epsilon, epsilon_digits, ratio_of, required_delta
from taut.questions.text import between, found_by, plain_case, shown, text_of, vector_text
from taut.questions.tradeoff import Corner, TradeoffFunction
from taut.support.errors import InvalidInput, TooLarge, ToolMissing
from taut.support.exact import INFINITY, Ball, ends, float_above, in_precision
from taut.support.pictures.notebook import html_table
from taut.support.process import cached_property

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Piece", "PrivacyProfile"]

_MANY = 64
_MOST_RUNS = 10**100
_FLOAT_LOSS = Fraction(1, 1 << 40)
"""A relative margin above the rounding of sums of floats."""


class Piece(NamedTuple):
    """A straight piece of a profile: delta = mass - ratio * mass_prime for low <= ratio <= high.

    The event with these two probabilities on the witness's x and x' tells them apart best there.
    """

    low: Fraction
    high: Any
    mass: Fraction
    mass_prime: Fraction
    witness: PairWitness | None


@dataclass(frozen=True)
class PrivacyProfile(Bound):
    """The smallest delta for every epsilon, as a function of the ratio e^epsilon: convex, decreasing, piecewise linear.

    Guarantee:
        For every related pair (x, x'), every set S of outputs and every ratio, P(A(x) in S) <= ratio * P(A(x') in S) +
        delta(ratio=ratio). If ``exact``, some pair attains it at every ratio, and ``pieces`` say which; otherwise the
        truth lies between two curves. A composed profile bounds every adaptive composition of its parts; it is
        attained if ``tight``, that is if in each part one pair is worst at every ratio.
    """

    witness: PairWitness = field(default=PairWitness(None, None))
    """The pair that is worst at ratio 1, where it attains the total variation."""
    tight: bool = False
    """True if one pair is worst at every ratio (in a composition: in each of its parts)."""
    parts: tuple[tuple[PrivacyProfile, int], ...] = ()
    """The composed profiles, with multiplicities; empty for the profile of one mechanism."""
    mirrored: tuple[Curve, Curve] | None = field(repr=False, compare=False, default=None)
    """The lower and upper curve of all pairs (x', x), where probabilities are balls: so the complements of tests are
    known as precisely as the tests."""

    def limited_by(self, beyond: PrivacyProfile) -> Self:
        mirrored = self.mirrored
        if mirrored is not None and beyond.mirrored is not None:
            mirrored = (mirrored[0], beyond.mirrored[1])
        upper = self.lower if self.lower.agrees(beyond.upper) else beyond.upper
        return replace(self, upper=upper, tight=False, mirrored=mirrored)

    # -- the curve -----------------------------------------------------------------------------------------------

    def delta(self, epsilon: Any = None, *, ratio: Any = None) -> Any:
        """Return the smallest delta at an epsilon, or at e^epsilon given exactly as ``ratio``.

        Returns
        -------
        Fraction or Ball
            A Ball where e^epsilon is irrational; the upper end if the profile is not exact.

        Raises
        ------
        InvalidNumber
            Epsilon is negative, or the ratio below 1.
        """
        gamma = ratio_of(epsilon, ratio)
        low, high = self.delta_interval(ratio=gamma)
        if low == high or not self.exact:
            return high
        with in_precision():
            return Ball(Ball(low).arb.union(Ball(high).arb))

    def delta_interval(self, epsilon: Any = None, *, ratio: Any = None) -> tuple[Fraction, Fraction]:
        """Return two rational numbers between which delta lies."""
        gamma = ratio_of(epsilon, ratio)
        least, most = (gamma.lower, gamma.upper) if isinstance(gamma, Ball) else (gamma, gamma)
        low, high = _at(self.lower, most, 0), _at(self.upper, least, 1)
        return max(Fraction(0), low - (1 + most) * self.remainder), min(Fraction(1), high + self.remainder)

    def epsilon(self, delta: Any) -> EpsilonBound:
        """Return the smallest e^epsilon, at least 1, for which delta is enough.

        Raises
        ------
        InvalidProbability
            Delta is outside [0, 1].
        TooLarge
            There are so many runs that e^epsilon has millions of digits.
        """
        value = required_delta(delta)
        above: Any = INFINITY if value < self.remainder else _ratio(self.upper, value - self.remainder, 1)
        below, wide, far = self._below(value, above)
        found = EpsilonBound(
            below,
            above,
            self.method,
            self.stats,
            neighbors=self.neighbors,
            measure=RATIO,
            delta=value,
            remainder=self.remainder,
        )
        if self.parts:
            return replace(found, witnessed=False, runs=sum(count for _, count in self.parts), tight=self.tight)
        if not self.witnessed:
            return replace(found, witnessed=False)
        replayed = None if self.replay is None else functools.partial(_replayed_ratio, self.replay, wide, far)
        witness = self.lower.line_reaching(wide).pair
        asked = None if self.question is None else self.question.at_delta(value)
        return replace(found, witness=witness, replay=replayed, keep=self.keep, view=self.view, question=asked)

    def _below(self, delta: Fraction, above: Any) -> tuple[Any, Fraction, Any]:
        """Return a lower end of e^epsilon, with the delta and the ratio that prove it."""
        if not self.remainder:
            return _ratio(self.lower, delta, 0), delta, INFINITY
        wide, far = delta_below(delta, above, self.remainder)
        return min(far, _ratio(self.lower, wide, 0)), wide, far

    @property
    def corners(self) -> list[tuple[Fraction, Fraction]]:
        """The points (e^epsilon, delta) with e^epsilon >= 1 where the slope changes, and both ends, exactly.

        The first is at 1, the last where delta becomes constant. Not known for a composition that is not exact.
        """
        curve = self._lines("corners")
        inner = [corner for corner in reversed(curve.corners) if corner[0] > 1]
        return [(Fraction(1), curve(Fraction(1))), *inner]

    @property
    def pieces(self) -> list[Piece]:
        """The straight pieces from e^epsilon = 1 on, each with the pair that is worst there."""
        curve = self._lines("pieces")
        ends: list[Any] = [INFINITY, *[corner[0] for corner in curve.corners], Fraction(0)]
        pieces = []
        for line, high, low in zip(curve.lines, ends, ends[1:], strict=False):
            if high > 1:
                pieces.append(Piece(max(low, Fraction(1)), high, line.mass, line.mass_prime, line.pair))
        return pieces[::-1]

    @property
    def dominating_pair(self) -> list[tuple[Any, Fraction, Fraction]]:
        """Two distributions with exactly this profile: (ratio, mass under P, mass under Q), the largest ratio first.

        Every pair of neighbours is a post-processing of these two.
        """
        return self._lines("a dominating pair").atoms

    # -- what follows --------------------------------------------------------------------------------------------

    def compose(self, *others: Any) -> PrivacyProfile:
        """Return the profile of several runs: ``compose(10)`` of ten of this mechanism, ``compose(p, q)`` of this and
        others.

        The answers of earlier runs may decide what is asked in later ones. Exact as long as there are few different
        ratios, else a certified interval.

        Raises
        ------
        InvalidInput
            What is given is neither one whole number of at least 1 nor profiles.
        TooLarge
            There are so many runs that a probability has millions of digits.
        """
        if len(others) == 1 and isinstance(others[0], int) and not isinstance(others[0], bool) and others[0] >= 1:
            return _composed([(part, count * others[0]) for part, count in self._parts])
        if others and all(isinstance(other, PrivacyProfile) for other in others):
            return _composed([part for one in (self, *others) for part in one._parts])
        raise InvalidInput(
            f"compose: expected a whole number of runs, at least 1, or other profiles; got {others!r}.", value=others
        )

    def tradeoff(self) -> TradeoffFunction:
        """Return the trade-off function of this profile: the convex one, which post-processing cannot lower."""
        curve = self._lines("a trade-off function")
        corners = [Corner(1 - line.mass, line.mass_prime, line.pair) for line in reversed(curve.lines)]
        return TradeoffFunction([*corners, Corner(Fraction(1), Fraction(0), curve.lines[0].pair)])

    @cached_property
    def gaussian(self) -> float:
        """The smallest mu for which everything here is mu-Gaussian differentially private, rounded up.

        For a composition that is not exact the root of the sum of the squares of its parts, which is enough. INFINITY
        where no mu is enough, or none is known to be: ``gaussian_lower`` tells the two apart.
        """
        if self.remainder:
            return INFINITY  # runs that were not followed may return what tells all
        if self.exact:
            return float_above(ends(gaussian_mu(self.upper.lines))[1])
        if not self.parts:
            return INFINITY if self.mirrored is None else float_above(gaussian_mu_above(self.upper, self.mirrored[1]))
        total = sum(
            count * Fraction(part.gaussian) ** 2 if part.gaussian < INFINITY else INFINITY for part, count in self.parts
        )
        if total == INFINITY:
            return INFINITY
        with in_precision():
            return float_above(Ball(Ball(total).arb.sqrt()).upper)

    @cached_property
    def gaussian_lower(self) -> float:
        """A lower bound of mu, rounded down; INFINITY where no mu is enough."""
        if self.remainder:
            return 0.0
        if self.parts and not self.exact:
            return max(part.gaussian_lower for part, _ in self.parts)
        curves = [self.lower] if self.mirrored is None else [self.lower, self.mirrored[0]]
        return -float_above(-max(ends(gaussian_mu(curve.lines))[0] for curve in curves))

    def to_dp_accounting(self, interval: float = 1e-4) -> Any:
        """Return the profile as a privacy loss distribution of Google's dp_accounting, on the safe side.

        Losses are rounded up to multiples of ``interval``, and masses up, by a little more than the other side loses
        in floats; so delta and epsilon asked there are at least the exact ones. What is composed *there* goes through
        a Fourier transform in floats, without a certificate. A composition that is not exact is composed there.

        Raises
        ------
        ToolMissing
            The package dp_accounting is not installed: ``pip install 'taut[accounting]'``.
        InvalidInput
            The interval is not positive.

        Examples
        --------
        >>> from taut import bits
        >>> from taut.mechanisms import randomized_response
        >>> profile = randomized_response(bits(1), lam="1/5").profile()
        >>> profile.to_dp_accounting().get_delta_for_epsilon(1.0)  # doctest: +SKIP
        0.25637...
        """
        if self.remainder:
            raise not_answered("to_dp_accounting", self.remainder)
        if not interval > 0:
            raise InvalidInput(f"to_dp_accounting: interval must be positive; got {interval}.", value=interval)
        try:
            from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
        except ImportError:
            raise ToolMissing(
                "to_dp_accounting() needs the package dp_accounting: pip install 'taut[accounting]'.", value=None
            ) from None
        if not isinstance(self.upper, Curve):
            runs = [part.to_dp_accounting(interval).self_compose(count) for part, count in self.parts]
            whole = runs[0]
            for run in runs[1:]:
                whole = whole.compose(run)
            return whole
        masses: dict[int, float] = {}
        infinite = 0.0
        for ratio, mass, _ in self.upper.atoms:
            if not mass:
                continue
            share = float_above(mass * (1 + _FLOAT_LOSS))
            if ratio == INFINITY:
                infinite += share
            else:
                cell = _cell(ratio, interval)
                masses[cell] = masses.get(cell, 0.0) + share
        return PrivacyLossDistribution.create_from_rounded_probability(masses, infinite, interval)

    _pictured = "privacy profile"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.curve_figure import profile_figure

        return profile_figure(self, title)

    # -- as every bound ------------------------------------------------------------------------------------------

    @property
    def exact(self) -> bool:
        """True if the curve is known exactly; not if too much was composed, or if it is made of balls."""
        return self.lower is self.upper and isinstance(self.upper, Curve) and not self.remainder

    @property
    def complete(self) -> bool:
        if self.parts:
            return all(part.complete for part, _ in self.parts)
        return self.exact or not self.stats.get("stopped")

    @property
    def attained(self) -> Any:
        return self.delta_interval(ratio=1)[0]

    @property
    def pairs(self) -> list[PairWitness]:
        """The pairs that are the worst at some e^eps, which together attain the curve."""
        return list(dict.fromkeys(line.pair for line in self.lower.lines if line.pair is not None))

    @property
    def places(self) -> list[Fraction]:
        """Places that decide whether two curves are equal: e^eps = 1, and all corners."""
        return [Fraction(1), *[corner[0] for corner in self.lower.corners]]

    def verify(self) -> Verification:
        """Replay the pair of every piece through the enumerator: their curves have to be this one."""
        if self.parts:
            raise InvalidInput(
                "verify is for the profile of one mechanism; verify the parts of a composition.", value=self
            )
        if not self.witnessed:
            return Verification(True, self.attained, self.attained, NO_WITNESS)
        replay = self._replayed()
        replayed = [replay(pair) for pair in self.pairs]
        curve = Curve(line for loss, _ in replayed for line in lines_of(loss.rational(up=False)))
        # where runs were not followed, these are the curves of those that were
        claimed, again = [self.lower(place) for place in self.places], [curve(place) for place in self.places]
        method = ", ".join(dict.fromkeys(method for _, method in replayed))
        close = all(abs(a - b) < Fraction(1, 2**150) for a, b in zip(claimed, again, strict=True))
        rounded = self.lower is not self.upper or not all(loss.exact for loss, _ in replayed)
        return Verification(claimed == again or (rounded and close), claimed, again, method)

    def __str__(self) -> str:
        ends = self.delta_interval(ratio=1)
        at_one = between(*ends)
        if self.exact:
            last, limit, count = self.corners[-1][0], self.upper.lines[0].mass, len(self.pieces)
            rest = f"and {shown(limit)} from {brief_epsilon(last, last)} on"
            size = f"{count} piece{'s' if count > 1 else ''}, delta = {at_one} at eps = 0 {rest}"
        else:
            unfinished = "" if self.complete else "not finished, "
            at_one = between(*ends) if self.remainder else at_one
            size = f"{unfinished}certified intervals, delta {at_one} at eps = 0"
        if not self.parts:
            kind = "privacy profile" + ("" if self.neighbors is None else f" for {self.neighbors} neighbours")
        else:
            runs = sum(count for _, count in self.parts)
            kind = f"privacy profile of {runs} runs ({'tight' if self.tight else 'an upper bound'})"
        return f"{kind}: {size}; {found_by(self.method)}{self._unfollowed()}"

    def _repr_html_(self) -> str:
        head = f"<p>{html.escape(str(self))}</p>"
        if not isinstance(self.upper, Curve) or self.remainder:
            return head + self._inline_picture()
        rows = []
        for piece in self.pieces:
            pair = piece.witness
            where = ["", ""] if pair is None else [vector_text(pair.x), vector_text(pair.x_prime)]
            delta = piece.mass - piece.low * piece.mass_prime
            epsilons = [epsilon_digits(end) for end in (piece.low, piece.high)]
            rows.append([*epsilons, shown(piece.low), shown(piece.high), shown(delta), *where])
        return (
            head
            + html_table(["eps from", "to", "e^eps from", "to", "delta falls from", "x", "x'"], rows, len(rows))
            + self._inline_picture()
        )

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "exact": self.exact,
            "tight": self.tight,
            "method": self.method,
            "neighbors": self.neighbors,
            "gaussian": self.gaussian if self.gaussian < INFINITY else None,
            "infinite": self.gaussian_lower == INFINITY,
            "runs": sum(count for _, count in self._parts),
            "stats": dict(self.stats),
        }
        found |= self._plain_remainder()
        if isinstance(self.upper, Curve) and not self.remainder:
            found["corners"] = [[text_of(gamma), text_of(delta)] for gamma, delta in self.corners]
            found["pieces"] = [
                {
                    "low": text_of(piece.low),
                    "high": text_of(piece.high),
                    "mass": text_of(piece.mass),
                    "mass_prime": text_of(piece.mass_prime),
                    "witness": plain_case(piece.witness),
                }
                for piece in self.pieces
            ]
        return found

    @property
    def _parts(self) -> list[tuple[PrivacyProfile, int]]:
        return list(self.parts) or [(self, 1)]

    def _lines(self, what: str) -> Curve:
        if self.remainder:
            raise not_answered(what, self.remainder)
        if not isinstance(self.upper, Curve):
            raise InvalidInput(
                f"{what} cannot be listed for a composition that is not exact; ask for delta(...) or epsilon(...).",
                value=self,
            )
        return self.upper


def _composed(parts: Sequence[tuple[PrivacyProfile, int]]) -> PrivacyProfile:
    from taut.composition.certified import CertifiedComposition  # which brings NumPy along

    merged: dict[int, tuple[PrivacyProfile, int]] = {}
    for part, count in parts:
        merged[id(part)] = (part, merged.get(id(part), (part, 0))[1] + count)
    runs = tuple(merged.values())
    if sum(count for _, count in runs) > _MOST_RUNS:
        raise TooLarge("compose: more than 10^100 runs are not followed. Compose fewer runs.", value=runs)
    curves: list[Any] = []
    for side in ("lower", "upper"):
        if side == "upper" and all(part.lower is part.upper for part, _ in runs):
            curves.append(curves[0])
            continue
        atoms = [(getattr(part, side).atoms, count) for part, count in runs]
        rounded = any(part.lower is not part.upper for part, _ in runs) and max(len(one) for one, _ in atoms) > _MANY
        exact = None if rounded else composed_atoms(atoms)  # the quotients of balls have nothing in common
        curves.append(CertifiedComposition(atoms) if exact is None else Curve(lines_of(exact)))
    tight = all(part.tight for part, _ in runs)
    return PrivacyProfile(
        curves[0],
        curves[1],
        method="composition",
        stats={"runs": sum(count for _, count in runs), "tight": tight},
        witness=runs[0][0].witness,
        tight=tight,
        parts=runs,
        remainder=min(Fraction(1), sum((count * part.remainder for part, count in runs), Fraction(0))),
    )


def _replayed_ratio(
    replay: Callable[[PairWitness], tuple[LossDistribution, str]], delta: Fraction, most: Any, witness: PairWitness
) -> tuple[Any, str]:
    loss, how = replay(witness)
    return min(most, ratio_at(loss, delta)), how


def _at(curve: Any, gamma: Fraction, side: int) -> Fraction:
    return curve.interval(gamma)[side] if not isinstance(curve, Curve) else curve(gamma)


def _ratio(curve: Any, delta: Fraction, side: int) -> Any:
    if not isinstance(curve, Curve):
        return curve.ratio(delta, side)
    return max(Fraction(1), curve.inverse(delta))


def _cell(ratio: Fraction, interval: float) -> int:
    """Return the smallest multiple of an interval that is not below the logarithm of a ratio."""
    if ratio == 1:
        return 0
    with in_precision():
        loss = Ball(Ball(ratio).arb.log())
    return math.ceil(loss.upper / Fraction(interval))
