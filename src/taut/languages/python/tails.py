"""Tails of unbounded noise: the results of a program for draws beyond all centres.

Every term gets its *alternatives*: the values that it may have while no draw is in its tail, and for a draw z in a tail
the ones that are a z + b. docs/remainder.md proves what follows: where every condition is decided by a tail as a whole,
and outputs are a z + b, the tail may be one outcome. What must be decided farther out, and what cannot, is collected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.program import Apply, Ite, Operation, Select, Term, Tuple, Values, operation
from taut.program.operations import UNDEFINED
from taut.program.program import children
from taut.program.values import ANY, Anything, IntegerRange, image, union

__all__ = ["ENDLESS", "FAR", "NEVER", "Atom", "Label", "Piece", "Tails", "both", "ends_of", "may_be"]

_REACH = 1 << 256
ENDLESS = IntegerRange(-_REACH, _REACH)
"""The values of an unbounded draw, for simplifications while a mechanism is read."""
FAR = 1 << 200
_FEW = 4


@dataclass(eq=False)
class Atom:
    """A term that is unbounded noise around a centre: below ``low`` and above ``high`` it is in its tails.

    A side without a tail has an end that the noise is clamped to.
    """

    term: Term
    draws: frozenset[int]
    low: int
    high: int
    tails: tuple[int, ...] = (-1, 1)

    def end(self, side: int) -> int:
        return self.high if side > 0 else self.low


@dataclass(frozen=True)
class Piece:
    """Values a z + b of a draw z in a tail, b from ``least`` to ``most``; ``slope`` is a."""

    atom: Atom
    side: int
    slope: int
    least: int
    most: int

    @property
    def rises(self) -> bool:
        return self.slope * self.side > 0

    @property
    def nearest(self) -> int:
        """Return the end from which the values extend to infinity."""
        return self.slope * self.atom.end(self.side) + (self.least if self.rises else self.most)

    def times(self, factor: int) -> Piece:
        ends = sorted((factor * self.least, factor * self.most))
        return Piece(self.atom, self.side, factor * self.slope, *ends)

    def plus(self, low: int, high: int) -> Piece:
        return Piece(self.atom, self.side, self.slope, self.least + low, self.most + high)


Label = tuple[Atom, int] | None
"""A draw and its side (-1 and 1 for its tails, 0 inside), or None if an alternative implies neither."""


@dataclass
class TailValues:
    """Values that a term may have for each label, and pieces."""

    cores: dict[Label, Values] = field(default_factory=dict)
    pieces: dict[tuple[Atom, int, int], Piece] = field(default_factory=dict)

    def core(self, label: Label, values: Values) -> None:
        known = self.cores.get(label)
        self.cores[label] = values if known is None else union([known, values])

    def piece(self, piece: Piece) -> None:
        key = piece.atom, piece.side, piece.slope
        known = self.pieces.get(key)
        if known is not None:
            piece = Piece(*key, min(known.least, piece.least), max(known.most, piece.most))
        self.pieces[key] = piece

    def add(self, label: Label, value: Values | Piece | None) -> None:
        if isinstance(value, Piece):
            self.piece(value)
        elif value is not None:
            self.core(label, value)

    def __iter__(self) -> Any:
        yield from self.cores.items()
        for piece in self.pieces.values():
            yield (piece.atom, piece.side), piece


class Tails:
    """Alternatives of terms with given windows; ``needs`` has wider windows, ``failed`` the atoms without tails."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self.needs: dict[tuple[Atom, int], int] = {}
        """Least ends of the windows, by atom and side."""
        self.failed: set[Atom] = set()
        """Atoms whose tails are not outcomes of their own."""
        self._known: dict[Term, TailValues] = {atom.term: _of_atom(atom) for atom in atoms}
        self._plain: set[Term] = set()

    def of(self, root: Term) -> TailValues | None:
        """Return the alternatives of a term; None if it contains no atom."""
        stack = [root]
        while stack:
            term = stack[-1]
            if term in self._known or term in self._plain:
                stack.pop()
                continue
            parts = children(term)
            missing = [part for part in parts if part not in self._known and part not in self._plain]
            if missing:
                stack += missing
                continue
            stack.pop()
            if any(part in self._known for part in parts):
                self._known[term] = self._made(term)
            else:
                self._plain.add(term)
        return self._known.get(root)

    def need(self, piece: Piece, end: int) -> None:
        """Require a window whose end on the piece's side is at least ``end``."""
        key = piece.atom, piece.side
        known = self.needs.get(key, end)
        self.needs[key] = max(known, end) if piece.side > 0 else min(known, end)

    def reach(self, piece: Piece, value: int) -> None:
        """Require a window beyond whose end a piece is beyond a value."""
        offset = piece.least if piece.rises else piece.most
        far = Fraction(value - offset, piece.slope)
        self.need(piece, math.floor(far) + 1 if piece.side > 0 else math.ceil(far) - 1)

    def fail(self, *parts: Any) -> None:
        self.failed.update(part.atom for part in parts if isinstance(part, Piece))

    # -- terms -----------------------------------------------------------------------------------------------------

    def _parts(self, term: Term) -> TailValues:
        found = self._known.get(term)
        return TailValues({None: term.values}) if found is None else found

    def _made(self, term: Term) -> TailValues:
        if isinstance(term, Apply):
            return self._applied(term.operation, [self._parts(arg) for arg in term.args])
        made = TailValues()
        if isinstance(term, Ite):
            for label, test in self._parts(term.test):
                if isinstance(test, Piece):
                    self.fail(test)
                    continue
                for truth, branch in ((True, term.then), (False, term.other)):
                    if may_be(test, truth):
                        self._joined(made, label, self._parts(branch))
        elif isinstance(term, Select):
            for label, index in self._parts(term.index):
                if isinstance(index, Piece):
                    self.fail(index)
                    continue
                for key, item in zip(term.keys, term.items, strict=True):
                    if key in index:
                        self._joined(made, label, self._parts(item))
        elif isinstance(term, Tuple):
            for item in term.items:
                self.fail(*self._parts(item).pieces.values())
            made.core(None, ANY)
        return made

    def _joined(self, made: TailValues, label: Label, branch: TailValues) -> None:
        """Add the alternatives of a branch that is taken where a label holds."""
        for own, value in branch:
            met = both(label, own)
            if met is not NEVER:
                made.add(met, value)

    def _applied(self, by: Operation, args: Sequence[TailValues]) -> TailValues:
        if by.name in _FOLDED and len(args) > 2:
            total = args[0]
            for arg in args[1:]:
                total = self._applied(by, [total, arg])
            return total
        made = TailValues()
        rows: list[tuple[Label, tuple[Any, ...]]] = [(None, ())]
        for arg in args:
            rows = [
                (met, (*values, value))
                for label, values in rows
                for own, value in arg
                if (met := both(label, own)) is not NEVER
            ]
        for label, values in rows:
            if not any(isinstance(value, Piece) for value in values):
                made.core(label, _image(by, values))
                continue
            for part in self._of_pieces(by, values):
                made.add(label, part)
        return made

    def _of_pieces(self, by: Operation, values: tuple[Any, ...]) -> list[Any]:
        """Return the results of an operation on pieces and values; an atom fails where they are unknown."""
        name = by.name
        if len(values) == 1:
            (one,) = values
            if name in ("pos", "round", "int"):
                return [one]
            if name == "neg":
                return [one.times(-1)]
            if name == "defined":
                return [frozenset({True})]
            if name in ("abs", "truth", "not"):
                zero = self._compared("ne", one, frozenset({0}))
                if name != "abs":
                    return [zero if name == "truth" else _image(operation("not"), (zero,))]
                return [one if one.rises else one.times(-1)]
        if len(values) == 2:
            first, second = values
            if name == "sub":
                return self._sum(first, self._negative(second))
            if name == "add":
                return self._sum(first, second)
            if name == "mul":
                return self._product(first, second)
            if name in _COMPARED:
                return [self._compared(name, first, second)]
            if name in ("min", "max"):
                return self._extreme(name, first, second)
        self.fail(*values)
        return [ANY]

    def _negative(self, value: Any) -> Any:
        return value.times(-1) if isinstance(value, Piece) else _image(operation("neg"), (value,))

    def _sum(self, first: Any, second: Any) -> list[Any]:
        if isinstance(first, Piece) and isinstance(second, Piece):
            if (first.atom, first.side) != (second.atom, second.side):
                self.fail(first, second)
                return [ANY]
            low, high = first.least + second.least, first.most + second.most
            slope = first.slope + second.slope
            return [Piece(first.atom, first.side, slope, low, high) if slope else IntegerRange(low, high)]
        piece, values = (first, second) if isinstance(first, Piece) else (second, first)
        ends = ends_of(values)
        if ends is None:
            self.fail(piece)
            return [ANY]
        return [piece.plus(*ends)]

    def _product(self, first: Any, second: Any) -> list[Any]:
        piece, values = (first, second) if isinstance(first, Piece) else (second, first)
        if (
            isinstance(values, Piece)
            or not isinstance(values, frozenset)
            or len(values) > _FEW
            or ends_of(values) is None
        ):
            self.fail(first, second)
            return [ANY]
        return [piece.times(int(value)) if value else frozenset({0}) for value in values]

    def _extreme(self, name: str, first: Any, second: Any) -> list[Any]:
        above = self._compared("ge", first, second)
        wanted = name == "max"
        return [value for value, truth in ((first, wanted), (second, not wanted)) if may_be(above, truth)]

    def _compared(self, name: str, first: Any, second: Any) -> Values:
        """Return the results of a comparison, one if all of a tail decides it."""
        if isinstance(first, Piece) and isinstance(second, Piece):
            (first,), second = self._sum(first, second.times(-1)), frozenset({0})
            if not isinstance(first, Piece):
                return _image(operation(name), (first, second))
        if not isinstance(first, Piece):
            first, second, name = second, first, _MIRRORED.get(name, name)
        numbers = _numbers(second)
        if numbers is None:
            self.fail(first)
            return _EITHER
        if not numbers:
            return frozenset({name in ("ne",)}) if name in ("eq", "ne", "same") else _EITHER
        edge = numbers[1] if first.rises else numbers[0]
        if abs(edge) >= FAR:
            self.fail(first)
            return _EITHER
        if not (first.nearest > edge if first.rises else first.nearest < edge):
            beyond = edge if type(edge) is int else (math.ceil(edge) if first.rises else math.floor(edge))
            self.reach(first, int(beyond))
            return _EITHER
        return frozenset({name == "ne" if name in ("eq", "ne", "same") else (name in ("gt", "ge")) is first.rises})


