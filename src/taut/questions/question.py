"""Questions: the base class with everything that one question defines, and the registry for all interfaces."""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, dataclass_transform

from taut.questions.bound import Bound, Interval, not_answered
from taut.questions.claimed import Claimed
from taut.questions.field import Field, asked, call, words
from taut.questions.rows import Headline, Number, Row, Swept, TextTable, case_rows, cell_text, method_rows, value_text
from taut.questions.saved import Saved
from taut.support.errors import InvalidInput

__all__ = [
    "How",
    "Question",
    "QuestionForm",
    "QuestionSection",
    "Variant",
    "known_questions",
    "question",
    "shared_fields",
]

B = TypeVar("B", bound=Bound)
Q = TypeVar("Q", bound="type[Question[Any]]")


@dataclass(frozen=True)
class How:
    """Options of asking a question; limits of time and memory and workers are in force by then."""

    neighbors: Any = None
    method: str = "auto"
    progress: Any = None
    start: float = 0.0
    """When the question was asked, by ``time.perf_counter``."""

    def seconds(self) -> float:
        """Return how long ago that was."""
        return round(time.perf_counter() - self.start, 6)


@dataclass(frozen=True)
class Variant:
    """A question with some fields filled in, which menus and reports list beside the question itself."""

    name: str
    title: str
    """The heading of its section in a report."""
    menu: str
    first: Mapping[str, tuple[str, str]]
    """The fields of its form: label and initial text."""
    reported: Sequence[Mapping[str, str]]
    """The texts of the questions that its section asks."""
    weight: float


@dataclass(frozen=True)
class QuestionForm:
    """An entry of the menu of questions: the kind of question, and the fields of its form."""

    kind: type[Question[Any]]
    menu: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class QuestionSection:
    """A section of a report: its heading, the questions that it asks, and its share of time."""

    kind: type[Question[Any]]
    title: str
    questions: tuple[Question[Any], ...]
    weight: float


