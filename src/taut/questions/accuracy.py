"""Accuracy: the smallest probability that the output comes within alpha of a target, on the worst input."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from taut.inference.channel import Channel
from taut.questions.bound import Bound, not_answered, replayed_as
from taut.questions.claimed import (
    Counterexample,
    Goal,
    Requirement,
    Verdict,
    limit_of,
    positive,
    probability_claimed,
    typed,
)
from taut.questions.field import Numbers, as_given, asked
from taut.questions.measure import Locate, MassCase, Measure, OutputMeasure
from taut.questions.question import How, Question, question
from taut.questions.rows import Headline, Number, Row, Swept, TextTable, case_rows, count_text, method_rows, plural
from taut.questions.saved import Layout, SavedAnswer, attained_text, limit_text
from taut.questions.text import (
    Represented,
    between,
    brief_interval,
    case_text,
    class_dict,
    equals,
    found_by,
    shown,
    surely,
    text_of,
    vector_text,
)
from taut.support.errors import InvalidInput, InvalidSet, OutOfMemory, OutOfTime, TooLarge
from taut.support.exact import INFINITY, Ball, ends, number, probability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Accuracy",
    "AccuracyBound",
    "AccuracyWitness",
    "EventMasses",
    "EventProbability",
    "InputClass",
    "InputMeasure",
    "ProbabilityOfTrue",
    "function_name",
    "input_record",
    "input_table",
    "reach_of",
]


@dataclass(frozen=True)
class AccuracyWitness(Represented):
    """The input on which the mechanism is least (or most) accurate."""

    x: Any


@dataclass(frozen=True)
class InputClass(Represented):
    """All inputs on which the mechanism is equally accurate: 1 - beta there, how many there are, and one of them."""

    value: Any
    count: int
    witness: AccuracyWitness

    def to_dict(self) -> dict[str, Any]:
        """Return the class as plain data."""
        return class_dict(self)


@dataclass(frozen=True)
class AccuracyBound(Bound):
    """The smallest probability, over all inputs, that the output lies within alpha of its target.

    Guarantee:
        P(distance(A(x), target(x)) <= alpha) >= probability for every x; if ``exact``, the witness attains it.
    """

    alpha: Any = 0
    witness: AccuracyWitness = field(default=AccuracyWitness(None))
    best: bool = False
    """True if this is the largest probability, of the best case, instead of the smallest."""

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

    _pictured = "accuracy"

    def _figure(self, title: str | None) -> Figure:
        from taut.questions.figures.case_figure import accuracy_figure

        return accuracy_figure(self, self._seen(), title)

    def __str__(self) -> str:
        head = equals("1-beta", self.lower, self.upper)
        if not self.witnessed:
            return f"{head} for alpha = {self.alpha}; no case was looked at"
        at = f"at x={case_text(self.witness.x)}"
        return f"{head} for alpha = {self.alpha}, {at}; {found_by(self.method)}{self._unfollowed()}"

    def _head(self) -> dict[str, Any]:
        return {"probability": text_of(self.probability), "beta": text_of(self.beta), "alpha": text_of(self.alpha)}


class ProbabilityOfTrue(OutputMeasure):
    """The probability that a channel with outputs True and False returns True, for each input."""

    cases: ClassVar[str] = "inputs"
    runs: ClassVar[int] = 1
    exponents: ClassVar[tuple[int, ...]] = (1,)
    of_event: ClassVar[bool] = True

    def value(self, *masses: Any) -> Any:
        return masses[0]

    def fixed_outputs(self, channel: Channel) -> Mapping[int, int] | None:
        (output,) = channel.relation.outputs
        return {0: output.values.index(True)} if True in output.values else None

    def witness(self, inputs: Sequence[Any], y: Any) -> AccuracyWitness:
        return AccuracyWitness(*inputs)

    def value_class(self, value: Any, count: int, locate: Locate) -> InputClass:
        return InputClass(value, count, locate())

    @staticmethod
    def at_most_one(limit: Any) -> Any:
        """Return a limit for probabilities, at most 1: an upper bound divided by the least evidence may exceed it."""
        return Fraction(1) if limit == INFINITY or (limit.lower if isinstance(limit, Ball) else limit) > 1 else limit


@dataclass(frozen=True)
class EventProbability(ProbabilityOfTrue):
    """The probability of True: the smallest, or with ``best`` the largest, over all inputs.

    ``alpha``, the distance that counts as close, is only shown.
    """

    alpha: Any = 0
    best: bool = False
    extremes: ClassVar[tuple[Any, Any] | None] = (Fraction(0), Fraction(1))

    @property
    def largest(self) -> bool:
        return self.best

    def bound(self, attained: Any, limit: Any, **parts: Any) -> AccuracyBound:
        limit = self.at_most_one(limit)
        lower, upper = (attained, limit) if self.best else (limit, attained)
        return AccuracyBound(lower, upper, **parts, alpha=self.alpha, best=self.best)


class EventMasses(EventProbability):
    """The probability of an event at all inputs; which is the worst is not decided here."""

    def classes(self, cases: Iterable[tuple[Any, int, Locate]]) -> list[Any]:
        return [MassCase((mass,), count, locate) for mass, count, locate in cases]


class InputMeasure(Measure):
    """A measure whose cases are inputs with all their outputs: it sees the whole distribution of each."""

    cases: ClassVar[str] = "inputs"
    runs: ClassVar[int] = 1

    @property
    def largest(self) -> bool:
        return True

    @abstractmethod
    def value(self, distribution: Mapping[Any, Any]) -> Any:
        """Return the value of an input, from the outputs that are possible there with their probabilities."""

    def witness(self, inputs: Sequence[Any], y: Any) -> AccuracyWitness:
        return AccuracyWitness(*inputs)

    def value_class(self, value: Any, count: int, locate: Locate) -> InputClass:
        return InputClass(value, count, locate())


def reach_of(alpha: Any) -> Any:
    """Return alpha as an exact number, or refuse it."""
    bound = number(alpha, "alpha")
    if bound < 0:
        raise InvalidInput(f"alpha must not be negative; got {alpha!r}.", value=alpha)
    return bound


def _checked(alpha: Any) -> Any:
    """Check alpha and return it as given, for display."""
    reach_of(alpha)
    return alpha


def _read_top(given: Any) -> int:
    """Read the number of further values to list."""
    top = int(given) if isinstance(given, str) and given.strip().isdigit() else given
    if isinstance(top, bool) or not isinstance(top, int) or top < 0:
        raise InvalidInput(f"--top must be a whole number of at least 0; got {given}.", value=given)
    return top


@question
class Accuracy(Question[AccuracyBound]):
    """The exact 1-beta, the probability to come within alpha of a target, with a worst input."""

    name = "accuracy"
    letter = "1 - β"
    title = "Accuracy"
    about_target = True
    weight = 2.0
    color = 2
    layout = Layout(Numbers(0, 1), ("x",))
    case = AccuracyWitness

    target: Any = asked(
        as_given, kind="target", help="What is estimated", label="target", first="sum", usual="sum", saved="function"
    )
    alpha: Any = asked(
        _checked,
        help="The largest distance to the target that counts as close.",
        label="alpha, the largest distance",
        first="1",
        saved=Numbers(0, INFINITY),
    )
    distance: Any = asked(
        as_given,
        default=None,
        kw_only=True,
        kind="distance",
        help="The distance of an output to the target",
        label="distance",
        first="absolute",
        usual="absolute",
        saved="maybe function",
    )
    top: int = asked(_read_top, default=0, kw_only=True, help="Also list this many lowest different 1-beta.")
    accuracy_set: Any = asked(as_given, default=None, kw_only=True, kind="python", help="The inputs x to look at.")
    inference_set: Any = asked(as_given, default=None, kw_only=True, kind="python", help="The pairs (x, y) to infer.")
    best: bool = asked(
        as_given,
        default=False,
        kw_only=True,
        kind="python",
        help="Whether the best case is asked for instead.",
        saved="flag",
    )

    @property
    def label(self) -> str:
        return "1-beta"

    @property
    def reach(self) -> Any:
        """Alpha as an exact number."""
        return reach_of(self.alpha)

    def to_measure(self) -> EventProbability:
        return EventProbability(self.alpha, self.best)

    def algebraic(self) -> EventProbability:
        return self.to_measure()

    def behind(self, model: Any) -> Any:
        return model.closeness(self.target, self.distance, self.reach)

    def answer(self, model: Any, how: How) -> AccuracyBound:
        sets = self.accuracy_set is not None or self.inference_set is not None
        if (sets or how.method == "restricted") and self.best:
            raise InvalidInput("method='restricted' is for the worst case; leave best out.", value=self.best)
        if sets and self.accuracy_set is None:
            raise InvalidSet("an inference set for accuracy needs accuracy_set=, inputs x, too.", value=None)
        if sets:
            close = model.close_outputs(self.target, self.distance, self.reach)
            bound = model.solved(self.to_measure(), how, sets=(self.accuracy_set, self.inference_set), close=close)
        else:
            bound = self.behind(model).solved(self.to_measure(), how)
        found: AccuracyBound = self.finished(model, bound)
        return found

    def with_remainder(self, model: Any, how: How, remainder: Any) -> AccuracyBound:
        if self.accuracy_set is not None or self.inference_set is not None or how.method == "restricted":
            raise not_answered("accuracy of given sets", remainder)
        bound = self.answer(model, how)

        def most(value: Any) -> Any:
            return min(Fraction(1), ends(value)[1] + remainder)

        widened = replace(bound, upper=most(bound.upper), remainder=remainder)
        return widened if self.best else replayed_as(widened, most)

    def finished(self, model: Any, bound: Any) -> Any:
        return replace(super().finished(model, bound), view=model.view_of_target(self.target, self.distance))

    def replayed(self, model: Any, witness: AccuracyWitness) -> tuple[Any, str]:
        found: tuple[Any, str] = model.replayed_closeness(witness.x, self.target, self.distance, self.reach)
        return found

    # -- showing -----------------------------------------------------------------------------------------------------

    def rows(self, bound: AccuracyBound) -> list[Row]:
        exact = surely(bound.probability, ",")
        if bound.remainder:
            exact = between(bound.lower, bound.upper)
        elif not bound.exact:
            exact = f"between {shown(bound.lower)} and {shown(bound.upper)}"
        rows = [
            ("1-beta", exact if bound.exact else between(bound.lower, bound.upper)),
            ("beta", shown(bound.beta)),
            ("alpha", f"{bound.alpha}, the largest distance to the target {function_name(self.target)}"),
            *case_rows([("x", bound.witness.x)], bound),
        ]
        if bound.count is not None:
            rows.append(("attained by", f"{count_text(bound.count)} {plural('input', bound.count)}"))
        return [*rows, *method_rows(bound)]

    def headline(self, bound: AccuracyBound) -> Headline:
        note = f"within {self.alpha} of the target {function_name(self.target)}, on every input"
        return Headline(self.letter, bound.lower, bound.upper, note)

    def picture_title(self) -> str:
        return "The worst input"

    def card(self, bound: AccuracyBound) -> tuple[str, str]:
        value = brief_interval(bound.lower, bound.upper).removeprefix("= ")
        return value, f"1-beta: within {self.alpha} of the target {function_name(self.target)}"

    def numbers(self, bound: AccuracyBound) -> list[Number]:
        return [Number("probability", "1-beta", bound.probability)]

    def besides(self, model: Any, bound: AccuracyBound) -> tuple[dict[str, Any], TextTable | str] | None:
        if not self.top:
            return None
        try:
            found = model.worst_inputs(self.target, self.alpha, self.top, distance=self.distance)
        except (OutOfTime, OutOfMemory) as problem:
            why = "time" if isinstance(problem, OutOfTime) else "memory"
            return {"worst_inputs": None}, f"The lowest different 1-beta are not listed ({why})."
        return {"worst_inputs": [input_record(one) for one in found]}, input_table("Lowest different 1-beta", found)

    def swept(self, bound: AccuracyBound) -> Swept:
        return Swept(bound.probability, f"Accuracy, $\\alpha$ = {bound.alpha}", "$1-\\beta$")

    # -- saving ------------------------------------------------------------------------------------------------------

    def saved_fields(self, bound: AccuracyBound) -> dict[str, Any]:
        return {"alpha": self.reach, "best": self.best, "target": self.target, "distance": self.distance}

    @classmethod
    def attains_upper(cls, asked: Mapping[str, Any]) -> bool:
        return not asked["best"]

    @classmethod
    def found(cls, saved: SavedAnswer) -> str:
        within = f"the output lies within {shown(saved.question['alpha'])} of the target with probability"
        if saved.question["best"]:
            return f"On the best input {within} {limit_text(saved)}, and on no input with more."
        return f"On every input {within} {limit_text(saved)} or more."

    @classmethod
    def worst(cls, saved: SavedAnswer) -> str:
        assert saved.witness is not None
        extreme = "best" if saved.question["best"] else "worst"
        x = vector_text(saved.witness["x"])
        return f"The {extreme} input is x={x}, where this probability is {attained_text(saved)}."

    # -- claims ------------------------------------------------------------------------------------------------------

    @classmethod
    def claimed(cls, given: Mapping[str, Any]) -> Sequence[Requirement]:
        if given.get("accuracy") is None:
            return []
        target, alpha, least, *distance = cls.parts(given["accuracy"], "claim", "probability", (3, 4))
        positive(alpha, "accuracy: alpha")
        probability_claimed(least, "accuracy: probability")
        return [AccurateRequirement(cls(target, alpha, distance=distance[0] if distance else None), least)]

    @classmethod
    def budgeted(cls, given: Mapping[str, Any]) -> Sequence[Goal]:
        if given.get("accuracy") is None:
            return []
        form = "probability[, distance]"
        target, alpha, *rest = cls.parts(given["accuracy"], "calibrate", form, (2, 3, 4))
        distance = rest[1] if len(rest) == 2 else None
        least = None if not rest or rest[0] is None else probability(rest[0], "calibrate: the probability of accuracy")
        text = f"1-beta >= {least} for alpha = {alpha}"
        return [Goal(cls(target, alpha, distance=distance), text, least, least=True)]


@dataclass(frozen=True)
class AccurateRequirement(Requirement):
    """The output comes within alpha of a target with at least the probability that is claimed, on every input."""

    @property
    def words(self) -> str:
        asked: Any = self.question
        aim = getattr(asked.target, "__name__", "the target")
        return f"1-beta >= {typed(self.limit)} within {typed(asked.alpha)} of {aim}"

    def verdict(self, model: Any, **limits: Any) -> Verdict:
        return super().verdict(model, **{**limits, "neighbors": None})

    def holds(self, model: Any, bound: AccuracyBound, **limits: Any) -> bool | None:
        least = probability_claimed(self.limit, "accuracy: probability")
        return True if ends(bound.lower)[0] >= least else False if ends(bound.upper)[1] < least else None

    def value(self, bound: AccuracyBound) -> Any:
        return bound.probability

    def slack(self, bound: AccuracyBound) -> Any:
        return bound.probability - limit_of(self.limit)

    def counterexample(self, model: Any, bound: AccuracyBound) -> Counterexample | None:
        def again() -> tuple[Any, Any, str]:
            outcome = bound.verify()
            return outcome.replayed, None, outcome.method

        x = bound.witness.x
        return Counterexample(x, None, self._close(model, x), bound.attained, None, again)

    def _close(self, model: Any, x: Any) -> Iterable[Any] | None:
        """Return the outputs that are close enough on x, if they can be listed."""
        asked: Any = self.question
        far = asked.distance or (lambda output, value: abs(output - value))
        try:
            wanted = asked.target[x] if isinstance(asked.target, Mapping) else asked.target(x)
            return tuple(y for y in model.distribution(x) if far(y, wanted) <= asked.reach)
        except (TooLarge, TypeError, ValueError):
            return None  # there is still the input, and the probability


def input_table(title: str, classes: Sequence[Any]) -> TextTable:
    """Return the worst inputs with their accuracies, one of each value, as a table."""
    rows = [
        [str(place), shown(one.value), count_text(one.count), vector_text(one.witness.x)]
        for place, one in enumerate(classes, 1)
    ]
    return TextTable(title, ["", "1-beta", "inputs", "one of them"], rows, right=(0, 2))


def input_record(one: Any) -> dict[str, Any]:
    """Return a class of inputs that are equally accurate for programs."""
    return {"probability": one.value, "count": one.count, "witness": {"x": one.witness.x}}


def function_name(function: Any) -> str | None:
    """Return the name of a target or a distance, since functions may not be picklable; None if there is none."""
    return None if function is None else str(getattr(function, "__name__", function))
