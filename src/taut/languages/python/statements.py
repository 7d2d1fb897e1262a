"""Statements: each side of a random branch runs in its own world, and the results are merged."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taut.languages.python.failures import PathEnds, failure_like
from taut.languages.python.foreign import FORBIDDEN
from taut.languages.python.operators import BINARY
from taut.languages.python.values import ENDED, UNBOUND, Alternatives, Code, Frame, IteratorBox
from taut.languages.python.worlds import Flow, World
from taut.program import Term
from taut.support.errors import MechanismError, RealRandomness, TautError, UnsupportedSyntax
from taut.support.limits import checkpoint

if TYPE_CHECKING:
    from taut.languages.python.reader import Reader

__all__ = ["Statements"]


class Statements:
    """Execution of statements; ``_HANDLERS`` lists the supported kinds."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.worlds = reader.worlds
        self.terms = reader.worlds.terms
        self.flows = reader.flows
        self.handlers = {kind: getattr(self, name) for kind, name in _HANDLERS.items()}

    # -- bodies and blocks ---------------------------------------------------------------------------------------

    def run_body(self, code: Code) -> Any:
        """Return the value that the body of a function returns."""
        body = code.source.node.body
        if isinstance(body, ast.expr):
            return self.reader.expressions.evaluate(body)
        flow = self.block(body)
        if flow is self.flows.dead:
            raise PathEnds
        if flow.normal is not self.terms.false and flow.returns is not self.terms.true:
            flow = self.flows.then(flow, self.flows.returning(None))
        if not flow.results:
            raise PathEnds
        return self.flows.value(flow)

    def block(self, statements: Sequence[ast.stmt]) -> Flow:
        """Run statements in order; after one that some runs leave, the rest runs in the world of the others."""
        dead, normal, false = self.flows.dead, self.flows.normal, self.terms.false
        stack: list[tuple[Flow, World]] = []
        tail = normal
        last = len(statements) - 1
        try:
            for place, statement in enumerate(statements):
                flow = self.statement(statement)
                if flow is normal:
                    continue
                if flow.normal is false or place == last:
                    tail = flow
                    break
                stack.append((flow, self.worlds.open(flow.normal)))
        except PathEnds:
            if not stack:
                raise
            tail = dead
        for flow, outer in reversed(stack):
            changes = self.worlds.close(outer)
            self.worlds.merge_changes(flow.normal, changes, {}, dead=(tail is dead, False))
            tail = self.flows.then(flow, tail)
        return tail

    def statement(self, node: ast.stmt) -> Flow:
        self.reader.node = node
        checkpoint()
        handler = self.handlers.get(type(node))
        if handler is None:
            raise UnsupportedSyntax(_ADVICE.get(type(node), _NO_ADVICE), value=type(node).__name__)
        flow = handler(node)
        return self.flows.normal if flow is None else flow

    def fork(self, test: Term, then: Callable[[], Flow], other: Callable[[], Flow]) -> Flow:
        """Run ``then`` where a condition holds, else ``other``, and combine their flows."""
        if test is self.terms.true:
            return then()
        if test is self.terms.false:
            return other()
        a, b = self.worlds.branch(test, then, other)
        dead = self.flows.dead
        return self.flows.fork(test, a if isinstance(a, Flow) else dead, b if isinstance(b, Flow) else dead)

    # -- simple statements ---------------------------------------------------------------------------------------

    def return_(self, node: ast.Return) -> Flow:
        if self.reader.depth == 1:
            self.reader.returned = node
        return self.flows.returning(None if node.value is None else self.reader.expressions.evaluate(node.value))

    def expression(self, node: ast.Expr) -> Flow | None:
        if isinstance(node.value, ast.Yield):
            value = None if node.value.value is None else self.reader.expressions.evaluate(node.value.value)
            assert self.reader.yields is not None
            return self.reader.yields(value)
        if isinstance(node.value, ast.YieldFrom):
            rows = self.reader.expressions.evaluate(node.value.value)
            assert self.reader.yields is not None
            return self.reader.loops.drive(rows, self.reader.yields, "what is yielded", nested=True)
        self.reader.expressions.evaluate(node.value)
        return None

    def assign_all(self, node: ast.Assign) -> None:
        value = self.reader.expressions.evaluate(node.value)
        for target in node.targets:
            self.assign(target, value)

    def assign_annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.reader.expressions.evaluate(node.value))

    def assign_augmented(self, node: ast.AugAssign) -> None:
        reader = self.reader
        name = BINARY.get(type(node.op))
        if name is None:
            raise UnsupportedSyntax("matrix multiplication '@' is not supported; write the sums.", value="@")
        if isinstance(node.target, ast.Subscript):
            container = reader.expressions.evaluate(node.target.value)
            index = reader.expressions.evaluate(node.target.slice)
            reader.node = node.target
            old = reader.sequences.read(container, index)
            value = reader.expressions.evaluate(node.value)
            reader.node = node
            reader.sequences.write(container, index, reader.operators.in_place(name, old, value))
            return
        if not isinstance(node.target, ast.Name):
            raise UnsupportedSyntax("attributes cannot be changed in a mechanism; use a variable.", value=name)
        self._frame_of(node.target.id)
        old = reader.expressions.name(node.target)
        value = reader.expressions.evaluate(node.value)
        reader.node = node
        self.assign(node.target, reader.operators.in_place(name, old, value))

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.worlds.change(self._frame_of(target.id))[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.reader.node = target
            self._unpack(target, value)
        elif isinstance(target, ast.Subscript):
            container = self.reader.expressions.evaluate(target.value)
            index = self.reader.expressions.evaluate(target.slice)
            self.reader.node = target
            self.reader.sequences.write(container, index, value)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, value)
        else:
            self.reader.node = target
            raise UnsupportedSyntax("attributes cannot be set in a mechanism; use variables and lists.", value=target)

    def _frame_of(self, name: str) -> Frame:
        for frame in reversed(self.reader.frames):
            if name in frame.names:
                return frame
        raise UnsupportedSyntax(
            f"'{name}' belongs to the world outside the mechanism and cannot be assigned in it; return the value.",
            value=name,
        )

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> None:
        parts = target.elts
        lazy = isinstance(value, IteratorBox) and not value.kind.whole
        if lazy and not any(isinstance(part, ast.Starred) for part in parts):
            value = self._taken(value, len(parts))
        elif isinstance(value, Alternatives) and not all(isinstance(option, tuple) for _, option in value.options):
            rows = self.reader.sequences.rows(value, "what is unpacked")
            value = self.worlds.alternatives([(guard, tuple(items)) for guard, items in rows])
        if isinstance(value, Alternatives):
            self.worlds.each(value, lambda option: self._unpack(target, option))
            return
        rows = self.reader.sequences.rows(value, "what is unpacked")
        if len(rows) == 1:
            self._unpack_items(parts, rows[0][1])
            return
        options = Alternatives(tuple((guard, tuple(items)) for guard, items in rows))
        self.worlds.each(options, lambda option: self._unpack_items(parts, option))

    def _taken(self, iterator: IteratorBox, count: int) -> Any:
        """Take as many items as there are names, and check that there is no further one."""
        made = self.reader.sequences.new_list([])
        step, split, false = self.reader.iterators.step, self.worlds.split, self.terms.false
        for _ in range(count + 1):
            there, item = split(step(iterator), ENDED)
            if there is false:
                break
            self.worlds.choose(there, lambda item=item: self.reader.lists.append(made, item), lambda: None)  # type: ignore[misc]
        return made

    def _unpack_items(self, parts: Sequence[ast.expr], items: Sequence[Any]) -> None:
        starred = [place for place, part in enumerate(parts) if isinstance(part, ast.Starred)]
        if starred:
            after = len(parts) - starred[0] - 1
            if len(items) < len(parts) - 1:
                self.worlds.fail(failure_like(ValueError(), f"not enough values to unpack: {len(items)}."))
            middle = self.reader.sequences.new_list(items[starred[0] : len(items) - after])
            items = [*items[: starred[0]], middle, *items[len(items) - after :]]
        if len(items) != len(parts):
            message = f"{len(items)} values cannot be unpacked into {len(parts)} names."
            self.worlds.fail(failure_like(ValueError(), message))
        for part, item in zip(parts, items, strict=True):
            self.assign(part, item)

    def delete_all(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._delete(target)

    def _delete(self, target: ast.expr) -> None:
        reader = self.reader
        if isinstance(target, ast.Name):
            frame = self._frame_of(target.id)
            self.worlds.bound(frame.content.get(target.id, UNBOUND), f"the variable '{target.id}'")
            self.worlds.change(frame)[target.id] = UNBOUND
        elif isinstance(target, ast.Subscript):
            container = reader.expressions.evaluate(target.value)
            index = reader.expressions.evaluate(target.slice)
            reader.node = target
            reader.sequences.delete(container, index)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._delete(part)
        else:
            raise UnsupportedSyntax("'del' of an attribute is not supported in a mechanism.", value="del")

    def assert_(self, node: ast.Assert) -> None:
        if not __debug__:
            return
        holds = self.reader.operators.truth(self.reader.expressions.evaluate(node.test))
        self.reader.node = node
        problem = failure_like(AssertionError(), f"the assertion '{ast.unparse(node.test)}' fails.")
        if holds is self.terms.false:
            self.worlds.fail(problem)
        self.worlds.must_not(self.terms.negate(holds), problem)

    def raise_(self, node: ast.Raise) -> Flow:
        if self.reader.called_at is not None and node.exc is not None:
            problem = self.reader.expressions.evaluate(node.exc)
            return self.worlds.fail(problem if isinstance(problem, TautError) else failure_like(problem))
        what = "raise" if node.exc is None else ast.unparse(node.exc)
        return self.worlds.fail(MechanismError(f"{self.reader.subject} raises {what}.", value=what))

    def define(self, node: ast.FunctionDef) -> None:
        value: Any = self.reader.expressions.closure(node, node.name, node.args)
        for decorator in node.decorator_list:
            mark = self.reader.expressions.evaluate(decorator)
            self.reader.node = decorator
            if getattr(mark, "__module__", "").split(".")[0] != "taut":
                raise UnsupportedSyntax("a function inside a mechanism may only be decorated by @taut.helper.")
        self.worlds.change(self._frame_of(node.name))[node.name] = value

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            module = node.module if isinstance(node, ast.ImportFrom) else alias.name
            if module is None or module.split(".")[0] in FORBIDDEN:
                raise RealRandomness(
                    f"'import {module}' inside a mechanism: real randomness, the clock and the outside world have no "
                    "exact distribution. Draw with taut.flip and the like.",
                    value=module,
                )
            try:
                loaded: Any = importlib.import_module(module)
                if isinstance(node, ast.ImportFrom):
                    loaded = getattr(loaded, alias.name)
                elif alias.asname is None:
                    loaded = importlib.import_module(module.split(".")[0])
            except (ImportError, AttributeError) as problem:
                raise MechanismError(f"cannot import '{alias.name}': {problem}.", value=alias.name) from None
            name = (alias.asname or alias.name).split(".")[0]
            self.worlds.change(self._frame_of(name))[name] = self.reader.import_outside(loaded)

    def nothing(self, node: ast.stmt) -> None:
        """Ignore pass and declarations, which scopes handle."""

    def break_(self, node: ast.Break) -> Flow:
        return self.flows.breaks

    def continue_(self, node: ast.Continue) -> Flow:
        return self.flows.continues

    # -- branches and loops --------------------------------------------------------------------------------------

    def if_(self, node: ast.If) -> Flow:
        value = self.reader.expressions.evaluate(node.test)
        self.reader.node = node
        test = self.reader.expressions.tested(node.test, value)
        return self.fork(test, lambda: self.block(node.body), lambda: self.block(node.orelse))

    def for_(self, node: ast.For) -> Flow:
        value = self.reader.expressions.evaluate(node.iter)
        self.reader.node = node

        def body(item: Any) -> Flow:
            self.assign(node.target, item)
            return self.block(node.body)

        orelse = (lambda: self.block(node.orelse)) if node.orelse else None
        return self.reader.loops.drive(value, body, "what 'for' runs through", orelse, node.iter)

    def while_(self, node: ast.While) -> Flow:
        orelse = (lambda: self.block(node.orelse)) if node.orelse else None
        return self.reader.loops.while_(node, lambda: self.block(node.body), orelse)


_NO_ADVICE = "this statement is not supported in a mechanism."
_ADVICE: dict[type[ast.stmt], str] = {
    ast.Try: "'try' cannot depend on a random value. Decide with 'if', or move it outside the mechanism.",
    ast.With: "'with' is not supported in a mechanism; move it outside.",
    ast.ClassDef: "'class' is not supported in a mechanism; use tuples, lists and dictionaries.",
    ast.AsyncFunctionDef: "'async' is not supported in a mechanism; write a plain function.",
    ast.AsyncFor: "'async' is not supported in a mechanism; write a plain 'for'.",
    ast.AsyncWith: "'async' is not supported in a mechanism; move it outside.",
    ast.Match: "'match' is not supported in a mechanism; write 'if' and 'elif'.",
    ast.Global: "'global' is not supported in a mechanism: it would change the world outside; return the value.",
}
if hasattr(ast, "TryStar"):
    _ADVICE[ast.TryStar] = _ADVICE[ast.Try]
_HANDLERS: dict[type[ast.stmt], str] = {
    ast.Return: "return_",
    ast.Expr: "expression",
    ast.Assign: "assign_all",
    ast.AnnAssign: "assign_annotated",
    ast.AugAssign: "assign_augmented",
    ast.Delete: "delete_all",
    ast.Assert: "assert_",
    ast.Raise: "raise_",
    ast.FunctionDef: "define",
    ast.Import: "import_",
    ast.ImportFrom: "import_",
    ast.Pass: "nothing",
    ast.Nonlocal: "nothing",
    ast.Break: "break_",
    ast.Continue: "continue_",
    ast.If: "if_",
    ast.For: "for_",
    ast.While: "while_",
}
