"""Expressions: every kind of Python expression that a mechanism may contain, evaluated in the current world."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any

from taut.errors import UnsupportedSyntax, UnsupportedValue
from taut.frontend.python.calls import Calls
from taut.frontend.python.operators import BINARY, COMPARISONS, UNARY
from taut.frontend.python.source import Source
from taut.frontend.python.values import (
    STAMPS,
    UNBOUND,
    Alternatives,
    Box,
    Code,
    DictBox,
    Frame,
    Generator,
    Method,
    SetBox,
    Symbolic,
)
from taut.frontend.python.worlds import failure_like
from taut.ir import Term

__all__ = ["Expressions"]


class Expressions(Calls):
    """Evaluation of expressions."""

    def evaluate(self, node: ast.expr) -> Any:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            self.node = node
            raise UnsupportedSyntax(_advice(node), value=type(node).__name__)
        return handler(self, node)

    def run_body(self, code: Code) -> Any:
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Any) -> None:
        raise NotImplementedError

    def loop(self, node: ast.comprehension, rows: Any, action: Callable[[], None]) -> None:
        """Run an action for each item of a comprehension's iterable."""
        raise NotImplementedError

    def decide(self, test: Term) -> Term:
        """A condition that is about to be branched on; refused where the code may not branch on random values."""
        if test is not self.terms.true and test is not self.terms.false and not self.code.may_branch:
            raise UnsupportedValue(
                f"'{self.code.name}' branches on a random value; mark the function with @taut.helper."
            )
        return test

    def name(self, node: ast.Name) -> Any:
        for frame in reversed(self.frames):
            if node.id in frame.names:
                value = frame.content.get(node.id, UNBOUND)
                if value is UNBOUND or isinstance(value, Alternatives):
                    self.node = node
                    return self.bound(value, f"the variable '{node.id}'")
                if isinstance(value, Generator):
                    self.node = node
                    self._take(value, node.id)
                return value
        try:
            value = self.code.outside[node.id]
        except KeyError:
            self.node = node
            return self.fail(failure_like(NameError(), f"the name '{node.id}' is not defined."))
        if type(value) is tuple:
            return self.import_value(value)
        return value

    def _take(self, value: Generator, name: str) -> None:
        """An iterator is used up when it has been run through; a second use would see nothing in Python."""
        if value.taken:
            raise UnsupportedValue(f"'{name}' is an iterator that has been used already; make a list of it: list(...).")
        value.taken = True

    def constant(self, node: ast.Constant) -> Any:
        return node.value

    def binary_operation(self, node: ast.BinOp) -> Any:
        a, b = self.evaluate(node.left), self.evaluate(node.right)
        self.node = node
        name = BINARY.get(type(node.op))
        if name is None:
            raise UnsupportedSyntax("matrix multiplication '@' is not supported; write the sums.", value="@")
        if isinstance(a, str) and name == "mod":
            raise UnsupportedSyntax("text formatting with '%' is not supported; use an f-string.", value="%")
        return self.binary(name, a, b)

    def unary_operation(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        self.node = node
        if isinstance(node.op, ast.Not):
            return self.negated(value)
        return self.unary(UNARY[type(node.op)], value)

    def boolean_operation(self, node: ast.BoolOp) -> Any:
        return self._connected(node.values, isinstance(node.op, ast.And), node)

    def _connected(self, parts: Sequence[ast.expr], conjunction: bool, node: ast.AST) -> Any:
        """a and b is b where a is true, else a; the second part happens only where it decides."""
        value = self.evaluate(parts[0])
        if len(parts) == 1:
            return value
        self.node = node
        test = self.decide(self.truth(value))
        if not conjunction:
            test = self.terms.negate(test)
        return self.choose(test, lambda: self._connected(parts[1:], conjunction, node), lambda: value)

    def comparison(self, node: ast.Compare) -> Any:
        return self._chain(self.evaluate(node.left), list(zip(node.ops, node.comparators, strict=True)), node)

    def _chain(self, left: Any, rest: Sequence[tuple[ast.cmpop, ast.expr]], node: ast.Compare) -> Any:
        """a < b < c: each operand once, the later ones only where the earlier comparisons hold."""
        (operator, comparator), more = rest[0], rest[1:]
        right = self.evaluate(comparator)
        self.node = node
        result = self._compare_by(operator, left, right)
        if not more:
            return result
        test = self.decide(self.truth(result))
        return self.choose(test, lambda: self._chain(right, more, node), lambda: result)

    def _compare_by(self, operator: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(operator, ast.Is):
            return self.identical(left, right)
        if isinstance(operator, ast.IsNot):
            return self.negated(self.identical(left, right))
        if isinstance(operator, ast.In):
            return self.contains(right, left)
        if isinstance(operator, ast.NotIn):
            return self.negated(self.contains(right, left))
        return self.compare(COMPARISONS[type(operator)], left, right)

    def conditional(self, node: ast.IfExp) -> Any:
        value = self.evaluate(node.test)
        self.node = node
        test = self.decide(self.truth(value))
        return self.choose(test, lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse))

    def walrus(self, node: ast.NamedExpr) -> Any:
        value = self.evaluate(node.value)
        self.assign(node.target, value)
        return value

    # -- displays ------------------------------------------------------------------------------------------------

    def elements_of(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """The values of some expressions, starred ones spread out."""
        values: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread = self.evaluate(node.value)
                self.node = node
                values += self.items(spread, "what is spread with '*'")
            else:
                values.append(self.evaluate(node))
        return values

    def tuple_display(self, node: ast.Tuple) -> Any:
        return tuple(self.elements_of(node.elts))

    def list_display(self, node: ast.List) -> Any:
        return self.new_list(self.elements_of(node.elts))

    def set_display(self, node: ast.Set) -> Any:
        values = self.elements_of(node.elts)
        self.node = node
        return SetBox({self.plain_key(value): True for value in values}, self.world)

    def dict_display(self, node: ast.Dict) -> Any:
        box = DictBox({}, self.world)
        pairs: list[tuple[Any, Any]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.update(box, self.evaluate(value))
                continue
            pairs.append((self.evaluate(key), self.evaluate(value)))
        self.node = node
        return self.spread([key for key, _ in pairs], lambda *keys: self._filled_dict(box, keys, pairs))

    def _filled_dict(self, box: DictBox, keys: Sequence[Any], pairs: Sequence[tuple[Any, Any]]) -> DictBox:
        """A dictionary with ordinary keys; where they are random, one for each combination of keys."""
        filled = DictBox(dict(box.content), self.world)
        for key, (_, value) in zip(keys, pairs, strict=True):
            filled.content[self.plain_key(key)] = value
        return filled

    def list_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        if isinstance(node, ast.ListComp):
            made = self.new_list([])
            self._comprehend(node.generators, lambda: self.append(made, self.evaluate(node.elt)))
            return made
        self.lazy.append(next(STAMPS))
        made = Generator([], self.world)
        try:
            self._comprehend(node.generators, lambda: self.append(made, self.evaluate(node.elt)))
        finally:
            self.lazy.pop()
        return made

    def set_comprehension(self, node: ast.SetComp) -> Any:
        made = SetBox({}, self.world)
        self._comprehend(node.generators, lambda: self.add_element(made, self.evaluate(node.elt)))
        return made

    def dict_comprehension(self, node: ast.DictComp) -> Any:
        made = DictBox({}, self.world)

        def add() -> None:
            key = self.evaluate(node.key)
            value = self.evaluate(node.value)
            self.node = node.key
            self.change(made)[self.plain_key(key)] = value

        self._comprehend(node.generators, add)
        return made

    def _comprehend(self, generators: Sequence[ast.comprehension], action: Callable[[], None]) -> None:
        """Run the loops of a comprehension in a scope of their own; the first iterable belongs to the outer one."""
        names = {
            inner.id for generator in generators for inner in ast.walk(generator.target) if isinstance(inner, ast.Name)
        }
        first = self.evaluate(generators[0].iter)
        outer = self.frames
        self.frames = (*outer, Frame({}, self.world, frozenset(names)))
        try:
            self._generate(generators, first, action)
        finally:
            self.frames = outer

    def _generate(self, generators: Sequence[ast.comprehension], rows: Any, action: Callable[[], None]) -> None:
        generator, rest = generators[0], generators[1:]
        if generator.is_async:
            raise UnsupportedSyntax("'async for' is not supported in a mechanism.", value="async")

        def inner() -> None:
            if rest:
                self._generate(rest, self.evaluate(rest[0].iter), action)
            else:
                action()

        self.loop(generator, rows, functools.partial(self._filtered, generator.ifs, inner))

    def _filtered(self, conditions: Sequence[ast.expr], action: Callable[[], None]) -> None:
        if not conditions:
            action()
            return
        value = self.evaluate(conditions[0])
        self.node = conditions[0]
        test = self.decide(self.truth(value))
        self.choose(test, lambda: self._filtered(conditions[1:], action), lambda: None)

    # -- parts ---------------------------------------------------------------------------------------------------

    def subscript(self, node: ast.Subscript) -> Any:
        container = self.evaluate(node.value)
        index = self.evaluate(node.slice)
        self.node = node
        return self.read(container, index)

    def slice_(self, node: ast.Slice) -> Any:
        return slice(*[None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step)])

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self.evaluate(node.value)
        self.node = node
        if isinstance(owner, (Box, Symbolic, Alternatives, tuple)) or type(owner) in (list, dict, set):
            return Method(owner, node.attr)
        if isinstance(owner, str):
            return Method(owner, node.attr)
        try:
            return getattr(owner, node.attr)
        except AttributeError as problem:
            return self.fail(failure_like(problem))

    def call_expression(self, node: ast.Call) -> Any:
        function = self.evaluate(node.func)
        args = self.elements_of(node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                self.node = node
                if not isinstance(value, (DictBox, dict)):
                    return self.fail(failure_like(TypeError(), "what is spread with '**' must be a dictionary."))
                keywords.update(value.content if isinstance(value, DictBox) else value)
            else:
                keywords[keyword.arg] = value
        self.node = node
        return self.call(function, args, keywords)

    def lambda_expression(self, node: ast.Lambda) -> Any:
        return self.closure(node, "<lambda>", node.args)

    def closure(self, node: ast.FunctionDef | ast.Lambda, name: str, arguments: ast.arguments) -> Code:
        """A function defined here, which sees the variables around it."""
        defaults = tuple([self.evaluate(default) for default in arguments.defaults])
        keyword_defaults = {
            argument.arg: self.evaluate(default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
        source = Source(node, self.code.source.file)
        return Code(source, name, self.frames, self.code.outside, defaults, keyword_defaults, self.code.may_branch)

    def text(self, node: ast.JoinedStr) -> Any:
        result: Any = ""
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self._formatted(part)
            else:
                value = self.evaluate(part)
            self.node = node
            result = self.binary("add", result, value)
        return result

    def _formatted(self, node: ast.FormattedValue) -> Any:
        value = self.evaluate(node.value)
        style = "" if node.format_spec is None else self.evaluate(node.format_spec)
        self.node = node
        convert = {-1: None, 115: str, 114: repr, 97: ascii}[node.conversion]
        if isinstance(style, (Symbolic, Alternatives)):
            raise UnsupportedValue("the format of an f-string must be ordinary.")
        return self._converted(_formatter(style, convert), value)


@functools.lru_cache(maxsize=256)
def _formatter(style: str, convert: Any) -> Callable[[Any], str]:
    def formatted(value: Any) -> str:
        return format(value if convert is None else convert(value), style)

    return formatted


_HANDLERS: dict[type[ast.expr], Callable[[Any, Any], Any]] = {
    ast.Name: Expressions.name,
    ast.Constant: Expressions.constant,
    ast.BinOp: Expressions.binary_operation,
    ast.UnaryOp: Expressions.unary_operation,
    ast.BoolOp: Expressions.boolean_operation,
    ast.Compare: Expressions.comparison,
    ast.IfExp: Expressions.conditional,
    ast.NamedExpr: Expressions.walrus,
    ast.Tuple: Expressions.tuple_display,
    ast.List: Expressions.list_display,
    ast.Set: Expressions.set_display,
    ast.Dict: Expressions.dict_display,
    ast.ListComp: Expressions.list_comprehension,
    ast.GeneratorExp: Expressions.list_comprehension,
    ast.SetComp: Expressions.set_comprehension,
    ast.DictComp: Expressions.dict_comprehension,
    ast.Subscript: Expressions.subscript,
    ast.Slice: Expressions.slice_,
    ast.Attribute: Expressions.attribute,
    ast.Call: Expressions.call_expression,
    ast.Lambda: Expressions.lambda_expression,
    ast.JoinedStr: Expressions.text,
}


def _advice(node: ast.AST) -> str:
    advice = {
        ast.Yield: "'yield' makes a generator; collect the values in a list and return it.",
        ast.YieldFrom: "'yield from' makes a generator; collect the values in a list and return it.",
        ast.Await: "'await' is not supported in a mechanism; write a plain function.",
        ast.Starred: "'*' can spread a list only inside a call or a display.",
    }
    return advice.get(type(node), f"the expression '{type(node).__name__}' is not supported in a mechanism.")
