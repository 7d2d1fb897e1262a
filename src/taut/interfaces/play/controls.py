"""The form on the page: the mechanism's arguments with their sliders, the relation, the question and its options."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from taut.interfaces.play.form import (
    FREE_EPSILON,
    FREE_RANGE,
    Field,
    FieldProblem,
    Form,
    read_field,
    resized,
    slider_of,
)
from taut.interfaces.play.markers import marked
from taut.interfaces.queries.literals import parse_value
from taut.interfaces.queries.questions import DISTANCES, TARGETS
from taut.program.domains import Domain
from taut.questions.registry import question_forms
from taut.support.errors import TautError

__all__ = ["Controls", "menu", "options_of"]

_OTHERS = {
    "distribution": "Distribution on one input",
    "formula": "Closed form in a parameter",
    "calibration": "Calibration: a parameter that gives an ε",
    "diagram": "Decision diagram",
    "symmetries": "Symmetries",
    "claims": "Claims",
}
"""The questions of the page besides the registered ones, as the menu calls them."""
_GUESS = "A guess: nothing in the program says this. Check it."
_OWN = ""
_SECONDS = 60


class Controls:
    """The form with the mechanism's arguments and the question.

    Parameters:
        relations: the names of neighbour relations.
        on_function, on_settings, on_question: called when another mechanism is chosen; when an argument changes
            (with whether a slider moved, so that answers should come quickly); when another question is asked.
    """

    def __init__(
        self,
        relations: Sequence[str],
        on_function: Callable[[], None],
        on_settings: Callable[[bool], None],
        on_question: Callable[[], None],
    ) -> None:
        self._on_function, self._on_settings, self._on_question = on_function, on_settings, on_question
        self._forms: dict[str, Form] = {}
        self._known: dict[str, str] = {}
        """Texts by field name, so that a field that reappears keeps its text."""
        self._preferred: str | None = None
        self._inputs: dict[str, Any] = {}
        self._sliders: dict[str, Any] = {}
        self._extra: dict[str, Any] = {}
        self._typed_options: dict[str, dict[str, str]] = {}
        """The texts that were typed into the fields of each question, for when it is asked again."""
        self._shown_question = ""
        self._quiet = False
        self.outputs_are_lists = False
        """True if the last outputs were lists; then the first target of accuracy is the database itself."""
        self._shape: Any = None
        self._function = ui.select([], label="Mechanism", on_change=lambda _: self._function_changed())
        marked(self._function.props("dense outlined options-dense").classes("w-full"), "function-menu", "Mechanism")
        self._function.set_visibility(False)
        self._fields = ui.element("div").classes("taut-form")
        with ui.element("div").classes("taut-form"):
            entries = menu()
            first = next(iter(entries))
            self._question = ui.select(entries, value=first, label="Question", on_change=self._question_changed)
            marked(self._question.props("dense outlined options-dense"), "question", "Question")
            self._relation = ui.select(
                {_OWN: "the mechanism's own", **{name: name for name in relations}},
                value=_OWN,
                label="Neighbours",
                on_change=lambda _: self._changed(quick=False),
            )
            marked(self._relation.props("dense outlined options-dense"), "neighbors", "Neighbour relation")
            limit = ui.number("Time limit, seconds", value=_SECONDS, min=1, max=3600)
            self._limit = marked(limit.props("dense outlined"), "time-limit", "Time limit in seconds")
        self._options = ui.element("div").classes("taut-form")

    # -- what stands in it ---------------------------------------------------------------------------------------

    @property
    def form(self) -> Form | None:
        """The form of the chosen mechanism."""
        return self._forms.get(self._function.value or "")

    @property
    def texts(self) -> dict[str, str]:
        """The texts of the fields."""
        return {name: str(one.value or "") for name, one in self._inputs.items()}

    @property
    def options(self) -> dict[str, str]:
        """The texts of the question's own fields."""
        return {name: str(one.value or "") for name, one in self._extra.items()}

    @property
    def neighbors(self) -> str:
        """The chosen relation; empty for the mechanism's own."""
        return str(self._relation.value or _OWN)

    @property
    def question(self) -> str:
        return str(self._question.value)

    @property
    def time_limit(self) -> float:
        return min(max(float(self._limit.value or _SECONDS), 1.0), 3600.0)

    @property
    def incomplete(self) -> bool:
        """True if the question still lacks something that only the user can say."""
        return self.question in ("formula", "calibration") and not self.options.get("parameter")

    # -- what others do with it ----------------------------------------------------------------------------------

    def prefer(self, mechanism: str | None, texts: Mapping[str, str]) -> None:
        """Choose this mechanism, with these texts in its form, once the program has it."""
        self._preferred = mechanism
        self._known |= texts

    def forget(self) -> None:
        """Clear the form for another program."""
        self._known, self._shape, self._typed_options, self._shown_question = {}, None, {}, ""
        self._extra = {}

    def show(self, forms: Mapping[str, Form]) -> None:
        """Follow the program: its mechanisms, and the arguments of the chosen one."""
        self._forms = dict(forms)
        wanted = self._preferred if self._preferred in forms else self._function.value
        chosen = wanted if wanted in forms else list(forms)[-1]
        if self._preferred in forms:
            self._preferred = None
        self._quietly(lambda: self._function.set_options(list(forms), value=chosen))
        self._function.set_visibility(len(forms) > 1)
        self._build_fields()

    def check(self) -> bool:
        """Return True if all fields can be read; those that cannot are marked."""
        form = self.form
        if form is None:
            return False
        wrong = [field for field in form.fields if not self._check_field(field)]  # all of them, to mark each
        return not wrong

    def mark(self, name: str, sentence: str) -> bool:
        """Mark a field, or an option, with what is wrong about it; False if there is no such field."""
        element = self._inputs.get(name) or self._extra.get(name)
        if element is None:
            return False
        element.error = sentence
        return True

    # -- fields --------------------------------------------------------------------------------------------------

    def _build_fields(self) -> None:
        form = self.form
        shape = form and (form.name, [(field.name, field.kind, field.text) for field in form.fields], form.neighbors)
        if form is None or shape == self._shape:
            return
        self._shape = shape
        self._inputs, self._sliders = {}, {}
        self._fields.clear()
        with self._fields:
            for field in form.fields:
                self._build_field(field)
        others = {name: name for name in list(self._relation.options)[1:]}
        self._quietly(lambda: self._relation.set_options({_OWN: f"{form.neighbors}, the mechanism's own", **others}))
        self._build_options()

    def _build_field(self, field: Field) -> None:
        text = self._known.get(field.name, field.text)
        label = f"{field.name}, its possible values" if field.kind == "domain" else field.name
        with ui.element("div").classes("taut-field"):
            one = ui.input(label, value=text, validation=functools.partial(_problem_of, field))
            one.props("dense outlined debounce=350 hide-bottom-space")
            one.on_value_change(functools.partial(self._field_typed, field))
            one.on("keydown.enter", lambda: self._changed(quick=False))
            marked(one, f"field-{field.name}", f"Value of {label}")
            self._inputs[field.name] = one
            self._build_slider(field, text)
            if field.guessed:
                hint = marked(ui.label(_GUESS).classes("taut-guess"), f"guess-{field.name}")
                hint.bind_visibility_from(one, "value", value=field.text)

    def _build_slider(self, field: Field, text: str) -> None:
        slider = slider_of(field.name, text)
        if slider is None:
            return
        low, high, step = (float(Fraction(end)) for end in (slider.low, slider.high, slider.step))
        value = _position(field, text)
        high = max(high, value)
        moved = ui.slider(min=low, max=high, step=step, value=value)
        moved.props("dense").on("update:model-value", functools.partial(self._slid, field), throttle=0.06)
        what = f"Number of entries of {field.name}" if field.kind == "domain" else f"Move {field.name}"
        marked(moved, f"slider-{field.name}", what)
        self._sliders[field.name] = moved

    def _slid(self, field: Field, event: GenericEventArguments) -> None:
        self._moved(field, float(event.args))

    def _moved(self, field: Field, position: float) -> None:
        """Copy the number of a moved slider into its field, as a short decimal."""
        text = f"{Decimal(str(round(position, 6))).normalize():f}"
        if field.kind == "domain":
            try:
                text = resized(self.texts[field.name], int(position), field.name)
            except TautError:
                return
        if text == self.texts[field.name]:
            return
        self._quietly(lambda: self._inputs[field.name].set_value(text))
        self._known[field.name] = text
        self._check_field(field)
        self._on_settings(True)

    def _field_typed(self, field: Field, _: Any) -> None:
        if self._quiet:
            return
        self._known[field.name] = self.texts[field.name]
        if not self._check_field(field):
            return
        slider = self._sliders.get(field.name)
        if slider is not None:
            position = _position(field, self.texts[field.name])
            slider.props["max"] = max(slider.props["max"], position)
            slider.set_value(position)
        self._changed(quick=True)

    def _check_field(self, field: Field) -> bool:
        problem = _problem_of(field, self.texts[field.name])
        self._inputs[field.name].error = problem
        return problem is None

    # -- the question's own fields ---------------------------------------------------------------------------------

    def _build_options(self) -> None:
        self._typed_options[self._shown_question] = self.options
        self._shown_question = self.question
        before = self._typed_options.get(self.question, {})
        self._extra = {}
        self._options.clear()
        form = self.form
        with self._options:
            for name, label, usual, choices in options_of(self.question, form, self.outputs_are_lists):
                value = before.get(name) or usual
                if choices is None:
                    one: Any = ui.input(label, value=value, validation=_nothing_wrong)
                    one.props("dense outlined debounce=350 hide-bottom-space")
                    one.on_value_change(lambda _: self._changed(quick=True))
                    one.on("keydown.enter", lambda: self._changed(quick=False))
                else:
                    chosen = value if value in choices else usual or None
                    one = ui.select(choices, value=chosen, label=label, validation=_nothing_wrong)
                    one.props("dense outlined options-dense hide-bottom-space")
                    one.on_value_change(lambda _: self._changed(quick=False))
                self._extra[name] = marked(one, f"option-{name}", label)

    def _question_changed(self) -> None:
        if not self._quiet:
            self._build_options()
            self._on_question()

    def _function_changed(self) -> None:
        if not self._quiet:
            self._build_fields()
            self._on_function()

    def _changed(self, quick: bool) -> None:
        if not self._quiet:
            self._on_settings(quick)

    def _quietly(self, change: Callable[[], Any]) -> None:
        """Change an element without triggering its event handler."""
        self._quiet = True
        try:
            change()
        finally:
            self._quiet = False


