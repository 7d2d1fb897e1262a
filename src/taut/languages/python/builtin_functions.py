"""Built-in functions of Python on symbolic values: the table of supported ones."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import failure_like, format_in_bounds
from taut.languages.python.floats import Float, exact_fraction, precisely
from taut.languages.python.iteration_functions import ITERATORS
from taut.languages.python.iterators import Reversed
from taut.languages.python.operators import whole_number
from taut.languages.python.values import (
    ENDED,
    Alternatives,
    Box,
    Code,
    DictBox,
    DictView,
    Followed,
    IteratorBox,
    ListBox,
    Method,
    Partial,
    SetBox,
    Symbolic,
    Thinned,
    has_symbolic,
    is_scalar_or_random,
    kind_of,
    python_class,
)
from taut.program import Operation, operation
from taut.program.digits import power_modulo
from taut.program.values import Anything, IntegerRange
from taut.support.errors import RealRandomness, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["BUILTINS", "python_class"]


def _sum(reader: Reader, values: Any, start: Any = 0) -> Any:
    if isinstance(start, str):
        return reader.worlds.fail(failure_like(TypeError(), "sum() cannot add text; use ''.join(...)."))
    rows = _collected(reader, values)
    if isinstance(rows, ListBox) and isinstance(rows.content, Thinned):
        padded = _padded(reader, rows.content.parts, 0)
        if padded is not None:
            return reader.operators.add_up([whole_number(reader, item) for item in padded], start)
    return reader.sequences.per_length(rows, lambda items: reader.operators.add_up(items, start), "what is summed")


def _only_integers(reader: Reader, item: Any) -> bool:
    """Return True if a value can only be an integer or a Boolean, wherever it stands."""
    values = reader.worlds.term(item).values
    return isinstance(values, IntegerRange) or (
        isinstance(values, frozenset) and all(isinstance(value, int) for value in values)
    )


def _collected(reader: Reader, values: Any) -> Any:
    """Collect what is not in a list yet, a set in arbitrary order."""
    values = _unordered(reader, values)
    return reader.loops.collected(values, "what is summed") if isinstance(values, IteratorBox) else values


def _unordered(reader: Reader, values: Any) -> Any:
    """Collect a set into a list in arbitrary order, for callers that do not depend on the order."""
    if isinstance(values, SetBox):
        return reader.loops.collected(values, ordered=False)
    if isinstance(values, Alternatives) and any(isinstance(option, SetBox) for _, option in values.options):
        return reader.worlds.each(values, lambda option: _unordered(reader, option), fresh=True)
    return values


def _min(reader: Reader, *args: Any, key: Any = None, default: Any = ENDED) -> Any:
    return _extreme(reader, "min", args, key, default)


def _max(reader: Reader, *args: Any, key: Any = None, default: Any = ENDED) -> Any:
    return _extreme(reader, "max", args, key, default)


def _extreme(reader: Reader, name: str, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    if not args:
        return reader.worlds.fail(failure_like(TypeError(), f"{name}() needs at least one argument."))
    if len(args) > 1 and default is not ENDED:
        message = f"{name}() takes a default only where it is given one list."
        return reader.worlds.fail(failure_like(TypeError(), message))
    values: Any = args if len(args) > 1 else args[0]
    if key is None:
        values = _unordered(reader, values)
    if key is not None:
        values = reader.loops.mapped(values, lambda item: (item, reader.calls.call(key, [item], {})))

    def of(items: Sequence[Any]) -> Any:
        if not items:
            if default is not ENDED:
                return default
            return reader.worlds.fail(failure_like(ValueError(), f"{name}() of an empty list."))
        if key is None and all(is_scalar_or_random(item) for item in items):
            if len(items) == 1:
                return items[0]
            if reader.worlds.one_kind(items) and not reader.worlds.fractions:
                return reader.operators.apply(operation(name), *items)
        return _best(reader, name, items, key is not None)

    if key is None and isinstance(values, IteratorBox):
        values = reader.loops.collected(values, f"the argument of {name}")
    if key is None and isinstance(values, ListBox) and isinstance(values.content, Thinned):
        spare = _worst(reader, name, values.content.parts)
        padded = None if spare is None else _padded(reader, values.content.parts, spare)
        if padded is not None:
            some = reader.worlds.terms.any(*[guard for guard, _ in values.content.parts])
            return reader.worlds.choose(some, lambda: of(padded), lambda: of([]))
    return reader.sequences.per_length(values, of, f"the argument of {name}")


def _worst(reader: Reader, name: str, parts: Sequence[tuple[Any, Any]]) -> int | None:
    """Return a number that is no better than any item; None if items are not known to be integers."""
    ends: list[Any] = []
    for _, item in parts:
        if not is_scalar_or_random(item) or reader.worlds.kinds(item) != {"int"}:
            return None
        known = item.term.values if isinstance(item, Symbolic) else [item]
        if isinstance(known, Anything):
            return None
        ends += (known.low, known.high) if isinstance(known, IntegerRange) else known
    numbers = [value for value in ends if isinstance(value, int)]  # an item may be None where it is missing
    return min(numbers) if name == "max" else max(numbers)


def _padded(reader: Reader, parts: Sequence[tuple[Any, Any]], spare: int) -> list[Any] | None:
    """Put ``spare`` in place of each missing item; None if an item that is there may be no integer."""
    if not all(is_scalar_or_random(item) for _, item in parts):
        return None
    terms, nothing = reader.worlds.terms, reader.worlds.terms.const(spare)
    padded = []
    for guard, item in parts:
        term = reader.worlds.term(item)
        if isinstance(term.values, frozenset) and not any(isinstance(value, bool) for value in term.values):
            others = [value for value in term.values if not isinstance(value, int)]
            if others:  # such as None, where the item is missing
                here = [terms.apply("eq", term, terms.const(value)) for value in others]
                if reader.worlds.possible(terms.all(guard, terms.any(*here))):
                    return None
                keys = tuple(term.values)
                term = terms.select(term, keys, [nothing if key in others else terms.const(key) for key in keys])
        padded.append(reader.worlds.wrap(terms.ite(guard, term, nothing)))
    return padded if all(_only_integers(reader, item) for item in padded) else None


def _best(reader: Reader, name: str, items: Sequence[Any], keyed: bool) -> Any:
    """Return the first of the best items; with keys, items are pairs of an item and its key."""
    best, best_key = items[0] if keyed else (items[0], items[0])
    for row in items[1:]:
        item, here = row if keyed else (row, row)
        better = reader.operators.truth(reader.comparisons.compare("lt" if name == "min" else "gt", here, best_key))
        best, best_key = reader.worlds.merge(better, item, best), reader.worlds.merge(better, here, best_key)
    return best


def _abs(reader: Reader, value: Any) -> Any:
    return reader.operators.unary("abs", value)


def _any(reader: Reader, values: Any) -> Any:
    truth = reader.operators.truth
    if _is_lazy(values):
        return reader.worlds.wrap(reader.loops.first_that(values, truth, "the argument of any"))
    rows = _unordered(reader, values)
    if isinstance(rows, ListBox) and isinstance(rows.content, Thinned):
        terms = reader.worlds.terms
        return reader.worlds.wrap(terms.any(*[terms.all(guard, truth(item)) for guard, item in rows.content.parts]))
    return reader.sequences.per_length(
        rows, lambda items: reader.worlds.wrap(reader.worlds.terms.any(*[truth(item) for item in items]))
    )


def _all(reader: Reader, values: Any) -> Any:
    truth, terms = reader.operators.truth, reader.worlds.terms
    if _is_lazy(values):
        fails = reader.loops.first_that(values, lambda item: terms.negate(truth(item)), "the argument of all")
        return reader.worlds.wrap(terms.negate(fails))
    rows = _unordered(reader, values)
    if isinstance(rows, ListBox) and isinstance(rows.content, Thinned):
        parts = rows.content.parts
        return reader.worlds.wrap(terms.all(*[terms.any(terms.negate(guard), truth(item)) for guard, item in parts]))
    return reader.sequences.per_length(
        rows, lambda items: reader.worlds.wrap(terms.all(*[truth(item) for item in items]))
    )


def _is_lazy(values: Any) -> bool:
    if isinstance(values, Alternatives):
        return any(_is_lazy(option) for _, option in values.options)
    return isinstance(values, IteratorBox)


def _len(reader: Reader, value: Any) -> Any:
    return reader.sequences.length(value)


def _range(reader: Reader, *args: Any) -> Any:
    if any(isinstance(value, (Symbolic, Alternatives)) for value in args):
        return reader.sequences.spread(args, lambda *known: _range(reader, *known))
    try:
        return range(*args)
    except (TypeError, ValueError) as problem:
        return reader.worlds.fail(failure_like(problem))


def _sorted(reader: Reader, values: Any, *, key: Any = None, reverse: Any = False) -> Any:
    rows = _unordered(reader, values) if key is None else values
    return ListBox(_own(reader.lists.sorted_content(rows, key, reverse)), reader.worlds.world)


def _own(content: Any) -> Any:
    return list(content) if isinstance(content, list) else content


def _reversed(reader: Reader, values: Any) -> Any:
    if isinstance(values, Alternatives):
        return reader.worlds.each(values, lambda option: _reversed(reader, option))
    if isinstance(values, (tuple, str, bytes, range)):
        return reader.iterators.of(values[::-1])
    if isinstance(values, ListBox):
        size = reader.sequences.length(values)
        return reader.iterators.new(Reversed(values), reader.operators.binary("sub", size, 1))
    if isinstance(values, (DictBox, DictView)):
        made = reader.loops.collected(values)
        return reader.iterators.of(reader.sequences.mapped(made, lambda items: items[::-1]))
    if isinstance(values, Symbolic):
        texts = reader.sequences.texts(values, "what is reversed")
        return _reversed(reader, Alternatives(tuple(texts)) if len(texts) > 1 else texts[0][1])
    message = f"reversed(...) needs a sequence; got {kind_of(values)}."
    return reader.worlds.fail(failure_like(TypeError(), message))


def _list(reader: Reader, values: Any = ()) -> Any:
    if isinstance(values, (ListBox, IteratorBox, DictBox, DictView, SetBox)):
        return _fresh_list(reader, values)
    return reader.sequences.mapped(values, list, "the argument of list")


def _fresh_list(reader: Reader, values: Any) -> ListBox:
    made = reader.loops.collected(values, "the argument of list")
    return ListBox(_own(made.content), reader.worlds.world)


def _tuple(reader: Reader, values: Any = ()) -> Any:
    if type(values) is tuple:
        return values
    return reader.sequences.per_length(values, tuple, "the argument of tuple")


def _set(reader: Reader, values: Any = ()) -> Any:
    return reader.sets.of(values)


def _frozenset(reader: Reader, values: Any = ()) -> Any:
    return values if isinstance(values, SetBox) and values.frozen else reader.sets.of(values, frozen=True)


def _dict(reader: Reader, pairs: Any = (), **more: Any) -> Any:
    box = reader.dicts.new()
    reader.dicts.update(box, pairs, **more)
    return box


def _int(reader: Reader, value: Any = 0, *base: Any, **keyword: Any) -> Any:
    return reader.text.converted(int, value, *base, *keyword.values())


def _str(reader: Reader, value: Any = "") -> Any:
    return reader.text.converted(str, value)


def _repr(reader: Reader, value: Any) -> Any:
    return reader.text.converted(repr, value)


def _bool(reader: Reader, value: Any = False) -> Any:
    return reader.worlds.wrap(reader.operators.truth(value))


def _as_float(value: Any) -> Any:
    return value if isinstance(value, Float) else Float(float(value), Fraction(value) if _is_rational(value) else None)


def _is_rational(value: Any) -> bool:
    return isinstance(value, (int, Fraction))


def _float(reader: Reader, value: Any = 0) -> Any:
    if reader.exact:
        return reader.text.converted(_as_exact, value)
    return reader.text.converted(_as_float, value)


def _as_exact(value: Any) -> Any:
    return precisely(value if _is_rational(value) else _as_float(value))


def _round(reader: Reader, value: Any, ndigits: Any = None) -> Any:
    if ndigits is None:
        return reader.text.converted(round, value)
    return reader.text.converted(round, value, whole_number(reader, ndigits))


def _divmod(reader: Reader, a: Any, b: Any) -> Any:
    return (reader.operators.binary("floordiv", a, b), reader.operators.binary("mod", a, b))


def _pow(reader: Reader, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return reader.operators.binary("pow", base, exp)
    values = [base, exp, mod]
    if any(isinstance(value, Alternatives) for value in values):
        return reader.sequences.spread(values, lambda *known: _pow(reader, *known))
    return reader.operators.pointwise(power_modulo, base, exp, mod)


def _isinstance(reader: Reader, value: Any, kind: Any) -> Any:
    if isinstance(kind, Alternatives):
        return reader.worlds.each(kind, lambda option: _isinstance(reader, value, option))
    if isinstance(kind, tuple) and has_symbolic(kind):
        tests = [reader.operators.truth(_isinstance(reader, value, one)) for one in kind]
        return reader.worlds.wrap(reader.worlds.terms.any(*tests))
    try:
        isinstance(None, kind)
    except TypeError as problem:
        return reader.worlds.fail(failure_like(problem))
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _isinstance(reader, option, kind))
    if isinstance(value, Symbolic):
        return reader.operators.apply(_is_instance(kind), value)
    return issubclass(python_class(value), kind)


def _type(reader: Reader, value: Any) -> Any:
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _type(reader, option))
    if isinstance(value, Symbolic):
        values = value.term.values
        kinds = {python_class(v) for v in values} if isinstance(values, frozenset) else {int}
        if kinds == {int} and isinstance(values, frozenset) and {0, 1} & values:
            raise UnsupportedValue(
                "type(...) of a random number that may be a Boolean is not followed; use isinstance."
            )
        if len(kinds) > 1:
            raise UnsupportedValue("type(...) of a random value of several types is not followed; use isinstance.")
        return kinds.pop()
    return python_class(value)


def _callable(reader: Reader, value: Any) -> Any:
    if isinstance(value, Alternatives):
        return reader.worlds.each(value, lambda option: _callable(reader, option))
    if isinstance(value, (Code, Followed, Method, Partial)):
        return True
    return not isinstance(value, (Symbolic, Box)) and callable(value)


def _iter(reader: Reader, value: Any) -> Any:
    return reader.iterators.of(value, "the argument of iter")


def _next(reader: Reader, iterator: Any, *default: Any) -> Any:
    return reader.iterators.next(iterator, *default)


def _getattr(reader: Reader, owner: Any, name: Any, *default: Any) -> Any:
    if default or not isinstance(name, str):
        raise UnsupportedValue("getattr(...) is followed with an ordinary name and without a default only.")
    return reader.attributes.get(owner, name)


def _fraction(reader: Reader, numerator: Any = 0, *denominator: Any) -> Any:
    args = (numerator, *denominator)
    if any(isinstance(arg, Alternatives) for arg in args):
        return reader.sequences.spread(args, lambda *known: _fraction(reader, *known))
    if any(isinstance(arg, Symbolic) for arg in args):
        made = reader.operators.pointwise(exact_fraction, *args)
        reader.worlds.fractions = True
        return made
    return reader.text.converted(exact_fraction, *args)


def _pure(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of scalars without effects."""

    def call(reader: Reader, *args: Any) -> Any:
        if has_symbolic(args):
            if any(isinstance(arg, Alternatives) for arg in args):
                return reader.sequences.spread(args, lambda *known: call(reader, *known))
            return reader.operators.pointwise(function, *args)
        return reader.foreign.call(function, args, {})

    return call