_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge", "same"}
_FOLDED = {"add", "and", "or", "min", "max"}
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_EITHER = frozenset({False, True})
NEVER = object()


def _of_atom(atom: Atom) -> TailValues:
    made = TailValues()
    low = atom.low + (-1 in atom.tails)
    high = atom.high - (1 in atom.tails)
    if low <= high:
        made.core((atom, 0), IntegerRange(low, high))
    for side in atom.tails:
        made.piece(Piece(atom, side, 1, 0, 0))
    return made


def both(first: Label, second: Label) -> Any:
    """Return the label of two alternatives together; NEVER if one draw would be in two places."""
    if first is None or second is None:
        return first or second
    if first[0] is not second[0]:
        return None
    return first if first[1] == second[1] else NEVER


def may_be(values: Values, truth: bool) -> bool:
    if isinstance(values, frozenset):
        return any(value is UNDEFINED or bool(value) is truth for value in values)
    return True


def _image(by: Operation, parts: tuple[Values, ...]) -> Values:
    return image(by, parts)[0]


def ends_of(values: Values) -> tuple[int, int] | None:
    """Return the least and the largest of finitely many integers; None for other values."""
    if isinstance(values, Anything):
        return None
    if isinstance(values, IntegerRange):
        ends = values.low, values.high
    else:
        if not values or not all(isinstance(value, int) for value in values):
            return None
        ends = int(min(values)), int(max(values))
    return None if max(map(abs, ends)) >= FAR else ends


def _numbers(values: Values) -> tuple[Any, ...] | None:
    """Return the least and the largest number among some values, () if there is none; None if they are not known."""
    if isinstance(values, Anything):
        return None
    if isinstance(values, IntegerRange):
        return values.low, values.high
    known = [value for value in values if isinstance(value, (int, Fraction))]
    if any(isinstance(value, float) or hasattr(value, "exact") for value in values):
        return None
    return (min(known), max(known)) if known else ()
