"""The form of a mechanism: fields from its signature, defaults, claims and calls; a guess where nothing says more."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from taut.interfaces.queries.literals import parse_value
from taut.interfaces.queries.questions import questions_of_texts
from taut.mechanisms import CATALOG
from taut.mechanisms.catalog import PARAMETERS
from taut.model import Mechanism, mechanism
from taut.model.decorators import PROBABILITY, RATIO
from taut.program.domains import Domain
from taut.questions.question import Question, QuestionForm
from taut.support.errors import InvalidInput, TautError
from taut.support.exact import is_number
from taut.verification.claims import claims_of

__all__ = [
    "FREE_EPSILON",
    "FREE_RANGE",
    "Field",
    "FieldProblem",
    "Form",
    "Slider",
    "form_of_dict",
    "form_texts",
    "forms_of",
    "guessed_domain",
    "questions_of_form",
    "read_field",
    "read_fields",
    "resized",
    "slider_of",
    "typed",
]


FREE_RANGE, FREE_EPSILON = "0..1/2", "1"
"""Initial range of a free parameter, and initial epsilon of its budget."""
_STEPS = 100


class FieldProblem(InvalidInput):
    """A field of the form that cannot be read; ``value`` is its name."""


@dataclass(frozen=True)
class Slider:
    """The range of a slider: two ends and a step, as text that is read exactly; ``whole`` for whole numbers."""

    low: str
    high: str
    step: str
    whole: bool


@dataclass(frozen=True)
class Field:
    """One argument of a mechanism: its name, kind and initial text."""

    name: str
    kind: str
    """'domain' for a database, 'number', 'boolean', or 'value' for anything else."""
    text: str
    required: bool
    guessed: bool = False
    """True if the text is a guess: no call, claim or default gives it."""


@dataclass(frozen=True)
class Form:
    """The form of one mechanism of the program."""

    name: str
    line: int
    summary: str
    neighbors: str
    fields: tuple[Field, ...]
    claims: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def form_of_dict(given: Mapping[str, Any]) -> Form:
    """Return the form with the data of ``to_dict``."""
    return Form(**{**given, "fields": tuple(Field(**field) for field in given["fields"])})


def forms_of(functions: Mapping[str, Any], code: str) -> list[Form]:
    """Return the forms of a program's mechanisms, or of all its functions if none is marked as one.

    Calls in its source text give initial arguments.
    """
    marked = {name: value for name, value in functions.items() if isinstance(value, Mechanism)}
    chosen = marked or {name: value for name, value in functions.items() if inspect.signature(value).parameters}
    calls = _calls(code)
    return [_form(name, value, calls.get(name)) for name, value in chosen.items()]


def _form(name: str, value: Any, call: ast.Call | None) -> Form:
    made = value if isinstance(value, Mechanism) else mechanism(value)
    function = made.function
    tried = _claimed(value, function) | _called(call, function)
    parameters = [
        one
        for one in inspect.signature(function).parameters.values()
        if (one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and not callable(one.default))
        or one.default is one.empty
    ]
    fields = []
    for place, one in enumerate(parameters):
        if one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
            continue
        required = one.default is one.empty
        text = tried.get(one.name)
        if text is None and not required:
            text = typed(one.default)
        guessed = text is None
        if text is None:
            text = guessed_domain(function, one.name) if place == 0 else _usual(one.name)
        fields.append(Field(one.name, _kind(one.name, text, place), text, required, guessed and bool(text)))
    line = function.__code__.co_firstlineno
    summary = (inspect.getdoc(function) or "").partition("\n")[0]
    relation = made.neighbors if isinstance(made.neighbors, str) else made.neighbors.name
    return Form(name, line, summary, relation, tuple(fields), len(claims_of(value)))


def read_field(field: Field, text: str) -> Any:
    """Return the value of a field; refuse an invalid text with what is allowed.

    Raises
    ------
    FieldProblem
        The text is empty, cannot be read, or is not of the field's kind.

    Examples
    --------
    >>> read_field(Field("lam", "number", "1/5", True), "0.2")
    Fraction(1, 5)
    """
    if not text.strip():
        raise FieldProblem(f"{field.name} needs a value, such as {_example(field)}.", value=field.name)
    try:
        value = parse_value(text, field.name)
    except TautError as problem:
        raise FieldProblem(str(problem), value=field.name) from None
    if field.kind == "domain" and not isinstance(value, Domain):
        raise FieldProblem(
            f"{field.name} is a database: write all the inputs that it can be, as in bits(4), ints(3,0,2) or "
            "categories(2,[a,b]).",
            value=field.name,
        )
    if field.kind == "number" and isinstance(value, str) and text.strip()[0] not in "'\"":
        raise FieldProblem(
            f"{field.name} is a number, such as 1/5, 0.2 or 3; got '{text}'. A word would stand in quotes.",
            value=field.name,
        )
    if field.kind == "boolean" and not isinstance(value, bool):
        raise FieldProblem(f"{field.name} is true or false; got '{text}'.", value=field.name)
    return value


def read_fields(form: Form, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of all fields; an empty field has its default."""
    given = {}
    for field in form.fields:
        text = texts.get(field.name, field.text)
        if text.strip() or field.required:
            given[field.name] = read_field(field, text)
    return given