class Question(Claimed, Saved, Generic[B]):
    """A question that a model can be asked: a value that holds what it is asked with.

    A subclass stands under ``@question`` and declares its fields with ``asked``. The first line of its docstring is the
    help of its command. The defaults here and in ``PairQuestion`` serve a divergence: a name and a measure are enough.
    """

    name: ClassVar[str]
    """The name of the method of models, of the command, of the form and of the kind in saved files."""
    title: ClassVar[str] = ""
    """The heading of its section in a report; the name if it is empty."""
    menu: ClassVar[str] = ""
    """The entry in the menu of the page; the title if it is empty."""
    about_target: ClassVar[bool] = False
    """True if it is about the distance to a target; else it is about pairs of neighbours and takes ``neighbors``."""
    fields: ClassVar[tuple[Field, ...]] = ()
    companion: ClassVar[type[Question[Any]] | None] = None
    """Another question whose answer can be listed beside."""
    beside: ClassVar[tuple[str, ...]] = ()
    """Other pictures that the page shows: of questions, by name, that are asked with nothing, or of the 'diagram'."""
    letter: ClassVar[str] = ""
    """The sign of its number on the page."""
    color: ClassVar[int] = 4
    """The number of its colour in the figures of sweeps."""
    weight: ClassVar[float] = 0.0
    """The share of time that its section in a report has; 0 if there is no section."""
    variants: ClassVar[tuple[Variant, ...]] = ()
    """The same question with other fields filled in, under names of its own."""

    # -- asking ----------------------------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """The number that is asked for, as tables and sentences call it."""
        return self.name

    def to_measure(self) -> Any:
        """Return the measure that solvers need."""
        raise NotImplementedError(f"{type(self).__name__} has no measure of its own; it overrides answer.")

    def algebraic(self) -> Any:
        """Return the measure if its values are rational functions of probabilities, else None.

        With a parameter left free, the answer is then a function of it, piece by piece.
        """
        return None

    def formula_label(self) -> str:
        """Return the name of the answer as a function of a parameter."""
        return self.label

    def behind(self, model: Any) -> Any:
        """Return the model whose outputs the measure sees: the one that is asked, or one made for a target."""
        return model

    def answer(self, model: Any, how: How) -> B:
        """Return the bound of a model."""
        bound: B = self.finished(model, model.solved(self.to_measure(), how))
        return bound

    def with_remainder(self, model: Any, how: How, remainder: Any) -> B:
        """Return the bound of a model some of whose runs, of probability ``remainder`` at most, are not followed.

        Raises
        ------
        InvalidInput
            Nothing follows for the mechanism itself.
        """
        raise not_answered(self.name, remainder)

    def finished(self, model: Any, bound: Any) -> Any:
        """Return the bound with the methods that need its model: replay, saving, pictures."""
        replay = model.limited(functools.partial(self.replayed, model))
        return replace(bound, question=self, replay=replay, keep=model.save_result, view=model.view())

    def replayed(self, model: Any, witness: Any) -> tuple[Any, str]:
        """Return the value that a witness attains, found without any diagram, and how."""
        raise NotImplementedError

    # -- showing -----------------------------------------------------------------------------------------------------

    @classmethod
    def help(cls) -> str:
        """Return one sentence that says what is asked."""
        return " ".join((cls.__doc__ or "").split("\n\n")[0].split())

    def rows(self, bound: B) -> list[Row]:
        """Return the rows (name, value) that describe the answer, the number first."""
        return [
            (self.label, value_text(bound)),
            *case_rows(list(vars(bound.witness).items()), bound),
            *method_rows(bound),
        ]

    def good(self, bound: B) -> bool:
        """Return True unless the answer is the worst possible one."""
        return True

    def tables(self, bound: B) -> list[TextTable]:
        """Return the tables shown below the rows."""
        return []

    def record(self, bound: B) -> dict[str, Any]:
        """Return the answer for programs."""
        return bound.to_dict()

    @property
    def short(self) -> str:
        """The question among several of its kind."""
        return self.label

    @classmethod
    def recorded(cls, records: Sequence[tuple[Question[Any], dict[str, Any]]]) -> dict[str, Any]:
        """Return several answers for programs, given each with its question."""
        many = cls.listed_field()
        return {many.each if many else cls.name: [record for _, record in records]}

    @classmethod
    def drawn(cls, bounds: Mapping[str, Any]) -> Any:
        """Return an object that draws several answers, given by their short names."""
        from taut.questions.drawn import SeveralBounds

        return SeveralBounds(bounds)

    def replayable(self, bound: B) -> Any:
        """Return the bound whose witness is replayed."""
        return bound

    def besides(self, model: Any, bound: B) -> tuple[dict[str, Any], TextTable | str] | None:
        """Compute additional results after the answer is shown, for JSON and for people; None if there are none."""
        return None

    @classmethod
    def compared(cls, label: str, bounds: Sequence[B]) -> TextTable:
        """Return several answers to questions of this kind in one table; ``label`` is the mechanism's."""
        rows = [[bound.question.label, cell_text(bound)] for bound in bounds if bound.question]
        return TextTable(f"{cls.title or cls.name} of {label}", ["", "value"], rows)

    def headline(self, bound: B) -> Headline:
        """Return the answer as the first line of a page."""
        return Headline(self.label, bound.lower, bound.upper, good=self.good(bound))

    def certified(self, now: Interval) -> Interval:
        """Return the interval of a running search as the answer shows it."""
        return now

    def picture_title(self) -> str:
        """Return the title of the picture of the answer."""
        return "The worst case"

    def card(self, bound: B) -> tuple[str, str] | None:
        """Return the answer and its label as they stand at the top of a report; None if they do not."""
        return None

    def numbers(self, bound: B) -> list[Number]:
        """Return the numbers of the answer that sweeps list."""
        return [Number(self.name, self.label, bound.upper)]

    def bar(self, bound: B) -> Number:
        """Return the number that a picture of several answers draws."""
        return self.numbers(bound)[-1]

    def program(self, more: Sequence[str] = ()) -> list[str]:
        """Return the lines of Python that ask a ``model`` and print the answer; ``more`` are other arguments."""
        return [f"print({call(self, more)})"]

    def swept(self, bound: B) -> Swept:
        """Return the answer as a point of the curve of a sweep."""
        first = self.numbers(bound)[0]
        return Swept(first.value, self.title or self.name, first.heading)

    @classmethod
    def reported(cls) -> Sequence[Question[Any]]:
        """Return the questions that its section in a report asks; several are shown by ``compared``."""
        return cls.several_of({one.name: one.first for one in cls.fields if one.required})

    @classmethod
    def forms(cls) -> dict[str, QuestionForm]:
        """Return its entries of a menu by name: the question itself, then its variants."""
        own = QuestionForm(cls, cls.menu or cls.title or cls.name, tuple(one for one in cls.fields if one.label))
        found = {cls.name: own}
        for one in cls.variants:
            filled = [
                replace(field, label=one.first[field.name][0], first=one.first[field.name][1])
                for field in cls.fields
                if field.name in one.first
            ]
            found[one.name] = QuestionForm(cls, one.menu, tuple(filled))
        return found

    @classmethod
    def sections(cls) -> list[QuestionSection]:
        """Return its sections of a report; those without any share of time are left out."""
        own = [QuestionSection(cls, cls.title or cls.name, tuple(cls.reported()), cls.weight)] if cls.weight else []
        others = [
            QuestionSection(cls, one.title, tuple(cls.of_texts(texts) for texts in one.reported), one.weight)
            for one in cls.variants
        ]
        return own + others

    # -- reading -----------------------------------------------------------------------------------------------------

    def __post_init__(self) -> None:
        for field in self.fields:
            given = getattr(self, field.name)
            if given is not field.default:
                object.__setattr__(self, field.name, field.read(given))

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are not left at their defaults."""
        return {one.name: getattr(self, one.name) for one in self.fields if getattr(self, one.name) is not one.default}

    @classmethod
    def of_texts(cls, texts: Mapping[str, Any]) -> Question[Any]:
        """Return the question that the fields of a command or a form ask; empty texts are left at their defaults.

        A text ``ratio=2`` for another field gives the field ``ratio``.
        """
        names = [one.name for one in cls.fields]
        given: dict[str, Any] = {}
        for name, text in texts.items():
            other, equals, rest = text.partition("=") if isinstance(text, str) else ("", "", "")
            if text is not None and text != "":
                given |= {other.strip(): rest.strip()} if equals and other.strip() in names else {name: text}
        for one in cls.fields:
            if one.required and one.name not in given:
                raise InvalidInput(f"{cls.name}: {one.name} needs a value.", value=one.name)
        return cls(**given)

    @classmethod
    def several_of(cls, texts: Mapping[str, Any]) -> list[Question[Any]]:
        """Return the questions that these texts ask: one for each value of the field that has ``each``."""
        many = cls.listed_field()
        if many is None:
            return [cls.of_texts(texts)]
        return [cls.of_texts({**texts, many.name: one}) for one in words(texts[many.name], f"--{many.name}")]

    @classmethod
    def listed_field(cls) -> Field | None:
        """Return the field of which a command takes several values, one question for each."""
        return next((one for one in cls.fields if one.each), None)


@dataclass_transform(frozen_default=True, field_specifiers=(asked,))
def question(kind: Q) -> Q:
    """Register a question: from here on models, commands, reports, forms, claims, sweeps and files know it."""
    made = shared_fields(kind)
    known_questions[made.name] = made
    return made


@dataclass_transform(frozen_default=True, field_specifiers=(asked,))
def shared_fields(kind: Q) -> Q:
    """Make a frozen dataclass of a question, or of what several questions share; those by keyword come last."""
    made: Any = dataclasses.dataclass(frozen=True)(kind)
    found = [replace(one.metadata["field"], name=one.name) for one in dataclasses.fields(made) if one.metadata]
    made.fields = tuple(sorted(found, key=lambda one: one.keyword))
    finished: Q = made
    return finished


known_questions: dict[str, type[Question[Any]]] = {}
"""The questions that were registered in this process so far."""
