"""Expressions: the supported kinds of Python expressions, evaluated in the current world."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.comparisons import COMPARISONS
from taut.languages.python.failures import PathEnds, failure_like, refused_value
from taut.languages.python.library import takes_iterators
from taut.languages.python.operators import BINARY, UNARY
from taut.languages.python.source import FunctionSource
from taut.languages.python.values import UNBOUND, Alternatives, Code, DictBox, DictView, IteratorBox, Symbolic
from taut.languages.python.worlds import World
from taut.program import Term
from taut.support.errors import UnsupportedSyntax, UnsupportedValue

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Expressions"]


class Expressions:
    """Evaluation of expressions; ``_HANDLERS`` lists the supported kinds."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self.handlers = {kind: getattr(self, name) for kind, name in _HANDLERS.items()}
        self.handlers[ast.ListComp] = reader.comprehensions.list
        self.handlers[ast.SetComp] = reader.comprehensions.set
        self.handlers[ast.DictComp] = reader.comprehensions.dict
        self.handlers[ast.GeneratorExp] = reader.comprehensions.generator
        self.handlers[ast.JoinedStr] = reader.text.string

    def evaluate(self, node: ast.expr) -> Any:
        handler = self.handlers.get(type(node))
        if handler is None:
            self.reader.node = node
            raise UnsupportedSyntax(_advice(node), value=type(node).__name__)
        return handler(node)

    def decide(self, test: Term) -> Term:
        """Return a condition for a branch; refuse it if it is random and the code may not branch."""
        if test is not self.terms.true and test is not self.terms.false and not self.reader.code.may_branch:
            raise refused_value(
                f"'{self.reader.code.name}' branches on a random value; mark the function with @taut.helper."
            )
        return test

    def tested(self, node: ast.expr, value: Any) -> Term:
        """Return the truth of a condition's value and log the decision; refuse it if the code may not branch."""
        test = self.reader.operators.truth(value)
        self.note(node, test)
        return self.decide(test)

    def note(self, node: ast.expr, test: Term | None, decides: bool = True) -> None:
        """Log the value of a condition in this world."""
        if not self.reader.real:
            self.reader.branches.note(self.reader.code.source.file, node, self.worlds.world.guard, test, decides)

    def name(self, node: ast.Name) -> Any:
        reader = self.reader
        for frame in reversed(reader.frames):
            if node.id in frame.names:
                value = frame.content.get(node.id, UNBOUND)
                if value is UNBOUND or type(value) is Alternatives:
                    reader.node = node
                    return self.worlds.bound(value, f"the variable '{node.id}'")
                return value
        try:
            value = reader.code.outside[node.id]
        except KeyError:
            reader.node = node
            return self.worlds.fail(failure_like(NameError(), f"the name '{node.id}' is not defined."))
        return reader.import_outside(value)

    def constant(self, node: ast.Constant) -> Any:
        value = node.value
        return self.reader.imported_scalar(value) if type(value) is float else value

    def binary_operation(self, node: ast.BinOp) -> Any:
        a, b = self.evaluate(node.left), self.evaluate(node.right)
        self.reader.node = node
        name = BINARY.get(type(node.op))
        if name is None:
            raise UnsupportedSyntax("matrix multiplication '@' is not supported; write the sums.", value="@")
        if isinstance(a, str) and name == "mod":
            return self.reader.text.percent(a, b)
        return self.reader.operators.binary(name, a, b)

    def unary_operation(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        self.reader.node = node
        if isinstance(node.op, ast.Not):
            return self.reader.operators.negated(value)
        return self.reader.operators.unary(UNARY[type(node.op)], value)

    # -- short circuits ------------------------------------------------------------------------------------------

    def boolean_operation(self, node: ast.BoolOp) -> Any:
        """Evaluate ``a and b`` and ``a or b`` with short-circuiting."""
        conjunction = isinstance(node.op, ast.And)
        parts = iter(node.values)

        def goes_on(value: Any) -> Term:
            self.reader.node = node
            test = self.tested(next(parts), value)
            return test if conjunction else self.terms.negate(test)

        return self._circuit(len(node.values), lambda place: self.evaluate(node.values[place]), goes_on)

    def comparison(self, node: ast.Compare) -> Any:
        """Evaluate a < b < c: each operand once, with short-circuiting."""
        drawn = None if self.reader.inline is None else self.reader.inline.value(node)
        if drawn is not None:
            self.note(node, self._as_test(drawn[0]), decides=False)
            return drawn[0]
        held = [self.evaluate(node.left)]

        def part(place: int) -> Any:
            left, held[0] = held[0], self.evaluate(node.comparators[place])
            self.reader.node = node
            return self._compare_by(node.ops[place], left, held[0])

        def goes_on(value: Any) -> Term:
            self.reader.node = node
            return self.decide(self.reader.operators.truth(value))

        value = part(0) if len(node.ops) == 1 else self._circuit(len(node.ops), part, goes_on)
        self.note(node, self._as_test(value), decides=False)
        return value

    def _as_test(self, value: Any) -> Term | None:
        """Return the result of a comparison as a condition if it is a single Boolean term, else None."""
        if type(value) is bool:
            return self.terms.const(value)
        term = value.term if isinstance(value, Symbolic) else None
        return term if term is not None and self.terms.truth(term) is term else None

    def _circuit(self, count: int, part: Callable[[int], Any], goes_on: Callable[[Any], Term]) -> Any:
        """Evaluate parts in order while ``goes_on``, each in a nested world, and merge from the inside."""
        worlds = self.worlds
        stack: list[tuple[Term, World, Any]] = []
        value = part(0)
        dead = False
        try:
            for place in range(1, count):
                test = goes_on(value)
                if test is self.terms.false:
                    break
                if test is not self.terms.true:
                    stack.append((test, worlds.open(test), value))
                value = part(place)
        except PathEnds:
            if not stack:
                raise
            dead = True
        for test, outer, left in reversed(stack):
            worlds.merge_changes(test, worlds.close(outer), {}, dead=(dead, False))
            value, dead = (left if dead else worlds.merge(test, value, left)), False
        return value

    def _compare_by(self, operator: ast.cmpop, left: Any, right: Any) -> Any:
        comparisons, negated = self.reader.comparisons, self.reader.operators.negated
        if isinstance(operator, ast.Is):
            return comparisons.identical(left, right)
        if isinstance(operator, ast.IsNot):
            return negated(comparisons.identical(left, right))
        if isinstance(operator, ast.In):
            return comparisons.contains(right, left)
        if isinstance(operator, ast.NotIn):
            return negated(comparisons.contains(right, left))
        return comparisons.compare(COMPARISONS[type(operator)], left, right)

    def conditional(self, node: ast.IfExp) -> Any:
        value = self.evaluate(node.test)
        self.reader.node = node
        test = self.tested(node.test, value)
        return self.worlds.choose(test, lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse))

    def walrus(self, node: ast.NamedExpr) -> Any:
        value = self.evaluate(node.value)
        self.reader.statements.assign(node.target, value)
        return value

    # -- displays ------------------------------------------------------------------------------------------------

    def elements_of(self, nodes: Sequence[ast.expr]) -> Any:
        """Return the values of expressions with starred ones unpacked: a list, possibly of random length."""
        if not any(isinstance(node, ast.Starred) for node in nodes):
            return [self.evaluate(node) for node in nodes]
        made = self.reader.sequences.new_list([])
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread = self.evaluate(node.value)
                self.reader.node = node
                self._own(node.value, spread)
                self.reader.lists.extend(made, spread)
            else:
                self.reader.lists.append(made, self.evaluate(node))
        return made.content

    def tuple_display(self, node: ast.Tuple) -> Any:
        content = self.elements_of(node.elts)
        if isinstance(content, list):
            return tuple(content)
        return self.worlds.alternatives([(guard, tuple(items)) for guard, items in content.options])

    def list_display(self, node: ast.List) -> Any:
        made = self.reader.sequences.new_list([])
        made.content = self.elements_of(node.elts)
        return made

    def set_display(self, node: ast.Set) -> Any:
        box = self.reader.sets.new()
        for part in node.elts:
            if isinstance(part, ast.Starred):
                self.reader.sets.update(box, self.evaluate(part.value))
            else:
                value = self.evaluate(part)
                self.reader.node = part
                self.reader.sets.add(box, value)
        if len(node.elts) > 2 and all(isinstance(part, ast.Constant) for part in node.elts):
            plain: set[Any] = set()  # as Python makes it, which matters for its order
            plain.update(frozenset(part.value for part in node.elts if isinstance(part, ast.Constant)))
            box.content.plain = plain
        return box

    def dict_display(self, node: ast.Dict) -> Any:
        box = self.reader.dicts.new()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                other = self.evaluate(value)
                self.reader.node = value
                if not all(isinstance(option, DictBox) for _, option in self.worlds.options(other)):
                    return self.worlds.fail(failure_like(TypeError(), "what is spread with '**' must be a dictionary."))
                self.reader.dicts.update(box, other)
                continue
            known, content = self.evaluate(key), self.evaluate(value)
            self.reader.node = key
            self.reader.dicts.write(box, known, content)
        return box

    # -- parts ---------------------------------------------------------------------------------------------------

    def subscript(self, node: ast.Subscript) -> Any:
        container = self.evaluate(node.value)
        index = self.evaluate(node.slice)
        self.reader.node = node
        return self.reader.sequences.read(container, index)

    def slice_(self, node: ast.Slice) -> Any:
        return slice(*[None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step)])

    def attribute(self, node: ast.Attribute) -> Any:
        owner = self.evaluate(node.value)
        self.reader.node = node
        return self.reader.attributes.get(owner, node.attr)

    def call_expression(self, node: ast.Call) -> Any:
        drawn = None if self.reader.inline is None else self.reader.inline.value(node)
        if drawn is not None:
            return drawn[0]
        function = self.evaluate(node.func)
        args = self.elements_of(node.args)
        keywords: dict[str, Any] = {}
        spread: list[DictBox] = []
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is None:
                self.reader.node = node
                value = value if isinstance(value, DictBox) else None
                if value is None:
                    return self.worlds.fail(failure_like(TypeError(), "what is spread with '**' must be a dictionary."))
                spread.append(value)
            else:
                keywords[keyword.arg] = value
        self.reader.node = node
        if takes_iterators(function):
            for part, value in zip(node.args, args if isinstance(args, list) else (), strict=False):
                self._own(part, value)
        if spread:
            return self._spread_keywords(function, args, keywords, spread)
        return self._called(function, args, keywords)

    def _own(self, node: ast.expr, value: Any) -> None:
        """Mark an iterator that the expression itself created as owned: only the called function knows it."""
        if isinstance(value, IteratorBox) and value.node is node:
            value.owned = True

    def _called(self, function: Any, args: Any, keywords: dict[str, Any]) -> Any:
        if isinstance(args, list):
            return self.reader.calls.call(function, args, keywords)
        options = Alternatives(tuple((guard, tuple(items)) for guard, items in args.options))
        return self.worlds.each(options, lambda row: self.reader.calls.call(function, list(row), keywords))

    def _spread_keywords(self, function: Any, args: Any, keywords: dict[str, Any], spread: list[DictBox]) -> Any:
        """Call f(**d), separately for each possible set of keys."""
        box, rest = spread[0], spread[1:]
        rows = self.reader.loops.collected(DictView(box, "items"))

        def with_items(items: list[Any]) -> Any:
            more = dict(keywords)
            for key, value in items:
                if not isinstance(key, str):
                    raise UnsupportedValue("the keys of a dictionary after '**' must be ordinary text.")
                if key in more:
                    return self.worlds.fail(failure_like(TypeError(), f"got two values for '{key}'."))
                more[key] = value
            if rest:
                return self._spread_keywords(function, args, more, rest)
            return self._called(function, args, more)

        certain = self.reader.dicts.order(box)
        if certain is not None:
            return self._by_presence(box, certain, [], with_items)
        return self.reader.sequences.per_length(rows, with_items)

    def _by_presence(self, box: DictBox, keys: list[Any], done: list[Any], action: Callable[[list[Any]], Any]) -> Any:
        """Apply ``action`` to the present items, once for each possible set of keys."""
        if not keys:
            return action(done)
        entry = box.content[keys[0]]
        return self.worlds.choose(
            entry.present,
            lambda: self._by_presence(box, keys[1:], [*done, (entry.key, entry.value)], action),
            lambda: self._by_presence(box, keys[1:], done, action),
        )

    def lambda_expression(self, node: ast.Lambda) -> Any:
        return self.closure(node, "<lambda>", node.args)

    def closure(self, node: ast.FunctionDef | ast.Lambda, name: str, arguments: ast.arguments) -> Code:
        """Return a function defined here, with access to the enclosing variables."""
        reader = self.reader
        defaults = tuple([self.evaluate(default) for default in arguments.defaults])
        keyword_defaults = {
            argument.arg: self.evaluate(default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
        source = FunctionSource(node, reader.code.source.file)
        code = reader.code
        return Code(source, name, reader.frames, code.outside, defaults, keyword_defaults, code.may_branch)


_HANDLERS: dict[type[ast.expr], str] = {
    ast.Name: "name",
    ast.Constant: "constant",
    ast.BinOp: "binary_operation",
    ast.UnaryOp: "unary_operation",
    ast.BoolOp: "boolean_operation",
    ast.Compare: "comparison",
    ast.IfExp: "conditional",
    ast.NamedExpr: "walrus",
    ast.Tuple: "tuple_display",
    ast.List: "list_display",
    ast.Set: "set_display",
    ast.Dict: "dict_display",
    ast.Subscript: "subscript",
    ast.Slice: "slice_",
    ast.Attribute: "attribute",
    ast.Call: "call_expression",
    ast.Lambda: "lambda_expression",
}


def _advice(node: ast.AST) -> str:
    advice = {
        ast.Yield: "'yield' is followed only as a statement of its own, without using its value.",
        ast.YieldFrom: "'yield from' is followed only as a statement of its own.",
        ast.Await: "'await' is not supported in a mechanism; write a plain function.",
        ast.Starred: "'*' can spread a list only inside a call or a display.",
    }
    return advice.get(type(node), f"the expression '{type(node).__name__}' is not supported in a mechanism.")