def slider_of(name: str, text: str) -> Slider | None:
    """Return the slider of a field; None if it has no number.

    A probability moves in hundredths between 0 and 1, another number between 0 and twice its value; of a database the
    number of entries moves.

    >>> slider_of("lam", "1/5")
    Slider(low='0', high='1', step='0.01', whole=False)
    >>> slider_of("x", "ints(3, 0, 2)")
    Slider(low='1', high='8', step='1', whole=True)
    """
    try:
        value = parse_value(text, name)
    except TautError:
        return None
    if isinstance(value, Domain):
        return None if value.bare else Slider("1", str(max(8, 2 * value.n)), "1", True)
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        return None
    chance = PARAMETERS.get(name) in (PROBABILITY, RATIO) or (not isinstance(value, int) and 0 <= value <= 1)
    if chance:
        return Slider("0", "0.99" if PARAMETERS.get(name) is RATIO else "1", "0.01", False)
    if isinstance(value, int):
        low = min(0, 2 * value) if value < 0 or name not in PARAMETERS else 1
        return Slider(str(low), str(max(8, 2 * abs(value))), "1", True)
    high = 2 * abs(value)
    return Slider(str(-high if value < 0 else 0), str(high), str(high / _STEPS), False)


def resized(text: str, n: int, name: str = "x") -> str:
    """Return a database with another number of entries.

    >>> resized("ints(3, 0, 2)", 5), resized("bits(2).optional()", 3)
    ('ints(5, 0, 2)', 'bits(3).optional()')
    """
    value = parse_value(text, name)
    assert isinstance(value, Domain)
    head, bracket, rest = text.partition("(")
    end = min(place for place in (rest.find(","), rest.find(")")) if place >= 0)
    return f"{head}{bracket}{n}{rest[end:]}"


def _kind(name: str, text: str, place: int) -> str:
    try:
        value = parse_value(text, name) if text else None
    except TautError:
        return "value"
    if isinstance(value, Domain) or (place == 0 and not text):
        return "domain"
    if isinstance(value, bool):
        return "boolean"
    return "number" if is_number(value) else "value"


def _example(field: Field) -> str:
    return {"domain": "bits(4)", "boolean": "true"}.get(field.kind, "1/5")


def _usual(name: str) -> str:
    """Return the usual value of a parameter of this name in the built-in mechanisms, or nothing."""
    for entry in CATALOG.values():
        if name in entry.parameters:
            text = typed(entry.parameters[name])
            if text is not None:
                return text
    return ""


