"""Inline draws: an expression with a real draw becomes a small function of its inputs, which is run separately.

A uniform number has no list of values, but a comparison with it has two. So taut runs the smallest enclosing expression
with few values: a comparison, a conversion to a whole number, or the draw of a whole number.
"""

from __future__ import annotations

import ast
import builtins
import math
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taut.languages.python.floats import Float
from taut.languages.python.logs import RunCall
from taut.languages.python.run.kept import KeptNumbers
from taut.languages.python.run.many import one_of_many
from taut.languages.python.run.needs import is_source, makes_generator
from taut.languages.python.values import Alternatives, DrawnArray, ListBox, has_symbolic, is_scalar
from taut.support.errors import UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["InlineDraws", "is_inline"]

_MARK = "__taut_inline__"
_WHOLE = (int, bool)
"""Functions whose result is decided by a draw at once, unlike round and math.floor."""
_PASSING = (*_WHOLE, round, math.floor, math.ceil, math.trunc, abs, min, max)
"""Functions that may stand between a source of randomness and the comparison of what it draws."""


def is_inline(function: Any) -> bool:
    """Return True for a function that was made from an expression."""
    return hasattr(function, _MARK)


_UNKNOWN = object()


class _NotInline(Exception):
    """Raised for an expression that cannot be run separately."""


