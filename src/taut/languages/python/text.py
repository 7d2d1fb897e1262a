"""Text: string methods, formatting, and the text of numbers."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like, require_format, require_text_method
from taut.languages.python.floats import RoundingDecides
from taut.languages.python.values import (
    Alternatives,
    Box,
    IteratorBox,
    ListBox,
    RecordValue,
    Symbolic,
    has_symbolic,
    is_scalar,
    kind_of,
    python_class,
)
from taut.support.errors import RoundedFloat, TooLarge, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["SCALAR_METHODS", "SPLITTING_METHODS", "STRING_METHODS", "Text"]

STRING_METHODS = frozenset(
    [
        "capitalize",
        "casefold",
        "center",
        "count",
        "endswith",
        "expandtabs",
        "find",
        "index",
        "isalnum",
        "isalpha",
        "isascii",
        "isdecimal",
        "isdigit",
        "isidentifier",
        "islower",
        "isnumeric",
        "isprintable",
        "isspace",
        "istitle",
        "isupper",
        "ljust",
        "lower",
        "lstrip",
        "removeprefix",
        "removesuffix",
        "replace",
        "rfind",
        "rindex",
        "rjust",
        "rstrip",
        "startswith",
        "strip",
        "swapcase",
        "title",
        "translate",
        "upper",
        "zfill",
    ]
)
"""String methods that return text or numbers."""
SPLITTING_METHODS = frozenset(["split", "rsplit", "splitlines", "partition", "rpartition"])
"""String methods that return lists or tuples of text."""
SCALAR_METHODS = frozenset(["bit_length", "bit_count", "conjugate", "is_integer", "as_integer_ratio"])
"""Methods of numbers."""


class Text:
    """Text in the current world."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds

    def method(self, owner: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Call a method of a string or a random scalar."""
        if name == "join" and len(args) == 1:
            return self._joined(owner, args[0])
        if name == "format":
            return self._format(owner, args, keywords)
        values = [self._argument(arg) for arg in args]
        for place, value in enumerate(values):
            if isinstance(value, Alternatives):
                return self.worlds.each(
                    value,
                    lambda option, place=place: self.method(  # type: ignore[misc]
                        owner, name, [*values[:place], option, *values[place + 1 :]], keywords
                    ),
                )
        if has_symbolic(list(keywords.values())):
            raise UnsupportedValue(f"'.{name}' of a random value takes keywords that are not random.")
        plain = {key: self.reader.foreign.exported(value) for key, value in keywords.items()}
        if name in SPLITTING_METHODS or (name == "as_integer_ratio"):
            return self.reader.sequences.spread(
                [owner, *values], lambda text, *known: self._call(text, name, known, plain)
            )
        if name not in STRING_METHODS and name not in SCALAR_METHODS:
            return self.reader.attributes.missing(owner, python_class(owner), name)
        if any(not is_scalar(value) and not isinstance(value, Symbolic) for value in values):
            return self.reader.sequences.spread(
                [owner, *values], lambda text, *known: self._call(text, name, known, plain)
            )
        return self.reader.operators.pointwise(_caller(name, tuple(sorted(plain.items()))), owner, *values)

    def _argument(self, value: Any) -> Any:
        if isinstance(value, ListBox):
            return tuple(self.reader.sequences.items(value))
        return value

    def _call(self, text: Any, name: str, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        require_text_method(text, name, args, keywords)
        try:
            found = getattr(text, name)(*args, **keywords)
        except Exception as problem:
            return self.worlds.fail(failure_like(problem))
        return self.reader.import_value(found)

    def _joined(self, separator: Any, values: Any) -> Any:
        def put_together(items: Sequence[Any]) -> Any:
            text: Any = ""
            for place, item in enumerate(items):
                text = self._added(text, separator if place else "")
                text = self._added(text, item)
            return text

        return self.reader.sequences.per_length(values, put_together, "what is joined")

    def _added(self, text: Any, more: Any) -> Any:
        if isinstance(more, (Symbolic, Alternatives, str)):
            return self.reader.operators.binary("add", text, more)
        return self.worlds.fail(failure_like(TypeError(), f"join: expected text, got {kind_of(more)}."))

    def converted(self, function: Callable[..., Any], value: Any, *more: Any) -> Any:
        """Convert one value by str, repr, int and the like."""
        if isinstance(value, Alternatives):
            return self.worlds.each(value, lambda option: self.converted(function, option, *more))
        if any(isinstance(item, (Symbolic, Alternatives)) for item in more):
            return self.reader.sequences.spread([value, *more], lambda *known: self.converted(function, *known))
        if isinstance(value, Symbolic):
            return self.reader.operators.pointwise(_with(function, more) if more else function, value)
        if isinstance(value, tuple) and has_symbolic(value):
            return self._spread([value], lambda known: self.converted(function, known, *more))
        if type(value) is ListBox and has_symbolic(value):
            return self._spread([value], lambda known: self.converted(function, known, *more))
        if isinstance(value, (IteratorBox, RecordValue)) or has_symbolic(value):
            raise UnsupportedValue(
                f"{function.__name__} of {kind_of(value)} with random values in it is not supported; use its items."
            )
        if not is_scalar(value) and not isinstance(value, (Box, tuple, range)):
            return self.reader.foreign.call(function, [value, *more], {})
        try:
            made = function(value if is_scalar(value) else self.reader.foreign.exported(value), *more)
        except RoundingDecides as problem:
            return self.worlds.fail(RoundedFloat(f"{problem}."))
        except TooLarge:
            raise
        except Exception as problem:
            return self.worlds.fail(failure_like(problem))
        return self.reader.import_value(made)

    def percent(self, form: Any, values: Any) -> Any:
        """Return form % values, for ordinary values."""
        if isinstance(form, Symbolic):
            return self.reader.sequences.spread([form], lambda known: self.percent(known, values))
        if isinstance(values, Alternatives):
            return self.worlds.each(values, lambda option: self.percent(form, option))
        if has_symbolic(values):
            row = values if isinstance(values, tuple) else (values,)
            return self._spread(row, lambda *known: self.percent(form, known))
        return self._call(form, "__mod__", [self.reader.foreign.exported(values)], {})

    def _format(self, form: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
        if isinstance(form, Symbolic) or has_symbolic([*args, *keywords.values()]):
            names = list(keywords)
            return self._spread(
                [form, *args, *keywords.values()],
                lambda text, *known: self._format(
                    text, known[: len(args)], dict(zip(names, known[len(args) :], strict=True))
                ),
            )
        exported = self.reader.foreign.exported
        plain = {key: exported(value) for key, value in keywords.items()}
        return self._call(form, "format", [exported(arg) for arg in args], plain)

    def _spread(self, values: Sequence[Any], action: Callable[..., Any]) -> Any:
        """Apply ``action`` to each combination of ordinary values that random ones can have, with their spelling."""
        if not has_symbolic(list(values)):
            return action(*values)
        rows = Alternatives(tuple(self.reader.dicts.cases(tuple([self._opened(value) for value in values]))))
        return self.worlds.each(rows, lambda row: action(*[self._closed(value) for value in row]))

    def _opened(self, value: Any) -> Any:
        """Convert a list with random items to a marked tuple; refuse other random containers."""
        if isinstance(value, Alternatives):
            return Alternatives(tuple((guard, self._opened(option)) for guard, option in value.options))
        if type(value) is tuple:
            return tuple([self._opened(item) for item in value])
        if type(value) is ListBox and has_symbolic(value):
            rows = [
                (guard, _ShownList(*[self._opened(item) for item in items]))
                for guard, items in self.reader.sequences.rows(value)
            ]
            return Alternatives(tuple(rows)) if len(rows) > 1 else rows[0][1]
        if isinstance(value, Box) and has_symbolic(value):
            raise UnsupportedValue(f"the text of {kind_of(value)} with random values in it is not supported.")
        return value

    def _closed(self, value: Any) -> Any:
        if isinstance(value, _ShownList):
            return self.reader.sequences.new_list([self._closed(item) for item in value])
        return tuple([self._closed(item) for item in value]) if type(value) is tuple else value

    def string(self, node: ast.JoinedStr) -> Any:
        """Return the value of an f-string."""
        result: Any = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self._formatted(part)
            else:
                value = self.reader.expressions.evaluate(part)
            self.reader.node = node
            result = self.reader.operators.binary("add", result, value)
        return result

    def _formatted(self, node: ast.FormattedValue) -> Any:
        value = self.reader.expressions.evaluate(node.value)
        style = "" if node.format_spec is None else self.reader.expressions.evaluate(node.format_spec)
        self.reader.node = node
        convert = {-1: None, 115: str, 114: repr, 97: ascii}[node.conversion]
        return self.reader.sequences.spread([style], lambda known: self.converted(_formatter(known, convert), value))


class _ShownList(tuple[Any, ...]):
    """The items of a list, to be shown with brackets."""

    __slots__ = ()

    def __new__(cls, *items: Any) -> _ShownList:
        return super().__new__(cls, items)


@functools.lru_cache(maxsize=256)
def _formatter(style: str, convert: Any) -> Callable[[Any], str]:
    def formatted(value: Any) -> str:
        require_format(style)
        return format(value if convert is None else convert(value), style)

    return formatted


@functools.lru_cache(maxsize=1024)
def _caller(name: str, keywords: tuple[tuple[str, Any], ...]) -> Callable[..., Any]:
    def call(value: Any, *args: Any) -> Any:
        require_text_method(value, name, args, dict(keywords))
        return getattr(value, name)(*args, **dict(keywords))

    call.__name__ = name
    return call


@functools.lru_cache(maxsize=1024)
def _with(function: Callable[..., Any], more: tuple[Any, ...]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        return function(value, *more)

    call.__name__ = function.__name__
    return call