@functools.lru_cache(maxsize=256)
def _is_instance(kind: Any) -> Any:
    return Operation("isinstance", lambda value: issubclass(python_class(value), kind))


def _refused(function: Any) -> Callable[..., Any]:
    def refuse(reader: Reader, *args: Any, **keywords: Any) -> Any:
        name = getattr(function, "__name__", repr(function))
        advice = "Return what you want to see." if function is print else "Do that before or after it."
        raise RealRandomness(
            f"'{name}' reaches outside the mechanism; a mechanism may only compute. {advice}", value=name
        )

    return refuse


BUILTINS: dict[Any, Callable[..., Any]] = {
    getattr(builtins, name): globals()[f"_{name}"]
    for name in [
        "sum",
        "min",
        "max",
        "abs",
        "any",
        "all",
        "len",
        "range",
        "sorted",
        "reversed",
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "int",
        "str",
        "repr",
        "bool",
        "float",
        "round",
        "divmod",
        "pow",
        "isinstance",
        "type",
        "callable",
        "iter",
        "next",
        "getattr",
    ]
}
BUILTINS |= ITERATORS
BUILTINS[Fraction] = _fraction
for _computing in (bin, hex, oct, ord, chr, ascii):
    BUILTINS[_computing] = _pure(_computing)
BUILTINS[format] = _pure(format_in_bounds)
for _outside in (hash, id, print, input, open, exec, eval, globals, locals, vars, setattr, delattr, breakpoint):
    BUILTINS[_outside] = _refused(_outside)
