"""Privacy bounds: the largest quotient, its witness, and the classes of triples that share a quotient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import flint

from taut.errors import WrongArguments
from taut.numbers import INFINITY, Ball, ends, float_above
from taut.results.bound import Bound
from taut.results.claims import below_epsilon, below_ratio
from taut.results.text import class_dict, shown, surely, text_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PrivacyBound", "RatioClass", "Witness", "epsilon_of", "logarithm_above"]


@dataclass(frozen=True)
class Witness:
    """Neighbours x and x', and the output y that tells them apart best."""

    x: Any
    x_prime: Any
    y: Any


@dataclass(frozen=True)
class RatioClass:
    """All ordered triples (x, x', y) with one quotient: the quotient, how many there are, and one of them."""

    value: Any
    count: int
    locate: Callable[[], Witness] = field(repr=False, compare=False)

    @property
    def witness(self) -> Witness:
        return self.locate()

    def to_dict(self) -> dict[str, Any]:
        """The class for machines."""
        return class_dict(self)

    def __repr__(self) -> str:
        return f"RatioClass(value={self.value!r}, count={self.count}, witness={self.witness})"


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
        """The logarithm of the ratio, rounded up: the smallest float that is not below it.

        Logarithms of fractions are irrational, so no float is exact; rounded up, this one is still a true bound. So
        ``bound.epsilon <= math.log(2)`` can fail by one unit in the last place where e^eps is exactly 2; ask
        ``bound.holds(math.log(2))`` instead.
        """
        return epsilon_of(self.max_ratio)

    def holds(self, epsilon: Any = None, *, ratio: Any = None) -> bool | None:
        """Whether the mechanism is epsilon-differentially private, decided exactly.

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

    _saved = True
    _pictured = "privacy"

    def _figure(self, title: str | None) -> Figure:
        from taut.results.pair_figure import privacy_figure

        return privacy_figure(self, self._seen(), title)

    def __str__(self) -> str:
        if not self.exact:
            head = f"{shown(self.lower)} <= e^eps <= {shown(self.upper)}"
        else:
            head = f"e^eps = {surely(self.max_ratio)} (eps = {self.epsilon:.6g})"
        if self.neighbors is not None:
            head += f" for {self.neighbors} neighbours"
        if not self.witnessed:
            return f"{head}; no case was looked at"
        places = f"x={self.witness.x}, x'={self.witness.x_prime}, y={self.witness.y}"
        return f"{head}, at {places}; found by {self.method}"

    def _head(self) -> dict[str, Any]:
        return {
            "max_ratio": text_of(self.max_ratio),
            "epsilon": None if abs(self.epsilon) == INFINITY else self.epsilon,
            "infinite": self.max_ratio == INFINITY,
            "neighbors": self.neighbors,
        }


def epsilon_of(ratio: Any) -> float:
    """The smallest float that is not below the logarithm of an exact ratio."""
    return -INFINITY if ratio == 0 else logarithm_above(ratio)


def logarithm_above(value: Any, divisor: Any = 1) -> float:
    """The smallest float that is not below log(value) / divisor, for a Ball the logarithm of its upper end.

    As many bits are computed as tell which float is next above: the logarithm of a rational number other than one is
    none. How many digits the number itself has does not matter.
    """
    if value == INFINITY:
        return INFINITY
    most = ends(value)[1]
    if most == 1:
        return 0.0
    bits = 256
    while True:
        with flint.ctx.workprec(bits):
            exact = flint.arb(flint.fmpq(most.numerator, most.denominator))
            found = Ball(exact.log() / flint.arb(flint.fmpq(divisor.numerator, divisor.denominator)))
        above = float_above(found.upper)
        if float_above(found.lower) == above:
            return above
        bits *= 2