class InlineDraws:
    """Finder of the inline draws of a mechanism, which also draws their values."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.kept = KeptNumbers(reader)
        self._generators: list[tuple[Any, bool]] = []
        self.of_numpy = False
        """True once an array of random numbers was drawn: comparisons of its entries are NumPy's Booleans."""
        self._calls: dict[int, tuple[ast.expr, bool]] = {}
        self._made: dict[Any, tuple[Any, Callable[..., Any]]] = {}

    def value(self, node: ast.expr) -> tuple[Any] | None:
        """Return the value of an inline draw, alone in a tuple; None if the expression has no such draw."""
        if not self._has_call(node):
            return None
        skeleton = _Skeleton(self.reader)
        try:
            body = skeleton.visit(node, certain=True)
        except _NotInline:
            return None
        if not skeleton.sources or not _is_listed(node, body, skeleton):
            return None
        if isinstance(node, ast.Compare) and any(map(skeleton.draws, skeleton.leaves)):
            return None  # the other side is decided first, and the number is kept until then
        evaluate, draws = self.reader.expressions.evaluate, self.reader.draws
        before = len(draws.log)
        values = [evaluate(leaf) for leaf in skeleton.leaves]
        self.reader.node = node
        if len(draws.log) != before:
            raise UnsupportedValue(
                f"'{ast.unparse(node)}' has a draw inside of a draw; put it into a function of one entry, or keep the "
                "inner value in a variable."
            )
        if isinstance(node, ast.Call) and is_source(skeleton.called(body)):
            many = self._many(skeleton.called(body), body, values)
            if many is not None:
                return (many,)
        function = self._function(node, body, skeleton)
        if isinstance(node, ast.Call) and is_source(skeleton.called(body)):
            kept = self.kept.draw(function, values, {})
            if kept is not None:
                return (kept,)
        return (self.reader.runs.call(function, values, {}),)

    def generator(self, function: Any, seeded: bool) -> Any:
        """Return a new generator, whose numbers are drawn whatever its seed."""
        self._generators.append((function(), seeded))
        return self._generators[-1][0]

    def calls(self) -> list[RunCall]:
        """Return what was kept of draws, and the generators whose seeds are ignored."""
        names = dict.fromkeys(type(made).__name__ for made, seeded in self._generators if seeded)
        return [*self.kept.calls(), *[RunCall(name, 1, 0, ("a seed, which is ignored",)) for name in names]]

    def _many(self, function: Any, body: ast.expr, values: list[Any]) -> Any:
        """Return the draws of a call that makes many, each drawn by itself; None for other calls."""
        assert isinstance(body, ast.Call)

        def known(part: ast.expr) -> Any:
            if isinstance(part, ast.Constant):
                return self.reader.expressions.constant(part)
            return values[int(part.id[1:])] if isinstance(part, ast.Name) else _UNKNOWN

        args = [known(part) for part in body.args]
        keywords = {str(part.arg): known(part.value) for part in body.keywords}
        if any(value is _UNKNOWN for value in [*args, *keywords.values()]):
            return None
        one = one_of_many(function, args, keywords)
        if one is None:
            return None
        drawn = [self._one(function, one.args, one.keywords) for _ in range(one.count)]
        if one.listed:
            return ListBox([self.reader.sequences.read(item, 0) for item in drawn], self.reader.worlds.world)
        self.of_numpy = True
        return DrawnArray(tuple(drawn))

    def _one(self, function: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
        kept = self.kept.draw(function, args, keywords)
        return self.reader.runs.call(function, args, keywords) if kept is None else kept

    def _has_call(self, node: ast.expr) -> bool:
        known = self._calls.get(id(node))
        if known is None or known[0] is not node:
            found = any(isinstance(part, ast.Call) for part in ast.walk(node))
            known = self._calls[id(node)] = node, found
        return known[1]

    def _function(self, node: ast.expr, body: ast.expr, skeleton: _Skeleton) -> Callable[..., Any]:
        """Return the expression as a function of its leaves, the same one wherever it draws from the same sources."""
        key = id(node), tuple([_identity(function) for function in skeleton.held.values()])
        known = self._made.get(key)
        if known is None:
            arguments = ast.arguments(
                [], [ast.arg(f"_{place}") for place in range(len(skeleton.leaves))], None, [], [], None, []
            )
            whole = ast.Expression(ast.Lambda(arguments, body))
            place = self.reader.place
            file = "<an expression>" if place is None else f"<{place.file}:{place.line}>"
            code = compile(ast.fix_missing_locations(whole), file, "eval")
            inner = next(part for part in code.co_consts if isinstance(part, types.CodeType))
            scope = {"__builtins__": builtins, "__name__": "__inline__", **skeleton.held}
            function = types.FunctionType(inner, scope, ast.unparse(node))
            setattr(function, _MARK, True)
            known = self._made[key] = (node, list(skeleton.held.values())), function
        return known[1]


def _identity(function: Any) -> Any:
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return id(function)
    return id(owner), getattr(function, "__name__", "")


def _is_listed(node: ast.expr, body: ast.expr, skeleton: _Skeleton) -> bool:
    """Return True for an expression that has few values: it compares, or gives whole numbers or items."""
    if isinstance(node, ast.Compare):
        return True
    function = skeleton.called(body)
    return is_source(function) or any(function is known for known in _WHOLE)


class _Skeleton:
    """The part of an expression around its sources of randomness; its other leaves become arguments."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.held: dict[str, Any] = {}
        """The functions that the expression calls, by their names in the little function."""
        self.leaves: list[ast.expr] = []
        self.sources = 0

    def visit(self, node: ast.expr, certain: bool) -> ast.expr:
        """Return the expression with its leaves as variables; ``certain`` if Python always evaluates it."""
        if isinstance(node, ast.Compare):
            left = self.visit(node.left, certain)
            rest = [self.visit(part, certain and not place) for place, part in enumerate(node.comparators)]
            return ast.Compare(left, node.ops, rest)
        if isinstance(node, ast.BinOp):
            return ast.BinOp(self.visit(node.left, certain), node.op, self.visit(node.right, certain))
        if isinstance(node, ast.UnaryOp):
            return ast.UnaryOp(node.op, self.visit(node.operand, certain))
        if isinstance(node, ast.Call):
            function = self._called(node.func)
            if function is not None:
                name = f"_call_{len(self.held)}"
                self.held[name] = function
                self.sources += is_source(function)
                if any(isinstance(part, ast.Starred) for part in node.args) or any(
                    k.arg is None for k in node.keywords
                ):
                    raise _NotInline
                args = [self.visit(part, certain) for part in node.args]
                named = [ast.keyword(part.arg, self.visit(part.value, certain)) for part in node.keywords]
                return ast.Call(ast.Name(name, ast.Load()), args, named)
        if isinstance(node, ast.Constant):
            return node
        if not certain and not isinstance(node, ast.Name):
            raise _NotInline  # Python may not evaluate it, and it may fail or have effects
        self.leaves.append(node)
        return ast.Name(f"_{len(self.leaves) - 1}", ast.Load())

    def called(self, body: ast.expr) -> Any:
        """Return the function that the body of the little function calls."""
        assert isinstance(body, ast.Call) and isinstance(body.func, ast.Name)
        return self.held[body.func.id]

    def draws(self, node: ast.expr) -> bool:
        """Return True if an expression names a source of randomness that it calls."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
        return any(is_source(self._called(part.func)) for part in calls)

    def _called(self, node: ast.expr) -> Any:
        """Return the source of randomness, or the function that passes on what it draws; None for others."""
        part = node
        while isinstance(part, ast.Attribute):
            part = part.value
        if not isinstance(part, ast.Name):
            return None
        evaluate = self.reader.expressions.evaluate
        owner = evaluate(node.value) if isinstance(node, ast.Attribute) else None
        held = is_source(owner) and isinstance(node, ast.Attribute) and hasattr(owner, node.attr)
        function = getattr(owner, node.attr) if held and isinstance(node, ast.Attribute) else evaluate(node)
        if isinstance(function, Alternatives) or is_scalar(function) or isinstance(function, Float):
            return None
        if has_symbolic(function) or not callable(function):
            return None
        if any(function is known for known in _PASSING) or (is_source(function) and not makes_generator(function)):
            return function
        return None
