"""Instrumentation: a copy of the user's function that reports sides of conditions and distances to the others."""

from __future__ import annotations

import ast
import builtins
import itertools
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from taut.languages.python.logs import Site, site_of
from taut.languages.python.source import FunctionSource, source_of
from taut.languages.python.validation.exactly import Copies, rewritten

__all__ = ["FAR", "Condition", "Observed", "Side"]

Side = tuple[int, bool]
"""The number of a condition, and its truth value."""
FAR = 1e300
"""The distance to the other side of a condition without a numeric distance."""


@dataclass(frozen=True)
class Condition:
    """A condition in the source of a function: of 'if', 'while', 'and', 'or', 'any', ..., or a comparison."""

    site: Site
    source: FunctionSource
    decided: bool = True
    """True for a condition of the source, False for one inside a built-in such as sorted()."""

    @property
    def text(self) -> str:
        """Return the condition's source text."""
        for node in ast.walk(self.source.node):
            if isinstance(node, ast.expr) and site_of(self.source.file, node) == self.site:
                return ast.unparse(node)
        return "the condition"


@dataclass
class Observed:
    """A function whose copy records each condition that a run evaluates.

    ``sides`` has for each side of a condition how far the last run was from it: 0 where it was taken.
    """

    conditions: dict[int, Condition] = field(default_factory=dict)
    sides: dict[Side, Any] = field(default_factory=dict)
    events: int = 0

    def copy(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, and the user functions it calls by name, with recorded conditions."""
        names = {_TEST: self.test, _COMPARE: self.compare, _CHAIN: self.chain, _CALL: self.call}
        copied: Callable[..., Any] = Copies(self._code, names).copy(function)
        return copied

    def _code(self, function: types.FunctionType) -> types.CodeType:
        key = function.__code__, function.__code__.co_filename  # equal code may stand in two files
        known = _KNOWN.get(key)
        if known is None:
            source = source_of(function)
            observing = _Observing(source)
            known = rewritten(function, source, observing), observing.conditions
            if len(_KNOWN) >= _MOST_KNOWN:
                _KNOWN.clear()
            _KNOWN[key] = known
        self.conditions.update(known[1])
        return known[0]

    def start(self) -> None:
        """Forget the last run."""
        self.sides = {}
        self.events = 0

    # -- what the copy calls -------------------------------------------------------------------------------------

    def test(self, place: int, value: Any) -> Any:
        """Record and return a value used as a condition."""
        truth = bool(value)
        self._note(place, truth, abs(value) if type(value) in _NUMBERS and truth else FAR)
        return value

    def compare(self, place: int, name: str, left: Any, right: Any) -> Any:
        """Record and return one comparison."""
        result = _OPERATIONS[name](left, right)
        if type(result) is bool:
            self._note(place, result, _gap(name, left, right))
        return result

    def chain(self, place: int, names: tuple[str, ...], left: Any, *rest: Callable[[], Any]) -> Any:
        """Record chained comparisons; the first condition is the whole chain, followed by its parts."""
        result: Any = True
        nearest: Any = FAR
        for number, (name, operand) in enumerate(zip(names, rest, strict=True), start=1):
            right = operand()
            result = self.compare(place + number, name, left, right)
            nearest = min(nearest, _gap(name, left, right))
            if not result:
                nearest = _gap(name, left, right)
                break
            left = right
        if type(result) is bool:
            self._note(place, result, nearest)
        return result

    def call(self, place: int, function: Any, *args: Any, **keywords: Any) -> Any:
        """Call min, max, abs, sorted, any or all, and record the comparisons that decide its result."""
        result = function(*args, **keywords)
        if keywords or function not in _PICKING:
            return result
        if function is any or function is all:
            self._note(place, result, FAR)
        elif function is abs:
            if type(args[0]) in _NUMBERS:
                self._note(place, args[0] >= 0, abs(args[0]) or 0.5)
        else:
            items = args[0] if len(args) == 1 else args
            if type(items) in (list, tuple) and len(items) <= _PLACES and all(type(one) in _NUMBERS for one in items):
                for number in range(len(items) - 1):
                    gap = items[number] - items[number + 1]
                    self._note(place + number, gap <= 0, abs(gap) or 0.5)
        return result

    def _note(self, place: int, side: bool, distance: Any) -> None:
        self.events += 1
        sides = self.sides
        sides[place, side] = 0
        other = (place, not side)
        if sides.get(other, _FARTHEST) > distance:
            sides[other] = distance


_FARTHEST = FAR * 10
_PLACES = 6
_NUMBERS = frozenset({int, bool, float, Fraction})
_PICKING: tuple[Any, ...] = (builtins.min, builtins.max, builtins.abs, builtins.sorted, builtins.any, builtins.all)
_TEST, _COMPARE, _CHAIN, _CALL = "__taut_test__", "__taut_compare__", "__taut_chain__", "__taut_call__"
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}
_MOST_ITEMS = 64


def _gap(name: str, left: Any, right: Any) -> Any:
    """Return the distance of a comparison's operands from the other result; FAR without a numeric distance."""
    if type(left) not in _NUMBERS:
        return FAR
    if type(right) in _NUMBERS:
        gap = abs(left - right)
        return gap if gap == gap and gap else 0.5
    if type(right) in (list, tuple, set, frozenset, dict, range) and name in ("In", "NotIn") and left not in right:
        gaps = [abs(left - one) for one in list(right)[:_MOST_ITEMS] if type(one) in _NUMBERS]
        return min(gaps, default=FAR)
    return FAR


class _Observing(ast.NodeTransformer):
    """Rewrites conditions to calls of the recorder; source positions are preserved."""

    def __init__(self, source: FunctionSource) -> None:
        self.conditions: dict[int, Condition] = {}
        self._source = source

    def visit_If(self, node: ast.If) -> Any:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        return self._tested(node)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        places = [self._place(one) for one in node.ifs]
        self.generic_visit(node)
        node.ifs = [_test(place, one) for place, one in zip(places, node.ifs, strict=True)]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        places = [self._place(one) for one in node.values[:-1]]
        self.generic_visit(node)
        node.values = [_test(place, one) for place, one in zip([*places, None], node.values, strict=True)]
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        place, names = self._number(node), [type(one).__name__ for one in node.ops]
        if len(names) == 1:
            self.generic_visit(node)
            return _call(_COMPARE, node, ast.Constant(place), ast.Constant(names[0]), node.left, node.comparators[0])
        if any(isinstance(part, _UNMOVABLE) for part in ast.walk(node)):
            self.generic_visit(node)
            return _test(place, node)
        for _ in names:
            self._number(node, decided=False)
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        later = [ast.copy_location(ast.Lambda(nothing, one), one) for one in node.comparators]
        listed = ast.Tuple([*map(ast.Constant, names)], ast.Load())
        return _call(_CHAIN, node, ast.Constant(place), listed, node.left, *later)

    def visit_Call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name) or node.func.id not in _PICKING_NAMES or not node.args:
            return self.generic_visit(node)
        places = [self._number(node, decided=False) for _ in range(_PLACES)]
        self.generic_visit(node)
        return _call(_CALL, node, ast.Constant(places[0]), node.func, *node.args, keywords=node.keywords)

    def _tested(self, node: Any) -> Any:
        place = self._place(node.test)
        self.generic_visit(node)
        node.test = _test(place, node.test)
        return node

    def _place(self, node: ast.expr) -> int | None:
        """Return a number for a deciding condition; None for a constant, and for a comparison, which has its own."""
        return None if isinstance(node, (ast.Constant, ast.Compare)) else self._number(node)

    def _number(self, node: ast.expr, decided: bool = True) -> int:
        number = next(_NUMBERS_GIVEN)
        self.conditions[number] = Condition(site_of(self._source.file, node), self._source, decided)
        return number


_UNMOVABLE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_PICKING_NAMES = frozenset(one.__name__ for one in _PICKING)
_NUMBERS_GIVEN = itertools.count()
_KNOWN: dict[tuple[types.CodeType, str], tuple[types.CodeType, dict[int, Condition]]] = {}
"""Cache of rewritten code, as a function is often read with many arguments."""
_MOST_KNOWN = 256


def _test(place: int | None, node: ast.expr) -> ast.expr:
    return node if place is None else _call(_TEST, node, ast.Constant(place), node)


def _call(name: str, at: ast.expr, *args: ast.expr, keywords: list[ast.keyword] | None = None) -> ast.expr:
    made = ast.Call(ast.Name(name, ast.Load()), list(args), keywords or [])
    return ast.copy_location(made, at)
