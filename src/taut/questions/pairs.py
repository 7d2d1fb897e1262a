"""Questions about pairs of neighbours with all their outputs: answered from the loss distributions of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from taut.questions.bound import Bound, not_answered, replayed_as
from taut.questions.field import Numbers, as_given, asked
from taut.questions.pair_measure import PairMeasure, PairWitness, StrategyWitness
from taut.questions.question import How, Question, shared_fields
from taut.questions.rows import Row, TextTable, attained_rows, case_rows, cell_text, pair_texts, value_text
from taut.questions.saved import Layout
from taut.questions.text import shown
from taut.support.errors import InvalidInput
from taut.support.exact import INFINITY, ends

__all__ = ["DivergenceQuestion", "PairQuestion"]

B = TypeVar("B", bound=Bound)


class PairQuestion(Question[B]):
    """A question about the worst pair of neighbours; its measure sees the loss distributions of the pairs."""

    layout: ClassVar[Layout | None] = Layout(Numbers(0, INFINITY))
    case = PairWitness

    def to_measure(self) -> PairMeasure:
        """Return the measure that the worst pair is found by."""
        raise NotImplementedError

    def replayed(self, model: Any, witness: PairWitness) -> tuple[Any, str]:
        loss, how = model.replayed_loss(witness)
        measure = self.to_measure()
        return loss if measure.whole_curve else measure.at_pair(loss), how

    def rows(self, bound: B) -> list[Row]:
        return [(self.label, value_text(bound)), *self.place(), *self.pair_rows(bound)]

    def place(self) -> list[Row]:
        """Return the fields as rows."""
        return [(name, shown(value)) for name, value in self.given.items()]

    @staticmethod
    def pair_rows(bound: Any) -> list[Row]:
        """Return the worst pair, its neighbour relation, how many attain the value, and how it was found."""
        pair = case_rows([("x", bound.witness.x), ("x'", bound.witness.x_prime)], bound)
        return [*pair, *attained_rows(bound, "pair", "(x, x')")]

    @classmethod
    def compared(cls, label: str, bounds: Sequence[Any]) -> TextTable:
        rows = [[one.question.label, cell_text(one), *pair_texts(one.witness)] for one in bounds]
        title = f"{cls.title or cls.name} of {label}, {bounds[0].neighbors} neighbours"
        return TextTable(title, ["measure", "largest value", "x", "x'"], rows)

    def picture_title(self) -> str:
        return "The worst pair"


@shared_fields
class DivergenceQuestion(PairQuestion[B]):
    """A question whose measure is a sum over outputs; inputs may also be chosen as the mechanism goes on."""

    adaptive: bool = asked(
        as_given,
        default=False,
        kw_only=True,
        kind="python",
        help="Whether entries are chosen one after the other, after what is certain about the output has been seen.",
    )

    def algebraic(self) -> Any:
        measure: Any = self.to_measure()
        return measure if measure.algebraic or measure.kink is not None else None

    def answer(self, model: Any, how: How) -> B:
        if not self.adaptive:
            return super().answer(model, how)
        if how.method != "auto":
            raise InvalidInput(f"adaptive=True has one method only; leave method={how.method!r} out.", value=how.method)
        bound: B = replace(self.finished(model, model.solved(self.to_measure(), how, adaptive=True)), keep=None)
        return bound

    def with_remainder(self, model: Any, how: How, remainder: Any) -> B:
        """Return the bound of a sum of max(0, p - ratio * q); of other sums nothing is known."""
        measure: Any = self.to_measure()
        if self.adaptive or measure.kink is None:
            raise not_answered(self.name if measure.kink is None else "adaptive inputs", remainder)
        bound = self.answer(model.by_items(), how)
        lost = (1 + ends(measure.kink)[1]) * remainder

        def least(value: Any) -> Any:
            return max(Fraction(0), ends(value)[0] - lost)

        upper = min(Fraction(1), ends(bound.upper)[1] + remainder)
        widened: B = replace(bound, lower=least(bound.lower), upper=upper, remainder=remainder)
        return replayed_as(widened, least)

    def replayed(self, model: Any, witness: PairWitness) -> tuple[Any, str]:
        if isinstance(witness, StrategyWitness):
            return self.to_measure().at_pair(witness.loss), "the best choices, followed from the first entry"
        return super().replayed(model, witness)
