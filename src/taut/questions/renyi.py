"""Rényi differential privacy: the largest Rényi moment and divergence of an order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from taut.questions.bound import Bound
from taut.questions.claimed import Goal, Requirement, gap_below, limit_of, positive, typed
from taut.questions.field import Numbers, asked
from taut.questions.measure import Measure
from taut.questions.pair_measure import Divergence, DivergenceBound, arb_of
from taut.questions.pairs import DivergenceQuestion
from taut.questions.privacy import LargestRatio
from taut.questions.question import Question, question
from taut.questions.ratio import below_epsilon, logarithm_above
from taut.questions.rows import Headline, Number, Row, Swept, TextTable, cell_text, pair_texts, value_text
from taut.questions.saved import Layout, SavedAnswer, limit_text
from taut.questions.text import brief_interval, float_dict, outward, rounded_up, shown, text_of
from taut.questions.zcdp import Zcdp
from taut.support.errors import InvalidNumber, TooLarge
from taut.support.exact import INFINITY, Ball, ends, exp, in_precision, large, number

__all__ = ["Renyi", "RenyiBound", "RenyiMoment"]

_MOST_BITS = 1 << 20
"""Limit for the bits of a power that is added exactly."""


@dataclass(frozen=True)
class RenyiBound(DivergenceBound):
    """The largest Rényi moment, the sum of p^order q^(1 - order), of the output distributions of two neighbours."""

    order: Any = None

    @property
    def moment(self) -> Any:
        """A Fraction for whole orders, else a Ball; INFINITY where only one of two neighbours has some output."""
        return self.upper

    @property
    def divergence(self) -> float:
        """The Rényi divergence, log(moment) / (order - 1), rounded up: the smallest float that is not below it."""
        return logarithm_above(self.moment, self.order - 1)

    def _named(self) -> str:
        return f"moment of order {self.order}"

    def _also(self) -> str:
        return f" (divergence {rounded_up(self.divergence)})"

    def _head(self) -> dict[str, Any]:
        return {
            "order": text_of(self.order),
            "moment": text_of(self.moment),
            **float_dict("divergence", self.divergence, self.lower),
            "neighbors": self.neighbors,
        }


@dataclass(frozen=True)
class RenyiMoment(Divergence):
    """The sum of p^order * q^(1 - order); infinite where only x has an output.

    Its logarithm over order - 1 is the Rényi divergence. A Fraction for whole orders, a Ball for others.

    Parameters
    ----------
    order
        A rational number above 1.
    """

    monotone = multiplicative = True
    order: Any

    def __post_init__(self) -> None:
        order = number(self.order, "renyi: order")
        if isinstance(order, Ball) or order <= 1:
            raise InvalidNumber(f"renyi: order must be a rational number above 1; got {self.order}.", value=self.order)
        object.__setattr__(self, "order", order)

    def implied(self, other: Measure, limit: Any) -> Any:
        """From the largest ratio R, p (p / q)^(order - 1) <= p R^(order - 1)."""
        power = math.ceil(self.order - 1)
        if not isinstance(other, LargestRatio) or power * Fraction(limit).numerator.bit_length() > _MOST_BITS:
            return None
        return Fraction(limit) ** power

    @property
    def algebraic(self) -> bool:  # type: ignore[override]
        return bool(self.order.denominator == 1)

    @property
    def moment(self) -> Any:
        return self.order

    @property
    def name(self) -> str:
        return f"Rényi moment of order {self.order}"

    def phi(self, p: Any, q: Any) -> Any:
        if p == 0:
            return p * 0
        if q == 0:
            return INFINITY
        if self.order.denominator == 1:
            self._require_digits(p / q)
            return p * (p / q) ** (int(self.order) - 1)
        with in_precision():
            return p * Ball(arb_of(p / q) ** arb_of(self.order - 1))

    def _require_digits(self, quotient: Any) -> None:
        """Refuse a power of a rational ratio that has too many digits to be added up exactly."""
        if not isinstance(quotient, Fraction) or quotient == 1:
            return
        bits = self.order * max(quotient.numerator.bit_length(), quotient.denominator.bit_length())
        if bits > _MOST_BITS:
            raise TooLarge(
                f"renyi: a moment of order {large(int(self.order))} would have about {large(int(bits * 3 // 10))} "
                f"digits here; at most {_MOST_BITS * 3 // 10} are followed. Take a smaller order, or one that is not a "
                "whole number, whose moment is enclosed and not written out.",
                value=self.order,
            )

    def bound(self, attained: Any, limit: Any, **parts: Any) -> Bound:
        return RenyiBound(attained, limit, measure=self.name, order=self.order, **parts)


@question
class Renyi(DivergenceQuestion[RenyiBound]):
    """The largest Rényi divergence of neighbours, exact for whole orders; with --zcdp also rho."""

    name = "renyi"
    title = "Rényi divergence"
    weight = 2.0
    color = 3
    of_runs = pow
    companion = Zcdp
    claims: ClassVar[Mapping[str, str]] = {"renyi": "the largest Rényi divergence, as ORDER,DIVERGENCE"}
    layout = Layout(Numbers(1, INFINITY))

    order: Any = asked(
        lambda given: RenyiMoment(given).order,
        help="Orders above 1, with commas: 2,4,8.",
        label="orders above 1, with commas",
        first="2,4,8",
        usual="2",
        each="orders",
        saved=Numbers(1, 100_000, rational=True, above=True),
    )

    @property
    def label(self) -> str:
        return f"Rényi moment of order {self.order}"

    @property
    def short(self) -> str:
        return f"order {self.order}"

    def to_measure(self) -> RenyiMoment:
        return RenyiMoment(self.order)

    def algebraic(self) -> RenyiMoment:
        if self.order.denominator != 1:
            raise InvalidNumber(
                f"renyi: with a parameter left free the order must be a whole number; got {self.order}.",
                value=self.order,
            )
        return self.to_measure()

    # -- showing -----------------------------------------------------------------------------------------------------

    def rows(self, bound: RenyiBound) -> list[Row]:
        return [
            ("divergence", f"{rounded_up(bound.divergence, 10)}, rounded up, of order {bound.order}"),
            ("moment", value_text(bound)),
            *self.pair_rows(bound),
        ]

    @classmethod
    def compared(cls, label: str, bounds: Sequence[Any]) -> TextTable:
        rows = []
        for bound in bounds:
            if isinstance(bound, RenyiBound):
                row = [str(bound.order), rounded_up(bound.divergence), cell_text(bound)]
            else:
                row = ["zCDP", f"rho = {rounded_up(bound.rho, 7)}", ""]
            rows.append([*row, *pair_texts(bound.witness)])
        headings = ["order", "divergence", "moment", "x", "x'"]
        return TextTable(f"Rényi divergence of {label}, {bounds[0].neighbors} neighbours", headings, rows)

    def headline(self, bound: RenyiBound) -> Headline:
        moment = f"moment {brief_interval(bound.lower, bound.upper).removeprefix('= ')}"
        text = rounded_up(bound.divergence)
        if not bound.exact:
            least = -logarithm_above(1 / Fraction(max(1, ends(bound.lower)[0])), self.order - 1)
            text = f"{outward(least, 6, up=False)} … {text}"
        return Headline(
            f"Rényi divergence of order {self.order}",
            bound.lower,
            bound.upper,
            "the divergence is rounded up",
            text=text.replace("infinity", "∞"),
            beside=moment,
        )

    def picture_title(self) -> str:
        return f"The worst pair of order {self.order}"

    def numbers(self, bound: RenyiBound) -> list[Number]:
        return [
            Number("moment", f"moment of order {bound.order}", bound.moment),
            Number("divergence", "divergence", bound.divergence, exact=False),
        ]

    def swept(self, bound: RenyiBound) -> Swept:
        return Swept(bound.divergence, f"Rényi divergence of order {bound.order}", "divergence")

    @classmethod
    def reported(cls) -> Sequence[Question[Any]]:
        return [*[cls(order) for order in (2, 4, 8)], Zcdp()]

    # -- saving ------------------------------------------------------------------------------------------------------

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        divergence = logarithm_above(saved.upper, saved.question["order"] - 1)
        within = "is infinite" if divergence == INFINITY else f"is at most {rounded_up(divergence)}"
        return (
            f"For {saved.neighbors} neighbours the Rényi moment of order {shown(saved.question['order'])} is at most "
            f"{limit_text(saved)}, so that the Rényi divergence of this order {within}."
        )

    # -- claims ------------------------------------------------------------------------------------------------------

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        if given.get("renyi") is None:
            return []
        order, divergence = cls.parts(given["renyi"], "claim", "divergence")
        if ends(positive(order, "renyi: order"))[0] <= 1:
            raise InvalidNumber(f"claim: renyi: the order must be above 1; got {order}.", value=order)
        positive(divergence, "renyi: divergence")
        return [RenyiRequirement(cls(order), divergence, order)]

    @classmethod
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Goal]:
        if given.get("renyi") is None:
            return []
        order, divergence = cls.parts(given["renyi"], "calibrate", "divergence")
        most = number(divergence, "calibrate: the Rényi divergence")
        whole = number(order, "calibrate: the Rényi order")
        if isinstance(most, Ball) or isinstance(whole, Ball) or most < 0:
            raise InvalidNumber(
                f"calibrate: renyi={given['renyi']!r}: the divergence must not be negative.", value=given["renyi"]
            )
        limit = exp(most * (whole - 1)) if most else Fraction(1)
        return [Goal(cls(whole), f"Rényi divergence of order {whole} <= {most}", limit)]


@dataclass(frozen=True)
class RenyiRequirement(Requirement):
    """The Rényi divergence of an order is at most what is claimed."""

    order: Any = None
    """The limit as it was typed."""

    @property
    def words(self) -> str:
        return f"Rényi divergence of order {typed(self.order)} <= {typed(self.limit)}"

    def said(self, holds: bool | None, bound: RenyiBound) -> str:
        divergence = rounded_up(bound.divergence, below=limit_of(self.limit) if holds else None)
        return f"divergence = {divergence} (moment {brief_interval(bound.lower, bound.upper)})"

    @property
    def measure(self) -> str:
        return "moment"

    def holds(self, model: Any, bound: RenyiBound, **limits: Any) -> bool | None:
        # the divergence is at most d exactly where the moment is at most e^((order - 1) d)
        return below_epsilon(bound.lower, bound.upper, (number(self.order, "renyi: order") - 1) * limit_of(self.limit))

    def slack(self, bound: RenyiBound) -> float:
        return gap_below(self.limit, bound.divergence)
