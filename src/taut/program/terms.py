"""Terms: frozen, hash-consed functions of inputs and coins, each with the set of values it can take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from taut.program.operations import UNDEFINED, Operation, operation, typed
from taut.program.placeholders import Opaque
from taut.program.values import ANY, BOOLEAN, IntegerRange, Values, image, union
from taut.support.limits import checkpoint, checkpoints

__all__ = ["Apply", "Coin", "Const", "Input", "Ite", "Select", "Term", "Terms", "Tuple"]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Term(Opaque):
    """A value that depends on inputs and coins.

    Terms are made by a ``Terms`` table only; two equal terms of one table are one object, so ``is`` compares them, and
    equality and hash are those of the object.
    ``serial`` grows with the time of making, so arguments always have smaller serials. ``failure`` says why the
    outermost operation may fail on some values of its arguments, None if it cannot.
    """

    serial: int
    values: Values
    failure: str | None

    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        """Return the term as an expression; the text of a large term is cut short."""
        return _text(self, [_SHOWN_PARTS])


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Const(Term):
    value: Any


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Input(Term):
    index: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Coin(Term):
    index: int


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Apply(Term):
    operation: Operation
    args: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Ite(Term):
    """``then`` where ``test`` is true, else ``other``."""

    test: Term
    then: Term
    other: Term


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Select(Term):
    """The item whose key the index equals; UNDEFINED where there is none."""

    index: Term
    keys: tuple[Any, ...]
    items: tuple[Term, ...]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Tuple(Term):
    items: tuple[Term, ...]


_FLAT = 16
"""Number of parts up to which a connective inside another of its kind is flattened; beyond, sharing matters more."""


def _values_unless(test: Term, term: Term) -> Values:
    """Return the values of a term where a test is false: all but one if the test compares the term with that."""
    compared = isinstance(test, Apply) and test.operation.name == "eq" and test.args[0] is term
    if not compared or not isinstance(term.values, frozenset):
        return term.values
    key = test.args[1].value if isinstance(test, Apply) and isinstance(test.args[1], Const) else UNDEFINED
    return term.values - {key} if key is not UNDEFINED and key == key else term.values


class Terms:
    """The table that makes, simplifies and shares the terms of one program."""

    def __init__(self) -> None:
        self._table: dict[Any, Term] = {}
        self._inputs: dict[int, Term] = {}
        self._serial = 0
        self._outcomes: tuple[tuple[Any, ...], Values] = ((), frozenset())
        self._entries: tuple[tuple[Any, ...], Values] = ((), frozenset())
        self.true = self.const(True)
        self.false = self.const(False)

    def __len__(self) -> int:
        return len(self._table) + len(self._inputs)

    def const(self, value: Any) -> Term:
        key = (Const, typed(value))
        found = self._table.get(key)
        return self._keep(key, Const(self._next(), frozenset({value}), None, value)) if found is None else found

    def input(self, index: int, values: Iterable[Any]) -> Term:
        found = self._inputs.get(index)
        if found is not None:
            return found
        if not isinstance(values, tuple) or values is not self._entries[0]:  # entries of a database share theirs
            values = tuple(values)
            self._entries = (values, union([frozenset(values)]))
        self._serial += 1
        made = self._inputs[index] = Input(self._serial, self._entries[1], None, index)
        return made

    def inputs(self, indices: Iterable[int], values: tuple[Any, ...]) -> list[Term]:
        """Return entries that have the same values."""
        self._entries = (values, union([frozenset(values)]))
        return [self.input(index, values) for index in checkpoints(indices, 4096)]

    def coin(self, index: int, outcomes: tuple[Any, ...], values: Values | None = None) -> Term:
        """Return the coin of that number; ``values`` may have more than its outcomes."""
        key = (Coin, index)
        found = self._table.get(key)
        if found is not None:
            return found
        if values is not None:
            return self._keep(key, Coin(self._next(), values, None, index))
        if outcomes is not self._outcomes[0]:  # draws around many centres share theirs
            self._outcomes = (outcomes, union([frozenset(outcomes)]))
        return self._keep(key, Coin(self._next(), self._outcomes[1], None, index))

    def tuple(self, items: Sequence[Term]) -> Term:
        key = (Tuple, *items)
        found = self._table.get(key)
        return self._keep(key, Tuple(self._next(), ANY, None, tuple(items))) if found is None else found

    def apply(self, name: str | Operation, *args: Term) -> Term:
        """Apply an operation to arguments and simplify; ``failure`` of the term is set if it may be undefined."""
        known = operation(name) if isinstance(name, str) else name
        if known.name in ("and", "or"):
            return self._connective(known, args)
        if known.name == "defined":
            return self._defined(known, args[0])
        if known.name == "add" and len(args) > 2:
            args = self._collected(args)
        if known.name in ("max", "min") and len(args) > 2:
            args = self._extreme(known, args)
        if known.name == "sub" and isinstance(args[1], Const) and type(args[1].value) is int and _are_integers(args[0]):
            return self.apply("add", args[0], self.const(-args[1].value))
        if known.name == "not" and isinstance(args[0], Apply) and args[0].operation is known:
            return self.truth(args[0].args[0])
        if all(isinstance(arg, Const) for arg in args):
            value = known(*[arg.value for arg in args])  # type: ignore[attr-defined]
            if value is not UNDEFINED:
                return self.const(value)
        if known.name == "eq" and args[0] is args[1] and args[0].failure is None:
            return self.true
        key = (Apply, known, *args)
        found = self._table.get(key)
        if found is not None:
            return found
        values, failure = image(known, tuple([arg.values for arg in args]))
        # 0 and 1 stand for False and True as well in a set of values, so only a Boolean operation tells which it is.
        certain = failure is None and isinstance(values, frozenset) and len(values) == 1
        if certain and (known.name in BOOLEAN or not values <= {0, 1}):  # type: ignore[operator]
            return self.const(next(iter(values)))  # type: ignore[arg-type]
        if certain and known.name == "mul" and all(map(_are_integers, args)):
            return self.const(int(next(iter(values))))  # type: ignore[arg-type]
        return self._keep(key, Apply(self._next(), values, failure, known, args))

    def _collected(self, args: Sequence[Term]) -> Any:
        """Return the summands of three or more with integer and Boolean constants added up."""
        constants = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, int)]
        if not constants or (len(constants) == 1 and type(constants[0]) is int):
            return args
        rest = [arg for arg in args if not (isinstance(arg, Const) and isinstance(arg.value, int))]
        total = sum(constants)
        return (*rest,) if total == 0 and len(rest) > 1 else (self.const(total), *rest)

    def _extreme(self, known: Operation, args: Sequence[Term]) -> Any:
        """Return the arguments of a maximum or minimum of three or more integers with constants made one."""
        constants = [arg.value for arg in args if isinstance(arg, Const) and type(arg.value) is int]
        rest = [arg for arg in args if not (isinstance(arg, Const) and type(arg.value) is int)]
        if len(constants) < 2 or not rest or not all(map(_are_integers, rest)):
            return args
        value = known(*constants)
        if value in (0, 1) and not all(isinstance(arg.values, IntegerRange) for arg in rest):
            return args  # a set of values has 1 for True as well, and the first of equal ones is returned
        return (self.const(value), *rest)

    def _defined(self, known: Operation, term: Term) -> Term:
        """Return the event that the outermost operation of a term succeeds; its arguments have events of their own."""
        if term.failure is None:
            return self.true
        key = (Apply, known, term)
        found = self._table.get(key)
        return (
            self._keep(key, Apply(self._next(), frozenset({False, True}), None, known, (term,)))
            if found is None
            else found
        )

    def truth(self, term: Term) -> Term:
        """Return the term as a Boolean, with the meaning of ``bool``."""
        if _is_boolean(term):
            return term
        return self.apply("truth", term)

    def negate(self, term: Term) -> Term:
        return self.apply("not", term)

    def all(self, *terms: Term) -> Term:
        return self.apply("and", *terms)

    def any(self, *terms: Term) -> Term:
        return self.apply("or", *terms)

    def ite(self, test: Term, then: Term, other: Term) -> Term:
        if test is self.true or then is other:
            return then
        if test is self.false:
            return other
        if isinstance(test, Apply) and test.operation.name == "not" and _is_boolean(test.args[0]):
            test, then, other = test.args[0], other, then
        then = self._given(test, then)
        if isinstance(then, Ite) and then.test is test:
            then = then.then
        if isinstance(other, Ite) and other.test is test:
            other = other.other
        if _is_boolean(test):
            then = self.true if then is test else then
            other = self.false if other is test else other
            simple = self._boolean_ite(test, then, other)
            if simple is not None:
                return simple
        common = _common_summand(then, other)
        if common is not None:
            base, more, less = common
            return self.apply(
                "add", base, self.ite(test, *[self.const(0) if part is None else part for part in (more, less)])
            )
        if then is other:
            return then
        key = (Ite, test, then, other)
        found = self._table.get(key)
        values = union([then.values, _values_unless(test, other)])
        return self._keep(key, Ite(self._next(), values, None, test, then, other)) if found is None else found

    def _given(self, test: Term, term: Term) -> Term:
        """Simplify a term under the assumption 't = k': a selection by t becomes its item at k.

        So 'counts[r] = counts[r] + 1' changes the count at k by itself alone, whatever the other counts are.
        """
        if not (isinstance(test, Apply) and test.operation.name == "eq" and isinstance(test.args[1], Const)):
            return term
        index, key = test.args[0], test.args[1].value
        if isinstance(term, Select):
            return _item_at(term, index, key)
        if isinstance(term, Apply) and any(isinstance(arg, Select) and arg.index is index for arg in term.args):
            return self.apply(term.operation, *[_item_at(arg, index, key) for arg in term.args])
        return term

    def _boolean_ite(self, test: Term, then: Term, other: Term) -> Term | None:
        """Return an if-then-else with a constant Boolean side as a connective if the other side is Boolean too."""
        if then is self.true and _is_boolean(other):
            return self.any(test, other)
        if other is self.false and _is_boolean(then):
            return self.all(test, then)
        if then is self.false and _is_boolean(other):
            return self.all(self.negate(test), other)
        if other is self.true and _is_boolean(then):
            return self.any(self.negate(test), then)
        return None

    def select(self, index: Term, keys: Sequence[Any], items: Sequence[Term]) -> Term:
        """Return the item whose key equals ``index``; ``failure`` of the term is set if no key may fit."""
        kept = [(key, item) for key, item in zip(keys, items, strict=True) if key in index.values]
        possible = {key for key, _ in kept}
        complete = isinstance(index.values, frozenset) and index.values <= possible
        complete = complete or (not isinstance(index.values, frozenset) and _covers(index.values, possible))
        if isinstance(index, Const) and complete:
            return next(item for key, item in kept if key == index.value)
        if complete and len({item for _, item in kept}) == 1:
            return kept[0][1]
        key = (Select, index, tuple(typed(key) for key, _ in kept), *[item for _, item in kept])
        found = self._table.get(key)
        if found is not None:
            return found
        values = union([item.values for _, item in kept])
        failure = None if complete else "no item at that index"
        names, chosen = tuple(key for key, _ in kept), tuple(item for _, item in kept)
        return self._keep(key, Select(self._next(), values, failure, index, names, chosen))

    def _connective(self, known: Operation, args: Sequence[Term]) -> Term:
        """Return a conjunction or disjunction of Booleans, flattened by one level, without neutral parts."""
        neutral, absorbing = (self.true, self.false) if known.name == "and" else (self.false, self.true)
        parts: dict[Term, None] = {}
        for arg in args:
            if arg is absorbing:
                return absorbing
            if isinstance(arg, Apply) and arg.operation is known and len(arg.args) <= _FLAT:
                parts.update(dict.fromkeys(arg.args))
            elif arg is not neutral:
                parts[arg] = None
        if _opposed(parts, known.name == "and"):
            return absorbing
        if len(parts) <= 1:
            return next(iter(parts), neutral)
        key = (Apply, known, *parts)
        found = self._table.get(key)
        return (
            self._keep(key, Apply(self._next(), frozenset({False, True}), None, known, tuple(parts)))
            if found is None
            else found
        )

    def _next(self) -> int:
        self._serial += 1
        if not self._serial & 255:
            checkpoint()
        return self._serial

    def _keep(self, key: Any, term: Term) -> Term:
        self._table[key] = term
        return term


_SHOWN_PARTS = 200


def _text(term: Term, left: list[int]) -> str:
    """Return a term as text, at most ``left`` parts of it; shared parts would be repeated."""
    left[0] -= 1
    if left[0] < 0:
        return "..."
    if isinstance(term, Const):
        return repr(term.value)
    if isinstance(term, Input):
        return f"x{term.index}"
    if isinstance(term, Coin):
        return f"c{term.index}"
    if isinstance(term, Apply):
        return f"{term.operation.name}({_texts(term.args, left)})"
    if isinstance(term, Ite):
        then, test = _text(term.then, left), _text(term.test, left)
        return f"({then} if {test} else {_text(term.other, left)})"
    if isinstance(term, Select):
        items = ", ".join(f"{key!r}: {_text(item, left)}" for key, item in zip(term.keys, term.items, strict=True))
        return f"{{{items}}}[{_text(term.index, left)}]"
    assert isinstance(term, Tuple)
    return f"({_texts(term.items, left)})"


def _texts(terms: Sequence[Term], left: list[int]) -> str:
    shown = [_text(term, left) for term in terms[: max(1, left[0])]]
    return ", ".join(shown + ["..."] * (len(shown) < len(terms)))


def _item_at(term: Term, index: Term, key: Any) -> Term:
    """Return the item at a key if the term is a selection by ``index`` with that key, else the term."""
    if isinstance(term, Select) and term.index is index and key in term.keys:
        return term.items[term.keys.index(key)]
    return term


def _opposed(parts: dict[Term, None], conjunction: bool) -> bool:
    """Return True if two parts contradict each other: t and not t, or (in a conjunction) t = 1 and t = 2."""
    fixed: dict[Term, Term] = {}
    for part in parts:
        if not isinstance(part, Apply):
            continue
        if part.operation.name == "not" and part.args[0] in parts:
            return True
        if conjunction and part.operation.name == "eq" and isinstance(part.args[1], Const):
            known = fixed.setdefault(part.args[0], part.args[1])
            if isinstance(known, Const) and known.value != part.args[1].value:
                return True
    return False


def _is_boolean(term: Term) -> bool:
    if isinstance(term, Const):
        return isinstance(term.value, bool)
    if isinstance(term, Apply) and term.operation.name in BOOLEAN:
        return True
    return (
        isinstance(term.values, frozenset)
        and bool(term.values)
        and all(isinstance(value, bool) for value in term.values)
    )


def _common_summand(then: Term, other: Term) -> tuple[Term, Term | None, Term | None] | None:
    """Return T, a, b where then = T + a and other = T + b, so that a conditional increment stays a sum."""
    more, less = _increment(then), _increment(other)
    if more is not None and more[0] is other:
        return other, more[1], None
    if less is not None and less[0] is then:
        return then, None, less[1]
    if more is not None and less is not None and more[0] is less[0]:
        return more[0], more[1], less[1]
    return None


def _increment(term: Term) -> tuple[Term, Term] | None:
    """Return the summands of a sum of two integers."""
    if isinstance(term, Apply) and term.operation.name == "add" and len(term.args) == 2 and _is_integer(term):
        return term.args[0], term.args[1]
    return None


def _is_integer(term: Term) -> bool:
    """Return True if the arguments of a term can only be integers, not Booleans."""
    assert isinstance(term, Apply)
    return all(map(_are_integers, term.args))


def _are_integers(term: Term) -> bool:
    """Return True if a term can only be an integer, not a Boolean."""
    values = term.values
    return isinstance(values, IntegerRange) or (
        isinstance(values, frozenset) and all(type(value) is int for value in values)
    )


def _covers(values: Values, keys: set[Any]) -> bool:
    try:
        return len(values) <= len(keys) and all(value in keys for value in values)  # type: ignore[arg-type, union-attr]
    except TypeError:
        return False