def typed(value: Any) -> str | None:
    """Return a value as text that can be typed, or None."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        items = [typed(item) for item in value]
        return None if None in items else f"[{', '.join(item for item in items if item is not None)}]"
    return str(value) if is_number(value) or isinstance(value, (str, Domain)) else None


def _claimed(value: Any, function: Any) -> dict[str, str]:
    """Return the domains and arguments of the first claim on a mechanism."""
    for claim in claims_of(value):
        try:
            bound = inspect.signature(function).bind_partial(*claim.args, **claim.arguments)
        except TypeError:
            continue
        texts = {name: typed(given) for name, given in bound.arguments.items()}
        return {name: text for name, text in texts.items() if text is not None}
    return {}


def _calls(code: str) -> dict[str, ast.Call]:
    """Return the last call of each name that has a database among its arguments."""
    found = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [_written(one) for one in [*node.args, *[word.value for word in node.keywords]]]
            if any(text is not None and _kind("x", text, 1) == "domain" for text in texts):
                found[node.func.id] = node
    return found


def _called(call: ast.Call | None, function: Any) -> dict[str, str]:
    """Return the arguments of a call, as they would be typed into the form."""
    if call is None or any(word.arg is None for word in call.keywords):
        return {}
    try:
        bound = inspect.signature(function).bind_partial(*call.args, **{str(k.arg): k.value for k in call.keywords})
    except TypeError:
        return {}
    texts = {name: _written(node) for name, node in bound.arguments.items() if isinstance(node, ast.expr)}
    return {name: text for name, text in texts.items() if text is not None}


def _written(node: ast.expr) -> str | None:
    """Return an expression as text for a field, or None."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    text = ast.unparse(node)
    try:
        value = parse_value(text, "x")
    except TautError:
        return None
    return text if not isinstance(value, str) else None


def questions_of_form(form: QuestionForm, options: Mapping[str, str]) -> list[Question[Any]]:
    """Return the questions that a form asks; empty fields have their initial texts.

    Raises:
        FieldProblem: a field cannot be read.
    """
    try:
        return questions_of_texts(form.kind, form_texts(form, options))
    except TautError as problem:
        typed = [one.name for one in form.fields if one.kind not in ("target", "distance")]
        named = next((name for name in typed if name in str(problem)), typed[0] if typed else "")
        raise FieldProblem(str(problem), value=named) from None


def form_texts(form: QuestionForm, options: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of a form by the fields that they are for: ``ratio=2`` is for the field ``ratio``."""
    names = [one.name for one in form.kind.fields]
    texts: dict[str, str] = {}
    for one in form.fields:
        text = options.get(one.name, "").strip() or one.first
        other, equals, rest = text.partition("=")
        texts |= {other.strip(): rest.strip()} if equals and other.strip() in names else {one.name: text}
    return texts


_OF_LISTS = (
    *("all", "any", "array", "asarray", "enumerate", "filter", "len", "list", "map", "max", "mean", "min", "reversed"),
    *("set", "sorted", "sum", "tuple", "zip"),
)
"""Functions whose argument is a list, or more than one value."""
_DATABASE, _NUMBER = "bits(4)", "integer(0, 1)"
_MOST_WORDS = 12


def guessed_domain(function: Any, name: str) -> str:
    """Return a small domain for the parameter ``name``: several entries, one number, or the words it is compared with.

    Examples
    --------
    >>> guessed_domain(lambda x: sum(x), "x"), guessed_domain(lambda one: one + 1, "one")
    ('bits(4)', 'integer(0, 1)')
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return _DATABASE
    if any(_is_list(node, name) for node in ast.walk(tree)):
        return _DATABASE
    words = list(dict.fromkeys(word for node in ast.walk(tree) for word in _compared(node, name)))
    if 1 < len(words) <= _MOST_WORDS:
        return f"category([{', '.join(words)}])"
    counts = any(isinstance(node, (ast.BinOp, ast.Compare)) and _has(node, name) for node in ast.walk(tree))
    return _NUMBER if counts or not (len(name) == 1 or name.startswith("data") or name.endswith("s")) else _DATABASE


def _is_list(node: ast.AST, name: str) -> bool:
    """Return True if a piece of a program uses a name as a list."""
    match node:
        case ast.For(iter=used) | ast.comprehension(iter=used) | ast.Subscript(value=used) | ast.Starred(value=used):
            return _is(used, name)
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=given):
            return called in _OF_LISTS and any(_is(one, name) for one in given) and not _is_pair(called, given)
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[used]):
            return _is(used, name)
    return False


def _is_pair(called: str, given: list[ast.expr]) -> bool:
    """Return True if max or min is taken of several values, each of them one number."""
    return called in ("max", "min") and len(given) > 1


def _compared(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the words that a piece of a program compares a name with."""
    if isinstance(node, ast.Compare) and _is(node.left, name):
        for one in ast.walk(node):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier():
                yield one.value


def _has(node: ast.AST, name: str) -> bool:
    return any(_is(one, name) for one in ast.iter_child_nodes(node))


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
