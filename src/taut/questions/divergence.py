"""Any divergence of neighbours: the largest sum over outputs of a function of two probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from taut.questions.field import asked
from taut.questions.pair_measure import Divergence, DivergenceBound, arb_of, positive_part
from taut.questions.pairs import DivergenceQuestion
from taut.questions.question import question
from taut.questions.rows import Number, Row
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, Ball, in_precision

__all__ = ["MEASURES", "ChiSquared", "KullbackLeibler", "LargestDivergence", "SquaredHellinger", "TotalVariation"]


class TotalVariation(Divergence):
    """The sum of max(0, p - q): the largest difference of the probabilities of any set of outputs."""

    monotone = True
    kink = Fraction(1)

    @property
    def name(self) -> str:
        return "total variation"

    def phi(self, p: Any, q: Any) -> Any:
        return positive_part(p - q)


class KullbackLeibler(Divergence):
    """The sum of p log(p / q), a Ball; infinite where only x has an output."""

    monotone = True

    @property
    def name(self) -> str:
        return "Kullback-Leibler divergence"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p * 0
        if q == 0:
            return INFINITY
        if p == q and isinstance(p, Fraction):
            return Fraction(0)
        with in_precision():
            return p * Ball(arb_of(p / q).log())


class ChiSquared(Divergence):
    """The sum of (p - q)^2 / q; infinite where only x has an output."""

    algebraic = monotone = True
    moment = Fraction(2)

    @property
    def name(self) -> str:
        return "chi-squared divergence"

    def phi(self, p: Any, q: Any) -> Any:
        if q == 0:
            return INFINITY
        return (p - q) ** 2 / q


class SquaredHellinger(Divergence):
    """The sum of (sqrt(p) - sqrt(q))^2, between 0 and 2; a Ball unless all roots are rational."""

    monotone = True

    @property
    def name(self) -> str:
        return "squared Hellinger distance"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0 or q == 0 or (p == q and isinstance(p, Fraction)):
            return p + q if p == 0 or q == 0 else Fraction(0)
        with in_precision():
            return p + q - 2 * Ball(arb_of(p * q).sqrt())


MEASURES: dict[str, type[Divergence]] = {
    "total_variation": TotalVariation,
    "kullback_leibler": KullbackLeibler,
    "chi_squared": ChiSquared,
    "squared_hellinger": SquaredHellinger,
}
"""The divergences that have a name on the command line."""


def _read_measure(given: Any) -> Divergence:
    """Read a divergence: a value, or one of the names."""
    if isinstance(given, str) and given in MEASURES:
        return MEASURES[given]()
    if isinstance(given, type) and issubclass(given, Divergence):
        return given()
    if not isinstance(given, Divergence):
        raise InvalidInput(
            f"divergence: expected a measure of taut.measures, like TotalVariation(); got {given!r}.", value=given
        )
    return given


@question
class LargestDivergence(DivergenceQuestion[DivergenceBound]):
    """The largest divergence of neighbours by any measure that is a sum over outputs, such as total variation."""

    name = "divergence"
    title = "Divergences"
    menu = "Divergences"
    layout = None

    measure: Any = asked(
        _read_measure,
        help=f"With commas: {', '.join(MEASURES)}, or file.py:Class.",
        label="measures, with commas",
        first="total_variation",
        usual="total_variation",
        named=MEASURES,
        each="measures",
    )

    @property
    def label(self) -> str:
        return str(self.measure.name)

    def to_measure(self) -> Divergence:
        chosen: Divergence = self.measure
        return chosen

    @property
    def short(self) -> str:
        return next((name for name, kind in MEASURES.items() if type(self.measure) is kind), self.label)

    def place(self) -> list[Row]:
        return []

    def program(self, more: Sequence[str] = ()) -> list[str]:
        measure = type(self.measure)
        name = f"taut.measures.{measure.__name__}" if measure in MEASURES.values() else measure.__name__
        return [f"print(model.divergence({', '.join([f'{name}()', *more])}))"]

    def numbers(self, bound: DivergenceBound) -> list[Number]:
        return [Number(self.label.replace(" ", "_"), self.label, bound.value)]