def menu() -> dict[str, str]:
    """Return the questions by name, as the menu calls them."""
    return {**{name: form.menu for name, form in question_forms().items()}, **_OTHERS}


def options_of(question: str, form: Form | None, lists: bool) -> list[tuple[str, str, str, list[str] | None]]:
    """Return the fields of a question: name, label, the text that stands there at first, the choices if it has some.

    ``lists`` says that outputs are lists, which changes the target that is meant at first.
    """
    found: list[tuple[str, str, str, list[str] | None]] = []
    if question in question_forms():
        for one in question_forms()[question].fields:
            if one.kind == "target":
                found.append((one.name, one.label, "identity" if lists else one.first, list(TARGETS)))
            elif one.kind == "distance":
                found.append((one.name, one.label, "hamming" if lists else one.first, list(DISTANCES)))
            else:
                found.append((one.name, one.label, one.first, None))
        return found
    if question == "distribution":
        return [("input", "input, such as 0,1,0,1", "", None)]
    if question in ("formula", "calibration"):
        names = [field.name for field in form.fields if field.kind == "number"] if form is not None else []
        first = names[0] if len(names) == 1 else ""
        found = [("parameter", "parameter that is left free", first, names), ("range", "its range", FREE_RANGE, None)]
        if question == "calibration":
            found += [("epsilon", "epsilon, at most", FREE_EPSILON, None), ("delta", "delta, if not 0", "", None)]
        return found
    return []


def _position(field: Field, text: str) -> float:
    """Return the position of a slider for a text."""
    try:
        value = parse_value(text, field.name)
    except TautError:
        return 0.0
    if isinstance(value, Domain):
        return float(value.n)
    return float(value) if isinstance(value, (int, Fraction)) else 0.0


def _nothing_wrong(_: Any) -> None:
    """Accept any text: the worker checks it; typing removes the mark of an earlier error."""


def _problem_of(field: Field, given: str | None) -> str | None:
    """Return the error in the text of a field; None if there is none."""
    text = given or ""
    if not text.strip() and not field.required:
        return None
    try:
        read_field(field, text)
    except FieldProblem as refusal:
        return str(refusal)
    return None
